"""The closed form of a quantity: formulas put into each other, down to the inputs.

Composed only when somebody asks to read it, and refused where it would be too long to
be read by anybody. What rests on no input is folded into its number.
"""

from collections.abc import Mapping

import attrs

from isocost.dsl.expr import Expr, lift, symbol
from isocost.engine.explain import names_for
from isocost.engine.formula import Formula, evaluate
from isocost.engine.graph import Constant, Graph

#: More than this many operators are no formula that a person reads.
MOST = 4000


@attrs.frozen
class TooLong:
    """Why there is no closed form: it would have more operators than `MOST`."""

    operators: int


def closed_form(
    graph: Graph, node: int, scenario: str, settled: Mapping[int, float] | None = None
) -> Expr | TooLong:
    """One expression of the inputs for a quantity.

    Args:
        graph: The graph.
        node: The quantity.
        scenario: Whose names the inputs get, without the scenario's own in front.
        settled: Values of settled choices, which stand as numbers.

    Returns:
        The tree over `symbol` leaves named as inputs, or that it is too long.
    """
    names = names_for(graph, scenario)
    given = settled or {}
    trees: dict[int, Expr] = {}
    sizes: dict[int, int] = {}
    for below in graph.below((node,)):
        what, args = graph.nodes[below].what, graph.nodes[below].args
        if below in given:
            trees[below], sizes[below] = lift(given[below]), 1
        elif isinstance(what, Constant):
            trees[below], sizes[below] = lift(what.value), 1
        elif not isinstance(what, Formula):
            name = names.get(below, what.origin).removeprefix(f"{scenario}.")
            trees[below], sizes[below] = symbol(name), 1
        else:
            parts = dict(zip(what.params, args, strict=True))
            sizes[below] = _size(what.body, {p: sizes[a] for p, a in parts.items()})
            if sizes[below] > MOST:
                return TooLong(sizes[below])
            trees[below] = _fold(what.body, {p: trees[a] for p, a in parts.items()})
    return trees[node]


def _size(body: Expr, sizes: Mapping[str, int]) -> int:
    if body.op == "symbol":
        return sizes[body.value]
    return 1 + sum(_size(arg, sizes) for arg in body.args)


def _fold(body: Expr, trees: Mapping[str, Expr]) -> Expr:
    """A body with its symbols replaced and its constants worked out."""

    def change(part: Expr) -> Expr:
        if part.op == "symbol" and part.value in trees:
            return trees[part.value]
        if part.op == "literal":
            return lift(part.value.base)
        return _simpler(part)

    return body.map(change)


def _simpler(part: Expr) -> Expr:
    """Numbers worked out; 0 and 1 dropped where they change nothing."""
    if part.args and all(arg.op == "number" for arg in part.args):
        return lift(evaluate(part, {}))
    numbers = [arg.value if arg.op == "number" else None for arg in part.args]
    match part.op, numbers:
        case ("*", [1, _]) | ("+", [0, _]):
            return part.args[1]
        case "*" | "/" | "^", [_, 1]:
            return part.args[0]
        case "+" | "-", [_, 0]:
            return part.args[0]
        case "*", [0, _] | [_, 0]:
            return lift(0)
        case "if", [0, _, _]:
            return part.args[2]
        case "if", [float() | int(), _, _]:
            return part.args[1]
        case "sum", _ if 0 in numbers:
            kept = tuple(a for a in part.args if not (a.op == "number" and not a.value))
            return kept[0] if len(kept) == 1 else attrs.evolve(part, args=kept)
        case _:
            return part
