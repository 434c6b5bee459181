"""A measurement's scenario, checked and opened."""

from pathlib import Path

from isocost.dsl.check import check
from isocost.dsl.diagnostics import failed
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.calibration.inference_rows import Case
from isocost.engine.calibration.inference_scenario import scenario_text
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table


def evaluated(case: Case, folder: Path) -> Evaluation:
    """The scenario of a case, `measured_row`, checked and opened."""
    path = folder / "row.scn"
    path.write_text(scenario_text(case), encoding="utf-8")
    checked = check(resolve(load(str(path))), table())
    assert not failed(checked.diagnostics), checked.diagnostics
    return Evaluation(checked, 16)
