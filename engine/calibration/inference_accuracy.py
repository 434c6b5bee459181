"""The table of accuracy: errors and coverage by stack, chip, regime and kind of fold.

Every line is made from rows that the fit behind it has not seen: the fold it names
was left out. Kinds of folds: `official` (by source where a stack has two or more,
else by model), `source`, `model`, `chip`.
"""

from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np

from isocost.engine.calibration.inference_arrays import Array, Marks
from isocost.engine.calibration.inference_fit import Measurements, score
from isocost.engine.calibration.inference_rows import Row
from isocost.engine.calibration.inference_spread import (
    LeftOut,
    leave_out,
    nested_coverage,
    official_folds,
    regime,
)

KINDS = ("official", "source", "model", "chip")


@attrs.frozen
class Line:
    """Errors of one group of rows under one kind of fold.

    `median` and `mean` are over series of the series' medians of |ln(predicted /
    measured)|, `rows_mean` over rows; `half_width` is of the 90% interval's log.
    """

    fold: str
    group: str
    series: int
    rows: int
    median: float
    mean: float
    rows_mean: float
    coverage: float
    half_width: float
    interval_score: float


def fold_key(data: Measurements, kind: str) -> Callable[[Row], str]:
    """Which fold a row belongs to, by kind."""
    if kind == "official":
        folds = official_folds(data.rows, data.first_case)
        return lambda row: folds[row["row_id"]]
    column = {"source": "source_id", "model": "model", "chip": "chip"}[kind]
    return lambda row: row[column]


def _groups(data: Measurements) -> Iterator[tuple[str, Marks]]:
    cases, rows = data.first_case, data.rows
    names = {
        "stack": [case.stack.name for case in cases],
        "chip": [case.chip.name for case in cases],
        "regime": [regime(case) for case in cases],
        "metric": [row["metric"] for row in rows],
    }
    yield "all", np.ones(len(rows), dtype=bool)
    for kind, values in names.items():
        for value in sorted(set(values)):
            marks = np.array([each == value for each in values])
            if (marks & data.tuned).any():
                yield f"{kind} {value}", marks


def _line(data: Measurements, kind: str, group: str, out: LeftOut, m: Marks) -> Line:
    reached = score(data, out.errors, m)
    covered = nested_coverage(data, out, m)
    return Line(
        fold=kind,
        group=group,
        series=reached.series,
        rows=covered.rows,
        median=reached.median,
        mean=reached.mean,
        rows_mean=reached.rows,
        coverage=covered.share,
        half_width=covered.half_width,
        interval_score=covered.score,
    )


def accuracy(
    data: Measurements, start: Array, kinds: Sequence[str] = KINDS
) -> list[Line]:
    """The table of accuracy.

    Args:
        data: The measurements.
        start: Coefficients that each fold's fit starts from.
        kinds: Kinds of folds to leave out.
    """
    lines = []
    for kind in kinds:
        out = leave_out(data, fold_key(data, kind), start)
        lines += [_line(data, kind, name, out, m) for name, m in _groups(data)]
    return lines


def as_text(lines: Sequence[Line]) -> str:
    """The table in Markdown."""
    head = "| left out | group | series | rows | median | mean | rows' mean | "
    head += "coverage | half-width |"
    rule = "|---|---|--:|--:|--:|--:|--:|--:|--:|"
    body = [
        f"| {each.fold} | {each.group} | {each.series} | {each.rows} | "
        f"{each.median:.3f} | {each.mean:.3f} | {each.rows_mean:.3f} | "
        f"{each.coverage:.0%} | {each.half_width:.2f} |"
        for each in lines
    ]
    return "\n".join([head, rule, *body])
