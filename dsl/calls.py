"""What a call of a topology says: its name, its parameters, and what each may be.

The engine builds topologies and knows their bounds; they come with its table. What
hangs together with the rest of a design (enough ports for all chips) is the engine's to
judge.
"""

from collections.abc import Iterator, Mapping

from isocost.dsl.diagnostics import Diagnostic, Label, at
from isocost.dsl.document import Fact
from isocost.dsl.expr import Expr
from isocost.dsl.intervals import number_of
from isocost.dsl.spans import Span
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import call_arguments
from isocost.dsl.table import Parameter, Parameters

#: How near to a whole number counts as one.
_WHOLE = 1e-9


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
    start = place.end
    for keyword, value in call_arguments(expr)[1].items():
        assert value.span is not None  # noqa: S101 (parsed)
        if keyword in known:
            yield from _out_of_bounds(value, known[keyword], also)
        else:
            at_name = text.find(keyword, start, value.span.start)
            span = Span(expr.span.file, at_name, at_name + len(keyword))
            span = span if at_name >= 0 else value.span
            near, options = nearest(keyword, known), ", ".join(known)
            facts = {"topology": name, "name": keyword, "options": options}
            yield at("N014", span, also=also, near=", ".join(near), facts=facts)
        start = value.span.end


def _out_of_bounds(
    value: Expr, bounds: Parameter, also: tuple[Label, ...]
) -> Iterator[Diagnostic]:
    """The numbers of an argument that are none of what its parameter may be."""
    for part in value.args if value.op == "choice" else (value,):
        number = number_of(part)
        if number is None or part.span is None:
            continue
        sign = "-" if part.op == "neg" else ""
        shown = f"{sign}{(part.args[0] if sign else part).value}"
        whole = abs(number - round(number)) <= _WHOLE * max(1.0, abs(number))
        if not bounds.least <= number <= bounds.most:
            low, high = f"{bounds.least:g}", f"{bounds.most:_.10g}"
            facts = {"name": bounds.name, "value": shown, "low": low, "high": high}
            yield at("V001", part.span, also=also, facts=facts)
        elif bounds.whole and not whole:
            facts = {"name": bounds.name, "expected": "a whole number", "found": shown}
            advice = "it counts things: write a whole number"
            yield at("V003", part.span, also=also, facts=facts, help=advice)
