"""Whether a formula inside a block is a figure per one of it, or a ratio of two such.

Inside `chip` one writes `memory.bandwidth / power`; read from outside both are per
chip, so that their ratio is not. The degree of a formula is how often "per one of the
block's kind" is left in it: 1 for a figure, 0 for a ratio of two. Numbers of the
formula's own have none and take that of what they are added to.
"""

from collections.abc import Callable
from fractions import Fraction

from isocost.dsl.dimensions import constant
from isocost.dsl.expr import Expr

#: The degree of a path; None where it has none of its own.
Leaf = Callable[[Expr], Fraction | None]
_TRUTH = {"<", "<=", ">", ">=", "==", "!=", "and", "or", "not"}
_ALIKE = {"+", "-", "min", "max", "sum", "interval", "tolerance", "choice", "call"}
_SAME = {"neg", "abs", "ceil", "floor", "last"}
_ZERO = Fraction(0)


def degree(expr: Expr, leaf: Leaf) -> Fraction | None:
    """How often an expression is per one of its block's kind; None where it is open.

    Args:
        expr: The tree, calls of functions as operators.
        leaf: The degree of each path.
    """
    match expr.op:
        case "path":
            return leaf(expr)
        case "*" | "/":
            return _product(expr, leaf)
        case "^":
            return _power(expr, leaf)
        case "sqrt":
            inner = degree(expr.args[0], leaf)
            return None if inner is None else inner / 2
        case "if":
            return _first(expr.args[1:], leaf)
        case op if op in _SAME:
            return degree(expr.args[0], leaf)
        case op if op in _ALIKE:
            return _first(expr.args, leaf)
        case op if op in _TRUTH or op in {"log", "exp"}:
            return _ZERO
        case _:
            return None


def _first(args: tuple[Expr, ...], leaf: Leaf) -> Fraction | None:
    """Terms are alike, so that the first with a degree speaks for all."""
    found = (degree(arg, leaf) for arg in args)
    return next((one for one in found if one is not None), None)


def _product(expr: Expr, leaf: Leaf) -> Fraction | None:
    left, right = (degree(arg, leaf) for arg in expr.args)
    if left is None and right is None:
        return None
    sign = 1 if expr.op == "*" else -1
    return (left or _ZERO) + sign * (right or _ZERO)


def _power(expr: Expr, leaf: Leaf) -> Fraction | None:
    base, power = degree(expr.args[0], leaf), constant(expr.args[1])
    return None if base is None or power is None else base * power
