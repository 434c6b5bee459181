"""What a call of a topology says: its name, its parameters, and what each may be.

The engine builds topologies and knows their bounds; they come with its table. What
hangs together with the rest of a design (enough ports for all chips) is the engine's to
judge.
"""

from collections.abc import Iterator, Mapping

from isocost.dsl.diagnostics import Diagnostic, Label, at
from isocost.dsl.document import Fact
from isocost.dsl.expr import Expr
from isocost.dsl.intervals import call_number
from isocost.dsl.spans import Span
from isocost.dsl.suggest import nearest
from isocost.dsl.table import Parameter, Parameters


def topology_faults(
    fact: Fact, topologies: Mapping[str, Parameters], text: str
) -> Iterator[Diagnostic]:
    """What is wrong with the call of a topology.

    Args:
        fact: The statement.
        topologies: The parameters of each topology by its name.
        text: The file in which it stands.
    """
    expr = fact.expr
    if expr.op not in {"call", "path"} or expr.span is None or not topologies:
        return
    name = str(expr.value)
    place = Span(expr.span.file, expr.span.start, expr.span.start + len(name))
    if name not in topologies:
        near, options = nearest(name, topologies), ", ".join(sorted(topologies))
        facts = {"name": name, "options": options}
        yield at("N013", place, near=", ".join(near), facts=facts)
        return
    if expr.op != "call":
        return
    known = {one.name: one for one in topologies[name]}
    also = (Label(place, f"`{name}` takes {', '.join(known)}"),)
    start, seen = place.end, set[str]()
    for keyword, value in zip(expr.value.keywords, expr.args, strict=True):
        assert value.span is not None  # noqa: S101 (parsed)
        if keyword is None:
            first = next((one for one in known if one not in seen), "")
            facts = {"expected": "`name = number`", "found": "a bare value"}
            advice = f"say which it is: `{first} = …`" if first else None
            yield at("V003", value.span, also=also, facts=facts, help=advice)
        elif keyword in seen:
            facts = {"name": keyword, "expected": "one value", "found": "another"}
            advice = "keep the one that holds"
            yield at("V003", value.span, also=also, facts=facts, help=advice)
        elif keyword in known:
            yield from _argument_faults(value, known[keyword], also)
        else:
            at_name = text.find(keyword, start, value.span.start)
            span = Span(expr.span.file, at_name, at_name + len(keyword))
            span = span if at_name >= 0 else value.span
            near, options = nearest(keyword, known), ", ".join(known)
            facts = {"topology": name, "name": keyword, "options": options}
            yield at("N014", span, also=also, near=", ".join(near), facts=facts)
        seen.add(keyword or "")
        start = value.span.end


#: What an argument may be written as that is no number, in words.
_SORTS = {
    "choice": "a choice",
    "interval": "an interval",
    "tolerance": "an interval",
    "text": "a text",
    "path": "a name",
    "list": "a list",
}
#: What to write instead of what may vary.
_APART = "a network is built before anything varies: write a scenario for each design"


def _argument_faults(
    value: Expr, bounds: Parameter, also: tuple[Label, ...]
) -> Iterator[Diagnostic]:
    """What is wrong with an argument: it is a plain number within its bounds."""
    assert value.span is not None  # noqa: S101 (parsed)
    expected = "a whole number" if bounds.whole else "a number"
    facts = {"name": bounds.name, "expected": expected}
    number = call_number(value)
    if number is None:
        sort = _SORTS.get(value.op, "a formula that is no plain number")
        advice = _APART if value.op in {"choice", "interval", "tolerance"} else None
        if value.op == "path":
            sort = f"`{value.value}`"
        flag = (bounds.least, bounds.most) == (0, 1) and value.op in {"path", "text"}
        advice = "1 is yes, 0 is no" if flag else advice
        advice = advice or "write the number itself"
        yield at("V003", value.span, also=also, facts=facts, found=sort, help=advice)
        return
    unit = _unit_of(value)
    if unit is not None and (bounds.whole or unit != "%"):
        found = f"one in {unit}"
        advice = f"it is a plain number: {number:g}"
        yield at("V003", value.span, also=also, facts=facts, found=found, help=advice)
        return
    shown = _shown(value, number)
    if not bounds.least <= number <= bounds.most:
        low, high = f"{bounds.least:g}", f"{bounds.most:_.10g}"
        facts = {"name": bounds.name, "value": shown, "low": low, "high": high}
        yield at("V001", value.span, also=also, facts=facts)
    elif bounds.whole and number != round(number):
        advice = "it counts things: write a whole number"
        yield at("V003", value.span, also=also, facts=facts, found=shown, help=advice)


def _shown(value: Expr, number: float) -> str:
    """A number as it is written, a computed one as it comes out."""
    sign = "-" if value.op == "neg" else ""
    bare = value.args[0] if sign else value
    return f"{sign}{bare.value}" if bare.op == "literal" else f"{number:.15g}"


def _unit_of(value: Expr) -> str | None:
    """The unit that an argument is written in; None: it is plain."""
    if value.op == "literal":
        unit = value.value.unit
        return None if unit is None else str(getattr(unit, "text", unit))
    return next(filter(None, map(_unit_of, value.args)), None)
