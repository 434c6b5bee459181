"""Marks on numbers leave them numbers: in the workbook, in text, CSV and the page."""

import csv
import io
import re
from types import ModuleType
from typing import Any

import attrs
import jsonschema

from isocost.reports import outputs
from isocost.reports import view as v
from isocost.reports.assemble import date_of
from isocost.reports.document import render_page
from isocost.reports.export.markdown import render_markdown
from isocost.reports.export.results import document, schema
from isocost.reports.export.tables import tables
from isocost.reports.export.words import Words, blocks_of
from isocost.reports.export.xlsx import render_xlsx
from isocost.reports.flags import WITHIN, limited
from isocost.reports.html import render_html
from isocost.reports.richtext import anchor
from isocost.reports.traced import bare


def marked(report: v.Report) -> list[tuple[v.Table, v.Cell | v.Text]]:
    """The marked cells of a report, each with its table."""
    found: list[tuple[v.Table, v.Cell | v.Text]] = []
    for block in blocks_of(report.sections):
        if not isinstance(block, v.Table):
            continue
        for cell in (cell for row in block.rows for cell in row.cells):
            text = cell.text if isinstance(cell, v.Cell) else cell
            if isinstance(text, tuple) and any(isinstance(p, v.Sup) for p in text):
                found.append((block, cell))
    return found


def test_the_workbook_keeps_numbers_apart(made_study: Any, sheets: ModuleType) -> None:
    study = made_study.study
    book = sheets.Workbook(render_xlsx(study, date=date_of(study)))
    for letter in "CDFGH":
        values = book.column("Results", letter)
        assert len(values) > 100
        assert all(isinstance(x, float) or x == "undefined" for x in values.values())
    told = set(book.column("Results", "J").values())
    wanted = {"; ".join(one.flags) for one in study.results.values() if one.flags}
    assert wanted
    assert wanted <= told


def test_text_keeps_marks_apart(made_study: Any) -> None:
    report = made_study.report
    text, words = render_markdown(report), Words.of(report)
    assert marked(report)
    for table, cell in marked(report):
        pieces = cell.text if isinstance(cell, v.Cell) else cell
        assert isinstance(pieces, tuple)
        number, mark = pieces
        assert isinstance(number, str)
        assert isinstance(mark, v.Sup)
        assert words.text(pieces) == f"{bare(number)} [{mark.text}]"
        assert f"<sup>{mark.text}</sup>" in text
        heads = [note[0] for note in table.notes if isinstance(note, tuple)]
        known = {head.text for head in heads if isinstance(head, v.Sup)}
        assert set(mark.text.split(", ")) <= known


def test_tables_have_a_column_for_remarks(made_study: Any) -> None:
    known = {table.key: table for table, _ in marked(made_study.report)}
    seen = 0
    for name, text in tables(made_study.report):
        head, *rows = csv.reader(io.StringIO(text))
        if "Remarks" not in head:
            continue
        seen += 1
        assert any(key.removeprefix("tab-").replace("_", "-") in name for key in known)
        assert any(row[-1] for row in rows)
        assert not any(
            re.search(r"\[[a-z]\]|[0-9][a-z]$", c) for r in rows for c in r[1:-1]
        )
    assert seen == len(known)


def test_the_page_raises_them(made_study: Any) -> None:
    study = made_study.study
    page = render_html(made_study.report, date=date_of(study), study=study)
    assert len(re.findall(r"<sup>[a-z](?:, [a-z])*</sup>", page)) >= len(
        marked(made_study.report)
    )


def test_drafts_and_what_is_confidential_are_told_everywhere(
    made_study: Any, sheets: ModuleType
) -> None:
    study = made_study.study
    report = attrs.evolve(made_study.report, confidential="R&D only", draft=True)
    told = document(study, report, date=date_of(study))
    jsonschema.Draft202012Validator(schema()).validate(told)
    assert (told["confidential"], told["draft"]) == ("R&D only", True)
    data = outputs.WRITERS[".xlsx"](study, report, None)
    book = sheets.Workbook(data)
    assert book.cells["Start", "A2"] == "Draft. R&D only"
    for number in range(1, 6):
        sheet = book.parts[f"xl/worksheets/sheet{number}.xml"]
        assert "<oddFooter>&amp;LDraft. R&amp;&amp;D only</oddFooter>" in sheet
    assert "Draft" in book.parts["docProps/core.xml"]


def test_the_cover_tells_a_limit_that_doubt_may_break(made_study: Any) -> None:
    study = made_study.study
    told = limited(study, study.baseline)
    result = study.result(study.baseline, "latency.tpot")
    assert result is not None
    assert any(flag.startswith(WITHIN) for flag in result.flags)
    assert told
    care = [t for t in made_study.report.cover.takeaways if "care" in t.head]
    assert all(text in str(care[0].text) for text in told)


def test_figures_of_the_cover_lead_to_their_formulas(made_study: Any) -> None:
    """Each to an equation of the appendix, which names its source."""
    report = made_study.report
    printed = {
        block.key: block
        for block in blocks_of(report.sections)
        if isinstance(block, v.Equation)
    }
    assert report.cover.figures
    for figure in report.cover.figures:
        assert printed[figure.key].source
    page = render_page(report, paper="A4", date=date_of(made_study.study)).html
    for figure in report.cover.figures:
        assert f'<a class="number" href="#{anchor(figure.key)}">' in page
