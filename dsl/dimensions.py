"""The unit checker: the dimension of an expression, and where it does not add up.

Used for what users write and, in the tests, for the body of every shipped formula.
It runs once an expression and never meets a number's size. `None` stands for a
dimension that is not known (an error was reported below) or does not matter (a bare
zero, which compares with anything).
"""

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs

from isocost.dsl.expr import Expr
from isocost.dsl.units import PLAIN, Dim

#: Operators whose arguments must share one dimension.
SHARING = {"+", "-", "<", "<=", ">", ">=", "==", "!=", "min", "max", "sum"}
_TRUTH = {"<", "<=", ">", ">=", "==", "!=", "and", "or", "not"}
_PLAIN_ONLY = {"log", "exp"}
_ARITHMETIC: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


@attrs.frozen
class Clash:
    """Two dimensions that should have been one.

    `expr` is the operation, `culprit` the operand to point at, `other` where the
    expectation comes from; `expected` and `found` are the dimensions.
    """

    op: str
    expr: Expr
    culprit: Expr
    other: Expr | None
    expected: Dim
    found: Dim


Leaf = Callable[[Expr], Dim | None]
Report = Callable[[Clash], None]


def infer(expr: Expr, leaf: Leaf, report: Report) -> Dim | None:
    """The dimension of `expr`.

    Args:
        expr: The tree.
        leaf: The dimension of a `symbol`, `path`, `call` or any other node that is no
            arithmetic; it reports its own errors and returns None for them.
        report: Called with each clash.

    Returns:
        The dimension, or None if unknown or any.
    """
    match expr.op:
        case "number":
            return PLAIN if expr.value else None
        case "literal":
            return _literal(expr)
        case "if":
            return _conditional(expr, leaf, report)
        case "*" | "/":
            return _product(expr, leaf, report)
        case "^":
            return _power(expr, leaf, report)
        case "neg" | "abs" | "ceil" | "floor":
            return infer(expr.args[0], leaf, report)
        case "sqrt":
            found = infer(expr.args[0], leaf, report)
            return None if found is None else found ** Fraction(1, 2)
        case "and" | "or" | "not":
            for arg in expr.args:
                infer(arg, leaf, report)
            return PLAIN
        case op if op in SHARING:
            shared = _shared(expr, expr.args, leaf, report)
            return PLAIN if op in _TRUTH else shared
        case op if op in _PLAIN_ONLY:
            found = infer(expr.args[0], leaf, report)
            if found is not None and not found.plain:
                report(Clash(op, expr, expr.args[0], None, PLAIN, found))
            return PLAIN
        case _:
            return leaf(expr)


def _literal(expr: Expr) -> Dim | None:
    value: Any = expr.value
    if value.unit is None:
        return PLAIN if value.number else None
    found: Dim = value.unit.dim
    return found


def _shared(
    expr: Expr, args: tuple[Expr, ...], leaf: Leaf, report: Report
) -> Dim | None:
    expected: Dim | None = None
    witness: Expr | None = None
    right = True
    for arg in args:
        found = infer(arg, leaf, report)
        if found is None:
            continue
        if expected is None:
            expected, witness = found, arg
        elif found != expected:
            report(Clash(expr.op, expr, arg, witness, expected, found))
            right = False
    return expected if right else None


def _conditional(expr: Expr, leaf: Leaf, report: Report) -> Dim | None:
    infer(expr.args[0], leaf, report)
    return _shared(expr, expr.args[1:], leaf, report)


def _product(expr: Expr, leaf: Leaf, report: Report) -> Dim | None:
    left = infer(expr.args[0], leaf, report)
    right = infer(expr.args[1], leaf, report)
    if left is None or right is None:
        return None
    return left * right if expr.op == "*" else left / right


def constant(expr: Expr) -> Fraction | None:
    """The value of a tree of plain numbers, exactly, if it is one."""
    match expr.op:
        case "number":
            return Fraction(expr.value).limit_denominator(10**6)
        case "literal" if expr.value.unit is None:
            return Fraction(expr.value.number).limit_denominator(10**6)
        case "neg":
            inner = constant(expr.args[0])
            return None if inner is None else -inner
        case "+" | "-" | "*" | "/":
            a, b = (constant(arg) for arg in expr.args)
            if a is None or b is None or (expr.op == "/" and not b):
                return None
            return _ARITHMETIC[expr.op](a, b)
        case _:
            return None


def _power(expr: Expr, leaf: Leaf, report: Report) -> Dim | None:
    base = infer(expr.args[0], leaf, report)
    exponent = infer(expr.args[1], leaf, report)
    if exponent is not None and not exponent.plain:
        report(Clash("^", expr, expr.args[1], None, PLAIN, exponent))
        return None
    if base is None or base.plain:
        return base
    fixed = constant(expr.args[1])
    if fixed is None:
        report(Clash("^", expr, expr.args[0], None, PLAIN, base))
        return None
    return base**fixed
