"""Errors and intervals on the open measurements do not get worse.

The bounds are what was reached, with a little air; they only move down.
"""

import numpy as np
import pytest

from isocost.engine.calibration import inference_accuracy, inference_fit
from isocost.engine.calibration.inference import (
    FAR,
    Fitted,
    Prediction,
    calibrate,
    predict_rows,
    shipped,
)
from isocost.engine.calibration.inference_chips import find_chip
from isocost.engine.calibration.inference_known import KNOWN
from isocost.engine.calibration.inference_models import from_table

from .measured import models, rows


@pytest.fixture(scope="module")
def data() -> inference_fit.Measurements:
    return inference_fit.measurements(rows(), models())


def test_no_open_row_is_refused() -> None:
    found = predict_rows(rows(), models())
    assert not [each for each in found if each.refused]
    assert [each.row_id for each in found] == [row["row_id"] for row in rows()]


def test_the_shipped_fit(data: inference_fit.Measurements) -> None:
    found = inference_fit.errors(data, shipped().theta())
    reached = inference_fit.score(data, found)
    assert reached.median <= 0.070
    assert reached.mean <= 0.089
    assert reached.rows <= 0.096


def test_the_shipped_fit_is_what_the_rows_give(
    data: inference_fit.Measurements,
) -> None:
    again = inference_fit.fit(data, data.tuned)
    assert np.max(np.abs(again - shipped().theta())) < 0.02


def test_rows_left_out(data: inference_fit.Measurements) -> None:
    lines = inference_accuracy.accuracy(data, shipped().theta(), ["official"])
    whole = lines[0]
    assert whole.median <= 0.078
    assert whole.mean <= 0.100
    assert 0.85 <= whole.coverage <= 0.95
    assert whole.half_width <= 0.16
    by_group = {line.group: line for line in lines}
    assert by_group["regime dense"].median <= 0.075
    assert by_group["regime experts"].median <= 0.104
    assert 0.85 <= by_group["regime experts"].coverage <= 0.95
    assert by_group["regime ttft"].median <= 0.11
    assert by_group["stack trtllm_2025"].rows > 200
    assert as_lines(lines) == len(lines) + 2


def as_lines(lines: list[inference_accuracy.Line]) -> int:
    return len(inference_accuracy.as_text(lines).splitlines())


def test_the_shipped_intervals_cover_the_open_rows() -> None:
    found = predict_rows(rows(), models())
    inside = [
        each.low <= each.measured <= each.high
        for each in found
        if each.low is not None and each.high is not None
    ]
    assert 0.85 <= np.mean(inside) <= 0.95


def width(found: Prediction) -> float:
    assert found.low is not None
    assert found.high is not None
    return found.high / found.low


def test_what_was_never_measured_has_wider_intervals() -> None:
    row = next(r for r in rows() if r["model"] == "llama3.1-70b" and r["tp"] == "2")
    stack = {**row, "row_id": "X", "framework": "vLLM 0.9"}
    vendor = {**stack, "row_id": "Y", "chip": "MI300X"}
    known, unseen, foreign = predict_rows([row, stack, vendor], models())
    assert width(unseen) > 1.3 * width(known)
    assert width(foreign) > width(unseen)
    assert unseen.flags
    assert not known.flags


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"chip": "TPU-v99"}, "unknown chip"),
        ({"metric": "joules"}, "not predicted"),
        ({"isl": ""}, "blank: `isl`"),
        ({"model": "no-such", "layers": ""}, "no layers"),
        ({"chip": "L4", "n_chips": "1", "tp": "1"}, "does not fit"),
    ],
)
def test_refusals_say_why(changed: dict[str, str], reason: str) -> None:
    row = next(r for r in rows() if r["model"] == "llama3.1-70b" and r["tp"] == "2")
    (found,) = predict_rows([{**row, **changed}], models())
    assert reason in found.refused
    assert found.predicted is None


def test_models_known_by_name_agree_with_the_table() -> None:
    for name in KNOWN.keys() & models().keys():
        assert KNOWN[name] == from_table(models()[name]), name


def test_rows_are_predicted_without_the_table_of_models() -> None:
    found = predict_rows(rows(), {})
    assert not [each for each in found if each.refused]
    sizes = [abs(each.error) for each in found if each.error is not None]
    assert np.mean(sizes) <= 0.105


def test_chips_are_found_whatever_their_spelling() -> None:
    spelled = {
        "H100-SXM-80GB": ("H100 SXM", "h100-sxm-80gb", "NVIDIA H100 80GB HBM3", "H100"),
        "A100-SXM-80GB": ("NVIDIA A100-SXM4-80GB", "A100 80GB"),
        "A100-SXM-40GB": ("A100-SXM4-40GB",),
        "H100-NVL": ("H100 NVL",),
        "GB200": ("GB200 NVL72",),
        "MI300X": ("AMD Instinct MI300X",),
        "TPU-v5e": ("TPU v5e", "v5e"),
        "Trainium2": ("trn2", "AWS Trainium2"),
    }
    for name, spellings in spelled.items():
        for spelling in spellings:
            chip = find_chip(spelling)
            assert chip is not None, spelling
            assert chip.name == name
    assert find_chip("Z80") is None


@pytest.mark.slow
def test_calibration_gives_what_is_shipped() -> None:
    made = calibrate(rows(), models())
    assert isinstance(made, Fitted)
    for kind, value in shipped().residual.items():
        assert made.residual[kind] == pytest.approx(value, rel=0.1)


def test_far_batches_have_wider_intervals_and_say_so(
    data: inference_fit.Measurements,
) -> None:
    """Trn2 was measured at one sequence at a time; none of its stack's rows is far."""
    own = {"chip": "trn2", "model": "llama3-70b", "n_chips": "16", "tp": "16"}
    own |= {"isl": "2048", "osl": "512", "metric": "tpot", "value": "25", "unit": "ms"}
    blank = dict.fromkeys(rows()[0], "")
    said = [
        {**blank, **own, "batch": str(batch), "row_id": str(batch)}
        for batch in (1, 2, 32)
    ]
    one, two, many = predict_rows(said, models())
    assert width(two) < 1.1 * width(one)
    assert width(many) > 1.5 * width(one)
    assert many.flags == (*one.flags, FAR)
    pairs = zip(data.rows, data.tuned, strict=True)
    fitted = {row["row_id"] for row, tuned in pairs if tuned}
    far = {one.row_id for one in predict_rows(rows(), models()) if FAR in one.flags}
    assert not far & fitted
