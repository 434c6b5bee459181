"""Latency against throughput, with the configurations that nothing beats."""

from typing import Literal

import attrs

from isocost.reports.charts.plot import (
    MUTED,
    Axis,
    Dot,
    Key,
    Label,
    Line,
    Mark,
    Plot,
    series,
    tint,
)
from isocost.reports.charts.scale import log_range, nice_range
from isocost.reports.charts.scene import Scene, lays_out

SHAPES: tuple[Literal["circle", "square", "diamond", "triangle"], ...] = (
    "circle", "square", "diamond", "triangle",
)  # fmt: skip


@attrs.frozen
class Spot:
    """One configuration; only those with a `label` are named."""

    x: float
    y: float
    label: str = ""


@attrs.frozen
class Option:
    """All configurations of one platform."""

    name: str
    spots: tuple[Spot, ...]


@attrs.frozen
class Limit:
    """A vertical line that must not be passed: an SLO."""

    x: float
    label: str


@attrs.frozen
class Frontier(Scene):
    """Configurations of several platforms and the front of each.

    Args:
        options: the platforms, in the order of the series.
        x_title, y_title: what is measured, with its unit.
        x_better, y_better: which way is better on each axis.
        limits: service levels, as vertical lines.
    """

    options: tuple[Option, ...]
    x_title: str
    y_title: str
    x_better: Literal["low", "high"] = "low"
    y_better: Literal["low", "high"] = "high"
    x_log: bool = False
    y_log: bool = False
    limits: tuple[Limit, ...] = ()


def front(spots: tuple[Spot, ...], x_better: str, y_better: str) -> tuple[Spot, ...]:
    """The spots that no other beats on both axes, from left to right."""
    sx = 1 if x_better == "low" else -1
    sy = 1 if y_better == "low" else -1
    best: list[Spot] = []
    for spot in sorted(spots, key=lambda s: (sx * s.x, sy * s.y)):
        if not best or sy * spot.y < sy * best[-1].y:
            best.append(spot)
    return tuple(sorted(best, key=lambda s: s.x))


@lays_out(Frontier)
def plot(scene: Frontier) -> Plot:
    """Lay out the fronts: dominated spots pale, the front in full colour."""
    xs = [s.x for o in scene.options for s in o.spots] + [k.x for k in scene.limits]
    ys = [s.y for o in scene.options for s in o.spots]
    x = _axis(xs, scene.x_title, log=scene.x_log)
    y = _axis(ys, scene.y_title, log=scene.y_log)
    marks: list[Mark] = []
    for limit in scene.limits:
        marks.append(Line(((limit.x, y.low), (limit.x, y.high)), MUTED, 0.8, (2.5, 2)))
        marks.append(
            Label(
                limit.x, y.high, limit.label, 3, -5, "left", 6.6, 400, MUTED, priority=1
            )
        )
    tops: list[Mark] = []
    for i, option in enumerate(scene.options):
        best = front(option.spots, scene.x_better, scene.y_better)
        pale = tint(series(i), 0.32)
        marks += [Dot(s.x, s.y, pale, 1.5) for s in option.spots if s not in best]
        tops.append(Line(tuple((s.x, s.y) for s in best), series(i), 1.3))
        tops += [Dot(s.x, s.y, series(i), 2.6, SHAPES[i % 4]) for s in best]
        tops += [
            Label(
                s.x,
                s.y,
                s.label,
                5,
                5,
                "left",
                6.8,
                500,
                series(i),
                priority=4,
                backing=True,
            )
            for s in option.spots
            if s.label
        ]
    keys = tuple(Key(o.name, series(i), "line") for i, o in enumerate(scene.options))
    return Plot(
        scene.width, scene.height or scene.width * 0.5, x, y, (*marks, *tops), keys
    )


def _axis(values: list[float], title: str, *, log: bool) -> Axis:
    """An axis that holds `values`: from zero unless logarithmic."""
    if log:
        low, high = log_range(min(values) * 0.9, max(values) * 1.1)
    else:
        low, high = nice_range(min(0.0, *values), max(values) * 1.03)
    return Axis(low, high, title, log=log)
