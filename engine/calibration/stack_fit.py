"""A robust fit of one stack's figures, and what it can and cannot tell.

A figure that the stack states as an interval is free, its interval the prior; one
that it states as a point is held. The loss is pseudo-Huber in log error. Steps are
damped Gauss-Newton in the logarithm of a figure (the logit of a share), cut at the
attribute's bounds.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import attrs
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Marks = NDArray[np.bool_]
_Z = 1.6448536269514722
#: The log error up to which a row counts by its square.
SCALE = 0.12
#: Correlations and shares of the prior from which figures count as not told apart.
_TOGETHER, _UNMOVED = 0.9, 0.9
#: No stack is trusted closer than this.
_LEAST = 0.05


@attrs.frozen
class Figure:
    """One free figure: its path, prior median and spread, and its bounds.

    `spread` is the standard deviation of the logarithm, of the logit for a share.
    """

    path: str
    median: float
    spread: float
    share: bool = False
    low: float = 0.0
    high: float = math.inf

    def to_line(self, value: float) -> float:
        """A value on the line on which steps are taken."""
        return math.log(value / (1 - value)) if self.share else math.log(value)

    def from_line(self, place: float) -> float:
        """The value at a place of the line, cut at the bounds."""
        value = 1 / (1 + math.exp(-place)) if self.share else math.exp(place)
        return min(max(value, self.low), self.high)

    def rate(self, value: float) -> float:
        """How fast the value moves along the line."""
        return value * (1 - value) if self.share else value


class Rows(Protocol):
    """Rows to fit: log errors and their slopes by figure, at some values."""

    @property
    def figures(self) -> Sequence[Figure]:
        """The figures that are free."""
        ...

    @property
    def weights(self) -> Array:
        """How much each row counts."""
        ...

    def errors(self, values: Sequence[float]) -> tuple[Array, Array]:
        """ln(predicted / measured), and its derivatives by value, a column each."""
        ...


@attrs.frozen(eq=False)
class Fitted:
    """Values in the order of the figures, their covariance on the line, the rounds."""

    values: tuple[float, ...]
    covariance: Array
    rounds: int

    @property
    def spreads(self) -> Array:
        """Standard errors on the line."""
        out: Array = np.sqrt(np.diag(self.covariance))
        return out


def _state(
    rows: Rows, places: Array, use: Marks
) -> tuple[float, Array, Array, list[float]]:
    """Loss, gradient and curvature at a place of the line."""
    figures = rows.figures
    values = [f.from_line(u) for f, u in zip(figures, places, strict=True)]
    errors, slopes = rows.errors(values)
    rates = np.array([f.rate(v) for f, v in zip(figures, values, strict=True)])
    jacobian, off = slopes[use] * rates, errors[use] / SCALE
    weight = rows.weights[use]
    root = np.sqrt(1 + off**2)
    prior = np.array([f.to_line(f.median) for f in figures])
    spread = np.array([f.spread for f in figures])
    away = (places - prior) / spread
    loss = float(np.sum(weight * 2 * (root - 1)) + away @ away)
    pull = weight / root / SCALE
    gradient = jacobian.T @ (pull * off) + away / spread
    curvature = (jacobian * (pull / SCALE)[:, None]).T @ jacobian
    return loss, gradient, curvature + np.diag(spread**-2.0), values


def fit(rows: Rows, use: Marks | None = None, rounds: int = 40) -> Fitted:
    """The figures that fit the rows best.

    Args:
        rows: The rows.
        use: Which of them count; all if left out.
        rounds: At most as many steps.
    """
    chosen = np.ones(len(rows.weights), bool) if use is None else use
    places = np.array([f.to_line(f.median) for f in rows.figures])
    loss, gradient, curvature, values = _state(rows, places, chosen)
    damping, done = 1e-3, 0
    for done in range(1, rounds + 1):  # noqa: B007 (the count is kept)
        ridge = damping * np.diag(np.diag(curvature))
        step = np.clip(-np.linalg.solve(curvature + ridge, gradient), -1.0, 1.0)
        there = _state(rows, places + step, chosen)
        if not there[0] < loss:
            damping *= 10
            if damping > 1e8:  # noqa: PLR2004 (stuck)
                break
            continue
        gain, places = loss - there[0], places + step
        loss, gradient, curvature, values = there
        damping = max(damping / 5, 1e-6)
        if gain < 1e-7 * loss:
            break
    covariance: Array = np.asarray(np.linalg.inv(curvature), float)
    return Fitted(tuple(values), covariance, done)


def held_out(
    rows: Rows, names: Sequence[str], rounds: int = 12
) -> tuple[Array, list[str]]:
    """Log errors of each row when its group was left out, and the groups.

    Args:
        rows: The rows.
        names: The group of each row.
        rounds: Steps of each fit.
    """
    groups = np.array(names)
    kinds = sorted(set(names))
    out = np.full(len(groups), np.nan)
    if len(kinds) > 1:
        for kind in kinds:
            inside = groups == kind
            found = fit(rows, ~inside, rounds)
            out[inside] = rows.errors(found.values)[0][inside]
    return out, kinds


def folds(rows: Sequence[Mapping[str, str]]) -> tuple[str, list[str]]:
    """Groups to leave out: by source where there are two, else series, else model."""
    for name, column in (
        ("source", "source_id"),
        ("series", "series"),
        ("model", "model"),
    ):
        found = [row.get(column, "") for row in rows]
        if len(set(found)) > 1:
            return name, found
    return "row", [str(index) for index in range(len(rows))]


def half_width(errors: Array, names: Sequence[str]) -> float:
    """Half-width that holds 90% of errors, each group counting alike."""
    sizes = np.abs(errors)
    share = np.array([1.0 / list(names).count(name) for name in names])
    order = np.argsort(sizes)
    reached = np.cumsum(share[order]) / share.sum()
    place = min(int(np.searchsorted(reached, 0.9)), len(sizes) - 1)
    return max(_LEAST, float(sizes[order][place]))


def residual(rows: Rows, found: Fitted, half: float) -> float:
    """What is left of a half-width beside the doubt of the figures."""
    _, slopes = rows.errors(found.values)
    pairs = zip(rows.figures, found.values, strict=True)
    jacobian = slopes * np.array([f.rate(v) for f, v in pairs])
    variance = np.einsum("ij,jk,ik->i", jacobian, found.covariance, jacobian)
    own = _Z * float(np.median(np.sqrt(variance)))
    return math.sqrt(max(half**2 - own**2, _LEAST**2))


def untold(rows: Rows, found: Fitted) -> tuple[list[str], list[tuple[str, str, float]]]:
    """What the rows cannot tell: figures left at their prior, pairs that move as one.

    Returns:
        Paths of figures whose standard error is that of the prior, and pairs of paths
        with their correlation.
    """
    paths = [f.path for f in rows.figures]
    prior = np.array([f.spread for f in rows.figures])
    spreads = found.spreads
    still = [
        p for p, s, q in zip(paths, spreads, prior, strict=True) if s > _UNMOVED * q
    ]
    tied = found.covariance / np.outer(spreads, spreads)
    pairs = [
        (paths[i], paths[j], float(tied[i, j]))
        for i in range(len(paths))
        for j in range(i)
        if abs(tied[i, j]) > _TOGETHER
    ]
    return still, pairs
