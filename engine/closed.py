"""The closed form of a quantity, composed when somebody asks to read it.

Formulas of the graph are substituted into each other down to the inputs that are to
stay visible; what none of these reaches is one symbol under its own name. Branches
may be settled to those that are active at the point, which is what a break-even is
solved on. Nothing else in the engine ever builds such an expression.
sympy is only met by `solve`.
"""

from collections.abc import Callable, Collection, Mapping

import attrs

from isocost.dsl.expr import Expr, lift, symbol
from isocost.engine.formula import Formula, evaluate
from isocost.engine.graph import Constant, Graph

#: A tree of more operators than this is nothing that anybody reads.
LONGEST = 20_000


@attrs.frozen
class Closed:
    """A closed form: its tree, and the node behind each of its symbols."""

    expr: Expr
    symbols: Mapping[str, int]


class TooLongError(Exception):
    """The closed form would have more than `LONGEST` operators."""


def compose(
    graph: Graph,
    wanted: int,
    name: Callable[[int], str],
    *,
    visible: Collection[int] | None = None,
    values: Mapping[int, float] | None = None,
) -> Closed:
    """The closed form of a node.

    Args:
        graph: The graph.
        wanted: The node.
        name: The name of a node that becomes a symbol.
        visible: The nodes that stay symbols, others reached by none of them become
            one symbol each; None: all inputs stay.
        values: All nodes at a point; where given, `if`, `min`, `max`, `ceil` and
            `floor` are replaced by what they are there, and what is nil drops out.

    Raises:
        TooLongError: It would be too long to read.
    """
    run = _Compose(graph, name, visible, values)
    expr = run.build(wanted)
    return Closed(expr, run.symbols)


class _Compose:
    def __init__(
        self,
        graph: Graph,
        name: Callable[[int], str],
        visible: Collection[int] | None,
        values: Mapping[int, float] | None,
    ) -> None:
        self.graph = graph
        self.name = name
        self.visible = visible
        self.values = values
        self.symbols: dict[str, int] = {}
        self._built: dict[int, Expr] = {}
        self._sizes: dict[int, int] = {}
        self._moving: dict[int, bool] = {}

    def moving(self, node: int) -> bool:
        """Whether a visible node reaches this one."""
        if self.visible is None:
            return True
        if node not in self._moving:
            args = self.graph.nodes[node].args
            self._moving[node] = node in self.visible or any(map(self.moving, args))
        return self._moving[node]

    def build(self, node: int) -> Expr:
        """The tree of a node, a symbol where it is to stay one."""
        if node not in self._built:
            self._built[node] = self._build(node)
            size = sum(1 for _ in self._built[node].walk())
            if size > LONGEST:
                raise TooLongError
        return self._built[node]

    def _build(self, node: int) -> Expr:
        what, args = self.graph.nodes[node].what, self.graph.nodes[node].args
        if isinstance(what, Constant):
            return lift(what.value)
        shown = self.visible is not None and node in self.visible
        if self.values is not None and not shown and self._dropped(node):
            return lift(self.values[node])
        if not isinstance(what, Formula) or shown or not self.moving(node):
            text = self.name(node)
            self.symbols[text] = node
            return symbol(text)
        body = what.body
        if self.values is not None:
            at = {n: self.values[a] for n, a in zip(what.params, args, strict=True)}
            body = settled(body, at)
        used = {part.value for part in body.walk() if part.op == "symbol"}
        below = {
            n: self.build(a)
            for n, a in zip(what.params, args, strict=True)
            if n in used
        }
        return _substitute(body, below)

    def _dropped(self, node: int) -> bool:
        """Whether a node is better read as its number: a nil, or no input below it."""
        assert self.values is not None  # noqa: S101 (the caller looked)
        if self.moving(node):
            return False
        return not self.values[node] or not self.graph.inputs((node,))


def _substitute(expr: Expr, below: Mapping[str, Expr]) -> Expr:
    """A body with trees for its symbols; what is put in is not entered again."""
    if expr.op == "symbol":
        return below[expr.value]
    if not expr.args:
        return expr
    return attrs.evolve(expr, args=tuple(_substitute(a, below) for a in expr.args))


def settled(expr: Expr, at: Mapping[str, float]) -> Expr:
    """A tree with its branches and steps replaced by what they are at a point."""
    match expr.op:
        case "if":
            condition, then, otherwise = expr.args
            return settled(then if evaluate(condition, at) else otherwise, at)
        case "min" | "max":
            numbers = [evaluate(arg, at) for arg in expr.args]
            best = max(numbers) if expr.op == "max" else min(numbers)
            return settled(expr.args[numbers.index(best)], at)
        case "ceil" | "floor":
            return lift(evaluate(expr, at))
        case "abs":
            (arg,) = expr.args
            inner = settled(arg, at)
            return inner if evaluate(arg, at) >= 0 else -inner
    if not expr.args:
        return expr
    return attrs.evolve(expr, args=tuple(settled(arg, at) for arg in expr.args))


def solve(difference: Expr, name: str, symbols: list[str]) -> list[Expr]:
    """The roots of a smooth tree in one symbol, as trees; none if sympy finds none.

    Equations that are linear or quadratic in the symbol, or in one power of it, once
    they are over one denominator.
    """
    import sympy as sp

    from isocost.engine.symbolic import from_sympy, to_sympy

    made = {text: sp.Symbol(text, positive=True) for text in {*symbols, name}}
    x = made[name]
    whole = sp.fraction(sp.together(to_sympy(difference, made)))[0]
    powers = sorted(whole.expand().atoms(sp.Pow), key=str)
    powers = [p for p in powers if p.base == x and not p.exp.is_integer]
    unknown = powers[0] if powers else x
    stand_in = sp.Dummy("u", positive=True)
    try:
        poly = sp.Poly(whole.expand().subs(unknown, stand_in), stand_in)
    except sp.PolynomialError:
        return []
    if poly.has(x) if powers else False:
        return []
    if not 1 <= poly.degree() <= 2:  # noqa: PLR2004 (a quadratic is still readable)
        return []
    found = sp.roots(poly) if poly.degree() == 2 else [-poly.nth(0) / poly.nth(1)]  # noqa: PLR2004 (the same)
    if powers:
        found = [root ** (1 / unknown.exp) for root in found]
    plain = (sp.factor_terms(sp.cancel(root)) for root in found)
    return [_without_ones(from_sympy(root)) for root in plain]


def _without_ones(expr: Expr) -> Expr:
    """A tree without factors of 1, which nobody writes."""
    args = tuple(_without_ones(arg) for arg in expr.args)
    if expr.op == "*":
        kept = [arg for arg in args if not (arg.op == "number" and arg.value == 1)]
        if len(kept) == 1:
            return kept[0]
    return attrs.evolve(expr, args=args)
