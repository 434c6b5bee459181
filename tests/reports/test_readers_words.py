"""Reports speak in readers' words: titles and names, never identifiers or blanks."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from isocost.reports import numbers
from isocost.reports import view as v
from isocost.reports.names import metric_name, name_of, quoted, told_apart
from isocost.reports.richtext import plain
from isocost.reports.traced import bare

EXAMPLES = Path(__file__).parents[2] / "scenarios" / "examples"
#: Where paths are meant to be read: they lead back to the scenario file.
BY_PATH = {"method", "assumptions", "glossary", "bibliography"}
IDENTIFIER = re.compile(r"[a-z0-9]+_[a-z0-9_]+|[a-z0-9]\[[^]]*\]|[a-z]+\.[a-z]+\b")


@pytest.fixture(scope="module", params=["own_or_rent", "network_design"])
def made(request: pytest.FixtureRequest, make: Callable[[str], Any]) -> v.Report:
    """The report of an example, which has no code of its own."""
    report: v.Report = make(str(EXAMPLES / f"{request.param}.scn")).report
    return report


def texts(thing: Any) -> Iterator[str]:
    """All words of a block, those of code and of sources left out."""
    match thing:
        case str():
            yield thing
        case v.Code() | v.Cite() | v.Ref() | v.Math():
            return
        case v.Figure():
            yield from (thing.caption, thing.alt)
        case tuple():
            for one in thing:
                yield from texts(one)
        case _ if attrs.has(type(thing)):
            for field in attrs.fields(type(thing)):
                if field.name not in {"key", "align", "tone", "grade", "style", "url"}:
                    yield from texts(getattr(thing, field.name))


def tables(blocks: tuple[v.Block, ...]) -> Iterator[v.Table]:
    """All tables."""
    for block in blocks:
        if isinstance(block, v.Section):
            yield from tables(block.blocks)
        elif isinstance(block, v.Table):
            yield block


def words(cell: v.Cell | v.Text) -> str:
    """What a cell says, without what a live page knows of its numbers."""
    return bare(plain(cell.text if isinstance(cell, v.Cell) else cell))


def test_no_identifier_is_shown_to_readers(made: v.Report) -> None:
    read = [s for s in made.sections if s.key not in BY_PATH]
    assert {"scope", "verdict", "topology"} <= {s.key for s in read}
    said = [*texts(tuple(read)), *texts(made.cover)]
    found = {text: m[0] for text in said if (m := IDENTIFIER.search(text))}
    assert not found


def test_no_column_is_empty_and_no_heading_doubled(made: v.Report) -> None:
    for table in tables(made.sections):
        for i, column in enumerate(table.columns):
            cells = [row.cells[i] for row in table.rows if row.style != "group"]
            assert any(cells), (table.caption, column.title)
        if len(table.rows) == 1:
            titles = [(c.title, c.unit) for c in table.columns]
            assert len(set(titles)) == len(titles), table.caption


def test_metrics_asked_for_are_shown(made: v.Report) -> None:
    """Wherever they come from: a report about networks has a table of networks."""
    found = [
        t for t in tables(made.sections) if t.key.startswith(("tab-res", "tab-ho"))
    ]
    assert len(found) == 1
    assert len(found[0].columns) >= 3
    assert made.cover.figures


def test_a_rented_side_breaks_even_on_its_rent(make: Callable[[str], Any]) -> None:
    report = make(str(EXAMPLES / "own_or_rent.scn")).report
    table = next(t for t in tables(report.sections) if t.key == "tab-verdict")
    assert table.columns[-1].title == "Break-even rent of an hour"
    cells = [words(row.cells[-1]) for row in table.rows]
    # Another owner pays the same for a system; every rent would have to be his cost.
    assert cells[0] == "–"
    hour = next(t for t in tables(report.sections) if t.key.startswith("tab-hours"))
    assert set(cells[1:]) == {words(hour.rows[0].cells[1])}


def test_money_flows_through_a_chip_hour(make: Callable[[str], Any]) -> None:
    """What is paid, what it is spent on and what becomes of the hour are one sum."""
    made = make(str(EXAMPLES / "own_or_rent.scn"))
    cost = next(s for s in made.report.sections if s.key == "cost")
    figure = next(b for b in cost.blocks if getattr(b, "key", "").startswith("fig-san"))
    scene = figure.scene
    first, middle, last = scene.stages
    sums = [
        sum(f.amount for f in scene.flows if f.source in first),
        sum(f.amount for f in scene.flows if f.source in middle),
        sum(f.amount for f in scene.flows if f.target in last),
    ]
    scenario = made.study.find("own_neocloud", "scenario")
    hour = made.study.result(scenario, "cost.per_chip_hour[installed]")
    assert sums == pytest.approx([hour.value] * 3, rel=2e-3)
    assert "Capital" in middle
    assert last == ("Hours sold", "Hours unsold")


def test_names_are_told_apart_by_keys_or_by_paths() -> None:
    lives = ["finance.life[server]", "finance.life[network]"]
    assert told_apart(lives, ["life", "life"]) == ["life (server)", "life (network)"]
    assert told_apart(["a.x", "b.x"], ["x", "x"]) == ["x (a x)", "x (b x)"]
    assert told_apart(["a.x", "a.x"], ["x", "x"]) == ["x", "x"]
    assert told_apart(["a.x", "b.y"], ["x", "y"]) == ["x", "y"]


def test_names_of_inputs_and_metrics() -> None:
    load = name_of("site.power.load[inference]", "Site: power drawn over provisioned")
    assert load == "power load at the site"
    # The block's own name in front of a doc line names none of its quantities.
    assert name_of("site.water[x]", "Site: water it draws") == "site water[x]"
    assert name_of("fabric.rails", "Rails.") == "rails"
    price = name_of("fabric.tier[leaf].switch.price", "what it costs", "big_one.price")
    assert price == "price of a big one"
    assert metric_name("network.count[switch]", "") == "switches in the network"
    assert metric_name("collective[all_reduce, 1 GiB]", "") == "all-reduce, 1 GiB"
    assert metric_name("mfu[causal]", "Share of the peak: of it") == (
        "share of the peak, causal"
    )
    assert quoted("Own, a cloud") == "“Own, a cloud”"
    assert quoted("HGX H100") == "HGX H100"


NETWORKS = """\
edition 2026

import "isocost:systems/gpu"

fabric cheap {
  price = 2_000 $/chip @assumed "a test"
  power = 50 W/chip @assumed "a test"
}

fabric dear extends cheap {
  price = 3_000 $/chip @assumed "a test"
}

scenario a {
  system = hgx_h100
  size = 2048 chip
  fabric = cheap
}

scenario b extends a {
  fabric = dear
}
"""


@pytest.fixture
def made_text(make: Callable[[str], Any], tmp_path: Path) -> Callable[[str], Any]:
    def made(text: str) -> Any:
        path = tmp_path / "made.scn"
        path.write_text(text)
        return make(str(path))

    return made


def test_designs_of_networks_are_compared_by_what_they_cost(
    made_text: Callable[[str], Any],
) -> None:
    """Not by the number of chips, which is put in and the same on both sides."""
    report = made_text(NETWORKS).report
    said = [words(one.text) for one in report.cover.takeaways]
    assert any("Network cost of a chip is lowest with a" in one for one in said)
    table = next(t for t in tables(report.sections) if t.key == "tab-results")
    assert table.columns[1].title == "Network cost of a chip"
    assert "Chips" not in [c.title for c in table.columns]
    verdict = next(t for t in tables(report.sections) if t.key == "tab-verdict")
    assert words(verdict.rows[0].cells[3]) == "cheaper"


SMALL = "size = 1024 chip"


def test_options_that_cost_nothing_get_no_verdict(
    made_text: Callable[[str], Any],
) -> None:
    text = NETWORKS.replace("  fabric = cheap\n", "").replace("fabric = dear", SMALL)
    report = made_text(text).report
    found = list(tables(report.sections))
    assert not [t for t in found if t.key == "tab-verdict"]
    table = next(t for t in found if t.key == "tab-results")
    assert table.caption == "What tells the options apart"
    assert table.columns[1].title == "Chips"


HOURS = """\
edition 2026

import "isocost:systems/gpu"

finance buy {
  price[hgx_h100] = 200_000 $/system @assumed "a test"
  cost_of_capital = 10%/year @assumed "a test"
  life[server] = 4 year @assumed "a test"
  availability = 80% @assumed "a test"
}

finance lease {
  tenure = rent
  term = "on_demand"
  rental[h100, on_demand] = 2.90 $/chip/h @assumed "a test"
}

site hall {
  electricity = 0.09 $/kWh @assumed "a test"
  pue = 1.25 @assumed "a test"
}

scenario own {
  system = hgx_h100
  size = 256 chip
  site = hall
  finance = buy
}

scenario rented extends own {
  finance = lease
}
"""


def test_a_rented_hour_is_held_against_one_that_is_up(
    made_text: Callable[[str], Any],
) -> None:
    """A tenant pays for no hour that is down: an owner's installed one is not alike."""
    made = made_text(HOURS)
    verdict = next(t for t in tables(made.report.sections) if t.key == "tab-verdict")
    own = made.study.baseline
    up = made.study.value(own, "cost.per_chip_hour[available]")
    installed = made.study.value(own, "cost.per_chip_hour[installed]")
    assert installed == pytest.approx(0.8 * up)
    assert words(verdict.rows[0].cells[-1]) == bare(numbers.money(up * 3600))
    assert verdict.caption.startswith("Cost of a chip-hour that is up")
    assert "per chip-hour that is up" in made.report.cover.figures[0].label


def test_a_caption_opens_with_a_capital_where_the_page_ranks_anew(
    made_text: Callable[[str], Any],
) -> None:
    variants = made_text(HOURS).study.book.variants
    said = [bare(text) for one in variants for _, text in one.texts]
    assert any(text.startswith("A chip-hour that is up is cheapest") for text in said)
