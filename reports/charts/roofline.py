"""The roofline: what a chip can reach at an arithmetic intensity, log by log."""

import attrs

from isocost.reports import numbers
from isocost.reports.charts.metrics import text_width
from isocost.reports.charts.plot import (
    MUTED,
    Axis,
    Dot,
    Key,
    Label,
    Line,
    Mark,
    Plot,
    series,
)
from isocost.reports.charts.scale import log_range
from isocost.reports.charts.scene import Scene, lays_out

SHAPES = ("circle", "square", "diamond", "triangle")


@attrs.frozen
class Ceiling:
    """A compute ceiling of a chip: `BF16` at so many FLOP/s."""

    name: str
    flops: float


@attrs.frozen
class Roof:
    """One chip (or domain): its memory bandwidth (byte/s) and its ceilings.

    The highest ceiling is drawn solid, the others dashed.
    """

    name: str
    bandwidth: float
    ceilings: tuple[Ceiling, ...]
    memory: str = ""


@attrs.frozen
class Workload:
    """A workload's place: intensity in FLOP/byte, and FLOP/s reached on `chip`.

    Without `flops` it stands on the chip's highest roof.
    """

    name: str
    intensity: float
    chip: str
    flops: float | None = None


@attrs.frozen
class Roofline(Scene):
    """Roofs of several chips and the workloads below them.

    Args:
        roofs: the chips, in the order of the series.
        points: the workloads.
        flop: the unit of the ceilings' texts (`FLOP/s`, or `FLOP/s per domain`).
        low, high: the range of intensities; found from the data if None.
    """

    roofs: tuple[Roof, ...]
    points: tuple[Workload, ...] = ()
    flop: str = "FLOP/s"
    byte: str = "byte"
    low: float | None = None
    high: float | None = None


@lays_out(Roofline)
def plot(scene: Roofline) -> Plot:
    """Lay out a roofline."""
    xs = [p.intensity for p in scene.points]
    ridges = [c.flops / r.bandwidth for r in scene.roofs for c in r.ceilings]
    low = scene.low or log_range(min([*xs, min(ridges) / 30]) * 0.7, 1)[0]
    high = scene.high or log_range(1, max([*xs, *ridges]) * 3.2)[1]
    peak = max(c.flops for r in scene.roofs for c in r.ceilings)
    floors = [low * r.bandwidth for r in scene.roofs]
    floors += [p.flops for p in scene.points if p.flops]
    bottom, top = min(floors) * 0.8, peak * 2.2
    marks: list[Mark] = []
    least = min(r.bandwidth for r in scene.roofs)
    for i, roof in enumerate(scene.roofs):
        # The lowest slope is named below, clear of the one that may lie close above.
        side = -1.0 if roof.bandwidth == least and len(scene.roofs) > 1 else 3.6
        marks += _roof(roof, series(i), low, high, scene, side)
    for point in scene.points:
        marks += _point(point, scene)
    texts = [_ceiling_text(c, scene) for r in scene.roofs for c in r.ceilings]
    room = max(text_width(t, 6.6, 500) for t in texts)
    keys = tuple(Key(r.name, series(i), "line") for i, r in enumerate(scene.roofs))
    return Plot(
        scene.width,
        scene.height or scene.width * 0.56,
        Axis(
            low,
            high,
            f"Arithmetic intensity, FLOP per {scene.byte} of memory traffic",
            log=True,
        ),
        Axis(bottom, top, f"Attainable {scene.flop}", log=True),
        tuple(marks),
        keys=keys,
        right=room + 10,
    )


def _ceiling_text(ceiling: Ceiling, scene: Roofline) -> str:
    """What stands at the right end of a ceiling."""
    return f"{ceiling.name} {numbers.si(ceiling.flops, scene.flop)}"


def _roof(
    roof: Roof, colour: str, low: float, high: float, scene: Roofline, side: float
) -> list[Mark]:
    """The slope and the ceilings of one chip."""
    ceilings = sorted(roof.ceilings, key=lambda c: -c.flops)
    marks: list[Mark] = []
    for rank, ceiling in enumerate(ceilings):
        ridge = ceiling.flops / roof.bandwidth
        dash = (3.0, 2.2) if rank else ()
        width = 0.9 if rank else 1.5
        marks.append(
            Line(((ridge, ceiling.flops), (high, ceiling.flops)), colour, width, dash)
        )
        text = _ceiling_text(ceiling, scene)
        marks.append(
            Label(
                high,
                ceiling.flops,
                text,
                size=6.6,
                weight=500,
                colour=colour,
                edge=True,
            )
        )
    slope = (
        (low, low * roof.bandwidth),
        (ceilings[0].flops / roof.bandwidth, ceilings[0].flops),
    )
    marks.append(Line(slope, colour, 1.5))
    name = f"{roof.memory or roof.name} {numbers.si(roof.bandwidth, 'B/s')}"
    start, stop = slope
    marks.append(
        Label(*start, name, 0, side, "center", 6.6, 500, colour, priority=3, along=stop)
    )
    return marks


def _point(point: Workload, scene: Roofline) -> list[Mark]:
    """One workload, in its chip's colour and shape, with its name."""
    index = next((i for i, r in enumerate(scene.roofs) if r.name == point.chip), 0)
    roof = scene.roofs[index]
    peak = max(c.flops for c in roof.ceilings)
    at = point.flops or min(peak, point.intensity * roof.bandwidth)
    shape = SHAPES[index % len(SHAPES)]
    return [
        Dot(point.intensity, at, series(index), 2.8, shape),  # type: ignore[arg-type]
        Label(
            point.intensity,
            at,
            point.name,
            6,
            0,
            "left",
            7,
            400,
            MUTED,
            priority=4,
            backing=True,
        ),
    ]
