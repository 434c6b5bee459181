"""Inference measurements: fit the stacks' coefficients, predict rows with intervals.

`calibrate` fits everything to rows; `predict_rows` predicts rows from a fit, by
default the shipped one, and refuses a row with a reason rather than guess. What is
shipped is the module `inference_fitted`, which `fitted_source` writes.
"""

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from isocost.engine.calibration.inference_arrays import Array
from isocost.engine.calibration.inference_fit import (
    SPREAD,
    Measurements,
    errors,
    fit,
    measurements,
    posterior_spread,
)
from isocost.engine.calibration.inference_rows import Case, Row
from isocost.engine.calibration.inference_spread import (
    LONGEST_PP,
    WIDEST_EP,
    coefficient_variance,
    crowding,
    far_from,
    half_widths,
    leave_out,
    official_folds,
    residuals,
    sequences,
)
from isocost.engine.calibration.inference_stacks import COEFFICIENTS

#: A batch is told not to fit from here on: what fits is known to a tenth or two.
OVERFULL = 1.5
FAR = "far from the batches that the stack was calibrated on"


@attrs.frozen
class Fitted:
    """Values of the coefficients with the spread of their logs, and residuals.

    `residual` is the standard deviation of ln(predicted / measured) by regime,
    `sequences` the least and most of a chip that each stack's rows had.
    """

    values: Mapping[str, float]
    spreads: Mapping[str, float]
    residual: Mapping[str, float]
    sequences: Mapping[str, tuple[float, float]] = attrs.field(factory=dict)

    def theta(self) -> Array:
        """Logarithms in the order of `COEFFICIENTS`; what is missing at its prior."""
        values = (self.values.get(each.name, each.prior) for each in COEFFICIENTS)
        return np.log(list(values))

    def spread(self) -> Array:
        """Spreads of the logs in the same order."""
        return np.array([self.spreads.get(c.name, c.spread) for c in COEFFICIENTS])


@attrs.frozen
class Prediction:
    """One row: measured, predicted with its 90% interval, or why it was refused.

    `error` is ln(predicted / measured); `flags` say what no measurement has covered.
    """

    row_id: str
    series: str
    metric: str
    measured: float
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    refused: str = ""
    flags: tuple[str, ...] = ()


def calibrate(rows: Sequence[Row], models: Mapping[str, Row]) -> Fitted:
    """Fit all coefficients to rows, and the residuals to rows that were left out.

    Residuals are the larger of two kinds of folds: by source (or model), and by chip.
    They are what the spreads of the whole fit leave to be covered in rows left out: a
    fold that is back in narrows the coefficients, not the next source's difference.

    Args:
        rows: Measurements with the columns of the validation tables.
        models: Rows of the table of architectures by model.
    """
    data = measurements(rows, models)
    theta = fit(data, data.tuned)
    spread = np.minimum(posterior_spread(data, theta, data.tuned), SPREAD)
    variance = coefficient_variance(data, theta, spread)
    folds = official_folds(data.rows, data.first_case)
    known: dict[str, float] = {}
    for key in (lambda row: folds[row["row_id"]], lambda row: row["chip"]):
        out = attrs.evolve(leave_out(data, key, theta), variance=variance)
        found = residuals(data, out, data.tuned)
        known = {kind: max(value, known.get(kind, 0)) for kind, value in found.items()}
    names = [each.name for each in COEFFICIENTS]
    return Fitted(
        dict(zip(names, np.exp(theta).tolist(), strict=True)),
        dict(zip(names, spread.tolist(), strict=True)),
        known,
        _spans(data, theta),
    )


def _spans(data: Measurements, theta: Array) -> dict[str, tuple[float, float]]:
    """Least and most sequences of a chip of each stack's fitted rows."""
    found = sequences(data, theta)
    out: dict[str, tuple[float, float]] = {}
    for case, one, tuned in zip(data.first_case, found, data.tuned, strict=True):
        if tuned and one > 0:
            low, high = out.get(case.stack.name, (np.inf, 0.0))
            out[case.stack.name] = (min(low, float(one)), max(high, float(one)))
    return out


def shipped() -> Fitted:
    """The fit that is shipped."""
    from isocost.engine.calibration import inference_fitted as kept

    values = {name: value for name, (value, _) in kept.COEFFICIENTS.items()}
    spreads = {name: spread for name, (_, spread) in kept.COEFFICIENTS.items()}
    return Fitted(values, spreads, kept.RESIDUAL, kept.SEQUENCES)


def predict_rows(
    rows: Sequence[Row], models: Mapping[str, Row], fitted: Fitted | None = None
) -> list[Prediction]:
    """Predict measurements, in their order.

    Args:
        rows: Measurements with the columns of the validation tables.
        models: Rows of the table of architectures by model; may be empty.
        fitted: The coefficients; the shipped ones if left out.
    """
    known = fitted or shipped()
    data = measurements(rows, models)
    reasons = {each.row_id: each.reason for each in data.refused}
    if not data.rows:
        return [_refusal(row, reasons[row["row_id"]]) for row in rows]
    theta = known.theta()
    found = errors(data, theta)
    over = crowding(data, theta)
    variance = coefficient_variance(data, theta, known.spread())
    far = far_from(data, theta, known.sequences)
    half = half_widths(data, variance, dict(known.residual), far)
    made = {
        row["row_id"]: _overfull(row, case, ratio)
        or _prediction(row, case, error, width, _outside(ratio, far=bool(beyond)))
        for row, case, error, width, beyond, ratio in zip(
            data.rows, data.first_case, found, half, far, over, strict=True
        )
    }
    return [made.get(r["row_id"]) or _refusal(r, reasons[r["row_id"]]) for r in rows]


def _refusal(row: Row, reason: str) -> Prediction:
    measured = float(row["value"]) if row.get("value") else float("nan")
    return Prediction(
        row["row_id"], row.get("series", ""), row["metric"], measured, refused=reason
    )


def _overfull(row: Row, case: Case, ratio: float) -> Prediction | None:
    """A refusal where a batch that runs as one is far more than memory holds."""
    if case.mode != "static" or ratio <= OVERFULL:
        return None
    most = case.numbers["batch"] / ratio
    return _refusal(row, f"of a batch of {row['batch']}, memory holds {most:.0f}")


def _outside(ratio: float, *, far: bool) -> tuple[str, ...]:
    """What of a row's batch is beyond its stack's rows, or its memory."""
    waits = "more at once than memory holds: the others wait"
    return ((FAR,) if far else ()) + ((waits,) if ratio > OVERFULL else ())


def _prediction(
    row: Row, case: Case, error: float, half: float, beyond: tuple[str, ...]
) -> Prediction:
    if not np.isfinite(error):
        return _refusal(row, "the model does not fit in the memory of its ranks")
    measured = float(row["value"])
    predicted = measured * float(np.exp(error))
    return Prediction(
        row_id=row["row_id"],
        series=row["series"],
        metric=row["metric"],
        measured=measured,
        predicted=predicted,
        low=predicted * float(np.exp(-half)),
        high=predicted * float(np.exp(half)),
        error=float(error),
        flags=(*flags(case), *beyond),
    )


def flags(case: Case) -> tuple[str, ...]:
    """What about a case lies outside the measurements that the fit has seen."""
    numbers = case.numbers
    out = list(case.notes)
    if not case.stack.measured:
        out.append("this software stack was not calibrated: data sheets and priors")
    if case.stack.thin:
        out.append("this software stack was calibrated on a handful of rows")
    if case.chip.vendor not in {"nvidia", "aws"}:
        out.append("no chip of this vendor was calibrated")
    if case.chip.guessed:
        out.append("the chip's power is an estimate")
    if case.experts and numbers["ep"] > WIDEST_EP:
        out.append(f"expert parallelism beyond {WIDEST_EP} ranks")
    if numbers["pp"] > LONGEST_PP:
        out.append(f"pipelines of more than {LONGEST_PP} stages ran slower than this")
    return tuple(out)


def fitted_source(known: Fitted, measured: Measurements) -> str:
    """The module `inference_fitted` as text, a coefficient a line, for a diff."""
    sources = sorted({row["source_id"] for row in measured.rows})
    lines = [
        '"""Coefficients of inference stacks as fitted: written by `fitted_source`.',
        "",
        "Value in base units and standard deviation of its logarithm; what each means",
        "and its prior stand in `inference_stacks`. One whose spread equals that of",
        "its prior was not moved by any measurement.",
        '"""',
        "",
        f"ROWS = {len(measured.rows)}",
        "SOURCES = (",
        *(f'    "{name}",' for name in sources),
        ")",
        "COEFFICIENTS: dict[str, tuple[float, float]] = {",
        *(
            f'    "{name}": ({value:.4g}, {known.spreads[name]:.2g}),'
            for name, value in known.values.items()
        ),
        "}",
        "#: Standard deviation of ln(predicted / measured), rows left out, by regime.",
        "RESIDUAL: dict[str, float] = {",
        *(f'    "{kind}": {value:.3g},' for kind, value in known.residual.items()),
        "}",
        "#: Least and most sequences of a chip that each stack's rows had.",
        "SEQUENCES: dict[str, tuple[float, float]] = {",
        *(
            f'    "{name}": ({low:.4g}, {high:.4g}),'
            for name, (low, high) in known.sequences.items()
        ),
        "}",
        "",
    ]
    return "\n".join(lines)
