"""What a row leaves open is filled by a stated rule, and named."""

from typing import Any

import attrs
import pytest

from isocost.engine.calibration import training_rows
from isocost.engine.calibration.training_rows import (
    Refusal,
    Run,
    nic_bandwidth,
    precision_of,
    read_run,
    recompute_of,
)

Rows = list[dict[str, str]]


def make(rows: Rows, models: Rows, row_id: str, **changed: str) -> Run | Refusal:
    row = next(row for row in rows if row["row_id"] == row_id)
    return read_run({**row, **changed}, {m["model"]: m for m in models})


def run(rows: Rows, models: Rows, row_id: str, **changed: str) -> Run:
    found = make(rows, models, row_id, **changed)
    assert isinstance(found, Run)
    return found


@pytest.mark.parametrize(
    ("words", "node", "expected"),
    [
        ("CX7 400Gbps/GPU", 8, 50),
        ("1600Gbps/node RoCE", 8, 25),
        ("4x200Gbps HDR IB/node", 8, 12.5),
        ("4x ConnectX-7 IB NDR 400Gb/s", 4, 50),
        ("Storage: 2x ConnectX-7 400Gb/s, Compute: 8x ConnectX-7 NDR 400Gb/s", 8, 50),
        ("InfiniBand", 8, 33),
        ("", 8, 33),
    ],
)
def test_scale_out_bandwidth_is_read_from_words(
    words: str, node: float, expected: float
) -> None:
    assert nic_bandwidth(words, node, 33) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("mxfp8", ("fp8", False)),
        ("fp8 (or nvfp4; not verified)", ("fp8", True)),
        ("int8 (AQT) likely; not verified", ("int8", True)),
        ("nvfp4", ("fp4", False)),
        ("fp16", ("bf16", False)),
        ("", ("bf16", True)),
    ],
)
def test_precision_is_read_from_words(words: str, expected: tuple[str, bool]) -> None:
    assert precision_of(words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("full", 1.0),
        ("custom (decoder_layer_input offload to host)", 1.0),
        ("none", 0.0),
        ("selective", 0.0),
        ("not stated", None),
        ("none/full not stated", None),
        ("per recipe (scripts/performance); not in table", None),
        ("", None),
    ],
)
def test_recomputation_is_read_from_words(words: str, expected: float | None) -> None:
    assert recompute_of(words) == expected


def test_an_unknown_chip_is_refused_not_taken_for_its_neighbour(
    rows: Rows, models: Rows
) -> None:
    found = make(rows, models, "T0001", chip="H100-PRO-120GB")
    assert isinstance(found, Refusal)
    assert "H100-PRO-120GB" in found.reason


def test_a_missing_batch_is_refused(rows: Rows, models: Rows) -> None:
    found = make(rows, models, "T0001", global_batch_seqs="")
    assert isinstance(found, Refusal)
    assert "global_batch_seqs" in found.reason


def test_micro_batch_follows_from_accumulation(rows: Rows, models: Rows) -> None:
    found = run(rows, models, "T0001", micro_batch="", grad_accum="2")
    share = found.inputs["batch"] / found.inputs["dp"]
    assert found.inputs["micro_batch"] == share / 2
    assert "micro-batch" not in found.assumed


def test_a_missing_micro_batch_is_never_the_whole_batch(
    rows: Rows, models: Rows
) -> None:
    found = run(rows, models, "T0168", micro_batch="", grad_accum="")
    x = found.inputs
    assert "micro-batch" in found.assumed
    assert x["batch"] / x["dp"] / x["micro_batch"] >= 4 * x["pp"]


def test_missing_chunks_of_a_stage_are_assumed_and_named(
    rows: Rows, models: Rows
) -> None:
    found = run(rows, models, "T0168", vp="")
    assert found.inputs["chunks"] == 4
    assert found.assumed == ("chunks",)


def test_more_replicas_than_sequences_split_each_sequence(
    rows: Rows, models: Rows
) -> None:
    found = run(rows, models, "T0001", global_batch_seqs="128")
    assert (found.inputs["dp"], found.inputs["cp"]) == (128, 4)


def test_a_missing_layout_leaves_no_replica_without_a_sequence(
    rows: Rows, models: Rows
) -> None:
    found = run(rows, models, "T0399")
    x = found.inputs
    assert "layout" in found.assumed
    assert x["dp"] * x["micro_batch"] <= x["batch"]
    assert x["tp"] * x["pp"] * x["cp"] * x["dp"] == x["ranks"]


def test_a_vendor_that_counts_cores_is_read_in_cores(rows: Rows, models: Rows) -> None:
    changed = {"chip": "Trainium1", "n_chips": "512", "tp": "8", "pp": "4", "dp": "32"}
    found = run(
        rows, models, "T0168", framework="neuronx-nemo-megatron", cp="1", **changed
    )
    assert found.inputs["ranks"] == 1024
    assert found.inputs["rank_chips"] == 0.5
    assert found.inputs["dp"] == 32


def test_an_unknown_framework_is_marked(rows: Rows, models: Rows) -> None:
    found = run(rows, models, "T0168", framework="a new stack")
    assert not found.stack.known


def test_every_open_row_becomes_a_run(runs: list[Run]) -> None:
    assert len(runs) == 693
    assert sum(not run.trusted for run in runs) == 23


def test_parameters_reconcile_with_the_row(runs: list[Run], rows: Rows) -> None:
    stated = {row["row_id"]: float(row["params_b"]) * 1e9 for row in rows}
    for one in runs:
        x: Any = one.inputs
        layers = x["layers"] * x["attention"] + x["dense_layers"] * x["mlp"]
        experts = x["moe_layers"] * (x["experts"] + x["shared_experts"]) * x["expert"]
        tables = x["vocabulary"] * x["hidden"]
        least, most = layers + experts, layers + experts + 2.05 * tables
        # Learned positions add up to 7% to the smallest model at 65,536 tokens.
        assert least < stated[one.row_id] < most * 1.08, one.row_id


def test_runs_are_values(runs: list[Run]) -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        runs[0].measured = 1.0  # type: ignore[misc]
    assert training_rows.CORES["Trainium1"] == 2


@pytest.mark.parametrize(
    ("framework", "family", "known"),
    [
        ("Megatron-DeepSpeed", "eager", True),
        ("DeepSpeed ZeRO-3", "fsdp", True),
        ("torchtitan", "fsdp", True),
        ("Megatron-Bridge / NeMo 26.06", "core", True),
        ("MLPerf Training v5.1 NVIDIA", "core", True),
        ("MaxText", "xla", True),
        ("Megatron-LM", "core", True),
        ("something", "core", False),
    ],
)
def test_a_stack_is_told_by_its_name(
    rows: Rows, models: Rows, framework: str, family: str, *, known: bool
) -> None:
    found = run(rows, models, "T0001", framework=framework)
    assert (found.stack.name, found.stack.known) == (family, known)


def test_megatron_before_its_core_is_eager(rows: Rows, models: Rows) -> None:
    changed = {"framework": "Megatron-LM", "source_date": "2021-04"}
    assert run(rows, models, "T0001", **changed).stack.name == "eager"


def test_one_run_is_one_time_in_whatever_metric(rows: Rows, models: Rows) -> None:
    """A rate and a share of the peak of a step come back as that step's time."""
    own = {"model": "llama3-70b", "chip": "H100-SXM-80GB", "n_chips": "64"}
    own |= {"seq": "8192", "global_batch_seqs": "64", "precision": "bf16"}
    own |= {"tp": "4", "pp": "4", "dp": "4", "tokens_per_s_per_chip": ""}
    own |= {"fsdp": "", "micro_batch": "1", "layers": "", "hidden": ""}
    tokens, peak = 8192 * 64, 989.5e12
    # Llama 3 70B: 80 layers, width 8192, 64 heads of 128, 8 key heads, ffn 28672.
    matrices = 80 * (8192 * (2 * 8192 + 2 * 1024) + 3 * 8192 * 28672) + 8192 * 128256
    flops = 3 * (2 * matrices + 80 * 8192 * 8192 * 4)
    rate = flops * tokens / 64 / 10  # of a chip, in 10 s
    said = {
        "step_time": (10, "s"),
        "tokens_per_s": (tokens / 10, "token/s"),
        "tokens_per_s_per_gpu": (tokens / 640, "token/s"),
        "tflops_per_chip": (rate / 1e12, "TFLOP/s"),
        "mfu": (100 * rate / peak, "%"),
    }
    row_id = rows[0]["row_id"]
    for metric, (value, unit) in said.items():
        found = run(
            rows, models, row_id, **own, metric=metric, value=str(value), unit=unit
        )
        assert found.measured == pytest.approx(10, rel=2e-3), metric
