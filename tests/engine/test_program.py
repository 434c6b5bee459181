"""Programs: the same numbers as a plain walk, and no more work than is asked for."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.dsl.expr import Expr, largest, symbol, total
from isocost.engine.formula import Param
from isocost.engine.graph import Graph, GraphBuilder, Input
from isocost.engine.program import PIECE, SPREAD, point, program

X, Y = symbol("x"), symbol("y")
PAIR = {"x": Param("1", "x"), "y": Param("1", "y")}
BODIES = (X + Y, X * Y, X - Y, largest(X, Y), total(X, Y, 1), X / Y)


def chain(ops: list[tuple[int, int, int]], inputs: int = 3) -> Graph:
    """A graph of inputs and of formulas, each on two earlier nodes."""
    builder = GraphBuilder()
    for i in range(inputs):
        builder.add(Input(f"input {i}", 1.5 + i, "1", 1.0))
    for op, a, b in ops:
        body = BODIES[op % len(BODIES)]
        made = builder.formula(f"f{op % len(BODIES)}", "1", body, PAIR)
        size = len(builder.nodes)
        builder.add(made, (a % size, b % size))
    return builder.freeze()


graphs = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50)),
    min_size=1,
    max_size=12,
).map(chain)


@given(graphs, st.lists(st.floats(0.5, 4), min_size=1, max_size=6))
def test_columns_equal_points(graph: Graph, values: list[float]) -> None:
    wanted = len(graph.nodes) - 1
    (column,) = program(graph, [wanted], [0]).run({0: np.array(values)})
    for value, found in zip(values, column.tolist(), strict=True):
        one = point(graph, [wanted], {0: value})[wanted]
        assert math.isnan(one) == math.isnan(found)
        assert math.isnan(one) or found == pytest.approx(one, rel=1e-12)


@given(graphs)
def test_only_what_lies_between_is_a_step(graph: Graph) -> None:
    wanted = len(graph.nodes) - 1
    made = program(graph, [wanted], [0])
    below = set(graph.below([wanted]))
    moving = {node for node, _, _ in made.steps}
    assert moving <= below
    for node in moving:
        assert 0 in graph.below([node])
    for node in below - moving - {0}:
        assert 0 not in graph.below([node])
        assert node in made.fixed


def test_pieces_join_without_a_seam() -> None:
    graph = chain([(1, 0, 0)])
    for count in (1, PIECE, 2 * PIECE + 17, (2 * SPREAD + 1) * PIECE + 5):
        values = np.linspace(0, 1, count)
        (column,) = program(graph, [3], [0]).run({0: values})
        assert (column == values * values).all()


def test_a_varying_node_may_be_wanted_itself() -> None:
    graph = chain([(0, 0, 1)])
    values = np.array([1.0, 2.0])
    first, second = program(graph, [0, 3], [0]).run({0: values})
    assert first.tolist() == [1.0, 2.0]
    assert second.tolist() == [3.5, 4.5]


def test_what_does_not_vary_is_a_column_of_one_number() -> None:
    graph = chain([(0, 1, 2)])
    (column,) = program(graph, [3], [0]).run({0: np.arange(3.0)})
    assert column.tolist() == [6.0] * 3


def test_settled_numbers_replace_inputs_and_formulas() -> None:
    graph = chain([(0, 0, 1), (1, 3, 2)])
    assert point(graph, [4])[4] == (1.5 + 2.5) * 3.5
    assert point(graph, [4], {3: 2.0})[4] == 7.0
    (column,) = program(graph, [4], [2], {3: 2.0}).run({2: np.array([5.0])})
    assert column.tolist() == [10.0]


@pytest.mark.parametrize(
    ("expr", "wanted"),
    [
        (X / Y, math.inf),
        (X ** (X * 1e4), math.inf),
    ],
)
def test_the_edges_of_doubles_raise_nothing(expr: Expr, wanted: float) -> None:
    builder = GraphBuilder()
    x = builder.add(Input("x", 2.0, "1", 1.0))
    y = builder.add(Input("y", 0.0, "1", 1.0))
    node = builder.add(builder.formula("f", "1", expr, PAIR), (x, y))
    graph = builder.freeze()
    assert point(graph, [node])[node] == wanted
    (column,) = program(graph, [node], [x, y]).run(
        {x: np.array([2.0]), y: np.array([0.0])}
    )
    assert column[0] == wanted
