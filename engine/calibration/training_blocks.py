"""Calibrated training stacks as `software` blocks: text to read, to diff and to keep.

A block is one family of stacks on one generation of chips. Each figure has a 90%
interval from the standard error of the coefficients behind it; one that no
measurement told apart is stated as a point and says so. `residual` is what is left
of the half-width of errors on left-out sources (what a scenario is to a stack) once
the coefficients' own doubt is taken off, so that nothing is counted twice.
"""

import math
from collections.abc import Iterable, Sequence

import attrs
import numpy as np

from isocost.dsl.schema.base import KINDS
from isocost.engine.calibration import training_coefficients as table
from isocost.engine.calibration.training import Calibration, stack_figures
from isocost.engine.calibration.training_model import batch_of, predict
from isocost.engine.calibration.training_rows import Run
from isocost.engine.calibration.training_scenario import STACK_FLAGS, STACK_LINES
from isocost.engine.calibration.training_stacks import CORE, EAGER, FSDP, XLA, Stack

#: The normal quantile of a 90% interval.
_Z = 1.6448536269514722
#: No residual is closer than this, however wide the coefficients are.
_LEAST = 0.05
#: Figures that only a generation with several power limits has.
_VARIANTS = ("reference", "variant")
_FAMILIES = {stack.name: stack for stack in (EAGER, FSDP, CORE, XLA)}
#: Families of chips in the catalogue by generation of the calibration.
FAMILIES = {
    "ampere": ("ampere",),
    "hopper": ("hopper",),
    "blackwell": ("blackwell",),
    "amd": ("cdna3", "cdna4"),
    "tpu": ("tpu_v5e", "tpu_v5p", "tpu_v6e"),
    "aws": ("trn1", "inf2", "trn2", "trn3"),
    "other": (),
}
_EXAMPLE = {
    "ampere": "A100",
    "hopper": "H100",
    "blackwell": "B200",
    "amd": "MI300X",
    "tpu": "TPU-v5p",
    "aws": "Trainium2",
    "other": "unseen",
}


@attrs.frozen
class Shipped:
    """A block to write: its name, stack, generation of chips, and words about it."""

    name: str
    stack: str
    generation: str
    framework: str
    version: str
    year: float
    doc: str
    ranks_per_chip: float = 1.0

    @property
    def family(self) -> Stack:
        """The family of stacks and what it does by design."""
        return _FAMILIES[self.stack]


def behind(figure: str, stack: str, generation: str) -> tuple[str, ...]:
    """The coefficients that a figure of a stack is made of.

    Args:
        figure: An input of the plan.
        stack: A family of stacks.
        generation: A generation of chips.
    """
    law, attention = table.shares(_EXAMPLE[generation])
    special: dict[str, tuple[str | None, ...]] = {
        "generation_share": (law,),
        "variant": ("variant",) if generation in table.REFERENCES else (),
        "reference": (),
        "loss_bytes": ("loss_bytes_torch",) if stack in table.UNFUSED_LOSS else (),
        "attention_share": ("attention", attention),
        "traffic": ("traffic", "traffic_fsdp" if stack == "fsdp" else None),
        "layer_host": (f"layer_host_{stack}",),
        "step_host": (f"step_host_{stack}",),
        "moe_passes": ("moe_passes", "moe_decay"),
        "expert_host": ("expert_host", "moe_decay"),
    }
    if stack == "eager":
        special |= {name: (f"{name}_eager",) for name in ("tp_exposed", "latency")}
    names = special.get(figure, (figure,))
    return tuple(name for name in names if name and name in table.COEFFICIENTS)


def figures(block: Shipped, made: Calibration) -> dict[str, float]:
    """The stack's inputs of the plan by name."""
    stack = block.family
    link = table.LINK_SHARE
    gain = table.REDUCE_GAIN if block.generation in {"hopper", "blackwell"} else 1.0
    found = stack_figures(stack.name, _EXAMPLE[block.generation], block.year, made)
    return {
        **table.FIXED,
        **{name: value for name, (value, _) in found.items()},
        "link_share": link,
        "reduce_share": link * gain,
        "send_exposed": stack.send_exposed,
        "reduce_bytes": stack.reduce_bytes,
        "gather_bytes": 6.0 if stack.name == "xla" else 8.0,
        "flash": float(stack.flash),
        "causal": 1.0,
        "balanced": float(stack.balanced),
        "sequence_parallel": float(stack.sequence_parallel),
    }


def digits(value: float, figures_: int = 4) -> str:
    """A number to a few significant digits, never with an exponent."""
    text = f"{float(f'{value:.{figures_}g}'):.12f}"
    return text.rstrip("0").rstrip(".")


def interval(path: str, value: float, spread: float, unit: str = "") -> str:
    """A value with the 90% interval of its logarithm's spread, as a literal.

    Args:
        path: The attribute of `software`, whose bounds decide the shape.
        value: The median, in the literal's unit. Of a share the lower end is what the
            spread makes it, the upper as far in odds.
        spread: Standard error of the logarithm; 0 for a point.
        unit: The unit of the literal.
    """
    ends = [value]
    if spread and value:
        half = _Z * spread
        ends = [value * math.exp(-half), value * math.exp(half)]
        attribute = KINDS["software"].attributes.get(path)
        if attribute is not None and attribute.high == 1.0 and 0 < value < 1:
            odds = value / (1 - value)
            wide = odds * (1 - ends[0]) / ends[0]
            ends = [1 / (1 + wide / odds), 1 / (1 + 1 / wide / odds)]
    return " to ".join(f"{digits(end)} {unit}".strip() for end in ends)


def coefficient_width(runs: Sequence[Run], made: Calibration) -> float:
    """Half-width that the coefficients' own doubt gives a step's time, median of runs.

    Args:
        runs: Runs of one stack and generation.
        made: The calibration.
    """
    if not runs:
        return 0.0
    batch = batch_of(runs)
    base = np.log(predict(batch, made.values))
    square = np.zeros(len(runs))
    for name, error in made.errors.items():
        moved = {**made.values, name: made.values[name] * math.exp(0.01)}
        slope = (np.log(predict(batch, moved)) - base) / 0.01
        square += (slope * error) ** 2
    return float(_Z * np.median(np.sqrt(square)))


def _factor(half: float) -> str:
    return f"{digits(math.exp(-half))} to {digits(math.exp(half))}"


def _left(whole: float, part: float) -> float:
    """What is left of a half-width beside an independent part of it."""
    return math.sqrt(max(whole**2 - part**2, _LEAST**2))


def _residuals(
    block: Shipped, runs: Sequence[Run], made: Calibration, source: str
) -> list[str]:
    """The factors on time that are left unexplained, by regime."""
    widths = made.widths
    whole, why = widths.foreign, "left-out vendors, their chips named as nobody's"
    if block.generation in {kind for _, kind, _ in made.pairs} - {"other"}:
        whole, why = widths.new, "left-out sources"
    known = widths.known.get(block.stack, widths.new)
    new = _left(widths.new, min(known, widths.new)) if runs else _LEAST
    foreign = _left(widths.foreign, whole)
    lines = {
        "residual": (_left(whole, coefficient_width(runs, made)), why),
        "residual.experts": (widths.experts, "left-out models of experts"),
        "residual.unseen": (new, "left-out sources, over left-out series"),
        "residual.foreign": (foreign, "left-out vendors, over left-out sources"),
    }
    return [
        f'  {path} = {_factor(half)} @{source} "{words}"'
        for path, (half, words) in lines.items()
    ]


def ranges(runs: Sequence[Run]) -> dict[str, str]:
    """What runs span, as literals by path: chips, parameters, tokens of a step."""
    found: dict[str, list[float]] = {"chips": [], "parameters": [], "batch": []}
    for run in runs:
        x = run.inputs
        chips = x["ranks"] * x["rank_chips"]
        found["chips"].append(chips)
        found["parameters"].append(parameters(run))
        found["batch"].append(x["batch"] * x["sequence"] / chips)
    return {
        f"calibrated.{name}[{key}]": _size(name, pick(values))
        for name, values in found.items()
        if values
        for key, pick in (("least", min), ("most", max))
    }


def _ranges(runs: Sequence[Run], source: str) -> list[str]:
    """Lines on what the stack was calibrated on."""
    return [
        f'  {path} = {literal} @{source} "{len(runs)} runs"'
        for path, literal in ranges(runs).items()
    ]


def _size(name: str, value: float) -> str:
    """An end of a range with its unit."""
    if name == "parameters":
        return f"{digits(value / 1e9, 3)}G"
    return f"{digits(value, 3)} {'chip' if name == 'chips' else 'token/chip'}"


def parameters(run: Run) -> float:
    """Parameters of a run's model, norms left out."""
    x = run.inputs
    experts = (x["experts"] + x["shared_experts"]) * x["expert"]
    layers = x["layers"] * x["attention"] + x["dense_layers"] * x["mlp"]
    tables = (2 - run.made.tied) * x["vocabulary"] * x["hidden"]
    return float(layers + x["moe_layers"] * experts + tables)


def _why_fixed(figure: str, names: Sequence[str]) -> str:
    if "chip_aws" in names:
        return "from the utilisation that AWS publishes for Trainium1"
    if figure == "generation_share" and not names:
        return "the chips that the law is stated for"
    if figure == "reference":
        return "of the chip that its share is quoted for"
    return "held fixed: no run tells it apart"


def _coefficients(block: Shipped, made: Calibration, source: str) -> list[str]:
    values = figures(block, made)
    lines = []
    for name, (path, unit, size) in STACK_LINES.items():
        if name in _VARIANTS and block.generation not in table.REFERENCES:
            continue
        names = behind(name, block.stack, block.generation)
        spread = math.sqrt(sum(made.errors.get(n, 0.0) ** 2 for n in names))
        stated = interval(path, values[name] / size, spread, unit)
        why = ", ".join(names) if spread and values[name] else _why_fixed(name, names)
        lines.append(f'  {path} = {stated} @{source} "{why}"')
    for name, path in STACK_FLAGS.items():
        word = str(bool(values[name])).lower()
        lines.append(f'  {path} = {word} @{source} "by design"')
    fp4 = made.values["fp4_share"]
    lines.append(f'  training.precision[fp4] = {digits(fp4)} @{source} "held fixed"')
    accumulates = str(block.family.accumulates).lower()
    lines.append(f'  training.accumulates = {accumulates} @{source} "by design"')
    return lines


def runs_of(block: Shipped, runs: Iterable[Run]) -> list[Run]:
    """The runs that a block was calibrated on."""
    if block.generation == "other":
        return []
    return [
        run
        for run in runs
        if run.trusted
        and run.stack.known
        and run.stack.name == block.stack
        and table.generation(run.chip) == block.generation
    ]


def _formats(runs: Sequence[Run]) -> list[str]:
    out = {"bf16", "fp16"}
    for run in runs:
        x = run.inputs
        low = "fp4" if x["fp4"] else "int8" if x["plain_gradient"] else "fp8"
        out |= {low} if x["low"] else set()
    return sorted(out)


def software_block(
    block: Shipped,
    runs: Sequence[Run],
    made: Calibration,
    source: str,
    vendor: str = "",
) -> str:
    """The text of a `software` block.

    Args:
        block: What to write.
        runs: All runs of the calibration; those of the block say where it holds.
        made: The calibration.
        source: The key of the block's source.
        vendor: Whose chips it runs on.
    """
    own = runs_of(block, runs)
    families = ", ".join(FAMILIES[block.generation])
    lines = [f"/// {line}" for line in block.doc.splitlines()]
    lines += [f"software {block.name} {{"]
    lines += [f'  vendor = "{vendor}"'] if vendor else []
    lines += [
        f'  framework = "{block.framework}"',
        f'  version = "{block.version}" @{source}',
    ]
    lines += [f"  chips = [{families}]"] if families else []
    lines += [f"  precisions = [{', '.join(_formats(own))}]"] if own else []
    if block.ranks_per_chip != 1:
        ranks = f"{digits(block.ranks_per_chip)} /chip"
        lines.append(f'  ranks_per_chip = {ranks} @{source} "as its layouts count"')
    lines += _coefficients(block, made, source)
    lines += [
        f'  training.reserve = 0.1 @{source} "held fixed"',
        f'  memory.reserve = 4 GB/chip @{source} "held fixed"',
        *_residuals(block, own, made, source),
        *_ranges(own, source),
    ]
    return "\n".join([*lines, "}", ""])
