"""Every shipped formula: its body has the unit that it declares."""

import importlib
import pkgutil

import pytest

import isocost.engine.formulas as package
from isocost.dsl.dimensions import Clash, infer
from isocost.dsl.expr import Expr
from isocost.dsl.units import Dim
from isocost.engine.formula import FORMULAS, Formula

for _found in pkgutil.iter_modules(package.__path__):
    importlib.import_module(f"{package.__name__}.{_found.name}")


def body_dim(made: Formula) -> tuple[Dim | None, list[Clash]]:
    """The dimension of a formula's body, and what does not add up in it."""
    clashes: list[Clash] = []

    def leaf(expr: Expr) -> Dim | None:
        return made.params[expr.value].dim if expr.op == "symbol" else None

    return infer(made.body, leaf, clashes.append), clashes


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_the_body_has_the_declared_unit(name: str) -> None:
    made = FORMULAS[name]
    found, clashes = body_dim(made)
    assert not clashes
    # A body of nil, or a kernel, has any dimension.
    assert found is None or found == made.dim


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_it_says_what_it_is(name: str) -> None:
    made = FORMULAS[name]
    assert made.doc
    assert made.source
    assert all(param.doc for param in made.params.values())
