"""Trees as text in the language's own spelling, with no more brackets than needed.

What is printed parses back to an equal tree. `explain`, messages and the diff print
formulas through `show`.
"""

from collections.abc import Mapping

import attrs

from isocost.dsl.expr import Expr
from isocost.dsl.syntax import Call
from isocost.engine.families import Family, filled, operands, template
from isocost.engine.formula import real

#: How tightly each operator binds; the grammar's own levels.
LEVELS = {
    "if": 0,
    "or": 1,
    "and": 2,
    "not": 3,
    "<": 4,
    "<=": 4,
    ">": 4,
    ">=": 4,
    "==": 4,
    "!=": 4,
    "interval": 5,
    "tolerance": 5,
    "+": 6,
    "-": 6,
    "*": 7,
    "/": 7,
    "neg": 8,
    "^": 9,
}
ATOM = 10
_WORDS = {"interval": "to", "tolerance": "±"}
#: The least level that the right side of an operator may have, if not one more.
_RIGHT = {"^": LEVELS["neg"], "or": 2, "and": 3}


def level(expr: Expr) -> int:
    """How tightly the outermost operator of a tree binds."""
    if expr.op == "number" and expr.value < 0:
        return LEVELS["neg"]
    return LEVELS.get(expr.op, ATOM)


def number(value: float) -> str:
    """A number in its shortest spelling; whole ones without a point."""
    whole = isinstance(value, int) or value.is_integer()
    if not whole:
        return repr(value)
    return str(int(value)) if abs(value) < 1e15 else repr(real(value))  # noqa: PLR2004 (beyond, repr is shorter)


def quoted(text: str) -> str:
    """A text as the language writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def show(expr: Expr, names: Mapping[str, str] | None = None) -> str:
    """A tree as text, ordered as its author wrote it.

    Args:
        expr: The tree.
        names: What to print for a symbol, such as the path that it stands for; a
            symbol that is not in it is printed by its own name.
    """
    return _show(expr, names or {}, 0)


def said(expr: Expr) -> str:
    """A tree as text to be read, not parsed: operands alike stand over an index."""
    return show(_over_index(expr))


def _over_index(expr: Expr) -> Expr:
    """A tree whose families of operands stand as words over their index."""
    found = operands(expr)
    parts = [
        Expr("path", value=one.name) if isinstance(one, Family) else _over_index(one)
        for one in found
    ]
    families = [one for one in found if isinstance(one, Family)]
    if not families:
        return attrs.evolve(expr, args=tuple(parts)) if parts else expr
    pattern = template(expr, text=True)
    if not pattern:
        rest = ", ".join(f"<{i}>" for i in range(len(parts)))
        reach = ", ".join(dict.fromkeys(one.range for one in families))
        pattern = f"{expr.op}({rest}, {reach})"
    last = max(one.last for one in families)
    return Expr("path", value=filled(pattern, [show(part) for part in parts], last))


def _show(expr: Expr, names: Mapping[str, str], least: int) -> str:
    text = _plain(expr, names)
    return f"({text})" if level(expr) < least else text


def _plain(expr: Expr, names: Mapping[str, str]) -> str:
    match expr.op:
        case "number":
            return number(expr.value)
        case "symbol":
            return names.get(expr.value, expr.value)
        case "literal" | "path" | "date":
            return str(expr.value)
        case "text":
            return quoted(expr.value)
        case "neg":
            return f"-{_show(expr.args[0], names, LEVELS['neg'])}"
        case "not":
            return f"not {_show(expr.args[0], names, LEVELS['not'])}"
        case "if":
            condition, then, otherwise = (_show(arg, names, 0) for arg in expr.args)
            return f"if {condition} then {then} else {otherwise}"
        case op if op in LEVELS:
            return _infix(expr, names)
        case _:
            return _listed(expr, names)


def _infix(expr: Expr, names: Mapping[str, str]) -> str:
    own = LEVELS[expr.op]
    # Comparisons and spreads do not chain; `^` groups to the right.
    tight = own in {LEVELS["<"], LEVELS["interval"], LEVELS["^"]}
    left = _show(expr.args[0], names, own + 1 if tight else own)
    right = _show(expr.args[1], names, _RIGHT.get(expr.op, own + 1))
    return f"{left} {_WORDS.get(expr.op, expr.op)} {right}"


def _listed(expr: Expr, names: Mapping[str, str]) -> str:
    parts = [_show(arg, names, 0) for arg in expr.args]
    match expr.op:
        case "list":
            return f"[{', '.join(parts)}]"
        case "choice":
            return f"{{{', '.join(parts)}}}"
        case "pick_max" | "pick_min":
            return f"{expr.op}[{expr.value}]({', '.join(parts)})"
    labels: tuple[str | None, ...] = expr.value if expr.op in {"min", "max"} else ()
    if isinstance(expr.value, Call):
        labels = expr.value.keywords
    named = [
        f"{name} = {part}" if name else part
        for name, part in zip(labels or [None] * len(parts), parts, strict=True)
    ]
    head = str(expr.value) if isinstance(expr.value, Call) else expr.op
    return f"{head}({', '.join(named)})"
