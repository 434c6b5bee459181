"""Kernels inside formulas: one value in every back end, and exact slopes."""

import math

import numpy as np
import pytest

from isocost.dsl.expr import Expr
from isocost.engine.algebra import differentiate, from_json, to_json
from isocost.engine.formula import Formula, evaluate, p
from isocost.engine.kernels import AT_LEAST, ERLANG_B, ERLANG_C, call
from isocost.engine.operators import applied
from isocost.engine.printers.python import (
    array_function,
    array_tree,
    scalar_function,
    scalar_tree,
)
from isocost.engine.returns import (
    IRR,
    IRR_LEVEL,
    NPV,
    PAYBACK,
    irr,
    irr_of_arrays,
    npv,
    npv_of_arrays,
    payback,
    payback_of_arrays,
)

PARAMS = {"a": p("1", "a", "one"), "b": p("1", "b", "two")}


def of(body: object) -> Formula:
    return Formula("made", "1", PARAMS, body)  # type: ignore[arg-type]


FORMULAS = {
    "erlang_b": of(lambda a, b: call(ERLANG_B, 10, a * b)),
    "erlang_c": of(lambda a, b: call(ERLANG_C, 10, a * b)),
    "at_least": of(lambda a, b: call(AT_LEAST, 8, 10, a * b / 10)),
    "irr_level": of(lambda a, b: call(IRR_LEVEL, 100, a * 3, 20, b)),
    "irr": of(lambda a, b: applied(IRR, (-10 - b, a, a * 2, b))),
    "npv": of(lambda a, b: applied(NPV, (b / 10, -10, a, a, a))),
    "payback": of(lambda a, b: applied(PAYBACK, (-10, b, a, a, a))),
}
AT = {"a": 5.9, "b": 1.3}


@pytest.mark.parametrize("name", FORMULAS)
def test_one_value_in_every_back_end(name: str) -> None:
    made = FORMULAS[name]
    wanted = evaluate(made.body, AT)
    assert math.isfinite(wanted)
    assert scalar_function(made)(*AT.values()) == pytest.approx(wanted, rel=1e-12)
    got = array_function(made)(np.array([5.9, 6.1]), np.array([1.3, 1.3]))
    assert got[0] == pytest.approx(wanted, rel=1e-12)
    assert got[1] != got[0]


@pytest.mark.parametrize("name", FORMULAS)
def test_slopes_are_exact_and_can_be_kept(name: str) -> None:
    made = FORMULAS[name]
    found = differentiate(made)
    for param, tree in found.items():
        step = 1e-6
        ends = [
            evaluate(made.body, {**AT, param: AT[param] + move})
            for move in (-step, step)
        ]
        slope = evaluate(tree, AT)
        assert slope == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-6)
        assert from_json(to_json(tree)) == tree
        assert scalar_tree(tree, PARAMS)(*AT.values()) == pytest.approx(slope)
        many = array_tree(tree, PARAMS)(np.array([5.9, 5.9]), 1.3)
        assert np.asarray(many) == pytest.approx(slope)


def test_many_cash_flows_at_once() -> None:
    """More of them than numpy's own vectorising takes, and signs that turn often."""
    rng = np.random.default_rng(7)
    table = rng.normal(0.3, 1.0, size=(80, 50))
    table[0] = -np.abs(table[0]) * 5
    for made, kernel in ((irr_of_arrays, irr), (payback_of_arrays, payback)):
        got = made(*table)
        wanted = [kernel(*table[:, i]) for i in range(50)]
        assert got == pytest.approx(wanted, rel=1e-9, nan_ok=True)
    worth = npv_of_arrays(0.01, *table)
    assert worth == pytest.approx([npv(0.01, *table[:, i]) for i in range(50)])


def test_a_kernel_is_a_tree() -> None:
    assert isinstance(call(ERLANG_C, 3, 2.0), Expr)
