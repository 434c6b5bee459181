"""Measured serving: throughput and latencies of rows, by the stacks as fitted."""

from collections.abc import Mapping, Sequence

import attrs

from isocost.engine.calibration.inference import predict_rows
from isocost.engine.validation.frame import Prediction
from isocost.engine.validation.tables import Row, blank


def predict(rows: Sequence[Row], models: Mapping[str, Row]) -> list[Prediction]:
    """Each row's prediction, in order.

    Args:
        rows: Rows with the columns of the inference tables.
        models: Rows of the table of architectures, by model.
    """
    out = []
    for row, found in zip(rows, predict_rows(rows, models), strict=True):
        if found.refused:
            out.append(blank(row, found.refused))
            continue
        one = attrs.evolve(
            blank(row),
            predicted=found.predicted,
            low=found.low,
            high=found.high,
            flags=found.flags,
        )
        out.append(one)
    return out
