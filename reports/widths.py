"""How wide the columns of a printed table are.

Measured with our own faces before the layout: a layout engine that finds widths by
itself sets every word of every cell many times over (four fifths of the time that the
study's pages took) and breaks words where a column is squeezed. Here no column is
narrower than its longest word, and what is left goes where it saves most lines.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import attrs

from isocost.reports import formulas, view
from isocost.reports.charts.metrics import text_width
from isocost.reports.glyphs import clean
from isocost.reports.richtext import BREAKS

#: The letters of a table, of a dense one and of its heads' units, in points.
SIZE, DENSE, UNIT = 7.6, 6.9, 6.8
#: Left and right of a cell's words.
PADDING = 12.0
#: What kerning and rounding may add to a measured text.
SLACK = 1.02
#: No word makes its column wider than this share of the table; longer ones break.
MOST = 0.42
#: In what steps spare room is given away, in points.
STEP = 4.0
#: The advance of our monospaced face and the relative size in which it is set.
MONO, MONO_SIZE = 0.6, 0.88
#: The box around the letter of a grade.
GRADE = 10.0


@attrs.frozen
class Need:
    """What a cell needs in points: its longest word, and all of it in one line.

    `below` is the latter if the interval stands below the number.
    """

    least: float
    whole: float
    below: float = 0.0

    def stacked(self) -> "Need":
        """The same with the interval below the number."""
        return Need(self.least, self.below or self.whole)


@attrs.frozen
class Fit:
    """How a table fits: each column's share of the width, and where intervals go."""

    shares: tuple[float, ...]
    stacked: bool = False


#: What a face has tabular figures for, the signs between them too; of the figures that
#: are not, the 4 is as wide.
_TABULAR = re.compile(r"[0-9+\u2212×±≈=<>≤≥*-]")

#: How a mention of a figure, or of sources, reads.
Wording = Callable[[view.Inline], str]


def fit(table: view.Table, words: Wording, room: float) -> Fit:
    """The widths of a table's columns.

    Args:
        table: the table; stated widths are kept as far as the words fit, if every
            column states one.
        words: how a marked piece of text reads.
        room: the table's width in points.

    Returns:
        Shares that add up to 1, in the order of the columns. All intervals of a table
        stand beside their numbers, or all below.
    """
    size = DENSE if table.dense else SIZE
    rows = [tuple(_head(column, size) for column in table.columns)]
    rows.extend(needs for needs in cell_needs(table, words) if needs)
    columns = range(len(table.columns))
    least = [
        min(max(row[i].least for row in rows if i < len(row)), MOST * room)
        for i in columns
    ]
    stated = [(c.width or 0.0) * room for c in table.columns]
    if all(stated):
        return Fit(_shares(_raised(stated, least)))
    made = _filled(least, rows, room)
    tight = any(
        need.below and need.whole > made[i] + 0.1
        for row in rows
        for i, need in enumerate(row)
    )
    if tight:
        made = _filled(least, [tuple(n.stacked() for n in row) for row in rows], room)
    return Fit(_shares(made), tight)


def cell_needs(table: view.Table, words: Wording) -> list[tuple[Need, ...]]:
    """What the cells of each row need; nothing for a row that names a group."""
    size = DENSE if table.dense else SIZE
    even = [column.align == "right" for column in table.columns]
    return [
        tuple(
            _cell(cell, words, size, even=one)
            for cell, one in zip(row.cells, even)  # noqa: B905 - a row may be short
        )
        if row.style != "group"
        else ()
        for row in table.rows
    ]


def claims_table(claims: view.Claims) -> view.Table:
    """The table that the claims are printed as, to be measured."""
    shares = any(row.share for row in claims.rows)
    titles = ["Statement", claims.said_title, claims.found_title]
    titles += ["Share of draws"] * shares + ["Verdict"]
    columns = tuple(map(view.Column, titles))
    rows = tuple(_claim(row, shares=shares) for row in claims.rows)
    return view.Table(claims.caption, columns, rows)


def _claim(row: view.ClaimRow, *, shares: bool) -> view.Row:
    """A claim as a row; its verdict as the widest of its words, with its sign."""
    said: view.Text = (*_pieces(row.statement), " ", *_pieces(row.who))
    figures = [row.said, row.found] + [row.share] * shares
    verdict = view.Cell(_whole("≈ depends"), strong=True)
    return view.Row((said, *map(_whole, figures), verdict))


def _whole(text: str) -> str:
    """A text that never breaks."""
    return text.replace(" ", "\u00a0")


def _pieces(text: view.Text) -> tuple[view.Inline, ...]:
    return text if isinstance(text, tuple) else (text,)


def _head(column: view.Column, size: float) -> Need:
    """A head may take two lines, its unit one."""
    title = _run(clean(column.title), size, 500)
    unit = text_width(clean(column.unit), UNIT) * SLACK + PADDING
    least = max(title.least, unit)
    return Need(least, max(least, PADDING + 0.6 * (title.whole - PADDING)))


def _cell(
    cell: view.Cell | view.Text, words: Wording, size: float, *, even: bool = False
) -> Need:
    """A cell with all that stands in it; `even` if its digits are of one width."""
    if not isinstance(cell, view.Cell):
        return _text(cell, words, size, 400, even=even)
    need = _text(cell.text, words, size, 600 if cell.strong else 400, even=even)
    if cell.grade:
        box = GRADE + (3.0 if need.whole > PADDING else 0.0)
        need = Need(max(need.least, GRADE + PADDING), need.whole + box)
    if cell.interval:
        # Beside the number or below it, but never broken.
        ends = clean(cell.interval)
        long = text_width(_evened(ends) if even else ends, 0.9 * size) * SLACK
        need = Need(
            max(need.least, long + PADDING),
            need.whole + long + 0.3 * size,
            max(need.whole, long + PADDING),
        )
    return need


def _evened(text: str) -> str:
    """A text that is as wide as this one is in a column of figures."""
    return _TABULAR.sub("4", text)


def _text(
    text: view.Text, words: Wording, size: float, weight: int, *, even: bool
) -> Need:
    """Running text: the longest word of any piece, all pieces in a row."""
    least = whole = 0.0
    for piece in _pieces(text):
        piece = _evened(piece) if even and isinstance(piece, str) else piece  # noqa: PLW2901 (the same, wider)
        need = _piece(piece, words, size, weight)
        least = max(least, need.least)
        whole += need.whole - PADDING
    return Need(max(least, PADDING), whole + PADDING)


def _piece(piece: view.Inline, words: Wording, size: float, weight: int) -> Need:
    match piece:
        case str():
            return _run(clean(piece), size, weight)
        case view.Strong(text=text):
            return _run(clean(text), size, 600)
        case view.Code(text=text):
            return _code(clean(text), size)
        case view.Math(latex=latex):
            return _formula(latex, size)
        case _:
            return _run(clean(words(piece)), size, weight)


def _run(text: str, size: float, weight: int) -> Need:
    """Plain letters, which break at blanks."""
    longest = max(text_width(w, size, weight) for w in re.split("[ \n]", text))
    whole = text_width(text, size, weight)
    return Need(longest * SLACK + PADDING, whole * SLACK + PADDING)


def _code(text: str, size: float) -> Need:
    """A path, which breaks behind its signs."""
    one = MONO * MONO_SIZE * size
    longest = max(map(len, BREAKS.split(text)))
    return Need(longest * one + PADDING, len(text) * one + PADDING)


def _formula(latex: str, size: float) -> Need:
    """A symbol, which never breaks."""
    try:
        wide = formulas.typeset(latex, size, inline=True).width
    except formulas.FormulaError:
        return _code(clean(latex), size)
    return Need(wide + PADDING, wide + PADDING)


# Room -----------------------------------------------------------------------------


def _shares(points: Sequence[float]) -> tuple[float, ...]:
    total = sum(points) or 1.0
    return tuple(one / total for one in points)


def _raised(stated: Sequence[float], least: Sequence[float]) -> list[float]:
    """Stated widths, with what some columns lack taken from those that can spare it."""
    lack = sum(max(0.0, b - a) for a, b in zip(stated, least, strict=True))
    spare = sum(max(0.0, a - b) for a, b in zip(stated, least, strict=True))
    kept = max(0.0, 1 - lack / spare) if spare else 0.0
    return [b + kept * max(0.0, a - b) for a, b in zip(stated, least, strict=True)]


def _filled(
    least: Sequence[float], rows: Sequence[Sequence[Need]], room: float
) -> list[float]:
    """Widths that fill the room: as the words ask, or with the fewest lines."""
    whole = [
        max(low, *(row[i].whole for row in rows if i < len(row)))
        for i, low in enumerate(least)
    ]
    if sum(whole) <= room:
        return [room * one / sum(whole) for one in whole]
    made = list(least)
    # What breaks in no row needs no look at each step.
    crowded = [row for row in rows if any(n.whole > w for n, w in zip(row, made))]  # noqa: B905 - a row may be short
    spare = room - sum(made)
    while spare > 0:
        gain = _gains(made, crowded)
        best = max(range(len(made)), key=gain.__getitem__)
        if gain[best] <= 0:
            break
        made[best] += min(STEP, spare)
        spare -= STEP
    return made


def _gains(made: Sequence[float], rows: Iterable[Sequence[Need]]) -> list[float]:
    """How many lines a little more room would save, by column."""
    gain = [0.0] * len(made)
    for row in rows:
        lines = [max(1.0, need.whole / wide) for need, wide in zip(row, made)]  # noqa: B905 - a row may be short
        highest = max(lines)
        if highest <= 1:
            continue
        tall = lines.index(highest)
        after = max(1.0, row[tall].whole / (made[tall] + STEP))
        rest = max((x for i, x in enumerate(lines) if i != tall), default=1.0)
        gain[tall] += highest - max(after, rest)
        if rest == highest:
            # Two that are as tall as each other grow together.
            gain[tall] += highest - after
    return gain
