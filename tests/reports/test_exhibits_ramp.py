"""The ramp of a supply plan: deliveries with their doubts, and how often they fail."""

from pathlib import Path

from isocost.dsl.check import check_file
from isocost.dsl.expr import Expr
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.engine.supply_plan import supply_plan
from isocost.reports import view as v
from isocost.reports.assemble import study_of
from isocost.reports.charts.lines import Lines
from isocost.reports.exhibits import Call
from isocost.reports.exhibits.ramp import build

EXAMPLE = Path(__file__).parents[2] / "scenarios" / "examples" / "ramp.scn"


def test_deliveries_carry_their_doubts() -> None:
    checked = check_file(str(EXAMPLE), table())
    study = study_of(Evaluation(checked, 256))
    name = study.baseline.name
    plan = supply_plan(study.evaluation, name)
    assert plan.spreads
    chart, needs, _ = build(study, Call("ramp", (Expr("path", value=name),), {}))
    assert isinstance(chart, v.Figure)
    assert isinstance(chart.scene, Lines)
    made = {curve.name: curve for curve in chart.scene.curves if not curve.dashed}
    assert len(made) == len(plan.chips)
    low = sorted(x for curve in made.values() for x in curve.low)
    assert low == sorted(one.low / 1e3 for one in plan.spreads)
    assert "90%" in str(chart.source)
    assert isinstance(needs, v.Table)
    short = [row for row in needs.rows if "falls short" in str(row.cells[0])]
    assert bool(short) == any(one.short for one in plan.spreads)
