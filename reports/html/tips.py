"""What a mark of a chart says when a reader points at it: whose it is, and how much."""

from isocost.reports import numbers as n
from isocost.reports.charts.plot import Axis, Box, Dot, Line, Mark, Plot


def tip_of(mark: Mark, plot: Plot) -> str:
    """The words of a mark; empty where it shows no number of its own."""
    match mark:
        case Dot(x=x, y=y):
            return _joined(_series(mark.colour, plot), *_place(x, y, plot))
        case Box():
            return _box(mark, plot)
        case Line(points=((x0, y0), (x1, y1))) if plot.y.band != plot.x.band:
            return _span(mark, (x0, y0), (x1, y1), plot)
        case _:
            return ""


def _span(
    mark: Line, start: tuple[float, float], stop: tuple[float, float], plot: Plot
) -> str:
    """A line along the axis of numbers: an interval."""
    along = 0 if plot.y.band else 1
    axis, band = (plot.x, plot.y) if plot.y.band else (plot.y, plot.x)
    if float(start[1 - along]) != float(stop[1 - along]):
        return ""
    if float(start[along]) == float(stop[along]):
        return ""
    ends = f"{_number(start[along], axis)} to {_number(stop[along], axis)}"
    name = _row(start[1 - along], band) or _series(mark.colour, plot)
    return _joined(name, ends)


def _box(box: Box, plot: Plot) -> str:
    """A bar says its length, and where it begins if that is not zero."""
    if plot.x.band == plot.y.band or not (plot.x.show or plot.y.show):
        return ""
    if plot.y.band:
        axis, name = plot.x, _row((box.y0 + box.y1) / 2, plot.y)
        start, stop = box.x0, box.x1
    else:
        axis, name = plot.y, _row((box.x0 + box.x1) / 2, plot.x)
        start, stop = box.y0, box.y1
    if float(start) == float(stop):
        return ""
    size = _number(stop - start if float(start) else stop, axis)
    return _joined(name, _series(box.colour, plot), size)


def _place(x: float, y: float, plot: Plot) -> list[str]:
    if plot.y.band:
        return [_row(y, plot.y), _number(x, plot.x)]
    if plot.x.band:
        return [_row(x, plot.x), _number(y, plot.y)]
    if not (plot.x.show and plot.y.show):
        return []
    return [_named(x, plot.x), _named(y, plot.y)]


def _named(value: float, axis: Axis) -> str:
    title = axis.title.partition(",")[0]
    unit = axis.title.partition(",")[2].strip() if "," in axis.title else ""
    text = _number(value, axis)
    return f"{title} {n.with_unit(text, unit)}" if title else text


def _number(value: float, axis: Axis) -> str:
    if axis.money:
        return n.money(value, axis.money)
    text = n.plain(value)
    return n.with_unit(text, axis.unit) if axis.unit else text


def _row(at: float, band: Axis) -> str:
    """The name of the nearest row."""
    ticks = [t for t in band.ticks or () if t.text]
    if not ticks:
        return ""
    near = min(ticks, key=lambda t: abs(float(t.at) - float(at)))
    return near.text if abs(float(near.at) - float(at)) <= 0.5 else ""  # noqa: PLR2004 (half a row)


def _series(colour: str, plot: Plot) -> str:
    found = [k.text for k in plot.keys if k.colour == colour]
    return found[0] if len(found) == 1 else ""


def _joined(*words: str) -> str:
    """The words that there are, a number with no name beside it left out."""
    kept = [w for w in words if w]
    return ": ".join([" · ".join(kept[:-1]), kept[-1]]) if len(kept) > 1 else ""
