"""The equation of a break-even: its two sides, and the input that is varied.

Both come as text from a command line or a report's exhibit; what is wrong with them
is reported as the checker reports a file.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial

import attrs

from isocost.dsl.diagnostics import Diagnostic, at
from isocost.dsl.dimensions import infer
from isocost.dsl.expr import Expr
from isocost.dsl.expressions import Checker
from isocost.dsl.parser import parse
from isocost.dsl.pools import inner_path
from isocost.dsl.resolve import with_units
from isocost.dsl.schema.pools import POOLS
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import Member, Path, parse_path
from isocost.dsl.table import entry_of
from isocost.dsl.units import Dim, Unit, unit
from isocost.engine.evaluate import Evaluation
from isocost.engine.formula import Formula
from isocost.engine.graph import Graph, Input
from isocost.engine.program import point
from isocost.engine.quantities import table
from isocost.engine.scope import MissingInputError

#: How far an input is varied where no range is given, as a factor either way.
REACH = 10.0
_FILE = "<break-even>"
#: A name's quantity begins at one of its first parts: the others name its scenario.
_QUALIFIERS = 3


@attrs.frozen
class Varied:
    """An input that is varied, and its range, in base units."""

    node: int
    path: str
    unit: str
    scale: float
    value: float
    low: float
    high: float


Sides = tuple[int, int]


def sides(evaluation: Evaluation, text: str) -> Sides | None:
    """The nodes of `A.m = B.m`, of two metrics or of a metric and a threshold.

    Args:
        evaluation: The evaluated document.
        text: Two expressions of the language with `=` between them.

    Returns:
        The two nodes; None, with diagnostics in `evaluation`, for what is no equation
        of two quantities of one dimension.
    """
    body = re.sub(r"(?<![<>=!])=(?!=)", "==", text)
    file = parse(f"edition 2026\nlet equation := {body}\n", _FILE)
    evaluation.diagnostics += file.diagnostics
    member = file.items[-1] if file.items else None
    if file.diagnostics or not isinstance(member, Member):
        return None
    expr, wrong = with_units(evaluation.document, member.value)
    if wrong:
        evaluation.diagnostics += wrong
        return None
    if expr.op != "==":
        facts = {"name": "", "expected": "two sides with `=`", "found": text}
        evaluation.diagnostics.append(at("V003", member.span, facts=facts))
        return None
    before = len(evaluation.diagnostics)
    lookup, document = evaluation.checked.lookup, evaluation.document
    Checker(lookup, evaluation.diagnostics.append, None, document.file).dim(expr)
    if len(evaluation.diagnostics) > before:
        return None
    for part in expr.walk():
        if part.op == "path" and part.value.head in document.blocks:
            block = document.blocks[part.value.head]
            if block.kind.name == "scenario":
                evaluation.scope(block.name)
    try:
        left, right = (
            evaluation.bare.expression(arg, f"equation.{i}", document.file)
            for i, arg in enumerate(expr.args)
        )
    except MissingInputError as error:
        evaluation.diagnostics.append(error.diagnostic)
        return None
    graph = evaluation.graph
    return _bare(graph, left), _bare(graph, right)


def typed(diagnostic: Diagnostic) -> bool:
    """Whether what is wrong stands in the equation itself, and not in a file."""
    return bool(diagnostic.labels) and diagnostic.labels[0].span.file == _FILE


def _bare(graph: Graph, side: int) -> int:
    """A side that is one quantity is that quantity's own node."""
    what, args = graph.nodes[side].what, graph.nodes[side].args
    lone = isinstance(what, Formula) and what.body.op == "symbol"
    return args[0] if lone else side


def varied(
    evaluation: Evaluation,
    both: Sides,
    path: str,
    low: float | None = None,
    high: float | None = None,
) -> Varied | None:
    """The input below two nodes that a path names, with the range to look at.

    Args:
        evaluation: The evaluated document.
        both: The nodes below which it must lie.
        path: The statement's path (`trainium2.power`), or a scenario's (`A.size`).
        low: The lower end in base units; None: a tenth of the value, within bounds.
        high: The upper end; None: ten times the value, within bounds.

    Returns:
        The input; None, with a diagnostic, if there is none or more than one.
    """
    graph = evaluation.graph
    node = find(graph, both, path)
    if node is None:
        near = ", ".join(nearby(graph, both, path))
        where = evaluation.bare.where()
        facts = {"name": path, "near": near}
        evaluation.diagnostics.append(at("N003", where, facts=facts))
        return None
    value = point(graph, (node,), evaluation.choices)[node]
    what = graph.nodes[node].what
    text, scale = shown_unit(graph, node)
    bounds = _range(what if isinstance(what, Input) else None, value)
    ends = (bounds[0] if low is None else low, bounds[1] if high is None else high)
    return Varied(node, path, text, scale, value, *ends)


def unit_of_sides(graph: Graph, both: Sides) -> tuple[str, float]:
    """The unit in which both sides are shown: that of a quantity or number in them."""
    for node in both:
        what, args = graph.nodes[node].what, graph.nodes[node].args
        if not isinstance(what, Formula) or graph.names_of(node):
            return shown_unit(graph, node)
        below = dict(zip(what.params, args, strict=True))
        units = {name: unit(shown_unit(graph, arg)[0]) for name, arg in below.items()}
        leaf = partial(_leaf, units)
        wanted = infer(what.body, leaf, lambda _: None)
        written = [e.value.unit for e in what.body.walk() if e.op == "literal"]
        for one in (*units.values(), *filter(None, written)):
            if one.dim == wanted:
                return one.text, one.factor
    return shown_unit(graph, both[0])


def _leaf(units: Mapping[str, Unit], expr: Expr) -> Dim | None:
    return units[expr.value].dim if expr.value in units else None


def _inputs(graph: Graph, wanted: Sequence[int]) -> list[tuple[int, Input]]:
    return [
        (node, what)
        for node in graph.inputs(wanted)
        if isinstance(what := graph.nodes[node].what, Input)
    ]


def find(graph: Graph, both: Sides, path: str) -> int | None:
    """The node that a path names below two nodes; None where it names several."""
    found = matching(graph, both, path)
    return found[0] if len(found) == 1 else None


def matching(graph: Graph, wanted: Sequence[int], path: str) -> list[int]:
    """The nodes that a path names below some nodes: by name, statement, then role.

    A path of a pool (`decode.chip.power`) is one of every scenario's pool of the name.
    """
    below = graph.below(wanted)
    if graph.names.get(path) in below:
        return [graph.names[path]]
    inputs = _inputs(graph, wanted)
    stated = [n for n, one in inputs if one.origin == path]
    seen = stated or [n for n, one in inputs if one.path == path]
    if seen or parse_path(path).head not in POOLS:
        return seen
    known = {n for n, _ in inputs}
    full = f"{parse_path(path).head}.{inner_path(parse_path(path)) or ''}"
    ends = (f".{path}", f".{full}")
    return sorted(
        {n for k, n in graph.names.items() if n in known and k.endswith(ends)}
    )


def nearby(graph: Graph, wanted: Sequence[int], path: str) -> list[str]:
    """Names like a path that leads to nothing below some nodes."""
    paths = {one.origin: n for n, one in _inputs(graph, wanted)}
    return list(nearest(path, [*sorted(paths), *graph.names]))


def shown_unit(graph: Graph, node: int) -> tuple[str, float]:
    """The unit in which a node is shown, and its scale: as stated, or as documented."""
    what = graph.nodes[node].what
    if isinstance(what, Input):
        return what.unit, what.scale
    for name in graph.names_of(node):
        parts = parse_path(name).parts
        for i in range(min(len(parts), _QUALIFIERS)):
            found = entry_of(table(), Path(parts[i:]))
            if found is not None:
                return found[0].unit, unit(found[0].unit).factor
    text = getattr(what, "unit", "") or "1"
    return text, unit(text).factor


def _range(what: Input | None, value: float) -> tuple[float, float]:
    low, high = sorted((value / REACH, value * REACH)) if value else (0.0, 1.0)
    least, most = (None, None) if what is None else what.limits
    if least is not None:
        low = max(low, least)
    if most is not None:
        high = min(high, most)
    return low, high
