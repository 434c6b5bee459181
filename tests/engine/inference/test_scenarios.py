"""Measurements as scenarios: the graph gives what calibration gives."""

import math
from pathlib import Path

import attrs
import numpy as np
import pytest

from isocost.dsl.check import check
from isocost.dsl.diagnostics import ERROR
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.calibration.inference import shipped
from isocost.engine.calibration.inference_predict import predict, stack
from isocost.engine.calibration.inference_rows import Case, Refused, cases
from isocost.engine.calibration.inference_scenario import beyond
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.engine.validation.inference import best_case, scenarios
from isocost.engine.validation.inference import predict as validate

from .measured import models, rows
from .scenario import evaluated

#: Nothing ends a run, nothing limits it.
_STEADY = {"requests": 1e12, "limit": 1e12, "step_limit": 1e12}
#: The metric of a scenario that answers to a measurement's, and its unit.
_METRICS = {
    "output_tokens_per_s": ("throughput.output", 1.0),
    "tpot_ms": ("latency.tpot[mean]", 1e3),
    "tokens_per_s_per_user": ("latency.tpot[mean]", None),
}


def steady(row: dict[str, str]) -> Case | None:
    """The case of a row in the regime that scenarios have."""
    found = cases(row, models())
    if isinstance(found, Refused) or found[0].mode not in {"static", "continuous"}:
        return None
    case = found[0]
    if case.numbers["pp"] > 1:
        return None
    return attrs.evolve(case, numbers={**case.numbers, **_STEADY})


def _kind(case: Case) -> tuple[object, ...]:
    shape = (case.mla, case.experts, case.numbers["window_share"] > 0)
    plan = (case.numbers["dp"] > 1, case.numbers["ep"] > 1, case.numbers["draft"] > 0)
    load = (case.mode, case.numbers["batch"] > 0)
    return (*shape, *plan, *load, case.stack.name, case.metric)


def chosen() -> list[Case]:
    """One row of each kind: structure, plan, load, stack and metric."""
    found: dict[tuple[object, ...], Case] = {}
    for row in rows():
        case = steady(row)
        if case is not None:
            found.setdefault(_kind(case), case)
    return list(found.values())


CASES = chosen()


def test_the_kinds_that_matter_are_there() -> None:
    kinds = {_kind(case) for case in CASES}
    assert any(mla for mla, *_ in kinds)
    assert any(kind[2] for kind in kinds)
    assert any(kind[3] for kind in kinds)
    assert any(kind[5] for kind in kinds)
    assert {kind[6] for kind in kinds} == {"static", "continuous"}
    names = {kind[8] for kind in kinds}
    assert {"trtllm_2023", "trtllm_2025", "neuron_tnx", "neuron_nxd"} <= names


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.row_id)
def test_a_scenario_gives_what_calibration_gives(case: Case, tmp_path: Path) -> None:
    theta = np.exp(shipped().theta())
    (expected,) = predict(stack([case]), theta, 1)
    evaluation = evaluated(case, tmp_path)
    path, factor = _METRICS.get(case.metric, ("latency.ttft[solo]", 1e3))
    if case.metric == "ttft_ms" and case.mode == "continuous":
        path = "latency.ttft[mean]"
    node = evaluation.node("measured_row", path)
    assert node is not None, evaluation.diagnostics
    found = evaluation.point((node,))[node]
    value = 1 / found if factor is None else found * factor
    if case.metric == "output_tokens_per_s":
        value /= case.numbers["of"]
    assert value == pytest.approx(expected, rel=1e-9)


def written() -> list[dict[str, str]]:
    """Rows whose scenario has a claim, of each metric, mode and kind of model."""
    found: dict[tuple[object, ...], dict[str, str]] = {}
    for row in rows():
        case = best_case(row, models())
        if case is not None and not beyond(case):
            kind = (case.metric, case.mode, case.experts, case.numbers["of"] > 1)
            found.setdefault(kind, row)
    return list(found.values())


@pytest.mark.parametrize("row", written(), ids=lambda row: row["row_id"])
def test_a_row_is_written_as_it_is_predicted(
    row: dict[str, str], tmp_path: Path
) -> None:
    """`validate --write`: a file without a fault, whose claim is the row's error."""
    text = scenarios([row], models())[row["row_id"]]
    (told,) = validate([row], models())
    assert told.error is not None
    path = tmp_path / "row.scn"
    path.write_text(text, encoding="utf-8")
    checked = check(resolve(load(str(path))), table())
    assert not [d for d in checked.diagnostics if d.severity == ERROR]
    evaluation = Evaluation(checked, 256)
    (verdict,) = evaluation.verdicts()
    inverse = row["metric"] == "tokens_per_s_per_user"
    off = abs(math.exp(-told.error if inverse else told.error) - 1)
    assert verdict.holds == (off < 0.25)
    found = evaluation.results([("measured_row", "latency.tpot[mean]")])[0]
    width = math.log(found.high / found.low)
    assert told.width is not None
    assert width == pytest.approx(told.width, rel=0.05)


def test_what_a_steady_state_is_not_is_told() -> None:
    by_id = {row["row_id"]: row for row in rows()}
    ends = next(row for row in rows() if "trtllm_perf" in row["source_id"])
    alone = by_id["I0513"]
    made = scenarios([ends, alone], models())
    assert "# without the end of a run of" in made[ends["row_id"]]
    assert "claim" not in made[ends["row_id"]]
    assert alone["row_id"] not in made
