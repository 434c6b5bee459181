"""Operators of the expression tree over NumPy arrays: one table for every back end.

The tape, the printed source and the walker that fits stacks take their functions from
here, so that an operator cannot mean two things. `ceil` and `floor` forgive rounding
noise as they do for one number.
"""

import functools
from collections.abc import Callable
from typing import Any

from isocost.engine.formula import SNAP


@functools.cache
def ufuncs() -> dict[str, Callable[..., Any]]:
    """Functions over arrays by operator; those of two arguments fold over more."""
    import numpy as np

    def snap_ceil(x: Any) -> Any:
        return np.ceil(x - SNAP * np.abs(x))

    def snap_floor(x: Any) -> Any:
        return np.floor(x + SNAP * np.abs(x))

    return {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": np.divide,
        "^": np.power,
        "neg": np.negative,
        "<": np.less,
        "<=": np.less_equal,
        ">": np.greater,
        ">=": np.greater_equal,
        "==": np.equal,
        "!=": np.not_equal,
        "and": np.logical_and,
        "or": np.logical_or,
        "not": np.logical_not,
        "if": np.where,
        "min": np.minimum,
        "max": np.maximum,
        "sum": np.add,
        "ceil": snap_ceil,
        "floor": snap_floor,
        "sqrt": np.sqrt,
        "log": np.log,
        "exp": np.exp,
        "abs": np.abs,
    }
