"""The search: nothing admissible is missed, nothing beaten is on the front."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isocost.engine import search as module
from isocost.engine.evaluate import Evaluation
from isocost.engine.pareto import front
from isocost.engine.search import Found, search
from isocost.engine.steady import steadiness

Evaluated = Callable[..., Evaluation]
STUDY = Path(__file__).with_name("trainium2.scn").read_text(encoding="utf-8")

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
  let heat := chip.power * system.chips
}}
"""


def found(evaluated: Evaluated, cost: str, goals: dict[str, int], *names: str) -> Found:
    out = search(evaluated(POD.format(cost=cost)), names or ("one",), goals)
    assert out is not None
    return out


@given(
    hnp.arrays(
        float,
        st.tuples(st.integers(1, 40), st.integers(1, 4)),
        elements=st.integers(0, 4).map(float),
    )
)
def test_the_front_is_what_nothing_beats(scores: np.ndarray) -> None:
    kept = front(scores)
    unique = {tuple(row) for row in scores}

    def beaten(row: tuple[float, ...]) -> bool:
        return any(
            all(a <= b for a, b in zip(other, row, strict=True)) and other != row
            for other in unique
        )

    assert sorted(tuple(scores[i]) for i in kept) == sorted(
        row for row in unique if not beaten(row)
    )


def test_rounding_noise_beats_nobody() -> None:
    scores = np.array([[1.0, 2.0], [1.0 + 1e-13, 2.0 - 1e-13], [2.0, 1.0]])
    assert len(front(scores)) == 2


def test_a_front_of_two_goals(evaluated: Evaluated) -> None:
    out = found(evaluated, "chip.price / chip.power", {"cost": 1, "heat": 1})
    assert (out.tried, out.admissible, out.excluded) == (9, 9, {})
    # More power costs less; more chips only add heat.
    assert [p.choices["system.chips"] for p in out.front] == [2.0] * 3
    assert [p.choices["chip.power"] for p in out.front] == [400.0, 200.0, 100.0]
    assert out.best is not None
    assert out.best.goals["heat"] == 800.0


def test_a_goal_may_be_made_large(evaluated: Evaluated) -> None:
    out = found(evaluated, "chip.price", {"heat": -1})
    (plan,) = out.front
    assert plan.choices == {"chip.power": 400.0, "system.chips": 8.0}
    assert plan.goals == {"heat": 3200.0}


def test_near_ones_are_told_though_they_are_beaten(evaluated: Evaluated) -> None:
    cost = "chip.price * (1 + system.chips / 400 chip/system) * chip.power"
    out = found(evaluated, cost, {"cost": 1})
    assert len(out.front) == 1
    assert [plan.choices["system.chips"] for plan in out.near] == [4.0, 8.0]


def test_batches_join_to_the_same_front(
    evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch
) -> None:
    cost = "chip.price / chip.power + chip.price / system.chips * 1 chip^2/system/W"
    goals = {"cost": 1, "heat": 1}
    whole = found(evaluated, cost, goals)
    monkeypatch.setattr(module, "BATCH", 2)
    seen: list[tuple[int, int]] = []
    evaluation = evaluated(POD.format(cost=cost))
    parts = search(evaluation, ["one"], goals, lambda a, b: seen.append((a, b)))
    assert parts == whole
    assert seen[-1] == (9, 9)
    assert len(seen) == 5


def test_what_cannot_be_had_is_reported(evaluated: Evaluated) -> None:
    evaluation = evaluated(POD.format(cost="chip.price"))
    assert search(evaluation, ["one"], {"cost.train": 1}) is None
    assert evaluation.diagnostics


@pytest.fixture
def study(evaluated: Evaluated) -> Evaluation:
    return evaluated(STUDY.removeprefix("edition 2026\n"))


def test_scenarios_join_one_front(study: Evaluation) -> None:
    names = [block.name for block in study.document.scenarios]
    out = search(study, names)
    assert out is not None
    assert out.tried == out.admissible + sum(out.excluded.values())
    assert set(out.excluded) <= {"memory.fits", "slo.tpot[mean]", "instances"}
    assert {plan.scenario for plan in out.front} <= set(names)
    costs = [plan.goals["cost.per_Mtoken[output_only]"] for plan in out.front]
    assert costs == sorted(costs)


def test_the_best_is_what_auto_takes(study: Evaluation) -> None:
    (name, *_) = [block.name for block in study.document.scenarios]
    out = search(study, [name])
    assert out is not None
    assert out.best is not None
    settled = study.settled(name)
    assert sorted(out.best.choices.values()) == sorted(settled.values.values())
    assert (out.tried, out.admissible) == (settled.tried, settled.admissible)


def test_a_choice_that_depends_on_no_doubt_is_steady(evaluated: Evaluated) -> None:
    evaluation = evaluated(POD.format(cost="chip.price * chip.power"))
    found_ = steadiness(evaluation, "one")
    assert found_ is not None
    assert (found_.feasible, found_.best) == (1.0, 1.0)


def test_a_close_choice_is_not_steady(evaluated: Evaluated) -> None:
    cost = "abs(chip.price / 16.5 $/W - chip.power) + 1 W/chip"
    close = steadiness(evaluated(POD.format(cost=cost)), "one")
    assert close is not None
    assert 0.3 < close.best < 0.7


def test_nothing_to_choose_is_nothing_to_say(evaluated: Evaluated) -> None:
    text = POD.format(cost="chip.price").replace("{2 chip, 4 chip, 8 chip}", "8 chip")
    text = text.replace("{100 W, 200 W, 400 W}", "100 W")
    assert steadiness(evaluated(text), "one") is None
