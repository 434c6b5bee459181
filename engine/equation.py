"""The equation of a break-even: its two sides, and the input that is varied.

Both come as text from a command line or a report's exhibit; what is wrong with them
is reported as the checker reports a file.
"""

import re

import attrs

from isocost.dsl.diagnostics import at
from isocost.dsl.expressions import Checker
from isocost.dsl.parser import parse
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import Member
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Graph, Input
from isocost.engine.program import point
from isocost.engine.scope import MissingInputError

#: How far an input is varied where no range is given, as a factor either way.
REACH = 10.0
_FILE = "<break-even>"


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
    expr = member.value
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
    return left, right


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
        paths = {one.origin: n for n, one in _inputs(graph, both)}
        near = ", ".join(nearest(path, [*paths, *graph.names]))
        where = evaluation.bare.where()
        facts = {"name": path, "near": near}
        evaluation.diagnostics.append(at("N003", where, facts=facts))
        return None
    value = point(graph, (node,), evaluation.choices)[node]
    what = graph.nodes[node].what
    unit, scale = (what.unit, what.scale) if isinstance(what, Input) else ("1", 1.0)
    bounds = _range(what if isinstance(what, Input) else None, value)
    ends = (bounds[0] if low is None else low, bounds[1] if high is None else high)
    return Varied(node, path, unit, scale, value, *ends)


def _inputs(graph: Graph, both: Sides) -> list[tuple[int, Input]]:
    return [
        (node, what)
        for node in graph.inputs(both)
        if isinstance(what := graph.nodes[node].what, Input)
    ]


def find(graph: Graph, both: Sides, path: str) -> int | None:
    """The node that a path names below two nodes: by name, statement, then role."""
    below = graph.below(both)
    if graph.names.get(path) in below:
        return graph.names[path]
    inputs = _inputs(graph, both)
    for found in (
        [n for n, one in inputs if one.origin == path],
        [n for n, one in inputs if one.path == path],
    ):
        if len(found) == 1:
            return found[0]
    return None


def _range(what: Input | None, value: float) -> tuple[float, float]:
    low, high = sorted((value / REACH, value * REACH)) if value else (0.0, 1.0)
    if what is not None and what.spread.low is not None:
        low = max(low, what.spread.low)
    if what is not None and what.spread.high is not None:
        high = min(high, what.spread.high)
    return low, high
