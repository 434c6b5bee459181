"""Every formula's body has the unit that it declares, and the plan's edges agree."""

import pytest

from isocost.dsl.dimensions import Clash, infer
from isocost.dsl.expr import Expr
from isocost.dsl.units import Dim, unit
from isocost.engine.formula import FORMULAS, Formula
from isocost.engine.formulas import training_plan

_MODULES = ("training", "parallelism")


def _ours() -> list[Formula]:
    assert training_plan.STEP
    return [
        made
        for made in FORMULAS.values()
        if made.function is not None
        and made.function.__module__.rpartition(".")[2].startswith(_MODULES)
        and not made.function.__module__.endswith("training_cost")
    ]


@pytest.mark.parametrize("made", _ours(), ids=lambda made: str(made.name))
def test_body_has_the_declared_dimension(made: Formula) -> None:
    clashes: list[Clash] = []

    def leaf(expr: Expr) -> Dim | None:
        return made.params[expr.value].dim if expr.op == "symbol" else None

    found = infer(made.body, leaf, clashes.append)
    assert not clashes
    assert found is None or found == made.dim


@pytest.mark.parametrize("made", _ours(), ids=lambda made: str(made.name))
def test_formula_is_documented(made: Formula) -> None:
    assert made.source
    assert made.doc
    assert all(param.doc for param in made.params.values())


def test_plan_connects_like_units() -> None:
    known = {name: unit(text).dim for name, text in inputs().items()}
    for node in training_plan.STEP:
        for parameter, source in node.inputs():
            if isinstance(source, str):
                assert node.formula.params[parameter].dim == known[source], (
                    node.name,
                    parameter,
                    source,
                )
        known[node.name] = node.formula.dim


def inputs() -> dict[str, str]:
    return training_plan.inputs_of(training_plan.STEP)


def test_plan_makes_each_node_once() -> None:
    names = [node.name for node in training_plan.STEP]
    assert len(names) == len(set(names))
    assert not set(names) & set(inputs())


def test_unknown_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match="has no speed"):
        training_plan.use("x", training_plan.STEP[0].formula, speed=1.0)
