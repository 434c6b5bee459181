"""A robust fit of the coefficients on log errors, with priors, and its validation.

Soft-L1 on ln(predicted / measured), rows weighted by the size of their series to
the power -1/4, a log-normal prior on every coefficient: Gauss-Newton with
reweighting. The Jacobian is one broadcast pass with a step of 1% in each
coefficient, wide enough to see past the steps of `floor` and `ceil`.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

import attrs
import numpy as np

from isocost.engine.calibration.inference_arrays import Array, Marks, Places
from isocost.engine.calibration.inference_predict import Stacked, predict, stack
from isocost.engine.calibration.inference_rows import Case, Refused, Row, cases
from isocost.engine.calibration.inference_stacks import COEFFICIENTS

PRIOR = np.array([np.log(each.prior) for each in COEFFICIENTS])
SPREAD = np.array([each.spread for each in COEFFICIENTS])
#: Scale of soft-L1, and of a row's noise against the priors.
SOFT, NOISE = 0.12, 0.15
_STEP = 0.01


@attrs.frozen
class Measurements:
    """Rows that can be predicted, stacked; `row_of` maps cases to rows."""

    rows: tuple[Row, ...]
    groups: tuple[Stacked, ...]
    first_case: tuple[Case, ...]
    row_of: Places
    target: Array
    weight: Array
    tuned: Marks
    refused: tuple[Refused, ...]


def measurements(
    rows: Sequence[Row], models: Mapping[str, Row], hidden: Collection[str] = ()
) -> Measurements:
    """Rows as stacked cases; those that cannot be read are refused with a reason.

    Args:
        rows: Measurements with the columns of the validation tables.
        models: Rows of the table of architectures by model.
        hidden: Names of stacks that are taken as ones that nobody has measured.
    """
    kept: list[Row] = []
    found: list[Case] = []
    owner: list[int] = []
    first: list[Case] = []
    refused: list[Refused] = []
    for row in rows:
        made = cases(row, models, hidden)
        if isinstance(made, Refused):
            refused.append(made)
            continue
        first.append(made[0])
        owner.extend([len(kept)] * len(made))
        found.extend(made)
        kept.append(row)
    sizes: dict[str, int] = defaultdict(int)
    for row in kept:
        sizes[row["series"]] += 1
    return Measurements(
        rows=tuple(kept),
        groups=tuple(stack(found)),
        first_case=tuple(first),
        row_of=np.array(owner, dtype=int),
        target=np.log([float(row["value"]) for row in kept]),
        weight=np.array([sizes[row["series"]] ** -0.25 for row in kept]),
        tuned=np.array([_counts(row) for row in kept], dtype=bool),
        refused=tuple(refused),
    )


def _counts(row: Row) -> bool:
    return row.get("quality", "A") in {"A", "B"} and row.get("from_memory") != "yes"


def errors(data: Measurements, theta: Array) -> Array:
    """ln(predicted / measured) by row; NaN where the model does not fit in memory.

    Of several plans that a row may mean, the one with the highest rate or the
    shortest latency counts.

    Args:
        data: The measurements.
        theta: Logarithms of the coefficients; a leading axis stacks several.
    """
    by_case = predict(data.groups, np.exp(theta), len(data.row_of))
    sign = np.where([c.metric.endswith("_ms") for c in data.first_case], -1.0, 1.0)
    best = np.full((*theta.shape[:-1], len(data.rows)), -np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        signed = np.log(by_case) * sign[data.row_of]
    filled = np.where(np.isnan(signed), -np.inf, signed)
    np.maximum.at(np.moveaxis(best, -1, 0), data.row_of, np.moveaxis(filled, -1, 0))
    return np.where(np.isfinite(best), best * sign, np.nan) - data.target


def fit(
    data: Measurements,
    use: Marks,
    start: Array | None = None,
    rounds: int = 12,
) -> Array:
    """Logarithms of the coefficients that fit the rows that `use` marks.

    Args:
        data: The measurements.
        use: Which rows count, as booleans.
        start: Where to start; the priors if left out.
        rounds: Gauss-Newton steps, at most.
    """
    theta = PRIOR.copy() if start is None else start.copy()
    best, best_cost, damping = theta, _cost(data, theta, use), 1e-3
    for _ in range(rounds):
        step = _newton(data, best, use, damping)
        theta = best + np.clip(step, -0.5, 0.5)
        cost = _cost(data, theta, use)
        if cost < best_cost:
            gain, best, best_cost = best_cost - cost, theta, cost
            damping = max(damping / 5, 1e-4)
            if gain < 1e-4 * best_cost:
                break
        else:
            damping *= 10
    return best


def _cost(data: Measurements, theta: Array, use: Marks) -> float:
    found = errors(data, theta)
    mask = use & np.isfinite(found)
    soft = 2 * SOFT**2 * (np.sqrt(1 + (found[mask] / SOFT) ** 2) - 1)
    prior = ((theta - PRIOR) / SPREAD) ** 2
    return float(np.sum(data.weight[mask] * soft) / NOISE**2 + np.sum(prior))


def _newton(data: Measurements, theta: Array, use: Marks, damping: float) -> Array:
    stacked = np.concatenate([theta[None], theta + _STEP * np.eye(len(theta))])
    found = errors(data, stacked)
    mask = use & np.all(np.isfinite(found), axis=0)
    base, moved = found[0, mask], found[1:, mask]
    jacobian = (moved - base).T / _STEP
    weight = data.weight[mask] / np.sqrt(1 + (base / SOFT) ** 2) / NOISE**2
    normal = (jacobian * weight[:, None]).T @ jacobian + np.diag(SPREAD**-2.0)
    slope = jacobian.T @ (weight * base) + (theta - PRIOR) / SPREAD**2
    damped = normal + damping * np.diag(np.diag(normal))
    return np.asarray(-np.linalg.solve(damped, slope))


def posterior_spread(data: Measurements, theta: Array, use: Marks) -> Array:
    """Standard deviation of each coefficient's log, given rows and priors."""
    stacked = np.concatenate([theta[None], theta + _STEP * np.eye(len(theta))])
    found = errors(data, stacked)
    mask = use & np.all(np.isfinite(found), axis=0)
    jacobian = (found[1:, mask] - found[0, mask]).T / _STEP
    weight = data.weight[mask] / np.sqrt(1 + (found[0, mask] / SOFT) ** 2) / NOISE**2
    normal = (jacobian * weight[:, None]).T @ jacobian + np.diag(SPREAD**-2.0)
    return np.asarray(np.sqrt(np.diag(np.linalg.inv(normal))))


def left_out(
    data: Measurements, key: Callable[[Row], str], start: Array
) -> tuple[Array, Array]:
    """Errors of every row when its fold was not fitted, and the folds.

    Args:
        data: The measurements.
        key: Names the fold of a row (its source, chip, model or series).
        start: Coefficients to start each fold from.
    """
    folds = np.array([key(row) for row in data.rows])
    out = np.full(len(folds), np.nan)
    for fold in sorted(set(folds)):
        inside = folds == fold
        theta = fit(data, data.tuned & ~inside, start, rounds=6)
        out[inside] = errors(data, theta)[inside]
    return out, folds


@attrs.frozen
class Score:
    """Median and mean over series of the series' medians; mean over rows."""

    median: float
    mean: float
    rows: float
    series: int


def score(data: Measurements, found: Array, chosen: Marks | None = None) -> Score:
    """The errors' size as the tables of accuracy state it."""
    by_series: dict[str, list[float]] = defaultdict(list)
    mask = data.tuned & np.isfinite(found)
    if chosen is not None:
        mask &= chosen
    for place in np.flatnonzero(mask):
        by_series[data.rows[place]["series"]].append(abs(found[place]))
    medians = [float(np.median(sizes)) for sizes in by_series.values()]
    return Score(
        float(np.median(medians)),
        float(np.mean(medians)),
        float(np.mean(np.abs(found[mask]))),
        len(medians),
    )
