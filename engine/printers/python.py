"""Formulas as Python source over arrays: the back end that evaluates graphs.

One function per formula, compiled once and kept by the formula's identity. The same
source serves one point and a column of draws: `np` operators take both.
"""

import functools
import keyword
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from isocost.dsl.expr import Expr
from isocost.engine.formula import SCALAR, Formula, real
from isocost.engine.operators import INDEXED, arrays
from isocost.engine.ufuncs import ufuncs

Function = Callable[..., Any]

_INFIX = {"+", "-", "*", "/"}
_COMPARE = {"<", "<=", ">", ">=", "==", "!="}
#: What is printed as a call of the array function of its name.
_CALLED = ("if", "min", "max", "ceil", "floor", "sqrt", "log", "exp", "abs")
#: What takes truth values as they are.
_LOGIC = {"and", "or", "not"}


def safe_name(name: str, index: int) -> str:
    """A Python name for a parameter whose own name may be a path."""
    plain = name.isidentifier() and not keyword.iskeyword(name)
    return f"{name}_" if plain else f"p{index}_"


def names_of(params: Iterable[str]) -> dict[str, str]:
    """Python names of parameters, in order."""
    return {name: safe_name(name, i) for i, name in enumerate(params)}


def array_source(expr: Expr, names: Mapping[str, str]) -> str:
    """NumPy source of a tree."""
    args = [array_source(arg, names) for arg in expr.args]
    for i, arg in enumerate(expr.args):
        if expr.op not in _LOGIC and not (expr.op == "if" and i == 0):
            args[i] = _number(arg, args[i])
    match expr.op:
        case "symbol":
            return names[expr.value]
        case "number":
            return repr(real(expr.value))
        case "literal":
            return repr(real(expr.value.base))
        case op if op in _INFIX:
            return f"({args[0]} {op} {args[1]})"
        case op if op in _COMPARE:
            return f"({args[0]} {op} {args[1]})"
        case "^":
            return f"_power({args[0]}, {args[1]})"
        case "neg":
            return f"(-{args[0]})"
        case "min" | "max":
            return functools.reduce(lambda a, b: f"_{expr.op}({a}, {b})", args)
        case "sum":
            return "(" + " + ".join(args) + ")"
        case op if op in INDEXED:
            return f"_{op}({expr.value}, {', '.join(args)})"
        case op:
            return f"_{op}({', '.join(args)})"


def _number(expr: Expr, source: str) -> str:
    """NumPy would add truth values to a truth value: 0 and 1 instead."""
    return f"({source} * 1.0)" if expr.op in _COMPARE else source


def scalar_source(expr: Expr, names: Mapping[str, str]) -> str:
    """Plain Python source of a tree, for one point; safe at the edges of domains."""
    args = [scalar_source(arg, names) for arg in expr.args]
    match expr.op:
        case "symbol":
            return names[expr.value]
        case "number":
            return repr(real(expr.value))
        case "literal":
            return repr(real(expr.value.base))
        case "+" | "-" | "*":
            return f"({args[0]} {expr.op} {args[1]})"
        case "if":
            return f"({args[1]} if {args[0]} else {args[2]})"
        case "neg":
            return f"(-{args[0]})"
        case op if op in _COMPARE:
            return f"({args[0]} {op} {args[1]})"
        case op if op in INDEXED:
            return f"_f[{op!r}]({expr.value}, {', '.join(args)})"
        case op:
            return f"_f[{op!r}]({', '.join(args)})"


@functools.cache
def array_names() -> dict[str, Any]:
    """What the printed source calls, by name: an underscore and the operator."""
    import numpy as np

    known = ufuncs()

    def pick(better: Function) -> Function:
        def picked(index: int, *xs: Any) -> Any:
            first = np.asarray(xs[0])
            winner: Any = np.zeros(np.broadcast_shapes(*map(np.shape, xs)), int)
            for i, x in enumerate(xs[1:], 1):
                over = better(x, first)
                winner = np.where(over, i, winner)
                first = np.where(over, x, first)
            return (winner == index).astype(float)

        return picked

    return {
        "nan": math.nan,
        "inf": math.inf,
        **{f"_{op}": known[op] for op in _CALLED},
        "_power": known["^"],
        "_and": lambda a, b: np.logical_and(a, b) * 1.0,
        "_or": lambda a, b: np.logical_or(a, b) * 1.0,
        "_not": lambda a: np.logical_not(a) * 1.0,
        "_pick_max": pick(np.greater),
        "_pick_min": pick(np.less),
        **{f"_{name}": function for name, function in arrays().items()},
    }


def _compile(name: str, params: Iterable[str], body: str, scope: dict[str, Any]) -> Any:
    source = f"lambda {', '.join(params)}: {body}"
    return eval(compile(source, f"<formula {name}>", "eval"), scope)  # noqa: S307 (printed from our own tree; names are made, not taken)


_KEPT: dict[tuple[int, str], tuple[Formula, Function]] = {}


def array_function(formula: Formula) -> Function:
    """The formula over NumPy arrays, arguments in the order of its parameters."""
    key = (id(formula), "array")
    if key not in _KEPT:
        _KEPT[key] = (formula, array_tree(formula.body, formula.params, formula.name))
    return _KEPT[key][1]


def scalar_function(formula: Formula) -> Function:
    """The formula over floats, arguments in the order of its parameters."""
    key = (id(formula), "scalar")
    if key not in _KEPT:
        tree = scalar_tree(formula.body, formula.params, formula.name)
        _KEPT[key] = (formula, tree)
    return _KEPT[key][1]


def array_tree(expr: Expr, params: Iterable[str], name: str = "tree") -> Function:
    """A tree over NumPy arrays as a function of its parameters in order."""
    names = names_of(params)
    source = _number(expr, array_source(expr, names))
    made: Function = _compile(name, names.values(), source, dict(array_names()))
    return made


def scalar_tree(expr: Expr, params: Iterable[str], name: str = "tree") -> Function:
    """A tree over floats as a function of its parameters in order."""
    names = names_of(params)
    scope = {"_f": SCALAR, "nan": math.nan, "inf": math.inf}
    made: Function = _compile(name, names.values(), scalar_source(expr, names), scope)
    return made
