"""What a report can be written as, and what is ready to be written.

Apart from the writers, so that a process that only sets pages needs none of the
engine's modules.
"""

import datetime as dt
from collections.abc import Callable, Iterable
from pathlib import Path

import attrs

from isocost.reports import view

#: The endings of files that there are writers for (`outputs.WRITERS`).
ENDINGS = (".pdf", ".html", ".xlsx", ".md", ".json", ".zip")
#: Those that are set in pages, from the report alone.
SET = frozenset({".pdf"})


@attrs.frozen
class Draft:
    """A report that needs its study no more.

    `data` are the bytes of the file, where they are not still to be set in pages;
    `failed` are the checks of the file that do not hold, as they are told.
    """

    report: view.Report = attrs.field(repr=False)
    date: dt.date
    failed: tuple[str, ...] = ()
    data: bytes | None = attrs.field(default=None, repr=False)

    def written(
        self,
        paper: str = "A4",
        theme: Path | None = None,
        files: Callable[[], Iterable[view.Attachment]] = tuple,
    ) -> bytes:
        """The bytes of the file.

        Args:
            paper: `A4` or `Letter`.
            theme: A house's own.
            files: More to attach to pages, asked for when they are set.

        Raises:
            MissingLibraries: pages cannot be set on this machine.
            LayoutError: something could not be laid out as asked.
        """
        if self.data is not None:
            return self.data
        from isocost.reports.pdf import render_pdf

        return render_pdf(
            self.report, paper=paper, date=self.date, theme=theme, files=files
        )
