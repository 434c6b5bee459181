"""Columns of printed tables: words whole, numbers on their line, the room used up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.reports import view as v
from isocost.reports.charts.metrics import text_width
from isocost.reports.richtext import worded
from isocost.reports.widths import MOST, PADDING, SIZE, Fit, claims_table, fit

ROOM = 482.0


def fitted(table: v.Table, room: float = ROOM) -> Fit:
    return fit(table, lambda piece: worded(piece, {}, {"s": 12}), room)


def table(*rows: tuple[v.Cell | v.Text, ...], heads: tuple[str, ...] = ()) -> v.Table:
    columns = heads or ("",) * len(rows[0])
    return v.Table("t", tuple(map(v.Column, columns)), tuple(map(v.Row, rows)))


words = st.text(st.sampled_from("abcdefghij"), min_size=1, max_size=12)
cells = st.lists(words, min_size=1, max_size=12).map(" ".join)


@given(st.lists(st.tuples(cells, cells, cells, cells), min_size=1, max_size=6))
def test_words_are_whole_and_the_room_is_used(rows: list[tuple[str, ...]]) -> None:
    shares = fitted(table(*rows)).shares
    assert sum(shares) == pytest.approx(1)
    for i, share in enumerate(shares):
        longest = max(text_width(w, SIZE) for row in rows for w in row[i].split())
        assert share * ROOM >= min(longest + PADDING, MOST * ROOM) - 0.01


def test_prose_takes_what_figures_leave() -> None:
    prose = "many words that go on and on " * 6
    wide = fitted(table(("12.5", prose, "3"), ("99.5", prose, "4")))
    assert wide.shares[1] > 0.8


def test_one_word_that_is_too_long_may_break() -> None:
    shares = fitted(table(("a" * 400, "b"))).shares
    assert shares[1] * ROOM >= text_width("b", SIZE) + PADDING


def test_intervals_stand_beside_or_below_in_all_of_a_table() -> None:
    beside = v.Cell("1.05", interval="0.52–0.64")
    assert not fitted(table((beside,) * 3)).stacked
    long = v.Cell("48 000", interval="32 700–70 100")
    assert fitted(table((long,) * 7)).stacked


def test_stated_widths_are_kept_where_the_words_fit() -> None:
    columns = (v.Column("a", width=0.3), v.Column("b", width=0.7))
    kept = v.Table("t", columns, (v.Row(("x", "y")),))
    assert fitted(kept).shares == pytest.approx((0.3, 0.7))
    word = "incomprehensibilities" * 2
    tight = v.Table("t", columns, (v.Row((word, "y")),))
    assert fitted(tight, 300.0).shares[0] > 0.3


def test_claims_are_measured_as_they_are_printed() -> None:
    row = v.ClaimRow("It is so", v.Cite("s"), "3.85 TB/s", "3.75 TB/s", "fails", "12%")
    made = claims_table(v.Claims("c", (row,)))
    assert [c.title for c in made.columns][3:] == ["Share of draws", "Verdict"]
    shares = fitted(made).shares
    assert shares[4] * ROOM > text_width("≈ depends", SIZE, 600) + PADDING
