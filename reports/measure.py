"""How high the blocks of a printed page are, told before anything is laid out.

From the faces' widths and the theme's measures: what a line, a row and a margin take.
A layout engine needs seconds for what takes milliseconds here, and this is near enough
(a few points a block) to decide what follows what on a page (`arrange`).
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

import attrs

from isocost.reports import richtext
from isocost.reports import view as v
from isocost.reports.charts import layout_of
from isocost.reports.charts.metrics import advances
from isocost.reports.glyphs import clean
from isocost.reports.richtext import Mark
from isocost.reports.widths import (
    DENSE,
    MONO,
    MONO_SIZE,
    PADDING,
    SIZE,
    cell_needs,
    claims_table,
    fit,
)

SERIF, SANS, SEMI = (
    "IsocostSerif-Regular",
    "IsocostSans-Regular",
    "IsocostSans-SemiBold",
)
#: What spaces, hyphens and kerning do to a line. What is told too low tears a page's
#: last exhibit off, what is told too high costs a line: so lines are told rather long.
RAGGED = {SERIF: 0.995, SANS: 1.008, SEMI: 1.008}
#: Points between things side by side, as in the theme.
GUTTER = 18.0
#: By how much less the outer columns of a table are padded.
OUTER = 4.0
#: A table of more rows than this may break.
LONG = 16
LONG_CLAIMS = 14
#: Of a table, its head apart, what stays together when it breaks.
ROWS = 3


@attrs.frozen
class Size:
    """A block's height in points, the margins around it, and where it may break.

    `least` is how much of it has to stand on the page where it begins, `again` what
    comes again overleaf: the head of a table. Running text goes on in whole lines, two
    at least; `line` is how high one is.
    """

    height: float
    above: float = 0.0
    below: float = 0.0
    least: float = 0.0
    again: float = 0.0
    line: float = 0.0

    @property
    def flows(self) -> bool:
        """Whether it may go on overleaf."""
        return self.least < self.height

    def overleaf(self, over: float) -> float:
        """What stands on the next page of what has no room by `over` points."""
        if self.line:
            over = max(2, math.ceil(over / self.line)) * self.line
        return over + self.again


@cache
def _word(word: str, face: str) -> float:
    """The width of a word at a size of one point."""
    codes, missing, em = advances(face)
    return sum(codes.get(ord(c), missing) for c in word) / em


def lines(text: str, size: float, face: str, width: float) -> int:
    """How many lines a text takes."""
    room, space = width / size / RAGGED.get(face, 1.008), _word(" ", face)
    count, at = 1, 0.0
    for word in clean(text).split(" "):
        wide = _word(word, face)
        if at and at + space + wide > room:
            count, at = count + 1, 0.0
        at += wide + (space if at else 0.0)
    return count


@attrs.frozen
class Ruler:
    """Measures the blocks of a report; `marks` and `sources` are what mentions read."""

    marks: Mapping[str, Mark]
    sources: Mapping[str, int]
    width: float
    known: dict[int, tuple[v.Block, Size | None]] = attrs.field(
        factory=dict, eq=False, repr=False
    )

    def heading(self, title: str, level: int) -> Size:
        """A section's heading."""
        if level == 1:
            rows = lines(title, 19, "IsocostDisplay-SemiBold", self.width - 24)
            return Size(23.0 * rows, 24.0, 9.0, 23.0 * rows)
        return Size(14.0, 13.0, 4.5, 14.0) if level == 2 else Size(12.0, 9.0, 3.0, 12.0)  # noqa: PLR2004

    def size(self, block: v.Block) -> Size | None:
        """A block's size, measured once; None for what nobody has to place."""
        if id(block) not in self.known:
            self.known[id(block)] = block, self._size(block)
        return self.known[id(block)][1]

    def _size(self, block: v.Block) -> Size | None:
        match block:
            case v.Paragraph(text=text, lead=lead):
                size, high, below = (10.6, 15.4, 8.0) if lead else (9.2, 13.6, 6.4)
                rows = lines(self._words(text), size, SERIF, self.width)
                least = (2 if rows > 3 else rows) * high  # noqa: PLR2004 - 2 and 2
                return Size(rows * high, 0.0, below, least, line=high)
            case v.Bullets(items=items):
                each = [
                    lines(self._words(one), 9.2, SERIF, self.width - 13)
                    for one in items
                ]
                whole = sum(13.6 * one + 3.2 for one in each)
                return Size(whole, 0.0, 7.0, min(whole, 13.6 * each[0] + 3.2))
            case v.Callout(title=title, text=text):
                said = f"{title} {self._words(text)}"
                high = 14.0 + 12.0 * lines(said, 8.2, SANS, self.width - 24)
                return Size(high, 9.0, 11.0, high)
            case v.Figure():
                high = self._figure(block)
                return Size(high, 11.0, 13.0, high)
            case v.Columns(columns=columns):
                return self._columns(columns)
            case v.Table() | v.Claims():
                return self._table(block)
            case _:
                return None

    def _words(self, text: v.Text) -> str:
        pieces = text if isinstance(text, tuple) else (text,)
        return "".join(richtext.worded(p, self.marks, self.sources) for p in pieces)

    def _caption(self, text: str, name: str) -> float:
        return 11.0 * lines(f"{name} {text}", 8.2, SEMI, self.width)

    def _source(self, text: v.Text) -> float:
        said = self._words(text)
        if not said:
            return 0.0
        return 4.5 + 9.4 * lines(f"Source: {said}", 6.8, SANS, self.width)

    def _figure(self, figure: v.Figure) -> float:
        made = layout_of(figure.scene)
        chart = made.height * min(1.0, self.width / made.width)
        caption = self._caption(figure.caption, "Figure 10")
        return caption + 6.0 + chart + self._source(figure.source)

    def _columns(self, columns: Sequence[tuple[v.Block, ...]]) -> Size:
        room = (self.width - GUTTER * (len(columns) - 1)) / len(columns)
        narrow = attrs.evolve(self, width=room, known={})
        high = 0.0
        for column in columns:
            sizes = [s for b in column if (s := narrow.size(b)) is not None]
            if sizes:
                gaps = [max(a.below, b.above) for a, b in pairwise(sizes)]
                stack = sum(s.height for s in sizes) + sum(gaps) + sizes[-1].below
                high = max(high, stack)
        return Size(high, 0.0, 0.0, high)

    def _table(self, block: v.Table | v.Claims) -> Size:
        claims = isinstance(block, v.Claims)
        table = claims_table(block) if isinstance(block, v.Claims) else block
        made = fit(table, self._word, self.width)
        wide = [self.width * share for share in made.shares]
        high, pad = (9.2, 4.6) if table.dense else (10.4, 6.6)
        again = self._head(table, wide)
        head = self._caption(block.caption, "Table 10") + 5.0 + again
        rows = []
        for row, needs in zip(table.rows, cell_needs(table, self._word), strict=True):
            if row.style == "group":
                rows.append(8.6 + high + 0.35)
                continue
            tall = 1
            for need, room in zip(needs, wide):  # noqa: B905 - a row may be short
                whole = need.stacked().whole if made.stacked else need.whole
                own = math.ceil((whole - PADDING) / (room - PADDING) - 0.02)
                tall = max(tall, own + (1 if made.stacked and need.below else 0))
            mixed = 0.3 if any(need.below for need in needs) else 0.0
            rows.append(pad + tall * high + 0.35 + mixed)
        if isinstance(block, v.Claims):
            room = wide[0] - PADDING
            for i, claim in enumerate(block.rows):
                rows[i] += self._note(claim.note, room)
        notes = block.notes if isinstance(block, v.Table) else ()
        below = sum(
            4.5 + 9.4 * lines(self._words(n), 6.8, SANS, self.width) for n in notes
        )
        whole = head + sum(rows) + 0.8 + below + self._source(block.source)
        long = len(rows) > (LONG_CLAIMS if claims else LONG)
        least = head + sum(rows[:ROWS]) if long else whole
        return Size(whole, 11.0, 13.0, least, again)

    def _note(self, note: v.Text, room: float) -> float:
        """What stands below a claim: its condition mostly, in the face of programs."""
        said = self._words(note)
        if not said:
            return 0.0
        if isinstance(note, v.Code):
            return 11.0 * math.ceil(len(said) * MONO * MONO_SIZE * 7.0 / room)
        return 11.0 * lines(said, 7.0, SANS, room)

    def _head(self, table: v.Table, wide: Sequence[float]) -> float:
        rows, size = 1, DENSE if table.dense else SIZE
        for i, (column, room) in enumerate(zip(table.columns, wide, strict=True)):
            # At the sides of a table there is less padding.
            room += OUTER * (i in {0, len(wide) - 1})  # noqa: PLW2901 (what it has)
            title = lines(column.title, size, "IsocostSans-Medium", room - PADDING)
            rows = max(rows, title + bool(column.unit))
        return 9.6 * rows + 8.9

    def _word(self, piece: v.Inline) -> str:
        return richtext.worded(piece, self.marks, self.sources)
