"""Measured training runs as rows to fit one stack's figures to, with exact slopes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isocost.engine.calibration.stack_block import Stated
from isocost.engine.calibration.stack_fit import Array, Figure
from isocost.engine.calibration.training_fit import weights
from isocost.engine.calibration.training_model import batch_of
from isocost.engine.calibration.training_rows import Run
from isocost.engine.calibration.training_scenario import STACK_FLAGS, STACK_LINES
from isocost.engine.calibration.training_slopes import forward, slopes

_MORE = ("training.kept.low", "training.kept.adapters", "training.precision[fp4]")
_MEMORY = ("training.reserve", "memory.reserve")
#: What a block may state that the plan takes.
PATHS = (
    *(path for path, _, _ in STACK_LINES.values()),
    *STACK_FLAGS.values(),
    *_MORE,
    *_MEMORY,
)
_INPUT = {path: name for name, (path, _, _) in STACK_LINES.items()}


class TrainingRows:
    """Runs under one stack: log errors and slopes by its free figures."""

    def __init__(
        self,
        runs: Sequence[Run],
        stated: Mapping[str, Stated],
        figures: Sequence[Figure],
    ) -> None:
        self.batch = batch_of(runs)
        self.figures = tuple(figures)
        self.weights: Array = weights(self.batch)
        self._inputs = self._fixed(stated)
        self._alone = "training.all_reduce" not in stated
        self._target = np.log(self.batch.measured)

    def _fixed(self, stated: Mapping[str, Stated]) -> dict[str, Any]:
        """All inputs, the stack's as the block states them."""
        x = self.batch.inputs
        said = {path: one.value for path, one in stated.items()}
        found: dict[str, Any] = {**x, "element_bytes": 2.0}
        for path, name in _INPUT.items():
            if path in said:
                found[name] = said[path]
        found |= {n: said[p] for n, p in STACK_FLAGS.items() if p in said}
        low = np.where(x["low"] > 0, said.get("training.kept.low", 1.0), 1.0)
        lora = np.where(
            x["weight_gradient"] > 0, 1.0, said.get("training.kept.adapters", 1.0)
        )
        fp4 = said.get("training.precision[fp4]", 1.0)
        part = x["rank_chips"]
        reserve = said["training.reserve"] * x["capacity"]
        return {
            **found,
            "kept_share": low * lora,
            "precision_share": np.where(x["fp4"] > 0, fp4, 1.0),
            "reserve": reserve + said["memory.reserve"] * part,
        }

    def errors(self, values: Sequence[float]) -> tuple[Array, Array]:
        """Log errors of all runs, and their derivatives by figure.

        Args:
            values: In the order of the figures.
        """
        names = [_INPUT[one.path] for one in self.figures]
        inputs = {**self._inputs, **dict(zip(names, values, strict=True))}
        if self._alone:
            inputs["reduce_share"] = inputs["link_share"]
        size = len(self._target)
        full = {
            k: np.broadcast_to(np.asarray(v, float), size) for k, v in inputs.items()
        }
        made = forward(full)
        found = slopes(made)
        if self._alone and "reduce_share" in found:
            found["link_share"] = found["link_share"] + found["reduce_share"]
        time = made["step"]
        columns = [found.get(name, np.zeros(size)) / time for name in names]
        error: Array = np.log(time) - self._target
        return error, np.stack(columns, axis=1)
