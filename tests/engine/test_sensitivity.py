"""Sensitivities against models small enough to work out by hand."""

from collections.abc import Callable

import pytest

from isocost.engine.evaluate import Evaluation
from isocost.engine.interactions import interactions
from isocost.engine.regimes import Turn
from isocost.engine.sensitivity import Influence, Sensitivity, sensitivity

Evaluated = Callable[..., Evaluation]

POD = """
source sheet "A data sheet" {{
  date = 2024-01-01
  url = "https://example.org"
  kind = vendor
}}
chip slow {{
  power = 500 W ± 10% @sheet "page 2"
  memory.bandwidth = 2 TB/s @sheet
  price = 4_000 $ to 9_000 $ @assumed "a test"
  peak[bf16] = {peak} @sheet
}}
system pod {{
  chip = slow
  chips = {chips} @sheet
}}
scenario one {{
  system = pod
  let cost := {cost}
}}
"""
ROOF = "max(memory = 1 TB / chip.memory.bandwidth, compute = 1 PFLOP / chip.peak[bf16])"


def found(
    evaluated: Evaluated, cost: str, peak: str = "1 PFLOP/s", chips: str = "16 chip"
) -> Sensitivity:
    text = POD.format(cost=cost, peak=peak, chips=chips)
    out = sensitivity(evaluated(text), "one", "cost")
    assert out is not None
    return out


def turn(one: Turn | None) -> Turn:
    assert one is not None
    return one


def test_derivative_elasticity_and_swing(evaluated: Evaluated) -> None:
    out = found(evaluated, "chip.price * chip.power ^ 2 / system.chips")
    price, power = out.of("chip.price"), out.of("chip.power")
    assert out.value == pytest.approx(6000 * 500**2 / 16)
    assert price.derivative == pytest.approx(500**2 / 16)
    assert price.elasticity == pytest.approx(1.0)
    assert power.elasticity == pytest.approx(2.0)
    assert (price.low, price.high) == pytest.approx((4000, 9000))
    assert price.at_low == pytest.approx(4000 * 500**2 / 16)
    assert price.swing == pytest.approx(5000 * 500**2 / 16)
    assert (power.low, power.high) == pytest.approx((450, 550))
    assert power.swing == pytest.approx(6000 * (550**2 - 450**2) / 16)


def test_the_largest_swing_comes_first(evaluated: Evaluated) -> None:
    out = found(evaluated, "chip.price * chip.power / chip.memory.bandwidth")
    assert [i.path for i in out.inputs] == [
        "chip.price",
        "chip.power",
        "chip.memory.bandwidth",
    ]
    assert out.inputs[2].swing == 0.0
    assert out.inputs[2].low == out.inputs[2].high == 2e12


def test_sources_come_along(evaluated: Evaluated) -> None:
    out = found(evaluated, "chip.price * chip.power")
    (cite,) = out.of("chip.power").cites
    assert (cite.key, cite.locator) == ("sheet", "page 2")
    assert not out.of("chip.power").assumed
    assert out.of("chip.price").assumed
    assert out.of("slow.price").path == "chip.price"
    with pytest.raises(KeyError):
        out.of("chip.peak[bf16]")


def test_whole_numbers_move_in_steps(evaluated: Evaluated) -> None:
    chips = found(evaluated, "chip.price / system.chips").of("system.chips")
    assert chips.derivative is None
    assert chips.elasticity is None
    assert [step.to for step in chips.steps] == [15.0, 17.0]
    assert chips.steps[0].change == pytest.approx(6000 / 15 - 6000 / 16)


def test_choices_step_to_their_neighbours(evaluated: Evaluated) -> None:
    text = POD.format(
        cost="chip.price * system.chips",
        peak="1 PFLOP/s",
        chips="{16 chip, 4 chip, 64 chip}",
    )
    settled = text.replace("  let cost", "  objective = cost\n  let cost")
    out = sensitivity(evaluated(settled), "one", "cost")
    assert out is not None
    assert [step.to for step in out.of("system.chips").steps] == [16.0]


def test_a_choice_with_nothing_to_choose_it_by_has_no_value(
    evaluated: Evaluated,
) -> None:
    text = POD.format(
        cost="chip.price * system.chips",
        peak="1 PFLOP/s",
        chips="{16 chip, 4 chip, 64 chip}",
    )
    evaluation = evaluated(text)
    assert sensitivity(evaluation, "one", "cost") is None
    (told,) = evaluation.diagnostics
    assert (told.code, told.args["name"]) == ("M006", "pod.chips")


def test_the_binding_branch_and_the_way_to_the_next(evaluated: Evaluated) -> None:
    out = found(evaluated, ROOF, peak="4 PFLOP/s")
    assert out.branches == {"one.cost": "memory"}
    memory = out.of("chip.memory.bandwidth")
    ahead = turn(memory.up)
    assert ahead.factor == pytest.approx(2.0, rel=1e-9)
    assert (ahead.before, ahead.after) == ("memory", "compute")
    assert memory.down is None
    assert memory.elasticity == pytest.approx(-1.0)


def test_an_input_off_the_binding_branch_is_told_where_it_binds(
    evaluated: Evaluated,
) -> None:
    peak = found(evaluated, ROOF, peak="4 PFLOP/s").of("chip.peak[bf16]")
    assert peak.derivative == 0.0
    assert turn(peak.down).factor == pytest.approx(0.5, rel=1e-9)
    assert turn(peak.down).after == "compute"


def test_one_sided_derivatives_at_a_kink(evaluated: Evaluated) -> None:
    at = found(evaluated, ROOF, peak="2 PFLOP/s").of("chip.memory.bandwidth")
    assert at.left == pytest.approx(-1e12 / 2e12**2, rel=1e-6)
    assert at.right == 0.0
    away = found(evaluated, ROOF, peak="4 PFLOP/s").of("chip.memory.bandwidth")
    assert away.left is None
    assert away.right is None


def test_conditions_turn_too(evaluated: Evaluated) -> None:
    cost = "if chip.power > 400 W/chip then chip.price else chip.price / 2"
    power = found(evaluated, cost).of("chip.power")
    assert turn(power.down).factor == pytest.approx(0.8, rel=1e-9)
    assert power.derivative == 0.0
    assert power.swing == 0.0


def test_branches_that_do_not_matter_are_left_out(evaluated: Evaluated) -> None:
    inner = "max(low = chip.power, floor = 490 W/chip) / 1 W/chip * 1 $/chip"
    out = found(evaluated, f"max(chip.price, {inner})")
    power = next(i for i in out.inputs if i.path == "chip.power")
    assert power.down is None
    assert turn(power.up).factor == pytest.approx(12.0, rel=1e-6)


def test_steps_of_ceil_are_no_branches(evaluated: Evaluated) -> None:
    out = found(evaluated, "ceil(chip.power / 3 W/chip) * chip.price")
    assert out.of("chip.power").up is None
    assert out.of("chip.power").derivative == 0.0
    assert out.of("chip.power").swing > 0


def test_the_edge_of_a_step_is_told(evaluated: Evaluated) -> None:
    power = found(evaluated, "ceil(chip.power / 250 W/chip) * chip.price").of(
        "chip.power"
    )
    assert power.jump_down == 0.0
    assert power.jump_up == pytest.approx(6000)
    floor = found(evaluated, "floor(chip.power / 250 W/chip) * chip.price")
    assert floor.of("chip.power").jump_down == pytest.approx(-6000)
    assert floor.of("chip.power").jump_up == 0.0
    assert floor.of("chip.price").jump_up == 0.0


@pytest.mark.parametrize(
    ("cost", "below", "above"),
    [
        ("(if chip.power > 500 W/chip then 2 else 1) * chip.price", 0.0, 6000),
        ("(if chip.power < 500 W/chip then 2 else 1) * chip.price", 6000, 0.0),
        # A thousandth of what is rounded, and a product of others as it is.
        ("ceil((chip.power + 249_500 W/chip) / 250 kW/chip) * chip.price", 0.0, 6000),
        # Steep, with an elasticity of 500, and no step.
        ("chip.price / (1.002 - chip.power / 500 W/chip)", 0.0, 0.0),
        # A kink is no step.
        ("max(chip.power / 500 W/chip, 1) ^ 9 * chip.price", 0.0, 0.0),
    ],
)
def test_a_jump_of_any_kind_has_no_derivative(
    evaluated: Evaluated, cost: str, below: float, above: float
) -> None:
    one = found(evaluated, cost).of("chip.power")
    assert one.jump_down == pytest.approx(below, rel=1e-6)
    assert one.jump_up == pytest.approx(above, rel=1e-6)
    assert (one.derivative is None) is (one.elasticity is None) is one.jumps
    assert one.jumps is bool(below or above)


def test_a_metric_that_cannot_be_had_is_reported(evaluated: Evaluated) -> None:
    evaluation = evaluated(
        POD.format(cost="chip.power", peak="1 PFLOP/s", chips="4 chip")
    )
    assert sensitivity(evaluation, "one", "cost.per_Mtoken") is None
    assert evaluation.diagnostics


def test_every_influence_is_of_plain_numbers(evaluated: Evaluated) -> None:
    for one in found(evaluated, ROOF, peak="2 PFLOP/s").inputs:
        assert isinstance(one, Influence)
        for name in ("value", "low", "high", "at_low", "at_high", "swing", "scale"):
            assert type(getattr(one, name)) is float, name


def test_factors_interact_and_terms_do_not(evaluated: Evaluated) -> None:
    for cost, effect in (
        ("chip.price * chip.power", 5000.0 * 100),
        ("chip.price + chip.power * 3 $/W", 0.0),
    ):
        text = POD.format(cost=cost, peak="1 PFLOP/s", chips="16 chip")
        evaluation = evaluated(text)
        out = sensitivity(evaluation, "one", "cost")
        assert out is not None
        (one,) = interactions(evaluation, out)
        assert {one.first, one.second} == {"chip.price", "chip.power"}
        assert one.effect == pytest.approx(effect, abs=1e-6)
        assert one.share == pytest.approx(one.effect / out.inputs[0].swing, abs=1e-9)


def test_a_single_influence_interacts_with_nothing(evaluated: Evaluated) -> None:
    text = POD.format(cost="chip.price * 2", peak="1 PFLOP/s", chips="16 chip")
    evaluation = evaluated(text)
    out = sensitivity(evaluation, "one", "cost")
    assert out is not None
    assert interactions(evaluation, out) == ()
