"""Exact gradients: the chain rule in reverse over the graph, at one point.

Each formula's partial derivatives come from `algebra`. At a kink the derivative is
that of the branch that is active at the point. Whole numbers and choices get no
derivative: the caller takes finite steps for them.
"""

import math
from collections.abc import Mapping

from isocost.engine.algebra import partials
from isocost.engine.formula import Formula
from isocost.engine.graph import Graph
from isocost.engine.printers.python import Function, scalar_tree

_KEPT: dict[int, tuple[Formula, tuple[Function | None, ...]]] = {}


def _functions(formula: Formula) -> tuple[Function | None, ...]:
    """The partials as functions of all parameters; None where one is always zero."""
    if id(formula) not in _KEPT:
        found = partials(formula)
        made: list[Function | None] = []
        for name in formula.params:
            tree = found[name]
            zero = tree.op == "number" and not tree.value
            made.append(None if zero else scalar_tree(tree, formula.params, name))
        _KEPT[id(formula)] = (formula, tuple(made))
    return _KEPT[id(formula)][1]


def gradient(
    graph: Graph, wanted: int, values: Mapping[int, float]
) -> dict[int, float]:
    """The derivative of one node by every node below it.

    Args:
        graph: The graph.
        wanted: The node to differentiate.
        values: All nodes below at the point (`program.point`).

    Returns:
        Derivatives in base units by node; nodes of no influence are left out.
    """
    slopes: dict[int, float] = {wanted: 1.0}
    for node in reversed(graph.below((wanted,))):
        slope = slopes.get(node)
        what, args = graph.nodes[node].what, graph.nodes[node].args
        if not slope or not isinstance(what, Formula):
            continue
        point = [values[arg] for arg in args]
        for arg, function in zip(args, _functions(what), strict=True):
            if function is None:
                continue
            step = slope * float(function(*point))
            if step and not math.isnan(step):
                slopes[arg] = slopes.get(arg, 0.0) + step
    return slopes
