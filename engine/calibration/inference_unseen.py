"""How far off rows are of a stack, or of a vendor, that nobody has measured.

Each stack is hidden in turn: the coefficients are fitted to the others, and its rows
are predicted as those of an unknown one, with the widths that such a row gets. A stack
of another vendor is predicted from what GPUs say, a vendor's stacks hidden together;
what was learned of its own first tokens stays in their width, which no other vendor
could give.
"""

from collections.abc import Collection, Mapping, Sequence

import attrs
import numpy as np

from isocost.engine.calibration.inference_arrays import Array, Marks
from isocost.engine.calibration.inference_fit import (
    SPREAD,
    errors,
    fit,
    measurements,
    posterior_spread,
)
from isocost.engine.calibration.inference_rows import Row
from isocost.engine.calibration.inference_spread import (
    UNSEEN_VENDOR,
    coefficient_variance,
    half_widths,
)


@attrs.frozen
class Unseen:
    """Rows of hidden stacks: errors and half widths of ln, and each row's series.

    `metrics` are what the rows measured, in the words of what is predicted.
    """

    errors: Array
    halves: Array
    series: tuple[str, ...]
    metrics: tuple[str, ...]


def unseen(
    rows: Sequence[Row],
    models: Mapping[str, Row],
    start: Array,
    residual: Mapping[str, float],
) -> dict[str, Unseen]:
    """Errors and widths of hidden rows: of a `stack` on GPUs, and of a `vendor`.

    Args:
        rows: Measurements with the columns of the validation tables.
        models: Rows of the table of architectures by model.
        start: Logarithms of the coefficients that each fit starts from.
        residual: The shipped residual of each regime.
    """
    known = measurements(rows, models)
    names = np.array([case.stack.name for case in known.first_case])
    abroad = np.array([case.chip.vendor != "nvidia" for case in known.first_case])
    folds = [[name] for name in sorted(set(names[~abroad]))]
    stacks = [_hidden(rows, models, start, residual, one, 0.0) for one in folds]
    others = sorted(set(names[abroad]))
    vendor = _hidden(rows, models, start, residual, others, UNSEEN_VENDOR)
    return {"stack": _together(stacks), "vendor": vendor}


def _hidden(
    rows: Sequence[Row],
    models: Mapping[str, Row],
    start: Array,
    residual: Mapping[str, float],
    names: Collection[str],
    further: float,
) -> Unseen:
    """Rows of stacks that no fit has seen; `further` is what their vendor adds."""
    known = measurements(rows, models)
    mine = np.array([case.stack.name in names for case in known.first_case])
    theta = fit(known, known.tuned & ~mine, start, rounds=8)
    hidden = measurements(rows, models, names)
    spread = posterior_spread(known, theta, known.tuned & ~mine)
    variance = coefficient_variance(hidden, theta, np.minimum(spread, SPREAD))
    found = errors(hidden, theta)
    use: Marks = mine & known.tuned & np.isfinite(found)
    halves = half_widths(hidden, variance + further**2, dict(residual))
    return Unseen(
        found[use],
        halves[use],
        tuple(row["series"] for row, one in zip(hidden.rows, use, strict=True) if one),
        tuple(c.metric for c, one in zip(hidden.first_case, use, strict=True) if one),
    )


def _together(parts: Sequence[Unseen]) -> Unseen:
    return Unseen(
        np.concatenate([one.errors for one in parts]),
        np.concatenate([one.halves for one in parts]),
        tuple(name for one in parts for name in one.series),
        tuple(name for one in parts for name in one.metrics),
    )
