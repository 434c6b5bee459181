"""`cashflow(SCENARIO)`: its rows add up, and its words are the engine's numbers."""

import math
import warnings
from pathlib import Path

import attrs
import pytest

from isocost import scenarios
from isocost.dsl.check import check_file
from isocost.engine.cash_of import cash_flow, cash_plan
from isocost.engine.cashflow import CashTable, cash_table, level_plan
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.assemble import assemble, date_of, study_of
from isocost.reports.charts.cashflow import CashFlow
from isocost.reports.exhibits import asked
from isocost.reports.exhibits.cashflow import HEADS, finding, parts
from isocost.reports.pdf import render_pdf
from isocost.reports.study import Study

FILE = Path(scenarios.__path__[0]) / "examples" / "h200_neocloud.scn"
NAMES = ("h200_unlevered", "h200_levered")


@pytest.fixture(scope="module")
def study() -> Study:
    return study_of(Evaluation(check_file(str(FILE), table()), 64))


@pytest.fixture(scope="module")
def blocks(study: Study) -> dict[str, tuple[v.Figure, v.Table]]:
    found = asked(study, "cost")
    out = {}
    for name, figure, made in zip(NAMES, found[::2], found[1::2], strict=True):
        assert isinstance(figure, v.Figure)
        assert isinstance(made, v.Table)
        out[name] = figure, made
    return out


def printed(row: v.Row) -> list[float]:
    texts = [str(cell.text) for cell in row.cells[1:] if isinstance(cell, v.Cell)]
    return [0.0 if t == "–" else float(t.replace(n.MINUS, "-")) for t in texts]


@pytest.mark.parametrize("name", NAMES)
def test_rows_add_up(
    study: Study, blocks: dict[str, tuple[v.Figure, v.Table]], name: str
) -> None:
    flow = cash_flow(study.evaluation, name)
    for row in flow.by_year():
        *those, net, _ = parts(row)
        assert math.fsum(those) == pytest.approx(net, abs=1e-6)
    _, made = blocks[name]
    *years, total = [printed(row) for row in made.rows]
    assert len(years) == len(flow.by_year()) == 7
    running = 0.0
    for amounts in years:
        assert len(amounts) == len(HEADS)
        assert sum(amounts[:5]) == pytest.approx(amounts[5], abs=0.3)
        running += amounts[5]
        assert running == pytest.approx(amounts[6], abs=0.4)
    for column, whole in zip(zip(*years, strict=True), total[:-1], strict=False):
        assert sum(column) == pytest.approx(whole, abs=0.4)
    assert total[5] == total[6] == pytest.approx(sum(flow.flows) / 1e3, abs=0.06)


@pytest.mark.parametrize("name", NAMES)
def test_the_caption_says_the_engines_numbers(
    study: Study, blocks: dict[str, tuple[v.Figure, v.Table]], name: str
) -> None:
    figure, made = blocks[name]
    flow = cash_flow(study.evaluation, name)
    found = {}
    for path in ("irr", "cost.npv", "payback"):
        result = study.result(study.evaluation.document.blocks[name], path)
        assert result is not None
        found[path] = result.value
    assert f"IRR {n.plain(found['irr'])}% a year" in figure.caption
    rate = cash_plan(study.evaluation, name).rate
    worth = f"NPV {n.money(found['cost.npv'])} at {100 * rate:.4g}%"
    assert worth in figure.caption
    month = math.ceil(found["payback"])
    year = math.ceil(month / 12)
    assert f"paid back in year {year} (month {month})" in figure.caption
    assert isinstance(figure.scene, CashFlow)
    assert figure.scene.flows == tuple(row.net for row in flow.by_year())
    assert sum(figure.scene.flows[:year]) < 0 <= sum(figure.scene.flows[: year + 1])
    assert flow.basis in str(made.notes[0])
    assert isinstance(made.source, tuple)
    assert str(made.source[-1]).endswith("without a source.")
    assert ("Debt service: the loan" in str(made.notes[0])) == ("unlevered" not in name)


def words(flow: CashTable) -> str:
    return finding(level_plan(1.0, 1.0, 0.0, months=12, rate=0.1), flow)


def test_words_for_projects_that_return_nothing_or_too_much() -> None:
    poor = cash_table(level_plan(1000.0, 10.0, 20.0, months=24, rate=0.1))
    assert "never paid back" in words(poor)
    assert "no internal rate of return" in words(poor)
    assert "NPV −$" in words(poor)
    several = attrs.evolve(poor, rates=(0.01, 0.02))
    assert "several internal rates of return" in words(several)


def test_the_example_renders_without_warnings(study: Study) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = render_pdf(assemble(study), date=date_of(study))
    assert data.startswith(b"%PDF")
