"""Scale-up domains drawn: tori in one to three dimensions, and switched ones.

An axis that is too long to draw is cut before its last chip, with a broken link; axes
keep their order of length, so that an uneven torus looks uneven.
"""

import itertools
import math
from typing import ClassVar

import attrs

from isocost.reports.charts.plot import (
    INK,
    MUTED,
    PANEL,
    PAPER,
    RULE,
    Area,
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
from isocost.reports.charts.scene import HALF, Scene, lays_out

#: One step along each axis, in the plane: an oblique view with a level x axis.
STEPS = ((1.0, 0.0), (0.42, 0.30), (0.0, 1.0))
FLAT = ((1.0, 0.0), (0.0, 1.0))


@attrs.frozen
class Ring:
    """One axis of a torus: its length, what a link carries, whether it closes."""

    name: str
    size: int
    link: str = ""
    wraps: bool = True


@attrs.frozen
class Torus(Scene):
    """A mesh or torus of one to three axes."""

    ELASTIC: ClassVar[bool] = False

    rings: tuple[Ring, ...]
    node: str = "chip"
    width: float = attrs.field(default=HALF, kw_only=True)


@attrs.frozen
class Switched(Scene):
    """A domain in which every chip reaches every switch.

    Args:
        chips, switches: how many of each.
        link: what one chip carries to all switches together.
        per_tray: chips drawn as one tray.
    """

    ELASTIC: ClassVar[bool] = False

    chips: int
    switches: int
    node: str = "chip"
    switch: str = "switch"
    link: str = ""
    per_tray: int = 4
    width: float = attrs.field(default=HALF, kw_only=True)


Place = tuple[int, ...]
Curve = tuple[tuple[float, float], ...]

#: A torus of so many axes is drawn in depth.
DEEP = 3
#: A ring of two has no link to close it: it is there already.
PAIR = 2
COLOURS = (series(0), series(1), series(2))
#: The most chips of an axis that are drawn, by the number of axes.
MOST = {1: 14, 2: 10, 3: 6}
#: Chips of an axis that are drawn at least.
KEPT = 4
#: Where the closing links of each axis bow to, so that they cross the fewest others.
BOWS_FLAT = ((0.0, 0.34), (-0.30, 0.0))
BOWS_DEEP = ((0.0, -0.26), (0.30, -0.06), (-0.24, 0.0))


def drawn_sizes(rings: tuple[Ring, ...]) -> list[int]:
    """Chips that are drawn of each axis: in proportion where one is cut."""
    most = MOST[len(rings)]
    longest = max(ring.size for ring in rings)
    if longest <= most:
        return [ring.size for ring in rings]
    share = most / longest
    return [min(ring.size, max(KEPT, round(ring.size * share))) for ring in rings]


def _where(place: Place) -> tuple[float, float]:
    """The plane coordinates of a node."""
    steps = STEPS if len(place) == DEEP else FLAT
    pairs = list(zip(place, steps, strict=False))
    return sum(i * s[0] for i, s in pairs), sum(i * s[1] for i, s in pairs)


def _bow(a: Place, b: Place, axis: int) -> Curve:
    """The link that closes a ring: a flat curve past both ends."""
    (ax, ay), (bx, by) = _where(a), _where(b)
    lift = (BOWS_DEEP if len(a) == DEEP else BOWS_FLAT)[axis]
    length = max(math.hypot(bx - ax, by - ay), 1e-9)
    ux, uy = 0.22 * (bx - ax) / length, 0.22 * (by - ay) / length
    c1 = ax - ux + 1.3 * lift[0], ay - uy + 1.3 * lift[1]
    c2 = bx + ux + 1.3 * lift[0], by + uy + 1.3 * lift[1]
    out = []
    for i in range(25):
        t = i / 24
        k = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        x = k[0] * ax + k[1] * c1[0] + k[2] * c2[0] + k[3] * bx
        y = k[0] * ay + k[1] * c1[1] + k[2] * c2[1] + k[3] * by
        out.append((x, y))
    return tuple(out)


def _links(scene: Torus) -> list[Mark]:
    """Every link, far ones paler, closing ones thin and broken."""
    marks: list[Mark] = []
    sizes = drawn_sizes(scene.rings)
    for axis, ring in enumerate(scene.rings):
        others = [range(s) if i != axis else range(1) for i, s in enumerate(sizes)]
        for first in itertools.product(*others):
            last = (*first[:axis], sizes[axis] - 1, *first[axis + 1 :])
            shade = tint(COLOURS[axis], 1 - 0.5 * _depth(first, sizes))
            near = last
            if sizes[axis] < ring.size:
                near = (*first[:axis], sizes[axis] - 2, *first[axis + 1 :])
                gap = (_where(near), _where(last))
                marks.append(Line(gap, shade, 1.1, (0.8, 2.4), clip=False))
            marks.append(Line((_where(first), _where(near)), shade, 1.1, clip=False))
            if ring.wraps and ring.size > PAIR and _shown(first, axis):
                bow = _bow(first, last, axis)
                marks.append(Line(bow, shade, 0.7, (2.4, 1.6), clip=False))
    return marks


def _depth(place: Place, sizes: list[int]) -> float:
    """How far back a node lies, 0 to 1."""
    if len(place) < DEEP or sizes[1] < PAIR:
        return 0.0
    return place[1] / (sizes[1] - 1)


def _shown(place: Place, axis: int) -> bool:
    """In depth only the closing links of the lowest and the foremost face are drawn."""
    if len(place) < DEEP:
        return True
    x, y, z = place
    return (y == 0 and z == 0, z == 0, x == 0 and y == 0)[axis]


@lays_out(Torus)
def plot_torus(scene: Torus) -> Plot:
    """Lay out a torus: links by axis, nodes from back to front, a legend."""
    sizes = drawn_sizes(scene.rings)
    deep = len(sizes) == DEEP
    nodes = list(itertools.product(*(range(s) for s in sizes)))
    marks = _links(scene)
    radius = 3.0 if max(sizes) <= 4 else 2.1  # noqa: PLR2004 - larger ones are crowded
    for node in sorted(nodes, key=lambda p: (-p[1] if deep else 0, p)):
        shade = tint(INK, 1 - 0.55 * _depth(node, sizes))
        marks.append(Dot(*_where(node), shade, radius))
    xs, ys = zip(*(_where(n) for n in nodes), strict=True)
    keys = [
        Key(_ring_text(r, sizes[i]), COLOURS[i], "line")
        for i, r in enumerate(scene.rings)
    ]
    if any(r.wraps and r.size > PAIR for r in scene.rings):
        which = "closes a ring (one face shown)" if deep else "closes a ring"
        keys.append(Key(which, MUTED, "dash"))
    x = Axis(min(xs) - 0.4, max(xs) + (0.4 if deep else 0.2), show=False)
    below, above = (0.35, 0.15) if deep else (0.15, 0.45)
    y = Axis(min(ys) - below, max(ys) + above, show=False)
    # The legend takes a row or two above; a long chain is no taller for it.
    share = (y.high - y.low) / (x.high - x.low)
    high = scene.height or min(scene.width * share, 240.0) + 30
    return Plot(scene.width, high, x, y, tuple(marks), tuple(keys), equal=True, right=4)


def _ring_text(ring: Ring, drawn: int) -> str:
    """What the legend says of one axis."""
    link = f", {ring.link}" if ring.link else ""
    cut = f" ({drawn} shown)" if drawn < ring.size else ""
    return f"{ring.name}: {ring.size}{cut}{link}"


@lays_out(Switched)
def plot_switched(scene: Switched) -> Plot:
    """Lay out a switched domain: trays of chips below, the switches above."""
    trays = -(-scene.chips // scene.per_tray)
    columns = min(trays, 18)
    shown = min(scene.switches, 18)
    marks: list[Mark] = []
    wide = float(columns)
    places = [(i + 0.5) * wide / shown for i in range(shown)]
    pale = tint(series(0), 0.32)
    for tray in range(columns):
        marks += [
            Line(((tray + 0.5, 1.5), (x, 4.0)), pale, 0.35, clip=False) for x in places
        ]
    for x in places:
        marks += _plate(
            x - 0.36 * wide / shown, x + 0.36 * wide / shown, 4.0, 4.55, series(0)
        )
    for tray in range(columns):
        marks += _plate(tray + 0.1, tray + 0.9, 0.1, 1.5, RULE)
        for k in range(min(scene.per_tray, 8)):
            row, column = divmod(k, 2)
            marks.append(
                Dot(tray + 0.32 + 0.36 * column, 1.1 - 0.6 * row, INK, 1.4, "square")
            )
    x0 = wide / 2
    name = scene.switch.removesuffix("es") if scene.switches == 1 else scene.switch
    top = f"{scene.switches} {name}" + (f", {scene.link}" if scene.link else "")
    marks.append(Label(x0, 4.55, top, 0, 8, "center", 7, 500, series(0), free=False))
    words = f"{scene.chips} {scene.node}"
    if trays > columns:
        words += f" ({columns} of {trays} trays shown)"
    marks.append(Label(x0, 0.1, words, 0, -9, "center", 7, 500, INK, free=False))
    return Plot(
        scene.width,
        scene.height or 132.0,
        Axis(0, wide, show=False),
        Axis(-0.75, 5.3, show=False),
        tuple(marks),
        right=4,
    )


def _plate(x0: float, x1: float, y0: float, y1: float, colour: str) -> list[Mark]:
    """A filled rectangle that covers the links behind it."""
    corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    ground = PANEL if colour == RULE else PAPER
    marks: list[Mark] = [Area(corners, ground)]
    marks.append(Area(corners, colour, 0.5 if colour == RULE else 1.0))
    return marks
