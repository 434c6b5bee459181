"""Measured training: a step's time, or the rate that a row states, by the fit."""

from collections.abc import Mapping, Sequence

import attrs

from isocost.engine.calibration import training
from isocost.engine.validation.frame import Prediction
from isocost.engine.validation.tables import Row, blank

_TIMES = ("time", "latency", "duration")


def predict(rows: Sequence[Row], models: Mapping[str, Row]) -> list[Prediction]:
    """Each row's prediction, in order and in the row's own terms.

    Args:
        rows: Rows with the columns of the training tables.
        models: Rows of the table of architectures, by model.
    """
    runs, refusals = training.load(rows, models.values())
    reasons = {one.row_id: one.reason for one in refusals}
    made = training.predict_runs(runs, training.shipped()) if runs else []
    found = {one.row_id: one for one in made}
    return [
        _prediction(row, found[row["row_id"]])
        if row["row_id"] in found
        else blank(row, reasons[row["row_id"]])
        for row in rows
    ]


def _prediction(row: Row, found: training.Prediction) -> Prediction:
    """A step's time as the row states it: a time, or a rate, which is its inverse."""
    one = blank(row)
    if not one.metric:
        one = attrs.evolve(one, metric="step_time", unit="s", measured=found.measured)
    is_time = any(word in one.metric for word in _TIMES)
    ratios = [t / found.measured for t in (found.predicted, found.low, found.high)]
    shown, low, high = (
        one.measured * (ratio if is_time else 1 / ratio) for ratio in ratios
    )
    flags = [f"{name} is not stated" for name in found.assumed]
    if found.novelty == "foreign":
        flags.append("chip or stack was never calibrated on")
    return attrs.evolve(
        one,
        predicted=shown,
        low=min(low, high),
        high=max(low, high),
        flags=tuple(flags),
    )
