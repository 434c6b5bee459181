"""Machine code: the numbers of the tape, kernels and odd lengths among them."""

import numpy as np
import pytest
from hypothesis import given, settings
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
from isocost.engine.formula import Param
from isocost.engine.graph import GraphBuilder, Input
from isocost.engine.printers.llvm import LANES, PIECE, parts
from isocost.engine.program import LONG, Program, program

pytest.importorskip("llvmlite")

X, Y, Z = symbol("x"), symbol("y"), symbol("z")
BODIES = (
    X * Y + Z / X,
    total(X, Y, Z, 1) - smallest(X, Y) * largest(Y, Z, 2),
    where(both(X < Y, Expr("not", (Y >= Z,))), Z, X + 1),
    (X < Y) + (Y < Z) + (X > 1) - (X != Z),
    -(X <= Y) + X**2 + X ** (Y / 4),
    ceil(X * 3 / Y) + floor(Z * X),
    sqrt(absolute(X - Y)) + log(X + 1) - exp(-Y),
    Expr("or", (X < 1, Y - 2)) * X,
    Expr("erlang_c", (ceil(Z + 3), X)) * Y + Expr("pick_max", (X, Y, Z), 1),
    sqrt(X - Y) + log(X - Y) + X / (Y - Y),
)


def made(numbers: list[int]) -> Program:
    """Formulas one after the other, each of the last three values."""
    builder = GraphBuilder()
    nodes = [builder.add(Input(name, 1.5, "1", 1.0)) for name in "abc"]
    for number in numbers:
        body = BODIES[number]
        params = {name: Param("1", name) for name in "xyz"}
        formula = builder.formula(f"f{number}", "1", body, params)
        nodes.append(builder.add(formula, tuple(nodes[-3:])))
    wanted = [*nodes[-2:], nodes[0], nodes[-1]]
    return program(builder.freeze(), wanted, nodes[:3], compiled=True)


def both_ways(one: Program, length: int) -> None:
    rng = np.random.default_rng(len(one.steps))
    columns = {node: rng.uniform(0.2, 3, length) for node in one.varying}
    taped, coded = ([np.full(length + 8, -7.0) for _ in one.wanted] for _ in range(2))
    one.tape.bound(columns, taped)(slice(0, length))
    one.code.bound(columns, coded)(slice(0, length))
    for a, b in zip(taped, coded, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=0)


@settings(max_examples=15)
@given(st.lists(st.integers(0, len(BODIES) - 2), min_size=1, max_size=6))
def test_machine_code_equals_the_tape(numbers: list[int]) -> None:
    both_ways(made(numbers), 3 * LANES + 5)


@pytest.mark.parametrize("length", [1, LANES, PIECE + 3, 2 * PIECE])
def test_lengths_join_without_a_seam(length: int) -> None:
    both_ways(made([0, 6, 8, 3, 9, 8, 1]), length)


def test_kernels_cut_the_tape() -> None:
    one = made([0, 8, 1])
    assert [part.printed for part in parts(one.tape)].count(False) == 2


def test_long_columns_of_a_compiled_program_run_as_machine_code() -> None:
    one = made([5, 6])
    rng = np.random.default_rng(1)
    columns = {node: rng.uniform(0.2, 3, LONG + 5) for node in one.varying}
    found = one.run(columns)
    plain = program(one.graph, one.wanted, one.varying).run(columns)
    for a, b in zip(found, plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)
