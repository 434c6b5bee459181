"""Densities of the draws, mirrored, with median and interval."""

import math
from collections.abc import Sequence

import attrs

from isocost.reports.charts.plot import (
    INK,
    Area,
    Axis,
    Dot,
    Label,
    Line,
    Mark,
    Plot,
    Tick,
    series,
    tint,
)
from isocost.reports.charts.scale import nice_range
from isocost.reports.charts.scene import Scene, lays_out


@attrs.frozen
class Shape:
    """One row: a density on a grid (any scale), and the quantiles."""

    name: str
    xs: tuple[float, ...]
    density: tuple[float, ...]
    low: float
    median: float
    high: float
    text: str = ""


@attrs.frozen
class Violin(Scene):
    """Distributions of one quantity for several options."""

    rows: tuple[Shape, ...]
    title: str
    money: str = ""


def shape_of(
    name: str, draws: Sequence[float], text: str = "", points: int = 96
) -> Shape:
    """A row from draws: a smoothed histogram and its quantiles.

    Args:
        name: the row's name.
        draws: the values, in any order.
        text: what stands at the row's end.
        points: the resolution of the density.
    """
    values = sorted(draws)
    count = len(values)

    def quantile(q: float) -> float:
        at = q * (count - 1)
        i = min(int(at), count - 2) if count > 1 else 0
        rest = at - i
        return values[i] * (1 - rest) + values[min(i + 1, count - 1)] * rest

    # The tails past 0.5% only stretch the picture.
    low, high = quantile(0.005), quantile(0.995)
    spread = (quantile(0.75) - quantile(0.25)) / 1.34 or (high - low) / 4 or 1.0
    width = 0.9 * spread * count**-0.2
    first, last = low - 2 * width, high + 2 * width
    step = (last - first) / (points - 1)
    bins = [0.0] * points
    for value in values:
        at = round((value - first) / step)
        if 0 <= at < points:
            bins[at] += 1.0
    reach = max(int(3 * width / step), 1)
    kernel = [
        math.exp(-0.5 * (k * step / width) ** 2) for k in range(-reach, reach + 1)
    ]
    density = tuple(
        sum(
            kernel[k + reach] * bins[i + k]
            for k in range(-reach, reach + 1)
            if 0 <= i + k < points
        )
        for i in range(points)
    )
    xs = tuple(first + i * step for i in range(points))
    return Shape(name, xs, density, quantile(0.05), quantile(0.5), quantile(0.95), text)


@lays_out(Violin)
def plot(scene: Violin) -> Plot:
    """Lay out one mirrored density a row, each as high as the others."""
    low = min(min(r.xs) for r in scene.rows)
    high = max(max(r.xs) for r in scene.rows)
    low = 0.0 if 0 < low < (high - low) * 0.8 else low
    if all(r.low >= 0 for r in scene.rows):
        low = max(low, 0.0)
    low, high = nice_range(low, high, 6)
    marks: list[Mark] = []
    for i, row in enumerate(scene.rows):
        marks += _row(row, i + 0.5, series(i))
    ticks = tuple(Tick(i + 0.5, r.name) for i, r in enumerate(scene.rows))
    return Plot(
        scene.width,
        scene.height or len(scene.rows) * 42 + 34,
        Axis(low, high, scene.title, money=scene.money),
        Axis(0, len(scene.rows), band=True, ticks=ticks, grid=False),
        tuple(marks),
        down=True,
    )


def _row(row: Shape, at: float, colour: str) -> list[Mark]:
    """One density, its interval as a bar, its median as a ring."""
    top = max(row.density) or 1.0
    kept = [
        (x, 0.4 * d / top)
        for x, d in zip(row.xs, row.density, strict=True)
        if d > top * 0.004
    ]
    upper = [(x, at - d) for x, d in kept]
    outline = tuple(upper + [(x, at + d) for x, d in reversed(kept)])
    marks: list[Mark] = [
        Area(outline, tint(colour, 0.3)),
        Line((*outline, outline[0]), colour, 0.8),
        Line(((row.low, at), (row.high, at)), INK, 2.4),
        Dot(row.median, at, INK, 2.8, hollow=True),
    ]
    if row.text:
        marks.append(
            Label(row.high, at, row.text, 6, 12, "left", 6.8, 500, INK, priority=4)
        )
    return marks
