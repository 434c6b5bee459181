"""Stacked bars: the stack of a cost, the parts of a step."""

import attrs

from isocost.reports import numbers
from isocost.reports.charts.metrics import text_width
from isocost.reports.charts.plot import (
    INK,
    PAPER,
    SERIES,
    Axis,
    Box,
    Key,
    Label,
    Line,
    Mark,
    Plot,
    Tick,
    Weight,
    series,
    tint,
)
from isocost.reports.charts.scale import nice_range
from isocost.reports.charts.scene import Scene, lays_out


@attrs.frozen
class Stack:
    """One bar: its name, a value for each part, and the total's text.

    `low` and `high` are the ends of the total's 90% interval, if known.
    """

    name: str
    values: tuple[float, ...]
    total: str = ""
    low: float | None = None
    high: float | None = None


@attrs.frozen
class Stacked(Scene):
    """Bars made of the same parts.

    Args:
        parts: the names of the parts, in the order of the series.
        stacks: the bars, top to bottom (or left to right if `upright`).
        title: what is measured, with its unit.
        digits: significant digits of the figures within the bars.
        shares: show each part as a share of its bar.
    """

    parts: tuple[str, ...]
    stacks: tuple[Stack, ...]
    title: str
    upright: bool = False
    digits: int = 2
    shares: bool = False
    money: str = ""


def part_colour(index: int) -> str:
    """The colours of parts: the series, then the same again paler."""
    again, place = divmod(index, len(SERIES))
    return tint(series(place), (1.0, 0.55, 0.3)[min(again, 2)])


@lays_out(Stacked)
def plot(scene: Stacked) -> Plot:
    """Lay out stacked bars with the values that fit within, and totals."""
    top = max(
        [sum(s.values) for s in scene.stacks] + [s.high or 0 for s in scene.stacks]
    )
    low, high = nice_range(0.0, top or 1.0)
    rows = len(scene.stacks)
    width = scene.width
    height = scene.height or (rows * 25 + 62 if not scene.upright else width * 0.52)
    names = tuple(Tick(i + 0.5, s.name) for i, s in enumerate(scene.stacks))
    band = Axis(0, rows, band=True, ticks=names, grid=False)
    value = Axis(low, high, scene.title, money=scene.money)
    marks: list[Mark] = []
    # Rough: the room that values have, before the frame is known.
    room = (height - 60 if scene.upright else width * 0.78) / (high - low or 1)
    for i, stack in enumerate(scene.stacks):
        marks += _bar(stack, i, scene, room)
    keys = tuple(Key(p, part_colour(i)) for i, p in enumerate(scene.parts))
    if scene.upright:
        return Plot(width, height, band, value, tuple(marks), keys)
    right = (
        max((text_width(_total(s, scene), 7, 600) for s in scene.stacks), default=0) + 8
    )
    return Plot(width, height, value, band, tuple(marks), keys, down=True, right=right)


def _total(stack: Stack, scene: Stacked) -> str:
    """The text at the end of a bar."""
    return stack.total or scene.money + numbers.plain(sum(stack.values))


def _bar(stack: Stack, index: int, scene: Stacked, room: float) -> list[Mark]:
    """One bar: parts, figures within, the interval, the total."""
    marks: list[Mark] = []
    at, whole = 0.0, sum(stack.values) or 1.0
    half = 0.28
    middle = index + 0.5
    for i, value in enumerate(stack.values):
        ends = (at, at + value)
        box = (
            Box(
                index + 0.5 - half, ends[0], index + 0.5 + half, ends[1], part_colour(i)
            )
            if scene.upright
            else Box(ends[0], middle - half, ends[1], middle + half, part_colour(i))
        )
        marks.append(box)
        text = (
            f"{100 * value / whole:.0f}%"
            if scene.shares
            else numbers.plain(value, scene.digits)
        )
        need = 11.0 if scene.upright else text_width(text, 6.4, 500) + 6
        if value * room > need:
            centre = (ends[0] + ends[1]) / 2
            x, y = (middle, centre) if scene.upright else (centre, middle)
            colour = _readable(part_colour(i))
            marks.append(_fixed(x, y, text, colour))
        at += value
    x, y = (middle, at) if scene.upright else (at, middle)
    if stack.low is not None and stack.high is not None:
        # Beside the bar, not on it: an ink line would be lost on dark parts.
        marks += _whisker(stack.low, stack.high, index + 0.88, upright=scene.upright)
    dx, dy, side = (0, 7, "center") if scene.upright else (5, 0, "left")
    total = _total(stack, scene)
    marks.append(Label(x, y, total, dx, dy, side, 7, 600, INK, free=False, priority=1))  # type: ignore[arg-type]
    return marks


def _fixed(x: float, y: float, text: str, colour: str, weight: Weight = 500) -> Label:
    """A figure within a bar."""
    return Label(x, y, text, 0, 0, "center", 6.4, weight, colour, free=False)


def _whisker(low: float, high: float, middle: float, *, upright: bool) -> list[Mark]:
    """The 90% interval of a total."""

    def turned(a: float, b: float) -> tuple[float, float]:
        return (b, a) if upright else (a, b)

    return [
        Line((turned(low, middle), turned(high, middle)), INK, 0.8),
        *(
            Line((turned(v, middle - 0.07), turned(v, middle + 0.07)), INK, 0.8)
            for v in (low, high)
        ),
    ]


def _readable(ground: str) -> str:
    """Ink or paper, whichever reads better on `ground`."""
    r, g, b = (int(ground[i : i + 2], 16) for i in (1, 3, 5))
    light = 0.2126 * r + 0.7152 * g + 0.0722 * b
    return INK if light > 135 else PAPER  # noqa: PLR2004 - where both read alike
