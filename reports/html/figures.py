"""Charts in a page: SVG in the page's own colours, its marks within reach.

The drawing is the one of the PDF. Each mark becomes a group with a number and a word
on what it shows; where its place or its words are traced, the data say how a script
moves it when an input moves.
"""

from html import escape
from typing import Any

import attrs

from isocost.reports.charts import layout_of
from isocost.reports.charts.compose import compose
from isocost.reports.charts.drawing import (
    X_AXIS,
    Y_AXIS,
    Circle,
    Drawing,
    Path,
    Rect,
    Shape,
    Text,
)
from isocost.reports.charts.frame import Frame, frame_of
from isocost.reports.charts.plot import Area, Axis, Box, Dot, Label, Line, Mark, Plot
from isocost.reports.charts.scene import Scene
from isocost.reports.charts.svg import number
from isocost.reports.glyphs import clean
from isocost.reports.html.colours import on, use
from isocost.reports.html.program import Outputs, plain
from isocost.reports.html.tips import tip_of
from isocost.reports.traced import OPEN, Traced, bare, pieces

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
#: Scenes made from draws or from a search, which a page does not repeat.
FROZEN = frozenset({"Frontier", "HeatMap", "Violin", "Shaded"})


@attrs.frozen
class Picture:
    """A chart for a page: its SVG, and what a script needs to move it (or nothing)."""

    svg: str
    data: dict[str, Any] | None
    frozen: bool


def picture(scene: Scene, alt: str, outputs: Outputs) -> Picture:
    """A scene as SVG with its data."""
    traced = layout_of(scene)
    plot = stripped(traced)
    drawing, frame = compose(plot), frame_of(plot)
    tips = {i: tip for i, m in enumerate(traced.marks) if (tip := tip_of(m, traced))}
    marks = {
        str(i): found
        for i, mark in enumerate(traced.marks)
        if (found := _moving(mark, outputs)) is not None
    }
    for i, tip in tips.items():
        if OPEN in tip:
            marks.setdefault(str(i), {})["tip"] = plain(pieces(tip))
    svg = _svg(drawing, {i: bare(tip) for i, tip in tips.items()}, alt, plot, frame)
    frozen = type(scene).__name__ in FROZEN
    if not marks:
        return Picture(svg, None, frozen)
    return Picture(svg, {**_axes(plot, frame), "marks": marks}, frozen)


def stripped(value: Any) -> Any:
    """A plot with plain numbers; texts keep their marks until they are drawn."""
    if isinstance(value, Traced):
        return float(value)
    if isinstance(value, str):
        return bare(value)
    if isinstance(value, tuple):
        return tuple(stripped(one) for one in value)
    if attrs.has(type(value)):
        fields = {
            f.name: stripped(getattr(value, f.name)) for f in attrs.fields(type(value))
        }
        return type(value)(**fields)
    return value


# What moves.


def _moving(mark: Mark, outputs: Outputs) -> dict[str, Any] | None:
    """How a mark follows its numbers; None if it never moves."""

    def place(x: float, y: float) -> list[Any]:
        return [_coordinate(x, outputs), _coordinate(y, outputs)]

    match mark:
        case Line(points=points) | Area(points=points):
            kind = "line" if isinstance(mark, Line) else "area"
            found = [place(*p) for p in points]
        case Box():
            kind, found = "box", [place(mark.x0, mark.y0), place(mark.x1, mark.y1)]
        case Dot() | Label():
            kind = "dot" if isinstance(mark, Dot) else "label"
            found = [place(mark.x, mark.y)]
    still = all(isinstance(c, float | int) for p in found for c in p)
    made: dict[str, Any] = {}
    if not still:
        made = {"kind": kind, "at": found}
        if isinstance(mark, Label) and mark.edge:
            made["edge"] = True
    if isinstance(mark, Label) and OPEN in mark.text:
        made["text"] = plain(pieces(mark.text))
    return made or None


def _coordinate(value: float, outputs: Outputs) -> Any:
    """A number, or which output it follows, or which output says that it is stale."""
    if not isinstance(value, Traced):
        return value
    out = outputs.of(value.expr)
    return {"frozen": out, "value": float(value)} if value.frozen else {"out": out}


def _axes(plot: Plot, frame: Frame) -> dict[str, Any]:
    """The frame as a script maps numbers to places."""

    def axis(one: Axis, start: float, stop: float) -> dict[str, Any]:
        return {
            "low": one.low,
            "high": one.high,
            "log": one.log,
            "band": one.band,
            "fixed": one.ticks is not None or not one.show,
            "unit": one.unit,
            "money": one.money,
            "start": start,
            "stop": stop,
        }

    ends = (frame.top, frame.bottom) if plot.down else (frame.bottom, frame.top)
    return {
        "x": axis(plot.x, frame.left, frame.right),
        "y": axis(plot.y, *ends),
        "box": [frame.left, frame.top, frame.right, frame.bottom],
        "width": plot.width,
    }


# How it is written.


def _svg(
    drawing: Drawing, tips: dict[int, str], alt: str, plot: Plot, frame: Frame
) -> str:
    width, height = number(drawing.width), number(drawing.height)
    head = f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" tabindex="0"'
    head += f' aria-label="{escape(clean(bare(alt)))}" style="max-width:{width}pt">'
    lines = [head]
    lines += _groups(drawing.shapes, tips)
    lines += _curve_points(plot, frame)
    lines += [_text(text, _ink(text, plot)) for text in drawing.texts]
    lines.append("</svg>")
    return "".join(lines)


def _groups(shapes: tuple[Shape, ...], tips: dict[int, str]) -> list[str]:
    """Shapes of one mark in one group, with its number and its word."""
    out: list[str] = []
    at = -1
    for shape in shapes:
        if shape.mark != at:
            if at != -1:
                out.append("</g>")
            at = shape.mark
            if at != -1:
                tip = f' data-tip="{escape(clean(tips[at]))}"' if at in tips else ""
                axis = {X_AXIS: ' data-axis="x"', Y_AXIS: ' data-axis="y"'}.get(at)
                out.append(f"<g{axis}>" if axis else f'<g data-m="{at}"{tip}>')
        out.append(_shape(shape))
    if at != -1:
        out.append("</g>")
    return out


def _shape(shape: Shape) -> str:
    paint = f' fill="{use(shape.fill) or "none"}"'
    if shape.stroke:
        paint += f' stroke="{use(shape.stroke)}"'
    match shape:
        case Rect(x=x, y=y, width=w, height=h, opacity=opacity):
            edge = ' stroke-width="0.5"' if shape.stroke else ""
            place = f'x="{number(x)}" y="{number(y)}"'
            size = f'width="{number(w)}" height="{number(h)}"'
            return f"<rect {place} {size}{paint}{edge}{_faint(opacity)}/>"
        case Circle(x=x, y=y, radius=r, width=w):
            edge = f' stroke-width="{number(w)}"' if shape.stroke else ""
            return (
                f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r)}"'
                f"{paint}{edge}/>"
            )
        case Path():
            return _path(shape, paint)


def _path(path: Path, paint: str) -> str:
    d = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in path.points)
    out = f'<path d="{d}{"Z" if path.closed else ""}"{paint}'
    if path.stroke:
        out += f' stroke-width="{number(path.width)}" stroke-linejoin="round"'
    if path.dash:
        out += f' stroke-dasharray="{" ".join(map(number, path.dash))}"'
    return f"{out}{_faint(path.opacity)}/>"


def _faint(opacity: float) -> str:
    return "" if opacity == 1 else f' opacity="{number(opacity)}"'


def _ink(text: Text, plot: Plot) -> str:
    """The colour of a text: on a bar, whatever reads on the bar, by day and night."""
    at = text.mark
    if at > 0 and isinstance(box := plot.marks[at - 1], Box):
        label = plot.marks[at]
        if isinstance(label, Label) and not label.free and label.side == "center":
            x, y = sorted((box.x0, box.x1)), sorted((box.y0, box.y1))
            if x[0] < label.x < x[1] and y[0] < label.y < y[1]:
                return on(box.colour)
    return use(text.colour)


def _text(text: Text, ink: str) -> str:
    x, y = number(text.x), number(text.y)
    out = f'<text x="{x}" y="{y}" font-size="{number(text.size)}"'
    if text.weight != 400:  # noqa: PLR2004 (the default)
        out += f' font-weight="{text.weight}"'
    out += f' fill="{ink}" text-anchor="{_ANCHORS[text.side]}"'
    if text.angle:
        out += f' transform="rotate({number(text.angle)} {x} {y})"'
    axis = {X_AXIS: ' data-axis="x"', Y_AXIS: ' data-axis="y"'}.get(text.mark, "")
    mark = f' data-m="{text.mark}"' if text.mark >= 0 else axis
    return f"{out}{mark}>{escape(clean(text.text))}</text>"


def _curve_points(plot: Plot, frame: Frame) -> list[str]:
    """Places on long lines that can be pointed at: unseen, each with its word."""
    out: list[str] = []
    for i, mark in enumerate(plot.marks):
        if not isinstance(mark, Line) or len(mark.points) < 3:  # noqa: PLR2004 (a curve)
            continue
        step = max(len(mark.points) // 16, 1)
        for x, y in mark.points[::step]:
            at = Dot(x, y, mark.colour)
            tip = tip_of(at, plot)
            px, py = frame.x(x), frame.y(y)
            inside = frame.left <= px <= frame.right and frame.top <= py <= frame.bottom
            if tip and inside:
                out.append(
                    f'<g class="hit" data-of="{i}" data-tip="{escape(clean(tip))}">'
                    f'<circle cx="{number(px)}" cy="{number(py)}" r="5"/></g>'
                )
    return out
