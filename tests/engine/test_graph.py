"""The graph: equal content is one node, and a copy touches nothing else."""

from collections.abc import Callable

from isocost.dsl.expr import symbol
from isocost.engine.evaluate import Evaluation
from isocost.engine.formula import Formula, Param
from isocost.engine.graph import Constant, GraphBuilder, Input, Spread

Evaluated = Callable[..., Evaluation]

TWO = """
chip slow {
  power = 500 W ± 10% @assumed "a test"
  memory.bandwidth = 3 TB/s @assumed "a test"
  price = 4_000 $ to 6_000 $ @assumed "a test"
  let weight := memory.bandwidth / power
  let worth := price / power
}
system pod {
  chip = slow
  chips = 16 chip @assumed "a test"
}
scenario one {
  system = pod
  let weight := chip.weight
  let worth := chip.worth
}
scenario two extends one {
  slow.memory.bandwidth = 4 TB/s @assumed "a test"
}
"""


def _double(builder: GraphBuilder, name: str = "double") -> Formula:
    x = symbol("x")
    return builder.formula(name, "1", 2 * x, {"x": Param("1", "x")})


def test_equal_content_is_one_node() -> None:
    builder = GraphBuilder()
    a = builder.add(Input("a", 1.0, "1", 1.0))
    assert builder.add(Input("a", 1.0, "1", 1.0, doc="words do not count")) == a
    assert builder.add(Input("a", 2.0, "1", 1.0)) != a
    assert builder.add(Input("b", 1.0, "1", 1.0)) != a
    assert builder.add(Input("a", 1.0, "1", 1.0, Spread("uniform", (0.0, 2.0)))) != a
    assert builder.constant(3.0) == builder.constant(3)


def test_equal_formulas_on_equal_arguments_are_one_node() -> None:
    builder = GraphBuilder()
    a, b = builder.constant(1.0), builder.constant(2.0)
    first = builder.add(_double(builder), (a,))
    assert builder.add(_double(builder), (a,)) == first
    assert builder.add(_double(builder), (b,)) != first
    assert builder.add(_double(builder, "other"), (a,)) != first


def test_arguments_come_first() -> None:
    builder = GraphBuilder()
    a = builder.constant(1.0)
    top = builder.add(_double(builder), (builder.add(_double(builder), (a,)),))
    graph = builder.freeze()
    assert graph.below((top,)) == [0, 1, 2]
    assert all(max(node.args, default=-1) < i for i, node in enumerate(graph.nodes))


def test_only_what_lies_below_is_listed() -> None:
    builder = GraphBuilder()
    a = builder.add(Input("a", 1.0, "1", 1.0))
    builder.add(Input("b", 1.0, "1", 1.0))
    top = builder.add(_double(builder), (a,))
    assert builder.freeze().inputs((top,)) == [a]


def test_a_frozen_graph_does_not_grow() -> None:
    builder = GraphBuilder()
    graph = builder.freeze()
    builder.constant(1.0)
    assert graph.nodes == ()
    assert builder.freeze().nodes[0].what == Constant(1.0)


def test_names_are_listed_shortest_first() -> None:
    builder = GraphBuilder()
    node = builder.constant(1.0)
    builder.names.update({"long.name": node, "b": node, "a": node})
    assert builder.freeze().names_of(node) == ["a", "b", "long.name"]


def test_an_override_copies_what_it_touches_and_nothing_else(
    evaluated: Evaluated,
) -> None:
    evaluation = evaluated(TWO)
    assert evaluation.node("one", "worth") == evaluation.node("two", "worth")
    assert evaluation.node("one", "weight") != evaluation.node("two", "weight")
    assert evaluation.node("one", "chip.power") == evaluation.node("two", "chip.power")


def test_formulas_in_a_copied_block_see_the_new_value(evaluated: Evaluated) -> None:
    evaluation = evaluated(TWO)
    nodes = {name: evaluation.node(name, "weight") for name in ("one", "two")}
    values = evaluation.point(n for n in nodes.values() if n is not None)
    one, two = (values[n] for n in nodes.values() if n is not None)
    assert one == 3e12 / 500
    assert two == 4e12 / 500


def test_no_formula_without_an_override_is_built_twice(evaluated: Evaluated) -> None:
    evaluation = evaluated(TWO)
    evaluation.node("one", "worth")
    size = len(evaluation.graph.nodes)
    evaluation.node("two", "worth")
    assert len(evaluation.graph.nodes) == size
