"""Formulas and programs as JavaScript: what a live HTML report recalculates with.

`RUNTIME` holds the few functions that the printed code calls; conditions are 1 and 0,
`ceil` and `floor` forgive rounding noise as everywhere else. The kernels are written
anew in `runtime.js`; their derivatives are not: a program that needs one is refused.
"""

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from isocost.dsl.expr import Expr
from isocost.engine.formula import SNAP, Formula
from isocost.engine.printers import NotPrintableError
from isocost.engine.printers.python import names_of
from isocost.engine.program import Program

RUNTIME = f"""\
const _ceil = (x) => Math.ceil(x - {SNAP} * Math.abs(x));
const _floor = (x) => Math.floor(x + {SNAP} * Math.abs(x));
const _pick = (i, xs, best) => (xs.indexOf(best) === i ? 1 : 0);
const _pick_max = (i, ...xs) => _pick(i, xs, Math.max(...xs));
const _pick_min = (i, ...xs) => _pick(i, xs, Math.min(...xs));
"""

#: Kernels that `runtime.js` has, each under its own name after an underscore.
KERNELS = frozenset(
    {
        "at_least",
        "erlang_b",
        "erlang_c",
        "even_price",
        "irr",
        "irr_level",
        "largest_divisor",
        "npv",
        "payback",
    }
)

_INFIX = {"+", "-", "*", "/"}
_COMPARE = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "===", "!=": "!=="}
_MATH = {
    "^": "pow",
    "min": "min",
    "max": "max",
    "sqrt": "sqrt",
    "log": "log",
    "exp": "exp",
    "abs": "abs",
}


@cache
def kernels() -> str:
    """The source of the kernels, to stand beside `RUNTIME` where one is called."""
    return files("isocost.engine.printers").joinpath("runtime.js").read_text("utf-8")


def number(value: float) -> str:
    """A number as JavaScript reads it."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def javascript(expr: Expr, names: Mapping[str, str]) -> str:
    """A tree as a JavaScript expression.

    Args:
        expr: The tree.
        names: The JavaScript name of each symbol.

    Raises:
        NotPrintableError: It has a kernel that is not in JavaScript.
    """
    args = [javascript(arg, names) for arg in expr.args]
    match expr.op:
        case "symbol":
            return names[expr.value]
        case "number":
            return number(expr.value)
        case "literal":
            return number(expr.value.base)
        case op if op in _INFIX:
            return f"({args[0]} {op} {args[1]})"
        case op if op in _COMPARE:
            return f"({args[0]} {_COMPARE[op]} {args[1]} ? 1 : 0)"
        case op if op in _MATH:
            return f"Math.{_MATH[op]}({', '.join(args)})"
        case "neg":
            return f"(-{args[0]})"
        case "sum":
            return f"({' + '.join(args)})"
        case "if":
            return f"({args[0]} ? {args[1]} : {args[2]})"
        case "and" | "or":
            sign = "&&" if expr.op == "and" else "||"
            return f"({args[0]} {sign} {args[1]} ? 1 : 0)"
        case "not":
            return f"({args[0]} ? 0 : 1)"
        case "pick_max" | "pick_min":
            return f"_{expr.op}({expr.value}, {', '.join(args)})"
        case "ceil" | "floor":
            return f"_{expr.op}({args[0]})"
        case op if op in KERNELS:
            return f"_{op}({', '.join(args)})"
        case op:
            raise NotPrintableError(op)


def function(formula: Formula, name: str) -> str:
    """A formula as a JavaScript function of its parameters in order.

    Raises:
        NotPrintableError: Its body has a kernel.
    """
    names = names_of(formula.params)
    body = javascript(formula.body, names)
    return f"const {name} = ({', '.join(names.values())}) => {body};"


def program_source(program: Program, name: str = "evaluate") -> str:
    """A program as a JavaScript function of the varying values, in order.

    It returns an array of the wanted values. What does not vary is printed as the
    number that it is, so the source stands by itself beside `RUNTIME` and `kernels()`.

    Raises:
        NotPrintableError: A formula in it has a kernel.
    """
    formulas: dict[int, tuple[str, str]] = {}
    for _, made, _ in program.steps:
        if id(made) not in formulas:
            called = f"f{len(formulas)}"
            formulas[id(made)] = (called, function(made, called))
    varying = {node: f"x{i}" for i, node in enumerate(program.varying)}
    moving = {node for node, _, _ in program.steps}

    def place(node: int) -> str:
        if node in varying:
            return varying[node]
        return f"n{node}" if node in moving else number(program.fixed[node])

    lines = [source for _, source in formulas.values()]
    lines.append(f"const {name} = ({', '.join(varying.values())}) => {{")
    for node, made, args in program.steps:
        called = formulas[id(made)][0]
        lines.append(f"  const n{node} = {called}({_list(map(place, args))});")
    lines.append(f"  return [{_list(map(place, program.wanted))}];")
    lines.append("};")
    return "\n".join(lines) + "\n"


def _list(parts: Iterable[str]) -> str:
    return ", ".join(parts)


def literal(text: str) -> str:
    """A text as a JavaScript string that may stand in a page's script."""
    return json.dumps(text).replace("</", "<\\/")
