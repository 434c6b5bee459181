"""Reports of training, of renting, and of numbers that are to be read with care."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from isocost.reports import view as v
from isocost.reports.richtext import plain

EXAMPLES = Path(__file__).parents[2] / "scenarios" / "examples"


def walk(blocks: tuple[v.Block, ...]) -> Iterator[Any]:
    """All blocks, those within sections too."""
    for block in blocks:
        yield block
        if isinstance(block, v.Section):
            yield from walk(block.blocks)


@pytest.fixture(scope="module")
def run(make: Callable[[str], Any]) -> v.Report:
    report: v.Report = make(str(EXAMPLES / "training_run.scn")).report
    return report


def test_a_run_is_told_of_on_the_cover_and_in_tables(run: v.Report) -> None:
    labels = " ".join(figure.label for figure in run.cover.figures)
    assert "for the run" in labels
    assert "MFU" in labels
    assert "output tokens" not in labels
    assert any("the run is cheapest" in plain(one.text) for one in run.cover.takeaways)
    assert "Performance" in [section.title for section in run.sections]
    found = {getattr(block, "key", ""): block for block in walk(run.sections)}
    assert "fig-training-step-pretrain" in found
    times, costs = found["tab-training-pretrain"], found["tab-run-pretrain"]
    assert [c.title for c in times.columns][1:] == [
        "Run", "MFU", "Tokens/s", "Chips", "Goodput",
    ]  # fmt: skip
    assert [c.title for c in costs.columns][1:] == ["Run", "Energy"]
    assert len(times.rows) == len(costs.rows) == 3


def test_a_doubted_number_is_marked_and_the_cover_says_why(run: v.Report) -> None:
    found = {getattr(block, "key", ""): block for block in walk(run.sections)}
    table = found["tab-run-pretrain"]
    texts = [row.cells[1].text for row in table.rows]
    assert [isinstance(text, tuple) for text in texts] == [False, False, True]
    why = "a stack that states no runs that it was calibrated on"
    assert [why in plain(note) for note in table.notes] == [True]
    assert why in plain(run.cover.takeaways[0].text)


def test_owning_and_renting_are_compared(make: Callable[[str], Any]) -> None:
    report = make(str(EXAMPLES / "own_or_rent.scn")).report
    said = {one.head: plain(one.text) for one in report.cover.takeaways}
    assert "below" in said["Own or rent:"]
    found = {getattr(block, "key", ""): block for block in walk(report.sections)}
    (table,) = (one for key, one in found.items() if key.startswith("tab-hours"))
    assert [c.unit for c in table.columns][1:] == ["$, installed", "$, sold"]
    # Two options of one price are two bars all the same.
    assert len(found["fig-cost-stack"].scene.stacks) == len(table.rows) == 7
