"""Errors of the training model on runs it has not seen, and whether intervals hold.

One row of a table is one group of runs: mean and median error, bias, and how often
the 90% interval held. Coverage is nested: the widths that a fold is judged by come
from the other folds alone.
"""

from collections.abc import Callable, Iterable, Sequence

import attrs
import numpy as np

from isocost.engine.calibration.training_coefficients import generation
from isocost.engine.calibration.training_rows import Run
from isocost.engine.calibration.training_spread import Case, Widths, widths_of


@attrs.frozen
class Line:
    """Errors of one group.

    `mean` is the mean size of ln(predicted / measured), `mape` that of predicted /
    measured - 1, `median` the median over series of each series' median size, `bias`
    the mean error; `covered` the share of 90% intervals that held, `width` their
    median half-width, `score` the mean interval score in logs (smaller is better).
    """

    group: str
    rows: int
    mean: float
    mape: float
    median: float
    bias: float
    covered: float
    width: float
    score: float


@attrs.frozen
class Judged:
    """An error beside the half-width of the interval it is judged by."""

    case: Case
    half: float

    @property
    def inside(self) -> bool:
        """Whether the interval held."""
        return abs(self.case.error) <= self.half


def nested(cases: Sequence[Case], *, others: Sequence[Case] = ()) -> list[Judged]:
    """Each error with a half-width from the other folds.

    Args:
        cases: Errors on unseen runs.
        others: Errors of other kinds of folds to learn widths from.
    """
    out: list[Judged] = []
    for fold in sorted({case.fold for case in cases}):
        members = [case for case in cases if case.fold == fold]
        ids = {case.run.row_id for case in members}
        learned = [c for c in (*cases, *others) if c.run.row_id not in ids]
        widths = widths_of(learned)
        out += [Judged(c, widths.half(c.novelty, c.run)) for c in members]
    return out


def judged(cases: Iterable[Case], widths: Widths) -> list[Judged]:
    """Each error with the half-width that `widths` gives its class."""
    return [Judged(case, widths.half(case.novelty, case.run)) for case in cases]


def line(group: str, found: Sequence[Judged]) -> Line:
    """Errors of one group of judged runs."""
    errors = np.array([one.case.error for one in found])
    halves = np.array([one.half for one in found])
    series = np.array([one.case.run.series for one in found])
    medians = [np.median(np.abs(errors[series == name])) for name in set(series)]
    beyond = np.maximum(np.abs(errors) - halves, 0.0)
    return Line(
        group=group,
        rows=len(found),
        mean=float(np.abs(errors).mean()),
        mape=float(np.abs(np.expm1(errors)).mean()),
        median=float(np.median(medians)),
        bias=float(errors.mean()),
        covered=float(np.mean(np.abs(errors) <= halves)),
        width=float(np.median(halves)),
        score=float(np.mean(2 * halves + 20 * beyond)),
    )


_GROUPS: dict[str, Callable[[Run], str]] = {
    "source": lambda run: run.source,
    "chip": lambda run: run.chip,
    "generation": lambda run: generation(run.chip),
    "vendor": lambda run: run.vendor,
    "stack": lambda run: run.stack.name,
    "regime": lambda run: "experts" if run.experts else "dense",
    "task": lambda run: "train" if run.inputs["weight_gradient"] else "adapters",
}


def table(found: Sequence[Judged], by: str) -> list[Line]:
    """A line for all runs and one for each group.

    Args:
        found: Judged errors.
        by: `source`, `chip`, `generation`, `vendor`, `stack`, `regime` or `task`.
    """
    key = _GROUPS[by]
    names = sorted({key(one.case.run) for one in found})
    groups = [line(n, [o for o in found if key(o.case.run) == n]) for n in names]
    return [line("all", found), *groups]


def table_text(lines: Sequence[Line]) -> str:
    """A table in plain text, errors in percent."""
    head = f"{'group':24}{'rows':>6}{'mean':>8}{'mape':>8}{'median':>8}{'bias':>8}"
    head += f"{'inside':>8}{'half':>8}{'score':>8}"
    body = [
        f"{one.group:24}{one.rows:6}{one.mean:8.1%}{one.mape:8.1%}{one.median:8.1%}"
        f"{one.bias:+8.1%}{one.covered:8.0%}{one.width:8.2f}{one.score:8.2f}"
        for one in lines
    ]
    return "\n".join([head, *body])
