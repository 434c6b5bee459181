"""What a value means, however it is spelled: `500 W`, `0.5 kW` and `500.0 W` are one.

The diff and the merge ask here whether two statements say the same. Numbers are
exact fractions of base units, to the twelve digits that the engine keeps; the names
of renamed blocks are read as the new ones.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from isocost.dsl.document import Fact
from isocost.dsl.expr import Expr
from isocost.dsl.schema.base import Attribute, Kind
from isocost.dsl.syntax import Call, CiteRef, Part, Path
from isocost.dsl.units import PLAIN, Dim, Unit, unit
from isocost.dsl.values import number_of

Names = Mapping[str, str]
_NO_NAMES: Names = {}
#: The standard normal's 95th percentile, for the ends of a stated deviation.
_Z95 = 1.6448536269514722
_DIGITS = 12


class Reading:
    """How the numbers of one fact are read: its attribute, its block's count, names."""

    def __init__(
        self, attribute: Attribute | None, kind: Kind | None, names: Names = _NO_NAMES
    ) -> None:
        self.attribute = attribute
        self.per = kind.count_dim if kind is not None else PLAIN
        self.names = names

    def meaning(self, expr: Expr) -> Any:
        """A value that equals that of every expression with the same meaning."""
        if expr.op in {"literal", "neg"} and (found := self._number(expr)) is not None:
            return found
        if expr.op == "tolerance":
            return self._tolerance(expr)
        args = tuple(self.meaning(arg) for arg in expr.args)
        if expr.op == "path":
            return ("path", renamed(expr.value, self.names))
        if isinstance(expr.value, Call):
            return ("call", expr.value.name, expr.value.keywords, args)
        return (expr.op, expr.value, args)

    def _number(self, expr: Expr) -> Any:
        if expr.op == "neg":
            inner = self._number(expr.args[0]) if _is_number(expr.args[0]) else None
            return inner if inner is None else (-inner[0], inner[1])
        found = expr.value.unit
        if found is None:
            scale, dim = Fraction(1), PLAIN
            if self.attribute is not None and self.attribute.bare:
                bare = unit(self.attribute.bare)
                scale, dim = bare.scale, bare.dim
        elif isinstance(found, Unit):
            scale, dim = found.scale, self._dim(found.dim)
        else:
            return ("unreadable", expr.value.text)
        return (_rounded(expr.value.number) * scale, dim)

    def _dim(self, dim: Dim) -> Dim:
        """A figure may name what its block counts or leave it out."""
        if self.attribute is None or self.per.plain:
            return dim
        return dim * self.per if dim * self.per == self.attribute.dim else dim

    def _tolerance(self, expr: Expr) -> Any:
        """A relative width as the absolute one that it stands for."""
        middle, half = (self._number(a) if _is_number(a) else None for a in expr.args)
        if middle is None or half is None:
            return ("tolerance", *(self.meaning(arg) for arg in expr.args))
        size = abs(middle[0]) * half[0] if relative(expr) else half[0]
        return ("tolerance", middle, _rounded(float(size)))


def _is_number(expr: Expr) -> bool:
    return number_of(expr) is not None


def _rounded(number: float) -> Fraction:
    return Fraction(f"{number:.{_DIGITS}g}") if math.isfinite(number) else Fraction(0)


def renamed(path: Path, names: Names) -> str:
    """A path with the new name of a renamed block at its head."""
    if not names:
        return str(path)
    for size in range(len(path.parts), 0, -1):
        head = ".".join(map(str, path.parts[:size]))
        if head in names:
            rest = Path((Part(names[head]), *path.parts[size:]))
            return str(rest)
    return str(path)


def relative(expr: Expr) -> bool:
    """Whether the width of a tolerance is a share of its middle (`pp` is not)."""
    width = expr.args[1]
    return width.op == "literal" and "%" in width.value.text


def spelling(expr: Expr) -> tuple[str, ...]:
    """The spelling of every number of an expression, which `==` passes over."""
    return tuple(part.value.text for part in expr.walk() if part.op == "literal")


def same_text(old: Expr, new: Expr) -> bool:
    """Whether two expressions are written alike, places and brackets aside."""
    return old is new or (old == new and spelling(old) == spelling(new))


def cites_of(cites: tuple[CiteRef, ...]) -> tuple[tuple[str, str], ...]:
    """Citations without their places."""
    return tuple((cite.key, cite.locator) for cite in cites)


def spread_of(
    expr: Expr, attribute: Attribute | None
) -> tuple[float, float, float] | None:
    """The point and the ends of a stated value, in base units; None for other things.

    An interval's point is its median, as the language defines it.
    """
    if _is_number(expr):
        value = number_of(expr)
        assert value is not None  # noqa: S101 (just asked)
        return value, value, value
    numbers = [number_of(arg) for arg in expr.args]
    found = [number for number in numbers if number is not None]
    if len(found) != len(numbers) or not found:
        return None
    if expr.op == "interval":
        return _interval(found[0], found[1], attribute)
    if expr.op == "tolerance":
        half = abs(found[0]) * found[1] if relative(expr) else found[1]
        return found[0], found[0] - half, found[0] + half
    return _called(expr, found) if expr.op == "call" else None


def _interval(
    a: float, b: float, attribute: Attribute | None
) -> tuple[float, float, float]:
    share = attribute is not None and (attribute.low, attribute.high) == (0.0, 1.0)
    if share and 0 < a < b < 1:
        odds = math.sqrt(a * b / ((1 - a) * (1 - b)))
        return odds / (1 + odds), a, b
    return (math.sqrt(a * b) if 0 < a < b else (a + b) / 2), a, b


def _called(expr: Expr, numbers: list[float]) -> tuple[float, float, float] | None:
    match expr.value.name, numbers:
        case "uniform", [a, b]:
            edge = (b - a) / 20
            return (a + b) / 2, a + edge, b - edge
        case "normal", [mean, sd]:
            return mean, mean - _Z95 * sd, mean + _Z95 * sd
        case "lognormal", [a, b]:
            return _interval(a, b, None)
        case "triangular", [a, mode, b]:
            return mode, a, b
        case "one_of", [_, *_]:
            ranked = sorted(numbers)
            return ranked[(len(ranked) - 1) // 2], ranked[0], ranked[-1]
    return None


def same_value(old: Fact, new: Fact, kind: Kind, names: Names = _NO_NAMES) -> bool:
    """Whether two facts about one path say the same, however they spell it."""
    if old.formula != new.formula or old.let != new.let:
        return False
    before = Reading(old.attribute, kind, names)
    after = Reading(new.attribute, kind)
    return bool(before.meaning(old.expr) == after.meaning(new.expr))
