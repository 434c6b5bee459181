"""The PDF: the same bytes, our fonts only, nothing off the page, nothing fetched."""

import builtins
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from isocost.reports import pdf
from isocost.reports import view as v
from isocost.reports.document import INDEXED, plan
from isocost.reports.pdf import LayoutError, MissingLibraries, render_pdf

HERE = Path(__file__).parent
POPPLER = pytest.mark.skipif(
    not shutil.which("pdftotext"), reason="needs poppler-utils"
)
MM = 72 / 25.4

Word = tuple[str, float, float, float, float]


def run(
    *command: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> str:
    """What a program prints."""
    made = subprocess.run(
        command, check=True, capture_output=True, text=True, env=env, cwd=cwd
    )
    return made.stdout


@pytest.fixture
def made(sample_pdf: Path) -> Path:
    return sample_pdf


@pytest.fixture(scope="module")
def words(sample_pdf: Path) -> list[list[Word]]:
    """Each page's words with their boxes."""
    text = run("pdftotext", "-bbox", str(sample_pdf), "-")
    root = ET.fromstring(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", text))
    space = {"h": "http://www.w3.org/1999/xhtml"}
    return [
        [_word(word) for word in page.findall("h:word", space)]
        for page in root.findall(".//h:page", space)
    ]


def _word(word: ET.Element) -> Word:
    x0, y0, x1, y1 = (float(word.attrib[k]) for k in ("xMin", "yMin", "xMax", "yMax"))
    return word.text or "", x0, y0, x1, y1


def test_two_processes_write_the_same_bytes(tmp_path: Path, made: Path) -> None:
    for seed in ("1", "2"):
        out = tmp_path / f"{seed}.pdf"
        env = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": f"UTC{seed}"}
        env.pop("SOURCE_DATE_EPOCH", None)
        run(sys.executable, "-m", "samples", str(out), env=env, cwd=HERE)
        assert out.read_bytes() == made.read_bytes()


@POPPLER
def test_only_our_fonts(made: Path) -> None:
    fonts = [line.split()[0] for line in run("pdffonts", str(made)).splitlines()[2:]]
    assert fonts
    assert all(re.match(r"[A-Z]{6}\+Isocost-", font) for font in fonts), fonts


@POPPLER
def test_no_word_leaves_the_text_block(
    words: list[list[Word]],
) -> None:
    left, right, bottom = 20 * MM - 0.6, 190 * MM + 0.6, 297 * MM - 8 * MM
    for number, page in enumerate(words, 1):
        for word, x0, y0, x1, y1 in page:
            assert x0 >= left, (number, word)
            assert x1 <= right, (number, word)
            assert y0 >= 10 * MM, (number, word)
            assert y1 <= bottom, (number, word)


@POPPLER
def test_no_page_is_empty(
    words: list[list[Word]],
) -> None:
    assert 8 <= len(words) <= 14
    for number, page in enumerate(words, 1):
        body = [w for w in page if 26 * MM < w[2] < 275 * MM]
        assert len(body) > 25, number


@POPPLER
def test_the_contents_name_the_pages(made: Path, samples: ModuleType) -> None:
    pages = run("pdftotext", "-layout", str(made), "-").split("\f")
    rows = re.findall(r"^ *(\d+) +(.+?)[ .]{4,}(\d+)$", pages[1], re.MULTILINE)
    assert [title for _, title, _ in rows] == [
        s.title for s in samples.report().sections
    ]
    for number, title, page in rows:
        assert re.search(rf"{number} +{re.escape(title)}", pages[int(page) - 1]), title


@POPPLER
def test_the_index_of_figures_names_their_pages(
    made: Path, samples: ModuleType
) -> None:
    pages = run("pdftotext", "-layout", str(made), "-").split("\f")
    index = "".join(pages[-3:]).split("Figures\n")[-1]
    listed = plan(samples.report()).figures
    assert len(listed) >= INDEXED
    for entry in listed:
        first = re.escape(entry.title[:30])
        row = re.search(
            rf"^ *{entry.number} +{first}[^~]*?[ .]{{4,}}(\d+)$", index, re.MULTILINE
        )
        assert row, entry
        assert f"Figure {entry.number} " in pages[int(row[1]) - 1], entry


@POPPLER
def test_metadata_and_tags(made: Path) -> None:
    info = run("pdfinfo", "-isodates", str(made))
    assert re.search(r"Title: +Trainium2 serves mixtures", info)
    assert re.search(r"Author: +A. Analyst", info)
    assert re.search(r"CreationDate: +2026-01-15T00:00:00", info)
    assert re.search(r"Tagged: +yes", info)
    assert 'pdfaid:part="3" pdfaid:conformance="A"' in run(
        "pdfinfo", "-meta", str(made)
    )


@pytest.mark.skipif(not shutil.which("qpdf"), reason="needs qpdf")
def test_the_file_is_sound_and_carries_its_inputs(
    made: Path, samples: ModuleType
) -> None:
    assert "No syntax or stream encoding errors" in run("qpdf", "--check", str(made))
    listed = run("qpdf", "--list-attachments", str(made))
    assert "trainium2.scn" in listed
    assert "results.json" in listed
    assert run("qpdf", "--show-attachment=trainium2.scn", str(made)) == samples.SCENARIO


@POPPLER
def test_letter_paper(samples: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_bytes(render_pdf(samples.report(), paper="Letter", date=samples.DATE))
    assert "612 x 792" in run("pdfinfo", str(path))


def test_another_paper_is_refused(samples: ModuleType) -> None:
    with pytest.raises(ValueError, match="A4 or Letter"):
        render_pdf(samples.report(), paper="A5", date=samples.DATE)


def test_quick_enough(samples: ModuleType) -> None:
    start = time.process_time()
    render_pdf(samples.report(), date=samples.DATE)
    # 1.4 s on an idle core; the bound leaves room for a busy machine.
    assert time.process_time() - start < 6


# What it refuses ----------------------------------------------------------------


def small(*blocks: v.Block) -> v.Report:
    return v.Report(v.Cover("Title"), (v.Section("One", blocks),), contents=False)


def theme(folder: Path, css: str, **files: str) -> Path:
    (folder / "theme.css").write_text(css)
    for name, text in files.items():
        (folder / f"{name}.html.j2").write_text(text)
    return folder


@POPPLER
@pytest.mark.parametrize("paper", pdf.PAPERS)
def test_a_full_cover_stays_one_page(
    samples: ModuleType, tmp_path: Path, paper: str
) -> None:
    head, body = (
        "A takeaway that opens with what matters most.",
        "Because of this. " * 11,
    )
    cover = v.Cover(
        "A title that runs over four lines, as titles do that state a claim and"
        " name the two things that they compare",
        "Kicker",
        "A subtitle of two lines, which says what the title had no room to say, and"
        " then a little more than that.",
        samples.report().cover.figures,
        (v.Takeaway(head, body),) * 5,
        (v.BoxLine("Label", "A value of the box"),) * 8,
        "A note.",
    )
    path = tmp_path / "full.pdf"
    path.write_bytes(
        render_pdf(
            v.Report(cover, (v.Section("One", ()),), contents=False),
            date=samples.DATE,
            paper=paper,
        )
    )
    assert re.search(r"Pages: +2$", run("pdfinfo", str(path)), re.MULTILINE)


def test_a_theme_changes_the_look_and_the_templates(
    samples: ModuleType, tmp_path: Path
) -> None:
    plain = render_pdf(small(), date=samples.DATE)
    house = theme(tmp_path, "main h2 { color: #aa0000 }", cover="<h1>House</h1>")
    themed = render_pdf(small(), date=samples.DATE, theme=house)
    assert themed != plain


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9/x.png",
        "file:///etc/hostname",
        "file:///etc/passwd.png",
        "../x.svg",
    ],
)
def test_nothing_outside_is_read(
    address: str, samples: ModuleType, tmp_path: Path
) -> None:
    house = theme(tmp_path, f'main {{ background: url("{address}") }}')
    with pytest.raises(LayoutError):
        render_pdf(small(), date=samples.DATE, theme=house)


def test_a_theme_may_show_its_own_picture(samples: ModuleType, tmp_path: Path) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    (tmp_path / "logo.svg").write_text(svg)
    house = theme(tmp_path, 'main { background: url("logo.svg") }')
    assert render_pdf(small(), date=samples.DATE, theme=house)


def test_a_warning_is_an_error(samples: ModuleType, tmp_path: Path) -> None:
    house = theme(tmp_path, "p { colour: red }")
    with pytest.raises(LayoutError, match="colour"):
        render_pdf(small(), date=samples.DATE, theme=house)


def test_templates_are_sandboxed(samples: ModuleType, tmp_path: Path) -> None:
    house = theme(tmp_path, "", cover="{{ ''.__class__.__mro__ }}")
    with pytest.raises(Exception, match=r"unsafe|undefined"):
        render_pdf(small(), date=samples.DATE, theme=house)


def test_missing_libraries_are_named(
    samples: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "weasyprint":
            raise OSError("cannot load library 'libpango-1.0-0'")
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingLibraries, match=r"apt-get install libpango-1\.0-0"):
        render_pdf(samples.report(), date=samples.DATE)
    assert pdf.DEBIAN[0] == "libpango-1.0-0"


@POPPLER
def test_signs_that_our_faces_lack_bring_in_no_other_font(
    samples: ModuleType, tmp_path: Path
) -> None:
    odd = "台積電 🚀 אב \u202e abc Ω≈ç"
    path = tmp_path / "odd.pdf"
    path.write_bytes(
        render_pdf(
            small(v.Paragraph(odd), v.Listing(odd), v.Callout(odd, odd)),
            date=samples.DATE,
        )
    )
    fonts = [line.split()[0] for line in run("pdffonts", str(path)).splitlines()[2:]]
    assert all("+Isocost-" in font for font in fonts), fonts


def test_the_example_of_the_docs_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reports.md").read_text("utf-8")
    example = page.partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/reports.md", "exec"), {})
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF-1.7")
