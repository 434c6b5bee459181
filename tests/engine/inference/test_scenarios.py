"""Measurements as scenarios: the graph gives what calibration gives."""

from pathlib import Path

import attrs
import numpy as np
import pytest

from isocost.engine.calibration.inference import shipped
from isocost.engine.calibration.inference_predict import predict, stack
from isocost.engine.calibration.inference_rows import Case, Refused, cases

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
    node = evaluation.node("s", path)
    assert node is not None, evaluation.diagnostics
    found = evaluation.point((node,))[node]
    value = 1 / found if factor is None else found * factor
    if case.metric == "output_tokens_per_s":
        value /= case.numbers["of"]
    assert value == pytest.approx(expected, rel=1e-9)
