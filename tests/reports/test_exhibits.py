"""Exhibits that a file asks for: words that follow numbers, tables of any path."""

from pathlib import Path
from typing import Any

import pytest

from isocost.dsl.check import check_file
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.reports import view as v
from isocost.reports.assemble import study_of
from isocost.reports.exhibits import asked
from isocost.reports.exhibits.hypercube import proof, torus_links
from isocost.reports.study import Study

HEAD = """edition 2026

import "isocost:systems/trn2"
import "isocost:systems/gpu"
import "isocost:sites/us"
import "isocost:finance/books"

scenario a {
  title = "Ultra"
  system = trn2_ultra
  size = 640 chip
  site = us_colocation
  finance = hyperscaler
}

scenario b extends a {
  title = "Hopper"
  system = hgx_h100
}

/// Chips of a domain.
let chips.a := trn2_ultra.chips * 1 system in chip
let ratio.chips := trn2_ultra.chips / hgx_h100.chips
let price.a := a.price.system * 1 system in k$

report r {
  title = "R"
  compare = [a, b]
  metrics = [cost.per_chip_hour]
  exhibits = [%s]
}
"""


@pytest.fixture
def made(tmp_path: Path) -> "Make":
    return Make(tmp_path)


class Make:
    """Makes the study of a file with some exhibits."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def study(self, exhibits: str) -> Study:
        path = self.folder / "x.scn"
        path.write_text(HEAD % exhibits, encoding="utf-8")
        checked = check_file(str(path), table())
        errors = [d for d in checked.diagnostics if d.severity == "error"]
        assert errors == []
        return study_of(Evaluation(checked, 64))

    def blocks(self, exhibits: str, section: str = "cost") -> list[v.Block]:
        return asked(self.study(exhibits), section)


def test_words_follow_their_numbers(made: Make) -> None:
    text = (
        'prose("{ratio.chips|ratio} as many, {chips.a|count} in all.", '
        '[when(ratio.chips < 1, "Fewer."), "More."], section = cost)'
    )
    (block,) = made.blocks(text)
    assert isinstance(block, v.Paragraph)
    assert block.text == "8.00× as many, 64 in all. More."


def test_a_condition_chooses_the_words(made: Make) -> None:
    text = 'prose([when(chips.a > 8 chip, "Many."), "Few."], section = cost)'
    (block,) = made.blocks(text)
    assert block == v.Paragraph("Many.")


def test_a_text_that_names_nothing_is_an_error(made: Make) -> None:
    with pytest.raises(LookupError, match=r"nothing\.here"):
        made.blocks('prose("{nothing.here}", section = cost)')


def test_parts_hold_what_follows_them(made: Make) -> None:
    text = (
        'prose("before", section = cost), part("Inside", section = cost), '
        'prose("within", section = cost), prose("elsewhere", section = supply)'
    )
    first, part = made.blocks(text)
    assert first == v.Paragraph("before")
    assert isinstance(part, v.Section)
    assert part.title == "Inside"
    assert part.blocks == (v.Paragraph("within"),)


def test_figures_have_names_values_and_what_they_rest_on(made: Make) -> None:
    text = 'figures(chips.a, "By its price", price.a, title = "T", section = cost)'
    (block,) = made.blocks(text)
    assert isinstance(block, v.Table)
    first, second = block.rows
    assert first.cells[:2] == ("Chips of a domain", "64")
    assert second.cells[0] == "By its price"
    assert str(second.cells[1]).startswith("$")
    grade = second.cells[-1]
    assert isinstance(grade, v.Cell)
    assert grade.grade == "D"
    assert block.source


def test_a_matrix_puts_scenarios_side_by_side_in_one_unit(made: Make) -> None:
    text = (
        "matrix(a, b, metrics = [chip.memory.bandwidth, system.chips, "
        'network.cost_per_chip[scale_up]], title = "T", section = cost)'
    )
    (block,) = made.blocks(text)
    assert isinstance(block, v.Table)
    assert [column.title for column in block.columns[2:]] == ["Ultra", "Hopper"]
    bandwidth, chips, copper = block.rows
    values = [c.text for c in bandwidth.cells[2:] if isinstance(c, v.Cell)]
    assert values == ["2.90", "3.35"]
    assert [c.text for c in chips.cells[2:] if isinstance(c, v.Cell)] == ["64", "8"]
    assert copper.cells[3] == "–"


def test_a_grid_takes_any_path_and_texts(made: Make) -> None:
    text = (
        'grid(row("One", chips.a, "–"), heads = ["What", "Here", "There"], '
        'title = "T", section = cost)'
    )
    (block,) = made.blocks(text)
    assert isinstance(block, v.Table)
    (row,) = block.rows
    assert row.cells[0] == "One"
    assert row.cells[2] == "–"


def test_a_grid_of_ragged_rows_is_filled_up(made: Make) -> None:
    rows = 'row("One", chips.a, chips.a), row("Two")'
    (block,) = made.blocks(f'grid({rows}, heads = ["What"], section = cost)')
    assert isinstance(block, v.Table)
    assert {len(row.cells) for row in block.rows} == {3} == {len(block.columns)}


def test_an_exhibit_asked_for_twice_stands_once(made: Make) -> None:
    once = 'grid(row("One", chips.a), heads = ["What", "Here"], section = cost)'
    assert made.blocks(f"{once}, {once}") == made.blocks(once)


def test_stacks_add_up(made: Make) -> None:
    text = (
        'stack(bar("A", a.cost.capex[server], a.cost.capex[network]), '
        'names = ["Systems", "Network"], axis = "$", title = "T", section = cost)'
    )
    (block,) = made.blocks(text)
    assert isinstance(block, v.Figure)
    assert block.alt


def test_the_torus_of_a_server_is_a_hypercube() -> None:
    assert len(torus_links((4, 4))) == 32
    assert "the two are the same graph" in proof((4, 4))
    assert "the two are the same graph" in proof((2, 4, 4))
    assert "no hypercube" in proof((4, 4, 16))
    assert "no hypercube" in proof((3, 4))


def test_shares_of_doubt_add_up(made: Make) -> None:
    blocks = made.blocks("honesty(a.cost.per_chip_hour[installed])", "sensitivity")
    figure, what = blocks
    assert isinstance(figure, v.Figure)
    stacks: Any = getattr(figure.scene, "stacks", ())
    assert sum(stacks[0].values) == pytest.approx(100)
    assert isinstance(what, v.Table)


def test_hours_of_books_make_duels(made: Make) -> None:
    """Without workloads there is nothing to duel about."""
    text = 'duels(books = [book("B", a.cost.per_chip_hour, b.cost.per_chip_hour)])'
    assert made.blocks(text, "verdict") == []
