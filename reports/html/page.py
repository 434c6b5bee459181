"""The page: the same blocks as the PDF's, the scripts beside them, nothing fetched.

Marked numbers pass through the templates as plain letters that no text can know
beforehand, and become elements at the end. A content policy names the page's own
scripts by their hashes, so that nothing else could run even if it got into the page.
"""

import base64
import datetime as dt
import hashlib
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import attrs
from jinja2 import FileSystemLoader
from markupsafe import Markup, escape

from isocost.reports import view
from isocost.reports.document import MONTHS, Writer, environment, indexed, plan
from isocost.reports.glyphs import clean
from isocost.reports.html import colours
from isocost.reports.html.faces import font_sheet
from isocost.reports.html.figures import picture
from isocost.reports.html.live import LiveStudy
from isocost.reports.html.program import Live, Outputs, built
from isocost.reports.logo import logo_of
from isocost.reports.refusals import themed
from isocost.reports.traced import MARKED, VARYING, Book, bare
from isocost.reports.widths import Fit

HERE = Path(__file__).parent
SCRIPTS = ("numbers.js", "charts.js", "tables.js", "live.js", "start.js")


def render_html(
    report: view.Report,
    *,
    date: dt.date,
    study: LiveStudy | None = None,
    theme: Path | None = None,
) -> str:
    """The report as one HTML file.

    Args:
        report: What to say; with `study`, assembled from it.
        date: Of the document.
        study: The material whose numbers are traced; without it nothing is live.
        theme: A folder whose `page.css` is read after ours and whose templates
            replace ours of the same name.
    """
    if study is not None:
        study.book.section = None
    seal = Seal(_letters_of(report), study.book if study is not None else None)
    writer = PageWriter(plan(report), outputs=Outputs(), live=study is not None)
    values = {
        "report": _sealed(report, seal),
        "doc": writer,
        "contents": _sealed(writer.plan.contents, seal),
        "figures": _sealed(indexed(writer.plan), seal),
        "date_text": f"{date.day} {MONTHS[date.month - 1]} {date.year}",
        "date": date,
        "logo": logo_of(theme),
        "files": [_file(one) for one in report.attachments],
        "title": bare(report.cover.title),
    }
    writer.plan = _sealed(writer.plan, seal)
    folders = [str(theme)] if theme else []
    own = environment(None).overlay(
        loader=FileSystemLoader(
            [*folders, str(HERE / "templates"), str(HERE.parent / "templates")]
        )
    )
    # The body first: figures tell the program what they need.
    with themed(theme):
        body = own.get_template("body.html.j2").render(values)
    live = built(study, writer.outputs, writer.data) if study is not None else None
    body = seal.opened(body)
    parts = _parts(body, live, theme)
    # What was rendered above was escaped there.
    page = {**values, **parts, "report": report, "body": Markup(body), "live": live}  # noqa: S704
    with themed(theme):
        return own.get_template("page.html.j2").render(page)


def _parts(body: str, live: Live | None, theme: Path | None) -> dict[str, Any]:
    """Scripts, data and styles, with the policy that admits exactly these."""
    script = "\n".join(asset(name) for name in SCRIPTS)
    code = live.code if live else ""
    data = _json(live.data if live else {"figures": {}})
    css = asset("page.css") + _house(theme)
    css = colours.HEX.sub(lambda m: f"var({colours.variable(m[0])})", css)
    styles = colours.sheet(css + body) + css
    faces = font_sheet(body + data)
    hashes = " ".join(_hash(text) for text in (code, script) if text)
    policy = (
        "default-src 'none'; img-src data:; font-src data:; "
        f"style-src 'unsafe-inline'; script-src {hashes}; base-uri 'none'; "
        "form-action 'none'"
    )
    safe = {"script": script, "code": code, "data": data, "styles": faces + styles}
    return {name: Markup(text) for name, text in safe.items()} | {"policy": policy}  # noqa: S704 (made here; no text of a report in code, and none unescaped in data)


def asset(name: str) -> str:
    """A script or style sheet of the page."""
    place = files("isocost.reports.html").joinpath("assets", name)
    return place.read_text("utf-8")


def _house(theme: Path | None) -> str:
    own = theme / "page.css" if theme else None
    text = own.read_text("utf-8") if own and own.is_file() else ""
    if re.search(r"url\(|@import|</", text):
        message = f"{own}: a page's style sheet may not refer to other files"
        raise ValueError(message)
    return text


def _hash(text: str) -> str:
    made = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(made).decode()}'"


def _json(data: Any) -> str:
    """JSON that can stand in a page: nothing in it can end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
    signs = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028"}
    return re.sub("[<>&\u2028]", lambda m: signs[m[0]], text)


def _file(one: view.Attachment) -> dict[str, str]:
    data = base64.b64encode(one.data).decode()
    size = f"{max(1, round(len(one.data) / 1024))} kB"
    return {
        "name": one.name,
        "href": f"data:{one.mime};base64,{data}",
        "text": one.description,
        "size": size,
    }


# Marks through the templates ------------------------------------------------------


@attrs.frozen
class Seal:
    """How marks pass through the templates: as letters, if the book knows them."""

    letters: str
    book: Book | None

    def text(self, text: str) -> str:
        """A text with its marks in letters; marks that somebody made up are gone."""
        if not re.search("[\ue000-\ue005]", text):
            return text
        if self.book is not None:
            text = MARKED.sub(self._number, text)
            text = VARYING.sub(self._variant, text)
        return bare(text)

    def _number(self, found: re.Match[str]) -> str:
        at, words = int(found[2]), found[3]
        known = self.book.texts if self.book else []
        if at >= len(known) or bare(words).lstrip("+") != known[at].lstrip("+"):
            return words
        sign = "p" if found[1] else ""
        return f"{self.letters}n{at}{sign}.{words}{self.letters}e"

    def _variant(self, found: re.Match[str]) -> str:
        known = self.book.variants if self.book else {}
        if int(found[1]) >= len(known):
            return found[2]
        return f"{self.letters}v{int(found[1])}.{found[2]}{self.letters}e"

    def opened(self, html: str) -> str:
        """The letters as elements; within attributes, as the bare text."""
        lone = re.compile(f"{self.letters}(?:[nv][0-9]+p?\\.|e)")
        html = re.sub(
            r'(?<= )(?:title|alt|aria-label|content|data-tip)="[^"]*"',
            lambda m: lone.sub("", m[0]),
            html,
        )
        return re.sub(f"{self.letters}(?:([nv])([0-9]+)(p?)\\.|e)", _element, html)


def _element(found: re.Match[str]) -> str:
    if found[1] is None:
        return "</span>"
    kind = "f" if found[1] == "n" else "v"
    sign = " data-p" if found[3] else ""
    return f'<span data-{kind}="{found[2]}"{sign}>'


def _letters_of(report: view.Report) -> str:
    """Letters that no text of the report holds: they are made from all of it."""
    return "Zq" + hashlib.sha256(repr(report).encode()).hexdigest()[:20]


def _sealed(value: Any, seal: Seal) -> Any:
    """A value with its marks written in letters."""
    if isinstance(value, str):
        return seal.text(value)
    if isinstance(value, tuple):
        return tuple(_sealed(one, seal) for one in value)
    if isinstance(value, Mapping):
        return {_sealed(k, seal): _sealed(one, seal) for k, one in value.items()}
    if attrs.has(type(value)) and not hasattr(type(value), "ELASTIC"):
        names = [f.name for f in attrs.fields(type(value))]
        made = {name: _sealed(getattr(value, name), seal) for name in names}
        return type(value)(**made)
    return value


@attrs.define
class PageWriter(Writer):
    """What the templates call; charts are drawn into the page."""

    outputs: Outputs = attrs.field(factory=Outputs)
    live: bool = False
    data: dict[str, Any] = attrs.field(factory=dict)

    def picture(self, figure: view.Figure, number: int) -> Markup:
        """The chart as SVG, in a box that may scroll."""
        made = picture(figure.scene, figure.alt, self.outputs)
        if made.data is not None:
            self.data[str(number)] = made.data
        stale = ""
        if made.frozen and self.live:
            stale = '<p class="stale" hidden>Drawn for the scenario’s own inputs.</p>'
        box = f'<div class="picture" data-figure="{number}">{made.svg}</div>{stale}'
        return Markup(box)  # noqa: S704 (the texts in it are escaped)

    def fit(self, block: view.Table | view.Claims) -> Fit:
        """Stated widths only: the browser knows how wide a page is."""
        stated = (
            [c.width for c in block.columns] if isinstance(block, view.Table) else []
        )
        return Fit(tuple(w for w in stated if w) if all(stated) else ())

    def short(self, text: str) -> Markup:
        """A text without marks, for where only letters may stand."""
        return escape(clean(bare(text)))
