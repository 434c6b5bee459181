"""Markdown that reads as it is written, CSV of every table, SVG of every chart."""

import csv
import io
import xml.etree.ElementTree as ET
import zipfile
from types import ModuleType
from typing import Any

import pytest

from isocost.reports import view as v
from isocost.reports.export.markdown import escaped, render_markdown
from isocost.reports.export.tables import bundle, charts, safe, tables, zipped
from isocost.reports.export.words import blocks_of


def small(*blocks: v.Block) -> v.Report:
    return v.Report(v.Cover("Title"), (v.Section("One", blocks, "one"),))


def test_all_kinds_of_blocks(samples: ModuleType) -> None:
    text = render_markdown(samples.report())
    assert text.startswith("# ")
    for kind in ("**Figure 1**", "**Table 1**", "| :-- |", "$$\n", "## 1 "):
        assert kind in text
    assert "None" not in text
    assert "view." not in text


def test_a_table_keeps_its_shape(made_study: Any) -> None:
    text = render_markdown(made_study.report)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) > 100
    block: list[int] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            block.append(line.replace("\\|", "").count("|"))
        else:
            assert len(set(block)) <= 1, line
            block = []


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("a*b_c", r"a\*b\_c"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("[x](javascript:y)", r"\[x\](javascript:y)"),
        ("- no list", r"\- no list"),
        ("1. no list", r"\1. no list"),
        ("# no head", r"\# no head"),
        ("a\n\n# b", r"a \# b"),
        ("a | b", r"a \| b"),
        ("$5", r"\$5"),
    ],
)
def test_signs_are_escaped(text: str, made: str) -> None:
    assert escaped(text) == made


def test_links_lead_to_the_web_only() -> None:
    text = render_markdown(
        small(
            v.Paragraph(
                (
                    v.Link("good", url="https://x.org/a_(b) c"),
                    v.Link("bad", url="javascript:alert(1)"),
                    v.Link("file", url="file:///etc/passwd"),
                )
            )
        )
    )
    assert "[good](https://x.org/a_%28b%29%20c)" in text
    assert "](javascript" not in text
    assert "](file" not in text


def test_every_table_is_a_csv(samples: ModuleType) -> None:
    report = samples.report()
    wanted = [
        b for b in blocks_of(report.sections) if isinstance(b, v.Table | v.Claims)
    ]
    found = dict(tables(report))
    assert len(found) == len(wanted)
    for name, text in found.items():
        rows = list(csv.reader(io.StringIO(text)))
        assert len({len(row) for row in rows}) == 1, name


@pytest.mark.parametrize(
    ("cell", "made"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+A1", "'+A1"),
        ("-1+cmd", "'-1+cmd"),
        ("\t=1", "'\t=1"),
        (" =1", "' =1"),
        ("+1.000", "+1.000"),
        ("-12%", "-12%"),
        ("−$3.00", "−$3.00"),
        ("text", "text"),
    ],
)
def test_no_cell_is_a_formula(cell: str, made: str) -> None:
    assert safe(cell) == made


def test_every_chart_is_an_svg(samples: ModuleType) -> None:
    report = samples.report()
    wanted = [b for b in blocks_of(report.sections) if isinstance(b, v.Figure)]
    found = dict(charts(report))
    assert len(found) == len(wanted)
    for text in found.values():
        assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"


def test_the_folder_holds_together(samples: ModuleType) -> None:
    files = bundle(samples.report())
    data = zipped(files)
    assert zipped(bundle(samples.report())) == data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        assert archive.testzip() is None
    assert all(not n.startswith(("/", ".")) and ".." not in n for n in names)
    text = files["report.md"].decode()
    for name in names:
        if name.startswith("charts/"):
            assert f"]({name})" in text
