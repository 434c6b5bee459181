"""Exact slopes of a step's time by every input of the plan, for many runs at once.

The chain rule in reverse over `training_plan.STEP`, each formula's partials from the
algebra, over arrays: one pass gives what a finite difference takes one for each
coefficient to give.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from isocost.engine.algebra import partials
from isocost.engine.calibration.inference_arrays import apply
from isocost.engine.calibration.training_model import Array, Values
from isocost.engine.formula import Formula
from isocost.engine.formulas.training_plan import STEP
from isocost.engine.printers.python import Function, array_tree

_KEPT: dict[str, dict[str, Function | None]] = {}


def _functions(formula: Formula) -> Mapping[str, Function | None]:
    """The partials over arrays by parameter; None where one is always zero."""
    if formula.name not in _KEPT:
        made: dict[str, Function | None] = {}
        for name, tree in partials(formula).items():
            zero = tree.op == "number" and not tree.value
            made[name] = None if zero else array_tree(tree, formula.params, name)
        _KEPT[formula.name] = made
    return _KEPT[formula.name]


def forward(inputs: Mapping[str, Any]) -> Values:
    """Every node of the plan.

    Args:
        inputs: Arrays or numbers by input of the plan.
    """
    values: Values = dict(inputs)
    for node in STEP:
        named = {
            parameter: values[source] if isinstance(source, str) else source
            for parameter, source in node.inputs()
        }
        values[node.name] = apply(node.formula, named)
    return values


def slopes(values: Values, wanted: str = "step") -> dict[str, Array]:
    """Derivatives of a node by every node and input above it, run by run.

    Args:
        values: All nodes and inputs (`forward`).
        wanted: The node to differentiate.
    """
    size = np.shape(values[wanted])
    found: dict[str, Array] = {wanted: np.ones(size)}
    for node in reversed(STEP):
        slope = found.get(node.name)
        if slope is None:
            continue
        sources = list(node.inputs())
        args = [values[s] if isinstance(s, str) else s for _, s in sources]
        functions = _functions(node.formula)
        for parameter, source in sources:
            function = functions[parameter]
            if function is None or not isinstance(source, str):
                continue
            with np.errstate(all="ignore"):
                step = slope * function(*args)
            step = np.where(slope == 0, 0.0, np.nan_to_num(step, posinf=0, neginf=0))
            found[source] = found.get(source, 0.0) + np.broadcast_to(step, size)
    return found
