"""Choices: the cheapest admissible one, ties to the smaller, the excluded counted."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.engine.choices import (
    Constraint,
    admissible,
    batch_sizes,
    divisors,
    least,
    options_of,
    steps_of,
)
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Input

Evaluated = Callable[..., Evaluation]

POD = """
chip slow {{
  power = {{100 W, 200 W, 400 W}}
  price = 4_000 $ to 6_000 $ @assumed "a test"
}}
system pod {{
  chip = slow
  chips = {{2 chip, 4 chip, 8 chip}}
}}
scenario one {{
  system = pod
  objective = cost
  let cost := {cost}
}}
"""


def settled(evaluated: Evaluated, cost: str) -> tuple[dict[str, float], Evaluation]:
    """The settled values by origin."""
    evaluation = evaluated(POD.format(cost=cost))
    found = evaluation.settled("one")
    graph = evaluation.graph
    names = {n: graph.nodes[n].what.origin for n in found.values}  # type: ignore[union-attr]
    return {names[n]: v for n, v in found.values.items()}, evaluation


def test_the_objective_is_made_small(evaluated: Evaluated) -> None:
    found, evaluation = settled(evaluated, "chip.price * chip.power / system.chips")
    assert found == {"one:slow.power": 100.0, "one:pod.chips": 8.0}
    outcome = evaluation.settled("one")
    assert (outcome.tried, outcome.admissible, outcome.excluded) == (9, 9, {})


def test_the_runner_up_and_its_gap_are_named(evaluated: Evaluated) -> None:
    _, evaluation = settled(evaluated, "chip.power * (64 chip/system + system.chips)")
    outcome = evaluation.settled("one")
    assert sorted(outcome.runner_up.values()) == [4.0, 100.0]
    assert outcome.gap == pytest.approx((1 + 4 / 64) / (1 + 2 / 64) - 1)


@pytest.mark.parametrize(
    "cost",
    [
        "chip.price + 0 * chip.power * 1 $/W + 0 * system.chips * 1 $/chip",
        "chip.price * (system.chips / 7 chip) / (system.chips / 3 chip)",
    ],
)
def test_ties_go_to_the_smaller(evaluated: Evaluated, cost: str) -> None:
    found, _ = settled(evaluated, cost)
    assert found.get("one:slow.power", 100.0) == 100.0
    assert found["one:pod.chips"] == 2.0


def test_a_choice_stays_fixed_in_the_draws(evaluated: Evaluated) -> None:
    _, evaluation = settled(evaluated, "chip.price * chip.power / system.chips")
    node = evaluation.node("one", "chip.power")
    assert node is not None
    (column,) = evaluation.columns([node])
    assert set(column.tolist()) == {100.0}


def test_a_choice_is_its_scenario_s_own(evaluated: Evaluated) -> None:
    more = "scenario two extends one {{\n  let cost := chip.power * system.chips\n}}\n"
    text = POD + more
    evaluation = evaluated(text.format(cost="chip.price / chip.power / system.chips"))
    one, two = (sorted(evaluation.settled(s).values.values()) for s in ("one", "two"))
    assert one == [8.0, 400.0]
    assert two == [2.0, 100.0]


def test_an_undefined_objective_is_never_taken(evaluated: Evaluated) -> None:
    found, _ = settled(evaluated, "chip.price * sqrt(chip.power / 1 W/chip - 150)")
    assert found["one:slow.power"] == 200.0


def test_steps_are_the_neighbours(evaluated: Evaluated) -> None:
    _, evaluation = settled(evaluated, "chip.price * chip.power / system.chips")
    scope = evaluation.scope("one")
    what = evaluation.graph.nodes[scope["chip.power"]].what
    assert isinstance(what, Input)
    assert options_of(scope, what) == (100.0, 200.0, 400.0)
    assert steps_of(scope, what, 200.0) == (100.0, 400.0)
    assert steps_of(scope, what, 100.0) == (200.0,)


def test_broken_limits_are_counted_once_by_the_first_that_breaks() -> None:
    limits = [Constraint("memory", 0, low=1.0), Constraint("slo", 1, high=2.0)]
    values = [np.array([0.0, 1.0, 1.0, np.nan]), np.array([9.0, 9.0, 2.0, 1.0])]
    good, excluded = admissible(limits, values, 4)
    assert good.tolist() == [False, False, True, False]
    assert excluded == {"memory": 2, "slo": 1}


def test_no_limits_admit_everything() -> None:
    good, excluded = admissible([], [], 3)
    assert good.tolist() == [True] * 3
    assert not excluded


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_least_takes_the_first_of_equal_scores(scores: list[int]) -> None:
    score = np.array(scores, float)
    grid = np.arange(len(scores), dtype=float)[:, None]
    assert least(score, grid) == scores.index(min(scores))


@given(st.integers(1, 20_000))
def test_batch_sizes_ascend_to_the_most(most: int) -> None:
    sizes = batch_sizes(most)
    assert list(sizes) == sorted(set(sizes))
    assert sizes[0] == 1
    assert sizes[-1] == most


@given(st.integers(1, 500))
def test_divisors_divide(n: int) -> None:
    found = divisors(n)
    assert found[0] == 1
    assert found[-1] == n
    assert all(n % d == 0 for d in found)
