"""From a plot to a drawing: every mark gets its place, every label its room."""

import math
from itertools import pairwise

import attrs

from isocost.reports.charts.drawing import (
    Circle,
    Drawing,
    Path,
    Point,
    Rect,
    Shape,
    Text,
)
from isocost.reports.charts.frame import CAP, Frame, dot_shape, frame_of
from isocost.reports.charts.labels import GAP, Placer, clip, nearest, spread
from isocost.reports.charts.metrics import ASCENT, DESCENT, cut
from isocost.reports.charts.plot import (
    INKS,
    MUTED,
    PAPER,
    Area,
    Box,
    Dot,
    Label,
    Line,
    Mark,
    Plot,
)


def compose(plot: Plot) -> Drawing:
    """Lay out `plot`: shapes in the order of its marks, texts above them all."""
    frame = frame_of(plot)
    placer = Placer(plot.width, plot.height)
    placer.inner = frame.left, frame.top - 6, plot.width, frame.bottom
    lost: list[str] = []
    for text in frame.texts:
        # Names of rows too many for the height: the later of two that meet goes.
        if placer.fits(text):
            placer.keep(text)
        else:
            lost.append(text.text)
    shapes: list[Shape] = [*frame.under]
    labels: list[Label] = []
    for i, mark in enumerate(plot.marks):
        if isinstance(mark, Label):
            labels.append(attrs.evolve(mark, mark=i))
        else:
            shapes += [attrs.evolve(s, mark=i) for s in _shapes(mark, frame)]
            _remember(mark, frame, placer)
    shapes += frame.over
    leaders, dropped = _place_all(labels, frame, placer)
    texts = tuple(placer.texts)
    return Drawing(
        plot.width, plot.height, (*shapes, *leaders), texts, (*lost, *dropped)
    )


def _at(frame: Frame, x: float, y: float) -> Point:
    """A point of the data on the canvas."""
    return frame.x(x), frame.y(y)


def _shapes(mark: Mark, frame: Frame) -> list[Shape]:
    """The shapes of one mark."""
    match mark:
        case Line(points=points, colour=colour, width=width, dash=dash):
            placed = [_at(frame, *p) for p in points]
            runs = _clipped(placed, frame) if mark.clip else [placed]
            return [Path(tuple(r), colour, width=width, dash=dash) for r in runs]
        case Area(points=points, colour=colour, opacity=opacity):
            inside = tuple(_held(_at(frame, *p), frame) for p in points)
            return [Path(inside, fill=colour, opacity=opacity, closed=True)]
        case Box():
            return [_box(mark, frame)]
        case Dot(x=x, y=y, colour=colour, radius=radius, shape=shape, hollow=hollow):
            form = "hollow" if hollow else shape
            px, py = _at(frame, x, y)
            halo = Circle(px, py, radius + 1, PAPER)
            return [halo, dot_shape(px, py, radius, form, colour)]
        case _:
            return []


def _box(mark: Box, frame: Frame) -> Rect:
    """A rectangle with its corners held within the axes."""
    ax, ay = _held(_at(frame, mark.x0, mark.y0), frame)
    bx, by = _held(_at(frame, mark.x1, mark.y1), frame)
    return Rect(
        min(ax, bx), min(ay, by), abs(bx - ax), abs(by - ay),
        mark.colour, mark.outline, mark.opacity,
    )  # fmt: skip


def _held(point: Point, frame: Frame) -> Point:
    """`point`, moved onto the edge of the axes where it lies outside."""
    x = min(max(point[0], frame.left), frame.right)
    return x, min(max(point[1], frame.top), frame.bottom)


def _clipped(points: list[Point], frame: Frame) -> list[list[Point]]:
    """The runs of a line that lie within the axes."""
    box = frame.left - 0.01, frame.top - 0.01, frame.right + 0.01, frame.bottom + 0.01
    runs: list[list[Point]] = []
    for a, b in pairwise(points):
        part = clip(a, b, box)
        if part is None:
            continue
        if runs and math.dist(runs[-1][-1], part[0]) < 0.01:  # noqa: PLR2004
            runs[-1].append(part[1])
        else:
            runs.append(list(part))
    return runs


def _remember(mark: Mark, frame: Frame, placer: Placer) -> None:
    """Tell the placer what labels should not cover."""
    match mark:
        case Line(points=points):
            for run in _clipped([_at(frame, *p) for p in points], frame):
                placer.line(run)
        case Box():
            rect = _box(mark, frame)
            placer.box(rect.x, rect.y, rect.x + rect.width, rect.y + rect.height)
        case Dot(x=x, y=y, radius=radius):
            placer.dot(*_at(frame, x, y), radius + 1)
        case _:
            pass


def _place_all(
    labels: list[Label], frame: Frame, placer: Placer
) -> tuple[list[Shape], list[str]]:
    """Place the labels, the set ones first; what they need drawn, and what is lost."""
    rest = [k for k in labels if not k.edge]
    shapes = _edge([k for k in labels if k.edge], frame, placer, rest)
    dropped: list[str] = []
    for label in sorted(rest, key=lambda k: (k.free, k.priority)):
        if label.along is not None:
            done = _slide(label, frame, placer)
            if done is not None:
                shapes += _backing(label, done)
                continue
        wanted, anchor = _wanted(label, frame, placer)
        if not label.free and placer.fits(wanted):
            placer.keep(wanted)
            shapes += _backing(label, wanted)
            continue
        found = placer.place(wanted, anchor)
        if found is None:
            dropped.append(label.text)
            continue
        text, leader = found
        shapes += _backing(label, text)
        if leader:
            shapes.append(attrs.evolve(_leader(text, anchor), mark=label.mark))
    return shapes, dropped


def _edge(
    labels: list[Label], frame: Frame, placer: Placer, rest: list[Label]
) -> list[Shape]:
    """The column of labels right of the axes; what has no room there joins the rest."""
    placed = sorted(
        ((frame.y(k.y), k) for k in labels), key=lambda p: (p[0], p[1].text)
    )
    if not placed:
        return []
    size = max(k.size for k in labels)
    low, high = size * ASCENT, placer.canvas[3] - size * DESCENT
    lift = CAP * size
    gap = size * (ASCENT + DESCENT) + GAP + 0.1
    heights = spread([y + lift for y, _ in placed], gap, low, high)
    shapes: list[Shape] = []
    x = frame.right + 8
    for (y, label), base in zip(placed, heights, strict=True):
        words = cut(label.text, placer.canvas[2] - x, label.size, label.weight)
        text = Text(
            x, base, words, label.size, label.weight, _ink(label), mark=label.mark
        )
        if not placer.fits(text):
            rest.append(attrs.evolve(label, edge=False, dx=-3, dy=6, side="right"))
            continue
        placer.keep(text)
        if abs(base - lift - y) > 1.5:  # noqa: PLR2004 - else it stands level
            ends = (frame.right + 1.5, y), (x - 1.5, base - lift)
            shapes.append(Path(ends, stroke=label.colour, width=0.4, mark=label.mark))
    return shapes


def _ink(label: Label) -> str:
    """The colour of a label's letters."""
    return INKS.get(label.colour, label.colour)


def _wanted(label: Label, frame: Frame, placer: Placer) -> tuple[Text, Point]:
    """Where `label` asks to stand, and the point it belongs to."""
    px, py = _at(frame, label.x, label.y)
    words = cut(label.text, placer.canvas[2] * 0.6, label.size, label.weight)
    at = px + label.dx, py - label.dy + CAP * label.size
    text = Text(
        *at, words, label.size, label.weight, _ink(label), label.side, mark=label.mark
    )
    return text, (px, py)


def _slide(label: Label, frame: Frame, placer: Placer) -> Text | None:
    """A label along a slope: the first free place from its own towards the end."""
    if label.along is None:
        return None
    box = frame.left, frame.top, frame.right, frame.bottom
    part = clip(_at(frame, label.x, label.y), _at(frame, *label.along), box)
    if part is None:
        return None
    (ax, ay), (bx, by) = part
    angle = math.atan2(by - ay, bx - ax)
    best: tuple[float, Text] | None = None
    below = -label.size * ASCENT - 2.5
    sides = (label.dy or 4.0, below) if label.dy >= 0 else (below, 4.0)
    for rank, share in enumerate((0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)):
        for second, off in enumerate(sides):
            x = ax + share * (bx - ax) + off * math.sin(angle)
            y = ay + share * (by - ay) - off * math.cos(angle)
            text = Text(
                x, y, label.text, label.size, label.weight, _ink(label), "center",
                round(math.degrees(angle), 2), label.mark,
            )  # fmt: skip
            if not placer.fits(text):
                continue
            price = placer.cost(text) + 0.1 * rank + 0.05 * second
            if best is None or price < best[0]:
                best = price, text
    if best is None:
        return None
    placer.keep(best[1])
    return best[1]


def _backing(label: Label, text: Text) -> list[Shape]:
    """A pale ground behind a label that stands on lines."""
    if not label.backing:
        return []
    left, top, right, bottom = text.bounds
    return [
        Rect(left - 1, top, right - left + 2, bottom - top, PAPER, "", 0.82, label.mark)
    ]


def _leader(text: Text, anchor: Point) -> Path:
    """A thin line from a point to its label that had to move away."""
    x, y = nearest(text, anchor)
    length = math.hypot(x - anchor[0], y - anchor[1]) or 1.0
    start = 3.5 / length
    return Path(
        (
            (anchor[0] + start * (x - anchor[0]), anchor[1] + start * (y - anchor[1])),
            (x, y),
        ),
        stroke=MUTED,
        width=0.5,
    )
