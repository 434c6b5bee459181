"""Where two quantities are equal as one input moves, or along a curve of two inputs.

All crossings in the range are found on the compiled program (`roots`); what is settled
once (`auto`, `{…}`) stays settled. On request the closed form is looked for: the
difference is composed on the branches that are active at a crossing and solved by
sympy for the varied input, and kept only if it gives the crossing back.
"""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from isocost.dsl.expr import Expr
from isocost.engine.closed import TooLongError, compose, solve
from isocost.engine.equation import Sides, Varied
from isocost.engine.evaluate import Evaluation
from isocost.engine.formula import evaluate
from isocost.engine.graph import Graph
from isocost.engine.program import Program, point, program
from isocost.engine.regimes import label
from isocost.engine.results import round_out
from isocost.engine.roots import Root, roots

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: Values of the second input along a curve.
CURVE = 65
#: How near to a step's edge a crossing is that edge's: `ceil` snaps within 1e-9.
EDGE = 1e-8


@attrs.frozen
class Crossing:
    """A break-even: the varied input there, the common value, and what is less above.

    `kind` is `root`, `jump` (a step passes over the equality) or `touch`. `less_above`
    is the side that is the smaller beyond this point: `left`, `right`, or empty where
    neither is.
    """

    value: float
    metric: float
    kind: str
    less_above: str


@attrs.frozen
class Closed:
    """A closed form of a crossing: a tree over symbols that are names of quantities.

    `values` and `nodes` are what stands behind each symbol, in base units.
    """

    expr: Expr
    values: Mapping[str, float]
    crossing: float
    nodes: Mapping[str, int] = attrs.field(factory=dict)


@attrs.frozen
class BreakEven:
    """All crossings in the range; `left` and `right` are the sides at the point."""

    varied: Varied
    left: float
    right: float
    crossings: tuple[Crossing, ...]
    closed: tuple[Closed, ...] = ()

    @property
    def throughout(self) -> bool:
        """Whether the sides are equal all over: the ends of the range are told."""
        ends = [one.value for one in self.crossings if not one.less_above]
        return len(ends) > 1


@attrs.frozen
class Curve:
    """Where both sides are equal over two inputs: pairs of the first and the second."""

    first: Varied
    second: Varied
    points: tuple[tuple[float, float], ...]


def breakeven(
    evaluation: Evaluation, both: Sides, vary: Varied, *, closed: bool = False
) -> BreakEven:
    """Where the two sides are equal as one input moves through its range.

    Args:
        evaluation: The evaluated document.
        both: The nodes of the two sides.
        vary: The input and its range.
        closed: Whether a closed form is looked for as well (imports sympy).
    """
    graph, choices = evaluation.graph, evaluation.choices
    made = program(graph, both, (vary.node,), choices)
    found = roots(_difference(made, vary.node), vary.low, vary.high)
    merged = _merged(found)
    crossings = tuple(_crossing(graph, both, vary, choices, root) for root in merged)
    values = point(graph, both, choices)
    forms = _closed_forms(evaluation, both, vary, crossings) if closed else ()
    return BreakEven(vary, values[both[0]], values[both[1]], crossings, forms)


def curve(
    evaluation: Evaluation,
    both: Sides,
    first: Varied,
    second: Varied,
    held: Mapping[int, float] | None = None,
) -> Curve:
    """The crossings in the first input at values all over the second's range.

    Args:
        evaluation: The evaluated document.
        both: The nodes of the two sides.
        first: The input that is solved for.
        second: The input along whose range it is solved.
        held: Values at which further inputs are held: one curve of a map.
    """
    import numpy as np

    even = np.geomspace if second.low > 0 else np.linspace
    grid = np.asarray(even(second.low, second.high, CURVE))
    settled = {**evaluation.choices, **(held or {})}
    made = program(evaluation.graph, both, (first.node, second.node), settled)

    def function(x: "Column", row: "NDArray[Any]") -> "Column":
        left, right = made.run({first.node: x, second.node: grid[row]})
        return left - right

    found = roots(function, first.low, first.high, rows=CURVE, cells=256)
    points = tuple((round_out(r.value), round_out(float(grid[r.row]))) for r in found)
    return Curve(first, second, points)


def _merged(found: list[Root]) -> list[Root]:
    """Crossings beside the edge of a step as one: `ceil` takes its edges widely."""
    out: list[Root] = []
    for one in found:
        last = out[-1] if out else None
        if (
            last is None
            or "jump" not in {one.kind, last.kind}
            or one.value - last.value > EDGE * abs(one.value)
        ):
            out.append(one)
            continue
        before = last.sign if last.kind == "touch" else -last.sign
        kind = "touch" if one.sign == before else "jump"
        out[-1] = attrs.evolve(last, kind=kind, sign=one.sign)
    return out


def _difference(made: Program, node: int) -> "Callable[[Column, NDArray[Any]], Column]":
    def function(x: "Column", _: "NDArray[Any]") -> "Column":
        left, right = made.run({node: x})
        out: Column = left - right
        return out

    return function


def _crossing(
    graph: Graph, both: Sides, vary: Varied, choices: Mapping[int, float], root: Root
) -> Crossing:
    values = point(graph, both, {**choices, vary.node: root.value})
    still = vary.node not in graph.below((both[1],))  # the number that was asked for
    shown = both[1] if still and root.kind == "root" else both[0]
    less = {1: "right", -1: "left"}.get(root.sign, "")
    return Crossing(round_out(root.value), round_out(values[shown]), root.kind, less)


def _closed_forms(
    evaluation: Evaluation, both: Sides, vary: Varied, crossings: tuple[Crossing, ...]
) -> tuple[Closed, ...]:
    """A closed form for each crossing that sympy finds one for, equal ones once."""
    graph, choices = evaluation.graph, evaluation.choices
    out: dict[Expr, Closed] = {}
    for crossing in crossings:
        if crossing.kind != "root":
            continue
        values = point(graph, both, {**choices, vary.node: crossing.value})
        try:
            left, right = (
                compose(
                    graph,
                    node,
                    lambda n: vary.path if n == vary.node else label(graph, n),
                    visible={vary.node},
                    values=values,
                )
                for node in both
            )
        except TooLongError:
            continue
        symbols = {**left.symbols, **right.symbols}
        numbers = {name: values[node] for name, node in symbols.items()}
        for expr in solve(left.expr - right.expr, vary.path, list(symbols)):
            if math.isclose(evaluate(expr, numbers), crossing.value, rel_tol=1e-8):
                used = {p.value for p in expr.walk() if p.op == "symbol"}
                kept = {name: numbers[name] for name in sorted(used)}
                nodes = {name: symbols[name] for name in kept}
                out.setdefault(expr, Closed(expr, kept, crossing.value, nodes))
    return tuple(out.values())
