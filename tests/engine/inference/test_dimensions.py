"""Every inference formula is dimensionally what it declares."""

import importlib

import pytest

from isocost.dsl.dimensions import Clash, infer
from isocost.dsl.expr import Expr
from isocost.dsl.units import Dim
from isocost.engine.formula import FORMULAS, Formula

SUBJECTS = (
    *("transformer", "attention", "moe", "moe_step", "chip", "memory"),
    *("inference", "serving", "serving_load"),
)


def subject_formulas() -> list[Formula]:
    modules = {f"isocost.engine.formulas.{name}" for name in SUBJECTS}
    for name in sorted(modules):
        importlib.import_module(name)
    return [
        made
        for made in FORMULAS.values()
        if made.function is not None and made.function.__module__ in modules
    ]


@pytest.mark.parametrize("made", subject_formulas(), ids=lambda made: made.name)
def test_the_body_has_the_declared_dimension(made: Formula) -> None:
    clashes: list[Clash] = []

    def leaf(expr: Expr) -> Dim:
        return made.params[expr.value].dim

    found = infer(made.body, leaf, clashes.append)
    assert not clashes
    assert found == made.dim


@pytest.mark.parametrize("made", subject_formulas(), ids=lambda made: made.name)
def test_every_parameter_is_used_and_documented(made: Formula) -> None:
    used = {node.value for node in made.body.walk() if node.op == "symbol"}
    assert used == set(made.params)
    assert all(param.doc and param.latex for param in made.params.values())
    assert made.source
    assert made.doc
