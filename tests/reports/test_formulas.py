"""Formulas: the same path data each time, baselines kept, broken where they must be."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isocost.reports.formulas import FormulaError, spoken, terms, typeset

LONG = " + ".join(rf"\frac{{a_{{{i}}} b}}{{1 - c_{{{i}}}}}" for i in range(14))


def test_the_same_bytes_each_time() -> None:
    first = typeset(r"t = \max(a, b) + c", 10.0)
    typeset.cache_clear()
    assert typeset(r"t = \max(a, b) + c", 10.0) == first


def test_glyphs_are_paths_without_ids() -> None:
    svg = typeset(r"\eta_m \beta + x x x", 10.0).svg
    tags = {e.tag.rpartition("}")[2] for e in ET.fromstring(svg).iter()}
    assert "text" not in tags
    assert " id=" not in svg
    assert "<use" not in svg


def test_the_baseline_is_known() -> None:
    flat, deep = typeset("x", 10.0), typeset(r"\frac{x}{y}", 10.0)
    assert flat.depth < 1
    assert deep.depth > 4
    assert deep.height > flat.height


def test_lines_fit_the_page() -> None:
    made = typeset(LONG, 10.0, 300.0)
    assert made.lines > 1
    assert made.width <= 301
    assert typeset(LONG, 10.0).lines == 1


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        ("a + b - c", ["a", "+ b", "- c"]),
        ("y = -a + b", ["y = -a", "+ b"]),
        (r"m\left(a + b\right) + c", [r"m\left(a + b\right)", "+ c"]),
        (
            r"\left\{a + b\right\} - \left|x + y\right|",
            [r"\left\{a + b\right\}", r"- \left|x + y\right|"],
        ),
        (r"\frac{a + b}{c} + d", [r"\frac{a + b}{c}", "+ d"]),
        ("(a + b) + [c - d]", ["(a + b)", "+ [c - d]"]),
        (r"a \cdot -b", [r"a \cdot -b"]),
    ],
)
def test_terms(latex: str, parts: list[str]) -> None:
    assert terms(latex) == parts


@given(st.lists(st.sampled_from("abcxyz+-(){}="), max_size=30).map(" ".join))
def test_terms_lose_nothing(latex: str) -> None:
    joined = re.sub(r"\s", "", "".join(terms(latex)))
    assert joined == re.sub(r"\s", "", latex)


@pytest.mark.parametrize("latex", [r"\frac{a}", r"\left( a", "x" * 7000])
def test_what_cannot_be_set_says_so(latex: str) -> None:
    with pytest.raises(FormulaError):
        typeset(latex, 10.0)


@given(st.text(max_size=30))
@settings(max_examples=30)
def test_any_text_is_set_or_refused(latex: str) -> None:
    try:
        made = typeset(latex, 10.0, 200.0)
    except FormulaError:
        return
    ET.fromstring(made.svg)


def test_spoken() -> None:
    assert spoken(r"\mathrm{CRF} \cdot \frac{a}{b}") == "{CRF} · frac{a}{b}"
