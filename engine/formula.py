"""Formula functions: a Python function traced once into our expression tree.

A formula is defined once, with its unit, its parameters' units, its validity and
its source as data; a graph applies it to nodes as often as it likes. Printers,
derivatives and documentation all come from the traced body. Neither numpy nor
sympy is imported here.
"""

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from isocost.dsl.expr import Expr, symbol
from isocost.dsl.literal import Literal
from isocost.dsl.units import Dim, unit
from isocost.engine.operators import INDEXED, scalars

Body = Callable[..., Expr]


@attrs.frozen
class Param:
    """One variable of a formula: its unit, its symbol in print and what it is."""

    unit: str
    latex: str
    doc: str = ""

    @property
    def dim(self) -> Dim:
        """The dimension of the unit."""
        return unit(self.unit).dim


p = Param


def q(text: str) -> Expr:
    """A constant with a unit inside a formula: `q("1 token/sequence")`."""
    number, _, name = text.partition(" ")
    return Expr("literal", value=Literal(float(number), unit(name), text))


@attrs.frozen(eq=False)
class Formula:
    """A named formula.

    `function` is traced on first use; `body` is the result. Equality is identity of
    the object: two formulas with one name are a mistake caught at registration.
    `flag` is said of every result that rests on the formula while it is above 0,
    `never` of its own result where that is infinite.
    """

    name: str
    unit: str
    params: Mapping[str, Param]
    function: Body | None
    valid: str = ""
    source: str = ""
    doc: str = ""
    latex: str = ""
    body_: list[Expr] = attrs.field(factory=list, repr=False)
    flag: str = ""
    never: str = ""

    @property
    def body(self) -> Expr:
        """The traced tree over `symbol` leaves named as the parameters."""
        if not self.body_:
            assert self.function is not None  # noqa: S101 (a formula has one or the other)
            self.body_.append(self.function(**{n: symbol(n) for n in self.params}))
        return self.body_[0]

    @property
    def dim(self) -> Dim:
        """The dimension of the result."""
        return unit(self.unit).dim

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Apply: to trees inside another formula's body, or to numbers in base units.

        Args:
            *args: Values in the order of the parameters.
            **named: Values by parameter name.

        Returns:
            A tree if any value is a tree, else a float in base units.
        """
        values = {**dict(zip(self.params, args, strict=False)), **named}
        if any(isinstance(value, Expr) for value in values.values()):
            assert self.function is not None  # noqa: S101 (user formulas are never called)
            return self.function(**values)
        return evaluate(self.body, values)


#: Every shipped formula by name.
FORMULAS: dict[str, Formula] = {}


def formula(
    result_unit: str,
    params: Mapping[str, Param],
    *,
    source: str,
    valid: str = "",
    latex: str = "",
    flag: str = "",
) -> Callable[[Body], Formula]:
    """Register a formula function.

    Args:
        result_unit: The unit of the result (`s`, `B/s`, `$/h`, `1` for plain).
        params: The variables in the order of the function's arguments.
        source: Where the formula comes from.
        valid: Where it holds, in words.
        latex: The symbol of the result in print.
        flag: What is said of results that rest on it while it is above 0.

    Raises:
        ValueError: The name is taken, or the parameters do not match the function.
    """

    def register(function: Body) -> Formula:
        name = function.__name__
        if name in FORMULAS and FORMULAS[name].function is not function:
            message = f"two formulas are named {name}"
            raise ValueError(message)
        if list(params) != list(inspect.signature(function).parameters):
            message = f"{name}: parameters and arguments differ"
            raise ValueError(message)
        doc = inspect.getdoc(function) or ""
        words = (valid, source, doc, latex)
        made = Formula(name, result_unit, dict(params), function, *words, flag=flag)
        FORMULAS[name] = made
        return made

    return register


#: `ceil` and `floor` snap to a whole number within this share of the argument.
SNAP = 1e-9


def snap_ceil(x: float) -> float:
    """`ceil` that forgives rounding noise just above a whole number."""
    return float(math.ceil(x - SNAP * abs(x))) if math.isfinite(x) else x


def snap_floor(x: float) -> float:
    """`floor` that forgives rounding noise just below a whole number."""
    return float(math.floor(x + SNAP * abs(x))) if math.isfinite(x) else x


def real(value: Any) -> float:
    """A number as a float; a whole number or fraction past its range is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _sum(*xs: float) -> float:
    """The sum with one rounding; past the range of floats, infinite."""
    try:
        return math.fsum(xs)
    except (OverflowError, ValueError):  # on the way, or infinities of both signs
        return sum(xs)


def _divide(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if not a or math.isnan(a) else math.copysign(math.inf, a)


def _power(a: float, b: float) -> float:
    try:
        out = a**b
    except (OverflowError, ZeroDivisionError):
        return math.inf
    return math.nan if isinstance(out, complex) else float(out)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


SCALAR: dict[str, Callable[..., float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "^": _power,
    "neg": lambda a: -a,
    "<": lambda a, b: float(a < b),
    "<=": lambda a, b: float(a <= b),
    ">": lambda a, b: float(a > b),
    ">=": lambda a, b: float(a >= b),
    "==": lambda a, b: float(a == b),
    "!=": lambda a, b: float(a != b),
    "and": lambda a, b: float(bool(a) and bool(b)),
    "or": lambda a, b: float(bool(a) or bool(b)),
    "not": lambda a: float(not a),
    "if": lambda c, a, b: a if c else b,
    "min": lambda *xs: math.nan if any(map(math.isnan, xs)) else min(xs),
    "max": lambda *xs: math.nan if any(map(math.isnan, xs)) else max(xs),
    "sum": _sum,
    "ceil": snap_ceil,
    "floor": snap_floor,
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "log": lambda x: math.log(x) if x > 0 else (-math.inf if x == 0 else math.nan),
    "exp": _exp,
    "abs": abs,
    "pick_max": lambda i, *xs: float(max(range(len(xs)), key=xs.__getitem__) == i),
    "pick_min": lambda i, *xs: float(min(range(len(xs)), key=xs.__getitem__) == i),
    **scalars(),
}


def evaluate(expr: Expr, values: Mapping[str, float]) -> float:
    """Walk a tree over `symbol`, `number` and `literal` leaves at one point.

    Args:
        expr: The tree.
        values: Numbers in base units by symbol.
    """
    match expr.op:
        case "symbol":
            return float(values[expr.value])
        case "number":
            return real(expr.value)
        case "literal":
            return real(expr.value.base)
        case op if op in INDEXED:
            xs = [evaluate(arg, values) for arg in expr.args]
            return SCALAR[op](expr.value, *xs)
        case op:
            return SCALAR[op](*(evaluate(arg, values) for arg in expr.args))
