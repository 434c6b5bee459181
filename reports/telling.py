"""Words with numbers in them: texts of a scenario file filled from the results.

An exhibit's text names quantities in braces: `"{ultra.bisection} of {nvl72.share}"`.
A text may be a list, of which the first holds whose condition does:
`[when(a < b, "a is less"), "b is less"]`, so that words cannot outlive their numbers.
After a bar stands how the number is written: `{path|percent}`, `{path|interval}`.
"""

import re
from collections.abc import Iterable, Mapping
from functools import partial

from isocost.dsl.expr import Expr
from isocost.dsl.syntax import call_arguments
from isocost.reports import numbers as n
from isocost.reports.stories import Told
from isocost.reports.study import WHOLE, Study, quantity

#: A number so near to a whole one is one.
ROUNDING = 1e-9
_FACTORS = {"k": 1e3, "M": 1e6, "G": 1e9}
_PLACE = re.compile(r"\{([^{}|]+)(?:\|(\w+))?\}")


def texts_of(expr: Expr) -> Iterable[str]:
    """Every text within an argument, whatever its condition."""
    for part in expr.walk():
        if part.op == "text":
            yield str(part.value)


def places(text: str) -> list[str]:
    """The paths that a text names."""
    return [found.group(1).strip() for found in _PLACE.finditer(text)]


def tell(study: Study, named: Mapping[str, Expr], key: str = "title") -> str:
    """The text of an argument, filled; empty where it is not given."""
    expr = named.get(key)
    if expr is None:
        return ""
    if expr.op != "list":
        return _filled(study, str(expr.value))
    return study.by_case(
        [(condition, partial(_filled, study, text)) for condition, text in cases(expr)]
    )


def cases(expr: Expr) -> Iterable[tuple[Expr | None, str]]:
    """The texts of a list with their conditions, None where there is none."""
    for item in expr.args:
        if item.op != "call":
            yield None, str(item.value)
            return
        (condition, text), _ = call_arguments(item)
        yield condition, str(text.value)


def _filled(study: Study, text: str) -> str:
    return _PLACE.sub(lambda m: _fill(study, m), text)


def _fill(study: Study, match: re.Match[str]) -> str:
    path, form = match.group(1).strip(), match.group(2) or ""
    found = study.told(path)
    if found is None:
        msg = f"a text of the report names {path}, which there is not"
        raise LookupError(msg)
    return written(found, form)


def written(told: Told, form: str = "") -> str:
    """A number as running text writes it.

    Args:
        told: The number.
        form: `percent`, `ratio`, `count`, `bare` (no unit), `interval` (with its 90%).
    """
    if form == "percent":
        return n.percent(told.central, 2)
    if form == "ratio":
        return n.ratio(told.central)
    if form == "count":
        return n.count(told.value)
    if form == "bare":
        return figure(told)
    if form == "interval" and told.low != told.high:
        percent = "%" if told.unit == "%" else ""
        return f"{amount(told)} ({ends(told)}{percent})"
    return amount(told)


def amount(told: Told) -> str:
    """The point value with its unit."""
    if "$" in told.unit:
        return money(told, told.central) + per(told.unit)
    return quantity(told.value, told.unit.replace("us", "µs"))


def money(told: Told, value: float) -> str:
    """An amount; plain dollars take their own prefix, the rest that of the unit."""
    head = told.unit.partition("/")[0]
    if "/" in told.unit or "-" in told.unit:
        prefix = head.partition("$")[0]
        return n.money(value / told.scale * _FACTORS.get(prefix, 1.0))
    return n.money(value)


def per(unit: str) -> str:
    """What follows an amount of money: `/GB`, nothing for plain dollars."""
    if unit == "$/Mtoken":
        return " per million tokens"
    rest = unit.partition("$")[2]
    if rest.startswith("-s/"):
        return f" per {rest.removeprefix('-s/')}/s"
    return "/chip-hour" if rest in {"/chip-h", "/chip/h"} else rest


def unit_name(unit: str) -> str:
    """A unit as the column of a table names it."""
    if unit == "1":
        return ""
    if "$" in unit:
        return f"${per(unit)}".replace(" per ", "/")
    return unit.replace("us", "µs")


def ends(told: Told) -> str:
    """The 90% interval without its unit; empty where it has no width."""
    if told.low == told.high:
        return ""
    low, high = told.low / told.scale, told.high / told.scale
    if "$" not in told.unit:
        return n.interval(low, high)
    if "/" in told.unit or "-" in told.unit:
        factor = _FACTORS.get(told.unit.partition("$")[0], 1.0)
        return n.money_interval(low * factor, high * factor)
    return n.money_interval(told.low, told.high)


def figure(told: Told) -> str:
    """The point value for a cell whose unit stands elsewhere."""
    if "$" in told.unit:
        return money(told, told.central)
    whole = round(told.value)
    if abs(told.value - whole) < ROUNDING * abs(told.value) and abs(whole) < WHOLE:
        return n.count(whole)
    return n.plain(told.value)
