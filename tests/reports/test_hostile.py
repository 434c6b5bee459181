"""Whatever a scenario file calls its things, it stays text in every format."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from isocost.reports import outputs
from isocost.reports import view as v
from isocost.reports.assemble import date_of
from isocost.reports.export.markdown import render_markdown
from isocost.reports.export.tables import bundle, tables
from isocost.reports.html import render_html
from isocost.reports.pdf import render_pdf

STUDY = Path(__file__).parents[2] / "scenarios" / "trainium2" / "study.scn"
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "<!--",
    "=cmd|' /C calc'!A0",
    "{{ 7 * 7 }}{% raw %}",
    "${7*7} `id` $(id)",
    "](javascript:alert(1)) ![x](http://127.0.0.1:9/x.png)",
    "url(file:///etc/passwd)",
    "\\ue0000\\ue0011\\ue002",
    "\\u202e gnp.exe",
    "&lt;b&gt; &amp; ' \\\"",
)


class Dangers(HTMLParser):
    """What could act in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.scripts = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        for name, value in attrs:
            leads = name in {"src", "href", "action"}
            script = leads and "javascript:" in (value or "").lower()
            if name.startswith("on") or script:
                self.found.append(f"{tag} {name}={value}")
            known = (value or "").startswith(("data:", "https:", "http:"))
            address = name in {"src", "href"} and re.match(r"\w+:", value or "")
            if address and not known:
                self.found.append(f"{tag} {name}={value}")
        if tag in {"iframe", "object", "embed", "base", "link"}:
            self.found.append(tag)


def hostile(samples: ModuleType) -> v.Report:
    """The sample report with hostile words wherever words may stand."""
    words = tuple(
        text.encode().decode("unicode_escape") if "\\u" in text else text
        for text in HOSTILE
    )
    every = " ".join(words)
    section = v.Section(
        every,
        (
            v.Paragraph((every, v.Strong(every), v.Code(every), v.Footnote(every))),
            v.Paragraph(tuple(v.Link(w, url=w) for w in words)),
            v.Bullets(words),
            v.Table(
                every,
                tuple(v.Column(w, w) for w in words),
                (
                    v.Row(words, key=f"r{every}"),
                    v.Row(tuple(v.Cell(w, w) for w in words)),
                ),
                every,
                f"t{every}",
            ),
            v.Figure(every, samples.TORNADO, every, every, f"f{every}"),
            v.Callout(every, every),
            v.Listing(every, every),
            v.Equation(r"\text{<script>}", every, (), every),
            v.References((v.Reference(every, every, every, every, words[6], every),)),
            v.Glossary((v.Term(every, every, every, every, f"g{every}"),)),
        ),
        every,
    )
    cover = v.Cover(
        every, every, every,
        (v.KeyFigure(words[3], every, every, every),),
        (v.Takeaway(every, every),),
        (v.BoxLine(every, every),),
        every,
    )  # fmt: skip
    return v.Report(
        cover, (section,), every, every, every,
        attachments=(v.Attachment("../../x\n.scn", b"x", every),),
    )  # fmt: skip


def test_a_page_of_it_does_nothing(samples: ModuleType) -> None:
    page = render_html(hostile(samples), date=samples.DATE)
    dangers = Dangers(page)
    assert dangers.found == []
    # The data and the page's own script.
    assert dangers.scripts == 2
    assert "49" not in re.sub(r"[0-9.]{3,}|base64,[^\"]*", "", page)[:2000]


def test_a_page_of_it_runs_nothing(
    chromium: Any, samples: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(render_html(hostile(samples), date=samples.DATE), "utf-8")
    chromium.complaints()
    chromium.run("window.alert = () => { window.hit = true; }")
    chromium.open(path)
    assert chromium.run("return window.hit || false") is False
    assert chromium.complaints() == []
    shown = chromium.run("return document.querySelector('h1').textContent")
    assert "<script>alert(1)</script>" in shown
    assert "{{ 7 * 7 }}" in shown


def test_a_pdf_of_it_is_made(samples: ModuleType) -> None:
    data = render_pdf(hostile(samples), date=samples.DATE)
    assert data.startswith(b"%PDF")
    for sign in (b"/JavaScript", b"/Launch", b"/OpenAction", b"/URI (file"):
        assert sign not in data


def test_markdown_of_it_is_text(samples: ModuleType) -> None:
    text = render_markdown(hostile(samples))
    outside = re.sub(r"(?s)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert "<script" not in outside
    assert "<img" not in outside
    assert not re.search(r"(?<!\\)\]\((?!https?:|mailto:)", outside)
    assert not re.search(r"(?m)^#+ (?!1 |<|&lt;)", outside.replace("# &lt;", ""))


def test_tables_of_it_hold_no_formula(samples: ModuleType) -> None:
    for _, text in tables(hostile(samples)):
        for cell in re.findall(r'(?:^|,|\n)"?([^",\n]*)', text):
            assert not cell.startswith(("=", "@", "\t=")), cell


def test_no_file_name_leaves_the_folder(samples: ModuleType) -> None:
    for name in bundle(hostile(samples)):
        assert re.fullmatch(r"(?:report\.md|(?:charts|tables|files)/[\w.-]+)", name)
        assert ".." not in name


# The whole way from a scenario file ---------------------------------------------------


@pytest.fixture(scope="module")
def poisoned(make: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The study with hostile titles, sources, docs and reasons."""
    text = STUDY.read_text("utf-8")
    words = iter(HOSTILE * 40)

    def poison(found: re.Match[str]) -> str:
        return f'{found[1]}"{next(words)}"'

    text = re.sub(r'((?:title|subtitle|house|note) = )"[^"]*"', poison, text)
    text = re.sub(r'(@assumed )"[^"]*"', poison, text)
    text = re.sub(r'((?:claim|check) [^"\n]*)"[^"]*"', poison, text)
    folder = tmp_path_factory.mktemp("poison") / "study"
    shutil.copytree(STUDY.parent, folder)
    path = folder / "study.scn"
    path.write_text(text, "utf-8")
    return make(str(path))


def test_a_poisoned_study_makes_a_harmless_page(poisoned: Any) -> None:
    study = poisoned.study
    report = outputs.with_files(study, poisoned.report)
    page = render_html(report, date=date_of(study), study=study)
    dangers = Dangers(page)
    assert dangers.found == []
    assert dangers.scripts == 3
    code = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)[0]
    for word in ("alert(1)", "cmd", "etc/passwd", "onerror"):
        assert word not in code


def test_a_poisoned_workbook_computes_only_ours(
    poisoned: Any, sheets: ModuleType
) -> None:
    from isocost.reports.export.xlsx import render_xlsx

    study = poisoned.study
    book = sheets.Workbook(render_xlsx(study, date=date_of(study)))
    for formula in book.formulas.values():
        assert not re.search(r"cmd|alert|HYPERLINK|WEBSERVICE|DDE|\[", formula), formula
    assert not any("externalLink" in part for part in book.parts)
    rels = "".join(text for name, text in book.parts.items() if name.endswith(".rels"))
    assert 'TargetMode="External"' not in rels
