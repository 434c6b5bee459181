"""Fits the coefficients of collective libraries, and says how far off they are.

Every coefficient has a physical meaning and a log-normal prior; a fabric generation
has one factor on all latencies. The loss is soft-L1 in ln(predicted / measured), and
rows of long series weigh a little less each. Folds leave out a chip, a source or a
fabric generation; intervals are taken from left-out errors alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs
import numpy as np

from isocost.engine.calibration.collective_predict import Predictor
from isocost.engine.calibration.collective_rows import RATES, Row, many_nodes
from isocost.engine.calibration.inference_arrays import Array
from isocost.engine.topology.fabrics import FABRICS, Coefficients

#: Prior median and standard deviation of the logarithm.
PRIORS: dict[str, tuple[float, float]] = {
    "launch": (8e-6, 0.5),
    "latency": (1e-6, 0.5),
    "reduction_latency": (20e-6, 0.5),
    "efficiency": (0.85, 0.15),
    "own": (0.1, 0.7),
    "exchange": (0.75, 0.2),
    "reduction": (0.7, 0.2),
    "cross": (1.4, 0.4),
    "damping": (0.4, 0.6),
    "exposed": (0.3, 0.4),
    "across_latency": (60e-6, 0.6),
    "across_efficiency": (0.87, 0.1),
    "pcie": (0.9, 0.3),
    "crowding": (3.2, 0.6),
    "host_crowding": (20.0, 1.0),
    **{f"speed_{name}": (1.0, 0.3) for name in ("nvlink3", "nvlink4", "nvlink5")},
    "speed_pcie": (1.0, 0.4),
}
#: Scale of the loss: errors below it count as noise.
NOISE = 0.12
#: Share of rows that an interval is to hold.
HELD = 0.9
Free = dict[str, float]


def coefficients(free: Mapping[str, float], fabric: str) -> Coefficients:
    """The coefficients of a fabric from what is fitted.

    A generation that no row showed keeps the prior factor of 1.
    """
    on_pcie = fabric.startswith("pcie")
    speed = free.get("speed_pcie" if on_pcie else f"speed_{fabric}", 1.0)
    share = free["pcie"] if on_pcie else 1.0
    crowding = {"pcie4_host": free["host_crowding"]}.get(fabric, free["crowding"])
    return Coefficients(
        launch=free["launch"] * speed,
        latency=free["latency"] * speed,
        reduction_latency=free["reduction_latency"] * speed,
        efficiency=free["efficiency"] * share,
        own=free["own"],
        exchange=free["exchange"] * share,
        reduction=free["reduction"],
        crowding=crowding if on_pcie else 1.0,
        cross=free["cross"],
        damping=free["damping"],
        overlap=1 - free["exposed"],
        across_latency=free["across_latency"],
        across_efficiency=free["across_efficiency"],
        spread=float("nan"),
        across_spread=float("nan"),
    )


def predicted(rows: Sequence[Row], free: Mapping[str, float]) -> Array:
    """The times of rows from fitted values."""
    times: Array = Predictor(rows).times(_by_fabric(free))
    return times


def _by_fabric(free: Mapping[str, float]) -> dict[str, dict[str, float]]:
    return {fabric: coefficients(free, fabric).needs() for fabric in RATES}


def fit(rows: Sequence[Row]) -> Free:
    """The most likely values of `PRIORS` on rows."""
    from scipy.optimize import least_squares

    names = list(PRIORS)
    middle = np.log([PRIORS[name][0] for name in names])
    width = np.array([PRIORS[name][1] for name in names])
    predictor = Predictor(rows)
    measured = np.log([row.time for row in rows])
    series = [row.series for row in rows]
    weight = np.array([series.count(name) ** -0.25 for name in series])

    def residuals(z: Array) -> Array:
        free = dict(zip(names, np.exp(middle + width * z), strict=True))
        times = predictor.times(_by_fabric(free))
        error: Array = (np.log(times) - measured) / NOISE
        soft = np.sign(error) * np.sqrt(2 * (np.sqrt(1 + error * error) - 1))
        return np.concatenate([weight * soft, z])

    found = least_squares(residuals, np.zeros(len(names)), max_nfev=60)
    values = np.exp(middle + width * found.x)
    return {name: float(v) for name, v in zip(names, values, strict=True)}


def errors(rows: Sequence[Row], free: Mapping[str, float]) -> Array:
    """ln(predicted / measured) of rows."""
    measured = np.array([row.time for row in rows])
    error: Array = np.log(predicted(rows, free) / measured)
    return error


def left_out(rows: Sequence[Row], fold: Callable[[Row], str]) -> Array:
    """The error of each row from a fit to the rows of all other folds.

    Args:
        rows: All rows.
        fold: What a row is left out with: its chip, its source, its fabric.
    """
    out = np.empty(len(rows))
    for name in sorted({fold(row) for row in rows}):
        inside = [index for index, row in enumerate(rows) if fold(row) == name]
        free = fit([row for row in rows if fold(row) != name])
        out[inside] = errors([rows[index] for index in inside], free)
    return out


@attrs.frozen
class Accuracy:
    """Errors over rows: median and mean size, and the median over series' medians."""

    median: float
    mean: float
    by_series: float
    rows: int


def accuracy(rows: Sequence[Row], error: Iterable[float]) -> Accuracy:
    """How far off predictions are."""
    size = np.abs(np.fromiter(error, float, len(rows)))
    series: dict[str, list[float]] = {}
    for row, value in zip(rows, size, strict=True):
        series.setdefault(row.series, []).append(float(value))
    middle = float(np.median([np.median(found) for found in series.values()]))
    return Accuracy(float(np.median(size)), float(np.mean(size)), middle, len(rows))


def half_width(error: Iterable[float]) -> float:
    """The half width in ln(time) that holds 90% of errors."""
    return float(np.quantile(np.abs(np.array(list(error))), HELD))


def shipped_widths(rows: Sequence[Row]) -> Array:
    """The half widths in ln(time) with which predictions of rows ship.

    Across nodes the doubt of a step adds to that of the whole, which short messages
    feel.
    """
    predictor = Predictor(rows)
    times, later = (
        predictor.times(
            {
                name: _later(found, slower).needs()
                for name, found in FABRICS.items()
                if name in RATES
            }
        )
        for slower in (0, 1)
    )
    own = [
        FABRICS[row.fabric].across_spread
        if row.nodes > 1
        else FABRICS[row.fabric].spread
        for row in rows
    ]
    out: Array = np.hypot(own, np.log(later / times))
    return out


def _later(found: Coefficients, slower: float) -> Coefficients:
    """With a step across domains `slower` half widths longer."""
    step = found.across_latency * float(np.exp(slower * found.latency_spread))
    return attrs.evolve(found, across_latency=step)


def nested_widths(
    rows: Sequence[Row], error: Array, fold: Callable[[Row], str]
) -> Array:
    """Half width of each row's interval, as the errors of the other folds give it."""
    out = np.empty(len(rows))
    for name in {fold(row) for row in rows}:
        inside = np.array([fold(row) == name for row in rows])
        out[inside] = half_width(error[~inside])
    return out


def across_errors(rows: Sequence[Row], kept: Callable[[Row], bool]) -> Array:
    """Errors across nodes of rows that a fit without them gives.

    Args:
        rows: All rows.
        kept: Which rows across nodes the fit may see; the others are predicted.
    """
    hidden = [row for row in many_nodes(rows) if not kept(row)]
    free = fit([row for row in rows if row.nodes == 1 or kept(row)])
    return errors(hidden, free)
