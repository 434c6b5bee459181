"""Scale-up domains drawn: tori in one to three dimensions, and switched ones."""

import itertools

import attrs

from isocost.reports.charts.plot import (
    INK,
    MUTED,
    PAPER,
    PANEL,
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

    chips: int
    switches: int
    node: str = "chip"
    switch: str = "switch"
    link: str = ""
    per_tray: int = 4
    width: float = attrs.field(default=HALF, kw_only=True)


Place = tuple[int, ...]


def _where(place: Place) -> tuple[float, float]:
    """The plane coordinates of a node."""
    steps = STEPS if len(place) == 3 else FLAT  # noqa: PLR2004
    return (
        sum(i * s[0] for i, s in zip(place, steps, strict=False)),
        sum(i * s[1] for i, s in zip(place, steps, strict=False)),
    )


def _bow(a: Place, b: Place, axis: int, deep: bool) -> tuple[tuple[float, float], ...]:
    """The link that closes a ring: a flat curve past both ends."""
    (ax, ay), (bx, by) = _where(a), _where(b)
    # Each axis bows to a side where it crosses the fewest other links.
    lift = (((0.0, 0.34), (-0.30, 0.0), (-0.30, 0.0)) if not deep else ((0.0, -0.26), (0.30, -0.06), (-0.24, 0.0)))[axis]
    over = (bx - ax, by - ay)
    length = max((over[0] ** 2 + over[1] ** 2) ** 0.5, 1e-9)
    ux, uy = over[0] / length * 0.22, over[1] / length * 0.22
    c1 = (ax - ux + lift[0] * 1.3, ay - uy + lift[1] * 1.3)
    c2 = (bx + ux + lift[0] * 1.3, by + uy + lift[1] * 1.3)
    out = []
    for i in range(25):
        t = i / 24
        k = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        out.append(
            (
                k[0] * ax + k[1] * c1[0] + k[2] * c2[0] + k[3] * bx,
                k[0] * ay + k[1] * c1[1] + k[2] * c2[1] + k[3] * by,
            )
        )
    return tuple(out)


def _links(scene: Torus) -> list[Mark]:
    """Every link, far ones paler, closing ones thinner."""
    marks: list[Mark] = []
    sizes = [r.size for r in scene.rings]
    deep = len(sizes) == 3  # noqa: PLR2004
    for axis, ring in enumerate(scene.rings):
        colour = series((0, 1, 3)[axis])
        others = [range(s) if i != axis else range(1) for i, s in enumerate(sizes)]
        for start in itertools.product(*others):
            first = tuple(start)
            last = tuple(ring.size - 1 if i == axis else v for i, v in enumerate(start))
            shade = tint(colour, 1 - 0.5 * _depth(first, sizes))
            marks.append(Line((_where(first), _where(last)), shade, 1.1, clip=False))
            if ring.wraps and ring.size > 2 and _shown(first, sizes, axis):  # noqa: PLR2004
                marks.append(
                    Line(_bow(first, last, axis, deep), shade, 0.7, (2.4, 1.6), clip=False)
                )
    return marks


def _depth(place: Place, sizes: list[int]) -> float:
    """How far back a node lies, 0 to 1."""
    if len(place) < 3 or sizes[1] < 2:  # noqa: PLR2004
        return 0.0
    return place[1] / (sizes[1] - 1)


def _shown(place: Place, sizes: list[int], axis: int) -> bool:
    """In three dimensions closing links are drawn on the faces towards the reader."""
    if len(sizes) < 3:  # noqa: PLR2004
        return True
    front = {0: place[1] == 0, 1: place[2] == sizes[2] - 1 or place[2] == 0, 2: place[1] == 0}
    side = {0: True, 1: place[2] == 0, 2: place[0] == 0}
    return front[axis] and side[axis] if axis else front[axis] and place[2] in {0}


@lays_out(Torus)
def plot_torus(scene: Torus) -> Plot:
    """Lay out a torus: links by axis, nodes from back to front, a legend."""
    sizes = [r.size for r in scene.rings]
    nodes = list(itertools.product(*(range(s) for s in sizes)))
    marks = _links(scene)
    back_first = sorted(nodes, key=lambda p: (-p[1] if len(p) == 3 else 0, p))  # noqa: PLR2004
    radius = 3.0 if max(sizes) <= 4 else 2.1  # noqa: PLR2004
    for node in back_first:
        x, y = _where(node)
        marks.append(Dot(x, y, tint(INK, 1 - 0.55 * _depth(node, sizes)), radius))
    xs, ys = zip(*(_where(n) for n in nodes), strict=True)
    keys = tuple(
        Key(_ring_text(r), series((0, 1, 3)[i]), "line") for i, r in enumerate(scene.rings)
    )
    if any(r.wraps and r.size > 2 for r in scene.rings):  # noqa: PLR2004
        keys += (Key("closes a ring" + (" (one face shown)" if len(sizes) == 3 else ""), MUTED, "dash"),)
    deep = len(sizes) == 3  # noqa: PLR2004
    x = Axis(min(xs) - 0.4, max(xs) + (0.4 if deep else 0.2), show=False)
    y = Axis(min(ys) - (0.35 if deep else 0.15), max(ys) + (0.15 if deep else 0.45), show=False)
    # The legend takes a row or two above; a long chain is no taller for it.
    share = (y.high - y.low) / (x.high - x.low)
    high = scene.height or min(scene.width * share, 240.0) + 30
    return Plot(scene.width, high, x, y, tuple(marks), keys, equal=True, right=4)


def _ring_text(ring: Ring) -> str:
    """What the legend says of one axis."""
    link = f", {ring.link}" if ring.link else ""
    return f"{ring.name}: {ring.size}{link}"


@lays_out(Switched)
def plot_switched(scene: Switched) -> Plot:
    """Lay out a switched domain: trays of chips below, the switches above."""
    trays = -(-scene.chips // scene.per_tray)
    columns = min(trays, 18)
    shown = min(scene.switches, 18)
    marks: list[Mark] = []
    wide = float(columns)
    places = [(i + 0.5) * wide / shown for i in range(shown)]
    for tray in range(columns):
        for x in places:
            marks.append(
                Line(((tray + 0.5, 1.5), (x, 4.0)), tint(series(0), 0.32), 0.35, clip=False)
            )
    for x in places:
        marks += _plate(x - 0.36 * wide / shown, x + 0.36 * wide / shown, 4.0, 4.55, series(0))
    for tray in range(columns):
        marks += _plate(tray + 0.1, tray + 0.9, 0.1, 1.5, RULE)
        for k in range(min(scene.per_tray, 8)):
            row, column = divmod(k, 2)
            marks.append(Dot(tray + 0.32 + 0.36 * column, 1.1 - 0.6 * row, INK, 1.4, "square"))
    x0 = wide / 2
    top = f"{scene.switches} {scene.switch}" + (f", {scene.link}" if scene.link else "")
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
