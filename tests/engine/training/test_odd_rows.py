"""Rows that users bring: predicted and widened, else refused in words."""

from collections.abc import Mapping

import numpy as np
import pytest

from isocost.engine.calibration.training import (
    Prediction,
    load,
    predict_runs,
    shipped,
)
from isocost.engine.validation.training import predict

Rows = list[dict[str, str]]
#: A 70B model by its columns alone.
OWN = {
    "model": "my-own-70b",
    "layers": "80",
    "hidden": "8192",
    "heads": "64",
    "kv_heads": "8",
    "ffn": "28672",
    "vocab": "128256",
    "params_b": "70.6",
    "active_params_b": "70.6",
    "experts": "",
}
NO_LAYOUT = dict.fromkeys(("tp", "pp", "cp", "vp", "ep", "dp", "micro_batch"), "")


def changed(rows: Rows, **cells: str) -> dict[str, str]:
    """A row of Llama 405B on GB300 with other cells."""
    return {**next(row for row in rows if row["row_id"] == "T0168"), **cells}


def one(rows: Rows, models: Rows, cells: Mapping[str, str]) -> Prediction:
    runs, refused = load([changed(rows, **cells)], models)
    assert not refused, refused[0].reason
    return predict_runs(runs, shipped())[0]


def half(found: Prediction) -> float:
    return float(np.log(found.high / found.predicted))


def reason(rows: Rows, models: Rows, **cells: str) -> str:
    runs, refused = load([changed(rows, **cells)], models)
    assert not runs
    return refused[0].reason


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ({"micro_batch": ""}, "micro-batch"),
        ({"micro_batch": "0"}, "micro-batch"),
        (NO_LAYOUT, "layout"),
        ({"precision": "w8a8"}, "precision"),
        ({"chip": "A100"}, "precision"),
        ({**OWN, "kv_heads": ""}, "key heads"),
        ({**OWN, "vocab": ""}, "vocabulary"),
    ],
)
def test_what_a_row_leaves_open_is_named_and_widens(
    rows: Rows, models: Rows, cells: dict[str, str], says: str
) -> None:
    found = one(rows, models, cells)
    assert says in found.assumed
    assert half(found) > half(one(rows, models, {}))


@pytest.mark.parametrize(
    ("cells", "novelty"),
    [
        ({"chip": "NVIDIA H200 141GB"}, "known"),
        ({"source_id": "elsewhere"}, "new"),
        ({"framework": "torchtitan v0.2"}, "new"),
        ({"chip": "AMD Instinct MI325X"}, "new"),
        ({"framework": "SomethingNew 3.1"}, "foreign"),
        ({"framework": ""}, "foreign"),
        ({"chip": "TPU v7"}, "foreign"),
        ({"chip": "Trn2"}, "foreign"),
        ({"chip": "trn2.48xlarge"}, "foreign"),
        ({"chip": "Intel Gaudi 3"}, "foreign"),
        ({"chip": "H20"}, "foreign"),
    ],
)
def test_new_chips_and_stacks_widen_by_how_new_they_are(
    rows: Rows, models: Rows, cells: dict[str, str], novelty: str
) -> None:
    found = one(rows, models, cells)
    assert found.novelty == novelty
    least = {"known": 0.14, "new": 0.2, "foreign": 0.39}
    assert half(found) >= least[novelty]


@pytest.mark.parametrize(
    "cells",
    [
        {"chip": "HGX B200"},
        {"chip": "B300"},
        {"chip": "GH200 480GB"},
        {"chip": "A100 40GB PCIe"},
        {"precision": "float8"},
        {"precision": "FP8 hybrid"},
        {"precision": "bf16-mixed"},
        {"task": "LoRA finetune"},
        {"recompute": "selective"},
        OWN,
        {**OWN, "experts": "128", "params_b": "230", "active_params_b": "22"},
        {"fsdp": "FSDP2", "tp": "", "pp": ""},
    ],
)
def test_spellings_are_read(rows: Rows, models: Rows, cells: dict[str, str]) -> None:
    found = one(rows, models, cells)
    assert 0 < found.low < found.predicted < found.high


def test_a_lower_power_limit_is_another_chip(rows: Rows, models: Rows) -> None:
    """A PCIe card and an SXM module of one silicon are never taken for each other."""
    module = one(rows, models, {"chip": "H100-SXM-80GB", "tp": "1", "pp": "1"})
    card = one(rows, models, {"chip": "H100 PCIe 80GB", "tp": "1", "pp": "1"})
    assert card.predicted > 1.4 * module.predicted


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ({"chip": "MI300A"}, "no chip MI300A"),
        ({"chip": "Rubin"}, "no chip Rubin"),
        ({"precision": "tf32"}, "no peak"),
        ({"n_chips": ""}, "n_chips"),
        ({"global_batch_seqs": ""}, "global_batch_seqs"),
        ({**OWN, "layers": ""}, "layers"),
        ({"metric": "loss", "tokens_per_s_per_chip": ""}, "tokens_per_s_per_chip"),
    ],
)
def test_what_cannot_be_predicted_says_why(
    rows: Rows, models: Rows, cells: dict[str, str], says: str
) -> None:
    assert says in reason(rows, models, **cells)


@pytest.mark.parametrize(
    ("metric", "unit", "size"),
    [
        ("step_time_s", "s", 1.0),
        ("step_time_ms", "ms", 1e3),
        ("tokens_per_s", "tok/s", 1536 * 8192.0),
        ("samples_per_s", "seq/s", 1536.0),
    ],
)
def test_metrics_are_predicted_in_their_own_unit(
    rows: Rows, models: Rows, metric: str, unit: str, size: float
) -> None:
    """A step of 50 s, whatever way it is stated, is off by the same factor."""
    time = metric.startswith("step_time")
    value = 50.0 * size if time else size / 50.0
    row = changed(
        rows, metric=metric, unit=unit, value=str(value), tokens_per_s_per_chip=""
    )
    found = predict([row], {one["model"]: one for one in models})[0]
    step = one(rows, models, {}).predicted
    assert found.predicted is not None
    off = found.predicted / value if time else value / found.predicted
    assert off == pytest.approx(step / 50.0)


def test_a_plain_mlp_is_told_by_its_width(rows: Rows, models: Rows) -> None:
    """A GPT that states no parameters has two matrices of four widths, not three."""
    shape = {**OWN, "params_b": "", "active_params_b": ""}
    plain = load([changed(rows, **{**shape, "ffn": "32768"})], models)[0][0]
    gated = load([changed(rows, **shape)], models)[0][0]
    assert not plain.inputs["gated"]
    assert gated.inputs["gated"]
