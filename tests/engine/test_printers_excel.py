"""Excel formulas: bracketed as Excel needs it, and the same numbers when run."""

import importlib
import math
import pkgutil
import random
from typing import Any

import pytest

import isocost.engine.formulas as package
from isocost.dsl.expr import (
    Expr,
    both,
    ceil,
    exp,
    floor,
    largest,
    lift,
    log,
    sqrt,
    symbol,
    total,
    where,
)
from isocost.dsl.units import unit
from isocost.engine.formula import FORMULAS, q
from isocost.engine.printers import NotPrintableError
from isocost.engine.printers.excel import excel
from isocost.engine.printers.python import scalar_function

for _found in pkgutil.iter_modules(package.__path__):
    importlib.import_module(f"{package.__name__}.{_found.name}")

X, Y = symbol("x"), symbol("y")
CELLS = {"x": "A1", "y": "Prices!$B$2"}


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (6 * X * Y, "((6*A1)*Prices!$B$2)"),
        (X - (Y - 1), "(A1-(Prices!$B$2-1))"),
        (-(X**2), "(-POWER(A1,2))"),
        ((-X) ** 2, "POWER((-A1),2)"),
        (
            X**Y,
            "IF(A1>0,EXP(Prices!$B$2*LN(A1)),POWER(A1,Prices!$B$2))",
        ),
        (X * -2.0, "(A1*(-2))"),
        (lift(1e-9) * X, "(1E-09*A1)"),
        (q("2 us") * X, "(2E-06*A1)"),
        (largest(memory=X, compute=Y), "MAX(A1,Prices!$B$2)"),
        (total(X, Y, 1), "(A1+Prices!$B$2+1)"),
        (where(X < 1, X, Y), "IF(A1<1,A1,Prices!$B$2)"),
        (
            where(both(X >= 1, Expr("not", (Y > 2,))), X, Y),
            "IF(AND(A1>=1,NOT(Prices!$B$2>2)),A1,Prices!$B$2)",
        ),
        (X * (Y > 1), "(A1*IF(Prices!$B$2>1,1,0))"),
        (where(X, 1, 2), "IF(A1<>0,1,2)"),
        (ceil(X), "(-INT(-(A1-1E-09*ABS(A1))))"),
        (floor(X), "INT(A1+1E-09*ABS(A1))"),
        (sqrt(log(exp(X))), "SQRT(LN(EXP(A1)))"),
    ],
)
def test_text(expr: Expr, text: str) -> None:
    assert excel(expr, CELLS) == text


def test_what_excel_has_not_is_refused() -> None:
    deep: Expr = X
    for _ in range(80):
        deep = sqrt(deep)
    long = X
    for _ in range(3000):
        long = Expr("sum", (*long.args, X) if long.op == "sum" else (X, X))
    for expr in (Expr("erlang_c", (X, Y)), deep, long, lift(math.inf) * X):
        with pytest.raises(NotPrintableError):
            excel(expr, CELLS)


def test_nearly_all_formulas_fit_into_a_cell() -> None:
    refused = []
    for name, made in FORMULAS.items():
        try:
            excel(made.body, {p: f"A{i}" for i, p in enumerate(made.params)})
        except NotPrintableError:
            refused.append(name)
    assert len(refused) < 0.08 * len(FORMULAS), refused


def test_every_formula_gives_the_same_numbers_in_a_workbook() -> None:
    formulas: Any = pytest.importorskip("formulas")
    rng = random.Random(3)
    checked = 0
    for name, made in sorted(FORMULAS.items()):
        cells = {p: f"A{i + 1}" for i, p in enumerate(made.params)}
        try:
            text = excel(made.body, cells)
        except NotPrintableError:
            continue
        if len(text) > 700:  # its parser takes a second for a long one
            continue
        compiled = formulas.Parser().ast(f"={text}")[1].compile()
        order = list(compiled.inputs)
        for _ in range(2):
            at = {
                cells[p]: math.exp(rng.uniform(-2, 4)) * unit(param.unit).factor
                for p, param in made.params.items()
            }
            ours = float(scalar_function(made)(*at.values()))
            if not math.isfinite(ours):
                continue
            theirs = float(compiled(*(at[cell] for cell in order)))
            assert math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-300), (name, at)
            checked += 1
    assert checked > 300
