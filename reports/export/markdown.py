"""The report as Markdown: for comments, wikis and whoever reads plain files.

Whatever a scenario file calls its things stays text: every sign that Markdown or
HTML reads as markup is escaped, and only web addresses become links.
"""

import re
from collections.abc import Callable
from urllib.parse import quote

import attrs

from isocost.reports import view
from isocost.reports.export.words import Words, as_table
from isocost.reports.traced import bare

_SIGNS = re.compile(r"([\\`*_{}\[\]#|~$!])")
#: At the start of a line these would make a list, a rule or a heading.
_STARTS = re.compile(r"(?m)^(\s*)([-+>=]|\d+[.)])(?=\s|$|[-=]{2})")
_SCHEMES = ("https://", "http://", "mailto:")
_MARKS = {view.Strong: "**", view.Emph: "*"}

#: The address of the chart of a figure by its number, or None for no picture.
Pictures = Callable[[int], str | None]


def escaped(text: str) -> str:
    """`text` as Markdown that reads as it is written."""
    text = bare(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _SIGNS.sub(r"\\\1", re.sub(r"[ \t]*[\r\n]+[ \t]*", " ", text))
    return _STARTS.sub(r"\1\\\2", text)


def render_markdown(report: view.Report, pictures: Pictures | None = None) -> str:
    """The report as one Markdown text.

    Args:
        report: What to say.
        pictures: Where the chart of each figure lies; without it, its alternative
            text stands for it.
    """
    writer = _Writer(Words.of(report), pictures or (lambda _: None))
    cover = report.cover
    lines = [f"# {escaped(cover.title)}", ""]
    if cover.subtitle:
        lines += [escaped(cover.subtitle), ""]
    mark = "Draft. " * report.draft + escaped(report.confidential)
    if mark:
        lines += [mark.strip(), ""]
    if cover.figures:
        lines += [*writer.figures(cover.figures), ""]
    for i, point in enumerate(cover.takeaways, 1):
        words = writer.text(point.text)
        lines.append(f"{i}. **{escaped(point.head).strip()}** {words}")
    lines += [""] if cover.takeaways else []
    for line in cover.box:
        lines.append(f"- {escaped(line.label)}: {escaped(line.value)}")
    for section in report.sections:
        lines += ["", *writer.block(section, 1)]
    text = "\n".join(line.rstrip() for line in lines)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@attrs.define
class _Writer:
    words: Words
    pictures: Pictures

    def text(self, text: view.Text) -> str:
        pieces = text if isinstance(text, tuple) else (text,)
        return "".join(map(self.piece, pieces))

    def piece(self, piece: view.Inline) -> str:
        match piece:
            case view.Strong(text=text) | view.Emph(text=text):
                mark = _MARKS[type(piece)]
                return f"{mark}{escaped(text).strip()}{mark}" if text.strip() else ""
            case view.Code(text=text):
                return _code(text)
            case view.Math(latex=latex):
                return f"${_latex(latex)}$"
            case view.Sup(text=text):
                return f"<sup>{escaped(text)}</sup>"
            case view.Link(text=text, url=url) if url.lower().startswith(_SCHEMES):
                return _link(text, url)
            case _:
                return escaped(self.words.piece(piece))

    def block(self, block: view.Block, level: int) -> list[str]:
        match block:
            case view.Section():
                return self.section(block, level)
            case view.Paragraph(text=text):
                return [self.text(text), ""]
            case view.Bullets(items=items, ordered=ordered):
                marks = (f"{i}." if ordered else "-" for i in range(1, len(items) + 1))
                lines = [
                    f"{mark} {self.text(item)}"
                    for mark, item in zip(marks, items, strict=True)
                ]
                return [*lines, ""]
            case view.Table():
                return self.table(block)
            case view.Claims():
                return self.table(as_table(block))
            case view.Figure():
                return self.figure(block)
            case view.Equation():
                return self.equation(block)
            case _:
                return self.rest(block, level)

    def rest(self, block: view.Block, level: int) -> list[str]:
        match block:
            case view.Callout(title=title, text=text):
                return [f"> **{escaped(title)}** {self.text(text)}", ""]
            case view.Listing(text=text, caption=caption):
                fence = "`" * (3 + _longest(text))
                head = [f"*{escaped(caption)}*", ""] if caption else []
                return [*head, fence, *bare(text).splitlines(), fence, ""]
            case view.KeyFigures(figures=figures):
                return [*self.figures(figures), ""]
            case view.References(items=items):
                return [*(self.reference(i, r) for i, r in enumerate(items, 1)), ""]
            case view.Glossary(terms=terms):
                lines = [
                    f"- **{escaped(t.term)}**: {self.text(t.definition)}" for t in terms
                ]
                return [*lines, ""]
            case view.Columns(columns=columns):
                inner = (b for column in columns for b in column)
                return [line for b in inner for line in self.block(b, level)]
            case _:
                return []

    def section(self, section: view.Section, level: int) -> list[str]:
        number = self.words.counter.section(level, numbered=section.numbered)
        title = escaped(section.title)
        head = f"{'#' * min(level + 1, 6)} {number} {title}".replace("  ", " ")
        inner = [line for b in section.blocks for line in self.block(b, level + 1)]
        return [head, "", *inner]

    def table(self, table: view.Table) -> list[str]:
        number = self.words.number("Table")
        heads = [
            escaped(f"{c.title}, {c.unit}" if c.unit and c.title else c.title or c.unit)
            for c in table.columns
        ]
        rules = [
            {"left": ":--", "right": "--:", "center": ":-:"}[c.align]
            for c in table.columns
        ]
        lines = [f"**{number}** {escaped(table.caption)}", ""]
        lines += [_row(heads), _row(rules)]
        for row in table.rows:
            cells = [self.cell(cell) for cell in row.cells]
            cells += [""] * (len(table.columns) - len(cells))
            if row.style in {"group", "total"}:
                cells = [f"**{c}**" if c else "" for c in cells]
            lines.append(_row(cells))
        lines.append("")
        for note in table.notes:
            lines += [self.text(note), ""]
        return [*lines, *self.source(table.source)]

    def cell(self, cell: view.Cell | view.Text) -> str:
        if not isinstance(cell, view.Cell):
            return self.text(cell)
        made = self.text(cell.text)
        made = f"**{made}**" if cell.strong and made else made
        interval = f"({escaped(cell.interval)})" if cell.interval else ""
        return " ".join(part for part in (cell.grade, made, interval) if part)

    def figure(self, figure: view.Figure) -> list[str]:
        number = self.words.counter.take("Figure")
        address = self.pictures(number)
        alt = escaped(figure.alt)
        picture = f"![{alt}]({quote(address)})" if address else f"*{alt}*"
        head = f"**Figure {number}** {escaped(figure.caption)}"
        return [head, "", picture, "", *self.source(figure.source)]

    def equation(self, equation: view.Equation) -> list[str]:
        number = self.words.counter.take("Equation")
        title = f"**{escaped(equation.title)}** ({number})"
        lines = [title, "", "$$", _latex(equation.latex), "$$", ""]
        for where in equation.where:
            unit = f" [{escaped(where.unit)}]" if where.unit else ""
            value = f" = {escaped(where.value)}" if where.value else ""
            meaning = escaped(where.meaning)
            lines.append(f"- ${_latex(where.symbol)}${value}{unit}: {meaning}")
        return [*lines, "", *self.source(equation.source)]

    def source(self, source: view.Text) -> list[str]:
        return [f"Source: {self.text(source)}", ""] if source else []

    def figures(self, figures: tuple[view.KeyFigure, ...]) -> list[str]:
        lines = []
        for f in figures:
            value = escaped(f"{f.value} {f.unit}".strip())
            interval = f" ({escaped(f.interval)})" if f.interval else ""
            lines.append(f"- **{value}** {escaped(f.label)}{interval}")
        return lines

    def reference(self, number: int, one: view.Reference) -> str:
        parts = [one.publisher.rstrip("."), one.title, one.date]
        words = escaped(". ".join(part for part in parts if part))
        link = f" {_link(one.url, one.url)}" if one.url.startswith(_SCHEMES) else ""
        return f"{number}. {words}.{link}"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _code(text: str) -> str:
    """Code in a fence longer than any within it."""
    text = re.sub(r"\s+", " ", bare(text)).replace("|", "\\|")
    fence = "`" * (1 + _longest(text))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _longest(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _latex(latex: str) -> str:
    """LaTeX within dollars: none of its own, and nothing that reads as HTML."""
    text = bare(latex).replace("\n", " ").replace("$", r"\$")
    return text.replace("<", r"\lt ").replace(">", r"\gt ")


def _link(text: str, url: str) -> str:
    address = quote(url, safe=":/?#@!&'*+,;=%~-._")
    return f"[{escaped(text)}]({address})"
