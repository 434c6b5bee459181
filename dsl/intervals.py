"""The forms of values: formulas, stated numbers, and the ends of intervals.

Works on trees as they are written; dimensions are another matter (`expressions`).
"""

import math
import operator
from collections.abc import Callable

from isocost.dsl.diagnostics import Diagnostic, Fix, at
from isocost.dsl.expr import Expr
from isocost.dsl.functions import DISTRIBUTIONS
from isocost.dsl.units import PLAIN, Dim

_ARITHMETIC = {"+", "-", "*", "/", "^", "if", "and", "or", "not"}


def is_formula(expr: Expr) -> bool:
    """Whether a tree computes something, so that it needs `:=`."""
    if expr.op in _ARITHMETIC:
        return True
    if expr.op in {"interval", "tolerance"}:
        return any(is_formula(arg) for arg in expr.args)
    return expr.op == "call" and expr.value.name in {
        "min",
        "max",
        "sum",
        "last",
        "derived",
    }


def number_of(expr: Expr) -> float | None:
    """The number of a literal, negated or not, in base units."""
    if expr.op == "literal":
        return float(expr.value.base)
    if expr.op == "neg":
        inner = number_of(expr.args[0])
        return None if inner is None else -inner
    return None


_APPLY: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
}


def call_number(expr: Expr) -> float | None:
    """The number of a call's argument: a literal, or arithmetic with nothing else.

    None where it is neither, or comes to no finite real number.
    """
    if expr.op == "neg":
        inner = call_number(expr.args[0])
        return None if inner is None else -inner
    if expr.op not in _APPLY:
        return number_of(expr)
    sides = [call_number(arg) for arg in expr.args]
    try:
        found = _APPLY[expr.op](*(side for side in sides if side is not None))
    except (ArithmeticError, TypeError):
        return None
    fine = isinstance(found, float) and math.isfinite(found)
    return found if fine else None


def is_value(expr: Expr) -> bool:
    """Whether a tree states a number and computes nothing, so that it needs `=`."""
    if expr.op == "neg":
        return is_value(expr.args[0])
    if expr.op in {"interval", "tolerance", "choice"}:
        return all(is_value(arg) for arg in expr.args)
    return expr.op == "literal"


def interval_fault(expr: Expr) -> Diagnostic | None:
    """What is wrong with the ends of an interval, if anything."""
    low, high = (number_of(arg) for arg in expr.args)
    assert expr.span is not None  # noqa: S101 (parsed)
    if low is None or high is None:
        help_ = None
        if is_formula(expr.args[0]) or is_formula(expr.args[1]):
            help_ = "put the interval in brackets: `2 * (3 W to 4 W)`"
        return at("V004", expr.span, help=help_, why="its ends must be numbers")
    lacking = without_unit(expr)
    if lacking is not None:
        return lacking
    if low > high:
        return at("V004", expr.span, why="its first end is above its second")
    return None


#: Distributions whose values rise, and what these are.
_RISING = {
    "uniform": "its lowest value and its highest",
    "triangular": "its lowest value, the likeliest and its highest",
    "lognormal": "its 5th and its 95th percentile",
}


def distribution_fault(expr: Expr) -> Diagnostic | None:
    """What is wrong with the values of a distribution, if anything.

    Their number and their dimension are looked at elsewhere.
    """
    name = expr.value.name
    assert expr.span is not None  # noqa: S101 (parsed)
    values = [number_of(arg) for arg in expr.args]
    if any(value is None for value in values):
        help_ = "state them as numbers; a formula may use the whole as a `let`"
        return at("V004", expr.span, help=help_, why="its values must be numbers")
    units = {_dimension(arg) for arg in expr.args}
    if len(units) > 1:
        return None
    known = [value for value in values if value is not None]
    if name not in _RISING or len(known) != DISTRIBUTIONS[name]:
        return None
    if name == "lognormal" and known[0] <= 0:
        help_ = "what may be below 0 is `normal(MIDDLE, SD)` or an interval"
        return at("V004", expr.span, help=help_, why="a lognormal number is above 0")
    if known != sorted(known) or known[0] == known[-1]:
        why = f"{_RISING[name]} do not rise"
        help_ = "write them in rising order; a number without doubt stands alone"
        return at("V004", expr.span, why=why, help=help_)
    return None


def _dimension(expr: Expr) -> Dim:
    """The dimension of a number, negated or not."""
    inner = expr.args[0] if expr.op == "neg" else expr
    found = inner.value.unit
    return PLAIN if found is None else found.dim


def without_unit(expr: Expr) -> Diagnostic | None:
    """An interval of which one end lacks the unit that the other has."""
    if any(arg.op != "literal" for arg in expr.args):
        return None
    (bare, full), spans = _by_unit(expr), [arg.span for arg in expr.args]
    if bare is None or full is None or not bare.value.number or None in spans:
        return None
    unit = full.value.unit
    ordered = expr.args[0].value.base <= expr.args[1].value.base
    if unit.dim.plain and ordered:
        return None
    assert expr.span is not None  # noqa: S101 (parsed)
    assert bare.span is not None  # noqa: S101
    place = type(bare.span)(bare.span.file, bare.span.end, bare.span.end)
    words = unit.text if unit.text.startswith("%") else f" {unit.text}"
    fix = Fix(f"write `{bare.value.text}{words}`", place, words)
    why = "both ends need the unit"
    return at("V004", expr.span, help=fix.title, fixes=(fix,), why=why)


def _by_unit(expr: Expr) -> tuple[Expr | None, Expr | None]:
    """The end without a unit and the end with one."""
    bare = next((arg for arg in expr.args if arg.value.unit is None), None)
    full = next((arg for arg in expr.args if arg.value.unit is not None), None)
    return bare, full


def with_unit(expr: Expr) -> Expr:
    """The end of an interval that has a unit."""
    return next(arg for arg in expr.args if arg.value.unit is not None)
