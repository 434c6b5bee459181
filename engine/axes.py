"""What a command line varies: `PATH=low:high:count`, read into values of inputs.

A path is one that a file would state (`trainium2.power`), one that a scenario sees
(`on_trn2.chip.power`), or a role that several scenarios share (`site.electricity`),
which then moves in all of them, as `--set` would have it.
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from isocost.dsl.diagnostics import at
from isocost.dsl.expr import Expr
from isocost.dsl.intervals import number_of
from isocost.dsl.messages import title
from isocost.dsl.parser import parse
from isocost.dsl.spans import Span
from isocost.dsl.syntax import Member
from isocost.dsl.units import UnitProblem, unit
from isocost.engine.equation import matching, nearby, shown_unit
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Graph, Input
from isocost.engine.spreads import ABOVE_0

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ENDS = 2
_SLACK = 1e-9
_GRID = 3
#: A number in the unit that the file states; `amount` reads what has one of its own.
_PLAIN = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?")


class AxisError(ValueError):
    """A text that does not say what to vary; the message says why."""


class NoInputError(AxisError):
    """Nothing below the wanted nodes has the path."""


@attrs.frozen
class Spec:
    """A text as it was written: a path, and ends, a grid, or a list of values."""

    path: str
    ends: tuple[str, ...] = ()
    count: int | None = None
    logarithmic: bool = False
    listed: bool = False


@attrs.frozen
class Axis:
    """An input that is varied, in base units.

    `values` are all of a list, and the two ends of a range or of a grid of `count`
    values, which are computed where they are wanted: a grid may be larger than memory.
    Between its ends a `whole` number is rounded.
    """

    path: str
    nodes: tuple[int, ...]
    unit: str
    scale: float
    values: tuple[float, ...]
    logarithmic: bool = False
    count: int | None = None
    listed: bool = False
    whole: bool = False

    @property
    def size(self) -> int:
        """How many values a grid or a list has."""
        return len(self.values) if self.count is None else self.count

    def at(self, places: "NDArray[Any]") -> "NDArray[Any]":
        """The values of a grid or a list at some places, from 0."""
        import numpy as np

        if self.count is None:
            listed: NDArray[Any] = np.asarray(self.values)[places]
            return listed
        first, last = self.values
        u = places / max(self.count - 1, 1)
        out: NDArray[Any] = first * (1 - u) + last * u
        if self.logarithmic:
            ratios = first * np.exp(u * math.log(last / first))
            out = np.where(u == 1, last, ratios)
        return np.rint(out) if self.whole else out

    def between(self, u: "NDArray[Any]") -> "NDArray[Any]":
        """Values at shares of the way from the least to the greatest value."""
        import numpy as np

        low, high = min(self.values), max(self.values)
        out: NDArray[Any] = (
            low * np.exp(u * math.log(high / low))
            if self.logarithmic
            else low + u * (high - low)
        )
        return np.rint(out) if self.whole else out


def spec(text: str) -> Spec:
    """Read `PATH`, `PATH=low:high`, `PATH=low:high:count[:log]` or `PATH=a,b,c`.

    Raises:
        AxisError: The text is none of these.
    """
    path, equals, rest = (part.strip() for part in text.partition("="))
    path = re.sub(r"\s*,\s*", ", ", path)  # keys as the graph's names part them
    if not path or (equals and not rest):
        raise AxisError(f"'{text}' is no PATH=low:high:count")
    if not equals:
        return Spec(path)
    if ":" not in rest:
        return Spec(path, tuple(v.strip() for v in rest.split(",")), listed=True)
    parts = [part.strip() for part in rest.split(":")]
    logarithmic = len(parts) == _GRID + 1 and parts[-1] == "log"
    if logarithmic:
        parts.pop()
    if not all(parts) or not _ENDS <= len(parts) <= _GRID:
        raise AxisError(f"'{text}' is no PATH=low:high:count")
    count = None
    if len(parts) == _GRID:
        digits = parts[-1].replace("_", "")
        if not digits.isdecimal() or int(digits) < 1:
            raise AxisError(f"{path}: '{parts[-1]}' is no count of values")
        count = int(digits)
    return Spec(path, tuple(parts[:_ENDS]), count, logarithmic)


def amount(text: str, unit_text: str, scale: float) -> float:
    """A number in base units: one with a unit, or in a given unit where it has none.

    Raises:
        AxisError: It is no number, or of another dimension.
    """
    if _PLAIN.fullmatch(text):
        return _finite(float(text.replace("_", "")) * scale, text)
    file = parse(f"edition 2026\nlet value = {text}\n", "--vary")
    member = file.items[-1] if file.items and not file.diagnostics else None
    tree = member.value.map(_in_own_unit) if isinstance(member, Member) else None
    value = None if tree is None else number_of(tree)
    if value is None or tree is None:
        raise AxisError(f"'{text}' is no number")
    written = (tree.args[0] if tree.op == "neg" else tree).value.unit
    if written is None:  # `100k`: its prefix is of the number
        return _finite(value * scale, text)
    if written.dim != unit(unit_text).dim:
        number = text.removesuffix(written.text).strip()
        hint = f"; write '{number} {unit_text}', or '{number}' alone"
        hint = hint if unit_text.startswith(f"{written.text}/") else ""
        raise AxisError(f"'{text}' is not in {unit_text} or a unit like it{hint}")
    return _finite(value, text)


def _in_own_unit(part: Expr) -> Expr:
    """A number in a unit that the language lacks, as one in a file's own countable."""
    if part.op != "literal" or not isinstance(part.value.unit, UnitProblem):
        return part
    name = part.value.text.rpartition(" ")[2]
    try:
        own = unit(name)
    except ValueError:
        raise AxisError(f"'{name}' is no unit") from None
    return attrs.evolve(part, value=attrs.evolve(part.value, unit=own))


def _finite(value: float, text: str) -> float:
    if not math.isfinite(value):
        raise AxisError(f"'{text}' is more than a number can be")
    return value


def within(graph: Graph, nodes: Iterable[int], one: Spec) -> tuple[float, ...]:
    """The values of a text in base units, held to what its inputs may be.

    Args:
        graph: The graph.
        nodes: The inputs that are varied.
        one: What is to be varied.

    Raises:
        AxisError: A value cannot be read, or is none that a file could state.
    """
    nodes = tuple(nodes)
    text, scale = shown_unit(graph, nodes[0])
    values = tuple(amount(end, text, scale) for end in one.ends)
    for node in nodes:
        what = graph.nodes[node].what
        least, most = what.limits if isinstance(what, Input) else (None, None)
        for value, end in zip(values, one.ends, strict=True):
            slack = _SLACK * abs(value)
            below = least is not None and value < least - slack
            if below or (most is not None and value > most + slack):
                raise AxisError(_beyond(one.path, end, least, most))
    return values


def _beyond(path: str, value: str, least: float | None, most: float | None) -> str:
    """The words of V001 for a value on the command line."""
    ends = {"low": least, "high": most}
    facts = {k: "" if e is None else f"{e:g}" for k, e in ends.items()}
    if least is not None and 0 < least < ABOVE_0:
        facts = {"above": "0"}
    span = Span("--vary", 0, 0)
    return title(at("V001", span, facts={"name": path, "value": value, **facts}))


def axis(evaluation: Evaluation, wanted: Sequence[int], one: Spec) -> Axis:
    """The inputs below some nodes that a text means, with their values.

    Args:
        evaluation: The evaluated document.
        wanted: The nodes below which they must lie.
        one: What is to be varied; two ends alone are a range.

    Raises:
        AxisError: A value cannot be read, or the inputs differ in unit; where nothing
            below the nodes has the path, a `NoInputError`.
    """
    graph = evaluation.graph
    nodes = matching(graph, wanted, one.path)
    if not nodes:
        near = " or ".join(nearby(graph, wanted, one.path))
        more = f"; did you mean {near}?" if near else ""
        raise NoInputError(f"there is no input {one.path}{more}")
    units = [shown_unit(graph, node) for node in nodes]
    text, scale = units[0]
    if any(unit(other).dim != unit(text).dim for other, _ in units):
        raise AxisError(f"{one.path} is of several dimensions; name one input")
    values = within(graph, nodes, one)
    if one.logarithmic and min(values) <= 0:
        raise AxisError(f"{one.path}: a logarithmic grid needs ends above 0")
    whole = any(getattr(graph.nodes[n].what, "whole", False) for n in nodes)
    if whole and any(value != round(value) for value in values):
        raise AxisError(f"{one.path} is a whole number; between its ends it is rounded")
    return Axis(
        path=one.path,
        nodes=tuple(nodes),
        unit=text,
        scale=scale,
        values=values,
        logarithmic=one.logarithmic,
        count=one.count,
        listed=one.listed,
        whole=whole,
    )
