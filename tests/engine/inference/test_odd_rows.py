"""Rows as people have them: other engines and chips, odd spellings, columns left open.

Each is predicted with an interval that says how little was known, or refused with the
reason; none is read as something else.
"""

from pathlib import Path

import pytest

from isocost.engine.calibration.inference import Prediction, predict_rows
from isocost.engine.calibration.inference_chips import find_chip
from isocost.engine.calibration.inference_models import architecture
from isocost.engine.calibration.inference_rows import Case, cases
from isocost.engine.calibration.inference_spelling import (
    drafted,
    factor,
    known_as,
    metric,
    per,
    precision,
)
from isocost.engine.validation import frame
from isocost.engine.validation.run import predict
from isocost.engine.validation.tables import Table, read

from .measured import models

PLACE = Path(__file__).parents[2] / "data" / "own" / "serving_odd.csv"
#: What each row must lie in, in its own unit: physics below, experience above.
RANGES = {
    "rocm": (1200, 5000),
    "rocm_one": (700, 3000),
    "latent": (15, 80),
    "wide_decode": (800, 4000),
    "wide_prefill": (1800, 9000),
    "largest": (600, 3500),
    "tpu": (2000, 25_000),
    "tpu_step": (14, 60),
    "neuron": (2, 20),
    "no_plan": (6, 50),
    "four_bits": (15, 100),
    "draft": (3, 15),
    "pools": (400, 6000),
    "no_chips": (1500, 8000),
    "unknown_shape": (600, 5000),
    "samples": (25, 150),
    "gaudi": (3000, 25_000),
    "older": (60, 500),
    "seconds": (0.015, 0.2),
}
REASONS = {
    "tail": "means and medians are",
    "rate": "state the sequences that run at once",
    "dataflow": "unknown chip Groq LPU",
    "no_shape": "the architecture is not known",
    "few_chips": "tp 8 takes more ranks than 1 chip",
}
FLAGS = {
    "no_plan": "the parallel plan is not stated",
    "pools": "predicted as one pool",
    "no_chips": "the number of chips is not stated",
    "rocm": "no chip of this vendor was calibrated",
    "wide_decode": "expert parallelism beyond",
}


@pytest.fixture(scope="module")
def found() -> dict[str, frame.Prediction]:
    table = read(PLACE)
    assert isinstance(table, Table)
    return {one.row_id: one for one in predict(table, models())}


def test_every_row_is_predicted_or_refused_with_a_reason(
    found: dict[str, frame.Prediction],
) -> None:
    assert found.keys() == RANGES.keys() | REASONS.keys()
    for name, words in REASONS.items():
        assert words in found[name].refused, name
    for name, words in FLAGS.items():
        assert any(words in flag for flag in found[name].flags), name


@pytest.mark.parametrize("name", RANGES)
def test_no_prediction_is_absurd(name: str, found: dict[str, frame.Prediction]) -> None:
    one = found[name]
    least, most = RANGES[name]
    assert one.predicted is not None, one.refused
    assert least <= one.predicted <= most
    assert one.width is not None
    assert one.width > 0.4, "less is known of it than of a measured stack"


def first(name: str, **columns: str) -> Case:
    table = read(PLACE)
    assert isinstance(table, Table)
    row = next(row for row in table.rows if row["row_id"] == name)
    made = cases({**row, **columns}, models())
    assert isinstance(made, list), made
    return made[0]


def test_a_draft_model_s_name_is_no_count_of_tokens() -> None:
    assert first("draft").numbers["draft"] == 4
    assert drafted("MTP-3") == 3
    assert drafted("EAGLE-3") == 3
    assert drafted("draft Llama-3.2-1B") <= 16
    assert drafted("none") == drafted("") == 0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("W8A8", "int8"),
        ("w4a16 (AWQ)", "awq"),
        ("W4A8-FP8", "int4"),
        ("fp8_e4m3", "fp8"),
        ("FP8 (block)", "fp8"),
        ("Q4_K_M", "int4"),
        ("4-bit", "int4"),
        ("bfloat16", "bf16"),
        ("fp16/bf16", "bf16"),
        ("mxfp4(w)/fp8", "mxfp4"),
        ("auto", "bf16"),
        ("float32", "fp32"),
    ],
)
def test_precisions_are_read_whatever_their_spelling(text: str, kind: str) -> None:
    assert precision(text) == kind


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("output_tokens_per_s", "tok/s/gpu", ("output_tokens_per_s", "chip", 1)),
        ("Output Throughput", "tok/min", ("output_tokens_per_s", "", 60)),
        ("output_tokens_per_s", "tok/s/user", ("tokens_per_s_per_user", "user", 1)),
        ("requests_per_s", "req/s", ("requests_per_s", "", 1)),
        ("total_tokens_per_s", "ktok/s/node", ("total_tokens_per_s", "node", 1e-3)),
        ("median_itl_ms", "", ("tpot_ms", "", 1)),
        ("Mean TTFT (s)", "", ("ttft_ms", "", 1e-3)),
        ("latency", "s", ("e2e_latency_ms", "", 1e-3)),
        ("tpot", "us per output token", ("tpot_ms", "", 1e3)),
        (
            "output_tokens_per_s",
            "k tok/(min*GPU)",
            ("output_tokens_per_s", "chip", 0.06),
        ),
        ("tpot_p99_ms", "ms", ("", "", 1)),
    ],
)
def test_metrics_and_units(
    name: str, unit: str, expected: tuple[str, str, float]
) -> None:
    row = {"metric": name, "unit": unit}
    assert (metric(row), per(row)) == expected[:2]
    assert factor(row) == pytest.approx(expected[2])


def test_a_rate_per_chip_is_the_whole_over_the_chips() -> None:
    whole = first("rocm").numbers
    each = first("rocm", unit="tok/s/chip").numbers
    node = first("rocm", unit="tok/s/node", chips_per_node="4").numbers
    assert (whole["of"], each["of"], node["of"]) == (1, 8, 2)


def test_concurrency_is_shared_among_instances_and_a_device_s_batch_is_not() -> None:
    shared = first("rocm", tp="2")
    assert shared.numbers["instances"] == 4
    assert shared.numbers["batch"] == 16
    each = first("rocm", tp="2", batch_kind="per-device batch")
    assert each.numbers["batch"] == 2 * 64


def test_names_say_more_than_the_known_shape() -> None:
    known = models()
    assert known_as("openai/gpt-oss-120b", known) == "gpt-oss-120b"
    assert known_as("DeepSeek-R1-0528", known) == "deepseek-v3"
    assert known_as("Kimi-K2.5", known) == "kimi-k2"
    assert known_as("DeepSeek-R1-Distill-Qwen-32B", known) == ""
    assert known_as("deepseek-v2-lite", {**known, "deepseek-v2": {}}) == ""
    # Columns that contradict a name count for more than the name.
    stated = {"model": "llama3.1-8b-pruned", "layers": "16", "hidden": "4096"}
    assert isinstance(architecture(stated, known), str)


def test_chips_of_clouds_and_slices() -> None:
    spelled = {
        "8xH100": "H100-SXM-80GB",
        "H200-SXM-141GB": "H200-SXM",
        "TPU v5e-8": "TPU-v5e",
        "trn2.48xlarge": "Trainium2",
        "MI300X-OAM": "MI300X",
        "GeForce RTX 4090": "RTX-4090",
        "A100 40GB PCIe": "A100-PCIe-40GB",
        "GH200 144GB": "GH200-144GB",
    }
    for text, name in spelled.items():
        chip = find_chip(text)
        assert chip is not None, text
        assert chip.name == name
    assert find_chip("MI300A") is None


def test_of_plans_that_are_open_the_best_counts() -> None:
    """Of a latency the shortest, of a rate the highest."""
    row = {
        "row_id": "X",
        "series": "x",
        "chip": "H100",
        "n_chips": "8",
        "model": "llama3.1-70b",
        "isl": "1024",
        "osl": "256",
        "value": "10",
        "batch": "8",
        "weight_precision": "fp8",
        "framework": "vLLM",
    }

    def one(**columns: str) -> Prediction:
        (made,) = predict_rows([{**row, **columns}], models())
        return made

    for name in ("tpot_ms", "output_tokens_per_s"):
        best = one(metric=name).predicted
        wide = one(metric=name, tp="8").predicted
        assert best is not None
        assert best == pytest.approx(wide)
