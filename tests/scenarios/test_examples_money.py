"""The worked scenarios of money: each runs, and its published figures come out."""

import json
from pathlib import Path

import pytest

from isocost import scenarios
from isocost.__main__ import main
from isocost.dsl.check import check_file
from isocost.dsl.units import unit
from isocost.engine.cash_of import cash_flow
from isocost.engine.evaluate import Evaluation
from isocost.engine.fleet_answer import answer
from isocost.engine.fleet_case import fleet_case, fleets_of
from isocost.engine.gradient import gradient
from isocost.engine.quantities import table
from isocost.engine.supply_plan import supply_plan

FOLDER = Path(scenarios.__path__[0]) / "examples"


def opened(name: str) -> Evaluation:
    return Evaluation(check_file(str(FOLDER / f"{name}.scn"), table()), 256)


def at_point(evaluation: Evaluation, path: str, shown: str) -> float:
    scenario, _, rest = path.partition(".")
    node = evaluation.node(scenario, rest)
    assert node is not None, evaluation.diagnostics
    return evaluation.point((node,))[node] / unit(shown).factor


@pytest.mark.parametrize(
    "name", ["chip_cost", "own_or_rent", "h200_neocloud", "ramp", "fleet"]
)
def test_its_checks_hold(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(FOLDER / f"{name}.scn")
    assert main(["check", "--evaluate", path]) == 0, capsys.readouterr().out
    assert main(["eval", path, "-n", "64"]) == 0
    assert capsys.readouterr().out


def test_the_neocloud_model_to_the_cent() -> None:
    """`tco_cases.csv`, sa_h200: 6,738.18 $ a month, 1.59 $ a GPU-hour."""
    found = opened("h200_neocloud")
    month = at_point(found, "h200_hour.cost.capital", "$/month")
    assert f"{month:.2f}" == "6738.18"
    hour = at_point(found, "h200_hour.cost.per_chip_hour", "$/chip/h")
    assert f"{hour:.2f}" == "1.59"
    assert at_point(found, "h200_hour.cost.capex", "$") == pytest.approx(361_255)
    wacc = at_point(found, "h200_hour.finance.cost_of_capital", "%/year")
    assert wacc == pytest.approx(10.25)


def test_the_neocloud_lets_its_servers() -> None:
    found = opened("h200_neocloud")
    table_ = cash_flow(found, "h200_levered")
    assert table_.basis == "after tax at 0.21, levered, 0.75 debt, nominal"
    assert at_point(found, "h200_levered.irr", "/year") == pytest.approx(table_.irr)
    assert table_.by_year()[0].net == pytest.approx(-0.25 * 361_255)


def test_defects_reach_the_token() -> None:
    """d($/Mtoken)/d(defect density) is one command, and exact."""
    found = opened("chip_cost")
    metric = found.node("trainium2_token", "cost.per_Mtoken")
    defects = found.node("trainium2_token", "chip.silicon.die[compute].defects")
    assert metric is not None
    assert defects is not None
    values = found.point((metric,))
    slope = gradient(found.graph, metric, values)[defects]
    share = slope * values[defects] / values[metric]
    assert 0.005 < share < 0.1
    young = at_point(found, "young_process.cost.per_Mtoken", "$/Mtoken")
    assert young > at_point(found, "trainium2_token.cost.per_Mtoken", "$/Mtoken")


def test_the_sensitivity_command_names_the_defects(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = str(FOLDER / "chip_cost.scn")
    metric = "trainium2_token.cost.per_Mtoken"
    assert main(["sensitivity", path, metric, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = {row["path"]: row for row in found["inputs"]}
    row = rows["chip.silicon.die[compute].defects"]
    assert row["derivative"] > 0
    assert row["swing"] > 0


def test_the_ramp_binds_in_turn() -> None:
    plan = supply_plan(opened("ramp"), "ramp")
    assert plan.quarters[0] == "2024-Q4"
    assert plan.quarters[-1] == "2026-Q2"
    assert plan.chips == ("trainium2", "trainium3")
    assert {b.resource for b in plan.binding} == {"packages", "stacks"}
    for name in ("packages", "stacks", "power"):
        pairs = zip(plan.required(name), plan.room(name), strict=True)
        assert all(used <= room * (1 + 1e-9) for used, room in pairs)
    assert 0.1 < plan.shares["TSMC"] < 0.4


def test_the_ramp_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(FOLDER / "ramp.scn")
    assert main(["eval", path, "-n", "16"]) == 0
    text = capsys.readouterr().out
    assert "held back by" in text
    assert "paid to:" in text
    assert main(["eval", path, "-n", "16", "--format", "json"]) == 0
    plan = json.loads(capsys.readouterr().out)["supply"]["ramp"]
    assert plan["units"]["power"] == "MW"
    assert plan["resources"][0]["room"] is None


def test_unlike_terms_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(FOLDER / "own_or_rent.scn")
    assert main(["eval", path, "-m", "cost.per_chip_hour", "-n", "16"]) == 0
    text = capsys.readouterr().out
    assert "not alike: unlike terms" in text
    assert "not alike: prices" in text


def test_the_fleet_is_mixed() -> None:
    checked = check_file(str(FOLDER / "fleet.scn"), table())
    found = answer(fleet_case(checked, fleets_of(checked)[0]))
    assert found.mix.status == "optimal"
    shares: dict[str, float] = {}
    for one in found.mix.assignments:
        shares[one.demand] = shares.get(one.demand, 0.0) + one.share
    assert shares == pytest.approx({"chat": 1.0, "summaries": 1.0, "frontier": 1.0})
    assert ("frontier", "trn2_ultra_hall") not in found.case.fleet.serves
    supply = next(p for p in found.prices if p.price.name == "supply of gb200_hall")
    assert supply.price.price < 0
    assert supply.price.low is not None
    assert supply.price.high is not None
    assert supply.price.low <= supply.price.amount <= supply.price.high
