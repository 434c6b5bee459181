"""Algebra: partials are kept, found again, and written the same way every time."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from isocost.dsl.expr import Expr, absolute, ceil, largest, log, sqrt, symbol, where
from isocost.engine import algebra
from isocost.engine.formula import Formula, Param
from isocost.engine.symbolic import from_sympy, to_sympy

ROOT = Path(__file__).resolve().parents[2]
X, Y = symbol("x"), symbol("y")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """`tools/keep_partials.py` as a module."""
    place = ROOT / "tools" / "keep_partials.py"
    spec = importlib.util.spec_from_file_location("keep_partials", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made(body: Expr) -> Formula:
    return Formula("f", "1", {"x": Param("1", "x"), "y": Param("1", "y")}, None,
                   body_=[body])  # fmt: skip


def test_partials_of_all_shipped_formulas_are_kept(tool: ModuleType) -> None:
    assert tool.missing(tool.kept()) == [], "run tools/keep_partials.py"


def test_what_is_kept_is_what_is_derived(tool: ModuleType) -> None:
    kept = tool.kept()
    names = sorted(tool.shipped())[::40]
    for name in names:
        one = tool.shipped()[name]
        if algebra.plain_partials(one) is None:
            found = algebra.differentiate(one)
            assert kept[algebra.digest(one)] == {
                param: algebra.to_json(expr) for param, expr in found.items()
            }


def test_the_file_has_no_entry_too_many(tool: ModuleType) -> None:
    digests = {algebra.digest(one) for one in tool.shipped().values()}
    assert set(tool.kept()) <= digests, "run tools/keep_partials.py"


@pytest.mark.parametrize(
    "body",
    [
        sqrt(X * X + Y),
        log(X) / log(Y),
        absolute(X - Y) * ceil(Y),
        where(X > Y, X / Y, largest(a=X, b=Y * Y)),
        X ** (-Y),
    ],
)
def test_trees_and_json_and_sympy_and_back(body: Expr) -> None:
    import sympy as sp

    from isocost.engine.formula import evaluate

    symbols = {name: sp.Symbol(name, real=True) for name in "xy"}
    back = from_sympy(to_sympy(body, symbols))
    again = algebra.from_json(algebra.to_json(back))
    at = {"x": 2.5, "y": 1.75}
    assert evaluate(back, at) == pytest.approx(evaluate(body, at), rel=1e-14)
    assert evaluate(again, at) == evaluate(back, at)


def test_the_digest_knows_body_and_parameters_only() -> None:
    assert algebra.digest(made(X + Y)) == algebra.digest(made(X + Y))
    assert algebra.digest(made(X + Y)) != algebra.digest(made(Y + X))
    other = Formula("g", "s", made(X + Y).params, None, body_=[X + Y])
    assert algebra.digest(other) == algebra.digest(made(X + Y))
