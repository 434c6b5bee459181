"""Trees to sympy and back.

Branch operators become small sympy functions of our own with rules for their
derivatives: sympy's `Max` is quadratic in its arguments and its `ceiling` has no
derivative that can be printed. sympy is imported by the functions that need it.
"""

import functools
import math
from collections.abc import Mapping
from typing import Any

from isocost.dsl.expr import Expr, lift, symbol
from isocost.engine.kernels import partial_name
from isocost.engine.operators import FIXED, INDEXED, VARIADIC

#: Whole numbers from here on are more than a float holds exactly: they come of one.
_HUGE = 2**53
_DIGITS = 15
_BRANCHES = ("<", "<=", ">", ">=", "==", "!=", "and", "or", "not", "ceil", "floor")


@functools.cache
def _functions() -> dict[str, Any]:
    """sympy functions for branch operators, each with its own derivative."""
    import sympy as sp

    zero, one = sp.Integer(0), sp.Integer(1)

    def step(name: str) -> Any:
        return type(name, (sp.Function,), {"fdiff": lambda *_: zero})

    out: dict[str, Any] = {op: step(f"Branch_{i}") for i, op in enumerate(_BRANCHES)}
    for op in ("pick_max", "pick_min"):
        out[op] = step(op.title())

    def pick(op: str) -> Any:
        def fdiff(self: Any, argindex: int = 1) -> Any:
            return out[f"pick_{op}"](sp.Integer(argindex - 1), *self.args)

        return fdiff

    for op in ("max", "min"):
        out[op] = type(f"Branch_{op}", (sp.Function,), {"fdiff": pick(op)})

    def choose(self: Any, by: Any) -> Any:
        # Not by the chain rule: 0 times the other branch's slope may be 0 times nan.
        condition, then, otherwise = self.args
        return out["if"](condition, then.diff(by), otherwise.diff(by))

    out["if"] = type("Branch_if", (sp.Function,), {"_eval_derivative": choose})

    def sign(self: Any, _argindex: int = 1) -> Any:
        return out["if"](out["<"](self.args[0], zero), -one, one)

    out["abs"] = type("Branch_abs", (sp.Function,), {"fdiff": sign})
    return out | _kernel_functions()


def _kernel_functions() -> dict[str, Any]:
    """sympy functions for kernels, whose derivatives are functions of their own."""
    import sympy as sp

    out: dict[str, Any] = {}

    def slope(by: Any, index: int | None) -> Any:
        def fdiff(self: Any, argindex: int = 1) -> Any:
            if index is None:
                return by(sp.Integer(argindex - 1), *self.args)
            return by[argindex - 1](*self.args)

        return fdiff

    for kernel in FIXED:
        names = [partial_name(kernel, i + 1) for i in range(len(kernel.args))]
        partials_ = [type(f"Kernel_{name}", (sp.Function,), {}) for name in names]
        out |= dict(zip(names, partials_, strict=True))
        methods = {"fdiff": slope(partials_, 0)}
        out[kernel.name] = type(f"Kernel_{kernel.name}", (sp.Function,), methods)
    for kernel in VARIADIC:
        name = f"{kernel.name}_by"
        out[name] = type(f"Kernel_{name}", (sp.Function,), {})
        methods = {"fdiff": slope(out[name], None)}
        out[kernel.name] = type(f"Kernel_{kernel.name}", (sp.Function,), methods)
    return out


def to_sympy(expr: Expr, symbols: Mapping[str, Any]) -> Any:
    """A tree as a sympy expression over given symbols."""
    import sympy as sp

    match expr.op:
        case "symbol":
            return symbols[expr.value]
        case "number":
            return sp.Rational(str(expr.value))
        case "literal":
            return sp.Rational(repr(expr.value.base))
    args = [to_sympy(arg, symbols) for arg in expr.args]
    plain = {
        "+": sp.Add,
        "*": sp.Mul,
        "sum": sp.Add,
        "^": sp.Pow,
        "sqrt": sp.sqrt,
        "log": sp.log,
        "exp": sp.exp,
        "-": lambda a, b: a - b,
        "/": lambda a, b: a / b,
        "neg": lambda a: -a,
    }
    return plain[expr.op](*args) if expr.op in plain else _functions()[expr.op](*args)


def from_sympy(found: Any) -> Expr:
    """A sympy expression as a tree of ours, with `-` and `/` where they belong."""
    import sympy as sp

    if found.is_Symbol:
        return symbol(found.name)
    if found.is_Integer:
        return lift(int(found))
    if found.is_Rational:
        above, below = _ratio(found)
        return above if below is None else above / below
    if found.is_number and not found.args:
        return lift(_float(found))
    if found.is_Add:
        return functools.reduce(_added, map(from_sympy, found.args))
    if found.is_Mul:
        return _product(found)
    if found.is_Pow:
        return _power(found)
    args = tuple(from_sympy(arg) for arg in found.args)
    if isinstance(found, sp.Abs):
        return Expr("abs", args)
    if isinstance(found, sp.sign):
        below = Expr("<", (args[0], lift(0)))
        return Expr("if", (below, lift(-1), lift(1)))
    for name, function in _functions().items():
        if found.func is function:
            if name in INDEXED:
                return Expr(name, args[1:], int(found.args[0]))
            return Expr(name, args)
    return Expr(str(found.func.__name__), args)


def _ratio(number: Any) -> tuple[Expr, Expr | None]:
    """A rational number as one whole number over another; as one where they are huge.

    Such a ratio was a float before algebra took it, and is one again. Neither side may
    be more than floats hold: inf over inf would be no number.
    """
    p, q = int(number.p), int(number.q)
    if max(abs(p), q) >= _HUGE:
        try:
            return lift(float(f"{p / q:.{_DIGITS}g}")), None
        except OverflowError:
            return lift(math.inf if p > 0 else -math.inf), None
    return lift(p), lift(q) if q != 1 else None


def _float(number: Any) -> float:
    """A constant as a float; what is not real, or infinite both ways, is no number."""
    try:
        return float(number)
    except (TypeError, OverflowError):
        return math.nan


def _added(left: Expr, right: Expr) -> Expr:
    return left - right.args[0] if right.op == "neg" else left + right


def _power(found: Any) -> Expr:
    import sympy as sp

    base, exponent = found.args
    if exponent.is_Rational and exponent < 0:
        return 1 / from_sympy(base**-exponent)
    if exponent == sp.Rational(1, 2):
        return Expr("sqrt", (from_sympy(base),))
    return Expr("^", (from_sympy(base), from_sympy(exponent)))


def _product(found: Any) -> Expr:
    """A product as `neg(above / below)`, gates around it."""
    coefficient, rest = found.as_coeff_Mul()
    number = abs(coefficient)
    above, below = [], []
    if not number.is_Rational:
        above = [from_sympy(number)]
    elif number != 1:
        over, under = _ratio(number)
        above = [over]
        below = [] if under is None else [under]
    for factor in rest.args if rest.is_Mul else (rest,):
        if factor.is_Pow and factor.args[1].is_Rational and factor.args[1] < 0:
            below.append(from_sympy(factor.args[0] ** -factor.args[1]))
        else:
            above.append(from_sympy(factor))
    gates = [factor for factor in above if _is_gate(factor)]
    plain = [factor for factor in above if not _is_gate(factor)]
    times = functools.partial(functools.reduce, lambda a, b: Expr("*", (a, b)))
    out: Expr = times(plain or [lift(1)])
    if below:
        out = out / times(below)
    if coefficient.is_number and coefficient < 0:
        out = -out
    return functools.reduce(_gated, gates, out)


def _gated(out: Expr, gate: Expr) -> Expr:
    """A product behind a gate: where it is closed, the product is not even computed.

    The chain rule multiplies by 0 or 1 where a branch is not taken or taken; what
    stands beside a 0 may be infinite there, and must not turn the product into NaN.
    """
    if gate.op != "if":
        return Expr("if", (gate, out, lift(0)))
    taken = gate.args[1].value == 1
    branches = (out, lift(0)) if taken else (lift(0), out)
    return Expr("if", (gate.args[0], *branches))


def _is_gate(expr: Expr) -> bool:
    """Whether a tree is 1 where some branch is taken and 0 elsewhere."""
    if expr.op == "if":
        return [a.value for a in expr.args[1:] if a.op == "number"] in ([0, 1], [1, 0])
    return expr.op in {"pick_max", "pick_min"}
