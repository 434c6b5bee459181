"""The waterfall: from one total to another, step by step."""

import attrs

from isocost.reports import numbers
from isocost.reports.charts.plot import (
    BAD,
    GOOD,
    INK,
    MUTED,
    Axis,
    Box,
    Label,
    Line,
    Mark,
    Plot,
    Tick,
)
from isocost.reports.charts.scale import nice_range
from isocost.reports.charts.scene import Scene, lays_out


@attrs.frozen
class Step:
    """One change on the way."""

    name: str
    change: float


@attrs.frozen
class Waterfall(Scene):
    """From `start` to `end`, whose difference the steps add up to.

    Args:
        start, end: the totals; `end` is the start plus all steps if None.
        start_name, end_name: their names.
        steps: the changes in order.
        title: what is measured, with its unit.
        rise_is_good: whether an increase is welcome.
    """

    start: float
    steps: tuple[Step, ...]
    title: str
    start_name: str = "Before"
    end_name: str = "After"
    end: float | None = None
    rise_is_good: bool = False
    money: str = ""


@lays_out(Waterfall)
def plot(scene: Waterfall) -> Plot:
    """Lay out a waterfall; the axis is cut where the changes would be too small."""
    levels = [scene.start]
    for step in scene.steps:
        levels.append(levels[-1] + step.change)
    end = levels[-1] if scene.end is None else scene.end
    low, high = _range([*levels, end])
    names = (scene.start_name, *(s.name for s in scene.steps), scene.end_name)
    count = len(names)
    marks: list[Mark] = _total(0, scene.start, low, scene.money)
    for i, step in enumerate(scene.steps):
        marks += _step(i + 1, levels[i], step.change, scene)
    marks += _total(count - 1, end, low, scene.money)
    for i, level in enumerate((*levels[:-1], end)):
        marks.insert(0, Line(((i + 0.81, level), (i + 1.19, level)), MUTED, 0.5))
    band = tuple(Tick(i + 0.5, n) for i, n in enumerate(names))
    x = Axis(0, count, band=True, ticks=band, grid=False)
    title = scene.title if low == 0 else f"{scene.title} (axis cut)"
    return Plot(
        scene.width,
        scene.height or scene.width * 0.44,
        x,
        Axis(low, high, title, money=scene.money),
        tuple(marks),
    )


def _range(levels: list[float]) -> tuple[float, float]:
    """From zero, unless all the change lies within a small part of the height."""
    low, high = min(levels), max(levels)
    pad = (high - low) * 0.16 or abs(high) * 0.1 or 1.0
    if low >= 0 and (high - low) > 0.3 * high:
        return nice_range(0.0, high + pad, 5)
    if low >= 0:
        return nice_range(max(low - (high - low) * 1.2 - pad, 0.0), high + pad, 5)
    return nice_range(min(low - pad, 0.0), max(high + pad, 0.0), 5)


def _figure(value: float, money: str, digits: int = 3) -> str:
    """A value with its currency, if it has one."""
    return (
        numbers.money(value, money, digits) if money else numbers.plain(value, digits)
    )


def _total(place: int, value: float, low: float, money: str) -> list[Mark]:
    """A total: a full bar; a zigzag at its foot says where the axis is cut."""
    foot = low if low > 0 else 0.0
    marks: list[Mark] = [Box(place + 0.19, foot, place + 0.81, value, INK)]
    if low > 0:
        marks.append(_zigzag(place, low, value))
    text = _figure(value, money)
    up = value >= 0
    marks.append(
        Label(
            place + 0.5,
            value,
            text,
            0,
            7 if up else -7,
            "center",
            7,
            600,
            INK,
            free=False,
        )
    )
    return marks


def _zigzag(place: int, low: float, value: float) -> Line:
    """The sign of a cut bar."""
    base = low + (value - low) * 0.12
    tooth = (value - low) * 0.035
    points = tuple(
        (place + 0.19 + 0.62 * i / 6, base + (tooth if i % 2 else -tooth))
        for i in range(7)
    )
    return Line(points, "#FFFFFF", 1.8)


def _step(place: int, start: float, change: float, scene: Waterfall) -> list[Mark]:
    """One change: green or vermilion, always with its sign."""
    good = (change > 0) == scene.rise_is_good
    colour = MUTED if change == 0 else GOOD if good else BAD
    stop = start + change
    text = numbers.signed(_figure(change, scene.money, 2))
    return [
        Box(place + 0.19, start, place + 0.81, stop, colour),
        Label(
            place + 0.5,
            max(start, stop),
            text,
            0,
            7,
            "center",
            7,
            500,
            colour,
            free=False,
        ),
    ]
