"""Lines over a number: break-even curves, ramps by quarter, sweeps."""

from itertools import pairwise

import attrs

from isocost.reports.charts.metrics import text_width
from isocost.reports.charts.plot import (
    INK,
    MUTED,
    Area,
    Axis,
    Dot,
    Key,
    Label,
    Line,
    Mark,
    Plot,
    Tick,
    series,
    tint,
)
from isocost.reports.charts.scale import log_range, nice_range
from isocost.reports.charts.scene import Scene, lays_out


@attrs.frozen
class Curve:
    """One line; `low` and `high` are the ends of its band at each point.

    `steps` draws a value as holding until the next point; `dashed` is for what is
    not measured or for a limit.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    steps: bool = False
    dashed: bool = False
    dots: bool = False


@attrs.frozen
class Crossing:
    """A place worth a word: where two lines meet."""

    x: float
    y: float
    label: str


@attrs.frozen
class Lines(Scene):
    """Curves over one axis.

    Args:
        curves: in the order of the series; each is named at its right end.
        crossings: named places.
        names: texts for the horizontal axis (quarters) at 0, 1, 2, …
        zero: keep zero on the vertical axis.
    """

    curves: tuple[Curve, ...]
    x_title: str
    y_title: str
    crossings: tuple[Crossing, ...] = ()
    names: tuple[str, ...] = ()
    x_log: bool = False
    y_log: bool = False
    zero: bool = True
    x_unit: str = ""
    y_unit: str = ""
    x_money: str = ""
    y_money: str = ""


@lays_out(Lines)
def plot(scene: Lines) -> Plot:
    """Lay out curves, bands below them, names at their ends."""
    xs = [p[0] for c in scene.curves for p in c.points]
    ys = [p[1] for c in scene.curves for p in c.points]
    ys += [v for c in scene.curves for v in (*c.low, *c.high)]
    x = _axis_x(scene, xs)
    if scene.y_log:
        low, high = log_range(min(ys), max(ys))
    else:
        low, high = nice_range(min(0.0, *ys) if scene.zero else min(ys), max(ys))
    y = Axis(
        low,
        high,
        scene.y_title,
        log=scene.y_log,
        unit=scene.y_unit,
        money=scene.y_money,
    )
    bands: list[Mark] = []
    lines: list[Mark] = []
    for i, curve in enumerate(scene.curves):
        bands += _band(curve, series(i))
        lines += _curve(curve, series(i))
    for crossing in scene.crossings:
        lines.append(Dot(crossing.x, crossing.y, INK, 3.0, hollow=True))
        lines.append(
            Label(crossing.x, crossing.y, crossing.label, 7, 8, "left", 7, 600, INK,
                  priority=1, backing=True)
        )  # fmt: skip
    right = max((text_width(c.name, 7, 500) for c in scene.curves), default=0.0) + 11
    keys: tuple[Key, ...] = ()
    if right > scene.width * 0.28:
        right = 8.0
        keys = tuple(
            Key(c.name, series(i), "dash" if c.dashed else "line")
            for i, c in enumerate(scene.curves)
        )
    else:
        lines += [_name(c, series(i)) for i, c in enumerate(scene.curves)]
    height = scene.height or scene.width * 0.46
    return Plot(scene.width, height, x, y, (*bands, *lines), keys, right=right)


def _axis_x(scene: Lines, xs: list[float]) -> Axis:
    """The horizontal axis: names, logarithmic, or as long as the curves."""
    if scene.names:
        ticks = tuple(Tick(float(i), n) for i, n in enumerate(scene.names))
        return Axis(
            -0.2, len(scene.names) - 0.8, scene.x_title, ticks=ticks, grid=False
        )
    low, high = min(xs), max(xs)
    return Axis(
        low, high if high > low else low + 1, scene.x_title,
        log=scene.x_log, unit=scene.x_unit, money=scene.x_money, grid=False,
    )  # fmt: skip


def _stepped(
    points: tuple[tuple[float, float], ...],
) -> tuple[tuple[float, float], ...]:
    """Each value held until the next point."""
    out = [points[0]]
    for (_, y), (x, new) in pairwise(points):
        out += [(x, y), (x, new)]
    return tuple(out)


def _band(curve: Curve, colour: str) -> list[Mark]:
    """The 90% band of one curve."""
    if not curve.low or not curve.high:
        return []
    xs = [p[0] for p in curve.points]
    upper = list(zip(xs, curve.high, strict=True))
    lower = list(zip(xs, curve.low, strict=True))
    return [Area((*upper, *reversed(lower)), tint(colour, 0.6), 0.28)]


def _curve(curve: Curve, colour: str) -> list[Mark]:
    """One line, with its points if asked for."""
    points = _stepped(curve.points) if curve.steps else curve.points
    dash = (3.5, 2.4) if curve.dashed else ()
    marks: list[Mark] = [Line(points, colour, 1.6, dash)]
    if curve.dots:
        marks += [Dot(x, y, colour, 2.3) for x, y in curve.points]
    return marks


def _name(curve: Curve, colour: str) -> Label:
    """The curve's name at its right end."""
    x, y = curve.points[-1]
    ink = colour if colour != INK else MUTED
    return Label(x, y, curve.name, weight=500, colour=ink, edge=True)
