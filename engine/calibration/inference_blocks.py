"""Fitted coefficients as `software` blocks: text that a person can read and diff.

An interval is the 90% interval of a coefficient, given all others; `residual` is the
factor on time that the fit leaves unexplained, for the regime that is named. What the
language has no attribute for is left to `unplaced`.
"""

import math

import attrs

from isocost.engine.calibration.inference import Fitted
from isocost.engine.calibration.inference_chips import Chip, find_chip
from isocost.engine.calibration.inference_spread import NORMAL_90, unseen
from isocost.engine.calibration.inference_stacks import Stack, find_stack


@attrs.frozen
class Place:
    """Where a coefficient stands in a block: path, unit, and whether it is a share."""

    path: str
    unit: str = ""
    scale: float = 1.0
    share: bool = False


PLACES = {
    "memory_share": Place("memory.sustained", share=True),
    "cache_memory_share": Place("memory.cache_sustained", share=True),
    "cache_share": Place("memory.usable", share=True),
    "reserve": Place("memory.reserve", "GB/chip", 1e9),
    "base": Place("matrix.base"),
    "slope": Place("matrix.slope"),
    "attention_share": Place("attention.efficiency", share=True),
    "traffic": Place("elementwise.traffic"),
    "layer_overhead": Place("layer_overhead", "us", 1e-6),
    "step_overhead": Place("step_overhead", "us", 1e-6),
    "sequence_overhead": Place("sequence_overhead", "us/sequence", 1e-6),
    "rate_share": Place("collective.efficiency", share=True),
    "exchange_share": Place("collective.exchange", share=True),
}
#: Stacks that are shipped as blocks: name, a framework and a chip that find it.
SHIPPED = {
    "trtllm_2023": ("TensorRT-LLM 0.6", "H100"),
    "trtllm_2025": ("TensorRT-LLM v1.0", "H100"),
    "gpu_unmeasured": ("vLLM", "H100"),
    "rocm_unmeasured": ("vLLM", "MI300X"),
    "tpu_unmeasured": ("JetStream", "TPU-v5e"),
    "neuron_tnx": ("Transformers NeuronX, SDK 2.18.1", "Trainium1"),
    "neuron_nxd": ("NxD Inference", "Trainium2"),
}


def shipped_stack(name: str) -> tuple[Stack, Chip]:
    """A stack of `SHIPPED` by its name, and a chip that it runs on."""
    framework, chip_name = SHIPPED[name]
    chip = find_chip(chip_name)
    assert chip is not None  # noqa: S101 (our own table)
    return find_stack(framework, chip), chip


def _digits(value: float) -> str:
    """Three significant digits, never with an exponent."""
    return f"{float(f'{value:.3g}'):.6g}"


def _interval(value: float, spread: float, place: Place) -> str:
    """`60 us to 110 us`: the 5th and 95th percentile; a share's in its logit."""
    if place.share:
        middle = math.log(value / (1 - value))
        half = NORMAL_90 * spread / (1 - value)
        ends = [1 / (1 + math.exp(-middle - sign * half)) for sign in (-1, 1)]
    else:
        ends = [value * math.exp(sign * NORMAL_90 * spread) for sign in (-1, 1)]
    unit = f" {place.unit}" if place.unit else ""
    return " to ".join(_digits(end / place.scale) + unit for end in ends)


def software_block(
    name: str,
    stack: Stack,
    chip: Chip,
    fitted: Fitted,
    source: str,
    regime: str = "dense",
) -> str:
    """A `software` block.

    Args:
        name: The block's name.
        stack: Which coefficients it takes.
        chip: A chip that it runs on: whether its vendor was ever measured.
        fitted: Values and spreads of the coefficients, and the residuals.
        source: The key of the block's source (`@key` on every line).
        regime: Whose residual it states.
    """
    lines = [f"software {name} {{"]
    for variable, place in PLACES.items():
        key = stack.coefficient(variable)
        interval = _interval(fitted.values[key], fitted.spreads[key], place)
        lines.append(f'  {place.path} = {interval} @{source} "{key}"')
    new = unseen(stack, chip, experts=regime == "experts")
    half = math.exp(NORMAL_90 * math.sqrt(fitted.residual[regime] ** 2 + new))
    ends = f"{_digits(1 / half)} to {_digits(half)}"
    lines.append(f'  residual = {ends} @{source} "rows left out: {regime}"')
    return "\n".join([*lines, "}", ""])


def unplaced(stack: Stack, fitted: Fitted) -> dict[str, tuple[float, float]]:
    """Coefficients of a stack without an attribute: value and spread by variable."""
    variables = {name.split("@")[0] for name in fitted.values} - set(PLACES)
    keys = {
        variable: stack.coefficient(variable)
        for variable in sorted(variables)
        if variable != "reread" or stack.reread is None
    }
    return {
        variable: (fitted.values[key], fitted.spreads[key])
        for variable, key in keys.items()
    }
