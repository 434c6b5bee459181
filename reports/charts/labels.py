"""Where labels go: none meets another text, none leaves the canvas.

Each label tries the place it asks for, then places around its anchor further and
further out, then a grid over the whole canvas. Texts are hard obstacles; points and
lines only cost. The result depends on the order of the labels alone.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from isocost.reports.charts.drawing import Point, Text, meet
from isocost.reports.charts.metrics import ASCENT, DESCENT
from isocost.reports.charts.plot import Side

GAP = 1.5
#: Distances from the anchor in points; beyond the second a leader line is drawn.
RINGS = (4.5, 8.0, 14.0, 22.0, 32.0, 46.0, 64.0)
LEADER_FROM = 9.0
#: From so many filled areas on they are the ground, not obstacles.
MANY = 80
#: The cosine from which on a label stands beside its anchor, not above or below.
ASIDE = 0.3
#: A label along a line keeps so far from points, which have labels of their own.
NEAR = 14.0

Bounds = tuple[float, float, float, float]


class Placer:
    """Keeps what is placed so far and finds room for the next text."""

    def __init__(self, width: float, height: float) -> None:
        """An empty canvas of `width` by `height` points."""
        self.canvas: Bounds = (0.0, 0.0, width, height)
        #: Labels belong in here; outside they stand among the axis's own texts.
        self.inner: Bounds = self.canvas
        self.texts: list[Text] = []
        self._dots: list[Bounds] = []
        self._lines: list[tuple[Point, Point]] = []
        self._boxes: list[Bounds] = []

    def dot(self, x: float, y: float, radius: float) -> None:
        """Remember a point that labels should leave free."""
        self._dots.append((x - radius, y - radius, x + radius, y + radius))

    def line(self, points: Sequence[Point]) -> None:
        """Remember a line that labels should not cross."""
        self._lines.extend(pairwise(points))

    def box(self, left: float, top: float, right: float, bottom: float) -> None:
        """Remember a filled area on which a label would be hard to read."""
        # A map is all area: no place is better than another.
        if len(self._boxes) < MANY:
            self._boxes.append((left, top, right, bottom))

    def fits(self, text: Text) -> bool:
        """Whether `text` lies on the canvas and meets no other."""
        left, top, right, bottom = text.bounds
        x0, y0, x1, y1 = self.canvas
        # A hundredth of a point is what the writer rounds away.
        if (
            left < x0 - 0.01
            or top < y0 - 0.01
            or right > x1 + 0.01
            or bottom > y1 + 0.01
        ):
            return False
        return not any(meet(text, other, GAP) for other in self.texts)

    def keep(self, text: Text) -> None:
        """Place `text` as it is."""
        self.texts.append(text)

    def cost(self, text: Text) -> float:
        """What `text` would cover: 3 a point, 2 a line or an area."""
        if text.angle:
            near = sum(_near_turned(text, dot) for dot in self._dots)
            return near + 2.0 * sum(_crosses_turned(text, *s) for s in self._lines)
        left, top, right, bottom = text.bounds
        box = left - 1, top, right + 1, bottom
        total = 3.0 * sum(_overlap(box, dot) for dot in self._dots)
        if len(self._boxes) < MANY:
            total += 2.0 * sum(_overlap(box, area) for area in self._boxes)
        if not _within(text.bounds, self.inner):
            total += 1.5
        return total + 2.0 * sum(_crosses(box, a, b) for a, b in self._lines)

    def place(self, wanted: Text, anchor: Point) -> tuple[Text, bool] | None:
        """The best place for `wanted` near `anchor`, and whether it needs a leader.

        Returns:
            None if there is no room on the canvas at all.
        """
        if self.fits(wanted) and self.cost(wanted) == 0:
            return self._take(wanted, leader=False)
        best: tuple[float, Text, bool] | None = None
        if self.fits(wanted):
            best = (self.cost(wanted), wanted, False)
        for ring in RINGS:
            if best is not None and best[0] <= ring * 0.06:
                break
            for text in _around(wanted, anchor, ring):
                if not self.fits(text):
                    continue
                price = self.cost(text) + ring * 0.06
                if ring > LEADER_FROM:
                    price += self._struck(text, anchor)
                if best is None or price < best[0] - 1e-9:
                    best = (price, text, ring > LEADER_FROM)
        if best is None:
            found = next((t for t in self._grid(wanted, anchor) if self.fits(t)), None)
            return None if found is None else self._take(found, leader=True)
        return self._take(best[1], leader=best[2])

    def _struck(self, text: Text, anchor: Point) -> float:
        """What a leader from `anchor` to `text` would cross: 2 a text, 0.6 a line."""
        goal = nearest(text, anchor)
        texts = sum(
            _crosses_turned(other, anchor, goal)
            if other.angle
            else _crosses(other.bounds, anchor, goal)
            for other in self.texts
        )
        return 2.0 * texts + 0.6 * sum(_meet(anchor, goal, *s) for s in self._lines)

    def _take(self, text: Text, *, leader: bool) -> tuple[Text, bool]:
        self.keep(text)
        return text, leader

    def _grid(self, wanted: Text, anchor: Point) -> Iterator[Text]:
        """Every place of a grid over the canvas, the nearest first."""
        x0, y0, x1, y1 = self.canvas
        step = wanted.size * (ASCENT + DESCENT) / 2
        high, low = wanted.size * ASCENT, wanted.size * DESCENT
        columns = int(max(x1 - x0 - wanted.width, 0) / 6) + 1
        rows = int(max(y1 - y0 - high - low, 0) / step) + 1
        places = [
            (x0 + 6 * i, y0 + high + step * j)
            for i in range(columns)
            for j in range(rows)
        ]
        ax, ay = anchor

        def far(place: Point) -> tuple[float, Point]:
            return (math.hypot(place[0] + wanted.width / 2 - ax, place[1] - ay), place)

        for x, y in sorted(places, key=far):
            yield _moved(wanted, x, y, "left")


def nearest(text: Text, anchor: Point) -> Point:
    """The point of `text`'s box that is nearest to `anchor`."""
    left, top, right, bottom = text.bounds
    return min(max(anchor[0], left), right), min(max(anchor[1], top), bottom)


def _moved(text: Text, x: float, y: float, side: Side) -> Text:
    """`text` somewhere else, upright."""
    return Text(x, y, text.text, text.size, text.weight, text.colour, side)


def _around(wanted: Text, anchor: Point, ring: float) -> Iterator[Text]:
    """Places on a ring around `anchor`: right, left, above, below, then between."""
    ax, ay = anchor
    middle = wanted.size * (ASCENT - DESCENT) / 2
    for degrees in (0, 180, 90, 270, 45, 315, 135, 225, 20, 340, 160, 200):
        c, s = math.cos(math.radians(degrees)), -math.sin(math.radians(degrees))
        x, y = ax + ring * c, ay + ring * s
        side: Side = "left" if c > ASIDE else "right" if c < -ASIDE else "center"
        if side == "center":
            y += -DESCENT * wanted.size if s < 0 else ASCENT * wanted.size
        else:
            y += middle + s * middle
        yield _moved(wanted, x, y, side)


def _overlap(a: Bounds, b: Bounds) -> bool:
    """Whether two upright boxes share area."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _within(a: Bounds, b: Bounds) -> bool:
    """Whether the box `a` lies within `b`."""
    return a[0] >= b[0] and a[1] >= b[1] and a[2] <= b[2] and a[3] <= b[3]


def _crosses(box: Bounds, a: Point, b: Point) -> bool:
    """Whether the segment from `a` to `b` passes through `box`."""
    return clip(a, b, box) is not None


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two segments cross."""

    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def _crosses_turned(text: Text, a: Point, b: Point) -> bool:
    """As `_crosses` for a turned text, seen from its own baseline."""
    angle = math.radians(-text.angle)
    c, s = math.cos(angle), math.sin(angle)

    def turned(p: Point) -> Point:
        x, y = p[0] - text.x, p[1] - text.y
        return x * c - y * s, x * s + y * c

    half = text.width / 2
    box = -half, -ASCENT * text.size, half, DESCENT * text.size
    return clip(turned(a), turned(b), box) is not None


def _near_turned(text: Text, dot: Bounds) -> float:
    """Whether a point lies so near a turned text that its own label would meet it."""
    x, y = (dot[0] + dot[2]) / 2, (dot[1] + dot[3]) / 2
    return float(_crosses_turned(text, (x - NEAR, y), (x + NEAR, y)))


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places in the order of `wanted`, `gap` apart, moved as little as it takes.

    Args:
        wanted: ascending.
        gap: the least distance.
        low: where the room begins.
        high: where it ends; exceeded where there are too many.
    """
    groups: list[tuple[float, int]] = []  # sum of the shifted wishes, members
    for i, y in enumerate(wanted):
        groups.append((y - i * gap, 1))
        while (
            len(groups) > 1
            and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]
        ):
            total, members = groups.pop()
            groups[-1] = groups[-1][0] + total, groups[-1][1] + members
    top = max(high - (len(wanted) - 1) * gap, low)
    out: list[float] = []
    for total, members in groups:
        start = min(max(total / members, low), top)
        done = len(out)
        out += [start + gap * (done + k) for k in range(members)]
    return out


def clip(a: Point, b: Point, box: Bounds) -> tuple[Point, Point] | None:
    """The part of a segment within `box` (Liang and Barsky), if any."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    start, stop = 0.0, 1.0
    for p, q in (
        (-dx, a[0] - box[0]),
        (dx, box[2] - a[0]),
        (-dy, a[1] - box[1]),
        (dy, box[3] - a[1]),
    ):
        if p == 0:
            if q < 0:
                return None
            continue
        r = q / p
        if p < 0:
            start = max(start, r)
        else:
            stop = min(stop, r)
        if start > stop:
            return None
    return (a[0] + start * dx, a[1] + start * dy), (a[0] + stop * dx, a[1] + stop * dy)
