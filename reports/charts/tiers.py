"""Switched networks drawn: endpoints below, a row of switches for each tier above.

Few of each are shown and all are counted: the same drawing serves eight endpoints and
a hundred thousand. Rails are told apart by colour, planes by cards behind each other.
"""

from typing import ClassVar

import attrs

from isocost.reports.charts.metrics import text_width
from isocost.reports.charts.plot import (
    INK,
    MUTED,
    PANEL,
    PAPER,
    RULE,
    Axis,
    Box,
    Dot,
    Label,
    Line,
    Mark,
    Plot,
    Weight,
    series,
    tint,
)
from isocost.reports.charts.scene import FULL, Scene, lays_out


@attrs.frozen
class Tier:
    """Switches of one tier: what they are called, how many, and what rises from them.

    `words` are said beside the row (`64 leaf switches`), `wires` beside the links that
    come up to it from below.
    """

    count: int
    words: str
    wires: str = ""


@attrs.frozen
class Tiers(Scene):
    """A network of switches in tiers.

    Args:
        endpoints: how many, and `words` for them.
        group: neighbours that are drawn as one server.
        rails: of them, each on switches of its own (1: none).
        planes: parallel networks.
    """

    ELASTIC: ClassVar[bool] = False

    endpoints: int
    words: str
    tiers: tuple[Tier, ...]
    group: int = 8
    rails: int = 1
    planes: int = 1


#: Slots of a row for a width of a page, and the most chips of a server that are drawn.
SLOTS = 14
LEAST_SLOTS = 6
MOST_CHIPS = 8
#: Planes that are drawn behind the first.
BEHIND = 3
#: Heights in units of a row.
ROW, TALL = 1.0, 0.24
#: Points of height for a row, and between a row and its words.
POINTS, GAP = 46.0, 10.0
SIZE = 7.0


def shown(count: int, slots: int) -> tuple[tuple[int, ...], bool]:
    """The slots of a row that are taken, and whether some are left out.

    What does not fit is the last but one: a gap, then the last of its kind.
    """
    if count <= slots:
        return tuple(range(count)), False
    return (*range(slots - 2), slots - 1), True


def row(count: int, slots: int) -> tuple[list[float], float | None]:
    """Where a row's pieces stand (0 to 1), and where its gap does."""
    taken, cut = shown(count, slots)
    wide = slots if cut else count
    places = [(slot + 0.5) / wide for slot in taken]
    return places, (slots - 1.5) / wide if cut else None


def gap_marks(x: float, y: float, wide: float) -> list[Mark]:
    """Three dots for what a row of `wide` points leaves out."""
    return [Dot(x + step * 3.6 / wide, y, MUTED, 0.8) for step in (-1, 0, 1)]


@lays_out(Tiers)
def plot_tiers(scene: Tiers) -> Plot:
    """Lay out a network: links, then servers, then the rows of switches."""
    texts = _texts(scene)
    right = max(text_width(text, SIZE, 500) for _, text, _ in texts) + GAP + 4
    slots = max(LEAST_SLOTS, round(SLOTS * (scene.width - right) / (FULL - 120)))
    servers = -(-scene.endpoints // scene.group)
    rows = [row(servers, slots // 2), *(row(t.count, slots) for t in scene.tiers)]
    marks: list[Mark] = _risers(scene, rows)
    for index in range(1, len(rows) - 1):
        marks += _mesh(rows[index][0], rows[index + 1][0], index)
    marks += _servers(scene, rows[0][0])
    for index, (places, gap) in enumerate(rows):
        marks += _switches(scene, places, index) if index else []
        if gap is not None:
            marks += gap_marks(gap, index * ROW, scene.width - right)
    for y, text, strong in texts:
        weight: Weight = 500 if strong else 400
        colour = INK if strong else MUTED
        marks.append(
            Label(1.0, y, text, GAP, 0, "left", SIZE, weight, colour, free=False)
        )
    top = len(scene.tiers) * ROW + 0.4
    return Plot(
        scene.width,
        scene.height or POINTS * (len(scene.tiers) + 0.85),
        Axis(-0.01, 1.0, show=False),
        Axis(-0.35, top, show=False),
        tuple(marks),
        right=right,
    )


def _texts(scene: Tiers) -> list[tuple[float, str, bool]]:
    """What is said at the right: height, words, and whether it names a row."""
    out = [(0.0, scene.words, True)]
    for index, tier in enumerate(scene.tiers, 1):
        out.append((index * ROW, tier.words, True))
        if tier.wires:
            out.append(((index - 0.5) * ROW, tier.wires, False))
    return out


def _wide(places: list[float]) -> float:
    """The width of one piece of a row."""
    return min(0.09, 0.62 * (places[1] - places[0] if len(places) > 1 else 0.2))


def _chips(scene: Tiers, places: list[float]) -> list[tuple[int, float]]:
    """The chips that are drawn: their number in the server, and where they stand."""
    number = min(scene.group, MOST_CHIPS)
    wide = _server_width(places)
    return [
        (chip, x + wide * ((chip + 0.5) / number - 0.5))
        for x in places
        for chip in range(number)
    ]


def _server_width(places: list[float]) -> float:
    return min(0.2, 0.86 * (places[1] - places[0] if len(places) > 1 else 0.2))


def _risers(scene: Tiers, rows: list[tuple[list[float], float | None]]) -> list[Mark]:
    """The links from the chips to the first tier."""
    servers, leaves = rows[0][0], rows[1][0]
    number = min(scene.group, MOST_CHIPS)
    marks: list[Mark] = []
    for index, (chip, x) in enumerate(_chips(scene, servers)):
        if scene.rails > 1:
            # The last switches of a row stand for the last rails' like the first.
            to, colour = chip % min(scene.rails, len(leaves)), series(chip)
        else:
            server = index // number
            to, colour = server * len(leaves) // len(servers), series(0)
        ends = ((x, 0.1), (leaves[to], ROW - TALL))
        marks.append(Line(ends, tint(colour, 0.55), 0.5, clip=False))
    return marks


def _mesh(below: list[float], above: list[float], index: int) -> list[Mark]:
    """Every switch of a tier to every one above it."""
    shade = tint(series(0), 0.30)
    low, high = index * ROW + 0.1, (index + 1) * ROW - 0.1
    return [
        Line(((a, low), (b, high)), shade, 0.35, clip=False)
        for a in below
        for b in above
    ]


def _servers(scene: Tiers, places: list[float]) -> list[Mark]:
    """Plates of chips; each chip in the colour of its rail."""
    wide = _server_width(places)
    marks: list[Mark] = [
        Box(x - wide / 2, -TALL, x + wide / 2, TALL * 0.8, PANEL, outline=RULE)
        for x in places
    ]
    for chip, x in _chips(scene, places):
        colour = series(chip) if scene.rails > 1 else INK
        marks.append(Dot(x, 0.0, colour, 1.5, "square"))
    return marks


def _switches(scene: Tiers, places: list[float], index: int) -> list[Mark]:
    """A row of switches, with those of other planes behind."""
    wide, y = _wide(places), index * ROW
    marks: list[Mark] = []
    for x in places:
        for back in range(min(scene.planes - 1, BEHIND), -1, -1):
            dx, dy = 0.006 * back, 0.055 * back
            colour = series(0) if not back else tint(series(0), 0.45)
            left, right = x - wide / 2 + dx, x + wide / 2 + dx
            low, high = y - TALL / 2 + dy, y + TALL / 2 + dy
            marks.append(Box(left, low, right, high, colour, outline=PAPER))
    return marks
