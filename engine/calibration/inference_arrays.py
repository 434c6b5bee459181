"""Formulas over NumPy arrays, for fitting: one pass over the tree for all rows.

The straight-line back end of the graph does the same in production; this walker
needs no graph, so that a fit depends on nothing but the formulas.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isocost.dsl.expr import Expr
from isocost.engine.formula import Formula, real
from isocost.engine.ufuncs import ufuncs

Array = NDArray[np.float64]
Marks = NDArray[np.bool_]
Places = NDArray[np.intp]
Values = dict[str, Any]


def _fold(step: Callable[..., Any]) -> Callable[..., Any]:
    def folded(*args: Any) -> Any:
        out = args[0]
        for arg in args[1:]:
            out = step(out, arg)
        return out

    return folded


@functools.cache
def _operators() -> dict[str, Callable[..., Any]]:
    """Functions by operator; `min`, `max` and `sum` of any number of arguments."""
    known = ufuncs()
    return {**known, **{op: _fold(known[op]) for op in ("min", "max", "sum")}}


def evaluate(expr: Expr, values: Mapping[str, Any]) -> Any:
    """Walk a tree over arrays in base units that broadcast with each other.

    Args:
        expr: The tree of a formula.
        values: Arrays or numbers by symbol.
    """
    match expr.op:
        case "symbol":
            return values[expr.value]
        case "number":
            return real(expr.value)
        case "literal":
            return real(expr.value.base)
        case op:
            return _operators()[op](*(evaluate(arg, values) for arg in expr.args))


def apply(made: Formula, values: Mapping[str, Any], **renamed: str) -> Any:
    """A formula over arrays.

    Args:
        made: The formula.
        values: Arrays or numbers by name.
        **renamed: Parameters that go by another name in `values`.
    """
    named = {name: values[renamed.get(name, name)] for name in made.params}
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return evaluate(made.body, named)
