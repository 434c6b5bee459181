"""Exact partial derivatives of every money formula against finite differences."""

import importlib
import math
import random

import pytest

from isocost.dsl.units import unit
from isocost.engine.algebra import partials
from isocost.engine.formula import FORMULAS, Formula, evaluate

MODULES = (
    "carbon",
    "chip_price",
    "depreciation",
    "finance",
    "packaging",
    "power",
    "queueing",
    "reliability",
    "returns",
    "silicon",
    "supply",
    "tco",
    "tenure",
    "tokens",
    "training_cost",
)
for _name in MODULES:
    importlib.import_module(f"isocost.engine.formulas.{_name}")

NAMES = sorted(
    name
    for name, made in FORMULAS.items()
    if made.function is not None
    and made.function.__module__.rpartition(".")[2] in MODULES
)


#: Variables that are whole numbers in use, or that must exceed another.
LIFTED = {"years": 5.0, "age": 1.0, "speedup": 2.0}


def point(made: Formula, draw: random.Random) -> dict[str, float]:
    """A point with variables between 0.3 and 0.7 of their units, more if `LIFTED`."""
    return {
        name: (LIFTED.get(name, 0.0) + draw.uniform(0.3, 0.7)) * unit(param.unit).factor
        for name, param in made.params.items()
    }


def difference(made: Formula, values: dict[str, float], name: str) -> float:
    """Central difference, Richardson's extrapolation of two steps."""

    def at(step: float) -> float:
        size = step * values[name]
        up = evaluate(made.body, {**values, name: values[name] + size})
        down = evaluate(made.body, {**values, name: values[name] - size})
        return (up - down) / (2 * size)

    return (4 * at(0.5e-4) - at(1e-4)) / 3


@pytest.mark.parametrize("name", NAMES)
def test_partials_are_exact(name: str) -> None:
    made = FORMULAS[name]
    draw = random.Random(name)
    found = partials(made)
    assert list(found) == list(made.params)
    tried = 0
    for _ in range(20):
        values = point(made, draw)
        value = evaluate(made.body, values)
        if not math.isfinite(value):
            continue
        tried += 1
        for param, derivative in found.items():
            scale = abs(value / values[param]) + 1e-300
            exact = evaluate(derivative, values)
            numeric = difference(made, values, param)
            assert exact / scale == pytest.approx(
                numeric / scale, rel=1e-6, abs=1e-6
            ), param
    assert tried >= 5
