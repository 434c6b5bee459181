"""Intervals of predictions: what the coefficients leave open, and what the model does.

The variance of ln(predicted) is that of the coefficients, each with its own spread,
carried through the Jacobian, plus a residual for the regime, plus one for what was
never measured (a stack, a vendor). Residuals are set so that 90% of rows that were
left out lie inside; the coverage stated is nested: a fold is judged by residuals
that were set without it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from isocost.engine.calibration.inference_arrays import Array, Marks
from isocost.engine.calibration.inference_chips import Chip
from isocost.engine.calibration.inference_fit import (
    SPREAD,
    Measurements,
    errors,
    fit,
    posterior_spread,
)
from isocost.engine.calibration.inference_predict import running_batch
from isocost.engine.calibration.inference_predict import stack as stack_cases
from isocost.engine.calibration.inference_rows import Case, Row
from isocost.engine.calibration.inference_stacks import Stack
from isocost.engine.formulas.validity_range import SLACK

#: Half-width of a 90% interval of a normal variable, in standard deviations.
NORMAL_90 = 1.6449
_STEP = 0.01
#: Residual of the log where nothing was measured: a stack, and a vendor's chips. Rows
#: of stacks hidden from the fit are 8% off in the median and up to 50%, Neuron from
#: GPUs alone 32% (docs: accuracy, never measured); these hold nine tenths of each.
UNSEEN_STACK, UNSEEN_VENDOR, GUESSED_POWER = 0.20, 0.25, 0.10
#: The same for models of experts, whose kernels differ more between frameworks.
UNSEEN_STACK_EXPERTS = 0.35
#: The same where a handful of rows was measured.
FEW_ROWS = 0.15
#: The same past the layouts of the rows: wider expert parallelism, longer pipelines
#: (of which the few that were measured ran a third to a half slower than predicted).
WIDER_EP, LONGER_PIPELINE = 0.20, 0.25
#: The same past twice the batches of a chip that its stack was measured at: as if the
#: stack had not been measured at all.
FAR_BATCH = UNSEEN_STACK
#: The same for what a row leaves open and a rule fills in.
ASSUMED = 0.15
#: Ranks of the widest expert parallelism that was fitted, and stages of the longest
#: pipelines that were predicted well.
WIDEST_EP, LONGEST_PP = 72, 4


def regime(case: Case) -> str:
    """The class of cases that share a residual.

    First tokens on chips of a vendor that nobody has measured are as erratic as on
    those of the one other vendor that was: GPUs say nothing of their prompt kernels.
    """
    if case.metric == "ttft_ms":
        return "ttft" if case.chip.vendor == "nvidia" else "ttft_neuron"
    return "experts" if case.experts else "dense"


def unseen(stack: Stack, chip: Chip, *, experts: bool) -> float:
    """Variance of the log for what no measurement has covered."""
    seen_vendor = chip.vendor in {"nvidia", "aws"}
    other = UNSEEN_STACK_EXPERTS if experts else UNSEEN_STACK
    out = 0.0 if stack.measured else other**2
    out += FEW_ROWS**2 if stack.thin else 0.0
    out += 0.0 if seen_vendor else UNSEEN_VENDOR**2
    return out + (GUESSED_POWER**2 if chip.guessed and not seen_vendor else 0.0)


def novelty(case: Case) -> float:
    """Variance of the log for what no measurement has covered of a case."""
    out = unseen(case.stack, case.chip, experts=case.experts)
    out += ASSUMED**2 if case.notes else 0.0
    out += WIDER_EP**2 if case.experts and case.numbers["ep"] > WIDEST_EP else 0.0
    return out + (LONGER_PIPELINE**2 if case.numbers["pp"] > LONGEST_PP else 0.0)


def coefficient_variance(data: Measurements, theta: Array, spread: Array) -> Array:
    """Variance of each row's log from the coefficients' own spreads."""
    stacked = np.concatenate([theta[None], theta + _STEP * np.eye(len(theta))])
    found = errors(data, stacked)
    jacobian = (found[1:] - found[0]) / _STEP
    capped = np.clip(np.nan_to_num(jacobian), -2, 2)
    return np.asarray(np.sum((capped * spread[:, None]) ** 2, axis=0))


@attrs.frozen
class LeftOut:
    """Errors of rows whose fold was not fitted, and the variance expected of them."""

    errors: Array
    variance: Array
    folds: Any


def leave_out(data: Measurements, key: Callable[[Row], str], start: Array) -> LeftOut:
    """Fit without each fold in turn and predict it.

    Args:
        data: The measurements.
        key: Names the fold of a row.
        start: Coefficients to start each fold from.
    """
    folds = np.array([key(row) for row in data.rows])
    found, variance = np.full((2, len(folds)), np.nan)
    for fold in sorted(set(folds)):
        inside = folds == fold
        use = data.tuned & ~inside
        theta = fit(data, use, start, rounds=6)
        spread = np.minimum(posterior_spread(data, theta, use), SPREAD)
        found[inside] = errors(data, theta)[inside]
        variance[inside] = coefficient_variance(data, theta, spread)[inside]
    return LeftOut(found, variance, folds)


def coverage_level(rows: int, share: float = 0.9) -> float:
    """The quantile of so many errors that the next one stays below with a chance.

    Source: split conformal prediction, Vovk, Gammerman & Shafer 2005; Lei et al. 2018.

    Args:
        rows: How many errors there are; exchangeable with the next.
        share: The chance, 1.
    """
    return min(1.0, share * (rows + 1) / rows)


def residuals(data: Measurements, out: LeftOut, use: Marks) -> dict[str, float]:
    """The residual of each regime that puts 90% of the next rows inside.

    Args:
        data: The measurements.
        out: Rows that were left out.
        use: Which rows count.
    """
    kinds = np.array([regime(case) for case in data.first_case])
    extra = np.array([novelty(case) for case in data.first_case])
    fine = use & data.tuned & np.isfinite(out.errors)
    made: dict[str, float] = {}
    for kind in sorted(set(kinds)):
        chosen = fine & (kinds == kind)
        if not chosen.any():
            continue
        squares = (np.abs(out.errors[chosen]) / NORMAL_90) ** 2
        needed = squares - out.variance[chosen] - extra[chosen]
        level = coverage_level(len(needed))
        made[kind] = float(np.sqrt(max(np.quantile(needed, level), 0.03**2)))
    return made


def sequences(data: Measurements, theta: Array) -> Array:
    """Sequences of a chip in each row.

    Args:
        data: The measurements.
        theta: Logarithms of the coefficients, for batches that rows leave open.
    """
    batches = np.full(len(data.first_case), np.nan)
    for group in stack_cases(data.first_case):
        batches[group.where.astype(int)] = running_batch(group, np.exp(theta))
    chips = [c.numbers["ranks"] * c.numbers["rank_chips"] for c in data.first_case]
    return np.asarray(batches / np.array(chips))


def crowding(data: Measurements, theta: Array) -> Array:
    """The stated batch of each row over the one that its memory holds, at least 1."""
    chips = [c.numbers["ranks"] * c.numbers["rank_chips"] for c in data.first_case]
    stated = np.array([case.numbers["batch"] for case in data.first_case])
    running = sequences(data, theta) * np.array(chips)
    running = np.where(running > 0, running, np.inf)  # 0: its metric has no batch
    return np.asarray(np.maximum(stated / running, 1.0))


def far_from(
    data: Measurements, theta: Array, known: Mapping[str, tuple[float, float]]
) -> Marks:
    """Which rows have a batch far from all that their stack was measured at.

    Args:
        data: The measurements.
        theta: Logarithms of the coefficients.
        known: Least and most sequences of a chip by the name of a measured stack.
    """
    anything = (0.0, np.inf)
    names = [case.stack.name for case in data.first_case]
    ends = np.array([known.get(name, anything) for name in names])
    found = sequences(data, theta)
    below = (found > 0) & (found * SLACK < ends[:, 0])  # 0: its metric has no batch
    return np.asarray(below | (found > ends[:, 1] * SLACK))


def half_widths(
    data: Measurements,
    variance: Array,
    known: dict[str, float],
    far: Marks | None = None,
) -> Array:
    """Half the 90% interval of each row's log; `far` rows are in further doubt."""
    widest = max(known.values())
    residual = np.array([known.get(regime(case), widest) for case in data.first_case])
    extra = np.array([novelty(case) for case in data.first_case])
    if far is not None:
        extra = extra + far * FAR_BATCH**2
    return np.asarray(NORMAL_90 * np.sqrt(variance + residual**2 + extra))


@attrs.frozen
class Coverage:
    """Share of left-out rows inside their interval, and its median half-width."""

    share: float
    half_width: float
    score: float
    rows: int


def nested_coverage(
    data: Measurements, out: LeftOut, chosen: Marks | None = None
) -> Coverage:
    """Coverage of intervals whose residuals were set without the row's own fold."""
    inside = np.zeros(len(out.errors), dtype=bool)
    widths = np.full(len(out.errors), np.nan)
    for fold in sorted(set(out.folds)):
        mine = out.folds == fold
        known = residuals(data, out, ~mine)
        widths[mine] = half_widths(data, out.variance, known)[mine]
    fine = data.tuned & np.isfinite(out.errors)
    if chosen is not None:
        fine &= chosen
    inside = np.abs(out.errors) <= widths
    miss = np.maximum(np.abs(out.errors) - widths, 0)
    interval_score = 2 * widths + (2 / 0.1) * miss
    return Coverage(
        float(np.mean(inside[fine])),
        float(np.median(widths[fine])),
        float(np.mean(interval_score[fine])),
        int(fine.sum()),
    )


def official_folds(rows: Sequence[Row], cases: Sequence[Case]) -> dict[str, str]:
    """The fold of each row: its source where its stack has two or more, else its model.

    Returns:
        Folds by row id.
    """
    sources: dict[str, set[str]] = {}
    for row, case in zip(rows, cases, strict=True):
        sources.setdefault(case.stack.name, set()).add(row["source_id"])
    return {
        row["row_id"]: (
            f"source {row['source_id']}"
            if len(sources[case.stack.name]) > 1
            else f"{case.stack.name} {row['model']}"
        )
        for row, case in zip(rows, cases, strict=True)
    }
