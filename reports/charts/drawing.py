"""Shapes and texts at their places on a canvas, in points, y downwards.

`mark` says which mark of the plot a shape or text belongs to; the frame's own have
-1, and those of an axis of numbers `X_AXIS` or `Y_AXIS`.
"""

import math
from functools import cached_property

import attrs

from isocost.reports.charts.metrics import ASCENT, DESCENT, text_width
from isocost.reports.charts.plot import INK, Side, Weight

Point = tuple[float, float]
X_AXIS, Y_AXIS = -2, -3


@attrs.frozen
class Path:
    """A line, or a polygon if `closed`."""

    points: tuple[Point, ...]
    stroke: str = ""
    fill: str = ""
    width: float = 1.0
    dash: tuple[float, ...] = ()
    opacity: float = 1.0
    closed: bool = False
    mark: int = -1


@attrs.frozen
class Rect:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str = ""
    stroke: str = ""
    opacity: float = 1.0
    mark: int = -1


@attrs.frozen
class Circle:
    """A disc or a ring."""

    x: float
    y: float
    radius: float
    fill: str = ""
    stroke: str = ""
    width: float = 1.0
    mark: int = -1


@attrs.frozen(slots=False)
class Text:
    """A line of text; `x, y` is the end of its baseline that `side` names."""

    x: float
    y: float
    text: str
    size: float = 7.0
    weight: Weight = 400
    colour: str = INK
    side: Side = "left"
    angle: float = 0.0
    mark: int = -1

    @cached_property
    def width(self) -> float:
        """Its length in points."""
        return text_width(self.text, self.size, self.weight)

    @cached_property
    def corners(self) -> tuple[Point, ...]:
        """The four corners of its box, turned as the text is."""
        shift = {"left": 0.0, "center": -self.width / 2, "right": -self.width}[
            self.side
        ]
        left, right = shift, shift + self.width
        top, bottom = -ASCENT * self.size, DESCENT * self.size
        box = ((left, top), (right, top), (right, bottom), (left, bottom))
        if not self.angle:
            return tuple((self.x + a, self.y + b) for a, b in box)
        c, s = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        return tuple((self.x + a * c - b * s, self.y + a * s + b * c) for a, b in box)

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of the upright box around it."""
        xs = [p[0] for p in self.corners]
        ys = [p[1] for p in self.corners]
        return min(xs), min(ys), max(xs), max(ys)


Shape = Path | Rect | Circle


@attrs.frozen
class Drawing:
    """A finished chart. `dropped` holds labels for which there was no room at all."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    texts: tuple[Text, ...]
    dropped: tuple[str, ...] = ()


def meet(one: Text, other: Text, gap: float = 0.0) -> bool:
    """Whether two texts come closer than `gap` points."""
    a, b = one.bounds, other.bounds
    if (
        a[2] + gap <= b[0]
        or b[2] + gap <= a[0]
        or a[3] + gap <= b[1]
        or b[3] + gap <= a[1]
    ):
        return False
    if not one.angle and not other.angle:
        return True
    return not _separated(one.corners, other.corners, gap)


def _separated(one: tuple[Point, ...], other: tuple[Point, ...], gap: float) -> bool:
    """Whether a side of either box lies between the two (separating axes)."""
    for box in (one, other):
        for i in (0, 1):
            ax, ay = box[i + 1][0] - box[i][0], box[i + 1][1] - box[i][1]
            length = math.hypot(ax, ay) or 1.0
            ax, ay = ax / length, ay / length
            p = [x * ax + y * ay for x, y in one]
            q = [x * ax + y * ay for x, y in other]
            if max(p) + gap <= min(q) or max(q) + gap <= min(p):
                return True
    return False
