"""The worked scenarios are right, and their checks hold."""

from pathlib import Path

import pytest

from isocost import scenarios
from isocost.dsl.check import check_file
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

FOLDER = Path(scenarios.__path__[0]) / "examples"
EXAMPLES = sorted(FOLDER.glob("*.scn"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_runs(path: Path) -> None:
    checked = check_file(str(path), table())
    assert [(d.code, dict(d.args)) for d in checked.diagnostics] == []
    evaluation = Evaluation(checked, count=512)
    verdicts = evaluation.verdicts()
    failing = [v.condition.why for v in verdicts if not v.holds]
    assert failing == []
    for scenario in checked.document.scenarios:
        assert evaluation.headlines(scenario.name)
    assert evaluation.diagnostics == []


def at_point(evaluation: Evaluation, scenario: str, path: str) -> float:
    node = evaluation.node(scenario, path)
    assert node is not None
    return evaluation.point((node,))[node] * 3600


@pytest.mark.parametrize(("name", "low", "high"), [("own", 1.15, 1.45)])
def test_an_owned_h100_hour_is_near_what_analysts_say(
    name: str, low: float, high: float
) -> None:
    """InferenceX: 1.30 $ for a hyperscaler; none of its figures goes in."""
    evaluation = Evaluation(check_file(str(FOLDER / "own_or_rent.scn"), table()))
    assert low < at_point(evaluation, name, "cost.per_chip_hour[installed]") < high
