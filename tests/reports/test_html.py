"""The page as a file: complete in itself, the words of the PDF, nothing fetched."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

from isocost.reports import traced
from isocost.reports import view as v
from isocost.reports.charts import kinds
from isocost.reports.document import INDEXED, plan
from isocost.reports.html import render_html
from isocost.reports.html.colours import by_night, contrast
from isocost.reports.html.figures import picture
from isocost.reports.html.program import Outputs


class Reader(HTMLParser):
    """Elements, attributes and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {k: value or "" for k, value in attrs}))
        if tag in {"script", "style"}:
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.texts.append(data)


@pytest.fixture(scope="module")
def static(samples: ModuleType) -> str:
    return render_html(samples.report(), date=samples.DATE)


def test_two_runs_write_the_same(static: str, samples: ModuleType) -> None:
    assert render_html(samples.report(), date=samples.DATE) == static


@pytest.mark.parametrize("live", [False, True])
def test_nothing_outside_is_referred_to(
    *, live: bool, static: str, live_page: Path
) -> None:
    page = live_page.read_text("utf-8") if live else static
    for tag, attributes in Reader(page).tags:
        for name in ("src", "href", "data", "action", "poster", "srcset"):
            address = attributes.get(name, "")
            inside = not address or address.startswith(("#", "data:"))
            # Only a reader's own click leaves the page.
            assert inside or (tag == "a" and name == "href"), (tag, address[:80])
        assert not any(name.startswith("on") for name in attributes), tag
        assert tag not in {"link", "iframe", "object", "embed", "base", "form"}
    styles = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    assert "@import" not in styles
    assert all(a.startswith("data:") for a in re.findall(r'url\("?([^")]*)', styles))


def test_the_policy_admits_exactly_its_own_scripts(live_page: Path) -> None:
    page = live_page.read_text("utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    policy = policy.replace("&#39;", "'")
    assert "default-src 'none'" in policy
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 2
    for text in scripts:
        made = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{made}'" in policy
    assert "unsafe" not in policy.partition("script-src")[2].partition(";")[0]


def test_no_mark_and_no_seal_is_left(live_page: Path) -> None:
    page = live_page.read_text("utf-8")
    assert not re.search("[\ue000-\ue005]", page)
    assert not re.search(r"Zq[0-9a-f]{20}", page)


def test_it_says_what_the_pdf_says(samples: ModuleType, static: str) -> None:
    words = re.sub(r"\s+", " ", "".join(Reader(static).texts))
    report = samples.report()
    assert report.cover.title in words
    for section in report.sections:
        assert section.title in words
        for block in section.blocks:
            if isinstance(block, v.Figure | v.Table):
                assert re.sub(r"\s+", " ", block.caption) in words


def test_anchors_lead_somewhere(static: str) -> None:
    tags = Reader(static).tags
    ids = {attributes["id"] for _, attributes in tags if "id" in attributes}
    links = [a["href"][1:] for _, a in tags if a.get("href", "").startswith("#")]
    assert links
    assert set(links) <= ids


def test_an_index_of_figures_closes_the_page(samples: ModuleType, static: str) -> None:
    index = static.split('<nav class="figures"')[1].split("</nav>", maxsplit=1)[0]
    captions = [entry.title for entry in plan(samples.report()).figures]
    assert len(captions) > INDEXED
    assert Reader(index).texts
    said = re.sub(r"\s+", " ", "".join(Reader(index).texts))
    assert all(re.sub(r"\s+", " ", caption) in said for caption in captions)


@pytest.mark.parametrize("name", sorted(kinds()))
def test_every_chart_is_drawn(name: str, samples: ModuleType) -> None:
    scene = next(s for s in samples.SCENES.values() if type(s).__name__ == name)
    made = picture(scene, 'a "chart"', Outputs())
    assert made.svg.startswith('<svg class="chart"')
    assert made.data is None
    assert 'aria-label="a &quot;chart&quot;"' in made.svg
    assert "#" not in re.sub(r"&#\w+;", "", made.svg)


def test_both_modes_can_be_read(live_page: Path) -> None:
    page = live_page.read_text("utf-8")
    for ink in ("#16202E", "#5B6675", "#0B5FA5", "#B8430F", "#00775C", "#8A6100"):
        assert f"--c{ink[1:].lower()}: {by_night(ink)}" in page
        for ground in ("#FFFFFF", "#F4F6F9"):
            assert contrast(ink, ground) >= 4.5, ink
            assert contrast(by_night(ink), by_night(ground)) >= 4.5, ink


def test_data_cannot_end_its_element(live_page: Path) -> None:
    page = live_page.read_text("utf-8")
    (data,) = re.findall(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert "<" not in data
    assert json.loads(data)["sliders"]


# Traced numbers -------------------------------------------------------------------


def test_arithmetic_keeps_the_tree() -> None:
    book = traced.Book()
    a, b = book.node(3, 6.0), book.node(4, 2.0)
    made = sum([a, b]) / b - 1
    assert made == 3
    assert isinstance(made, traced.Traced)
    assert repr(made.expr) == "-(/(+(v3, v4), v4), 1.0)"
    assert not made.frozen
    assert (made * book.node(5, 1.0, frozen=True)).frozen


def test_comparisons_are_noted_for_a_section() -> None:
    book = traced.Book(section="cost")
    a, b = book.node(1, 1.0), book.node(2, 2.0)
    assert sorted([b, a]) == [1.0, 2.0]
    assert len(book.conditions["cost"]) == 1
    book.section = None
    assert max(a, b) == 2
    assert len(book.conditions["cost"]) == 1


def test_marks_are_found_again() -> None:
    from isocost.reports import numbers as n

    book = traced.Book()
    text = f"it costs {n.signed(n.money(book.node(1, 0.5)))} now"
    assert traced.bare(text) == "it costs +$0.500 now"
    assert traced.pieces(text) == ["it costs ", (0, "+$0.500", True), " now"]
    assert n.money(0.5) == "$0.500"
