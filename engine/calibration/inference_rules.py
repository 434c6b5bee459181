"""What a measurement's columns mean, and what is taken where they are silent.

One function a question; `inference_rows` puts the answers together and states the
rules in full.
"""

from collections.abc import Mapping

from isocost.engine.calibration.inference_chips import Chip
from isocost.engine.calibration.inference_spelling import drafted, precision
from isocost.engine.calibration.inference_stacks import Stack

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
    "fp6": 0.78125,
    "int4": 0.53125,
    "awq": 0.53125,
    "gptq": 0.53125,
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


def number(text: str | None, otherwise: float = 0.0) -> float:
    """A column as a number, or what stands for an empty one."""
    return float(text) if text else otherwise


def _native(row: Row, chip: Chip) -> str:
    """The type that the row's matrices multiply in on this chip."""
    compute = precision(row.get("compute_precision") or row["weight_precision"])
    if compute == "mxfp4":
        return "fp8" if chip.fp4 else "bf16"
    weights_alone = "a16" in row["weight_precision"].lower()
    if weights_alone and not row.get("compute_precision"):
        return "bf16"
    natives = {"nvfp4": "fp4", "fp4": "fp4", "fp8": "fp8", "fp6": "fp8", "int8": "int8"}
    return natives.get(compute, "bf16")


def _wide_attention(row: Row, weight: str) -> bool:
    """Whether attention's matrices stay in bf16: gpt-oss, and DeepSeek in four bits."""
    model = row["model"].lower()
    return "gpt-oss" in model or ("deepseek" in model and "fp4" in weight)


def _cache_bytes(row: Row, chip: Chip) -> float:
    """Bytes of a cached number; gpt-oss before Blackwell kept bf16, says its source."""
    if "gpt-oss" in row["model"].lower() and not chip.fp4:
        return 2.0
    stated = row.get("kv_precision", "").strip()
    return WEIGHT_BYTES[precision(stated)] if stated else 2.0


def precisions(row: Row, chip: Chip) -> dict[str, float]:
    """Bytes and peaks by part of the model."""
    weight, native = precision(row["weight_precision"]), _native(row, chip)
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


def requests(row: Row, stack: Stack) -> float:
    """Requests of a run that ends; infinite where it is steady."""
    if not stack.bench or row.get("batch"):
        return _NEVER
    length = number(row["isl"]) + number(row["osl"])
    limits = ((256, 30_000.0), (2_500, 3_000.0), (10_000, 1_500.0))
    return next((count for limit, count in limits if length <= limit), 1_000.0)


def limits(row: Row) -> tuple[float, float]:
    """Limits on the first token and on each further one, s; MLPerf alone has them."""
    kind = row.get("batch_kind", "").lower()
    if "mlperf" not in kind:
        return _NEVER, _NEVER
    named = (v for k, v in MLPERF_LIMITS.items() if row["model"].startswith(k))
    first, step = next(
        (v for k, v in next(named, {}).items() if k in kind), (_NEVER, _NEVER)
    )
    return first, step / P99_OVER_MEAN


def draft(row: Row) -> float:
    """Tokens that are drafted ahead: 3 of `MTP-3`, 0 of `none`."""
    return drafted(row.get("spec_decode", ""))
