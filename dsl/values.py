"""What a stated value says: bounds and the sort of thing that an attribute holds."""

from collections.abc import Callable

from isocost.dsl.dates import read_period
from isocost.dsl.diagnostics import Diagnostic, Fix, at
from isocost.dsl.document import Document, Fact
from isocost.dsl.expectations import of_header, of_schema, schema_words
from isocost.dsl.expr import Expr
from isocost.dsl.functions import DISTRIBUTIONS
from isocost.dsl.intervals import (
    distribution_fault,
    interval_fault,
    is_formula,
    is_value,
    number_of,
)
from isocost.dsl.schema.base import Attribute
from isocost.dsl.shipped import nothing_called
from isocost.dsl.spans import Span
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import call_arguments
from isocost.dsl.units import unit

__all__ = [
    "Report",
    "bound_fault",
    "check_auto",
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
    found += [
        distribution_fault(part)
        for part in expr.walk()
        if part.op == "call" and part.value.name in DISTRIBUTIONS
    ]
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


def check_auto(fact: Fact, attribute: Attribute | None, report: Report) -> None:
    """`auto` stands alone, and only where the tool knows what there is to choose."""
    expr = fact.expr
    if attribute is not None and attribute.chosen and _is_auto(expr):
        return
    for part in expr.walk():
        if _is_auto(part) and part.span is not None:
            facts = {"name": str(fact.path), "expected": "a number", "found": "`auto`"}
            advice = (
                "the tool chooses degrees of parallelism and batches; "
                "state a number, or `{1, 2, 4}` to have one of these chosen"
            )
            report(at("V003", part.span, facts=facts, help=advice))


def _is_auto(expr: Expr) -> bool:
    return expr.op == "path" and str(expr.value) == "auto"


def check_bounds(fact: Fact, attribute: Attribute, report: Report) -> None:
    """Every number that a fact states lies within the attribute's bounds."""
    for part in _stated(fact.expr):
        value = number_of(part)
        if value is None or part.span is None:
            continue
        name = str(fact.path)
        shown, place = _show(part), fact.path_span
        found = bound_fault(name, value, attribute, part.span, shown, place)
        if found is not None:
            report(found)


def bound_fault(
    name: str,
    value: float,
    attribute: Attribute,
    span: Span,
    shown: str = "",
    place: Span | None = None,
) -> Diagnostic | None:
    """The diagnostic for a number that an attribute does not allow; else None.

    Args:
        name: The path at which it is stated.
        value: The number in base units.
        attribute: The attribute.
        span: Where it is stated.
        shown: The number as it is written; in the attribute's unit if left out.
        place: Where the attribute is named, for what the schema says of it.
    """
    scale = unit(attribute.unit).factor
    shown = shown or f"{value / scale:.4g} {attribute.unit}".removesuffix(" 1")
    broken = _broken_bound(value, attribute)
    if broken is None:
        return None
    code, facts = broken
    also = of_schema(place, attribute) if place is not None else ()
    key = "value" if code == "V001" else "found"
    advice = "it counts things: write a whole number" if code == "V003" else None
    facts = {"name": name, key: shown, **facts}
    return at(code, span, also=also, facts=facts, help=advice)


def _broken_bound(
    value: float, attribute: Attribute
) -> tuple[str, dict[str, str]] | None:
    """The code and the facts of the bound that a number in base units breaks."""
    low, high = attribute.low, attribute.high
    slack = 1e-9 * abs(value)
    if attribute.positive and value <= 0:
        return "V001", {"above": "0"}
    under = low is not None and value < low - slack
    if under or (high is not None and value > high + slack):
        ends = {"low": low, "high": high}
        return "V001", {k: "" if e is None else f"{e:g}" for k, e in ends.items()}
    if attribute.whole and abs(value - round(value)) > _WHOLE * max(1.0, abs(value)):
        return "V003", {"expected": "a whole number"}
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
        words = schema_words(attribute)
        report(at("V003", fact.path_span, label=words, facts=args))


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
            _require(fact, attribute, expr.op == "text", "a text in quotes", report)
        case "date":
            text = expr.value.text if expr.op == "literal" else str(expr.value)
            right = expr.op in {"date", "literal"} and read_period(text) is not None
            _require(fact, attribute, right, "a date", report)
        case "flag":
            right = expr.op == "path" and str(expr.value) in {"true", "false"}
            _require(fact, attribute, right, "true or false", report)
        case "call":
            right = expr.op in {"call", "path"}
            _require(fact, attribute, right, "a call", report)
            if attribute.words and expr.op in {"call", "path"}:
                _known_word(fact, attribute, str(expr.value), report)
        case "list":
            pass
        case "block":
            _blocks(fact, attribute, document, report)


def _require(
    fact: Fact, attribute: Attribute, right: bool, expected: str, report: Report
) -> None:
    if right:
        return
    assert fact.expr.span is not None  # noqa: S101 (parsed)
    args = {"name": str(fact.path), "expected": expected, "found": sort_of(fact.expr)}
    also = of_schema(fact.path_span, attribute)
    report(at("V003", fact.expr.span, also=also, facts=args))


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
        also = of_schema(fact.path_span, attribute)
        report(at("V003", fact.expr.span, also=also, facts=facts, help=advice))
    elif word is None:
        _require(fact, attribute, right=False, expected="a word", report=report)
    else:
        _known_word(fact, attribute, word, report)


def _known_word(fact: Fact, attribute: Attribute, word: str, report: Report) -> None:
    assert fact.expr.span is not None  # noqa: S101 (parsed)
    if word not in attribute.words:
        near = nearest(word, attribute.words)
        options = ", ".join(attribute.words)
        args = {"name": str(fact.path), "value": word, "options": options}
        also = of_schema(fact.path_span, attribute)
        report(at("V002", fact.expr.span, also=also, near=", ".join(near), facts=args))


def _blocks(
    fact: Fact, attribute: Attribute, document: Document, report: Report
) -> None:
    items = fact.expr.args if fact.expr.op == "list" else (fact.expr,)
    _require(fact, attribute, bool(items), "a block's name", report)
    for item in items:
        assert item.span is not None  # noqa: S101 (parsed)
        if item.op != "path":
            args = {"name": str(fact.path), "expected": "a block's name"}
            args["found"] = sort_of(item)
            also = of_schema(fact.path_span, attribute)
            report(at("V003", item.span, also=also, facts=args))
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
            also = (
                *of_schema(fact.path_span, attribute),
                *of_header(block.span, block.kind.name),
            )
            report(at("N008", item.span, also=also, facts=args))


def keywords(expr: Expr) -> dict[str, Expr]:
    """The keyword arguments of a call."""
    return dict(call_arguments(expr)[1])
