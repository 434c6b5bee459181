"""Properties of every shipped formula: exact partials, and back ends that agree."""

import importlib
import math
import operator
import pkgutil
import random
from collections.abc import Callable, Mapping
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isocost.engine.formulas as package
from isocost.dsl.expr import Expr
from isocost.dsl.units import unit
from isocost.engine.algebra import from_json, partials, to_json
from isocost.engine.formula import FORMULAS, SNAP, Formula, evaluate
from isocost.engine.operators import FIXED, VARIADIC
from isocost.engine.printers.python import array_function, scalar_function, scalar_tree

for _found in pkgutil.iter_modules(package.__path__):
    importlib.import_module(f"{package.__name__}.{_found.name}")

NAMES = sorted(FORMULAS)
KERNELS = {kernel.name for kernel in (*FIXED, *VARIADIC)}
DIGITS = 40
POINTS = 3
TRIES = 400

_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
    "neg": operator.neg,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": operator.not_,
    "min": lambda *xs: min(xs),
    "max": lambda *xs: max(xs),
    "sum": lambda *xs: mp.fsum(xs),
    "ceil": lambda x: mp.ceil(x - SNAP * abs(x)),
    "floor": lambda x: mp.floor(x + SNAP * abs(x)),
    "sqrt": mp.sqrt,
    "log": mp.log,
    "exp": mp.exp,
    "abs": abs,
}


def precise(expr: Expr, values: Mapping[str, Any]) -> Any:
    """A tree to `DIGITS` digits: a walk that shares nothing with the engine's."""
    match expr.op:
        case "symbol":
            return values[expr.value]
        case "number":
            return mp.mpf(expr.value)
        case "literal":
            return mp.mpf(expr.value.base)
        case "if":
            condition, then, otherwise = expr.args
            return precise(then if precise(condition, values) else otherwise, values)
        case op:
            return _OPERATORS[op](*(precise(arg, values) for arg in expr.args))


def a_point(made: Formula, rng: random.Random) -> dict[str, float]:
    """Numbers for a formula's parameters: shares, or counts up to some dozens."""
    mode = rng.choice(["shares", "counts", "both", "both"])
    out = {}
    for name, param in made.params.items():
        kind = mode if mode != "both" else rng.choice(["shares", "counts"])
        number = (
            rng.uniform(0.05, 0.95)
            if kind == "shares"
            else math.exp(rng.uniform(math.log(1.1), math.log(80)))
        )
        out[name] = number * unit(param.unit).factor
    return out


class Rough(Exception):  # noqa: N818 (no error: the point is passed over)
    """The formula is not smooth at a point, not defined, or all rounding noise."""


def slope(made: Formula, at: Mapping[str, float], name: str) -> tuple[float, float]:
    """The derivative by one parameter, and a scale for what is negligible beside it."""
    exact = {key: mp.mpf(value) for key, value in at.items()}
    step = exact[name] * mp.mpf("1e-13")
    try:
        here = precise(made.body, exact)
        ahead = precise(made.body, {**exact, name: exact[name] + step})
        behind = precise(made.body, {**exact, name: exact[name] - step})
    except (ZeroDivisionError, ValueError, TypeError, OverflowError) as error:
        raise Rough from error
    if not isinstance(here, mp.mpf) or not (not here or 1e-200 < abs(here) < 1e200):
        raise Rough
    if not (isinstance(ahead, mp.mpf) and isinstance(behind, mp.mpf)):
        raise Rough
    if not math.isclose(evaluate(made.body, at), here, rel_tol=1e-11):
        raise Rough
    with mp.workdps(25 * DIGITS):
        if not here and precise(made.body, exact):
            raise Rough
    right, left = (ahead - here) / step, (here - behind) / step
    if abs(right - left) > 1e-6 * max(abs(right), abs(left)):
        raise Rough
    scale = abs(here / exact[name]) * 1e-3
    return (right + left) / 2, max(abs(right), scale)


def agrees(made: Formula, at: Mapping[str, float]) -> bool:
    """Whether all partials agree at a point; False where it is not smooth."""
    with mp.workdps(DIGITS):
        try:
            slopes = {name: slope(made, at, name) for name in made.params}
        except Rough:
            return False
        found = partials(made)
        for name, (wanted, scale) in slopes.items():
            got = scalar_tree(found[name], made.params)(*at.values())
            assert abs(got - wanted) <= 1e-8 * scale, (made.name, name, at)
    return True


def plain(made: Formula) -> bool:
    """Whether a formula has no kernel, which only runs in doubles."""
    return not any(part.op in KERNELS for part in made.body.walk())


@pytest.mark.parametrize("part", range(8))
def test_partials_of_every_formula_equal_finite_differences(part: int) -> None:
    for name in NAMES[part::8]:
        made = FORMULAS[name]
        if not made.params or not plain(made):
            continue
        rng = random.Random(name)
        found = tries = 0
        while found < POINTS and tries < TRIES:
            tries += 1
            found += agrees(made, a_point(made, rng))
        assert found == POINTS, f"{name} is smooth nowhere that was looked at"


@given(name=st.sampled_from(NAMES), rng=st.randoms(use_true_random=False))
def test_partials_equal_finite_differences(name: str, rng: random.Random) -> None:
    made = FORMULAS[name]
    if plain(made):
        agrees(made, a_point(made, rng))


def same(a: float, b: float) -> bool:
    """Equal to rounding; two numbers that are none count as equal."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) == math.isnan(b)
    return a == b or math.isclose(a, b, rel_tol=1e-9)


@pytest.mark.parametrize("part", range(4))
def test_back_ends_agree_on_every_formula(part: int) -> None:
    for name in NAMES[part::4]:
        made = FORMULAS[name]
        rng = random.Random(name)
        points = [a_point(made, rng) for _ in range(16)]
        columns = [np.array([at[key] for at in points]) for key in made.params]
        with np.errstate(all="ignore"):
            over = np.broadcast_to(array_function(made)(*columns), 16)
        for at, column in zip(points, over.tolist(), strict=True):
            scalar = float(scalar_function(made)(*at.values()))
            assert same(scalar, evaluate(made.body, at)), (name, at)
            assert same(scalar, column), (name, at)


@given(name=st.sampled_from(NAMES))
def test_kept_trees_survive_json(name: str) -> None:
    body = FORMULAS[name].body
    once = to_json(body)
    assert to_json(from_json(once)) == once
