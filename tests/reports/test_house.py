"""A house's own look: logo, templates in a sandbox, the line at the foot, a draft."""

import shutil
from pathlib import Path
from types import ModuleType

import attrs
import jinja2
import pytest

from isocost.reports import view as v
from isocost.reports.document import render_page
from isocost.reports.export.markdown import render_markdown
from isocost.reports.html import render_html
from isocost.reports.pdf import render_pdf
from tests.reports.test_pdf import run

LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 3">'
    '<path d="M0 0h9v3z"/></svg>'
)
LINE = "Confidential: for the board only"


@pytest.fixture
def theme(tmp_path: Path) -> Path:
    (tmp_path / "logo.svg").write_text(LOGO)
    (tmp_path / "theme.css").write_text("main h2 { color: #3A1030 }")
    return tmp_path


@pytest.fixture
def report() -> v.Report:
    sections = (v.Section("Finding", (v.Paragraph("Words. " * 900),)),)
    return v.Report(
        v.Cover("A claim", kicker="House", note="Made by a tool. " * 12), sections,
        "House", "Isocost", LINE, True,
    )  # fmt: skip


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="needs poppler-utils")
@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_every_page_is_marked(
    paper: str, theme: Path, report: v.Report, samples: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(render_pdf(report, paper=paper, date=samples.DATE, theme=theme))
    pages = run("pdftotext", "-layout", str(path), "-").split("\f")[:-1]
    assert len(pages) > 2
    assert all(LINE in page for page in pages)
    assert "DRAFT" in pages[0]
    # The note is whole: a long one takes several lines within the margins.
    assert " ".join(pages[0].split()).count("Made by a tool.") == 12
    plain = attrs.evolve(report, draft=False, confidential="")
    page = render_page(plain, paper=paper, date=samples.DATE)
    assert "Draft" not in page.html
    assert "background" not in page.css
    assert LINE not in page.css


def test_the_page_is_marked_too(
    theme: Path, report: v.Report, samples: ModuleType
) -> None:
    page = render_html(report, date=samples.DATE, theme=theme)
    assert '<span class="draft">Draft</span>' in page
    assert LINE in page
    assert render_markdown(report).startswith(f"# A claim\n\nDraft. {LINE}")
    assert 'class="logo" alt="House" src="data:image/svg+xml;base64,' in page


@pytest.mark.parametrize(
    "reach",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ doc.number.__globals__ }}",
        "{{ report.sections.append(1) }}",
        "{% include '/etc/passwd' %}",
        "{% include '../outside.html.j2' %}",
    ],
)
def test_templates_run_in_a_sandbox(
    reach: str, theme: Path, report: v.Report, samples: ModuleType
) -> None:
    (theme / "cover.html.j2").write_text(f"<p>{reach}</p>")
    wrong = (
        jinja2.exceptions.SecurityError,
        jinja2.exceptions.TemplateNotFound,
        jinja2.exceptions.UndefinedError,
    )
    with pytest.raises(wrong):
        render_page(report, paper="A4", date=samples.DATE, theme=theme)
