"""What every validation reports: a prediction for each row, and how far off they are.

The error of a row is ln(predicted / measured). Widths and scores of intervals are in
the same logarithm: a width is ln(high / low), and the interval score adds 20 times
what a miss is by (the rule that neither width nor coverage alone can please). Rows
of quality C, and those written down from memory, are shown and count in nothing.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median

import attrs

#: Share of rows that an interval leaves out.
OUTSIDE = 0.1


@attrs.frozen
class Prediction:
    """One row: measured, predicted with its 90% interval, or why it was refused.

    `flags` say what about the row was assumed or lies outside the calibration.
    """

    row_id: str
    series: str
    source: str
    chip: str
    metric: str
    unit: str
    measured: float
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    refused: str = ""
    counts: bool = True
    flags: tuple[str, ...] = ()

    @property
    def error(self) -> float | None:
        """ln(predicted / measured), None for a row that was refused."""
        if self.predicted is None:
            return None
        return math.log(self.predicted / self.measured)

    @property
    def width(self) -> float | None:
        """ln(high / low), None where there is no interval."""
        if self.low is None or self.high is None:
            return None
        return math.log(self.high / self.low)

    @property
    def inside(self) -> bool:
        """Whether the measured value lies in the interval."""
        low, high = self.low, self.high
        return low is not None and high is not None and low <= self.measured <= high

    @property
    def score(self) -> float | None:
        """The interval score: the width, and 2 / 10% times what a miss is by."""
        if self.low is None or self.high is None or self.width is None:
            return None
        below = math.log(self.low / self.measured)
        above = math.log(self.measured / self.high)
        return self.width + 2 / OUTSIDE * max(below, above, 0.0)


@attrs.frozen
class Summary:
    """Errors over rows.

    `median_abs_log_error` is the median over series of the series' medians, so that
    a long series counts no more than a short one; `median_of_rows` is the plain one.
    Without a row that counts they are not numbers.
    """

    rows: int
    predicted: int
    refused: int
    counted: int
    mean_abs_log_error: float
    median_abs_log_error: float
    median_of_rows: float
    bias: float
    coverage_90: float
    median_width: float
    interval_score: float


def summary(found: Sequence[Prediction]) -> Summary:
    """How far off predictions are."""
    good = [one for one in found if one.predicted is not None]
    counted = [one for one in good if one.counts]
    errors = [one.error for one in counted if one.error is not None]
    sizes = [abs(error) for error in errors]
    by_series = [
        median(abs(one.error) for one in group if one.error is not None)
        for group in groups(counted, lambda one: one.series).values()
    ]
    return Summary(
        rows=len(found),
        predicted=len(good),
        refused=len(found) - len(good),
        counted=len(counted),
        mean_abs_log_error=_or_nan(fmean, sizes),
        median_abs_log_error=_or_nan(median, by_series),
        median_of_rows=_or_nan(median, sizes),
        bias=_or_nan(fmean, errors),
        coverage_90=_or_nan(fmean, [float(one.inside) for one in counted]),
        median_width=_or_nan(median, _known(one.width for one in counted)),
        interval_score=_or_nan(fmean, _known(one.score for one in counted)),
    )


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _or_nan(average: Callable[[list[float]], float], values: list[float]) -> float:
    return average(values) if values else math.nan


def groups(
    found: Iterable[Prediction], key: Callable[[Prediction], str]
) -> dict[str, list[Prediction]]:
    """Predictions by a key, in the order in which keys are met."""
    out: dict[str, list[Prediction]] = {}
    for one in found:
        out.setdefault(key(one), []).append(one)
    return out


def worst(found: Iterable[Prediction], count: int) -> list[Prediction]:
    """The rows that are farthest off, the worst first."""
    good = [one for one in found if one.error is not None]
    return sorted(good, key=lambda one: (-abs(one.error or 0.0), one.row_id))[:count]


def reasons(found: Iterable[Prediction]) -> dict[str, list[str]]:
    """Why rows were refused, with the names of the rows, the most frequent first."""
    out: dict[str, list[str]] = {}
    for one in found:
        if one.refused:
            out.setdefault(one.refused, []).append(one.row_id)
    return dict(sorted(out.items(), key=lambda item: (-len(item[1]), item[0])))
