"""Full pages: exhibits float, charts change within bounds, heights are told well."""

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.reports import pdf
from isocost.reports import view as v
from isocost.reports.arrange import HIGHER, LOWER, ROOM, arranged
from isocost.reports.charts import layout_of
from isocost.reports.charts.bars import Bars, Group
from isocost.reports.charts.topology import Ring, Torus
from isocost.reports.document import TEXT_WIDTH, plan
from isocost.reports.measure import Ruler, Size
from isocost.reports.press import Press

DATE = dt.date(2026, 1, 15)
WORDS = "A sentence of several words that says nothing at all but takes its room. "


def bars(key: str, high: float) -> v.Figure:
    """A chart that may be drawn higher or lower."""
    scene = Bars((Group("a", (1.0,)), Group("b", (2.0,))), "x", height=high)
    return v.Figure(f"Finding {key}", scene, "bars", key=key)


def table(key: str, rows: int, *, groups: int = 0) -> v.Table:
    made = [v.Row((f"line {i}", f"{i}")) for i in range(rows)]
    for i in range(groups):
        made.insert(i * (rows // groups + 1), v.Row((f"group {i}", ""), "group"))
    columns = (v.Column("What"), v.Column("Value", align="right"))
    return v.Table(f"Finding {key}", columns, tuple(made), key=key)


def text(times: int, opening: str = "") -> v.Paragraph:
    return v.Paragraph(opening + WORDS * times)


def report_of(*blocks: v.Block) -> v.Report:
    return v.Report(v.Cover("t"), (v.Section("s", blocks),), contents=False)


def kept(report: v.Report) -> list[v.Block]:
    """The blocks of the one section as they were arranged."""
    return list(arranged(report, "A4").sections[0].blocks)


def heights(blocks: list[v.Block]) -> dict[str, float]:
    return {b.key: layout_of(b.scene).height for b in blocks if isinstance(b, v.Figure)}


def laid_out(report: v.Report) -> Any:
    engine = pdf._weasyprint()
    fetcher = pdf._fetcher(engine, None)
    return Press(engine, report, "A4", DATE, None, fetcher).lay_out()


def boxes(document: Any) -> Iterator[tuple[int, str, float]]:
    """Page, id and height in points of every block of the document's sections."""

    def walk(box: Any) -> Iterator[Any]:
        for child in getattr(box, "children", ()):
            if child.element_tag in {"html", "body", "main", "section"}:
                yield from walk(child)
            elif child.element is not None:
                yield child

    for number, page in enumerate(document.pages):
        for box in walk(page._page_box):
            name = box.element.get("id") or box.element_tag
            yield number, name, 0.75 * box.border_height()


def test_text_takes_the_room_before_an_exhibit_that_does_not_fit() -> None:
    first, exhibit, after = text(40), table("t", 14), text(8)
    assert kept(report_of(first, exhibit, after)) == [first, exhibit, after]
    first = text(66)
    assert kept(report_of(first, exhibit, after)) == [first, after, exhibit]


def test_text_that_points_back_stays_behind() -> None:
    blocks = (text(66), table("t", 14), text(8, "These rows say it. "))
    assert kept(report_of(*blocks)) == list(blocks)


def test_no_exhibit_comes_before_the_text_that_leads_to_it() -> None:
    blocks = (text(66), table("a", 14), text(30, "This is it. "), table("b", 2))
    assert kept(report_of(*blocks)) == list(blocks)


def test_a_part_may_open_before_the_last_exhibit_of_the_one_before() -> None:
    part = v.Section("Part", (text(3), table("b", 2)), "part")
    made = kept(report_of(text(66), table("t", 14), part))
    assert [type(block).__name__ for block in made] == ["Paragraph", "Section"]
    assert isinstance(made[1], v.Section)
    keys = [getattr(block, "key", "") for block in made[1].blocks]
    assert keys == ["", "t", "b"]


def test_what_almost_fits_is_made_to_fit() -> None:
    made = heights(kept(report_of(bars("a", 320), bars("b", 320))))
    assert all((1 - LOWER) * 320 <= high < 320 for high in made.values())


def test_a_hole_is_taken_up_by_the_charts_above_it() -> None:
    made = heights(kept(report_of(bars("a", 250), bars("b", 250), bars("c", 500))))
    assert made["a"] == made["b"] == pytest.approx(250 + 0.5 * 111, abs=12)
    assert made["c"] == 500


def test_drawings_keep_their_shape() -> None:
    ring = v.Figure("r", Torus((Ring("x", 4),)), "a", key="r")
    pair = v.Columns(((bars("p", 200),), (bars("q", 200),)))
    blocks: list[v.Block] = [ring, pair, table("t", 16), bars("c", 400)]
    assert kept(report_of(*blocks))[:3] == blocks[:3]


@given(
    st.lists(
        st.tuples(st.integers(60, 650), st.sampled_from(["figure", "table", "text"])),
        max_size=12,
    )
)
def test_nothing_is_lost_and_charts_stay_within_bounds(
    drawn: list[tuple[int, str]],
) -> None:
    make: dict[str, Callable[[str, int], v.Block]] = {
        "figure": lambda key, high: bars(key, float(high)),
        "table": lambda key, high: table(key, high // 20),
        "text": lambda key, high: text(high // 20, f"{key} "),
    }
    blocks = [make[kind](f"k{i}", high) for i, (high, kind) in enumerate(drawn)]
    made = kept(report_of(*blocks))
    assert len(made) == len(blocks)
    asked, found = heights(blocks), heights(made)
    assert asked.keys() == found.keys()
    for key, high in asked.items():
        low, top = (1 - LOWER) * high - 0.1, (1 + HIGHER) * high + 0.1
        assert low <= found[key] <= top


def test_heights_are_told_as_the_engine_makes_them() -> None:
    """Of every kind of block, within a line."""
    claim = v.ClaimRow("It holds", "us", "1", "2", "holds", "100%", v.Code("a < b"))
    blocks: tuple[v.Block, ...] = (
        text(7), v.Paragraph(WORDS * 5, lead=True), v.Bullets((WORDS * 3, WORDS)),
        v.Callout("Box", WORDS * 6), bars("f", 140), table("t", 6),
        v.Columns(((bars("p", 200),), (bars("q", 220),))),
        v.Claims("Claims", (claim,) * 3, key="c"), table("g", 12, groups=3),
    )  # fmt: skip
    report = report_of(*blocks)
    planned = plan(report)
    ruler = Ruler(planned.marks, planned.sources, TEXT_WIDTH)
    told = [ruler.heading("s", 1), *map(ruler.size, blocks)]
    made = list(boxes(laid_out(report)))[-len(told) :]
    for size, (_, name, high) in zip(told, made, strict=True):
        assert isinstance(size, Size)
        assert size.height == pytest.approx(high, abs=11), name


def test_pages_come_out_full() -> None:
    """Laid out, no page but the last ends early; as written, some would."""
    blocks: list[v.Block] = []
    for i in range(6):
        blocks += [bars(f"f{i}", 330), table(f"t{i}", 16), text(12)]
    report = report_of(*blocks)

    def holes(one: v.Report) -> list[float]:
        filled: dict[int, float] = {}
        for number, _, high in boxes(laid_out(one)):
            filled[number] = filled.get(number, 0.0) + high
        return [ROOM["A4"] - high for high in list(filled.values())[1:-1]]

    before, after = holes(report), holes(arranged(report, "A4"))
    assert max(before) > 150
    assert sum(h * h for h in after) < 0.5 * sum(h * h for h in before)


def test_groups_of_a_table_are_not_torn_apart() -> None:
    report = report_of(text(50), table("g", 24, groups=4))
    document = laid_out(report)
    rows: list[list[str]] = []
    for page in document.pages:
        found = [
            "".join(box.element.itertext()).strip()
            for box in page._page_box.descendants()
            if box.element_tag == "tr" and box.element is not None
        ]
        rows.append([one for one in dict.fromkeys(found) if not one.startswith("What")])
    rows = [one for one in rows if one]
    assert len(rows) == 2
    assert all(one[0].startswith("group") for one in rows)


def test_a_section_stands_on_one_page_where_a_page_takes_it() -> None:
    """Its table of many rows, which may break elsewhere, is not torn."""
    inside = (text(4), table("t", 30), text(3))
    before = v.Section("before", (text(40),))
    for whole, pages in ((False, 2), (True, 1)):
        one = v.Section("whole", inside, "whole", whole=whole)
        report = v.Report(v.Cover("t"), (before, one), contents=False)
        made = arranged(report, "A4")
        assert made.sections[1].fresh == whole
        found = {page for page, name, _ in boxes(laid_out(made)) if name == "k-tab_t"}
        found |= {page for page, name, _ in boxes(laid_out(made)) if name == "k-t"}
        assert len(found) == pages
    short = v.Section("short", (text(2),), whole=True)
    report = v.Report(v.Cover("t"), (before, short), contents=False)
    assert not arranged(report, "A4").sections[1].fresh
    long = v.Section("long", (table("t", 90),), whole=True)
    report = v.Report(v.Cover("t"), (before, long), contents=False)
    assert not arranged(report, "A4").sections[1].fresh


def test_figures_in_columns_are_as_wide_as_they_are_set() -> None:
    """Signs and digits of a column of figures are of one width, so none breaks."""
    rows = tuple(v.Row(("x", v.Cell("1.11×", interval="1.10–1.11"))) for _ in range(3))
    columns = (v.Column("What " * 30, width=None), v.Column("Value", align="right"))
    lines = v.Table("Ones", columns, rows, key="t")
    planned = plan(report_of(lines))
    told = Ruler(planned.marks, planned.sources, TEXT_WIDTH).size(lines)
    (high,) = [h for _, name, h in boxes(laid_out(report_of(lines))) if name == "k-t"]
    assert told is not None
    assert told.height == pytest.approx(high, abs=4)


def test_letter_has_less_room() -> None:
    def order(paper: str, times: int) -> list[str]:
        report = report_of(text(times), table("t", 14), text(8))
        made = arranged(report, paper).sections[0].blocks
        return [getattr(block, "key", "") for block in made]

    apart = [
        times
        for times in range(20, 60, 4)
        if order("A4", times) != order("Letter", times)
    ]
    assert apart
    assert all(order("Letter", times) == ["", "", "t"] for times in apart)
