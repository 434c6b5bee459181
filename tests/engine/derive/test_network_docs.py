"""Every scenario of the page on networks is right, and its checks hold."""

import re
from pathlib import Path

import pytest

from isocost.dsl.check import check
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

PAGE = Path(__file__).parents[3] / "docs" / "networks.md"
BLOCKS = re.findall(r"```scn\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_scenario_of_the_page(number: int, tmp_path: Path) -> None:
    path = tmp_path / "page.scn"
    path.write_text(BLOCKS[number], encoding="utf-8")
    checked = check(resolve(load(str(path))), table())
    assert [d.code for d in checked.diagnostics] == []
    evaluation = Evaluation(checked, 256)
    verdicts = evaluation.verdicts()
    assert len(verdicts) >= 2
    assert [v.condition.why for v in verdicts if not v.holds] == []
    assert evaluation.diagnostics == []
