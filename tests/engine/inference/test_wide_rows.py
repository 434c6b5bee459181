"""Wide expert parallelism and MLPerf: each row, its source left out of the fit.

The goal is 25%. A row that misses it stands in `MISSED` with why.
"""

import numpy as np
import pytest

from isocost.engine.calibration.inference import shipped
from isocost.engine.calibration.inference_accuracy import fold_key
from isocost.engine.calibration.inference_fit import (
    Measurements,
    left_out,
    measurements,
)

from .measured import models, rows

SOURCES = ("mlperf_inference_51", "sglang_largescale_ep")
WITHIN = 0.25
MISSED = {
    "I0653": "server limits of 8B: quality C",
    "I0656": "vLLM, of which no other open row exists",
    "I0657": "vLLM, and server limits: quality C",
}


@pytest.fixture(scope="module")
def data() -> Measurements:
    return measurements(rows(), models())


@pytest.fixture(scope="module")
def found(data: Measurements) -> dict[str, float]:
    errors, folds = left_out(data, fold_key(data, "source"), shipped().theta())
    assert set(SOURCES) <= set(folds)
    ids = [row["row_id"] for row in data.rows]
    return dict(zip(ids, errors.tolist(), strict=True))


WIDE = [row["row_id"] for row in rows() if row["source_id"] in SOURCES]


@pytest.mark.parametrize("name", WIDE)
def test_within_a_quarter(name: str, found: dict[str, float]) -> None:
    assert np.isfinite(found[name])
    if name in MISSED:
        assert abs(found[name]) > WITHIN, "no longer missed: take it off the list"
    else:
        assert abs(found[name]) <= WITHIN
