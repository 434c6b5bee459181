"""The room around a plot: legend above, ticks and titles beside, then the marks."""

import attrs

from isocost.reports.charts.drawing import (
    X_AXIS,
    Y_AXIS,
    Circle,
    Path,
    Rect,
    Shape,
    Text,
)
from isocost.reports.charts.metrics import cut, text_width, wrap
from isocost.reports.charts.plot import (
    GRID,
    INK,
    MUTED,
    Axis,
    ColourBar,
    Key,
    Plot,
    Tick,
)
from isocost.reports.charts.scale import Map, ticks_of

SIZE = 7.0
LINE = 9.0
TIGHT = 8.6  # two lines of one name
CAP = 0.36  # half the height of a capital, of the size
BAR_ROOM = 46.0
#: No name beside a row may take more of the width than this.
NAMES = 0.34


@attrs.frozen
class Frame:
    """Where the axes lie, and what stands around them."""

    left: float
    top: float
    right: float
    bottom: float
    x: Map
    y: Map
    under: tuple[Shape, ...]
    over: tuple[Shape, ...]
    texts: tuple[Text, ...]


def frame_of(plot: Plot) -> Frame:
    """Measure the surroundings of `plot` and lay them out."""
    legend, legend_texts, top = _legend(plot.keys, plot.width)
    title, top = _title_above(plot, top)
    right = plot.width - plot.right - (BAR_ROOM if plot.bar else 0)
    # Names below may wrap, which costs height, which costs ticks, which cost width:
    # one round with five ticks says how many there will be.
    bottom = plot.height - _room_below(plot.x, right - _left_room(plot, 5))
    wanted = max(int((bottom - top) / 30), 2)
    left = _left_room(plot, wanted)
    bottom = plot.height - _room_below(plot.x, right - left)
    left, top, right, bottom = _fit(plot, (left, top, right, bottom))
    x = Map(plot.x, left, right)
    y = Map(plot.y, top, bottom) if plot.down else Map(plot.y, bottom, top)
    grid, over, words = _axes(plot, (left, top, right, bottom), x, y, wanted)
    bar_shapes, bar_texts = _colour_bar(plot.bar, right + 12, top, bottom)
    under = (*legend, *grid, *bar_shapes)
    texts = (*legend_texts, *title, *words, *bar_texts)
    return Frame(left, top, right, bottom, x, y, under, tuple(over), texts)


def _fit(plot: Plot, box: tuple[float, float, float, float]) -> tuple[float, ...]:
    """The box, shrunk to the data's own proportions where both axes share a unit."""
    left, top, right, bottom = box
    if not plot.equal:
        return box
    wide, high = plot.x.high - plot.x.low, plot.y.high - plot.y.low
    scale = min((right - left) / wide, (bottom - top) / high)
    dx = (right - left - wide * scale) / 2
    dy = (bottom - top - high * scale) / 2
    return left + dx, top + dy, right - dx, bottom - dy


def _title_above(plot: Plot, top: float) -> tuple[tuple[Text, ...], float]:
    """The vertical axis's title, level above it: nobody turns the head."""
    if not plot.y.title:
        return (), top + (4.0 if plot.y.show and not plot.y.band else 1.0)
    words = cut(plot.y.title, plot.width, SIZE)
    return (Text(0, top + SIZE, words, SIZE, 400, MUTED),), top + SIZE + 8


def _legend(
    keys: tuple[Key, ...], width: float
) -> tuple[list[Shape], list[Text], float]:
    """The legend's shapes and texts, in rows from the top, and its height."""
    shapes: list[Shape] = []
    texts: list[Text] = []
    x, y = 0.0, 0.0
    for key in keys:
        words = cut(key.text, width - 16, SIZE)
        need = 15 + text_width(words, SIZE) + 14
        if x > 0 and x + need - 14 > width:
            x, y = 0.0, y + LINE + 2
        shapes += _swatch(key, x, y + SIZE - CAP * SIZE)
        texts.append(Text(x + 15, y + SIZE, words, SIZE, 400, INK))
        x += need
    return shapes, texts, (y + LINE + 5 if keys else 0.0)


def _swatch(key: Key, x: float, y: float) -> list[Shape]:
    """The sign of one legend entry, centred on the height of its text."""
    if key.form in {"line", "dash"}:
        dash = (3.0, 2.0) if key.form == "dash" else ()
        return [Path(((x, y), (x + 11, y)), stroke=key.colour, width=1.6, dash=dash)]
    if key.form == "box":
        return [Rect(x + 1, y - 3.2, 9, 6.4, key.colour)]
    return [dot_shape(x + 5.5, y, 2.8, key.form, key.colour)]


def dot_shape(x: float, y: float, r: float, form: str, colour: str) -> Shape:
    """A point in one of the shapes that tell series apart."""
    if form == "hollow":
        return Circle(x, y, r - 0.2, "#FFFFFF", colour, 1.2)
    if form == "square":
        return Rect(x - r * 0.88, y - r * 0.88, r * 1.76, r * 1.76, colour)
    if form == "diamond":
        k = r * 1.25
        corners = ((x, y - k), (x + k, y), (x, y + k), (x - k, y))
        return Path(corners, fill=colour, closed=True)
    if form == "triangle":
        k = r * 1.2
        points = ((x, y - k), (x + k, y + 0.75 * k), (x - k, y + 0.75 * k))
        return Path(points, fill=colour, closed=True)
    return Circle(x, y, r, colour)


def _left_room(plot: Plot, wanted: int) -> float:
    """How far the vertical axis's texts reach into the canvas."""
    if not plot.y.show:
        return 4.0
    limit = plot.width * NAMES
    lines = [
        line
        for tick in ticks_of(plot.y, wanted)
        for line in (wrap(tick.text, limit, SIZE) if plot.y.band else (tick.text,))
    ]
    return max((text_width(line, SIZE) for line in lines), default=0.0) + 7


def _room_below(axis: Axis, width: float) -> float:
    """The height of the horizontal axis's ticks and title."""
    if not axis.show:
        return 3.0
    lines = 1
    if axis.band and axis.ticks:
        each = width / len(axis.ticks) - 4
        lines = max(len(wrap(t.text, each, SIZE)) for t in axis.ticks)
    return 6 + LINE * lines + (LINE + 2 if axis.title else 0)


def _axes(
    plot: Plot, box: tuple[float, ...], x: Map, y: Map, wanted: int
) -> tuple[list[Shape], list[Shape], list[Text]]:
    """Grid, base lines, tick texts, titles."""
    left, top, right, bottom = box
    under: list[Shape] = []
    over: list[Shape] = []
    texts: list[Text] = []
    if plot.y.show:
        for tick in ticks_of(plot.y, wanted):
            at = y(tick.at)
            if plot.y.grid and not plot.y.band and not tick.minor:
                under.append(_rule(left, at, right, at, Y_AXIS))
            if not tick.minor:
                texts += _left_texts(tick, at, left, plot)
    if plot.x.show:
        ticks = ticks_of(plot.x, max(int((right - left) / 56), 3))
        for tick in ticks:
            at = x(tick.at)
            if plot.x.grid and not plot.x.band and not tick.minor:
                under.append(_rule(at, top, at, bottom, X_AXIS))
            if not plot.x.band:
                length = 1.6 if tick.minor else 3.0
                ends = (at, bottom), (at, bottom + length)
                over.append(Path(ends, MUTED, width=0.5, mark=X_AXIS))
        over.append(Path(((left, bottom), (right, bottom)), MUTED, width=0.7))
        texts += _bottom_texts(plot, ticks, x, box)
    return under, over, texts


def _rule(x0: float, y0: float, x1: float, y1: float, axis: int) -> Path:
    """A line of the grid."""
    return Path(((x0, y0), (x1, y1)), stroke=GRID, width=0.5, mark=axis)


def _left_texts(tick: Tick, at: float, left: float, plot: Plot) -> list[Text]:
    """The words of one tick of the vertical axis, wrapped where they are names."""
    if not plot.y.band:
        place = left - 5, at + CAP * SIZE
        return [Text(*place, tick.text, SIZE, 400, MUTED, "right", mark=Y_AXIS)]
    lines = wrap(tick.text, plot.width * NAMES, SIZE)
    first = at + CAP * SIZE - TIGHT / 2 * (len(lines) - 1)
    return [
        Text(left - 7, first + i * TIGHT, line, SIZE, 400, INK, "right")
        for i, line in enumerate(lines)
    ]


def _bottom_texts(
    plot: Plot, ticks: tuple[Tick, ...], x: Map, box: tuple[float, ...]
) -> list[Text]:
    """The words below the horizontal axis; numbers that would touch are left out."""
    left, _, right, bottom = box
    texts: list[Text] = []
    base = bottom + 4 + SIZE
    if plot.x.band:
        each = (right - left) / max(len(ticks), 1) - 4
        for tick in ticks:
            texts += [
                Text(x(tick.at), base + i * LINE, line, SIZE, 400, INK, "center")
                for i, line in enumerate(wrap(tick.text, each, SIZE))
            ]
        rows = max((len(wrap(t.text, each, SIZE)) for t in ticks), default=1)
    else:
        texts, rows = _numbers_below(plot, ticks, x, base), 1
    if plot.x.title:
        words = cut(plot.x.title, plot.width, SIZE)
        half = text_width(words, SIZE) / 2
        middle = min(max((left + right) / 2, half), plot.width - half)
        at = base + rows * LINE + 2
        texts.append(Text(middle, at, words, SIZE, 400, MUTED, "center"))
    return texts


def _numbers_below(
    plot: Plot, ticks: tuple[Tick, ...], x: Map, base: float
) -> list[Text]:
    """Tick texts that leave room for each other, kept within the canvas."""
    out: list[Text] = []
    edge = -4.0
    for tick in ticks:
        half = text_width(tick.text, SIZE) / 2
        at = min(max(x(tick.at), half), plot.width - half)
        moved = abs(at - x(tick.at))
        if tick.text and at - half > edge + 4 and moved < 6:  # noqa: PLR2004 - points
            text = Text(at, base, tick.text, SIZE, 400, MUTED, "center", mark=X_AXIS)
            out.append(text)
            edge = at + half
    return out


def _colour_bar(
    bar: ColourBar | None, x: float, top: float, bottom: float
) -> tuple[list[Shape], list[Text]]:
    """The colour scale beside a heat map."""
    if bar is None:
        return [], []
    shapes: list[Shape] = []
    step = (bottom - top) / len(bar.colours)
    for i, colour in enumerate(bar.colours):
        # Half a point of overlap: no seam shows between two steps.
        lap = 0.5 if i else 0.0
        shapes.append(Rect(x, bottom - (i + 1) * step, 8, step + lap, colour))
    at = Map(Axis(bar.low, bar.high), bottom, top)
    texts = [
        Text(x + 11, at(t.at) + CAP * SIZE, t.text, SIZE, 400, MUTED)
        for t in bar.ticks
        if t.text
    ]
    return shapes, texts
