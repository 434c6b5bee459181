"""The tornado: how far each input moves the result, on either side."""

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
    Side,
    Tick,
    series,
)
from isocost.reports.charts.scale import nice_range
from isocost.reports.charts.scene import Scene, lays_out

LEFT: Side = "left"
RIGHT: Side = "right"


@attrs.frozen
class Swing:
    """One input: the result at its low and its high end, and those ends as text."""

    name: str
    at_low: float
    at_high: float
    low: str = ""
    high: str = ""


@attrs.frozen
class Tornado(Scene):
    """Swings around a base value, as a change in the result.

    Args:
        base: the result at point values.
        swings: the inputs; sorted here, the widest first.
        title: what the result is, with its unit.
        relative: show changes in percent of the base instead of the unit.
        better: which way of the result is good.
    """

    base: float
    swings: tuple[Swing, ...]
    title: str
    relative: bool = False
    better: str = "low"
    money: str = ""


@lays_out(Tornado)
def plot(scene: Tornado) -> Plot:
    """Lay out a tornado; each end carries the change and the input that makes it."""
    rows = sorted(scene.swings, key=lambda s: (-abs(s.at_high - s.at_low), s.name))
    scale = 100 / scene.base if scene.relative and scene.base else 1.0
    changes = [
        ((s.at_low - scene.base) * scale, (s.at_high - scene.base) * scale)
        for s in rows
    ]
    reach = max((abs(c) for pair in changes for c in pair), default=1.0) or 1.0
    low = min(0.0, *(c for pair in changes for c in pair))
    high = max(0.0, *(c for pair in changes for c in pair))
    unit = "%" if scene.relative else ""
    # Room at either end for the texts, as a share of the reach.
    ends = [
        _end(change, text, scene)
        for swing, pair in zip(rows, changes, strict=True)
        for change, text in zip(pair, (swing.low, swing.high), strict=True)
    ]
    longest = max((text_width(t, 6.6) for t in ends), default=0.0)
    names = max((text_width(s.name, 7) for s in rows), default=0.0)
    room = max(scene.width - min(names, scene.width * 0.34) - 14, 80)
    share = min((longest + 8) / room, 0.36)
    span = (high - low) / max(1 - 2 * share, 0.25)
    low, high = low - share * span, high + share * span
    marks: list[Mark] = []
    for i, (swing, pair) in enumerate(zip(rows, changes, strict=True)):
        marks += _row(swing, pair, i + 0.5, scene)
    marks.append(Line(((0, 0), (0, len(rows))), INK, 0.9))
    ticks = _ticks(low, high, reach, unit, scene.money)
    base = (
        numbers.money(scene.base, scene.money)
        if scene.money
        else numbers.plain(scene.base)
    )
    x = Axis(low, high, f"Change in {scene.title} against {base}", ticks=ticks)
    band = tuple(Tick(i + 0.5, s.name) for i, s in enumerate(rows))
    y = Axis(0, len(rows), band=True, ticks=band, grid=False)
    keys = (
        Key("input at its low end", series(0)),
        Key("input at its high end", series(1)),
    )
    height = scene.height or len(rows) * 19 + 54
    return Plot(scene.width, height, x, y, tuple(marks), keys, down=True)


def _ticks(
    low: float, high: float, reach: float, unit: str, money: str
) -> tuple[Tick, ...]:
    """Ticks within the bars' reach, every one with its sign."""
    from isocost.reports.charts.scale import ticks_of

    a, b = nice_range(-reach, reach, 6)
    found = ticks_of(Axis(a, b, unit=unit, money=money), 6)
    return tuple(
        Tick(t.at, numbers.signed(t.text)) for t in found if low <= t.at <= high
    )


def _end(change: float, text: str, scene: Tornado) -> str:
    """The words at one end: the change, then the input's value in brackets."""
    if scene.relative:
        figure = numbers.with_unit(numbers.plain(change, 2), "%")
    elif scene.money:
        figure = numbers.money(change, scene.money, 2)
    else:
        figure = numbers.plain(change, 2)
    figure = numbers.signed(figure)
    return f"{figure} ({text})" if text else figure


def _row(
    swing: Swing, pair: tuple[float, float], at: float, scene: Tornado
) -> list[Mark]:
    """Both bars of one input and what stands at their ends."""
    marks: list[Mark] = []
    left_is_low = pair[0] <= pair[1]
    ends = ((pair[0], swing.low, series(0)), (pair[1], swing.high, series(1)))
    for (change, text, colour), left in zip(
        ends, (left_is_low, not left_is_low), strict=True
    ):
        marks.append(Box(0, at - 0.31, change, at + 0.31, colour))
        words = _end(change, text, scene)
        dx, side = (-4.0, RIGHT) if left else (4.0, LEFT)
        x = min(change, 0.0) if left else max(change, 0.0)
        # A swing that goes one way only: both ends share a side, one label is moved.
        label = Label(x, at, words, dx, 0, side, 6.6, 400, MUTED, free=False)
        marks.append(attrs.evolve(label, priority=3, backing=True))
    return marks
