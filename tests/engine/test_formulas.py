"""Every shipped formula says what it is: body, variables, validity and source.

A new one cannot be added without: its body has the declared unit, each variable a unit
and a word, and where it holds is stated, as conditions that can be checked or as prose.
"""

import importlib
import pkgutil

import attrs
import pytest

import isocost.engine.formulas as package
from isocost.dsl.dimensions import Clash, infer
from isocost.dsl.expr import Expr
from isocost.dsl.units import Dim
from isocost.engine.formula import FORMULAS, Formula, p
from isocost.engine.printers.text import show
from isocost.engine.validity import conditions

#: Words that would say nothing; an identity holds for any values, and says so.
_HOLLOW = {"any", "always", "any values", "all values", "none", "-"}

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


def faults(made: Formula) -> list[str]:
    """What a formula does not state, of all that it has to."""
    found = [
        word for word in ("doc", "valid", "source") if not getattr(made, word).strip()
    ]
    found += [name for name, one in made.params.items() if not one.doc or not one.unit]
    if not show(made.body):
        found.append("body")
    if made.valid in _HOLLOW:
        found.append("a validity that says something")
    return found + _wrong_conditions(made)


def _wrong_conditions(made: Formula) -> list[str]:
    def leaf(expr: Expr) -> Dim | None:
        return made.params[expr.value].dim if expr.op == "symbol" else None

    found = []
    for one in conditions(made):
        clashes: list[Clash] = []
        infer(one.tree, leaf, clashes.append)
        names = [part for part in one.tree.walk() if part.op == "symbol"]
        if clashes or not names:
            found.append(one.text)
    return found


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_it_says_what_it_is(name: str) -> None:
    assert faults(FORMULAS[name]) == []


def test_one_that_does_not_is_found() -> None:
    made = Formula("made", "s", {"t": p("s", "t")}, lambda t: t)
    assert faults(made) == ["doc", "valid", "source", "t"]
    told = attrs.evolve(made, doc="d", source="s", params={"t": p("s", "t", "time")})
    assert faults(attrs.evolve(told, valid="t > 1 m")) == ["t > 1 m"]
    assert faults(attrs.evolve(told, valid="any")) == ["a validity that says something"]
    assert faults(attrs.evolve(told, valid="t > 0; one at a time")) == []
