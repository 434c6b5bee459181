"""HTML before layout: numbers, mentions, and texts that stay texts."""

import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.reports import view as v
from isocost.reports.document import css_string, plan, render_page
from isocost.reports.export.words import blocks_of
from isocost.reports.glyphs import MISSING, clean
from isocost.reports.richtext import anchor, inline, plain
from isocost.reports.traced import bare

DATE = dt.date(2026, 1, 15)


def page(*blocks: v.Block, cover: v.Cover | None = None) -> str:
    """A one-section report as HTML."""
    section = v.Section("One", blocks, "one")
    report = v.Report(cover or v.Cover("Title"), (section,))
    return render_page(report, paper="A4", date=DATE).html


def test_mentions_print_the_number_that_the_thing_carries(samples: ModuleType) -> None:
    report = samples.report()
    planned = plan(report)
    html = render_page(report, paper="A4", date=DATE).html
    for key, mark in planned.marks.items():
        assert f'id="{mark.anchor}"' in html, key
    assert planned.marks["fig-breakeven"].text == "Figure 12"
    assert planned.marks["tab-tco"].text == "Table 2"
    assert planned.marks["eq-bom"].text == "(3)"
    assert planned.marks["cost"].text == "Section 5"
    assert '<span class="no">Figure 12</span> Trn2-Ultra beats' in html
    assert "lost" not in html


def test_sections_are_numbered_two_deep() -> None:
    deep = v.Section("c", (v.Section("d", (), "d"),), "c")
    report = v.Report(
        v.Cover("t"),
        (
            v.Section("a", (v.Section("b", (deep,), "b"),), "a"),
            v.Section("preface", (), "p", numbered=False),
            v.Section("e", (v.Section("f", (), "f"),), "e"),
        ),
    )
    marks = plan(report).marks
    texts = {k: m.text for k, m in marks.items()}
    assert texts == {
        "a": "Section 1",
        "b": "Section 1.1",
        "c": "c",
        "d": "d",
        "p": "preface",
        "e": "Section 2",
        "f": "Section 2.1",
    }
    numbers = [entry.number for entry in plan(report).contents]
    assert numbers == ["1", "1.1", "", "2", "2.1"]


def test_an_unknown_mention_shows() -> None:
    assert '<span class="lost">nowhere</span>' in page(v.Paragraph(v.Ref("nowhere")))


HOSTILE = (
    '</p><script>alert(1)</script>{{ 7 * 7 }}{% include "x" %}<img src=x onerror=y>"\''
)


def test_hostile_strings_stay_text() -> None:
    column = v.Column(HOSTILE, HOSTILE)
    html = page(
        v.Paragraph(
            (
                HOSTILE,
                v.Strong(HOSTILE),
                v.Code(HOSTILE),
                v.Link(HOSTILE, url=HOSTILE),
                v.Cite(HOSTILE, HOSTILE),
                v.Ref(HOSTILE),
                v.Math(HOSTILE),
            )
        ),
        v.Table(
            HOSTILE,
            (column,),
            (v.Row((HOSTILE,), key=HOSTILE), v.Row((HOSTILE,), "group")),
            HOSTILE,
            HOSTILE,
            (HOSTILE,),
        ),
        v.Listing(HOSTILE, HOSTILE),
        v.Claims(HOSTILE, (v.ClaimRow(HOSTILE, HOSTILE, HOSTILE, HOSTILE, "fails"),)),
        v.References(
            (v.Reference(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE),)
        ),
        v.Glossary((v.Term(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE),)),
        v.Equation(
            HOSTILE, HOSTILE, (v.Where(HOSTILE, HOSTILE, HOSTILE, HOSTILE),), HOSTILE
        ),
        v.Callout(HOSTILE, HOSTILE),
        cover=v.Cover(
            HOSTILE,
            HOSTILE,
            HOSTILE,
            (v.KeyFigure(HOSTILE, HOSTILE),),
            (v.Takeaway(HOSTILE, HOSTILE),),
            (v.BoxLine(HOSTILE, HOSTILE),),
            HOSTILE,
        ),
    )
    assert "<script" not in html
    assert "onerror=y>" not in html
    assert "<img src=x" not in html
    assert "49" not in html


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://a.example/b", True),
        ("http://a.example", True),
        ("mailto:a@b.example", True),
        ("javascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("data:text/html,x", False),
    ],
)
def test_only_addresses_of_a_known_kind_become_links(url: str, kept: bool) -> None:
    html = inline(v.Link("here", url=url), {}, {})
    assert ("<a " in html) is kept


@given(st.text())
def test_anchors_are_names(key: str) -> None:
    assert anchor(key).replace("-", "").replace("_", "").replace(".", "").isalnum()


@given(st.text(), st.text())
def test_anchors_tell_keys_apart(one: str, other: str) -> None:
    assert (anchor(one) == anchor(other)) is (one == other)


@given(st.text())
def test_css_strings_end_where_they_should(text: str) -> None:
    assert '"' not in css_string(text)[1:-1]
    assert "\n" not in css_string(text)


@given(st.text())
def test_clean_is_stable(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_signs_that_no_face_has() -> None:
    assert clean("µ α ≥ − × → “x” é") == "µ α ≥ − × → “x” é"
    assert clean("a\x00b\u202ec\u200bd\te") == "abcd e"
    assert clean("台積電") == MISSING * 3
    assert clean("ﬁ①Ａ") in {"fi1A", "ﬁ1A"}


def test_one_marked_piece_is_a_text() -> None:
    assert inline(v.Strong("a"), {}, {}) == "<strong>a</strong>"
    assert inline(("a", v.Sub("b")), {}, {}) == "a<sub>b</sub>"
    assert v.Cite("a").keys == ("a",)


@pytest.mark.parametrize("name", ["trainium2/study", "examples/own_or_rent"])
def test_captions_state_findings(name: str, make: Callable[[str], Any]) -> None:
    """Every caption that we write has a number in it, whoever's scenario it is of."""
    scenarios = Path(__file__).parents[2] / "scenarios"
    report = make(str(scenarios / f"{name}.scn")).report
    text = (scenarios / f"{name}.scn").read_text("utf-8")
    captions = [
        bare(plain(block.caption))
        for section in report.sections
        for block in blocks_of(section.blocks)
        if isinstance(block, v.Figure | v.Table)
    ]
    assert len(captions) > 8
    said = re.compile(r"\d|\b(none|two)\b")
    assert [c for c in captions if not said.search(c) and f'"{c}"' not in text] == []
