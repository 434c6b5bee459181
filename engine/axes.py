"""What a command line varies: `PATH=low:high:count`, read into values of inputs.

A path is one that a file would state (`trainium2.power`), one that a scenario sees
(`on_trn2.chip.power`), or a role that several scenarios share (`site.electricity`),
which then moves in all of them, as `--set` would have it.
"""

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from isocost.dsl.diagnostics import at
from isocost.dsl.intervals import number_of
from isocost.dsl.parser import parse
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import Member
from isocost.dsl.units import unit
from isocost.engine.equation import matching, shown_unit
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Input

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ENDS = 2
_GRID = 3
#: A number in the unit that the file states; `amount` reads what has one of its own.
_PLAIN = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?")


class AxisError(ValueError):
    """A text that does not say what to vary; the message says why."""


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
    """An input that is varied: its nodes, and its values or its range in base units."""

    path: str
    nodes: tuple[int, ...]
    unit: str
    scale: float
    values: tuple[float, ...]
    logarithmic: bool = False

    def between(self, u: "NDArray[Any]") -> "NDArray[Any]":
        """Values at shares of the way from the least to the greatest value."""
        import numpy as np

        low, high = min(self.values), max(self.values)
        out: NDArray[Any] = (
            low * np.exp(u * math.log(high / low))
            if self.logarithmic
            else low + u * (high - low)
        )
        return out


def spec(text: str) -> Spec:
    """Read `PATH`, `PATH=low:high`, `PATH=low:high:count[:log]` or `PATH=a,b,c`.

    Raises:
        AxisError: The text is none of these.
    """
    path, equals, rest = (part.strip() for part in text.partition("="))
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
        return float(text.replace("_", "")) * scale
    file = parse(f"edition 2026\nlet value = {text}\n", "--vary")
    member = file.items[-1] if file.items and not file.diagnostics else None
    value = number_of(member.value) if isinstance(member, Member) else None
    if value is None or not isinstance(member, Member):
        raise AxisError(f"'{text}' is no number")
    expr = member.value.args[0] if member.value.op == "neg" else member.value
    written = expr.value.unit
    if (written or unit("1")).dim != unit(unit_text).dim:
        raise AxisError(f"'{text}' is not in {unit_text} or a unit like it")
    return value


def axis(evaluation: Evaluation, wanted: Sequence[int], one: Spec) -> Axis | None:
    """The inputs below some nodes that a text means, with their values.

    Args:
        evaluation: The evaluated document.
        wanted: The nodes below which they must lie.
        one: What is to be varied; two ends alone are a range.

    Returns:
        The axis; None, with a diagnostic in `evaluation`, where nothing has the path.

    Raises:
        AxisError: A value cannot be read, or the inputs differ in unit.
    """
    graph = evaluation.graph
    nodes = matching(graph, wanted, one.path)
    if not nodes:
        inputs = (graph.nodes[n].what for n in graph.inputs(wanted))
        paths = {what.origin for what in inputs if isinstance(what, Input)}
        near = ", ".join(nearest(one.path, [*sorted(paths), *graph.names]))
        facts = {"name": one.path, "near": near}
        evaluation.diagnostics.append(at("N003", evaluation.bare.where(), facts=facts))
        return None
    units = [shown_unit(graph, node) for node in nodes]
    text, scale = units[0]
    if any(unit(other).dim != unit(text).dim for other, _ in units):
        raise AxisError(f"{one.path} is of several dimensions; name one input")
    values = tuple(amount(end, text, scale) for end in one.ends)
    if not one.listed:
        values = _spread(one, values)
    return Axis(one.path, tuple(nodes), text, scale, values, one.logarithmic)


def _spread(one: Spec, ends: tuple[float, ...]) -> tuple[float, ...]:
    """The values of a grid between two ends; the ends alone without a count."""
    import numpy as np

    if one.logarithmic and min(ends) <= 0:
        raise AxisError(f"{one.path}: a logarithmic grid needs ends above 0")
    if one.count is None:
        return ends
    even = np.geomspace if one.logarithmic else np.linspace
    return tuple(np.asarray(even(ends[0], ends[1], one.count)).tolist())
