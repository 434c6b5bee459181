"""Points with their 90% intervals, one row an option."""

import attrs

from isocost.reports.charts.metrics import text_width
from isocost.reports.charts.plot import (
    INK,
    MUTED,
    Axis,
    Dot,
    Key,
    Label,
    Line,
    Mark,
    Plot,
    Tick,
    series,
)
from isocost.reports.charts.scale import log_range, nice_range
from isocost.reports.charts.scene import Scene, lays_out


@attrs.frozen
class Estimate:
    """One row: the point value, its interval, and what the row says at its end.

    `group` puts rows into series; `measured` is drawn hollow beside the estimate.
    """

    name: str
    value: float
    low: float
    high: float
    text: str = ""
    group: int = 0
    measured: float | None = None


@attrs.frozen
class Intervals(Scene):
    """Estimates side by side.

    Args:
        rows: top to bottom.
        title: what is measured, with its unit.
        groups: names of the series, for the legend.
        marker: a vertical line to compare with, and its label.
    """

    rows: tuple[Estimate, ...]
    title: str
    groups: tuple[str, ...] = ()
    marker: tuple[float, str] | None = None
    log: bool = False
    money: str = ""


@lays_out(Intervals)
def plot(scene: Intervals) -> Plot:
    """Lay out the rows on one axis."""
    ends = [
        v
        for r in scene.rows
        for v in (r.low, r.high, r.value, r.measured)
        if v is not None
    ]
    if scene.marker:
        ends.append(scene.marker[0])
    if scene.log:
        low, high = log_range(min(ends) * 0.95, max(ends) * 1.05)
    else:
        span = max(ends) - min(ends)
        zero = 0.0 if 0 <= min(ends) < span * 1.5 else min(ends) - 0.05 * span
        low, high = nice_range(zero, max(ends) + 0.02 * span)
    count = len(scene.rows)
    marks: list[Mark] = []
    if scene.marker:
        at, text = scene.marker
        marks.append(Line(((at, 0), (at, count)), MUTED, 0.8, (2.5, 2)))
        marks.append(Label(at, 0, text, 3, 2, "left", 6.6, 400, MUTED, priority=1))
    for i, row in enumerate(scene.rows):
        marks += _row(row, i + 0.5)
    keys = tuple(Key(g, series(i), "dot") for i, g in enumerate(scene.groups))
    if any(r.measured is not None for r in scene.rows):
        keys += (Key("measured", INK, "hollow"),)
    right = max((text_width(r.text, 7, 500) for r in scene.rows), default=0) + 12
    return Plot(
        scene.width,
        scene.height or count * 17 + 52 + (12 if scene.marker else 0),
        Axis(low, high, scene.title, log=scene.log, money=scene.money),
        Axis(
            -0.55 if scene.marker else 0, count, band=True, grid=False,
            ticks=tuple(Tick(i + 0.5, r.name) for i, r in enumerate(scene.rows)),
        ),
        tuple(marks),
        keys,
        down=True,
        right=right,
    )  # fmt: skip


def _row(row: Estimate, at: float) -> list[Mark]:
    """One estimate: a bar from end to end, the point, the words."""
    colour = series(row.group)
    marks: list[Mark] = [
        Line(((row.low, at), (row.high, at)), colour, 1.6),
        *(
            Line(((v, at - 0.17), (v, at + 0.17)), colour, 1.0)
            for v in (row.low, row.high)
        ),
        Dot(row.value, at, colour, 3.0),
    ]
    if row.measured is not None:
        marks.append(Dot(row.measured, at, INK, 2.6, hollow=True))
    if row.text:
        marks.append(Label(row.value, at, row.text, weight=500, edge=True))
    return marks
