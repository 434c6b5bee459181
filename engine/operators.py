"""Kernels as operators of the expression tree: what the back ends look up by name.

A kernel with a fixed number of arguments has one operator for itself and one for
each partial derivative (`erlang_c`, `erlang_c_by_load`). One with any number of
arguments has a single operator for its derivatives, whose node says by which
argument in its `value` (`irr_by`), as `pick_max` does.
"""

import functools
from collections.abc import Callable
from typing import Any

from isocost.dsl.expr import Expr, lift
from isocost.engine import even, kernels, returns
from isocost.engine.kernels import Kernel, pointwise

#: Kernels with a fixed number of arguments.
FIXED: tuple[Kernel, ...] = (*kernels.FIXED, returns.IRR_LEVEL)
#: Kernels whose last argument may be repeated.
VARIADIC: tuple[Kernel, ...] = (
    returns.IRR,
    returns.NPV,
    returns.PAYBACK,
    even.EVEN_PRICE,
)
#: Operators that carry an index in the node's `value`.
INDEXED = frozenset(
    {"pick_max", "pick_min", *(f"{kernel.name}_by" for kernel in VARIADIC)}
)


def _at(kernel: Kernel) -> Callable[..., float]:
    def partial(index: int, *args: float) -> float:
        return kernel.partials(*args)[index]

    return partial


def scalars() -> dict[str, Callable[..., float]]:
    """Scalar functions by operator."""
    out = kernels.operators(FIXED)
    for kernel in VARIADIC:
        out[kernel.name] = kernel.value
        out[f"{kernel.name}_by"] = _at(kernel)
    return out


def _indexed(function: Callable[..., float]) -> Callable[..., Any]:
    """Over arrays, the index being one number for all points."""

    def over(index: int, *columns: Any) -> Any:
        return pointwise(functools.partial(function, index))(*columns)

    return over


def arrays() -> dict[str, Callable[..., Any]]:
    """Functions over arrays by operator; derivatives go point by point."""
    out: dict[str, Callable[..., Any]] = {}
    for name, function in scalars().items():
        out[name] = _indexed(function) if name in INDEXED else pointwise(function)
    for kernel in (*FIXED, *VARIADIC):
        out[kernel.name] = kernel.over
    return out


def applied(kernel: Kernel, args: tuple[Any, ...]) -> Expr:
    """A kernel with any number of arguments applied inside a formula's body."""
    return Expr(kernel.name, tuple(lift(arg) for arg in args))
