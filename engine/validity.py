"""Where a formula holds: the conditions in its `valid`, and which a point breaks.

`valid` is clauses with semicolons between them. A clause with a comparison in it is a
condition over the formula's parameters (`0 <= use < 1`, `prompt >= 256 token`), and is
checked wherever the formula is applied; the others are assumptions, for the reader.
"""

import ast
import functools
import re
from collections.abc import Iterator, Mapping, Sequence

import attrs

from isocost.dsl.expr import Expr, lift, symbol
from isocost.dsl.units import UnitProblem, parse_unit, unit
from isocost.engine.formula import SCALAR, Formula, evaluate, q
from isocost.engine.graph import Node

_COMPARES = re.compile(r"[<>]|[=!]=")
#: A number with its unit, which is no word of the conditions themselves.
_LITERAL = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?(?:e-?\d+)?)(%[\w/^]*| (?!or\b|and\b)[A-Za-z$][\w/^$-]*)"
)
_ARITHMETIC: Mapping[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "^",
}
_COMPARISONS: Mapping[type, str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
}
_BRANCHING = {"if", "min", "max"}
_FUNCTIONS = {"floor", "ceil", "sqrt"}
#: Rounding noise between two sides that should be equal, as a share of them.
_SLACK = 1e-9
_PRINT = {"<=": "≤", ">=": "≥", "==": "=", " ** ": "^", " * ": " × ", "_": " "}
_LOOSE = {"<=", ">=", "=="}


@attrs.frozen
class Condition:
    """A clause that can be checked: its words and its tree over the parameters."""

    text: str
    tree: Expr


def clauses(valid: str) -> list[str]:
    """The clauses of a validity, conditions and assumptions, in order."""
    return [part.strip() for part in valid.split(";") if part.strip()]


def is_condition(clause: str) -> bool:
    """Whether a clause compares, and so can be checked."""
    return _COMPARES.search(clause) is not None


def in_print(valid: str) -> str:
    """A validity as a text has it: signs of print, names without underscores."""
    found = [_printed(one) if is_condition(one) else one for one in clauses(valid)]
    return "; ".join(found)


def _printed(condition: str) -> str:
    for typed, printed in _PRINT.items():
        condition = condition.replace(typed, printed)
    return condition


@functools.cache
def conditions(formula: Formula) -> tuple[Condition, ...]:
    """The conditions of a formula.

    Raises:
        ValueError: A clause that compares is no condition over the parameters.
    """
    found = [one for one in clauses(formula.valid) if is_condition(one)]
    return tuple(Condition(one, _parsed(one, formula)) for one in found)


def _parsed(clause: str, formula: Formula) -> Expr:
    spelled = _LITERAL.sub(lambda m: f"'{m[1]} {m[2].strip()}'", clause)
    try:
        return _tree(ast.parse(spelled, mode="eval").body, formula)
    except (SyntaxError, KeyError, ValueError) as error:
        message = f"{formula.name}: `{clause}` is no condition over its parameters"
        raise ValueError(message) from error


def _tree(node: ast.expr, formula: Formula) -> Expr:
    """A condition's tree: comparisons, arithmetic, parameters and numbers."""

    def below(one: ast.expr) -> Expr:
        return _tree(one, formula)

    match node:
        case ast.Name(id=name) if name in formula.params:
            return symbol(name)
        case ast.Constant(value=str(text)):
            if isinstance(parse_unit(text.partition(" ")[2]), UnitProblem):
                raise ValueError(text)  # noqa: TRY004 (a bad value)
            return q(text)
        case ast.Constant(value=int() | float() as number):
            return lift(float(number))
        case ast.UnaryOp(op=ast.USub(), operand=one):
            return -below(one)
        case ast.BinOp(left=a, op=op, right=b):
            return Expr(_ARITHMETIC[type(op)], (below(a), below(b)))
        case ast.BoolOp(op=op, values=parts):
            joint = "or" if isinstance(op, ast.Or) else "and"
            return functools.reduce(lambda a, b: Expr(joint, (a, b)), map(below, parts))
        case ast.Compare(left=first, ops=ops, comparators=rest):
            sides = [below(one) for one in (first, *rest)]
            pairs = zip(ops, sides, sides[1:], strict=False)
            each = [Expr(_COMPARISONS[type(op)], (a, b)) for op, a, b in pairs]
            return functools.reduce(lambda a, b: Expr("and", (a, b)), each)
        case ast.Call(func=ast.Name(id=name), args=[one]) if name in _FUNCTIONS:
            return Expr(name, (below(one),))
    raise ValueError(ast.dump(node))


def broken(formula: Formula, args: Sequence[float]) -> list[str]:
    """The conditions that a point breaks, in words.

    Args:
        formula: The formula.
        args: Its arguments at the point in base units, in their order.
    """
    if not formula.valid:
        return []
    point = dict(zip(formula.params, args, strict=True))
    return [
        _said(formula, one, point)
        for one in conditions(formula)
        if not _holds(one.tree, point)
    ]


def _holds(tree: Expr, point: Mapping[str, float]) -> bool:
    """Whether a condition holds; what is undefined is told of elsewhere."""
    if tree.op == "and":
        return all(_holds(one, point) for one in tree.args)
    if tree.op == "or":
        return any(_holds(one, point) for one in tree.args)
    a, b = (evaluate(one, point) for one in tree.args)
    if a != a or b != b:  # noqa: PLR0124 (not a number)
        return True
    if tree.op in _LOOSE and abs(a - b) <= _SLACK * max(abs(a), abs(b)):
        return True
    return bool(SCALAR[tree.op](a, b))


def _said(formula: Formula, one: Condition, point: Mapping[str, float]) -> str:
    names = [part.value for part in one.tree.walk() if part.op == "symbol"]
    shown = ", ".join(_shown(formula, name, point) for name in dict.fromkeys(names))
    title = formula.name.replace("_", " ")
    return f"outside the validity of {title}: {one.text}, here {shown}"


def _shown(formula: Formula, name: str, point: Mapping[str, float]) -> str:
    param = formula.params[name]
    scale = unit(param.unit).factor
    words = "" if param.unit == "1" else f" {param.unit}"
    return f"{name} = {point[name] / scale:.4g}{words}"


def deciding(
    nodes: Sequence[Node], wanted: int, values: Mapping[int, float]
) -> list[int]:
    """The nodes that decide one's value at a point, itself included, in order."""
    seen: set[int] = set()
    stack = [wanted]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        what, args = nodes[node].what, nodes[node].args
        if isinstance(what, Formula) and _branches(what):
            by_name = dict(zip(what.params, args, strict=True))
            point = {name: values[arg] for name, arg in by_name.items()}
            args = tuple(by_name[name] for name in live(what.body, point))
        stack.extend(args)
    return sorted(seen)


@functools.cache
def _branches(formula: Formula) -> bool:
    return any(part.op in _BRANCHING for part in formula.body.walk())


def live(tree: Expr, point: Mapping[str, float]) -> Iterator[str]:
    """The parameters that decide a tree's value at a point.

    Of an `if` the branch that is not taken has no part, of `min` and `max` those that
    do not win.
    """
    match tree.op:
        case "symbol":
            yield tree.value
        case "if":
            yield from live(tree.args[0], point)
            taken = tree.args[1 if evaluate(tree.args[0], point) else 2]
            yield from live(taken, point)
        case "min" | "max":
            values = [evaluate(one, point) for one in tree.args]
            best = min(values) if tree.op == "min" else max(values)
            for one, value in zip(tree.args, values, strict=True):
                if not value > best and not value < best:
                    yield from live(one, point)
        case _:
            for one in tree.args:
                yield from live(one, point)
