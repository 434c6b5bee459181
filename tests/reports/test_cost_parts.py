"""The parts of a cost's bars: what is paid, and in all what the bar's label says."""

from pathlib import Path

import pytest

from isocost.dsl.check import check
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.reports.assemble import study_of
from isocost.reports.sections.cost import _parts

FILES = sorted(
    path
    for path in (Path(__file__).parents[2] / "scenarios").rglob("*.scn")
    if "\nreport " in path.read_text("utf-8")
)
HOUR = "cost.per_chip_hour[installed]"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_parts_add_up_to_the_labelled_hour(path: Path) -> None:
    evaluation = Evaluation(check(resolve(load(str(path))), table()), 2)
    for block in evaluation.document.of_kind("report"):
        study = study_of(evaluation, block.label)
        for scenario in study.scenarios:
            hour = study.value(scenario, HOUR)
            if hour is None:
                continue
            parts = _parts(study, scenario)
            assert sum(parts.values()) == pytest.approx(3600 * hour, rel=1e-9)
            if study.value(scenario, "cost.rent") is not None:
                assert not {"Energy", "Colocation", "Maintenance"} & set(parts)
                assert parts["Rent"] > 0
