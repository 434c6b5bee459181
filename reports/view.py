"""What a report says, before anybody decides how it looks.

Values only: frozen, comparable, without layout and without numbers still to be
formatted. `assemble.py` makes them from results; `pdf.py`, and later the other
writers, turn them into documents. A plain `str` is always plain text: no markup is
read from it, so that nothing from a scenario file can become any.
"""

from collections.abc import Iterable
from typing import Literal

import attrs

from isocost.reports.charts.scene import Scene

Tone = Literal["", "good", "bad", "warn", "muted"]
Verdict = Literal["holds", "fails", "depends", "open"]
Align = Literal["left", "right", "center"]
Grade = Literal["", "A", "B", "C", "D"]


def _keys(keys: str | Iterable[str]) -> tuple[str, ...]:
    """One key or several, as a tuple."""
    return (keys,) if isinstance(keys, str) else tuple(keys)


# Text ---------------------------------------------------------------------------


@attrs.frozen
class Strong:
    """Words that carry the point."""

    text: str


@attrs.frozen
class Emph:
    """Words in italics: titles, terms at their definition."""

    text: str


@attrs.frozen
class Code:
    """A path, a key, a line of the language."""

    text: str


@attrs.frozen
class Sub:
    """A subscript."""

    text: str


@attrs.frozen
class Sup:
    """A superscript."""

    text: str


@attrs.frozen
class Math:
    """A formula within a line, as LaTeX."""

    latex: str


@attrs.frozen
class Link:
    """A link: to a `key` of this report, or to an address (http, https, mailto)."""

    text: str
    key: str = ""
    url: str = ""


@attrs.frozen
class Ref:
    """A mention of a numbered thing: `Figure 3`, `Table 2`, `Section 4`, `(7)`."""

    key: str


@attrs.frozen
class Cite:
    """A mention of sources: prints `[12]` or `[3, 12]`, linked to the bibliography."""

    keys: tuple[str, ...] = attrs.field(converter=_keys)
    locator: str = ""


@attrs.frozen
class Footnote:
    """A note at the foot of the page; the mark stands here."""

    text: str


Inline = str | Strong | Emph | Code | Sub | Sup | Math | Link | Ref | Cite | Footnote
#: Running text: a string, a marked piece, or a tuple of both.
Text = Inline | tuple[Inline, ...]


# Blocks -------------------------------------------------------------------------


@attrs.frozen
class Paragraph:
    """A paragraph; `lead` sets the opening one of a section larger."""

    text: Text
    lead: bool = False


@attrs.frozen
class Bullets:
    """A list of points, numbered if `ordered`."""

    items: tuple[Text, ...]
    ordered: bool = False


@attrs.frozen
class Column:
    """One column of a table.

    `unit` is printed once, under the title. `width` is a share of the table's width
    (0 to 1), else as the words need it.
    """

    title: str
    unit: str = ""
    align: Align = "left"
    width: float | None = None


@attrs.frozen
class Cell:
    """One cell, where a bare text is not enough.

    `interval` is printed smaller after the text; `key` links the cell to where its
    number comes from; `grade` prints the letter of the source's grade in a box.
    """

    text: Text = ""
    interval: str = ""
    tone: Tone = ""
    strong: bool = False
    grade: Grade = ""
    key: str = ""


@attrs.frozen
class Row:
    """One row; `style` says what it is: a `group` is a heading (first cell only)."""

    cells: tuple[Cell | Text, ...]
    style: Literal["", "total", "group", "highlight"] = ""
    key: str = ""


@attrs.frozen
class Table:
    """A table. The caption states the finding; `source` is the line below it.

    `wide` lets it run in smaller type; `notes` are printed above the source line.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    source: Text = ""
    key: str = ""
    notes: tuple[Text, ...] = ()
    dense: bool = False


@attrs.frozen
class Figure:
    """A chart. The caption states the finding, `alt` says what the picture shows."""

    caption: str
    scene: Scene
    alt: str
    source: Text = ""
    key: str = ""


@attrs.frozen
class Where:
    """A line of an equation's legend: symbol (LaTeX), meaning, unit and value."""

    symbol: str
    meaning: str
    unit: str = ""
    value: str = ""


@attrs.frozen
class Equation:
    """A numbered formula as LaTeX, with its legend and source."""

    latex: str
    title: str = ""
    where: tuple[Where, ...] = ()
    source: Text = ""
    key: str = ""


@attrs.frozen
class Callout:
    """A box apart from the text."""

    title: str
    text: Text
    tone: Tone = ""


@attrs.frozen
class Listing:
    """Lines of the language or of a program, as they are."""

    text: str
    caption: str = ""


@attrs.frozen
class ClaimRow:
    """What somebody said, what the arithmetic says, and the verdict.

    `share` is the share of draws in which it holds, already formatted.
    """

    statement: Text
    who: Text
    said: str
    found: str
    verdict: Verdict
    share: str = ""
    note: Text = ""
    key: str = ""


@attrs.frozen
class Claims:
    """A numbered table of claims (or checks) with their verdicts."""

    caption: str
    rows: tuple[ClaimRow, ...]
    source: Text = ""
    key: str = ""
    said_title: str = "Claimed"
    found_title: str = "Found"


@attrs.frozen
class Reference:
    """One source of the bibliography; `key` is what `Cite` names."""

    key: str
    title: str
    publisher: str = ""
    date: str = ""
    url: str = ""
    kind: str = ""
    grade: Grade = ""


@attrs.frozen
class References:
    """The bibliography, numbered in the order given."""

    items: tuple[Reference, ...]


@attrs.frozen
class Term:
    """A term of the glossary; `path` is the metric's path in the language."""

    term: str
    definition: Text
    unit: str = ""
    path: str = ""
    key: str = ""


@attrs.frozen
class Glossary:
    """Terms in the order given."""

    terms: tuple[Term, ...]


@attrs.frozen
class KeyFigures:
    """A row of key figures within a section (the cover has its own)."""

    figures: tuple["KeyFigure", ...]


@attrs.frozen
class Columns:
    """Blocks side by side, in equal columns: two small figures, a figure and text."""

    columns: tuple[tuple["Block", ...], ...]


@attrs.frozen
class Section:
    """A section. Sections nest (at most three deep); the top ones are numbered.

    `fresh` starts it on a new page; `whole` keeps it on one page where a page takes it.
    """

    title: str
    blocks: tuple["Block", ...]
    key: str = ""
    fresh: bool = False
    whole: bool = False
    numbered: bool = True


Block = (
    Paragraph
    | Bullets
    | Table
    | Figure
    | Equation
    | Callout
    | Listing
    | Claims
    | References
    | Glossary
    | KeyFigures
    | Columns
    | Section
)


# The whole ----------------------------------------------------------------------


@attrs.frozen
class KeyFigure:
    """A number that the reader is to remember.

    `value` and `interval` are formatted; `change` (formatted, signed) says how it
    moved against the baseline, `tone` whether that is good.
    """

    value: str
    label: str
    unit: str = ""
    interval: str = ""
    change: str = ""
    tone: Tone = ""
    key: str = ""


@attrs.frozen
class Takeaway:
    """One takeaway: a bold opening that could stand alone, and why."""

    head: str
    text: Text = ""


@attrs.frozen
class BoxLine:
    """One line of the cover's box: what, and its value."""

    label: str
    value: str


@attrs.frozen
class Cover:
    """The first page, which stands alone: the claim as title, and what carries it."""

    title: str
    kicker: str = ""
    subtitle: str = ""
    figures: tuple[KeyFigure, ...] = ()
    takeaways: tuple[Takeaway, ...] = ()
    box: tuple[BoxLine, ...] = ()
    note: Text = ""


@attrs.frozen
class Attachment:
    """A file carried inside the document: scenario text, results, workbook.

    `relationship` is what PDF/A-3 calls it: the `Source` of the document, the `Data`
    behind it, or a `Supplement`.
    """

    name: str
    data: bytes = attrs.field(repr=False)
    description: str = ""
    mime: str = "text/plain"
    relationship: Literal["Source", "Data", "Supplement", "Alternative"] = "Data"


@attrs.frozen
class Report:
    """A whole document.

    `running` stands at the head of each page (the cover's title if empty), `imprint`
    at its foot beside the date, `confidential` before both of them. A `draft` is marked
    as one on every page.
    """

    cover: Cover
    sections: tuple[Section, ...]
    running: str = ""
    imprint: str = ""
    confidential: str = ""
    draft: bool = False
    author: str = ""
    keywords: tuple[str, ...] = ()
    language: str = "en"
    contents: bool = True
    attachments: tuple[Attachment, ...] = ()

    @property
    def mark(self) -> str:
        """That it is a draft, and who may read it; empty where neither is said."""
        return f"{'Draft. ' * self.draft}{self.confidential}".strip()

    def with_files(self, files: Iterable[Attachment]) -> "Report":
        """The report with more files; one of a name that it has replaces that one."""
        files = tuple(files)
        names = {one.name for one in files}
        kept = (one for one in self.attachments if one.name not in names)
        return attrs.evolve(self, attachments=(*kept, *files))
