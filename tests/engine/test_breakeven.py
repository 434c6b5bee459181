"""Break-evens: all roots of constructed functions, and of documents with known ones."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isocost.engine.breakeven import BreakEven, breakeven, curve
from isocost.engine.closed import solve
from isocost.engine.equation import Varied, sides, varied
from isocost.engine.evaluate import Evaluation
from isocost.engine.formula import evaluate
from isocost.engine.printers.text import show
from isocost.engine.roots import Root, roots

Evaluated = Callable[..., Evaluation]


def found(function: Callable[[Any], Any], low: float, high: float) -> list[Root]:
    return roots(lambda x, _: function(x), low, high)


def values(function: Callable[[Any], Any], low: float, high: float) -> list[float]:
    return [root.value for root in found(function, low, high)]


@given(st.lists(st.floats(0.2, 50), min_size=1, max_size=6))
def test_every_root_of_a_polynomial_is_found(wanted: list[float]) -> None:
    ordered = sorted(wanted)
    gaps = [b - a for a, b in itertools.pairwise(ordered)]
    assume(min(gaps, default=1.0) > 1e-3)

    def function(x: Any) -> Any:
        return np.prod([x - root for root in ordered], axis=0)

    assert values(function, 0.1, 100) == pytest.approx(ordered, rel=1e-9)


@given(st.floats(0.5, 40), st.floats(1e-7, 1e-3))
def test_two_roots_closer_than_the_grid_are_two(at: float, gap: float) -> None:
    assert values(lambda x: (x - at) * (x - at * (1 + gap)), 0.1, 100) == pytest.approx(
        [at, at * (1 + gap)], rel=1e-9
    )


def test_a_hundred_roots_of_a_sine() -> None:
    got = values(np.sin, 1.0, 100 * math.pi + 1)
    assert got == pytest.approx([math.pi * k for k in range(1, 101)], rel=1e-12)


def test_the_sign_above_is_told() -> None:
    got = found(lambda x: (x - 1) * (x - 2), 0.5, 4)
    assert [(r.kind, r.sign) for r in got] == [("root", -1), ("root", 1)]


def test_a_touch_is_no_crossing() -> None:
    (touch,) = found(lambda x: (x - 1.3) ** 2, 0.5, 4)
    assert touch.kind == "touch"
    assert touch.value == pytest.approx(1.3, rel=1e-6)


def test_a_step_over_zero_is_a_jump() -> None:
    (jump,) = found(lambda x: np.ceil(x) - 2.5, 0.5, 4)
    assert (jump.kind, jump.sign) == ("jump", 1)
    assert jump.value == pytest.approx(2.0)


def test_a_pole_is_no_root() -> None:
    with np.errstate(divide="ignore"):
        assert found(lambda x: 1 / (x - 1.7), 0.5, 4) == []


def test_a_pole_on_the_grid_hides_no_root() -> None:
    with np.errstate(divide="ignore", over="ignore"):
        assert values(lambda x: 1 / x - 2, -1, 1) == pytest.approx([0.5])
        assert values(lambda x: 1 / x - 2, 0, 1e300) == pytest.approx([0.5])
        assert found(lambda x: 1 / x, -1, 1) == []


def test_of_a_stretch_of_zeros_both_ends_are_told() -> None:
    got = values(lambda x: np.maximum(x - 2, 0) - np.maximum(1 - x, 0), 0.5, 4)
    assert got == pytest.approx([1.0, 2.0])


def test_what_comes_near_is_no_root() -> None:
    assert found(lambda x: np.abs(x - 2) + 1e-6, 0.5, 4) == []


def test_undefined_points_are_passed_over() -> None:
    got = values(lambda x: np.where(x > 2, np.nan, x - 1.5), 0.5, 4)
    assert got == pytest.approx([1.5])


def test_rows_are_looked_at_side_by_side() -> None:
    levels = np.array([1.0, 2.0, 3.0])
    got = roots(lambda x, row: x**2 - levels[row], 0.5, 4, rows=3)
    assert [r.row for r in got] == [0, 1, 2]
    assert [r.value for r in got] == pytest.approx(np.sqrt(levels))


TWO = """
chip slow {{
  power = 500 W @assumed "a test"
  price = 5_000 $ @assumed "a test"
  memory.bandwidth = 2 TB/s @assumed "a test"
}}
chip quick {{
  power = 1500 W @assumed "a test"
  price = 9_000 $ @assumed "a test"
  memory.bandwidth = 5 TB/s @assumed "a test"
}}
system pod {{
  chip = slow
}}
system pod_2 {{
  chip = quick
}}
site here {{
  electricity = 0.1 $/kWh @assumed "a test"
}}
scenario one {{
  system = pod
  site = here
  let cost := {cost}
}}
scenario two extends one {{
  system = pod_2
}}
"""
COST = "chip.price + chip.power * 4 year * site.electricity"


def solved(
    evaluated: Evaluated, text: str, path: str, cost: str = COST, **range_: float
) -> BreakEven:
    evaluation = evaluated(TWO.format(cost=cost))
    both = sides(evaluation, text)
    assert both is not None, evaluation.diagnostics
    vary = varied(evaluation, both, path, **range_)
    assert vary is not None
    return breakeven(evaluation, both, vary, closed=True)


def test_what_never_meets_has_no_crossing(evaluated: Evaluated) -> None:
    # The quick one costs more to buy and to run.
    out = solved(evaluated, "one.cost = two.cost", "here.electricity")
    assert out.left < out.right
    assert out.crossings == ()
    assert out.closed == ()


def test_a_threshold_is_met(evaluated: Evaluated) -> None:
    out = solved(evaluated, "one.cost = 6_000 $/chip", "here.electricity")
    (crossing,) = out.crossings
    assert crossing.value * 3.6e6 == pytest.approx(1000 / (0.5 * 4 * 8760))
    assert crossing.metric == pytest.approx(6000)
    assert (crossing.kind, crossing.less_above) == ("root", "right")


def test_the_closed_form_gives_the_crossing(evaluated: Evaluated) -> None:
    out = solved(evaluated, "one.cost = 6_000 $/chip", "here.electricity")
    (form,) = out.closed
    assert evaluate(form.expr, form.values) == pytest.approx(out.crossings[0].value)
    assert set(form.values) <= {"slow.price", "slow.power"}
    assert "slow.power" in show(form.expr)


def test_all_of_several_crossings(evaluated: Evaluated) -> None:
    cost = (
        "chip.price * max(up = chip.power / 500 W/chip, down = 500 W/chip / chip.power)"
        " + chip.price * ceil(chip.power / 2_000 W/chip)"
    )
    out = solved(evaluated, "one.cost = 20_000 $/chip", "slow.power", cost)
    # Down to a third of the power, up to three times it, on the first step.
    assert [c.value for c in out.crossings] == pytest.approx([500 / 3, 1500.0])
    assert [c.less_above for c in out.crossings] == ["left", "right"]
    assert len(out.closed) == 2


def test_a_step_across_is_told_as_one(evaluated: Evaluated) -> None:
    cost = "chip.price * ceil(chip.power / 400 W/chip)"
    out = solved(evaluated, "one.cost = 12_000 $/chip", "slow.power", cost)
    (crossing,) = out.crossings
    assert crossing.kind == "jump"
    assert crossing.value == pytest.approx(800, rel=1e-8)


def test_an_input_may_be_named_by_a_scenario_s_role(evaluated: Evaluated) -> None:
    out = solved(evaluated, "one.cost = two.cost", "two.chip.price")
    assert out.varied.value == 9000
    (crossing,) = out.crossings
    assert crossing.value == pytest.approx(5000 - 1000 * 4 * 8760 * 0.1 / 1000)


def test_a_range_may_be_given(evaluated: Evaluated) -> None:
    text = "one.cost = 6_000 $/chip"
    out = solved(evaluated, text, "here.electricity", low=1e-9, high=2e-9)
    assert out.crossings == ()


@pytest.mark.parametrize(
    "text",
    ["one.cost", "one.cost = 3 s", "one.cost = nothing.cost", "one.cost = = 3 $"],
)
def test_what_is_no_equation_is_reported(evaluated: Evaluated, text: str) -> None:
    evaluation = evaluated(TWO.format(cost=COST))
    assert sides(evaluation, text) is None
    assert evaluation.diagnostics


def test_an_unknown_input_is_reported(evaluated: Evaluated) -> None:
    evaluation = evaluated(TWO.format(cost=COST))
    both = sides(evaluation, "one.cost = two.cost")
    assert both is not None
    assert varied(evaluation, both, "here.electricty") is None
    (diagnostic,) = evaluation.diagnostics
    assert "here.electricity" in str(diagnostic)
    assert varied(evaluation, both, "chip.price") is None  # two chips, two prices


def test_a_curve_over_two_inputs(evaluated: Evaluated) -> None:
    evaluation = evaluated(TWO.format(cost=COST))
    both = sides(evaluation, "one.cost = two.cost")
    assert both is not None
    first = varied(evaluation, both, "two.chip.price", 100.0, 9000.0)
    second = varied(evaluation, both, "here.electricity", 1e-9, 5e-8)
    assert isinstance(first, Varied)
    assert isinstance(second, Varied)
    out = curve(evaluation, both, first, second)
    assert len(out.points) > 50
    for price, electricity in out.points:
        assert price == pytest.approx(5000 - 1000 * 4 * 8760 * 3600 * electricity)


def test_a_step_that_begins_where_the_sides_meet_is_one_crossing(
    evaluated: Evaluated,
) -> None:
    """x² - 5x + 5 against ceil x: met at 1, touched at 5, crossed between 5 and 6."""
    evaluation = evaluated(STEPS)
    both = sides(evaluation, "one.curve = one.steps")
    assert both is not None
    vary = varied(evaluation, both, "one.x", 0.5, 9)
    assert vary is not None
    got = breakeven(evaluation, both, vary).crossings
    assert [one.kind for one in got] == ["root", "touch", "root"]
    assert [one.value for one in got] == pytest.approx([1, 5, (5 + 29**0.5) / 2])
    assert [one.less_above for one in got] == ["left", "left", "right"]


def test_both_arms_of_a_curve(evaluated: Evaluated) -> None:
    """(x - 1)(x - 4) + 1 = y: two roots in x all along, and a number that is met."""
    evaluation = evaluated(STEPS)
    both = sides(evaluation, "one.curve = one.y")
    assert both is not None
    first = varied(evaluation, both, "one.x", 0, 6)
    second = varied(evaluation, both, "one.y", 1, 3)
    assert first is not None
    assert second is not None
    points = curve(evaluation, both, first, second).points
    assert len(points) == 2 * 65
    for x, y in points:
        assert x**2 - 5 * x + 5 == pytest.approx(y)
    met = breakeven(evaluation, both, first).crossings
    assert [one.metric for one in met] == [1, 1]


STEPS = """
scenario one {
  let x = 2 @assumed "a test"
  let y = 1 @assumed "a test"
  let steps := ceil(x)
  let curve := x * x - 5 * x + 5
}
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("3 * x - a", ["a / 3"]),
        ("a / x - b", ["a / b"]),
        ("a * x ^ b - 1", []),
        ("x ^ 2 - a ^ 2", ["a"]),
        ("a / x ^ 0.5 - b", ["a ^ 2 / b ^ 2"]),
    ],
)
def test_equations_are_solved(text: str, wanted: list[str]) -> None:
    from isocost.dsl.expr import symbol
    from isocost.dsl.parser import parse
    from isocost.engine.printers.text import show

    item = parse(f"edition 2026\nlet it := {text}\n", "a.scn").items[1]
    tree = item.value.map(  # type: ignore[union-attr]
        lambda e: symbol(str(e.value)) if e.op == "path" else e
    )
    got = solve(tree, "x", ["a", "b"])
    assert not any("1 * " in show(expr) for expr in got)
    at = {"a": 3.0, "b": 2.0}
    numbers = {evaluate(expr, at) for expr in got}
    for one in wanted:
        value = {"a / 3": 1.0, "a / b": 1.5, "a": 3.0, "a ^ 2 / b ^ 2": 2.25}[one]
        assert any(math.isclose(value, n) for n in numbers)
