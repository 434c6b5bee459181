"""What a report can be written as: one table, from the ending of a file's name.

Every writer starts from the same material and view models; what it needs beyond the
standard library is imported when it is asked for.
"""

from collections.abc import Callable
from pathlib import Path

from isocost.engine.evaluate import Evaluation
from isocost.reports import view
from isocost.reports.assemble import date_of, study_of
from isocost.reports.endings import SET, Draft
from isocost.reports.study import Study

Writer = Callable[[Study, view.Report, Path | None], bytes]


def _html(study: Study, report: view.Report, theme: Path | None) -> bytes:
    from isocost.reports.html import LiveStudy, render_html

    live = study if isinstance(study, LiveStudy) else None
    report = with_files(study, report)
    page = render_html(report, date=date_of(study), study=live, theme=theme)
    return page.encode()


def _xlsx(study: Study, report: view.Report, theme: Path | None) -> bytes:
    del theme
    from isocost.reports.export.xlsx import render_xlsx

    return render_xlsx(study, date=date_of(study), mark=report.mark)


def _markdown(study: Study, report: view.Report, theme: Path | None) -> bytes:
    del study, theme
    from isocost.reports.export.markdown import render_markdown

    return render_markdown(report).encode()


def _json(study: Study, report: view.Report, theme: Path | None) -> bytes:
    del theme
    from isocost.reports.export.results import render_json

    return render_json(study, report, date=date_of(study)).encode()


def _zip(study: Study, report: view.Report, theme: Path | None) -> bytes:
    del theme
    from isocost.reports.export.tables import bundle, zipped

    return zipped(bundle(with_files(study, report)))


#: The writer of each ending that is not set in pages; the last is a house's theme.
WRITERS: dict[str, Writer] = {
    ".html": _html,
    ".xlsx": _xlsx,
    ".md": _markdown,
    ".json": _json,
    ".zip": _zip,
}


def study_for(ending: str, evaluation: Evaluation, name: str | None) -> Study:
    """The material of a report: for a page, such as remembers where numbers are from.

    Args:
        ending: Of the file's name, `.pdf`.
        evaluation: The evaluated document.
        name: Which report of it.
    """
    if ending == ".html":
        from isocost.reports.html import live_study

        return live_study(evaluation, name)
    return study_of(evaluation, name)


def draft(
    ending: str, study: Study, report: view.Report, theme: Path | None = None
) -> Draft:
    """The report, ready to be written in the format of an ending.

    One that is set in pages lacks its `files`, which no page is waiting for.

    Raises:
        KeyError: There is no such format; `endings.ENDINGS` has those that there are.
    """
    date = date_of(study)
    failed = tuple(
        f"{one.condition.name} does not hold: {one.condition.why}"
        for one in study.verdicts
        if not one.holds and one.condition.kind == "check"
    )
    if ending in SET:
        return Draft(report, date, failed)
    return Draft(report, date, failed, WRITERS[ending](study, report, theme))


def with_files(study: Study, report: view.Report) -> view.Report:
    """The report with its results and its workbook attached."""
    return report.with_files(files(study, report))


def files(study: Study, report: view.Report) -> tuple[view.Attachment, ...]:
    """A report's results and its workbook."""
    from isocost.reports.export.results import render_json
    from isocost.reports.export.xlsx import render_xlsx

    date = date_of(study)
    return (
        view.Attachment(
            "results.json",
            render_json(study, report, date=date).encode(),
            "Every number of the report, with inputs and sources",
            "application/json",
        ),
        view.Attachment(
            "workbook.xlsx",
            render_xlsx(study, date=date, mark=report.mark),
            "The model as a workbook that computes",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "Alternative",
        ),
    )
