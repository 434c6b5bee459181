"""Evaluation: point values, intervals, flags, checks and claims."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from isocost.engine.evaluate import Evaluation
from isocost.engine.results import Result, round_out

Evaluated = Callable[..., Evaluation]
STUDY = Path(__file__).with_name("trainium2.scn").read_text(encoding="utf-8")

POD = """
chip slow {
  power = 400 W to 900 W @assumed "a test"
  price = 5_000 $ ± 10% @assumed "a test"
  memory.bandwidth = 2 TB/s @assumed "a test"
}
system pod {
  chip = slow
  chips = 16 chip @assumed "a test"
}
scenario one {
  system = pod
  let heat := chip.power * system.chips in kW/system
  let worth := chip.price / chip.memory.bandwidth
  let broken := sqrt(chip.power / 1 W/chip - 500)
  let roof := max(power = chip.power / 1 W/chip, wall = 600)
  let steady := chip.memory.bandwidth * 2
}
check one.heat < 40 kW/system "it must be cooled"
check one.heat < 8 kW/system "a small room"
check one.heat < 10 kW/system at 90% "nearly always"
claim one.heat > 9 kW/system "a large room is needed"
"""


@pytest.fixture
def pod(evaluated: Evaluated) -> Evaluation:
    return evaluated(POD)


def result(evaluation: Evaluation, path: str) -> Result:
    (found,) = evaluation.results([("one", path)])
    return found


def test_a_result_has_value_unit_and_interval(pod: Evaluation) -> None:
    heat = result(pod, "heat")
    assert heat.unit == "kW/system"
    assert heat.value == pytest.approx(16 * 600 / 1e3)
    assert heat.low / heat.scale == pytest.approx(16 * 400 / 1e3, rel=2e-3)
    assert heat.high / heat.scale == pytest.approx(16 * 900 / 1e3, rel=2e-3)
    assert heat.median == pytest.approx(heat.central, rel=2e-3)
    assert heat.flags == ()


def test_what_is_not_in_doubt_has_an_interval_of_one_point(pod: Evaluation) -> None:
    steady = result(pod, "steady")
    assert steady.low == steady.central == steady.high == 4e12


def test_an_undefined_metric_is_flagged_with_its_share(pod: Evaluation) -> None:
    broken = result(pod, "broken")
    assert broken.feasible_share == pytest.approx(0.77, abs=0.02)
    assert any(flag.startswith("undefined in 2") for flag in broken.flags)
    assert np.isfinite(broken.low)


def test_the_active_branch_is_named(pod: Evaluation) -> None:
    assert result(pod, "roof").branches == {"one.roof": "power"}


def test_several_results_come_in_order(pod: Evaluation) -> None:
    wanted = [("one", "worth"), ("one", "heat"), ("one", "steady")]
    assert [r.path for r in pod.results(wanted)] == [path for _, path in wanted]


def test_what_cannot_be_had_is_left_out_and_reported(pod: Evaluation) -> None:
    found = pod.results([("one", "cost.per_Mtoken"), ("one", "heat")])
    assert [r.path for r in found] == ["heat"]
    assert pod.diagnostics


def test_checks_and_claims_are_decided_at_the_point(pod: Evaluation) -> None:
    verdicts = pod.verdicts()
    assert [v.holds for v in verdicts] == [True, False, False, True]
    assert verdicts[0].share == 1.0
    assert verdicts[1].share == pytest.approx(0.23, abs=0.02)
    assert verdicts[2].share == pytest.approx(0.566, abs=0.02)
    assert verdicts[1].left == pytest.approx(9600)
    assert verdicts[1].right == pytest.approx(8000)


def test_results_are_the_same_again(evaluated: Evaluated, pod: Evaluation) -> None:
    assert result(pod, "heat") == result(evaluated(POD), "heat")


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(1 / 3, 0.333333333333), (0.0, 0.0), (1e300 / 7, 1.42857142857e299)],
)
def test_numbers_leave_with_twelve_digits(value: float, rounded: float) -> None:
    assert round_out(value) == rounded


# A document of the language's own size.


@pytest.fixture
def study(evaluated: Evaluated) -> Evaluation:
    return evaluated(STUDY.removeprefix("edition 2026\n"))


def test_every_headline_of_a_study_has_unit_and_interval(study: Evaluation) -> None:
    names = [block.name for block in study.document.scenarios]
    wanted = [(name, path) for name in names for path in study.headlines(name)]
    found = study.results(wanted)
    assert len(found) == len(wanted)
    assert study.diagnostics == []
    for one in found:
        assert one.unit
        assert one.low <= one.median <= one.high
        assert "point value outside its interval" not in one.flags


def test_the_ratio_of_two_scenarios_is_surer_than_either(study: Evaluation) -> None:
    names = [block.name for block in study.document.scenarios]
    nodes = [study.node(name, "cost.per_Mtoken") for name in names]
    one, two = study.columns([node for node in nodes if node is not None])
    rng = np.random.default_rng(0)

    def width(column: np.ndarray) -> float:
        low, high = np.quantile(np.log(column), (0.05, 0.95))
        return float(high - low)

    assert width(two / one) < 0.5 * width(rng.permutation(two) / one)
    assert width(two / one) < width(one)


def test_settled_choices_keep_the_slo(study: Evaluation) -> None:
    names = [block.name for block in study.document.scenarios]
    for one in study.results([(name, "latency.tpot") for name in names]):
        assert one.central <= 0.050


def test_a_scenario_may_set_a_let_at_the_top_for_itself(evaluated: Evaluated) -> None:
    text = """
    let markup = 1.2 @assumed "a"
    let asked := markup * 100 $
    chip c {
      price = 100 $ @assumed "a"
      let dear := price * markup
    }
    system s {
      chip = c
      chips = 4 chip @assumed "a"
    }
    scenario one {
      system = s
      let paid := chip.price * markup
      let block := chip.dear
    }
    scenario two extends one {
      markup = 1.5
    }
    """
    evaluation = evaluated(text)
    wanted = [(s, m) for s in ("one", "two") for m in ("paid", "block", "asked")]
    found = {(r.scenario, r.path): r.value for r in evaluation.results(wanted)}
    assert found == pytest.approx(
        {
            ("one", "paid"): 120.0,
            ("one", "block"): 120.0,
            ("one", "asked"): 120.0,
            ("two", "paid"): 150.0,
            ("two", "block"): 150.0,
            ("two", "asked"): 150.0,
        }
    )
