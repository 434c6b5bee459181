"""The scenario of the page on serving is right and has what the page says."""

import re
from pathlib import Path

from isocost.dsl.check import check
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

PAGE = Path(__file__).parents[3] / "docs" / "serving.md"
(BLOCK,) = re.findall(r"```scn\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
PATHS = (
    "latency.ttft[p99]",
    "latency.tpot[p99]",
    "throughput.within_slo",
    "mbu",
    "decode.accepted",
    "mixed.step.ideal",
    "serving.divides",
)


def test_the_scenario_of_the_page(tmp_path: Path) -> None:
    path = tmp_path / "page.scn"
    path.write_text(BLOCK, encoding="utf-8")
    checked = check(resolve(load(str(path))), table())
    assert [d.code for d in checked.diagnostics] == []
    evaluation = Evaluation(checked, 64)
    results = evaluation.results([("wide", name) for name in PATHS])
    assert evaluation.diagnostics == []
    assert [r.path for r in results] == list(PATHS)
    assert all(r.central > 0 for r in results)
    settled = evaluation.settled("wide")
    assert settled.admissible > 0
    by_path = {r.path: r.central for r in results}
    assert by_path["latency.tpot[p99]"] <= 60e-3
