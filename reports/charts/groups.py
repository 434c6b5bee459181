"""Networks of routers drawn: groups that are linked in pairs, and rows and columns.

A dragonfly's groups stand on a circle, a Slim Fly's in two facing rows; a HyperX or a
HammingMesh is a grid. Few are shown, all are counted.
"""

import itertools
import math
from typing import ClassVar, Literal

import attrs

from isocost.reports.charts.metrics import text_width
from isocost.reports.charts.plot import (
    INK,
    MUTED,
    PANEL,
    RULE,
    Axis,
    Box,
    Dot,
    Label,
    Line,
    Mark,
    Plot,
    series,
    tint,
)
from isocost.reports.charts.scene import Scene, lays_out


@attrs.frozen
class Groups(Scene):
    """Groups of routers, each linked to each; or two facing rows of them.

    Args:
        groups: how many (of each row, if they are `facing`).
        routers: of one group.
        words: lines that say what the drawing counts.
    """

    ELASTIC: ClassVar[bool] = False

    groups: int
    routers: int
    words: tuple[str, ...]
    facing: bool = False


@attrs.frozen
class Grid(Scene):
    """Routers or boards in rows and columns, each row and column fully joined.

    Args:
        columns, rows: how many.
        layers: of the same grid, behind each other.
        words: lines that say what the drawing counts.
        joined: `links` from each to each of its row, or `switches` at the ends of it.
        board: chips along an edge of a board.
    """

    ELASTIC: ClassVar[bool] = False

    columns: int
    rows: int
    words: tuple[str, ...]
    layers: int = 1
    joined: Literal["links", "switches"] = "links"
    board: int = 1


MOST_GROUPS, MOST_ROUTERS = 9, 8
MOST_COLUMNS, MOST_ROWS, MOST_BOARD = 7, 5, 4
SIZE, LINE = 7.0, 12.0
Place = tuple[float, float]


def _beside(words: tuple[str, ...], x: float, middle: float, step: float) -> list[Mark]:
    """Lines of text in a column; the first names the whole."""
    top = middle + step * (len(words) - 1) / 2
    return [
        Label(
            x,
            top - index * step,
            text,
            10,
            0,
            "left",
            SIZE,
            400 if index else 500,
            MUTED if index else INK,
            free=False,
        )
        for index, text in enumerate(words)
    ]


def _plot(scene: Groups | Grid, marks: list[Mark], box: tuple[float, ...]) -> Plot:
    """The drawing at its true proportions, with room for the words beside it."""
    x0, y0, x1, y1 = box
    right = max(text_width(text, SIZE, 500) for text in scene.words) + 16
    tall = (scene.width - right) * (y1 - y0) / (x1 - x0)
    high = scene.height or min(max(tall, LINE * len(scene.words) + 12), 170.0)
    step = LINE * (y1 - y0) / min(high, tall)
    marks += _beside(scene.words, x1, (y0 + y1) / 2, step)
    x, y = Axis(x0, x1, show=False), Axis(y0, y1, show=False)
    return Plot(scene.width, high, x, y, tuple(marks), equal=True, right=right)


def _gap(at: Place, along: Place) -> list[Mark]:
    """Three dots for what is left out."""
    (x, y), (dx, dy) = at, along
    return [Dot(x + k * dx, y + k * dy, MUTED, 0.8) for k in (-1, 0, 1)]


@lays_out(Groups)
def plot_groups(scene: Groups) -> Plot:
    """Lay out groups: the links between them, then their routers."""
    number = min(scene.groups, MOST_GROUPS)
    cut = scene.groups > MOST_GROUPS
    if scene.facing:
        places = [(i * 1.0, j * 2.2) for j in (0, 1) for i in range(number)]
        pairs = [(a, b) for a in range(number) for b in range(number, 2 * number)]
        box = (-0.6, -0.6, number - 0.4 + (0.6 if cut else 0), 2.8)
    else:
        turn = 2 * math.pi / (number + cut)
        angles = [math.pi / 2 - i * turn for i in range(number)]
        places = [(2.4 * math.cos(a), 1.5 * math.sin(a)) for a in angles]
        pairs = list(itertools.combinations(range(number), 2))
        box = (-3.0, -2.1, 3.0, 2.1)
    shade = tint(series(1), 0.45)
    marks: list[Mark] = [
        Line((places[a], places[b]), shade, 0.45, clip=False) for a, b in pairs
    ]
    for place in places:
        marks += _group(place, scene.routers)
    if cut and scene.facing:
        marks += [m for y in (0.0, 2.2) for m in _gap((number - 0.3, y), (0.09, 0.0))]
    elif cut:
        last = math.pi / 2 - number * 2 * math.pi / (number + 1)
        at = (2.4 * math.cos(last), 1.5 * math.sin(last))
        marks += _gap(at, (-0.14 * math.sin(last), 0.14 * math.cos(last)))
    return _plot(scene, marks, box)


def _group(place: Place, routers: int) -> list[Mark]:
    """A plate with routers on it, each linked to each."""
    x, y = place
    number = min(routers, MOST_ROUTERS)
    marks: list[Mark] = [Box(x - 0.4, y - 0.34, x + 0.4, y + 0.34, PANEL, outline=RULE)]
    turn = 2 * math.pi / max(number, 1)
    around = [(x + 0.26 * math.sin(k * turn), y + 0.22 * math.cos(k * turn))
              for k in range(number)]  # fmt: skip
    if number == 1:
        around = [place]
    shade = tint(series(0), 0.5)
    marks += [
        Line(ends, shade, 0.35, clip=False)
        for ends in itertools.combinations(around, 2)
    ]
    return marks + [Dot(*one, series(0), 1.5, "square") for one in around]


@lays_out(Grid)
def plot_grid(scene: Grid) -> Plot:
    """Lay out a grid: links along rows and columns, then routers or boards."""
    columns, rows = min(scene.columns, MOST_COLUMNS), min(scene.rows, MOST_ROWS)
    far = max(columns, 1), max(rows, 1)
    marks: list[Mark] = []
    lines = [[(i * 1.0, j * 1.0) for i in range(columns)] for j in range(rows)]
    posts = [[(i * 1.0, j * 1.0) for j in range(rows)] for i in range(columns)]
    switched = scene.joined == "switches"
    for line, colour in (*((a, 0) for a in lines), *((a, 1) for a in posts)):
        marks += _switched(line, colour) if switched else _joined(line, colour)
    for back in range(min(scene.layers, 3) - 1, 0, -1):
        marks += [
            Dot(x + 0.13 * back, y + 0.13 * back, tint(INK, 0.6 / back), 2.4, "square")
            for x, y in itertools.chain.from_iterable(lines)
        ]
    for place in itertools.chain.from_iterable(lines):
        marks += _board(place, scene.board)
    more_x, more_y = scene.columns > columns, scene.rows > rows
    out = 0.95 if switched else 0.6
    if more_x:
        marks += [m for j in range(rows) for m in _gap((columns - 0.45, j * 1.0),
                                                       (0.07, 0.0))]  # fmt: skip
    if more_y:
        marks += [m for i in range(columns) for m in _gap((i * 1.0, rows - 0.45),
                                                          (0.0, 0.07))]  # fmt: skip
    box = (-out, -out, far[0] - 0.4 + 0.3 * more_x, far[1] - 0.4 + 0.3 * more_y)
    return _plot(scene, marks, box)


def _joined(line: list[Place], colour: int) -> list[Mark]:
    """Bows from each router to each other of its row or column."""
    shade = tint(series(colour), 0.5)
    marks: list[Mark] = []
    for (ax, ay), (bx, by) in itertools.combinations(line, 2):
        far = abs(bx - ax) + abs(by - ay)
        bow = 0.09 * (far - 1)
        middle = ((ax + bx) / 2, ay + bow) if ay == by else (ax + bow, (ay + by) / 2)
        marks.append(Line(_arc((ax, ay), middle, (bx, by)), shade, 0.45, clip=False))
    return marks


def _arc(a: Place, middle: Place, b: Place) -> tuple[Place, ...]:
    """A curve from one place to another that passes near a third."""
    out = []
    for step in range(9):
        t = step / 8
        k = (1 - t) ** 2, 2 * t * (1 - t), t * t
        out.append(tuple(sum(w * p[i] for w, p in zip(k, (a, middle, b), strict=True))
                         for i in (0, 1)))  # fmt: skip
    return tuple((x, y) for x, y in out)


def _switched(line: list[Place], colour: int) -> list[Mark]:
    """A line of boards to the switch at its end."""
    (x, y), last = line[0], line[-1]
    across = colour == 0
    at = (x - 0.75, y) if across else (x, y - 0.75)
    wide, tall = (0.1, 0.26) if across else (0.26, 0.1)
    box = (at[0] - wide, at[1] - tall, at[0] + wide, at[1] + tall)
    return [
        Line((at, last), tint(series(colour), 0.6), 0.8, clip=False),
        Box(*box, series(colour)),
    ]


def _board(place: Place, edge: int) -> list[Mark]:
    """A router, or a board with its chips."""
    x, y = place
    if edge <= 1:
        return [Dot(x, y, INK, 3.2, "square")]
    number = min(edge, MOST_BOARD)
    plate = Box(x - 0.3, y - 0.3, x + 0.3, y + 0.3, PANEL, outline=RULE)
    spots = [((k + 0.5) / number - 0.5) * 0.5 for k in range(number)]
    return [plate, *(Dot(x + a, y + b, INK, 1.3, "square") for a in spots
                     for b in spots)]  # fmt: skip
