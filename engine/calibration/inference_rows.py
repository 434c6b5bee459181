"""Measurements as cases: the inputs of the formulas for one row, or why not.

Rules for what a row leaves out, all of them stated here:

- no batch: the largest that fits, at most 4096 a data-parallel group (and the
  requests of the run);
- no parallel plan: the tensor parallelism of 1, 2, 4, 8 that serves most;
- no cache precision: two bytes; a batch "per device" counts for each group;
- the benchmark of TensorRT-LLM queues 30000 requests of up to 256 tokens, 3000 up
  to 2500, 1500 up to 10000, else 1000 (its documentation);
- MLPerf's latency limits by model and scenario (its rules) bound the step.
"""

from collections.abc import Mapping

import attrs

from isocost.engine.calibration.inference_chips import Chip, find_chip
from isocost.engine.calibration.inference_models import Architecture, architecture
from isocost.engine.calibration.inference_rules import (
    draft,
    limits,
    number,
    precisions,
    requests,
)
from isocost.engine.calibration.inference_stacks import FIXED, Stack, find_stack

Row = Mapping[str, str]
#: Spellings of a metric; what is predicted is the value.
METRICS = {
    "output_tokens_per_s": "output_tokens_per_s",
    "output_throughput": "output_tokens_per_s",
    "decode_tokens_per_s": "output_tokens_per_s",
    "tokens_per_s": "output_tokens_per_s",
    "input_tokens_per_s": "input_tokens_per_s",
    "prefill_tokens_per_s": "input_tokens_per_s",
    "total_tokens_per_s": "total_tokens_per_s",
    "requests_per_s": "requests_per_s",
    "tokens_per_s_per_user": "tokens_per_s_per_user",
    "ttft_ms": "ttft_ms",
    "prefill_latency_ms": "ttft_ms",
    "prefill_time_ms": "ttft_ms",
    "tpot_ms": "tpot_ms",
    "itl_ms": "tpot_ms",
    "decode_step_ms": "tpot_ms",
    "decode_latency_ms": "tpot_ms",
    "e2e_latency_ms": "e2e_latency_ms",
    "latency_ms": "e2e_latency_ms",
}


@attrs.frozen
class Refused:
    """A row that is not predicted, and why."""

    row_id: str
    reason: str


@attrs.frozen
class Case:
    """One way to read one row: numbers in base units and what to compute.

    `mode` is static, continuous, prefill or decode; `chips` is what the metric's
    value refers to, in chips, `instances` how many copies of the model share them.
    """

    row_id: str
    mode: str
    metric: str
    mla: bool
    experts: bool
    stack: Stack
    chip: Chip
    numbers: Mapping[str, float]


_SHAPE = (
    *("layers", "hidden", "heads", "kv_heads", "head_size", "ffn", "gated"),
    *("vocabulary", "tied", "experts", "top_k", "shared_experts", "expert_ffn"),
    *("dense_layers", "moe_layers", "query_rank", "kv_rank", "rope_size"),
    *("value_size", "window", "window_share"),
)


def _shape(made: Architecture) -> dict[str, float]:
    numbers = {name: float(getattr(made, name)) for name in _SHAPE}
    numbers["window"] = numbers["window"] or 1.0
    mean = (made.head_size + made.rope_size + made.value_size) / 2
    numbers["score_size"] = mean if made.mla else float(made.head_size)
    numbers["dense_ffn"] = 0.0 if made.experts else float(made.ffn)
    numbers["router"] = float(made.hidden * made.experts)
    return numbers


#: Latency multiplier and share of the link that switches reduce at, by fabric.
_FABRICS = {
    "nvlink3": (1.18, 0.0, 1.0),
    "nvlink4": (0.76, 0.68, 1.0),
    "nvlink5": (1.12, 0.68, 1.0),
    "xgmi": (1.5, 0.0, 0.9),
    "pcie4": (1.5, 0.0, 0.7),
    "pcie5": (1.5, 0.0, 0.7),
    "roce": (2.0, 0.0, 0.9),
    "ici": (0.3, 0.0, 1.0),
    "neuron": (0.0, 0.0, 1.0),
}


def _hardware(chip: Chip, rank_chips: float) -> dict[str, float]:
    pace, reduction, derate = _FABRICS[chip.fabric]
    giga = 1e9
    return {
        "memory_bandwidth": chip.bandwidth * 1e12,
        "capacity": chip.visible * 2**30,
        "power": chip.power,
        "rank_chips": rank_chips,
        "link": chip.link * giga * derate,
        "node_link": 0.85 * chip.node_link * giga,
        "domain": float(chip.domain),
        "launch": pace * 8.7e-6,
        "latency": pace * 1.07e-6,
        "send_alpha": 10e-6,
        "reduction": reduction,
        "reduction_latency": pace * 1.07e-6,
    }


def _mode(row: Row) -> str:
    kind = row.get("batch_kind", "").lower()
    phase = row.get("phase", "")
    if phase == "prefill" and METRICS[row["metric"]] == "input_tokens_per_s":
        return "prefill"
    if phase == "decode" or row.get("disagg") == "decode-only":
        return "decode"
    return "static" if "static" in kind else "continuous"


def _load(row: Row, stack: Stack, plan: Mapping[str, float]) -> dict[str, float]:
    batch = number(row.get("batch"))
    if "per-device" in row.get("batch_kind", ""):
        batch *= plan["dp"]
    return {
        "prompt": number(row["isl"]),
        "output": max(number(row["osl"], 1.0), 1.0),
        "batch": batch,
        "requests": requests(row, stack),
        "limit": limits(row)[0],
        "step_limit": limits(row)[1],
        "tail": 4.6,
        "spread": 1.0,
        "draft": draft(row),
        "chips": number(row["n_chips"], 1.0),
        "per_chip": float(
            "/chip" in row.get("unit", "") or row.get("per_chip") == "yes"
        ),
        "bucketed": float(stack.bucketed),
        "overlap": stack.overlap,
    }


def _plans(row: Row, chips: float) -> list[dict[str, float]]:
    """The row's plan, or the candidates where it names none."""
    names = ("tp", "pp", "dp", "ep")
    plan = {name: number(row.get(name), 1.0) for name in names}
    if not row.get("ep") and plan["dp"] > 1 and row.get("experts"):
        plan["ep"] = plan["tp"] * plan["dp"]
    if row.get("tp"):
        return [plan]
    widths = (width for width in (1.0, 2.0, 4.0, 8.0) if width <= chips)
    return [{**plan, "tp": width} for width in widths]


def _missing(row: Row) -> str:
    if row["metric"] not in METRICS:
        return f"metric {row['metric']} is not predicted"
    missing = [
        name for name in ("isl", "metric", "value", "model") if not row.get(name)
    ]
    return f"missing: {', '.join(missing)}" if missing else ""


def cases(row: Row, models: Mapping[str, Row]) -> list[Case] | Refused:
    """The ways to read a row: one where its plan is stated, else one for each plan.

    Args:
        row: A measurement with the columns of the validation tables.
        models: Rows of the table of architectures by model.
    """
    chip = find_chip(row["chip"])
    reason = _missing(row) or ("" if chip else f"unknown chip {row['chip']}")
    if reason or chip is None:
        return Refused(row["row_id"], reason)
    made = architecture(row, models)
    if isinstance(made, str):
        return Refused(row["row_id"], made)
    stack = find_stack(row.get("framework", ""), chip)
    try:
        chips = number(row["n_chips"], 1.0)
        plans = _plans(row, chips)
        return [_case(row, chip, made, stack, plan, chips) for plan in plans]
    except ValueError as problem:
        return Refused(row["row_id"], f"a column is no number: {problem}")


def _case(
    row: Row,
    chip: Chip,
    made: Architecture,
    stack: Stack,
    plan: dict[str, float],
    chips: float,
) -> Case:
    ranks = plan["tp"] * plan["pp"] * plan["dp"]
    rank_chips = chips / ranks if chip.vendor == "aws" and ranks > chips else 1.0
    numbers = {
        **FIXED,
        **precisions(row, chip),
        **_shape(made),
        **_hardware(chip, rank_chips),
        **_load(row, stack, plan),
        **plan,
        "ranks": ranks,
        "instances": max(1.0, chips // (ranks * rank_chips)),
    }
    return Case(
        row_id=row["row_id"],
        mode=_mode(row),
        metric=METRICS[row["metric"]],
        mla=made.mla,
        experts=made.experts > 1,
        stack=stack,
        chip=chip,
        numbers=numbers,
    )
