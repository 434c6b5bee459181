"""Figures as text: what they say is what they are, and nothing in them breaks."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.reports import numbers as n

SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
PREFIX = {
    "p": -12,
    "n": -9,
    "µ": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
    "Z": 21,
    "Y": 24,
}

finite = st.floats(-1e20, 1e20, allow_nan=False).filter(
    lambda x: x == 0 or abs(x) > 1e-12
)


def read(text: str) -> float:
    """The number that a reader takes from `text`."""
    body, _, power = text.replace(n.THIN, "").replace(n.MINUS, "-").partition("×10")
    return float(body) * 10.0 ** int(power.translate(SUPER) or 0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.36, "0.360"),
        (0.4119, "0.412"),
        (-1.5, "−1.50"),
        (80, "80.0"),
        (999.6, "1000"),
        (4096, "4100"),
        (31_000, "31\u202f000"),
        (0.00012, "0.000120"),
        (1.234e9, "1.23×10⁹"),
        (1e-7, "1.00×10⁻⁷"),
        (math.nan, "—"),
        (-math.inf, "−∞"),
    ],
)
def test_plain(value: float, text: str) -> None:
    assert n.plain(value) == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (n.si(667e12, "FLOP/s"), "667\u202fTFLOP/s"),
        (n.si(2.9e12, "B/s"), "2.90\u202fTB/s"),
        (n.si(0.0033, "s"), "3.30\u202fms"),
        (n.si(999_960, "B"), "1.00\u202fMB"),
        (n.si(1240), "1.24\u202fk"),
        (n.money(0.36), "$0.360"),
        (n.money(31_000), "$31.0k"),
        (n.money(-1_240_000), "−$1.24M"),
        (n.money(3.2e9), "$3.20bn"),
        (n.money(0.5, "CHF"), "0.500\u202fCHF"),
        (n.percent(0.126), "12.6%"),
        (n.ratio(3.75), "3.75×"),
        (n.signed("0.5"), "+0.5"),
        (n.signed("−0.5"), "−0.5"),
        (n.signed("0.00"), "0.00"),
        (n.count(400_000), "400\u202f000"),
        (n.count(4096), "4096"),
        (n.interval(0.3012, 0.4098), "0.30–0.41"),
        (n.interval(0.26, 0.66, "$/Mtok"), "0.26–0.66\u202f$/Mtok"),
        (n.interval(-0.2, 0.4), "−0.20\u202fto\u202f0.40"),
        (n.interval(5, 5), "5.00–5.00"),
        (n.interval(0, math.inf), "—"),
        (n.si_interval(1.2e6, 3.4e6, "tok/s"), "1.2–3.4\u202fMtok/s"),
        (n.money_interval(0.3, 0.41), "$0.30–0.41"),
        (n.money_interval(1.2e6, 3.4e6), "$1.2–3.4M"),
    ],
)
def test_texts(text: str, wanted: str) -> None:
    assert text == wanted


@given(finite)
def test_three_digits_are_right(value: float) -> None:
    assert read(n.plain(value)) == pytest.approx(value, rel=5.001e-3)


@given(finite)
def test_prefixes_multiply_back(value: float) -> None:
    body, _, prefix = n.si(value, digits=6).rpartition(n.THIN)
    if not prefix or prefix not in PREFIX:
        body, prefix = n.si(value, digits=6), ""
    assert read(body) * 10.0 ** PREFIX[prefix] == pytest.approx(value, rel=1e-5)


@given(finite, finite)
def test_intervals_hold_their_ends(a: float, b: float) -> None:
    low, high = sorted((a, b))
    text = n.interval(low, high)
    ends = re.split(f"{n.THIN}to{n.THIN}|{n.DASH}", text)
    width = high - low
    assert len(ends) == 2
    for end, value in zip(ends, (low, high), strict=True):
        assert abs(read(end) - value) <= max(0.051 * width, 1e-9, 5e-3 * abs(value))


@given(finite)
def test_nothing_breaks_or_passes_for_a_hyphen(value: float) -> None:
    for text in (n.plain(value), n.si(value, "B"), n.money(value), n.percent(value)):
        assert not re.search(r"[-\s]", text.replace(n.THIN, ""))


@given(finite, finite)
def test_order_is_kept(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert read(n.plain(low)) <= read(n.plain(high))


@given(
    st.lists(st.integers(-50, 50), min_size=2, unique=True),
    st.sampled_from([1, 0.25, 0.02]),
)
def test_ticks_are_told_apart(steps: list[int], step: float) -> None:
    texts = n.ticks(sorted(i * step for i in steps))
    assert len(set(texts)) == len(texts)
