"""A house's own look: logo, templates in a sandbox, the line at the foot, a draft."""

import io
import shutil
from pathlib import Path
from types import ModuleType

import attrs
import pytest
from PIL import Image

from isocost.__main__ import main
from isocost.reports import view as v
from isocost.reports.document import render_page
from isocost.reports.export.markdown import render_markdown
from isocost.reports.html import render_html
from isocost.reports.logo import logo_of
from isocost.reports.pdf import render_pdf
from isocost.reports.refusals import ThemeError
from tests.reports.test_pdf import run

LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 3">'
    '<path d="M0 0h9v3z"/></svg>'
)
EXAMPLES = Path(__file__).resolve().parents[2] / "scenarios" / "examples"
LINE = "Confidential: for the board only"


def _png(wide: int, high: int) -> bytes:
    made = io.BytesIO()
    Image.new("1", (wide, high)).save(made, "PNG")
    return made.getvalue()


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
    with pytest.raises(ThemeError, match="templates do not render"):
        render_page(report, paper="A4", date=samples.DATE, theme=theme)


def _svg(inside: str) -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg">{inside}</svg>'.encode()


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("logo.svg", b"no picture", "no SVG"),
        ("logo.svg", b"<html/>", "no SVG"),
        ("logo.svg", b'<!DOCTYPE svg [<!ENTITY a "b">]>' + _svg("&a;"), "DOCTYPE"),
        ("logo.svg", _svg('<image href="file:///etc/hostname"/>'), "`image`"),
        ("logo.svg", _svg('<g id="a"/><use href="#a"/>'), "`use`"),
        ("logo.svg", _svg('<path fill="url(http://example.org/a)"/>'), "outside"),
        ("logo.svg", _svg("<style>@import url(x.css)</style>"), "outside"),
        ("logo.svg", _svg('<clipPath><g clip-path="url(#b)"/></clipPath>'), "clip"),
        ("logo.svg", _svg("<g/>" * 6_000), "5,000 shapes"),
        ("logo.svg", _svg("<!--" + "x" * 1_000_000 + "-->"), "1 MB"),
        ("logo.png", b"no picture", "no PNG"),
        ("logo.png", _png(400, 400)[:40], "no PNG|broken"),
        ("logo.png", _png(5_000, 1), "4,096"),
    ],
)
def test_a_logo_is_looked_at_before_it_is_shown(
    tmp_path: Path, name: str, data: bytes, why: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ThemeError, match=why) as told:
        logo_of(tmp_path)
    assert len(str(told.value)) < 300 + len(str(tmp_path))


def test_logos_as_drawing_programs_save_them(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(_png(40, 9))
    assert logo_of(tmp_path).startswith("data:image/png;base64,")
    drawn = (
        '<defs><style>.a{fill:#F00}</style><clipPath id="c"><path d="M0 0h9v9z"/>'
        '</clipPath></defs><g clip-path="url(#c)"><path class="a" d="M0 0h9v3z"/></g>'
    )
    (tmp_path / "logo.svg").write_bytes(_svg(drawn))
    assert logo_of(tmp_path).startswith("data:image/svg+xml;base64,")


@pytest.mark.parametrize("ending", ["pdf", "html"])
@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("logo.svg", "<g", "this is no SVG"),
        ("cover.html.j2", "{{ 1 / 0 }}", "do not render: division by zero"),
    ],
)
def test_the_command_says_what_is_wrong_with_a_theme(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    ending: str,
    name: str,
    text: str,
    why: str,
) -> None:
    if ending == "html" and name.startswith("cover"):
        name = "body.html.j2"
    (tmp_path / name).write_text(text)
    file, output = EXAMPLES / "chip_cost.scn", tmp_path / f"out.{ending}"
    arguments = ["report", str(file), "-o", str(output), "--theme", str(tmp_path)]
    assert main([*arguments, "-n", "100"]) == 1
    said = capfd.readouterr().err
    assert why in said
    assert "Traceback" not in said
    assert not output.exists()


def test_the_command_says_what_the_layout_engine_said_of_a_theme(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "theme.css").write_text("main:nosuch( { colour: red }")
    file, output = EXAMPLES / "chip_cost.scn", tmp_path / "out.pdf"
    arguments = ["report", str(file), "-o", str(output), "--theme", str(tmp_path)]
    assert main([*arguments, "-n", "100"]) == 1
    said = capfd.readouterr().err
    assert said.startswith(f"isocost: {tmp_path}: ")
    assert len(said) < 900
