"""The functions and distributions of the language, and calls of them as operators."""

from isocost.dsl.expr import Expr

DISTRIBUTIONS: dict[str, int | None] = {
    "triangular": 3,
    "uniform": 2,
    "normal": 2,
    "lognormal": 2,
    "one_of": None,
}
#: Functions of the language: how many arguments, None for one or more.
FUNCTIONS: dict[str, int | None] = {
    "min": None,
    "max": None,
    "sum": None,
    "ceil": 1,
    "floor": 1,
    "sqrt": 1,
    "log": 1,
    "exp": 1,
    "abs": 1,
    "last": 1,
}


def function_tree(expr: Expr) -> Expr:
    """Calls of the language's functions as the operators they are, all the way down."""
    return expr.map(_operator)


def _operator(expr: Expr) -> Expr:
    if expr.op == "call" and expr.value.name in FUNCTIONS:
        name, keywords = expr.value.name, expr.value.keywords
        named = name in {"min", "max"} and any(keywords)
        branches = tuple(k or str(i + 1) for i, k in enumerate(keywords))
        return Expr(name, expr.args, branches if named else None, expr.span)
    return expr
