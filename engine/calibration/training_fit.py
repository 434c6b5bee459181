"""Robust fit of the training coefficients on log error, and folds to test it.

The loss is pseudo-Huber in log error over the spread that a run's class has, plus
the coefficients' log-normal priors; a series counts by the root of its size, so that
a long table from one source does not drown the rest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from isocost.engine.calibration.training_coefficients import COEFFICIENTS, FREE, NAMES
from isocost.engine.calibration.training_model import Array, Batch, predict
from isocost.engine.calibration.training_rows import Run

Coefficients = Mapping[str, float]
#: Log errors beyond these count linearly: dense, with assumptions, with experts.
_SCALES = (0.1, 0.15, 0.2)
_PRIOR = np.array([COEFFICIENTS[name].prior for name in FREE])
_SPREAD = np.array([COEFFICIENTS[name].spread for name in FREE])
_FIXED = {name: COEFFICIENTS[name].prior for name in NAMES if name not in FREE}
_STEP = 1e-4
#: A round that lessens the loss by less is the last.
_GAIN = 1e-6


@attrs.frozen(eq=False)
class Fit:
    """Fitted coefficients with the standard errors of their logarithms."""

    values: Coefficients
    errors: Coefficients
    steps: int


def scale_of(run: Run) -> float:
    """The log error up to which a run counts by its square."""
    plain, assumed, experts = _SCALES
    if run.experts:
        return experts
    return assumed if run.quality == "C" or "layout" in run.assumed else plain


def weights(batch: Batch) -> Array:
    """Weight of each run: the root of its series' trusted size divides it."""
    names = [run.series for run in batch.runs]
    counted = [run.series for run in batch.runs if run.trusted]
    sizes = {name: max(1, counted.count(name)) for name in set(names)}
    raw = np.array([sizes[name] ** -0.5 for name in names])
    trusted = np.array([run.trusted for run in batch.runs], float)
    out: Array = raw * trusted
    out /= out[out > 0].mean()
    return out


def _named(logs: Array) -> Coefficients:
    free = zip(FREE, (_PRIOR * np.exp(logs)).tolist(), strict=True)
    return {**_FIXED, **dict(free)}


def fit(batch: Batch, start: Array | None = None, rounds: int = 30) -> Fit:
    """Fit all coefficients to the trusted runs of a batch.

    Damped Gauss-Newton on the pseudo-Huber loss with finite differences: one pass
    over the runs for each coefficient and round.

    Args:
        batch: The runs.
        start: Logarithms over the priors to begin with.
        rounds: At most as many steps.
    """
    root = np.sqrt(weights(batch))
    scale = np.array([scale_of(run) for run in batch.runs])
    target = np.log(batch.measured)

    def residuals(logs: Array) -> Array:
        errors = (np.log(predict(batch, _named(logs))) - target) / scale
        soft = np.sign(errors) * np.sqrt(2 * (np.sqrt(1 + errors**2) - 1))
        return np.concatenate([soft * root, logs / _SPREAD])

    logs, steps, jacobian = _descend(
        residuals, np.zeros(len(FREE)) if start is None else start, rounds
    )
    covariance = np.linalg.inv(jacobian.T @ jacobian)
    errors = dict(zip(FREE, np.sqrt(np.diag(covariance)).tolist(), strict=True))
    return Fit(_named(logs), errors, steps)


def _slopes(residuals: Callable[[Array], Array], at: Array, here: Array) -> Array:
    columns = []
    for index in range(len(at)):
        moved = at.copy()
        moved[index] += _STEP
        columns.append((residuals(moved) - here) / _STEP)
    return np.stack(columns, axis=1)


def _descend(
    residuals: Callable[[Array], Array], at: Array, rounds: int
) -> tuple[Array, int, Array]:
    """Levenberg-Marquardt; returns the point, the rounds it took, the Jacobian."""
    here = residuals(at)
    damping = 1e-2
    jacobian = _slopes(residuals, at, here)
    for done in range(rounds):
        normal = jacobian.T @ jacobian
        while True:
            curved = normal + damping * np.diag(np.diag(normal))
            step = -np.linalg.solve(curved, jacobian.T @ here)
            there = residuals(at + step)
            if there @ there < here @ here or damping > 1e6:  # noqa: PLR2004 (stuck)
                break
            damping *= 4
        gain = here @ here - there @ there
        if gain <= 0:
            return at, done, jacobian
        at, here, damping = at + step, there, max(damping / 5, 1e-6)
        if gain < _GAIN * (here @ here):
            return at, done + 1, _slopes(residuals, at, here)
        jacobian = _slopes(residuals, at, here)
    return at, rounds, jacobian


def logs_of(values: Coefficients) -> Array:
    """Logarithms of coefficients over their priors, to start a fit from."""
    found = np.array([values[name] for name in FREE])
    out: Array = np.log(found / _PRIOR)
    return out


def log_errors(batch: Batch, values: Coefficients) -> Array:
    """ln(predicted / measured) of each run."""
    out: Array = np.log(predict(batch, values) / batch.measured)
    return out


def folds(
    batch: Batch, key: Callable[[Run], str], least: int = 1
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Groups to leave out in turn.

    Args:
        batch: The runs.
        key: Names a run's group.
        least: Smaller groups are not left out on their own.
    """
    names = [key(run) for run in batch.runs]
    for name in sorted(set(names)):
        if names.count(name) >= least:
            yield name, np.array([found == name for found in names])


def left_out(
    batch: Batch,
    groups: Sequence[tuple[str, NDArray[np.bool_]]],
    start: Coefficients,
) -> Array:
    """Log errors of runs whose group no coefficient has seen; NaN outside all groups.

    Args:
        batch: The runs.
        groups: Names and members, disjoint.
        start: Coefficients to begin each fit with (which a few rounds forget).
    """
    out = np.full(len(batch.runs), np.nan)
    for _, members in groups:
        found = fit(batch.take(~members), logs_of(start), rounds=8)
        out[members] = log_errors(batch.take(members), found.values)
    return out
