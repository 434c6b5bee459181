"""A map over two inputs: colours for the result, a contour where it turns."""

import math
from collections.abc import Callable
from itertools import pairwise

import attrs

from isocost.reports import numbers
from isocost.reports.charts.plot import (
    INK,
    Axis,
    Box,
    ColourBar,
    Dot,
    Label,
    Line,
    Mark,
    Plot,
    Tick,
)
from isocost.reports.charts.scale import nice_step
from isocost.reports.charts.scene import Scene, lays_out

#: Blue where the value is low, paper at the middle, vermilion where it is high.
DIVERGING = (
    "#0B5FA5",
    "#5E9CCB",
    "#B4D0E6",
    "#F7F7F5",
    "#F2CBB6",
    "#E08E68",
    "#C8501E",
)
SEQUENTIAL = ("#F4F6F9", "#C5DAEC", "#8DB8DB", "#4F90C3", "#0B5FA5", "#0A3F70")


@attrs.frozen
class Contour:
    """A line at one value of the map, with its label."""

    at: float
    label: str = ""


@attrs.frozen
class Pin:
    """A place on the map that has a name: the base case."""

    x: float
    y: float
    label: str


@attrs.frozen
class HeatMap(Scene):
    """A result on a grid.

    Args:
        xs, ys: the grid, ascending.
        values: a row for each y, a value for each x.
        centre: the value that takes the middle colour; None gives one hue.
        contours: lines at values.
        pins: named places.
        title: what the colours show, with its unit.
        sides: what the low and the high colours mean, in words (legend).
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    x_title: str
    y_title: str
    title: str
    centre: float | None = None
    contours: tuple[Contour, ...] = ()
    pins: tuple[Pin, ...] = ()
    unit: str = ""
    x_log: bool = False
    y_log: bool = False
    x_unit: str = ""
    y_unit: str = ""
    x_money: str = ""
    y_money: str = ""


def blend(stops: tuple[str, ...], share: float) -> str:
    """The colour at `share` (0 to 1) of a scale."""
    at = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    i = min(int(at), len(stops) - 2)
    rest = at - i
    mixed = []
    for k in (1, 3, 5):
        a, b = int(stops[i][k : k + 2], 16), int(stops[i + 1][k : k + 2], 16)
        mixed.append(round(a + (b - a) * rest))
    return "#" + "".join(f"{c:02X}" for c in mixed)


def _edges(values: tuple[float, ...], *, log: bool) -> list[float]:
    """The borders between cells, half-way between their centres."""
    place: Callable[[float], float] = math.log if log else float
    back: Callable[[float], float] = math.exp if log else float
    v = [place(x) for x in values]
    if len(v) == 1:
        return [back(v[0] - 0.5), back(v[0] + 0.5)]
    middle = [(a + b) / 2 for a, b in pairwise(v)]
    ends = [v[0] - (middle[0] - v[0]), *middle, v[-1] + (v[-1] - middle[-1])]
    return [back(x) for x in ends]


@lays_out(HeatMap)
def plot(scene: HeatMap) -> Plot:
    """Lay out cells, contours, pins, and the scale of colours."""
    finite = [v for row in scene.values for v in row if math.isfinite(v)] or [0.0]
    low, high = min(finite), max(finite)
    stops: tuple[str, ...] = SEQUENTIAL
    if scene.centre is not None:
        reach = max(high - scene.centre, scene.centre - low) or 1.0
        low, high, stops = scene.centre - reach, scene.centre + reach, DIVERGING
    span = (high - low) or 1.0
    xe, ye = _edges(scene.xs, log=scene.x_log), _edges(scene.ys, log=scene.y_log)
    marks: list[Mark] = []
    for j, row in enumerate(scene.values):
        for i, value in enumerate(row):
            colour = (
                blend(stops, (value - low) / span)
                if math.isfinite(value)
                else "#DDDDDD"
            )
            marks.append(
                Box(xe[i], ye[j], xe[i + 1], ye[j + 1], colour, outline=colour)
            )
    for contour in scene.contours:
        marks += _contour(scene, contour)
    for pin in scene.pins:
        marks.append(Dot(pin.x, pin.y, INK, 3.0, hollow=True))
        marks.append(
            Label(
                pin.x,
                pin.y,
                pin.label,
                6,
                0,
                "left",
                7,
                600,
                INK,
                priority=1,
                backing=True,
            )
        )
    step = nice_step(span, 6)
    values = [
        i * step
        for i in range(math.ceil(low / step), math.floor(high / step + 1e-9) + 1)
    ]
    texts = numbers.ticks(values, scene.unit)
    if scene.centre is not None:
        texts = tuple(numbers.signed(t) if scene.centre == 0 else t for t in texts)
    ticks = tuple(Tick(v, t) for v, t in zip(values, texts, strict=True))
    bar = ColourBar(tuple(blend(stops, i / 47) for i in range(48)), ticks, low, high)
    return Plot(
        scene.width,
        scene.height or scene.width * 0.52,
        Axis(
            xe[0], xe[-1], scene.x_title, scene.x_log,
            unit=scene.x_unit, money=scene.x_money, grid=False,
        ),
        Axis(
            ye[0], ye[-1], _heads(scene), scene.y_log,
            unit=scene.y_unit, money=scene.y_money, grid=False,
        ),
        tuple(marks),
        bar=bar,
    )  # fmt: skip


def _heads(scene: HeatMap) -> str:
    """The words above the map: the vertical axis, then what the colours are."""
    return f"{scene.y_title}   ·   colour: {scene.title}"


def _contour(scene: HeatMap, contour: Contour) -> list[Mark]:
    """The pieces of one contour, and its label at the middle of the longest."""
    pieces = _join(_segments(scene, contour.at))
    marks: list[Mark] = [Line(tuple(piece), INK, 1.5) for piece in pieces]
    if contour.label and pieces:
        longest = max(pieces, key=len)
        x, y = longest[len(longest) // 2]
        marks.append(
            Label(
                x, y, contour.label, 6, 8, "left", 7, 600, INK, priority=2, backing=True
            )
        )
    return marks


Point = tuple[float, float]


def _segments(scene: HeatMap, at: float) -> list[tuple[Point, Point]]:
    """Marching squares over the grid's cells."""
    found: list[tuple[Point, Point]] = []
    for j in range(len(scene.ys) - 1):
        for i in range(len(scene.xs) - 1):
            corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            cuts = []
            for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
                va, vb = scene.values[a[1]][a[0]] - at, scene.values[b[1]][b[0]] - at
                if (va < 0) != (vb < 0):
                    cuts.append(_between(scene, a, b, va / (va - vb)))
            found += [(cuts[k], cuts[k + 1]) for k in range(0, len(cuts) - 1, 2)]
    return found


def _between(
    scene: HeatMap, a: tuple[int, int], b: tuple[int, int], share: float
) -> Point:
    """The point at `share` of the way between two grid points."""
    # Always from the lower to the higher grid point: shared edges then agree exactly.
    if b < a:
        a, b, share = b, a, 1 - share
    ax, ay = scene.xs[a[0]], scene.ys[a[1]]
    bx, by = scene.xs[b[0]], scene.ys[b[1]]
    x = ax * (bx / ax) ** share if scene.x_log else ax + share * (bx - ax)
    y = ay * (by / ay) ** share if scene.y_log else ay + share * (by - ay)
    return (round(x, 12), round(y, 12))


def _join(segments: list[tuple[Point, Point]]) -> list[list[Point]]:
    """Chains of segments that share ends."""
    chains: list[list[Point]] = []
    rest = list(segments)
    while rest:
        a, b = rest.pop(0)
        chain = [a, b]
        moved = True
        while moved:
            moved = False
            for k, (p, q) in enumerate(rest):
                if _extend(chain, p, q):
                    rest.pop(k)
                    moved = True
                    break
        chains.append(chain)
    return chains


def _extend(chain: list[Point], p: Point, q: Point) -> bool:
    """Add a segment to either end of `chain` where it fits."""
    near = 1e-9
    for end, new in ((p, q), (q, p)):
        if math.dist(chain[-1], end) < near:
            chain.append(new)
            return True
        if math.dist(chain[0], end) < near:
            chain.insert(0, new)
            return True
    return False
