"""The PDF writer: PDF/A-3a, tagged, with the inputs attached, the same bytes always.

WeasyPrint does the layout. It may read `data:` addresses and the files of this
package (and of a theme's folder), nothing else, and every warning of its is an error
here: what it complains about would be missing from the page.
"""

import base64
import datetime as dt
import gc
import logging
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from isocost.reports import kept, view
from isocost.reports.arrange import arranged
from isocost.reports.collecting import uncollected
from isocost.reports.document import HERE
from isocost.reports.painting import side_by_side
from isocost.reports.press import Press
from isocost.reports.refusals import ReportError

PAPERS = ("A4", "Letter")
#: Debian's names of the libraries behind the layout engine.
DEBIAN = ("libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0")
_SUFFIXES = {".css", ".ttf", ".otf", ".woff2", ".svg", ".png", ".jpg"}


class MissingLibraries(ReportError):  # noqa: N818 - it names the mistake
    """The system's text layout libraries are not installed.

    `packages` are Debian's names for them.
    """

    def __init__(self, reason: str = "") -> None:
        self.packages = DEBIAN
        super().__init__(
            "PDF output needs the Pango and HarfBuzz libraries; on Debian or Ubuntu: "
            f"apt-get install {' '.join(DEBIAN)}" + (f" ({reason})" if reason else "")
        )


#: How much of what the layout engine said is told: it quotes whole pictures.
_TOLD = 200


class LayoutError(ReportError):
    """The layout engine complained; the text is what it said."""

    @classmethod
    def of(cls, said: Iterable[str], theme: Path | None) -> "LayoutError":
        """What was said, each once and not at length, and of which theme's pages."""
        short = [
            s if len(s) <= _TOLD else s[:_TOLD] + "\N{HORIZONTAL ELLIPSIS}"
            for s in said
        ]
        words = "; ".join(dict.fromkeys(short))
        return cls(f"{theme}: {words}" if theme else words)


def warm() -> None:
    """Load the layout engine and all that it loads by need; its lack is told later.

    A page of nothing takes as long as a tenth of a report, which is spent here while
    others work.
    """
    with suppress(MissingLibraries):
        _weasyprint()
        words = view.Paragraph("Internationalisation, said at length. " * 9)
        nothing = view.Section("Nothing", (words,))
        render_pdf(
            view.Report(view.Cover("Nothing"), (nothing,)), date=dt.date(2026, 1, 1)
        )


def _weasyprint() -> Any:
    """The layout engine, or a kind word about what it lacks."""
    try:
        import weasyprint
    except OSError as error:
        raise MissingLibraries(str(error).partition("\n")[0]) from error
    return weasyprint


@contextmanager
def _strict(theme: Path | None) -> Iterator[None]:
    """Collect the layout engine's warnings and raise them together."""
    logger = logging.getLogger("weasyprint")
    said: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    handler = Keep(logging.WARNING)
    propagate, level = logger.propagate, logger.level
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate, logger.level = propagate, level
    if said:
        raise LayoutError.of(said, theme)


def _fetcher(engine: Any, theme: Path | None) -> Any:
    """A reader of addresses that knows our files and no others."""
    roots = [HERE.resolve()] + ([theme.resolve()] if theme else [])
    base = engine.urls.URLFetcher

    class Fetcher(base):  # type: ignore[misc, valid-type]
        """Admits `data:`, files of these folders, and the report's own `pictures`."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.pictures: dict[str, bytes] = {}

        def fetch(self, url: str, headers: Any = None) -> Any:
            if url in self.pictures:
                kind = {"Content-Type": "image/svg+xml"}
                return engine.urls.URLFetcherResponse(url, self.pictures[url], kind)
            if url.startswith("data:"):
                return super().fetch(url, headers)
            path = _local(url)
            if path is None or not any(path.is_relative_to(root) for root in roots):
                message = f"{url[:80]} is outside the report's own files"
                raise ValueError(message)
            return super().fetch(path.as_uri(), headers)

    return Fetcher(allowed_protocols=("data", "file"), allow_redirects=False)


def _local(url: str) -> Path | None:
    """The file that a `file:` address names, if a report may hold such a file."""
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc:
        return None
    path = Path(unquote(parts.path)).resolve()
    return path if path.suffix.lower() in _SUFFIXES else None


def _attachments(
    engine: Any, report: view.Report, date: dt.date, fetcher: Any
) -> list[Any]:
    """The attached files, dated as the report is: an object serves only once."""
    midnight = dt.datetime(date.year, date.month, date.day, tzinfo=dt.UTC)
    return [
        engine.Attachment(
            url=f"data:{a.mime};base64,{base64.b64encode(a.data).decode()}",
            url_fetcher=fetcher,
            name=a.name,
            description=a.description or a.name,
            created=midnight,
            modified=midnight,
            relationship=a.relationship,
        )
        # Readers look a name up by bisection, so the names have to ascend.
        for a in sorted(report.attachments, key=lambda a: a.name)
    ]


def _scoped(document: Any, file: Any) -> None:
    """Say of each head of a table what it heads; the engine links cells to heads only.

    A head that is as wide as its table is that of the rows below it.
    """
    del document
    for one in file.objects:
        if isinstance(one, dict) and one.get("S") == "/TH" and "A" in one:
            one["A"]["Scope"] = "/Row" if "ColSpan" in one["A"] else "/Column"


def render_pdf(
    report: view.Report,
    *,
    paper: str = "A4",
    date: dt.date,
    theme: Path | None = None,
    files: Callable[[], Iterable[view.Attachment]] = tuple,
) -> bytes:
    """The report as a PDF file.

    Args:
        report: what to say.
        paper: `A4` or `Letter`; the text block is 170 mm wide on both.
        date: of the document; it is printed, and the only date in the file.
        theme: a folder with a `theme.css` and templates of one's own.
        files: more to attach, asked for when the pages are laid out.

    Returns:
        The file's bytes; equal input gives equal bytes.

    Raises:
        MissingLibraries: without Pango and HarfBuzz on this machine.
        LayoutError: if anything could not be laid out as asked.
        ValueError: for another paper.
    """
    if paper not in PAPERS:
        message = f"paper is {paper!r}; it can be {' or '.join(PAPERS)}"
        raise ValueError(message)
    engine = _weasyprint()
    report = arranged(report, paper)
    with _strict(theme), uncollected(), warnings.catch_warnings():
        # The engine leaves the file of its colour profile to the collector.
        warnings.simplefilter("ignore", ResourceWarning)
        press = Press(engine, report, paper, date, theme, _fetcher(engine, theme))
        document = press.lay_out()
        # Each keeps tens of megabytes that writing could use.
        kept.forget()
        gc.collect()
        report = report.with_files(files())
        with side_by_side(document):
            made: bytes = document.write_pdf(
                finisher=_scoped,
                pdf_variant="pdf/a-3a",
                pdf_identifier=press.identified(report.attachments),
                attachments=_attachments(engine, report, date, press.fetcher),
                custom_metadata=False,
            )
    return made
