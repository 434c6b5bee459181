"""Fitted coefficients as `software` blocks: text that a person can read and diff.

An interval is the 90% interval of a coefficient, given all others; `residual` is the
factor on time that the fit leaves unexplained for dense models; experts and first
tokens have a further one.
"""

import math

import attrs

from isocost.engine.calibration.inference import Fitted
from isocost.engine.calibration.inference_chips import Chip, find_chip
from isocost.engine.calibration.inference_spread import (
    NORMAL_90,
    UNSEEN_STACK_EXPERTS,
    unseen,
)
from isocost.engine.calibration.inference_stacks import Stack, find_stack


@attrs.frozen
class Place:
    """Where a coefficient stands in a block: path, unit, and whether it is a share.

    `least` is the bound of the attribute.
    """

    path: str
    unit: str = ""
    scale: float = 1.0
    share: bool = False
    least: float = 0.0


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
    "prompt_gaps": Place("prompt_gaps"),
    "step_overhead": Place("step_overhead", "us", 1e-6),
    "sequence_overhead": Place("sequence_overhead", "us/sequence", 1e-6),
    "half_width": Place("experts.half_width"),
    "tile": Place("experts.tile", "token"),
    "imbalance": Place("experts.imbalance", least=1.0),
    "permute_traffic": Place("experts.traffic"),
    "rate_share": Place("collective.efficiency", share=True),
    "exchange_share": Place("collective.exchange", share=True),
    "acceptance": Place("speculation.acceptance", share=True),
}
#: Figures of the fit's network that no measurement moves, by chips' vendor.
_GPU_NETWORK = {
    "collective.own": "0",
    "collective.cross": "1.38",
    "collective.damping": "0.37",
    "collective.reduction": "0.68",
    "collective.reduction_latency": "1.07 us",
    "collectives": "[ring, in_network, direct]",
}
_COUNTED = "counted in the layer's overhead, with which it was fitted"
_UNTOLD = "its rows have one query head a rank, where this does not matter"
_BY_DESIGN = "held fixed: no measurement tells it apart"


def shipped_stack(framework: str, chip_name: str) -> tuple[Stack, Chip]:
    """The stack of a framework on a chip that it runs on."""
    chip = find_chip(chip_name)
    assert chip is not None  # noqa: S101 (our own table)
    return find_stack(framework, chip), chip


def digits(value: float) -> str:
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
    bounded = [max(end / place.scale, place.least) for end in ends]
    return " to ".join(digits(end) + unit for end in bounded)


def _factor(variance: float) -> str:
    """The 90% interval of a factor around 1."""
    half = math.exp(NORMAL_90 * math.sqrt(max(variance, 0.03**2)))
    return f"{digits(1 / half)} to {digits(half)}"


def coefficient_lines(
    stack: Stack, fitted: Fitted, source: str, links: float = 1.0
) -> list[str]:
    """A line for each coefficient, with its interval.

    The fit counts all links of a chip; a library whose ring uses one in `links` of
    them reaches that much more of what it uses.
    """
    lines = []
    for variable, place in PLACES.items():
        key = stack.coefficient(variable)
        value = fitted.values[key] * (links if variable == "rate_share" else 1.0)
        interval = _interval(value, fitted.spreads[key], place)
        lines.append(f'{place.path} = {interval} @{source} "{key}"')
    if stack.reread is None:
        key = stack.coefficient("reread")
        place = Place("cache.reread", share=True)
        interval = _interval(fitted.values[key], fitted.spreads[key], place)
        lines.append(f'{place.path} = {interval} @{source} "{key}"')
    return lines


def fixed_lines(stack: Stack, chip: Chip, source: str) -> list[str]:
    """What the stack does by design, and what its fit held fixed."""
    lines = []
    if stack.thin:
        lines.append(f'cache.reread = uniform(0, 1) @assumed "{_UNTOLD}"')
    elif stack.reread:
        lines.append(f'cache.reread = {stack.reread:g} @{source} "by design"')
    if stack.bucketed:
        lines.append(f'cache.buckets = true @{source} "by design"')
    if stack.overlap:
        lines.append(f'experts.overlap = {stack.overlap:g} @{source} "by design"')
    if chip.fabric == "neuron":
        lines.append(f'collective.launch = 0 us @{source} "{_COUNTED}"')
        lines.append(f'collective.own = 0 @{source} "{_BY_DESIGN}"')
    elif chip.fabric.startswith("nvlink"):
        lines += [
            f'{path} = {value} @{source} "{_BY_DESIGN}"'
            for path, value in _GPU_NETWORK.items()
        ]
    return lines


def residual_lines(
    stack: Stack, chip: Chip, fitted: Fitted, source: str, *, experts_seen: bool
) -> list[str]:
    """One factor for the stack, and a further one for experts and first tokens."""
    known = fitted.residual
    dense, experts = known["dense"] ** 2, known["experts"] ** 2
    first = known["ttft" if chip.vendor == "nvidia" else "ttft_neuron"] ** 2
    new = {kind: unseen(stack, chip, experts=kind) for kind in (False, True)}
    further = experts + new[True] - dense - new[False]
    if stack.measured and not experts_seen:
        further += UNSEEN_STACK_EXPERTS**2
    return [
        f'residual = {_factor(dense + new[False])} @{source} "rows left out: dense"',
        f'residual.experts = {_factor(further)} @{source} "rows left out: experts"',
        f'residual.ttft = {_factor(first - dense)} @{source} "rows left out: ttft"',
    ]


def software_block(
    name: str,
    stack: Stack,
    chip: Chip,
    fitted: Fitted,
    source: str,
    *,
    experts_seen: bool = True,
    links: float = 1.0,
) -> str:
    """A `software` block.

    Args:
        name: The block's name.
        stack: Which coefficients it takes.
        chip: A chip that it runs on: whether its vendor was ever measured.
        fitted: Values and spreads of the coefficients, and the residuals.
        source: The key of the block's source (`@key` on every line).
        experts_seen: Whether any of its rows had a model of experts.
        links: Links of a chip over those that a ring of its library uses.
    """
    lines = [
        *coefficient_lines(stack, fitted, source, links),
        *fixed_lines(stack, chip, source),
        *residual_lines(stack, chip, fitted, source, experts_seen=experts_seen),
    ]
    return "\n".join([f"software {name} {{", *(f"  {x}" for x in lines), "}", ""])
