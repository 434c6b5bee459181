"""Formulas as spreadsheet formulas, for workbooks that compute.

The formulas read the same in Excel and in LibreOffice. Names in them are cells' or
defined names that the caller gives; nothing is taken from a scenario file.
"""

import math
from collections.abc import Mapping

from isocost.dsl.expr import Expr
from isocost.engine.formula import SNAP

#: What a spreadsheet allows: characters of a formula, arguments of a function.
LONGEST, MOST_ARGUMENTS = 8192, 255
_COMPARE = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>"}
_PLAIN = {"sqrt": "SQRT", "log": "LN", "exp": "EXP", "abs": "ABS"}


class NoExcelError(ValueError):
    """A tree has no spreadsheet formula; the text says why."""


def source(expr: Expr, names: Mapping[str, str]) -> str:
    """A tree as a spreadsheet formula, without the leading `=`.

    Args:
        expr: The tree.
        names: The cell or defined name that stands for each symbol.

    Raises:
        NoExcelError: An operator has no counterpart, or the formula is too long.
    """
    text = _source(expr, names)
    if len(text) >= LONGEST:
        message = f"a formula of {len(text)} characters"
        raise NoExcelError(message)
    return text


def number(value: float) -> str:
    """A number as a spreadsheet reads it; 15 digits are all that it keeps."""
    if not math.isfinite(value):
        message = f"a spreadsheet has no {value}"
        raise NoExcelError(message)
    text = f"{float(value):.15g}".upper()
    if float(text) != value:
        text = repr(float(value)).upper()
    return f"({text})" if value < 0 else text


def _source(expr: Expr, names: Mapping[str, str]) -> str:
    if len(expr.args) > MOST_ARGUMENTS:
        message = f"{len(expr.args)} arguments"
        raise NoExcelError(message)
    args = [_source(arg, names) for arg in expr.args]
    match expr.op:
        case "symbol":
            return names[expr.value]
        case "number":
            return number(expr.value)
        case "literal":
            return number(expr.value.base)
        case "+" | "-" | "*" | "/" | "^":
            # A leading minus binds tighter than `^` in a spreadsheet: brackets always.
            return f"({args[0]}{expr.op}{args[1]})"
        case "neg":
            return f"(0-{args[0]})"
        case "if":
            return f"IF({args[0]}<>0,{args[1]},{args[2]})"
        case "min" | "max" | "sum":
            return f"{expr.op.upper()}({','.join(args)})"
        case op if op in _COMPARE:
            return f"IF({args[0]}{_COMPARE[op]}{args[1]},1,0)"
        case op if op in _PLAIN:
            return f"{_PLAIN[op]}({args[0]})"
        case _:
            return _other(expr, args)


def _other(expr: Expr, args: list[str]) -> str:
    """Logic, steps and the kernels that a spreadsheet can express."""
    a = args[0]
    match expr.op:
        case "and":
            return f"IF(AND({a}<>0,{args[1]}<>0),1,0)"
        case "or":
            return f"IF(OR({a}<>0,{args[1]}<>0),1,0)"
        case "not":
            return f"IF({a}=0,1,0)"
        case "ceil":
            # -INT(-x) is the ceiling for every sign; the snap is the engine's.
            return f"(0-INT(0-({a}-{SNAP:.0E}*ABS({a}))))"
        case "floor":
            return f"INT({a}+{SNAP:.0E}*ABS({a}))"
        case "pick_max" | "pick_min":
            return _picked(expr, args)
        case "npv":
            if len(args) == 2:  # noqa: PLR2004 (a rate and the first flow)
                return args[1]
            return f"({args[1]}+NPV({a},{','.join(args[2:])}))"
        case "erlang_b":
            return _erlang_b(*args)
        case "erlang_c":
            blocked = _erlang_b(*args)
            rest = f"(1-{args[1]}/{a}*(1-{blocked}))"
            return f"IF({args[1]}>={a},1,{blocked}/{rest})"
        case "at_least":
            k, n, up = args
            tail = f"(1-BINOMDIST(ROUND({k},0)-1,ROUND({n},0),{up},TRUE))"
            return f"IF(ROUND({k},0)<=0,1,IF(ROUND({k},0)>ROUND({n},0),0,{tail}))"
        case op:
            message = f"no spreadsheet formula for {op}"
            raise NoExcelError(message)


def _erlang_b(servers: str, load: str) -> str:
    """Blocking as a ratio of Poisson probabilities, which spreadsheets have."""
    n = f"ROUND({servers},0)"
    return f"(POISSON({n},{load},FALSE)/POISSON({n},{load},TRUE))"


def _picked(expr: Expr, args: list[str]) -> str:
    """1 where the branch of this index is the first that decides."""
    own, rest = args[expr.value], args[: expr.value]
    sign = ">" if expr.op == "pick_max" else "<"
    later = args[expr.value + 1 :]
    tests = [*(f"{own}{sign}{x}" for x in rest), *(f"{own}{sign}={x}" for x in later)]
    return f"IF(AND({','.join(tests)}),1,0)" if tests else "1"
