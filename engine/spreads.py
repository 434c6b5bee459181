"""A stated value to its point and its doubt: intervals, tolerances, distributions.

An interval is the 5th to the 95th percentile: lognormal where both ends are
positive, logit-normal where the attribute is bounded by 0 and 1, else normal. The
point is the median.
"""

import math

from isocost.dsl.expr import Expr
from isocost.dsl.schema.base import Attribute
from isocost.dsl.values import number_of
from isocost.engine.graph import Spread

#: The 95th percentile of the standard normal distribution.
Z95 = 1.6448536269514722


def bounds(attribute: Attribute | None) -> tuple[float | None, float | None]:
    """The bounds at which draws are cut."""
    return (attribute.low, attribute.high) if attribute else (None, None)


#: The least number above 0: the lower limit of what must be positive.
ABOVE_0 = 1e-300


def limits(attribute: Attribute | None) -> tuple[float | None, float | None]:
    """The least and the most that an attribute allows, in base units."""
    low, high = bounds(attribute)
    if attribute is not None and attribute.positive and (low is None or low <= 0):
        low = ABOVE_0
    return low, high


def read(
    expr: Expr, attribute: Attribute | None, factor: float
) -> tuple[float, Spread]:
    """The point value and the doubt of a value, in base units.

    Args:
        expr: A literal, interval, tolerance or distribution.
        attribute: Whose bounds cut the draws, if it is an attribute.
        factor: What a number without a unit is multiplied by.

    Raises:
        ValueError: It is no such value; the checker has reported it.
    """
    low, high = bounds(attribute)
    match expr.op:
        case "interval":
            a, b = (_number(arg, factor) for arg in expr.args)
            return interval(a, b, low, high)
        case "tolerance":
            middle, half = _tolerance(expr, factor)
            spread = Spread("normal", (middle, half / Z95), low, high)
            return middle, spread if half else Spread()
        case "call":
            numbers = [_number(arg, factor) for arg in expr.args]
            return distribution(expr.value.name, numbers, low, high)
        case _:
            return _number(expr, factor), Spread()


def _number(expr: Expr, factor: float) -> float:
    value = number_of(expr)
    if value is None:
        message = f"no number: {expr!r}"
        raise ValueError(message)
    literal = expr.args[0] if expr.op == "neg" else expr
    unit = literal.value.unit
    return value * (factor if unit is None or unit.dim.plain else 1.0)


def _tolerance(expr: Expr, factor: float) -> tuple[float, float]:
    middle, width = expr.args
    center, half = _number(middle, factor), number_of(width)
    if half is None:
        message = f"no number: {width!r}"
        raise ValueError(message)
    relative = width.op == "literal" and "%" in width.value.text
    return center, abs(center) * half if relative else half


def interval(
    a: float, b: float, low: float | None, high: float | None
) -> tuple[float, Spread]:
    """The point and the doubt of `a to b`."""
    if a == b:
        return a, Spread()
    if (low, high) == (0.0, 1.0) and 0 < a < b < 1:
        middle = 1 / (1 + math.exp(-(_logit(a) + _logit(b)) / 2))
        return middle, Spread("logitnormal", (a, b), low, high)
    if 0 < a < b:
        return math.sqrt(a * b), Spread("lognormal", (a, b), low, high)
    middle = (a + b) / 2
    return middle, Spread("normal", (middle, (b - a) / 2 / Z95), low, high)


def _logit(x: float) -> float:
    return math.log(x / (1 - x))


def distribution(
    name: str, numbers: list[float], low: float | None, high: float | None
) -> tuple[float, Spread]:
    """The point (its median) and the doubt of a named distribution."""
    match name, numbers:
        case "uniform", [a, b]:
            return (a + b) / 2, Spread("uniform", (a, b), low, high)
        case "normal", [mean, sd]:
            return mean, Spread("normal", (mean, sd), low, high)
        case "lognormal", [a, b]:
            return interval(a, b, None, high)
        case "triangular", [a, mode, b]:
            return _triangular_median(a, mode, b), Spread(
                "triangular", (a, mode, b), low, high
            )
        case "one_of", [_, *_]:
            ranked = sorted(numbers)
            middle = ranked[(len(ranked) - 1) // 2]
            return middle, Spread("one_of", tuple(numbers), low, high)
    message = f"no distribution: {name}"
    raise ValueError(message)


def _triangular_median(a: float, mode: float, b: float) -> float:
    if mode >= (a + b) / 2:
        return a + math.sqrt((b - a) * (mode - a) / 2)
    return b - math.sqrt((b - a) * (b - mode) / 2)
