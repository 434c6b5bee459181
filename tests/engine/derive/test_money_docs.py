"""Every scenario of the page on money is right: checks hold, its fleet has a mix."""

import re
from pathlib import Path

import pytest

from isocost.dsl.check import check
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.evaluate import Evaluation
from isocost.engine.fleet.solve import cheapest_mix
from isocost.engine.fleet_case import fleet_case, fleets_of
from isocost.engine.quantities import table

PAGE = Path(__file__).parents[3] / "docs" / "money.md"
BLOCKS = re.findall(r"```scn\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_scenario_of_the_page(number: int, tmp_path: Path) -> None:
    path = tmp_path / "page.scn"
    path.write_text(BLOCKS[number], encoding="utf-8")
    checked = check(resolve(load(str(path))), table())
    assert [d.code for d in checked.diagnostics] == []
    evaluation = Evaluation(checked, 256)
    verdicts = evaluation.verdicts()
    fleets = [fleet_case(checked, block) for block in fleets_of(checked)]
    assert verdicts or fleets
    assert all(cheapest_mix(one.fleet).status == "optimal" for one in fleets)
    assert [v.condition.why for v in verdicts if not v.holds] == []
    assert evaluation.diagnostics == []
