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
from isocost.engine.calibration.inference_stacks import FIXED, Stack, find_stack

Row = Mapping[str, str]
WEIGHT_BYTES = {
    "fp32": 4.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "nvfp4": 0.5625,
    "mxfp4": 0.53125,
    "fp4": 0.5625,
    "int4": 0.53125,
    "awq": 0.53125,
    "gptq": 0.53125,
}
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
#: MLPerf limits on first token and each further one, s: model's beginning, scenario.
MLPERF_LIMITS = {
    "llama2-70b": {"server": (2.0, 0.2), "interactive": (0.45, 0.04)},
    "llama3.1-405b": {"server": (6.0, 0.175), "interactive": (4.5, 0.08)},
    "llama3.1-8b": {"server": (2.0, 0.1), "interactive": (0.5, 0.03)},
    "mixtral-8x7b": {"server": (2.0, 0.2)},
    "deepseek": {"server": (2.0, 0.08)},
}
#: The limits are on the 99th percentile; the mean step stays below by this factor.
P99_OVER_MEAN = 1.1
_NEVER = 1e12


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


def _number(text: str | None, otherwise: float = 0.0) -> float:
    return float(text) if text else otherwise


def _precision(name: str) -> str:
    text = name.lower()
    return next((key for key in WEIGHT_BYTES if key in text.split("(")[0]), "bf16")


def _native(row: Row, chip: Chip) -> str:
    """The type that the row's matrices multiply in on this chip."""
    compute = _precision(row.get("compute_precision") or row["weight_precision"])
    if compute == "mxfp4":
        return "fp8" if chip.fp4 else "bf16"
    return {"nvfp4": "fp4", "fp4": "fp4", "fp8": "fp8", "int8": "int8"}.get(
        compute, "bf16"
    )


def _wide_attention(row: Row, weight: str) -> bool:
    """Whether attention's matrices stay in bf16: gpt-oss, and DeepSeek in four bits."""
    model = row["model"].lower()
    return "gpt-oss" in model or ("deepseek" in model and "fp4" in weight)


def _cache_bytes(row: Row, chip: Chip) -> float:
    """Bytes of a cached number; gpt-oss before Blackwell kept bf16, says its source."""
    if "gpt-oss" in row["model"].lower() and not chip.fp4:
        return 2.0
    narrow = row.get("kv_precision", "").lower().startswith(("fp8", "int8"))
    return 1.0 if narrow else 2.0


def _precisions(row: Row, chip: Chip) -> dict[str, float]:
    """Bytes and peaks by part of the model."""
    weight, native = _precision(row["weight_precision"]), _native(row, chip)
    wide, cache = _wide_attention(row, weight), _cache_bytes(row, chip)
    narrow = chip.fp4 is not None and cache == 1.0
    tera = 1e12
    return {
        "weight_bytes": WEIGHT_BYTES[weight],
        "attention_bytes": 2.0 if wide else WEIGHT_BYTES[weight],
        "cache_bytes": cache,
        "dispatch_bytes": {"fp4": 0.5625, "fp8": 1.0}.get(native, 2.0),
        "peak_low": chip.peak(native) * tera,
        "peak_mid": chip.peak("bf16" if wide else native) * tera,
        "peak_wide": chip.bf16 * tera,
        "peak_attention": chip.bf16 * tera,
        "peak_absorbed": chip.peak("fp8" if narrow else "bf16") * tera,
    }


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


def _requests(row: Row, stack: Stack) -> float:
    """Requests of a run that ends; infinite where it is steady."""
    if not stack.bench or row.get("batch"):
        return _NEVER
    length = _number(row["isl"]) + _number(row["osl"])
    limits = ((256, 30_000.0), (2_500, 3_000.0), (10_000, 1_500.0))
    return next((count for limit, count in limits if length <= limit), 1_000.0)


def _limits(row: Row) -> tuple[float, float]:
    kind = row.get("batch_kind", "").lower()
    if "mlperf" not in kind:
        return _NEVER, _NEVER
    named = (v for k, v in MLPERF_LIMITS.items() if row["model"].startswith(k))
    first, step = next(
        (v for k, v in next(named, {}).items() if k in kind), (_NEVER, _NEVER)
    )
    return first, step / P99_OVER_MEAN


def _draft(row: Row) -> float:
    text = row.get("spec_decode", "none").lower()
    if text in {"", "none"}:
        return 0.0
    digits = "".join(c for c in text if c.isdigit())
    return float(digits) if digits else 1.0


def _load(row: Row, stack: Stack, plan: Mapping[str, float]) -> dict[str, float]:
    batch = _number(row.get("batch"))
    if "per-device" in row.get("batch_kind", ""):
        batch *= plan["dp"]
    return {
        "prompt": _number(row["isl"]),
        "output": max(_number(row["osl"], 1.0), 1.0),
        "batch": batch,
        "requests": _requests(row, stack),
        "limit": _limits(row)[0],
        "step_limit": _limits(row)[1],
        "tail": 4.6,
        "spread": 1.0,
        "draft": _draft(row),
        "chips": _number(row["n_chips"], 1.0),
        "per_chip": float(
            "/chip" in row.get("unit", "") or row.get("per_chip") == "yes"
        ),
        "bucketed": float(stack.bucketed),
        "overlap": stack.overlap,
    }


def _plans(row: Row, chips: float) -> list[dict[str, float]]:
    """The row's plan, or the candidates where it names none."""
    names = ("tp", "pp", "dp", "ep")
    plan = {name: _number(row.get(name), 1.0) for name in names}
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
        chips = _number(row["n_chips"], 1.0)
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
        **_precisions(row, chip),
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
