"""Formulas as Excel formulas: what a live workbook recalculates with.

Everything is put in brackets, because Excel's minus binds before its `^`. Conditions
are 1 and 0 outside of `IF`. Kernels (but `largest_divisor`), and formulas longer or
deeper than Excel takes, are refused; a workbook then holds the value.
"""

from collections.abc import Mapping

from isocost.dsl.expr import Expr
from isocost.engine.formula import SNAP
from isocost.engine.printers import NotPrintableError

#: The largest divisor that is looked for: replicas of a training run.
TRIED = 32768
#: What Excel takes at most in one cell.
LONGEST = 8000
DEEPEST = 60
#: Excel's numbers.
LARGEST = 9.99e307
_SNAP = repr(SNAP).upper()

_INFIX = {"+", "-", "*", "/"}
_COMPARE = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>"}
_FUNCTIONS = {
    "^": "POWER",
    "min": "MIN",
    "max": "MAX",
    "sqrt": "SQRT",
    "log": "LN",
    "exp": "EXP",
    "abs": "ABS",
}


def number(value: float) -> str:
    """A number as Excel reads it.

    Raises:
        NotPrintableError: It is infinite or none.
    """
    if not abs(value) < LARGEST:
        raise NotPrintableError(repr(value))
    text = repr(float(value)).removesuffix(".0").upper()
    return f"({text})" if value < 0 else text


def excel(expr: Expr, cells: Mapping[str, str]) -> str:
    """A tree as an Excel formula, without the `=` in front.

    Args:
        expr: The tree.
        cells: The cell, name or number that stands for each symbol.

    Raises:
        NotPrintableError: It has a kernel, or is longer or deeper than Excel takes.
    """
    if _depth(expr) > DEEPEST:
        raise NotPrintableError("depth")
    text = _print(expr, cells)
    if len(text) > LONGEST:
        raise NotPrintableError("length")
    return text


def _depth(expr: Expr) -> int:
    return 1 + max(map(_depth, expr.args), default=0)


def _print(expr: Expr, cells: Mapping[str, str]) -> str:
    match expr.op:
        case "symbol":
            return cells[expr.value]
        case "number":
            return number(expr.value)
        case "literal":
            return number(expr.value.base)
        case "if":
            condition, *branches = expr.args
            parts = [_print(arg, cells) for arg in branches]
            return f"IF({_condition(condition, cells)},{','.join(parts)})"
        case op if op in _COMPARE or op in {"and", "or", "not"}:
            return f"IF({_condition(expr, cells)},1,0)"
    args = [_print(arg, cells) for arg in expr.args]
    match expr.op:
        case op if op in _INFIX:
            return f"({args[0]}{op}{args[1]})"
        case "^" if expr.args[1].op not in {"number", "literal"}:
            return _power(*args)
        case op if op in _FUNCTIONS:
            return f"{_FUNCTIONS[op]}({','.join(args)})"
        case "neg":
            return f"(-{args[0]})"
        case "sum":
            return f"({'+'.join(args)})"
        case "ceil":
            return f"(-INT(-({args[0]}-{_SNAP}*ABS({args[0]}))))"
        case "floor":
            return f"INT({args[0]}+{_SNAP}*ABS({args[0]}))"
        case "largest_divisor":
            return _largest_divisor(*args)
        case op:
            raise NotPrintableError(op)


def _largest_divisor(whole: str, most: str, times: str, over: str) -> str:
    """The kernel of that name, by trial of every number up to `TRIED`."""
    d = f"ROW($1:${TRIED})"
    divides = f"(MOD(ROUND({whole},9),{d})=0)*({d}<={most}*(1+{_SNAP}))"
    shares = f"(MOD(ROUND({times},0)*{d},ROUND({over},0))=0)"
    return f"SUMPRODUCT(MAX({divides}*{shares}*{d}))"


def _power(base: str, exponent: str) -> str:
    """A power whose result may be too small for a number: 0, not an error.

    `POWER` of LibreOffice fails there, `EXP` does not.
    """
    by_logarithm = f"EXP({exponent}*LN({base}))"
    return f"IF({base}>0,{by_logarithm},POWER({base},{exponent}))"


def _condition(expr: Expr, cells: Mapping[str, str]) -> str:
    """A tree as a condition, without turning it into 1 and 0 and back."""
    if expr.op in _COMPARE:
        left, right = (_print(arg, cells) for arg in expr.args)
        return f"{left}{_COMPARE[expr.op]}{right}"
    if expr.op in {"and", "or", "not"}:
        parts = [_condition(arg, cells) for arg in expr.args]
        return f"{expr.op.upper()}({','.join(parts)})"
    return f"{_print(expr, cells)}<>0"
