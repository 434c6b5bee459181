"""Formulas: the same path data each time, baselines kept, broken where they must be."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isocost.dsl.expr import Expr, symbol
from isocost.engine.derive.returns import _even_of, _payback_of, _rate_of, _worth_of
from isocost.engine.formula import FORMULAS
from isocost.engine.printers.latex import latex
from isocost.engine.printers.text import said
from isocost.reports.document import EQUATION_WIDTH
from isocost.reports.formulas import FormulaError, spoken, terms, typeset
from isocost.reports.sections.method import equation, readable

OF_MONTHS = (_payback_of, _rate_of, _worth_of, _even_of)
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


def test_no_equation_is_wider_than_the_text() -> None:
    """All shipped ones, and those of as many months as are ever looked at."""
    made = [one for one in FORMULAS.values() if readable(one)]
    made += [one(n) for n in (2, 49, 601) for one in OF_MONTHS]
    for one in made:
        assert readable(one), one.name
        found = typeset(equation(one).latex, 10.0, EQUATION_WIDTH)
        assert found.width <= EQUATION_WIDTH + 1, one.name


def test_what_cannot_be_broken_is_set_smaller() -> None:
    wide = rf"\left({LONG}\right)"
    whole, fitted = typeset(wide, 10.0), typeset(wide, 10.0, 200.0)
    assert whole.width > 250
    assert fitted.width == pytest.approx(200)
    assert fitted.height == pytest.approx(whole.height * 200 / whole.width, rel=0.01)
    root = ET.fromstring(fitted.svg)
    assert root.get("width") == "200.00pt"
    assert root.get("viewBox") == ET.fromstring(whole.svg).get("viewBox")


def test_operands_that_are_alike_stand_over_an_index() -> None:
    """A sum over months and one line of the legend, however many months there are."""
    made = equation(_worth_of(49))
    assert made.latex == (
        r"\mathrm{NPV} = \sum_{t=0}^{48} "
        r"\frac{f_t}{\left(1 + i \cdot 1\,\text{month}\right)^{t}}"
    )
    assert [(one.symbol, one.meaning) for one in made.where] == [
        ("i", "nominal cost of capital"),
        ("f_t", "cash of a month, t = 0 to 48"),
    ]
    assert {len(equation(one(601)).where) for one in OF_MONTHS} == {1, 2, 5}


def test_sums_and_maxima_of_many_are_not_listed() -> None:
    names = tuple(symbol(f"x_{i}") for i in range(1, 9))
    symbols = {f"x_{i}": f"x_{{{i}}}" for i in range(1, 9)}
    assert latex(Expr("sum", names), symbols) == r"\sum_{t=1}^{8} x_t"
    assert latex(Expr("max", names), symbols) == (
        r"\max\left(x_{1}, \ldots, x_{8}\right)"
    )
    assert latex(Expr("sum", names[:3]), symbols) == "x_{1} + x_{2} + x_{3}"
    assert said(Expr("max", (*names, symbol("y")))) == "max(x_t, y, t = 1 to 8)"
    assert said(Expr("sum", names[:3])) == "sum(x_1, x_2, x_3)"
