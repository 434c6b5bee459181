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


def scenarios(rows: Sequence[Row], models: Mapping[str, Row]) -> dict[str, str]:
    """The text of each row's scenario by the row's name; refused rows have none.

    Args:
        rows: Rows with the columns of the training tables.
        models: Rows of the table of architectures, by model.
    """
    from isocost.engine.calibration.training_scenario import scenario_text
    from isocost.engine.validation.scenarios import source_of, words

    runs, _ = training.load(rows, models.values())
    by_id = {row["row_id"]: row for row in rows}
    made = training.shipped()
    out = {}
    for run in runs:
        row = by_id[run.row_id]
        ratio = f"run.time.step / {run.measured:.6g} s"
        said = f"within 25% of the step time of {words(run.row_id)}"
        claim = f'claim abs({ratio} - 1) < 25% "{said}" @measured'
        text = scenario_text(run, made)
        out[run.row_id] = f"{text}\n{source_of(row)}\n\n{claim}\n"
    return out
