"""Gradients: the chain rule over the graph, and the active branch at a kink."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.dsl.expr import Expr, ceil, largest, lift, sqrt, symbol, total, where
from isocost.engine import algebra
from isocost.engine.evaluate import Evaluation
from isocost.engine.formula import Formula, Param
from isocost.engine.gradient import gradient
from isocost.engine.graph import GraphBuilder, Input
from isocost.engine.program import point

Evaluated = Callable[..., Evaluation]

X, Y, Z = symbol("x"), symbol("y"), symbol("z")


def slopes(body: Expr, **at: float) -> dict[str, float]:
    """The derivatives of one formula of inputs, by name."""
    builder = GraphBuilder()
    nodes = {n: builder.add(Input(n, v, "1", 1.0)) for n, v in at.items()}
    params = {name: Param("1", name) for name in at}
    made = builder.formula("f", "1", body, params)
    node = builder.add(made, tuple(nodes.values()))
    graph = builder.freeze()
    found = gradient(graph, node, point(graph, [node]))
    return {name: found.get(n, 0.0) for name, n in nodes.items()}


@given(st.floats(0.1, 10), st.floats(0.1, 10))
def test_products_and_powers(x: float, y: float) -> None:
    found = slopes(X**2 / Y + sqrt(X * Y), x=x, y=y)
    assert found["x"] == pytest.approx(2 * x / y + (y / x) ** 0.5 / 2)
    assert found["y"] == pytest.approx(-(x**2) / y**2 + (x / y) ** 0.5 / 2)


def test_the_active_branch_decides() -> None:
    body = largest(memory=X, compute=2 * Y)
    assert slopes(body, x=3.0, y=1.0) == {"x": 1.0, "y": 0.0}
    assert slopes(body, x=1.0, y=1.0) == {"x": 0.0, "y": 2.0}


def test_steps_have_no_slope() -> None:
    assert slopes(ceil(X) * Y, x=1.5, y=2.0) == {"x": 0.0, "y": 2.0}


def test_a_condition_has_no_slope_but_its_branches_do() -> None:
    body = where(X > 1, Y**2, 3 * Y)
    assert slopes(body, x=2.0, y=5.0) == {"x": 0.0, "y": 10.0}
    assert slopes(body, x=0.0, y=5.0) == {"x": 0.0, "y": 3.0}


def test_an_infinity_in_a_branch_not_taken_stays_there() -> None:
    body = where(X > 0, sqrt(X), lift(0))
    assert slopes(body, x=0.0)["x"] == 0.0


def test_shared_arguments_add_up() -> None:
    builder = GraphBuilder()
    x = builder.add(Input("x", 3.0, "1", 1.0))
    square = builder.formula("g", "1", X * X, {"x": Param("1", "x")})
    both = builder.formula(
        "f", "1", X * Y, {"x": Param("1", "x"), "y": Param("1", "y")}
    )
    node = builder.add(both, (builder.add(square, (x,)), x))
    graph = builder.freeze()
    assert gradient(graph, node, point(graph, [node]))[x] == pytest.approx(27.0)


@given(st.lists(st.floats(0.5, 2), min_size=3, max_size=3))
def test_a_chain_of_nodes_equals_its_closed_form(values: list[float]) -> None:
    builder = GraphBuilder()
    nodes = [
        builder.add(Input(n, v, "1", 1.0)) for n, v in zip("xyz", values, strict=True)
    ]
    pair = {"x": Param("1", "x"), "y": Param("1", "y")}
    inner = builder.add(builder.formula("g", "1", X / Y, pair), (nodes[0], nodes[1]))
    outer = builder.add(builder.formula("f", "1", X**2 * Y, pair), (inner, nodes[2]))
    graph = builder.freeze()
    found = gradient(graph, outer, point(graph, [outer]))
    whole = slopes((X / Y) ** 2 * Z, **dict(zip("xyz", values, strict=True)))
    for name, node in zip("xyz", nodes, strict=True):
        assert found[node] == pytest.approx(whole[name], rel=1e-12)


@pytest.mark.parametrize(
    ("body", "params"),
    [
        (total(X, Y), "x y"),
        (largest(X, Y, Z), "x y z"),
        (largest(a=X, b=Y), "x y z"),
        (X, "x y"),
    ],
)
def test_what_needs_no_algebra_equals_it(body: Expr, params: str) -> None:
    named = {name: Param("1", name) for name in params.split()}
    made = Formula("f", "1", named, None, body_=[body])
    quick = algebra.plain_partials(made)
    assert quick is not None
    at = dict(zip(named, (2.0, 5.0, 3.0), strict=False))
    slow = algebra.differentiate(made)
    values = {n: (algebra_value(quick[n], at), algebra_value(slow[n], at)) for n in at}
    assert all(a == b for a, b in values.values())


def algebra_value(expr: Expr, at: dict[str, float]) -> float:
    """A partial at a point."""
    from isocost.engine.formula import evaluate

    return evaluate(expr, at)


def test_a_whole_study_agrees_with_finite_differences(evaluated: Evaluated) -> None:
    text = Path(__file__).with_name("trainium2.scn").read_text(encoding="utf-8")
    evaluation = evaluated(text.removeprefix("edition 2026\n"))
    name = next(block.name for block in evaluation.document.scenarios)
    node = evaluation.node(name, "cost.per_Mtoken")
    assert node is not None
    graph, choices = evaluation.graph, evaluation.choices
    values = evaluation.point((node,))
    found = gradient(graph, node, values)
    inputs = [n for n in graph.inputs((node,)) if n not in choices and n in found]
    assert len(inputs) > 20
    jumps = 0
    for one in inputs:
        if getattr(graph.nodes[one].what, "whole", False) or not values[one]:
            continue
        ends = []
        for step in (1e-4, -1e-4, 5e-5, -5e-5):
            moved = {**choices, one: values[one] * (1 + step)}
            ends.append(point(graph, (node,), moved)[node])
        bend = ends[2] + ends[3] - 2 * values[node]
        if abs(bend) > 1e-6 * values[node]:
            jumps += 1  # on the edge of a `floor`
            continue
        wide, near = (ends[0] - ends[1]) / 2e-4, (ends[2] - ends[3]) / 1e-4
        slope = (4 * near - wide) / 3 / values[one]  # Richardson
        scale = values[node] / values[one] * 1e-4
        assert found[one] == pytest.approx(slope, rel=1e-7, abs=1e-7 * scale), one
    assert jumps <= 3


USERS = """
chip slow {
  power = 500 W ± 10% @assumed "a test"
  price = 4_000 $ to 6_000 $ @assumed "a test"
  let worth := price / power ^ 2
}
system pod {
  chip = slow
}
scenario one {
  system = pod
  let worth := chip.worth * 2
}
"""


def test_a_warm_sensitivity_needs_no_sympy(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    program = (
        "import sys\n"
        "from isocost.dsl.check import check_file\n"
        "from isocost.engine.quantities import table\n"
        "from isocost.engine.evaluate import Evaluation\n"
        "from isocost.engine.sensitivity import sensitivity\n"
        f"checked = check_file('a.scn', table(), 'edition 2026' + {USERS!r})\n"
        "found = sensitivity(Evaluation(checked), 'one', 'worth')\n"
        "print(found.of('chip.price').elasticity, 'sympy' in sys.modules)\n"
    )
    for imported in (True, False):  # the first run derives, the second reads
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == ["1.0", str(imported)]


def test_a_damaged_cache_is_derived_anew(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = Formula("f", "1", {"x": Param("1", "x")}, None, body_=[X**3])
    folder = algebra._cache_folder()
    folder.mkdir(parents=True)
    (folder / f"{algebra.digest(made)}.json").write_text("[1, 2")
    assert algebra_value(algebra.partials(made)["x"], {"x": 2.0}) == 12.0
