"""Tapes: the numbers of the formulas, with nothing done twice or for nothing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.dsl.expr import (
    Expr,
    absolute,
    both,
    ceil,
    exp,
    floor,
    largest,
    log,
    smallest,
    sqrt,
    symbol,
    total,
    where,
)
from isocost.engine import tape
from isocost.engine.formula import Param
from isocost.engine.graph import Graph, GraphBuilder, Input
from isocost.engine.program import LONG, Program, point, program
from isocost.engine.ranks import Ranks, quantiles

X, Y, Z = symbol("x"), symbol("y"), symbol("z")
THREE = {name: Param("1", name) for name in "xyz"}
BODIES = (
    X * Y + Z,
    X - Y / Z,
    total(X, Y, Z, 1),
    largest(X, Y, 2) - smallest(Y, Z),
    where(X < Y, X * Z, Y),
    where(both(X < Y, Expr("not", (Y >= Z,))), Z, X + 1),
    (X < Y) + (Y < Z) + (X > 1),
    -(X < Y) + X**2 + X ** (Y / 4),
    ceil(X * 3 / Y) + floor(Z * X),
    sqrt(absolute(X - Y)) + log(X + 1) - exp(-Y),
    Expr("or", (X < 1, Y > Z)),
    Expr("pick_max", (X, Y, Z), 1) * X,
    X / (1 + Y),
)


def chain(steps: list[tuple[int, int, int, int]]) -> Graph:
    """A graph of four inputs and of formulas, each on three earlier nodes."""
    builder = GraphBuilder()
    for i in range(4):
        builder.add(Input(f"input {i}", 0.5 + i, "1", 1.0))
    for body, *args in steps:
        size = len(builder.nodes)
        number = body % len(BODIES)
        made = builder.formula(f"f{number}", "1", BODIES[number], THREE)
        builder.add(made, tuple(arg % size for arg in args))
    return builder.freeze()


steps = st.tuples(*[st.integers(0, 60)] * 4)
graphs = st.lists(steps, min_size=1, max_size=15).map(chain)


def on_tape(made: Program, columns: dict[int, np.ndarray]) -> list[np.ndarray]:
    length = len(next(iter(columns.values())))
    out = [np.empty(length) for _ in made.wanted]
    made.tape.bound(columns, out)(slice(0, length))
    return out


@given(graphs, st.lists(st.floats(0.25, 4), min_size=1, max_size=5))
def test_a_tape_equals_points(graph: Graph, values: list[float]) -> None:
    wanted = [len(graph.nodes) - 1, len(graph.nodes) // 2]
    columns = {0: np.array(values), 2: np.array(values[::-1])}
    made = program(graph, wanted, columns)
    both_ways = zip(on_tape(made, columns), made.run(columns), strict=True)
    for node, (taped, plain) in zip(wanted, both_ways, strict=True):
        for i, (a, b) in enumerate(zip(taped, plain, strict=True)):
            settled = {n: float(column[i]) for n, column in columns.items()}
            true = point(graph, wanted, settled)[node]
            same = pytest.approx(true, rel=1e-9, abs=1e-12, nan_ok=True)
            assert a == same
            assert b == same


def lone(body: Expr, values: dict[str, float]) -> Program:
    """A formula with one varying argument, `x`, the others fixed."""
    builder = GraphBuilder()
    nodes = {n: builder.add(Input(n, v, "1", 1.0)) for n, v in values.items()}
    made = builder.formula("f", "1", body, {n: Param("1", n) for n in values})
    node = builder.add(made, tuple(nodes.values()))
    return program(builder.freeze(), [node], [nodes["x"]])


@pytest.mark.parametrize(
    ("body", "ops"),
    [
        (X * Y + Z, []),  # y = 1, z = 0: it is x
        (where(Y > Z, X + 2, exp(X)), ["+"]),
        ((X + 2) * (2 + X), ["+", "*"]),
        (X**2, ["*"]),
        (log(Y + 1) * sqrt(Y), []),
        (largest(X, X), []),
        (X * (Y * 4 - 1) * 3, ["*", "*"]),
    ],
)
def test_nothing_is_done_twice_or_for_nothing(body: Expr, ops: list[str]) -> None:
    made = lone(body, {"x": 3.0, "y": 1.0, "z": 0.0})
    assert [op for op, _, _ in made.tape.ops] == ops


def test_long_columns_run_on_the_tape_in_pieces_without_a_seam() -> None:
    made = lone(ceil(X * Y) + X, {"x": 1.0, "y": 2.0, "z": 0.0})
    x = np.linspace(0, 50, 5 * tape.PIECE + 17)
    assert len(x) > LONG
    assert made.tape is made.tape
    (column,) = made.run({made.varying[0]: x})
    assert column == pytest.approx(np.ceil(2 * x - 2e-9 * x) + x, rel=1e-15)
    kept = np.full(len(x) + 3, math.nan)
    (again,) = made.run({made.varying[0]: x}, [kept])
    assert (again == column).all()
    assert again.base is kept


def test_a_wanted_number_and_a_wanted_column() -> None:
    graph = chain([(0, 1, 2, 3)])
    made = program(graph, [4, 0], [0])
    four, zero = made.run({0: np.arange(float(LONG))})
    assert (four == four[0]).all()
    assert (zero == np.arange(LONG)).all()


# Quantiles of what is not held.


def parts_of(column: np.ndarray) -> Ranks:
    parts = np.array_split(column, 16)
    made = Ranks(parts[0])
    for part in parts:
        made.add(part)
    return made


@pytest.mark.parametrize("sort", ["smooth", "heavy", "steps", "one", "holes", "empty"])
def test_quantiles_are_those_of_all_draws_sorted(sort: str) -> None:
    rng = np.random.default_rng(7)
    column = rng.standard_normal(200_000)
    if sort == "heavy":
        column = np.exp(8 * column)
    elif sort == "steps":
        column = np.ceil(column)
    elif sort == "one":
        column[:] = 3.0
    elif sort == "holes":
        column[::7], column[::11], column[::13] = math.nan, math.inf, -math.inf
    elif sort == "empty":
        column[:] = math.nan
    found = parts_of(column)
    finite = column[np.isfinite(column)]
    told = found.quantiles()
    assert told is not None
    for one, other in zip(told, quantiles(column), strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-11, nan_ok=True)
        assert one.error == pytest.approx(other.error, rel=1e-9, nan_ok=True)
    assert found.defined == pytest.approx(len(finite) / len(column), rel=1e-11)
    mean = finite.mean() if len(finite) else math.nan
    assert found.mean == pytest.approx(mean, rel=1e-9, abs=1e-12, nan_ok=True)


def test_little_of_the_draws_is_held() -> None:
    found = parts_of(np.random.default_rng(1).standard_normal(200_000))
    held = sum(len(part) for parts in found._inside for part in parts)
    assert 0 < held < 200_000 / 3


def test_brackets_that_missed_say_so() -> None:
    column = np.sort(np.random.default_rng(1).standard_normal(200_000))
    assert parts_of(column).quantiles() is None
