"""Running text without layout: what a mark prints, numbers given out once.

Shared by the writers that know no pages. `Words` turns text into plain letters, or
hands each piece to a writer that has marks of its own.
"""

from collections.abc import Iterator, Mapping

import attrs

from isocost.reports import view
from isocost.reports.document import Counter, Plan, mark_text, plan
from isocost.reports.richtext import Mark, worded
from isocost.reports.traced import bare


@attrs.define
class Words:
    """One document's numbers and mentions, in plain letters."""

    marks: Mapping[str, Mark]
    sources: Mapping[str, int]
    counter: Counter = attrs.field(factory=Counter)

    @classmethod
    def of(cls, report: view.Report) -> "Words":
        """The words of a report, everything numbered."""
        made: Plan = plan(report)
        return cls(made.marks, made.sources)

    def text(self, text: view.Text) -> str:
        """Running text as plain letters, mentions and citations included."""
        pieces = text if isinstance(text, tuple) else (text,)
        return bare("".join(map(self.piece, pieces))).lstrip()

    def piece(self, piece: view.Inline) -> str:
        """One piece as plain letters."""
        if isinstance(piece, view.Footnote):
            return f" ({piece.text})"
        if isinstance(piece, view.Sup):
            # Right behind a number its letter would be read as a part of it.
            return f" [{piece.text}]"
        return worded(piece, self.marks, self.sources)

    def cell(self, cell: view.Cell | view.Text) -> str:
        """A cell of a table with all that stands in it."""
        if not isinstance(cell, view.Cell):
            return self.text(cell)
        parts = [cell.grade, self.text(cell.text)]
        if cell.interval:
            parts.append(f"({bare(cell.interval)})")
        return " ".join(part for part in parts if part)

    def number(self, kind: str) -> str:
        """The next exhibit of a kind, as it is mentioned."""
        return mark_text(kind, self.counter.take(kind))


def blocks_of(blocks: tuple[view.Block, ...]) -> Iterator[view.Block]:
    """Every block in the order of the document, those within others included."""
    for block in blocks:
        yield block
        if isinstance(block, view.Section):
            yield from blocks_of(block.blocks)
        elif isinstance(block, view.Columns):
            for column in block.columns:
                yield from blocks_of(column)


#: A claim's row as a table has it.
VERDICTS = {
    "holds": "holds",
    "fails": "fails",
    "depends": "depends",
    "open": "open",
}


def as_table(claims: view.Claims) -> view.Table:
    """Claims as an ordinary table."""
    titles = ("Statement", "By", claims.said_title, claims.found_title, "Share")
    rows = tuple(
        view.Row((r.statement, r.who, r.said, r.found, r.share, VERDICTS[r.verdict]))
        for r in claims.rows
    )
    columns = tuple(view.Column(title) for title in (*titles, "Verdict"))
    return view.Table(claims.caption, columns, rows, claims.source, claims.key)
