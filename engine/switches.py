"""Switches: the piecewise operators inside formulas, and the states that they are in.

A switch is a `min` or `max`, an `if`, the size of `abs`, and (where steps are asked
for) `ceil` and `floor`. Its state is a number, written as a tree of ours, so that it
runs on the same back ends as the graph. Only those on active branches are found: what
stands in a branch that is not taken does not matter yet.
"""

import math
from collections.abc import Iterable, Mapping

import attrs

from isocost.dsl.expr import Expr, lift, total
from isocost.engine.formula import Formula, evaluate
from isocost.engine.graph import Graph
from isocost.engine.printers.python import Function, array_tree
from isocost.engine.printers.text import show

#: Operators that have branches, and those that only step.
BRANCHING = frozenset({"min", "max", "if", "abs"})
STEPPING = frozenset({"ceil", "floor"})


@attrs.frozen(eq=False)
class Switch:
    """One piecewise operator of one node's formula, active at the point.

    `names` are the words for its states; `tree` gives its number from the formula's
    parameters, and `states` does so over columns, in the order of the parameters.
    """

    node: int
    args: tuple[int, ...]
    params: tuple[str, ...]
    op: str
    named: bool
    names: tuple[str, ...]
    tree: Expr
    states: Function

    def state(self, values: Mapping[int, float]) -> float:
        """The number of its state where nodes have some values."""
        pairs = zip(self.params, self.args, strict=True)
        return evaluate(self.tree, {name: values[arg] for name, arg in pairs})

    def word(self, state: float) -> str:
        """The name of a state."""
        if self.names:
            return self.names[round(state)]
        return f"{state:g}"


def _state_tree(expr: Expr) -> Expr:
    """A tree whose value tells the branches of an operator apart."""
    match expr.op:
        case "min" | "max":
            picks = [
                lift(i) * Expr(f"pick_{expr.op}", expr.args, i)
                for i in range(1, len(expr.args))
            ]
            return total(*picks)
        case "if":
            return expr.args[0]
        case "abs":
            return Expr("<", (expr.args[0], lift(0)))
        case _:
            return expr


def _names(expr: Expr) -> tuple[str, ...]:
    match expr.op:
        case "min" | "max":
            return tuple(expr.value or map(show, expr.args))
        case "if":
            condition = show(expr.args[0])
            return (f"not {condition}", condition)
        case "abs":
            return ("positive", "negative")
        case _:
            return ()


_MADE: dict[tuple[int, Expr], tuple[Formula, Expr, Function]] = {}


def _switch(node: int, what: Formula, args: tuple[int, ...], expr: Expr) -> Switch:
    key = (id(what), expr)
    if key not in _MADE:
        made = _state_tree(expr)
        _MADE[key] = (what, made, array_tree(made, what.params, what.name))
    _, tree, states = _MADE[key]
    named = expr.op in {"min", "max"} and expr.value is not None
    params = tuple(what.params)
    return Switch(node, args, params, expr.op, named, _names(expr), tree, states)


class _Walk:
    """Follows one formula's tree along its active branches."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self.values = values
        self.found: list[Expr] = []
        self.used: set[str] = set()

    def visit(self, expr: Expr) -> None:
        if expr.op == "symbol":
            self.used.add(expr.value)
        if expr.op in BRANCHING | STEPPING:
            self.found.append(expr)
        for arg in self.entered(expr):
            self.visit(arg)

    def entered(self, expr: Expr) -> Iterable[Expr]:
        """The arguments that decide the value here; all that are level, at a tie."""
        match expr.op:
            case "min" | "max":
                numbers = [evaluate(arg, self.values) for arg in expr.args]
                best = max(numbers) if expr.op == "max" else min(numbers)
                pairs = zip(expr.args, numbers, strict=True)
                return [arg for arg, n in pairs if math.isclose(n, best)]
            case "if":
                holds = evaluate(expr.args[0], self.values)
                return (expr.args[0], expr.args[1] if holds else expr.args[2])
            case _:
                return expr.args


def switches(
    graph: Graph,
    wanted: int,
    values: Mapping[int, float],
    ops: frozenset[str] = BRANCHING,
) -> list[Switch]:
    """The switches on the active branches below a node, arguments first.

    Args:
        graph: The graph.
        wanted: The node that they must matter to.
        values: All nodes below it at the point.
        ops: The operators to look for.
    """
    needed = {wanted}
    found: list[Switch] = []
    for node in reversed(graph.below((wanted,))):
        what, args = graph.nodes[node].what, graph.nodes[node].args
        if node not in needed or not isinstance(what, Formula):
            continue
        at = {n: values[a] for n, a in zip(what.params, args, strict=True)}
        walk = _Walk(at)
        walk.visit(what.body)
        pairs = zip(what.params, args, strict=True)
        needed.update(arg for name, arg in pairs if name in walk.used)
        unique = dict.fromkeys(e for e in walk.found if e.op in ops)
        found += [_switch(node, what, args, expr) for expr in unique]
    return found[::-1]
