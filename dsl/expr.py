"""The one expression tree: what `:=` parses to and what a formula function traces to.

The tree is ordered and never simplified, so every printer shows a formula the way
its author wrote it (`6 * N * D` stays that). Operators between two trees build
trees; `==` and `hash` compare structure and ignore spans.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import attrs

from isocost.dsl.spans import Span

Operand: TypeAlias = "Expr | float"

#: Operators and the number of arguments each takes (None: one or more).
ARITY: dict[str, int | None] = {
    "number": 0,
    "literal": 0,
    "symbol": 0,
    "path": 0,
    "+": 2,
    "-": 2,
    "*": 2,
    "/": 2,
    "^": 2,
    "neg": 1,
    "<": 2,
    "<=": 2,
    ">": 2,
    ">=": 2,
    "==": 2,
    "!=": 2,
    "and": 2,
    "or": 2,
    "not": 1,
    "if": 3,
    "min": None,
    "max": None,
    "sum": None,
    "ceil": 1,
    "floor": 1,
    "sqrt": 1,
    "log": 1,
    "exp": 1,
    "abs": 1,
}


@attrs.frozen(cache_hash=True, slots=True, repr=False, order=False)
class Expr:
    """One operator applied to arguments.

    `value` holds what is not a subtree: the number of a `number`, the `Literal` of a
    `literal`, the name of a `symbol`, the `Path` of a `path`, the branch names of a
    `min` or `max`, the keyword names of a `call`.
    """

    op: str
    args: tuple["Expr", ...] = ()
    value: Any = None
    span: Span | None = attrs.field(default=None, eq=False)

    def __add__(self, other: Operand) -> "Expr":
        return Expr("+", (self, lift(other)))

    def __radd__(self, other: Operand) -> "Expr":
        return Expr("+", (lift(other), self))

    def __sub__(self, other: Operand) -> "Expr":
        return Expr("-", (self, lift(other)))

    def __rsub__(self, other: Operand) -> "Expr":
        return Expr("-", (lift(other), self))

    def __mul__(self, other: Operand) -> "Expr":
        return Expr("*", (self, lift(other)))

    def __rmul__(self, other: Operand) -> "Expr":
        return Expr("*", (lift(other), self))

    def __truediv__(self, other: Operand) -> "Expr":
        return Expr("/", (self, lift(other)))

    def __rtruediv__(self, other: Operand) -> "Expr":
        return Expr("/", (lift(other), self))

    def __pow__(self, other: Operand) -> "Expr":
        return Expr("^", (self, lift(other)))

    def __rpow__(self, other: Operand) -> "Expr":
        return Expr("^", (lift(other), self))

    def __neg__(self) -> "Expr":
        return Expr("neg", (self,))

    def __lt__(self, other: Operand) -> "Expr":
        return Expr("<", (self, lift(other)))

    def __le__(self, other: Operand) -> "Expr":
        return Expr("<=", (self, lift(other)))

    def __gt__(self, other: Operand) -> "Expr":
        return Expr(">", (self, lift(other)))

    def __ge__(self, other: Operand) -> "Expr":
        return Expr(">=", (self, lift(other)))

    def __bool__(self) -> bool:
        """Refuse: a traced condition has no truth; use `where(condition, a, b)`."""
        message = "a traced expression has no truth value: use where(condition, a, b)"
        raise TypeError(message)

    def __repr__(self) -> str:
        if self.op in {"number", "literal", "symbol", "path"}:
            return str(self.value)
        return f"{self.op}({', '.join(map(repr, self.args))})"

    def walk(self) -> Iterator["Expr"]:
        """This node and all below it, parents first, left to right."""
        yield self
        for arg in self.args:
            yield from arg.walk()

    def map(self, change: Callable[["Expr"], "Expr"]) -> "Expr":
        """A copy with `change` applied to every node, children first."""
        args = tuple(arg.map(change) for arg in self.args)
        same = all(a is b for a, b in zip(args, self.args, strict=True))
        return change(self if same else attrs.evolve(self, args=args))


def lift(value: Operand) -> Expr:
    """A number as a tree; a tree as it is."""
    return value if isinstance(value, Expr) else Expr("number", value=value)


def symbol(name: str) -> Expr:
    """A parameter of a formula."""
    return Expr("symbol", value=name)


def largest(*parts: Operand, **named: Operand) -> Expr:
    """`max`; keyword arguments name their branch (`largest(memory=a, compute=b)`)."""
    return _extreme("max", parts, named)


def smallest(*parts: Operand, **named: Operand) -> Expr:
    """`min`; keyword arguments name their branch."""
    return _extreme("min", parts, named)


def _extreme(op: str, parts: tuple[Operand, ...], named: dict[str, Operand]) -> Expr:
    names = (*(str(i + 1) for i in range(len(parts))), *named)
    args = tuple(lift(part) for part in (*parts, *named.values()))
    return Expr(op, args, names if named else None)


def total(*parts: Operand) -> Expr:
    """The sum of its arguments, in their order."""
    return Expr("sum", tuple(lift(part) for part in parts))


def where(condition: Expr, then: Operand, otherwise: Operand) -> Expr:
    """`if condition then … else …`."""
    return Expr("if", (condition, lift(then), lift(otherwise)))


def same(a: Operand, b: Operand) -> Expr:
    """Equality of two numbers as a condition (`==` on trees compares structure)."""
    return Expr("==", (lift(a), lift(b)))


def both(a: Expr, b: Expr) -> Expr:
    """Logical and of two conditions."""
    return Expr("and", (a, b))


def ceil(x: Operand) -> Expr:
    """The least whole number that is not below `x`."""
    return Expr("ceil", (lift(x),))


def floor(x: Operand) -> Expr:
    """The greatest whole number that is not above `x`."""
    return Expr("floor", (lift(x),))


def sqrt(x: Operand) -> Expr:
    """The square root."""
    return Expr("sqrt", (lift(x),))


def log(x: Operand) -> Expr:
    """The natural logarithm of a plain number."""
    return Expr("log", (lift(x),))


def log2(x: Operand) -> Expr:
    """The logarithm to base 2 of a plain number."""
    return Expr("log", (lift(x),)) / Expr("log", (lift(2),))


def exp(x: Operand) -> Expr:
    """e to the power of a plain number."""
    return Expr("exp", (lift(x),))


def absolute(x: Operand) -> Expr:
    """The size of `x`."""
    return Expr("abs", (lift(x),))
