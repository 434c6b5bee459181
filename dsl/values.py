"""What a stated value says: bounds and the sort of thing that an attribute holds."""

from collections.abc import Callable

from isocost.dsl.dates import read_period
from isocost.dsl.diagnostics import Diagnostic, Fix, at
from isocost.dsl.document import Document, Fact
from isocost.dsl.expr import Expr
from isocost.dsl.functions import DISTRIBUTIONS
from isocost.dsl.intervals import interval_fault, is_formula, is_value, number_of
from isocost.dsl.schema.base import Attribute
from isocost.dsl.shipped import nothing_called
from isocost.dsl.spans import Span
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import call_arguments
from isocost.dsl.units import unit

__all__ = [
    "Report",
    "bound_fault",
    "check_bounds",
    "check_date",
    "check_form",
    "check_sort",
    "is_formula",
    "is_value",
    "keywords",
    "number_of",
    "sort_of",
    "word_of",
]

Report = Callable[[Diagnostic], None]
#: How near to a whole number counts as one.
_WHOLE = 1e-9


def check_form(fact: Fact, report: Report) -> None:
    """`=` holds a value and `:=` a formula; intervals run upward."""
    expr = fact.expr
    assert expr.span is not None  # noqa: S101 (parsed)
    if any(part.op == "unreadable" for part in expr.walk()):
        return
    found = [interval_fault(part) for part in expr.walk() if part.op == "interval"]
    faults = [fault for fault in found if fault is not None]
    for fault in faults:
        report(fault)
    if faults:
        return
    gap = type(fact.span)(fact.span.file, fact.path_span.end, expr.span.start)
    if not fact.formula and is_formula(expr):
        report(at("V005", expr.span, fixes=(Fix("write `:=`", gap, " := "),)))
    elif fact.formula and not fact.let and is_value(expr):
        report(at("V006", expr.span, fixes=(Fix("write `=`", gap, " = "),)))


def check_bounds(fact: Fact, attribute: Attribute, report: Report) -> None:
    """Every number that a fact states lies within the attribute's bounds."""
    for part in _stated(fact.expr):
        value = number_of(part)
        if value is None or part.span is None:
            continue
        name = str(fact.path)
        found = bound_fault(name, value, attribute, part.span, _show(part))
        if found is not None:
            report(found)


def bound_fault(
    name: str, value: float, attribute: Attribute, span: Span, shown: str = ""
) -> Diagnostic | None:
    """The diagnostic for a number that an attribute does not allow; else None.

    Args:
        name: The path at which it is stated.
        value: The number in base units.
        attribute: The attribute.
        span: Where it is stated.
        shown: The number as it is written; in the attribute's unit if left out.
    """
    scale = unit(attribute.unit).factor
    shown = shown or f"{value / scale:.4g} {attribute.unit}".removesuffix(" 1")
    low, high = attribute.low, attribute.high
    slack = 1e-9 * abs(value)
    if attribute.positive and value <= 0:
        return at("V001", span, name=name, value=shown, above="0")
    under = low is not None and value < low - slack
    if under or (high is not None and value > high + slack):
        ends = {"low": low, "high": high}
        facts = {k: "" if end is None else f"{end:g}" for k, end in ends.items()}
        return at("V001", span, name=name, value=shown, facts=facts)
    if attribute.whole and abs(value - round(value)) > _WHOLE * max(1.0, abs(value)):
        expected = "a whole number"
        return at("V003", span, name=name, expected=expected, found=shown)
    return None


def _stated(expr: Expr) -> tuple[Expr, ...]:
    """The numbers of a value; a tolerance states its middle only."""
    if expr.op == "tolerance" or (expr.op == "call" and expr.value.name == "normal"):
        return expr.args[:1]
    if expr.op in {"interval", "choice"}:
        return expr.args
    if expr.op == "call" and expr.value.name in DISTRIBUTIONS:
        return expr.args
    return (expr,)


def _show(expr: Expr) -> str:
    return f"-{_show(expr.args[0])}" if expr.op == "neg" else str(expr.value)


def check_date(fact: Fact, attribute: Attribute, report: Report) -> None:
    """A dated quantity is stated for a year, a quarter, a month or a day."""
    keys = fact.path.parts[-1].keys
    if not attribute.flow or len(keys) != len(attribute.keys):
        return
    if read_period(keys[-1]) is None:
        args = {
            "name": str(fact.path),
            "expected": "a date as its last key (2025, 2025-Q2, 2025-06)",
            "found": keys[-1],
        }
        report(at("V003", fact.path_span, facts=args))


def check_sort(
    fact: Fact, attribute: Attribute, document: Document, report: Report
) -> None:
    """A word, text, date, flag, block, call or list where the attribute wants one."""
    expr = fact.expr
    if expr.op == "unreadable":
        return
    match attribute.sort:
        case "word":
            _word(fact, attribute, report)
        case "text":
            _require(fact, expr.op == "text", "a text in quotes", report)
        case "date":
            text = expr.value.text if expr.op == "literal" else str(expr.value)
            right = expr.op in {"date", "literal"} and read_period(text) is not None
            _require(fact, right, "a date", report)
        case "flag":
            right = expr.op == "path" and str(expr.value) in {"true", "false"}
            _require(fact, right, "true or false", report)
        case "call":
            _require(fact, expr.op in {"call", "path"}, "a call", report)
            if attribute.words and expr.op in {"call", "path"}:
                _known_word(fact, attribute, str(expr.value), report)
        case "list":
            pass
        case "block":
            _blocks(fact, attribute, document, report)


def _require(fact: Fact, right: bool, expected: str, report: Report) -> None:
    if right:
        return
    assert fact.expr.span is not None  # noqa: S101 (parsed)
    args = {"name": str(fact.path), "expected": expected, "found": sort_of(fact.expr)}
    report(at("V003", fact.expr.span, facts=args))


def sort_of(expr: Expr) -> str:
    """What a tree is, in an analyst's word."""
    names = {
        "literal": "a number",
        "neg": "a number",
        "interval": "an interval",
        "tolerance": "an interval",
        "text": "a text",
        "date": "a date",
        "list": "a list",
        "choice": "a choice",
        "call": "a call",
        "path": "a name",
    }
    return names.get(expr.op, "a formula")


def word_of(expr: Expr) -> str | None:
    """The word that a value states: a bare name, or a bare number where one is one."""
    if expr.op == "path":
        return str(expr.value)
    if expr.op == "literal" and expr.value.unit is None:
        return str(expr.value.text)
    return None


def _word(fact: Fact, attribute: Attribute, report: Report) -> None:
    assert fact.expr.span is not None  # noqa: S101 (parsed)
    if not attribute.words:
        return
    word = word_of(fact.expr)
    if word is None and fact.expr.op == "choice":
        advice = "state one; `isocost search --try PATH=A,B` tries several"
        facts = {"name": str(fact.path), "expected": "a word", "found": "a choice"}
        report(at("V003", fact.expr.span, facts=facts, help=advice))
    elif word is None:
        _require(fact, right=False, expected="a word", report=report)
    else:
        _known_word(fact, attribute, word, report)


def _known_word(fact: Fact, attribute: Attribute, word: str, report: Report) -> None:
    assert fact.expr.span is not None  # noqa: S101 (parsed)
    if word not in attribute.words:
        near = nearest(word, attribute.words)
        options = ", ".join(attribute.words)
        args = {"name": str(fact.path), "value": word, "options": options}
        report(at("V002", fact.expr.span, near=", ".join(near), facts=args))


def _blocks(
    fact: Fact, attribute: Attribute, document: Document, report: Report
) -> None:
    items = fact.expr.args if fact.expr.op == "list" else (fact.expr,)
    _require(fact, bool(items), "a block's name", report)
    for item in items:
        assert item.span is not None  # noqa: S101 (parsed)
        if item.op != "path":
            args = {"name": str(fact.path), "expected": "a block's name"}
            report(at("V003", item.span, found=sort_of(item), facts=args))
            continue
        name = str(item.value)
        block = document.find(name, fact.file, attribute.of)
        if block is None and any(n.startswith(f"{name}[") for n in document.blocks):
            continue
        if block is None and document.excused(name):
            continue
        if block is None:
            same = [b.label for kind in attribute.of for b in document.of_kind(kind)]
            near = nearest(name, same or [b.label for b in document.blocks.values()])
            report(nothing_called(name, item.span, near, attribute.of))
        elif attribute.of and block.kind.name not in attribute.of:
            expected = " or ".join(attribute.of)
            args = {"name": name, "expected": expected, "found": block.kind.name}
            report(at("N008", item.span, facts=args))


def keywords(expr: Expr) -> dict[str, Expr]:
    """The keyword arguments of a call."""
    return dict(call_arguments(expr)[1])
