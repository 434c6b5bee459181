"""A `software` block read for calibration, and written with what was found.

Every statement of the block is kept as its author wrote it, but those that were
fitted: the new text differs from the old in these lines alone.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from isocost.dsl.document import Block, Document, Fact
from isocost.dsl.syntax import Block as Written
from isocost.dsl.units import Unit
from isocost.engine.calibration.stack_fit import Figure, Fitted
from isocost.engine.graph import Input, Spread
from isocost.engine.program import point
from isocost.engine.scope import Scope

_Z = 1.6448536269514722


@attrs.frozen
class Stated:
    """What a block says of one path: value, doubt, bounds, and its words."""

    path: str
    value: float
    spread: Spread
    fact: Fact | None


def read(scope: Scope, block: Block, paths: Sequence[str]) -> dict[str, Stated]:
    """The figures of a block by path, defaults where it states none.

    Args:
        scope: The bare document's scope.
        block: A `software` block.
        paths: Attributes; one that is neither stated nor has a default is left out.
    """
    found = {}
    for path in paths:
        attribute = block.kind.attributes.get(path)
        fact = block.facts.get(path)
        if fact is None and (attribute is None or attribute.default is None):
            continue
        node = scope.of_block(block, path)
        graph = scope.builder.freeze()
        what = graph.nodes[node].what
        spread = what.spread if isinstance(what, Input) else Spread()
        value = point(graph, (node,))[node]
        found[path] = Stated(path, value, spread, fact)
    return found


def figure(stated: Stated) -> Figure | None:
    """The free figure of a statement; None for a point, a word or a default."""
    spread, value = stated.spread, stated.value
    if stated.fact is None or spread.shape == "point" or not value > 0:
        return None
    share = (spread.low, spread.high) == (0.0, 1.0)
    low, high = spread.low or 0.0, spread.high or math.inf
    return Figure(
        stated.path, value, max(_sigma(spread, value), 1e-4), share, low, high
    )


def _sigma(spread: Spread, value: float) -> float:
    """The standard deviation on the line of a `Figure`."""
    a, b = spread.params[0], spread.params[-1]
    share = (spread.low, spread.high) == (0.0, 1.0)
    if spread.shape == "logitnormal":
        return (math.log(b / (1 - b)) - math.log(a / (1 - a))) / (2 * _Z)
    if spread.shape == "lognormal":
        log = math.log(b / a) / (2 * _Z)
    elif spread.shape == "normal":
        log = b / value
    else:
        log = (max(spread.params) - min(spread.params)) / value / (2 * _Z)
    return log / (1 - value) if share and value < 1 else log


def digits(value: float) -> str:
    """Four significant digits, never with an exponent."""
    return f"{float(f'{value:.4g}'):.12f}".rstrip("0").rstrip(".")


def interval(one: Figure, value: float, spread: float, unit: Unit | None) -> str:
    """A value with its 90% interval as a literal in a unit."""
    place = one.to_line(value) if value < 1 or not one.share else math.inf
    if math.isinf(place):
        return digits(value)
    ends = [one.from_line(place + sign * _Z * spread) for sign in (-1, 1)]
    scale, text = (unit.factor, unit.text) if unit is not None else (1.0, "")
    words = "" if text in {"", "1", "%"} else f" {text}"
    scale = scale if words else 1.0
    return " to ".join(f"{digits(end / scale)}{words}" for end in ends)


def unit_of(fact: Fact) -> Unit | None:
    """The unit that a statement is written in."""
    for part in fact.expr.walk():
        if part.op == "literal":
            found = part.value.unit
            return found if isinstance(found, Unit) else None
    return None


@attrs.frozen
class Report:
    """What was found: the fit, errors left out, and how much stays unexplained."""

    figures: tuple[Figure, ...]
    fitted: Fitted
    rows: int
    sources: tuple[str, ...]
    fold: str
    errors: Mapping[str, float]
    half: float
    residual: float
    still: tuple[str, ...]
    together: tuple[tuple[str, str, float], ...]
    ranges: Mapping[str, str]

    @property
    def mean(self) -> float:
        """The mean of the groups' mean errors."""
        return sum(self.errors.values()) / len(self.errors)


def block_text(
    block: Block, texts: Mapping[str, str], found: Report, key: str, name: str
) -> str:
    """The block with its fitted lines replaced, ready to be read and to be compared.

    Args:
        block: The block that was fitted.
        texts: The text of each file.
        found: What was found.
        key: The key of the source that the new lines cite.
        name: The new block's name.
    """
    new = _new_lines(block, found, key)
    kept = {path: _text(fact, texts) for path, fact in block.facts.items()}
    lines = [f"/// {line}" for line in block.doc.splitlines()]
    lines.append(f"software {name} {{")
    lines += [f"  {line}" for line in {**kept, **new}.values()]
    return "\n".join([*lines, "}", ""])


def _new_lines(block: Block, found: Report, key: str) -> dict[str, str]:
    """The statements that the calibration makes, by path."""
    spreads = found.fitted.spreads.tolist()
    triples = zip(found.figures, found.fitted.values, spreads, strict=True)
    lines = {
        one.path: _line(one, value, spread, block.facts[one.path], key)
        for one, value, spread in triples
    }
    half = found.residual
    ends = f"{digits(math.exp(-half))} to {digits(math.exp(half))}"
    lines["residual"] = f'residual = {ends} @{key} "left out by {found.fold}"'
    for path, literal in found.ranges.items():
        lines[path] = f'{path} = {literal} @{key} "{found.rows} rows"'
    return lines


def _text(fact: Fact, texts: Mapping[str, str]) -> str:
    return texts[fact.file][fact.span.start : fact.span.end].strip()


def sources_text(
    block: Block, document: Document, found: Report, key: str
) -> tuple[list[str], list[str]]:
    """What the kept lines cite: imports of the catalogue's sources, texts of others."""
    gone = set(_new_lines(block, found, key))
    cited = [
        cite.key
        for path, fact in block.facts.items()
        if path not in gone
        for cite in fact.cites
        if not cite.assumed
    ]
    imports: list[str] = []
    copies: list[str] = []
    for name in dict.fromkeys(cited):
        source = document.sources.get(name)
        if source is None:
            continue
        if source.file.startswith("isocost:sources/"):
            imports.append(f'import "{source.file}"')
        else:
            copies.append(_whole(source, document))
    return list(dict.fromkeys(imports)), copies


def _whole(source: Block, document: Document) -> str:
    """The text of a source's whole block, which its own span only names."""
    file = document.files[source.file]
    for item in file.items:
        if isinstance(item, Written) and item.name.span == source.span:
            return file.text[item.span.start : item.span.end].strip() + "\n"
    return ""


def _line(one: Figure, value: float, spread: float, fact: Fact, key: str) -> str:
    stated = interval(one, value, float(spread), unit_of(fact))
    moved = "not moved" if spread > 0.9 * one.spread else f"moved {_move(one, value)}"
    return f'{one.path} = {stated} @{key} "{moved}"'


def _move(one: Figure, value: float) -> str:
    return f"{value / one.median - 1:+.1%}"


def source_text(key: str, found: Report, rows: str) -> str:
    """The source block that the fitted lines cite."""
    names = ", ".join(found.sources)
    left = f"mean error {found.mean:.1%} left out by {found.fold} ({len(found.errors)})"
    note = f"{found.rows} rows of {names}; {left}"
    return (
        f'source {key} "Calibration on {rows}" {{\n'
        '  publisher = "isocost calibrate"\n'
        "  kind = model\n"
        f'  note = "{note}"\n'
        "}\n"
    )


def mean_sizes(errors: np.ndarray[Any, Any], names: Sequence[str]) -> dict[str, float]:
    """The mean size of the errors of each group."""
    groups = np.array(names)
    return {
        name: float(np.abs(errors[groups == name]).mean())
        for name in sorted(set(names))
    }
