"""Bars side by side: one measure, or several series of it, by option."""

import attrs

from isocost.reports import numbers
from isocost.reports.charts.metrics import text_width
from isocost.reports.charts.plot import (
    INK,
    MUTED,
    Axis,
    Box,
    Key,
    Label,
    Line,
    Mark,
    Plot,
    Tick,
    series,
)
from isocost.reports.charts.scale import nice_range
from isocost.reports.charts.scene import Scene, lays_out


@attrs.frozen
class Group:
    """One option with a value for each series (None: not known).

    `texts` are what stands at the bars' ends (the values if empty); `lows` and
    `highs` the ends of the intervals, if known.
    """

    name: str
    values: tuple[float | None, ...]
    texts: tuple[str, ...] = ()
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()


@attrs.frozen
class Bars(Scene):
    """Level bars, grouped by option.

    Args:
        groups: top to bottom.
        title: what is measured, with its unit.
        names: the series' names, for the legend; one series needs none.
        focus: the option that is set off; the others go grey (one series only).
        marker: a line to compare with, and its label.
    """

    groups: tuple[Group, ...]
    title: str
    names: tuple[str, ...] = ()
    focus: str = ""
    marker: tuple[float, str] | None = None
    money: str = ""


@lays_out(Bars)
def plot(scene: Bars) -> Plot:
    """Lay out bars with their values at the ends."""
    width = max(len(g.values) for g in scene.groups)
    values = [v for g in scene.groups for v in (*g.values, *g.highs) if v is not None]
    if scene.marker:
        values.append(scene.marker[0])
    low, high = nice_range(min(0.0, *values), max(0.0, *values))
    marks: list[Mark] = []
    texts: list[str] = []
    for i, group in enumerate(scene.groups):
        for k, value in enumerate(group.values):
            if value is not None:
                drawn, text = _bar(group, i, k, width, scene)
                marks += drawn
                texts.append(text)
    count = len(scene.groups)
    if scene.marker:
        at, words = scene.marker
        marks.append(Line(((at, -0.5), (at, count)), INK, 0.8, (2.5, 2)))
        marks.append(Label(at, -0.5, words, 3, -4, "left", 6.6, 400, MUTED, priority=1))
    keys = (
        tuple(Key(n, series(i)) for i, n in enumerate(scene.names)) if width > 1 else ()
    )
    right = max((text_width(t, 7, 500) for t in texts), default=0.0) + 9
    ticks = tuple(Tick(i + 0.5, g.name) for i, g in enumerate(scene.groups))
    top = -0.5 if scene.marker else 0
    height = scene.height or (count - top) * (9 + 9.5 * width) + (48 if keys else 32)
    return Plot(
        scene.width,
        height,
        Axis(low, high, scene.title, money=scene.money),
        Axis(top, count, band=True, ticks=ticks, grid=False),
        tuple(marks),
        keys,
        down=True,
        right=right,
    )


def _bar(
    group: Group, i: int, k: int, width: int, scene: Bars
) -> tuple[list[Mark], str]:
    """One bar, its interval, and the text at its end."""
    value = group.values[k] or 0.0
    room = 0.74 / width
    start = i + 0.13 + k * room
    middle = start + room / 2
    colour = series(k)
    if width == 1 and scene.focus:
        colour = series(0) if group.name == scene.focus else series(5)
    marks: list[Mark] = [Box(0, start, value, start + room * 0.88, colour)]
    far = value
    if k < len(group.lows) and k < len(group.highs):
        far = max(value, group.highs[k])
        marks.append(
            Line(((group.lows[k], middle), (group.highs[k], middle)), INK, 0.9)
        )
    money = scene.money
    text = group.texts[k] if k < len(group.texts) else (
        numbers.money(value, money) if money else numbers.plain(value)
    )  # fmt: skip
    back = value < 0
    marks.append(Label(
        value if back else far, middle - room * 0.06, text, -4 if back else 4, 0,
        "right" if back else "left", 7, 500, INK, free=False,
    ))  # fmt: skip
    return marks, text
