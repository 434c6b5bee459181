"""The one place that writes SVG.

Coordinates are rounded to hundredths of a point and attributes come in a fixed
order, so that the same drawing gives the same bytes everywhere.
"""

from html import escape

from isocost.reports.charts.drawing import Circle, Drawing, Path, Rect, Shape, Text
from isocost.reports.glyphs import clean

FAMILY = "Isocost Sans"
_ANCHORS = {
    "left": "",
    "center": ' text-anchor="middle"',
    "right": ' text-anchor="end"',
}


def number(value: float) -> str:
    """`value` to hundredths, as short as it goes, never `-0`."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def write(drawing: Drawing) -> str:
    """`drawing` as an SVG document."""
    width, height = number(drawing.width), number(drawing.height)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt"'
    head += f' height="{height}pt" viewBox="0 0 {width} {height}"'
    lines = [f'{head} font-family="{FAMILY}">']
    lines += [_shape(shape) for shape in drawing.shapes]
    lines += [_text(text) for text in drawing.texts]
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def _paint(shape: Shape) -> str:
    """The attributes that say how a shape is filled and stroked."""
    out = f' fill="{shape.fill or "none"}"'
    if shape.stroke:
        out += f' stroke="{shape.stroke}"'
    return out


def _shape(shape: Shape) -> str:
    """One element for one shape."""
    paint = _paint(shape)
    match shape:
        case Rect(x=x, y=y, width=w, height=h, opacity=opacity, stroke=stroke):
            edge = ' stroke-width="0.5"' if stroke else ""
            return (
                f'<rect x="{number(x)}" y="{number(y)}" width="{number(w)}"'
                f' height="{number(h)}"{paint}{edge}{_opacity(opacity)}/>'
            )
        case Circle(x=x, y=y, radius=r, width=w, stroke=stroke):
            edge = f' stroke-width="{number(w)}"' if stroke else ""
            centre = f'cx="{number(x)}" cy="{number(y)}"'
            return f'<circle {centre} r="{number(r)}"{paint}{edge}/>'
        case Path():
            return _path(shape, paint)


def _path(path: Path, paint: str) -> str:
    """A `path` element."""
    d = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in path.points)
    out = f'<path d="{d}{"Z" if path.closed else ""}"{paint}'
    if path.stroke:
        out += f' stroke-width="{number(path.width)}" stroke-linejoin="round"'
    if path.dash:
        out += f' stroke-dasharray="{" ".join(map(number, path.dash))}"'
    return f"{out}{_opacity(path.opacity)}/>"


def _opacity(opacity: float) -> str:
    """The attribute, where it is not the default."""
    return "" if opacity == 1 else f' opacity="{number(opacity)}"'


def _text(text: Text) -> str:
    """A `text` element."""
    x, y = number(text.x), number(text.y)
    out = f'<text x="{x}" y="{y}" font-size="{number(text.size)}"'
    if text.weight != 400:  # noqa: PLR2004 - the default of SVG
        out += f' font-weight="{text.weight}"'
    out += f' fill="{text.colour}"{_ANCHORS[text.side]}'
    if text.angle:
        out += f' transform="rotate({number(text.angle)} {x} {y})"'
    return f"{out}>{escape(clean(text.text))}</text>"
