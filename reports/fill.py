"""Full pages: charts give or take a little height where a page would end early.

An exhibit that does not fit moves to the next page and leaves a hole. After a first
layout the heights of all blocks are known, so the breaks can be foreseen: for an
exhibit that almost fits the charts of its page are drawn lower, and a hole that is
left is taken up by the charts above it. Only charts change, within `LOWER` and
`HIGHER`, and the second layout is kept only if it is the better one.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

#: How much of its height a chart may lose or gain.
LOWER, HIGHER = 0.2, 0.25
#: Less room than this (in CSS pixels) at the foot of a page is no hole.
SLACK = 4.0
#: Three lines of text: the least that is left of a paragraph on either page.
LINES = 56.0
_HEADS = {"h2", "h3", "h4"}
_FLOWING = {"p", "ul", "ol"}
_FLOWING_CLASSES = {"references", "glossary", "contents", "long"}


@attrs.define
class Piece:
    """One block as laid out; `step` is the way to the next one, `tight` to its end."""

    tag: str
    step: float
    tight: float
    above: float
    flows: bool = False
    forced: bool = False
    page: int = 0
    figure: int = 0
    chart: float = 0.0


@attrs.frozen
class Sheet:
    """A page that is broken: the pieces on it and the pixels left below them."""

    pieces: tuple[Piece, ...]
    hole: float


def heights(document: Any, charts: Mapping[int, float]) -> dict[int, float]:
    """New heights of charts that would fill the pages of a laid-out document.

    Args:
        document: the layout engine's document.
        charts: by the number of its figure, the height in points of each chart that
            may change.
    """
    pieces, room = _pieces(document, charts)
    change: dict[int, float] = {}
    for sheet in _simulate(pieces, room, change):
        _stretch(sheet, change)
    return {
        figure: round(charts[figure] + 0.75 * pixels, 1)
        for figure, pixels in change.items()
        if abs(pixels) > SLACK
    }


def waste(document: Any) -> tuple[int, float]:
    """How bad the breaks of a document are: its pages, then its holes (squared)."""
    pieces, room = _pieces(document, {})
    ends: dict[int, float] = {}
    for piece, bottom in zip(pieces, _bottoms(document), strict=True):
        ends[piece.page] = max(ends.get(piece.page, 0.0), bottom)
    last = max(ends, default=0)
    return len(document.pages), sum(
        (room - e) ** 2 for p, e in ends.items() if p < last
    )


def _leaves(document: Any) -> Iterator[tuple[int, Any, bool]]:
    """Each block of each page, and whether its section starts a page of its own."""

    def walk(box: Any, *, fresh: bool) -> Iterator[tuple[Any, bool]]:
        for child in getattr(box, "children", ()):
            tag = getattr(child, "element_tag", None)
            classes = _classes(child)
            if tag in {"html", "body", "main"}:
                yield from walk(child, fresh=fresh)
            elif tag == "section" and "cover" not in classes:
                yield from walk(child, fresh="fresh" in classes)
            elif getattr(child, "element", None) is not None and "cover" not in classes:
                yield child, fresh and tag in _HEADS

    for number, page in enumerate(document.pages):
        # The boxes are not public, but nothing public tells where a block ended up.
        for box, fresh in walk(page._page_box, fresh=False):  # noqa: SLF001
            yield number, box, fresh


def _classes(box: Any) -> set[str]:
    """The classes of a box's element."""
    element = getattr(box, "element", None)
    return set((element.get("class") or "").split()) if element is not None else set()


def _content(document: Any) -> tuple[float, float]:
    """Where the text block of an inner page begins, and how high it is."""
    box = document.pages[-1]._page_box  # noqa: SLF001
    return float(box.content_box_y()), float(box.height)


def _bottoms(document: Any) -> list[float]:
    """The lower end of each block, from the top of the text block."""
    top, _ = _content(document)
    return [
        float(box.border_box_y() + box.border_height()) - top
        for _, box, _ in _leaves(document)
    ]


def _pieces(document: Any, charts: Mapping[int, float]) -> tuple[list[Piece], float]:
    """The blocks of a document in order, and the height of a page."""
    _, room = _content(document)
    found = list(_leaves(document))
    pieces: list[Piece] = []
    figure = 0
    for i, (page, box, fresh) in enumerate(found):
        above = float(box.margin_top)
        tight = above + float(box.border_height())
        following = found[i + 1] if i + 1 < len(found) else None
        if following is not None and following[0] == page:
            step = float(following[1].position_y - box.position_y)
        else:
            step = float(box.margin_height())
        classes = _classes(box)
        flows = box.element_tag in _FLOWING or bool(classes & _FLOWING_CLASSES)
        piece = Piece(box.element_tag, step, tight, above, flows, fresh, page)
        inside = sum(1 for e in box.element.iter() if e.tag == "figure")
        if piece.tag == "figure" and figure + 1 in charts:
            piece.figure, piece.chart = figure + 1, charts[figure + 1] / 0.75
        figure += inside
        pieces.append(piece)
    return pieces, room


def _simulate(
    pieces: Sequence[Piece], room: float, change: dict[int, float]
) -> Iterator[Sheet]:
    """Break the pieces into pages as the engine will; shrink what almost fits."""
    sheet: list[Piece] = []
    y = end = 0.0
    full = False
    for piece in pieces:
        start = y - (0.0 if sheet else piece.above)
        over = start + piece.tight - room
        if piece.forced and sheet:
            yield Sheet(tuple(sheet), 0.0 if full else room - end)
            sheet, start, full = [], -piece.above, False
        elif over > 0 and sheet:
            left = room - start
            exhibit = not piece.flows and piece.tag not in _HEADS
            if piece.flows and left > LINES and not full:
                yield Sheet(tuple(sheet), 0.0)
                sheet, start = [], -left
            elif exhibit and not full and _shrink([*sheet, piece], over, change):
                full = True
            else:
                kept = _without_heads(sheet)
                low = end if len(kept) == len(sheet) else _end(kept)
                yield Sheet(tuple(kept), 0.0 if full else room - low)
                sheet, full = sheet[len(kept) :], False
                start = sum(p.step for p in sheet) - (sheet or [piece])[0].above
        sheet.append(piece)
        y, end = start + piece.step, start + piece.tight


def _end(pieces: Sequence[Piece]) -> float:
    """The lower end of pieces that open a page."""
    if not pieces:
        return 0.0
    return sum(p.step for p in pieces[:-1]) + pieces[-1].tight - pieces[0].above


def _without_heads(sheet: list[Piece]) -> list[Piece]:
    """The pieces of a page less the headings that go with what follows."""
    kept = list(sheet)
    while kept and kept[-1].tag in _HEADS:
        kept.pop()
    return kept


def _shrink(sheet: Sequence[Piece], over: float, change: dict[int, float]) -> bool:
    """Lower the charts of a page by `over` pixels, if they can give as much."""
    need = over + SLACK
    can = {
        p.figure: LOWER * p.chart + change.get(p.figure, 0.0) for p in sheet if p.figure
    }
    total = sum(v for v in can.values() if v > 0)
    if total < need:
        return False
    for figure, give in can.items():
        if give > 0:
            change[figure] = change.get(figure, 0.0) - need * give / total
    return True


def _stretch(sheet: Sheet, change: dict[int, float]) -> None:
    """Give the hole at the foot of a page to the charts above it."""
    spare = sheet.hole - SLACK
    can = {p.figure: HIGHER * p.chart for p in sheet.pieces if p.figure}
    can = {f: v for f, v in can.items() if change.get(f, 0.0) == 0.0}
    total = sum(can.values())
    if spare <= SLACK or total <= 0:
        return
    for figure, take in can.items():
        change[figure] = min(spare * take / total, take)
