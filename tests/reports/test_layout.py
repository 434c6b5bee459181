"""The layout of the real study's PDF: nothing runs over, nothing stands alone.

The samples' PDF has tests of its own (test_pdf.py); here it is the study as it ships,
and every number on its pages is one of the results that it carries.
"""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from isocost.reports import view as v
from isocost.reports.assemble import assemble, date_of, study_of
from isocost.reports.charts import layout_of
from isocost.reports.charts.compose import compose
from isocost.reports.charts.drawing import meet
from isocost.reports.export.words import blocks_of
from isocost.reports.outputs import with_files
from isocost.reports.pdf import render_pdf

MM = 72 / 25.4
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("pdftotext"), reason="needs poppler-utils"),
]


def run(*command: str) -> str:
    """What a program prints."""
    made = subprocess.run(command, check=True, capture_output=True, text=True)
    return made.stdout


@pytest.fixture(scope="module")
def report(made_study: Any) -> v.Report:
    """The plain report, as the command makes it."""
    study = study_of(made_study.study.evaluation)
    return with_files(study, assemble(study))


@pytest.fixture(scope="module")
def pdf(
    report: v.Report, made_study: Any, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    path = tmp_path_factory.mktemp("layout") / "study.pdf"
    path.write_bytes(render_pdf(report, date=date_of(made_study.study)))
    return path


@pytest.fixture(scope="module")
def pages(pdf: Path) -> list[list[tuple[str, float, float, float, float]]]:
    """Each page's lines with their boxes, top to bottom."""
    text = run("pdftotext", "-bbox-layout", str(pdf), "-")
    root = ET.fromstring(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", text))
    space = {"h": "http://www.w3.org/1999/xhtml"}
    out = []
    for page in root.findall(".//h:page", space):
        lines = []
        for line in page.iterfind(".//h:line", space):
            words = " ".join(w.text or "" for w in line.findall("h:word", space))
            box = [float(line.attrib[k]) for k in ("xMin", "yMin", "xMax", "yMax")]
            lines.append((words, box[0], box[1], box[2], box[3]))
        out.append(sorted(lines, key=lambda one: one[2]))
    return out


def body(page: list[tuple[str, float, float, float, float]]) -> list[Any]:
    """The lines between the running head and the foot."""
    return [line for line in page if 25 * MM < line[2] < 275 * MM]


def test_nothing_runs_over_the_text_block(pages: Any) -> None:
    for number, page in enumerate(pages[1:], 2):
        for words, x0, _, x1, y1 in page:
            assert x0 >= 20 * MM - 0.6, (number, words)
            assert x1 <= 190 * MM + 0.6, (number, words)
            assert y1 <= 297 * MM - 8 * MM, (number, words)


def test_no_page_is_empty(pages: Any) -> None:
    assert 10 <= len(pages) <= 80
    for number, page in enumerate(pages, 1):
        assert len(body(page)) >= 4, number


def test_no_heading_stands_at_the_foot(pages: Any, report: v.Report) -> None:
    titles = {
        re.sub(r"\s+", " ", block.title)
        for block in blocks_of(report.sections)
        if isinstance(block, v.Section)
    }
    for number, page in enumerate(pages[2:], 3):
        lines = body(page)
        last = re.sub(r"^[0-9.]+ ", "", lines[-1][0])
        assert last not in titles, (number, last)
        assert not re.match(r"(?:Figure|Table) \d+ ", lines[-1][0]), (number, last)


def test_every_attached_file_is_whole(pdf: Path, report: v.Report) -> None:
    if not shutil.which("qpdf"):
        pytest.skip("needs qpdf")
    listed = run("qpdf", "--list-attachments", str(pdf))
    names = {one.name for one in report.attachments}
    assert {"scenario.scn", "results.json", "workbook.xlsx"} <= names
    for one in report.attachments:
        assert one.name in listed
    shown = run("qpdf", "--show-attachment=results.json", str(pdf))
    assert json.loads(shown)["schema"] == 1


def test_every_number_of_the_tables_is_on_the_page(pdf: Path, report: v.Report) -> None:
    """Cells of the attached results and words of the pages are the same."""
    (data,) = [a.data for a in report.attachments if a.name == "results.json"]
    text = _squeezed(run("pdftotext", "-raw", str(pdf), "-"))
    missing: list[str] = []

    def walk(blocks: list[dict[str, Any]]) -> None:
        for block in blocks:
            walk(block.get("blocks", []))
            for row in block.get("rows", ()):
                missing.extend(
                    cell
                    for cell in row
                    if re.match(r"^[$−+]?[0-9][^ ]*$", cell)
                    and _squeezed(cell) not in text
                )

    for section in json.loads(data)["sections"]:
        walk(section["blocks"])
    assert missing == []


def test_results_are_the_engines(report: v.Report, made_study: Any) -> None:
    (data,) = [a.data for a in report.attachments if a.name == "results.json"]
    told = json.loads(data)["scenarios"]
    for (scenario, _), one in made_study.study.results.items():
        assert told[scenario][one.path]["si"] == pytest.approx(one.central, rel=1e-11)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s\u00ad\u202f]+", "", text)


def figures(report: v.Report) -> list[v.Figure]:
    return [b for b in blocks_of(report.sections) if isinstance(b, v.Figure)]


def test_no_label_of_a_chart_is_lost_or_clipped(report: v.Report) -> None:
    for figure in figures(report):
        drawing = compose(layout_of(figure.scene))
        assert drawing.dropped == (), figure.caption
        for text in drawing.texts:
            left, top, right, bottom = text.bounds
            assert left >= -0.5, (figure.caption, text.text)
            assert top >= -0.5, (figure.caption, text.text)
            assert right <= drawing.width + 0.5, (figure.caption, text.text)
            assert bottom <= drawing.height + 0.5, (figure.caption, text.text)


def test_no_labels_of_a_chart_meet(report: v.Report) -> None:
    for figure in figures(report):
        texts = compose(layout_of(figure.scene)).texts
        for i, one in enumerate(texts):
            for other in texts[i + 1 :]:
                assert not meet(one, other, -0.3), (
                    figure.caption,
                    one.text,
                    other.text,
                )
