"""Attribution: adds up, is fair, and names inputs, formulas, blocks and choices."""

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.engine.attribution import (
    Attribution,
    attribute,
    by_blocks,
    by_orders,
    exact,
    side,
)
from isocost.engine.evaluate import Evaluation
from isocost.engine.union import Side

Evaluated = Callable[..., Evaluation]

POD = """
chip slow {{
  power = {power} @assumed "a test"
  price = {price} @assumed "a test"
  memory.bandwidth = {bandwidth} @assumed "a test"
}}
chip quick {{
  power = 700 W @assumed "a test"
  price = 9_000 $ @assumed "a test"
  memory.bandwidth = 5 TB/s @assumed "a test"
}}
system pod {{
  chip = {chip}
  chips = {chips} @assumed "a test"
}}
scenario one {{
  system = pod
  objective = rate
  let rate := {rate}
  let cost := {cost}
}}
"""
PLAIN = {
    "power": "500 W",
    "price": "5_000 $",
    "bandwidth": "2 TB/s",
    "chip": "slow",
    "chips": "16 chip",
    "rate": "1 TB/s / chip.memory.bandwidth",
    "cost": "chip.price * chip.power * system.chips / chip.memory.bandwidth",
}


def one(evaluated: Evaluated, **changes: str) -> Side:
    found = side(evaluated(POD.format(**{**PLAIN, **changes})), "one", "cost")
    assert found is not None
    return found


def effects(found: Attribution) -> dict[tuple[str, str], float]:
    return {(c.change.path, c.change.aspect): c.effect for c in found.causes}


def adds_up(found: Attribution) -> bool:
    parts = math.fsum(cause.effect for cause in found.causes)
    return math.isclose(parts, found.delta, rel_tol=1e-9, abs_tol=1e-30)


def test_nothing_changed(evaluated: Evaluated) -> None:
    found = attribute(one(evaluated), one(evaluated))
    assert found.causes == ()
    assert found.delta == 0
    assert found.old == 5000 * 500 * 16 / 2e12


def test_one_change_causes_all_of_it(evaluated: Evaluated) -> None:
    found = attribute(one(evaluated), one(evaluated, price="6_000 $"))
    assert effects(found) == {("chip.price", "input"): pytest.approx(found.delta)}
    (cause,) = found.causes
    assert (cause.change.old, cause.change.new) == (5000.0, 6000.0)


def test_two_factors_share_what_they_do_together(evaluated: Evaluated) -> None:
    changes = {"price": "10_000 $", "power": "1500 W"}
    found = attribute(one(evaluated), one(evaluated, **changes))
    base = found.old
    assert effects(found) == {
        ("chip.price", "input"): pytest.approx(2 * base),  # 1 alone, 3 after the other
        ("chip.power", "input"): pytest.approx(3 * base),
    }
    assert adds_up(found)


def test_units_and_spelling_are_no_changes(evaluated: Evaluated) -> None:
    changes = {"power": "0.5 kW", "bandwidth": "2000 GB/s"}
    assert attribute(one(evaluated), one(evaluated, **changes)).causes == ()


def test_the_spelling_of_a_formula_has_no_effect(evaluated: Evaluated) -> None:
    cost = "1 / (chip.memory.bandwidth / chip.price / chip.power / system.chips)"
    found = attribute(one(evaluated), one(evaluated, cost=cost, price="6_000 $"))
    got = effects(found)
    assert got["cost", "formula"] == pytest.approx(0, abs=1e-12)
    assert got["chip.price", "input"] == pytest.approx(found.delta)


def test_a_changed_formula_is_a_cause_beside_its_inputs(evaluated: Evaluated) -> None:
    cost = "2 * chip.price * chip.power * system.chips / chip.memory.bandwidth"
    found = attribute(one(evaluated), one(evaluated, cost=cost, price="10_000 $"))
    got = effects(found)
    assert got == {
        ("cost", "formula"): pytest.approx(1.5 * found.old),
        ("chip.price", "input"): pytest.approx(1.5 * found.old),
    }


def test_a_value_that_became_a_formula_is_a_formula_s_change(
    evaluated: Evaluated,
) -> None:
    text = POD.replace("price = {price}", "price := {price}", 1)
    for rate, delta in (("10 $/W", 0.0), ("12 $/W", 0.2)):
        new = evaluated(text.format(**{**PLAIN, "price": f"{rate} * power"}))
        there = side(new, "one", "cost")
        assert there is not None
        found = attribute(one(evaluated), there)
        wanted = pytest.approx(delta * found.old, abs=1e-12)
        assert effects(found) == {("chip.price", "formula"): wanted}


def test_a_swapped_block_is_one_cause(evaluated: Evaluated) -> None:
    found = attribute(one(evaluated), one(evaluated, chip="quick", chips="8 chip"))
    assert effects(found).keys() == {("quick", "block"), ("system.chips", "input")}
    assert adds_up(found)


def test_a_moved_choice_is_a_cause_of_its_own(evaluated: Evaluated) -> None:
    chips = "{8 chip, 16 chip, 32 chip}"
    rate = "abs(system.chips / 1 chip/system - chip.power / 50 W/chip) + 1"
    old = one(evaluated, chips=chips, rate=rate)
    new = one(evaluated, chips=chips, rate=rate, power="1600 W")
    found = attribute(old, new)
    got = effects(found)
    assert got.keys() == {("system.chips", "choice"), ("chip.power", "input")}
    assert adds_up(found)


def test_steps_lose_nothing(evaluated: Evaluated) -> None:
    cost = "ceil(chip.power / 300 W/chip) * ceil(chip.price / 3_000 $/chip)"
    old = one(evaluated, cost=cost)
    new = one(evaluated, cost=cost, power="1000 W", price="20_000 $")
    found = attribute(old, new)
    assert (found.old, found.new) == (4.0, 28.0)
    assert adds_up(found)


def test_scenarios_of_one_document_compare(evaluated: Evaluated) -> None:
    more = POD + "scenario two extends one {{\n  chip.power = 900 W\n}}\n"
    evaluation = evaluated(more.format(**PLAIN))
    sides = [side(evaluation, name, "cost") for name in ("one", "two")]
    old, new = (found for found in sides if found is not None)
    assert effects(attribute(old, new)).keys() == {("chip.power", "input")}


def test_an_undefined_coalition_is_counted(evaluated: Evaluated) -> None:
    cost = "chip.price / sqrt(chip.power / 400 W/chip - system.chips / 16 chip)"
    old = one(evaluated, cost=cost.replace("16 chip", "16 chip/system"))
    new = one(
        evaluated,
        cost=cost.replace("16 chip", "16 chip/system"),
        power="2000 W",
        chips="32 chip",
    )
    found = attribute(old, new)
    assert found.undefined == 0.25
    assert adds_up(found)


# The games by themselves.


def game(seed: int, count: int) -> Callable[[Any], Any]:
    """A function of switches with pairs that interact, and steps."""
    rng = np.random.default_rng(seed)
    alone, pairs = rng.normal(size=count), rng.normal(size=(count, count)) / count

    def value(table: Any) -> Any:
        on = table * 1.0
        return on @ alone + np.ceil(((on @ pairs) * on).sum(axis=1) * 4) / 4

    return value


def brute(value: Callable[[Any], Any], count: int) -> list[float]:
    """Shapley values from every order."""
    sums = [0.0] * count
    for order in itertools.permutations(range(count)):
        on = np.zeros((1, count), bool)
        before = value(on)[0]
        for member in order:
            on[0, member] = True
            after = value(on)[0]
            sums[member] += after - before
            before = after
    return [total / math.factorial(count) for total in sums]


@given(st.integers(0, 1000), st.integers(1, 5))
def test_exact_values_are_the_mean_over_all_orders(seed: int, count: int) -> None:
    value = game(seed, count)
    found, errors = exact(value, count)
    assert list(found) == pytest.approx(brute(value, count), abs=1e-9)
    assert list(errors) == [0.0] * count


@pytest.mark.parametrize("count", [2, 6, 16])
def test_exact_values_add_up(count: int) -> None:
    value = game(7, count)
    found, _ = exact(value, count)
    ends = value(np.array([[False] * count, [True] * count]))
    assert math.fsum(found) == pytest.approx(ends[1] - ends[0], rel=1e-9)


def test_blocks_of_one_are_plain_values() -> None:
    value = game(3, 5)
    found, _ = by_blocks(value, [[i] for i in range(5)])
    assert list(found) == pytest.approx(list(exact(value, 5)[0]))


def test_blocks_add_up_and_give_a_block_its_own_value() -> None:
    value = game(5, 6)
    found, _ = by_blocks(value, [[0, 1, 2], [3], [4, 5]])

    def outer(table: Any) -> Any:
        return value(table[:, [0, 0, 0, 1, 2, 2]])

    blocks, _ = exact(outer, 3)
    sums = [sum(found[:3]), found[3], sum(found[4:])]
    assert sums == pytest.approx(list(blocks))


def test_orders_come_near_and_know_how_near() -> None:
    value = game(11, 10)
    wanted, _ = exact(value, 10)
    found, errors = by_orders(value, 10, seed=1)
    assert sum(found) == pytest.approx(sum(wanted), rel=1e-9)
    off = [
        abs(a - b) / e for a, b, e in zip(found, wanted, errors, strict=True) if e > 0
    ]
    assert max(off) < 4
    assert by_orders(value, 10, seed=1) == (found, errors)
    assert by_orders(value, 10, seed=2) != (found, errors)


def many(count: int, changed: bool) -> str:
    """A document whose cost is a product of many inputs over some blocks."""
    rng = random.Random(count)
    lines = []
    for i in range(count):
        value = 1 + i % 7 + (rng.random() if changed else 0)
        lines.append(f"chip c{i} {{\n  power = {value} W\n}}")
    ceils = " + ".join(f"ceil(c{i}.power * 3 /W)" for i in range(count))
    return "\n".join([*lines, "scenario one {", f"  let cost := {ceils}", "}"])


@pytest.mark.parametrize(("count", "method"), [(12, "exact"), (40, "orders")])
def test_many_changes_add_up(evaluated: Evaluated, count: int, method: str) -> None:
    sides = [side(evaluated(many(count, c)), "one", "cost") for c in (False, True)]
    old, new = (found for found in sides if found is not None)
    found = attribute(old, new)
    assert found.method == method
    assert adds_up(found)


def blocks(*, changed: bool) -> str:
    """Three blocks of seven inputs each; the cost rounds up in every block."""
    lines, terms = [], []
    for block in range(3):
        lets = [
            f'  let v{i} = {1 + i + (0.3 * (i + block) if changed else 0)} @assumed "a"'
            for i in range(7)
        ]
        lines.append("\n".join([f"chip c{block} {{", *lets, "}"]))
        terms.append(f"ceil({' * '.join(f'c{block}.v{i}' for i in range(7))} / 7)")
    cost = f"scenario one {{\n  let cost := {' * '.join(terms)}\n}}"
    return "\n".join([*lines, cost])


def test_changes_of_few_blocks_are_attributed_by_block(evaluated: Evaluated) -> None:
    made = [evaluated(blocks(changed=c)) for c in (False, True)]
    sides = [side(evaluation, "one", "cost") for evaluation in made]
    old, new = (found for found in sides if found is not None)
    found = attribute(old, new)
    assert found.method == "blocks"
    assert len(found.causes) == 20  # the first of the first block did not change
    assert all(cause.error == 0 for cause in found.causes)
    assert adds_up(found)
