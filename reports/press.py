"""The layout engine, as one report uses it: its faces, style sheets and reader.

The engine's own style sheet gives a marker and five kinds of notes to every element
there is, which makes seven styles of each; here only lists and footnotes have them.
That is a quarter of the memory that a report takes.
"""

import base64
import datetime as dt
import hashlib
import re
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

from isocost.reports import view
from isocost.reports.document import HERE, render_page

#: Rules of the engine for every element's pseudo-element, and where we need them.
_EVERYWHERE = re.compile(r"(?m)^::(marker|(?:foot)?note-\w+)")
_WHERE = {"marker": "li::marker"}
_PICTURE = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")


@cache
def _base_sheet() -> Any:
    """The engine's own style sheet with its rules for every element narrowed."""
    from weasyprint import CSS
    from weasyprint.css.counters import CounterStyle
    from weasyprint.html import UA

    narrow = _EVERYWHERE.sub(lambda m: _WHERE.get(m[1], f".footnote{m[0]}"), UA)
    return CSS(string=narrow, counter_style=CounterStyle())


@cache
def _source() -> Any:
    """The class of documents that start from that sheet."""
    from weasyprint import HTML

    class Source(HTML):  # type: ignore[misc]
        """A document of ours."""

        # Not public, but nothing public replaces what an engine starts from.
        def _ua_stylesheets(self, forms: bool = False) -> list[Any]:
            del forms
            return [_base_sheet()]

    return Source


class Press:
    """What a report is laid out with."""

    def __init__(
        self,
        engine: Any,
        report: view.Report,
        paper: str,
        date: dt.date,
        theme: Path | None,
        fetcher: Any,
    ) -> None:
        from weasyprint.text.fonts import FontConfiguration

        self.fetcher = fetcher
        self._hash = hashlib.sha256()
        self._engine = engine
        self._fonts = FontConfiguration()
        self._render = partial(render_page, report, paper=paper, date=date, theme=theme)
        self._sheets = [
            engine.CSS(filename=s, font_config=self._fonts, url_fetcher=self.fetcher)
            for s in _sheets(theme)
        ]

    def identified(self, files: Iterable[view.Attachment]) -> bytes:
        """An identity that the document shares with its equals alone."""
        made = self._hash.copy()
        for one in files:
            made.update(one.name.encode() + b"\0" + one.data)
        return made.hexdigest()[:32].encode()

    def lay_out(self) -> Any:
        """The report in pages."""
        source = self._render()
        self._hash = hashlib.sha256(source.html.encode())
        own = self._engine.CSS(string=source.css, font_config=self._fonts)
        html, self.fetcher.pictures = _shortened(source.html)
        page = _source()(
            string=html, base_url=f"{HERE.as_uri()}/", url_fetcher=self.fetcher
        )
        return page.render(
            stylesheets=[own, *self._sheets],
            font_config=self._fonts,
            pdf_variant="pdf/a-3a",
        )


def _shortened(html: str) -> tuple[str, dict[str, bytes]]:
    """A page whose pictures have short addresses, and the pictures by these.

    Pictures are four fifths of a page's text, and the parser reads every letter. A
    place to break is a letter too: as an element it makes three boxes of a line.
    """
    pictures: dict[str, bytes] = {}

    def short(match: re.Match[str]) -> str:
        address = known.setdefault(match[0], f"picture:{len(known)}")
        pictures[address] = base64.b64decode(match[1])
        return address

    known: dict[str, str] = {}
    return _PICTURE.sub(short, html).replace("<wbr>", "\u200b"), pictures


def _sheets(theme: Path | None) -> list[Path]:
    """The style sheets in the order in which they speak."""
    own = [HERE / "theme.css"]
    if theme and (theme / "theme.css").is_file():
        own.append(theme / "theme.css")
    return own
