"""Full pages: breaks are foreseen, charts change within bounds, the better one wins."""

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.reports import fill, pdf
from isocost.reports import view as v
from isocost.reports.charts.bars import Bars, Group
from isocost.reports.charts.topology import Ring, Torus
from isocost.reports.document import elastic_charts
from isocost.reports.fill import HIGHER, LOWER, Piece

DATE = dt.date(2026, 1, 15)


def chart(figure: int, tall: float) -> Piece:
    return Piece("figure", tall + 30, tall + 15, 15, figure=figure, chart=tall)


def text(tall: float, tag: str = "p") -> Piece:
    return Piece(tag, tall, tall, 0, flows=tag == "p")


def changes(pieces: list[Piece], room: float = 900.0) -> dict[int, float]:
    change: dict[int, float] = {}
    for sheet in fill._simulate(pieces, room, change):
        fill._stretch(sheet, change)
    return change


def test_a_hole_is_taken_up_by_the_charts_above_it() -> None:
    change = changes([chart(1, 300), chart(2, 300), chart(3, 700)])
    assert change[1] == pytest.approx(HIGHER * 300)
    assert 3 not in change


def test_what_almost_fits_is_made_to_fit() -> None:
    change = changes([chart(1, 400), chart(2, 500)])
    assert sum(change.values()) == pytest.approx(-(400 + 30 + 500 - 900 + fill.SLACK))


def test_a_heading_goes_with_what_follows() -> None:
    pieces = [chart(1, 300), text(400), text(60, "h2"), chart(2, 800)]
    sheets = list(fill._simulate(pieces, 900, {}))
    assert [p.tag for p in sheets[0].pieces] == ["figure", "p"]


def test_text_flows_on() -> None:
    pieces = [chart(1, 300), text(2000), chart(2, 300)]
    assert not next(fill._simulate(pieces, 900, {})).hole


@given(
    st.lists(
        st.tuples(st.floats(40, 1200), st.sampled_from(["figure", "p", "div", "h2"]))
    )
)
def test_charts_stay_within_bounds(blocks: list[tuple[float, str]]) -> None:
    pieces = [
        chart(i, tall) if tag == "figure" else text(tall, tag)
        for i, (tall, tag) in enumerate(blocks, 1)
    ]
    for figure, pixels in changes(pieces).items():
        tall = blocks[figure - 1][0]
        assert -LOWER * tall - 1e-6 <= pixels <= HIGHER * tall + 1e-6


def test_drawings_keep_their_shape() -> None:
    bars = Bars((Group("a", (1.0,)),), "x")
    figures = (
        v.Figure("a", Torus((Ring("x", 4),)), "a"),
        v.Columns(((v.Figure("b", bars, "b"),),)),
        v.Figure("c", bars, "c"),
    )
    report = v.Report(v.Cover("t"), (v.Section("s", figures),))
    assert set(elastic_charts(report)) == {2, 3}


def test_the_better_layout_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    bars = Bars(tuple(Group(f"option {i}", (1.0 + i,)) for i in range(14)), "x")
    figures = tuple(v.Figure(f"Finding {i}", bars, "bars") for i in range(5))
    report = v.Report(v.Cover("t"), (v.Section("s", figures),), contents=False)
    seen: list[tuple[int, float]] = []
    real = fill.waste

    def spy(document: Any) -> tuple[int, float]:
        seen.append(real(document))
        return seen[-1]

    monkeypatch.setattr(pdf, "waste", spy)
    assert pdf.render_pdf(report, date=DATE)
    before, after = seen
    assert after < before
