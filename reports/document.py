"""A report as HTML: numbers given out, mentions resolved, templates filled.

What comes out is meant for the PDF writer; it refers to nothing but the theme's
style sheet and the faces beside it, and carries every picture within itself.
"""

import datetime as dt
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import attrs
from jinja2 import FileSystemLoader, StrictUndefined, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from isocost.reports import richtext, view
from isocost.reports.charts import render_svg
from isocost.reports.glyphs import clean
from isocost.reports.logo import logo_of
from isocost.reports.refusals import themed
from isocost.reports.richtext import Mark, anchor
from isocost.reports.widths import Fit, claims_table, fit

HERE = Path(__file__).parent
#: The text block in points (170 mm) and what an equation may take of it.
TEXT_WIDTH = 482.0
#: Between things side by side.
GUTTER = 18.0
EQUATION_WIDTH = 430.0
#: What the title may take of the cover.
COVER_WIDTH = 400.0
#: From so many letters of takeaways, and lines in its box, on the cover is crowded.
ROOMY, BOXED = 860, 7
#: Not from the locale: the same report has the same bytes everywhere.
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December",
)  # fmt: skip

#: The word DRAFT across a page in strokes, in a grey that print stands out from.
DRAFT = richtext.data_uri(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 60"><g fill="none" '
    'stroke="#E9EDF2" stroke-width="3.4" transform="rotate(-28 50 30)">'
    '<path d="M8 40V20h5a7 10 0 0 1 0 20z"/><path d="M27 40V20h6a5 5.5 0 0 1 0 '
    '11h-6M33 31l6 9"/><path d="M44 40l7-20 7 20M46.500 33h9"/>'
    '<path d="M64 40V20h10M64 30h8"/><path d="M78 21.700h14M85 20v20"/></g></svg>'
)
#: From so many figures on, a report ends with their index.
INDEXED = 5

_KINDS = {
    view.Figure: "Figure",
    view.Table: "Table",
    view.Claims: "Table",
    view.Equation: "Equation",
}


@attrs.frozen
class Entry:
    """A line of the contents."""

    level: int
    number: str
    title: str
    anchor: str


@attrs.define
class Counter:
    """Gives out numbers in the order of the document; blocks ask for theirs once."""

    counts: dict[str, int] = attrs.field(factory=dict)
    sections: list[int] = attrs.field(factory=list)

    def take(self, kind: str) -> int:
        """The next number of this kind of exhibit."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return self.counts[kind]

    def section(self, level: int, *, numbered: bool) -> str:
        """The next section number at `level` (1 or 2), empty below or if unnumbered."""
        if not numbered or level > 2:  # noqa: PLR2004 - deeper numbers only clutter
            return ""
        del self.sections[level:]
        while len(self.sections) < level:
            self.sections.append(0)
        self.sections[level - 1] += 1
        return ".".join(map(str, self.sections))


def mark_text(kind: str, number: int | str) -> str:
    """How a numbered thing is mentioned."""
    return f"({number})" if kind == "Equation" else f"{kind} {number}"


@attrs.frozen
class Plan:
    """What is known about a document before it is written."""

    marks: Mapping[str, Mark]
    sources: Mapping[str, int]
    contents: tuple[Entry, ...]
    figures: tuple[Entry, ...] = ()


def plan(report: view.Report) -> Plan:
    """Number everything once, in the order in which the templates will."""
    marks: dict[str, Mark] = {}
    sources: dict[str, int] = {}
    contents: list[Entry] = []
    figures: list[Entry] = []
    counter = Counter()
    for block, level in _walk(report.sections, 1):
        if isinstance(block, view.Section):
            number = counter.section(level, numbered=block.numbered)
            here = section_anchor(block, number)
            if level <= 2:  # noqa: PLR2004 - what the contents show
                contents.append(Entry(level, number, block.title, here))
            text = f"Section {number}" if number else block.title
            marks[block.key or here] = Mark(text, here)
        elif type(block) in _KINDS:
            kind = _KINDS[type(block)]
            number = str(counter.take(kind))
            key = getattr(block, "key", "") or f"{kind}.{number}"
            marks[key] = Mark(mark_text(kind, number), anchor(key))
            if isinstance(block, view.Figure):
                figures.append(Entry(2, number, block.caption, anchor(key)))
        _inner(block, marks, sources)
    return Plan(marks, sources, tuple(contents), tuple(figures))


def indexed(planned: Plan) -> tuple[Entry, ...]:
    """The figures of the index; none where there are few."""
    return planned.figures if len(planned.figures) >= INDEXED else ()


def _inner(block: view.Block, marks: dict[str, Mark], sources: dict[str, int]) -> None:
    """The keys of a block's own lines."""
    match block:
        case view.References(items=items):
            for item in items:
                sources.setdefault(item.key, len(sources) + 1)
        case view.Table(rows=rows) | view.Claims(rows=rows):
            marks |= {r.key: Mark(r.key, anchor(r.key)) for r in rows if r.key}
        case view.Glossary(terms=terms):
            marks |= {t.key: Mark(t.term, anchor(t.key)) for t in terms if t.key}
        case _:
            pass


def _walk(
    blocks: tuple[view.Block, ...], level: int
) -> Iterator[tuple[view.Block, int]]:
    """Every block in the order of the document, with the level of its sections."""
    for block in blocks:
        yield block, level
        if isinstance(block, view.Section):
            yield from _walk(block.blocks, level + 1)
        elif isinstance(block, view.Columns):
            for column in block.columns:
                yield from _walk(column, level)


def section_anchor(section: view.Section, number: str) -> str:
    """The id of a section's heading."""
    return anchor(section.key or f"section.{number or section.title}")


@attrs.define
class Writer:
    """What the templates call: one document's numbers, texts and pictures."""

    plan: Plan
    room: float = TEXT_WIDTH
    counter: Counter = attrs.field(factory=Counter)

    def text(self, text: view.Text, size: float = 9.2) -> Markup:
        """Running text."""
        return richtext.inline(text, self.plan.marks, self.plan.sources, size)

    def number(self, block: view.Block) -> int:
        """The number of an exhibit."""
        return self.counter.take(_KINDS[type(block)])

    def section(self, section: view.Section, level: int) -> dict[str, str]:
        """The number and the id of a section."""
        number = self.counter.section(level, numbered=section.numbered)
        return {"number": number, "anchor": section_anchor(section, number)}

    def anchor(self, key: str, fallback: str = "") -> str:
        """The id of something with a key, or of the exhibit called `fallback`."""
        return anchor(key or fallback) if key or fallback else ""

    def chart(self, figure: view.Figure, number: int) -> str:
        """The chart of the figure called `number` as an address."""
        del number
        return richtext.data_uri(render_svg(figure.scene))

    def picture(self, figure: view.Figure, number: int) -> Markup:
        """The chart of the figure called `number` as an element."""
        source = self.chart(figure, number)
        return Markup('<img class="chart" alt="{}" src="{}">').format(
            clean(figure.alt), source
        )

    def within(self, columns: int) -> str:
        """What follows stands side by side in so many columns; 1 ends that."""
        self.room = (TEXT_WIDTH - GUTTER * (columns - 1)) / columns
        return ""

    def fit(self, block: view.Table | view.Claims) -> Fit:
        """How a table fits the place where it stands."""
        table = claims_table(block) if isinstance(block, view.Claims) else block
        return fit(table, self._wording, self.room)

    def _wording(self, piece: view.Inline) -> str:
        """How a marked piece of text reads."""
        return richtext.worded(piece, self.plan.marks, self.plan.sources)

    def formula(
        self, latex: str, size: float = 10.0, width: float = EQUATION_WIDTH
    ) -> Markup:
        """A displayed formula."""
        return richtext.formula(latex, size, width)

    def symbol(self, latex: str) -> Markup:
        """A symbol within a line."""
        return richtext.formula(latex, 8.4, inline=True)

    def source_number(self, key: str) -> int:
        """The number of a source."""
        return self.plan.sources[key]

    def balanced(self, text: str, size: float, face: str) -> str:
        """The width at which the lines of a heading come out alike, in points."""
        from isocost.reports.charts.metrics import balanced_width

        return f"{balanced_width(clean(text), size, face, COVER_WIDTH):.1f}"

    def crowded(self, cover: view.Cover) -> bool:
        """Whether the cover says so much that it needs smaller type to be one page."""
        said = sum(len(t.head) + len(richtext.plain(t.text)) for t in cover.takeaways)
        return said + 60 * len(cover.takeaways) > ROOMY or len(cover.box) > BOXED

    def link(self, key: str) -> str:
        """Where a key leads, or nothing."""
        mark = self.plan.marks.get(key)
        return f"#{mark.anchor}" if mark else ""


def css_string(text: str) -> str:
    """`text` as a CSS string: everything but letters and digits as an escape."""
    body = "".join(
        c if c.isascii() and c.isalnum() else f"\\{ord(c):06x}" for c in clean(text)
    )
    return f'"{body}"'


def _finalize(value: Any) -> Any:
    """Every printed value passes here: nothing the faces lack reaches the page."""
    if isinstance(value, Undefined):
        return value
    if isinstance(value, Markup):
        return value
    return clean(value) if isinstance(value, str) else value


@lru_cache(maxsize=8)
def environment(theme: Path | None) -> ImmutableSandboxedEnvironment:
    """The template engine: sandboxed, escaping, strict; a theme's files come first."""
    folders = [str(theme)] if theme else []
    made = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader([*folders, str(HERE / "templates")]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["css"] = lambda text: Markup(css_string(text))  # noqa: S704 - escaped above
    made.tests["kind"] = lambda block, name: type(block).__name__ == name
    return made


@attrs.frozen
class Page:
    """A document ready for the layout engine: its HTML, and its own page rules."""

    html: str
    css: str


def render_page(
    report: view.Report,
    *,
    paper: str,
    date: dt.date,
    theme: Path | None = None,
) -> Page:
    """The report as HTML for the PDF writer.

    Args:
        report: what to say.
        paper: `A4` or `Letter`.
        date: printed at the foot of each page and kept in the metadata.
        theme: a folder whose `theme.css` is read after ours, whose templates
            replace ours of the same name, and whose `logo.svg` or `logo.png` stands on
            the cover.

    Raises:
        ThemeError: the theme's templates or its logo cannot be used.
    """
    planned = plan(report)
    templates = environment(theme)
    values = {
        "report": report,
        "doc": Writer(planned),
        "contents": planned.contents,
        "figures": indexed(planned),
        "note": richtext.plain(report.cover.note),
        "mark": DRAFT,
        "logo": logo_of(theme),
        "paper": paper,
        "date": date,
        "date_text": f"{date.day} {MONTHS[date.month - 1]} {date.year}",
    }
    with themed(theme):
        html = templates.get_template("report.html.j2").render(values)
        return Page(html, templates.get_template("page.css.j2").render(values))
