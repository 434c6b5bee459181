"""Formulas and programs as JavaScript: the back end of pages that compute.

Each formula is one function of the numbers of its parameters; a program is a list of
assignments into one array of all nodes. Names in the source are made here and never
taken from a scenario file, so that nothing in one can become code. The few kernels
come from `runtime.js`.
"""

import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from isocost.dsl.expr import Expr
from isocost.engine.formula import SNAP, Formula
from isocost.engine.operators import INDEXED
from isocost.engine.program import Program

_COMPARE = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "===", "!=": "!=="}
_LOGIC = {"and": "&&", "or": "||"}
_CALLS = {
    "sqrt": "Math.sqrt",
    "log": "Math.log",
    "exp": "Math.exp",
    "abs": "Math.abs",
    "min": "Math.min",
    "max": "Math.max",
    "ceil": "ceil",
    "floor": "floor",
    "^": "Math.pow",
}
#: Operators that `runtime.js` has a function for, beside those of `_CALLS`.
KERNELS = (
    "at_least",
    "erlang_b",
    "erlang_c",
    "irr",
    "irr_level",
    "npv",
    "payback",
    "pick_max",
    "pick_min",
)


class NoJavaScriptError(ValueError):
    """A formula holds an operator that has no JavaScript; the text names it."""


@cache
def runtime() -> str:
    """The functions that printed formulas call."""
    place = files("isocost.engine.printers").joinpath("runtime.js")
    return place.read_text("utf-8").replace("SNAP", repr(SNAP))


def number(value: float) -> str:
    """A number as JavaScript reads it back exactly."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "(-Infinity)"
    text = repr(float(value)).removesuffix(".0")
    return f"({text})" if value < 0 or text.startswith("-") else text


def source(expr: Expr, names: Mapping[str, str]) -> str:
    """A tree as a JavaScript expression.

    Args:
        expr: The tree.
        names: What stands for each symbol.

    Raises:
        NoJavaScriptError: An operator has no JavaScript.
    """
    args = [source(arg, names) for arg in expr.args]
    match expr.op:
        case "symbol":
            return names[expr.value]
        case "number":
            return number(expr.value)
        case "literal":
            return number(expr.value.base)
        case "+" | "-" | "*" | "/":
            return f"({args[0]} {expr.op} {args[1]})"
        case "neg":
            return f"(-{args[0]})"
        case "not":
            return f"({args[0]} ? 0 : 1)"
        case "if":
            return f"({args[0]} ? {args[1]} : {args[2]})"
        case "sum":
            return f"({' + '.join(args)})"
        case op if op in _COMPARE:
            return f"({args[0]} {_COMPARE[op]} {args[1]} ? 1 : 0)"
        case op if op in _LOGIC:
            return f"({args[0]} {_LOGIC[op]} {args[1]} ? 1 : 0)"
        case op if op in _CALLS:
            return f"{_CALLS[op]}({', '.join(args)})"
        case op if op in KERNELS:
            index = [str(int(expr.value))] if op in INDEXED else []
            return f"{op}({', '.join([*index, *args])})"
        case op:
            message = f"no JavaScript for {op}"
            raise NoJavaScriptError(message)


def function(formula: Formula) -> str:
    """A formula as an arrow function of its parameters in order."""
    names = {name: f"a{i}" for i, name in enumerate(formula.params)}
    return f"({', '.join(names.values())}) => {source(formula.body, names)}"


def statements(
    program: Program, formulas: dict[int, tuple[int, Formula]], array: str = "v"
) -> Iterable[str]:
    """The steps of a program as assignments into an array of all nodes.

    Args:
        program: What is to be computed.
        formulas: The functions known so far, by identity, with their numbers; those
            that are new are added.
        array: The name of the array.
    """
    for node, formula, args in program.steps:
        number_, _ = formulas.setdefault(id(formula), (len(formulas), formula))
        given = ", ".join(f"{array}[{arg}]" for arg in args)
        yield f"{array}[{node}] = f{number_}({given});"


def functions(formulas: Mapping[int, tuple[int, Formula]]) -> Iterable[str]:
    """The definitions of the functions that statements call."""
    for number_, formula in formulas.values():
        yield f"const f{number_} = {function(formula)};"
