"""Marks on axes: what every chart is made of before it is placed on a canvas.

Coordinates are the data's own; sizes are points. A renderer needs to know these few
classes and nothing of the charts, so that pages in a browser can draw the same
plots again when a number moves.
"""

from typing import Literal

import attrs

INK = "#16202E"
MUTED = "#5B6675"
RULE = "#C9D0D9"
GRID = "#DCE1E8"
PANEL = "#F4F6F9"
PAPER = "#FFFFFF"
#: The series in order.
SERIES = ("#0B5FA5", "#C8501E", "#D99A00", "#5AA9DD", "#16202E", "#8A94A3")
#: What a series' colour becomes as the colour of a text: dark enough to read.
INKS = {"#D99A00": "#946700", "#5AA9DD": "#2476AB", "#8A94A3": "#5B6675"}
#: Always shown with a sign as well: colour alone says nothing to some readers.
GOOD = "#00775C"
BAD = "#C8501E"

Weight = Literal[400, 500, 600]
Side = Literal["left", "right", "center"]


def series(index: int) -> str:
    """The colour of the series at `index`; they repeat after the sixth."""
    return SERIES[index % len(SERIES)]


def tint(colour: str, share: float) -> str:
    """`colour` mixed with paper: `share` 1 is the colour, 0 is white."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 + (c - 255) * share):02X}" for c in parts)


@attrs.frozen
class Tick:
    """A mark on an axis: where, and what it says (`minor` has a line, no text)."""

    at: float
    text: str = ""
    minor: bool = False


@attrs.frozen
class Axis:
    """One axis. Without ticks of its own it finds round ones.

    `unit` is for tick texts (`%`); what is measured belongs into `title`. A `band`
    axis carries names: one tick a row, no grid.
    """

    low: float
    high: float
    title: str = ""
    log: bool = False
    ticks: tuple[Tick, ...] | None = None
    unit: str = ""
    grid: bool = True
    show: bool = True
    band: bool = False
    money: str = ""


@attrs.frozen
class Line:
    """A line through points, broken nowhere."""

    points: tuple[tuple[float, float], ...]
    colour: str = INK
    width: float = 1.2
    dash: tuple[float, ...] = ()
    clip: bool = True


@attrs.frozen
class Area:
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    colour: str = INK
    opacity: float = 1.0


@attrs.frozen
class Box:
    """A filled rectangle between two corners."""

    x0: float
    y0: float
    x1: float
    y1: float
    colour: str = INK
    opacity: float = 1.0
    outline: str = ""


@attrs.frozen
class Dot:
    """A point; series differ in shape as well as in colour."""

    x: float
    y: float
    colour: str = INK
    radius: float = 2.7
    shape: Literal["circle", "square", "diamond", "triangle"] = "circle"
    hollow: bool = False


@attrs.frozen
class Label:
    """A text at a place: `dx`, `dy` in points from it, to `side` of it.

    A label that may not stand where it wants (`free`) is moved by the placer to the
    nearest place where it meets nothing; the others are laid out so that they meet
    nothing. `priority` says who chooses first (low first). A label with `along`
    runs along the line from `x, y` to there; one at the `edge` stands in a column
    right of the axes, at the height of `y`. `mark` is its place among the plot's
    marks, given when it is composed.
    """

    x: float
    y: float
    text: str
    dx: float = 0.0
    dy: float = 0.0
    side: Side = "left"
    size: float = 7.0
    weight: Weight = 400
    colour: str = INK
    free: bool = True
    priority: int = 5
    along: tuple[float, float] | None = None
    backing: bool = False
    edge: bool = False
    mark: int = -1


@attrs.frozen
class Key:
    """An entry of the legend, set above the chart."""

    text: str
    colour: str
    form: Literal[
        "box", "line", "dash", "dot", "hollow", "diamond", "square", "triangle"
    ] = "box"


@attrs.frozen
class ColourBar:
    """The scale of a heat map: colours from low to high, with texts at places."""

    colours: tuple[str, ...]
    ticks: tuple[Tick, ...]
    low: float
    high: float
    title: str = ""


Mark = Line | Area | Box | Dot | Label


@attrs.frozen
class Plot:
    """A chart in data coordinates.

    `x` and `y` run left to right and bottom to top (top to bottom if `down`). Marks
    are drawn in order, labels above them all. `equal` keeps one unit as long on both
    axes (drawings). `right` keeps room to the right of the axes for labels.
    """

    width: float
    height: float
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    keys: tuple[Key, ...] = ()
    bar: ColourBar | None = None
    down: bool = False
    equal: bool = False
    right: float = 6.0
