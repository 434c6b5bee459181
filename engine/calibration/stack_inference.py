"""Measured inference as rows to fit one stack's figures to.

Predictions choose batches and step over tokens, so slopes are differences over 1%, as
in the fit that ships. A row that does not fit in memory says nothing.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from isocost.engine.calibration.inference import shipped
from isocost.engine.calibration.inference_blocks import PLACES
from isocost.engine.calibration.inference_fit import Measurements, errors
from isocost.engine.calibration.inference_stacks import INDEX
from isocost.engine.calibration.stack_block import Stated
from isocost.engine.calibration.stack_fit import Array, Figure

_STEP = 0.01
#: What a block may state that inference takes.
PATHS = tuple(place.path for place in PLACES.values())
_VARIABLE = {place.path: name for name, place in PLACES.items()}


class InferenceRows:
    """Rows under one stack: log errors and slopes by its free figures."""

    def __init__(
        self,
        data: Measurements,
        stated: Mapping[str, Stated],
        figures: Sequence[Figure],
    ) -> None:
        self.data = data
        self.figures = tuple(figures)
        self.weights: Array = data.weight * data.tuned
        self._theta = shipped().theta()
        self._places = {path: self._of(path) for path in stated}
        for path, one in stated.items():
            if one.value > 0:
                self._theta[self._places[path]] = np.log(one.value)

    def _of(self, path: str) -> list[int]:
        """The coefficients that a path stands for, in all stacks of the rows."""
        variable = _VARIABLE[path]
        keys = {case.stack.coefficient(variable) for case in self.data.first_case}
        return sorted(INDEX[key] for key in keys)

    def errors(self, values: Sequence[float]) -> tuple[Array, Array]:
        """Log errors of all rows, and their derivatives by figure.

        Args:
            values: In the order of the figures.
        """
        size = len(self.figures)
        thetas = np.repeat(self._theta[None], size + 1, axis=0)
        for index, (one, value) in enumerate(zip(self.figures, values, strict=True)):
            for place in self._places[one.path]:
                thetas[:, place] = np.log(value)
                thetas[index + 1, place] += _STEP
        found = errors(self.data, thetas)
        steps = (found[1:] - found[0]).T / _STEP / np.array(values)
        return np.nan_to_num(found[0]), np.nan_to_num(steps)
