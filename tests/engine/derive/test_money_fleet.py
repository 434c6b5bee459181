"""Fleets from scenarios, and the command that solves them."""

import json
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.check import Checked, check_file
from isocost.engine.evaluate import Evaluation
from isocost.engine.fleet_answer import FleetAnswer, answer
from isocost.engine.fleet_case import fleet_case, fleets_of
from isocost.engine.quantities import table
from isocost.engine.scope import MissingInputError
from tests.engine.derive.money_cases import CLUSTER

MONTH = 2_628_000.0
HEAD = 'edition 2026\nimport "isocost:models/llama"\n'
PLATFORMS = (
    CLUSTER
    + """
software stack {
  chips = [part, quick]
}
chip quick extends part {
  memory.bandwidth = 6 TB/s @assumed "x"
}
system quick_server extends server {
  chip = quick
  price = 500k $ @assumed "x"
}
workload chat {
  task = inference
  model = llama3_8b
  prompt = 1024 token @assumed "x"
  output = 256 token @assumed "x"
  parallel.tp = 1
  batch.instance = 16
}
workload long extends chat {
  prompt = 4096 token @assumed "x"
}
scenario old extends base {
  software = stack
}
scenario new extends old {
  system = quick_server
}
"""
)
FLEET = """
fleet both {
  platforms = [old, new]
  demand[chat].workload = chat
  demand[chat].volume = 400k token/s @assumed "x"
  demand[chat].peak = 1.5 @assumed "x"
  demand[long].workload = long
  demand[long].volume = 100k token/s @assumed "x"
MORE
}
"""


def checked(tmp_path: Path, *more: str, body: str = PLATFORMS) -> Checked:
    lines = "\n".join(f"  {line}" for line in more)
    path = tmp_path / "fleet.scn"
    path.write_text(HEAD + body + FLEET.replace("MORE", lines), encoding="utf-8")
    found = check_file(str(path), table())
    assert [d.code for d in found.diagnostics if d.severity == "error"] == []
    return found


def solved(tmp_path: Path, *more: str) -> FleetAnswer:
    document = checked(tmp_path, *more)
    return answer(fleet_case(document, fleets_of(document)[0]))


def test_a_unit_is_one_system_of_the_scenario(tmp_path: Path) -> None:
    document = checked(tmp_path)
    case = fleet_case(document, fleets_of(document)[0])
    evaluation = Evaluation(document, 1)
    node = evaluation.node("old", "cost.per_month")
    assert node is not None
    month = evaluation.point((node,))[node] * MONTH / 10
    old = case.fleet.platforms[0]
    assert old.cost + old.energy == pytest.approx(month)
    assert old.running < old.cost
    assert case.fleet.demands[0].sized == pytest.approx(600e3)
    assert case.fleet.serves["chat", "new"] > case.fleet.serves["chat", "old"] > 0
    assert case.figures["old"].price == pytest.approx(200e3)
    assert case.figures["old"].recovery == pytest.approx(0.01 / (1 - 1.01**-60))


def test_a_platform_named_twice_is_one(tmp_path: Path) -> None:
    twice = PLATFORMS, FLEET.replace("[old, new]", "[old, new, old]")
    path = tmp_path / "fleet.scn"
    path.write_text(HEAD + "".join(twice).replace("MORE", ""), encoding="utf-8")
    document = check_file(str(path), table())
    case = fleet_case(document, fleets_of(document)[0])
    assert [one.name for one in case.fleet.platforms] == ["old", "new"]


@pytest.mark.parametrize(
    "line",
    [
        'owned[nosuch] = 8 chip @assumed "x"',
        'cap.supply[nosuch] = 8 chip @assumed "x"',
        'cap.power[nosuch] = 8 MW @assumed "x"',
        'port[nosuch, chat] = 8 $ @assumed "x"',
    ],
)
def test_what_a_fleet_lacks_is_no_key_of_it(tmp_path: Path, line: str) -> None:
    path = tmp_path / "fleet.scn"
    path.write_text(HEAD + PLATFORMS + FLEET.replace("MORE", f"  {line}"), "utf-8")
    found = check_file(str(path), table()).diagnostics
    errors = [d for d in found if d.severity == "error"]
    assert [(d.code, d.args["name"]) for d in errors] == [("N003", "nosuch")]


def test_the_cheaper_platform_serves_all(tmp_path: Path) -> None:
    found = solved(tmp_path)
    assert found.mix.status == "optimal"
    fleet = found.case.fleet
    served = {
        p.name: sum(
            d.sized / fleet.serves[d.name, p.name] * p.cost
            + d.volume / fleet.serves[d.name, p.name] * p.energy
            for d in fleet.demands
        )
        for p in fleet.platforms
    }
    assert found.mix.cost <= min(served.values()) * (1 + 1e-9)
    wins = {turn.platform: turn.bought for turn in found.turns}
    assert any(wins.values())


def test_owned_systems_run_before_new_ones_are_bought(tmp_path: Path) -> None:
    none = solved(tmp_path)
    some = solved(tmp_path, 'owned[old] = 80 chip @assumed "x"')
    assert some.case.fleet.platforms[0].owned == pytest.approx(10)
    assert some.mix.cost < none.mix.cost


def test_a_cap_has_a_price_and_a_meaning(tmp_path: Path) -> None:
    free = solved(tmp_path)
    most = max(free.mix.holdings, key=lambda one: one.bought)
    cap = f'cap.supply[{most.platform}] = {most.bought * 4:.0f} chip @assumed "x"'
    found = solved(tmp_path, cap)
    (priced,) = [p for p in found.prices if p.price.name.startswith("supply of")]
    assert priced.price.price < 0
    assert priced.price.unit == "$/month per system"
    assert "one more system would save" in priced.meaning
    assert priced.price.low is not None
    assert priced.price.low <= priced.price.amount


def test_porting_is_written_off_and_readiness_is_dated(tmp_path: Path) -> None:
    found = solved(
        tmp_path,
        'port[new, long] = 3M $ @assumed "x"',
        'ready[new, chat] = 2027-01-01 @assumed "x"',
        "date = 2026-06-01",
    )
    paid = found.case.fleet.porting["long", "new"]
    assert paid == pytest.approx(3e6 * 0.01 / (1 - 1.01**-36))
    assert ("chat", "new") not in found.case.fleet.serves
    reason = found.case.fleet.reasons["chat", "new"]
    assert reason == "not ready before 2027-01-01"


def test_readiness_wants_the_day(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError) as caught:
        solved(tmp_path, 'ready[new, chat] = 2027-01-01 @assumed "x"')
    assert caught.value.diagnostic.args["path"] == "both.date"


def test_a_conflict_is_explained(tmp_path: Path) -> None:
    found = solved(
        tmp_path,
        'cap.power[hall] = 0.2 MW @assumed "x"',
        'budget = 1G $ @assumed "x"',
    )
    assert found.mix.status == "infeasible"
    assert "power of hall cannot hold with" in found.conflict[0]
    assert any("alone would have to be" in line for line in found.conflict)


def test_a_demand_that_does_not_fit_says_why(tmp_path: Path) -> None:
    large = PLATFORMS.replace(
        "workload long extends chat {",
        "workload long extends chat {\n  model = llama3_405b",
    )
    document = checked(tmp_path, body=large)
    found = answer(fleet_case(document, fleets_of(document)[0]))
    assert found.mix.status == "infeasible"
    assert found.conflict[0].startswith("no platform serves long (old: ")


def test_whole_systems(tmp_path: Path) -> None:
    found = solved(tmp_path, "integer = true")
    for holding in found.mix.holdings:
        assert holding.bought == pytest.approx(round(holding.bought), abs=1e-6)
    assert found.mix.cost >= found.mix.fractional_cost


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checked(tmp_path, 'cap.power[hall] = 5 MW @assumed "x"')
    path = str(tmp_path / "fleet.scn")
    assert main(["fleet", path]) == 0
    text = capsys.readouterr().out
    for word in ("platform", "demand", "at the margin", "holds from", "up to"):
        assert word in text
    assert main(["fleet", path, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == 1
    both = found["fleets"]["both"]
    assert both["status"] == "optimal"
    assert sum(a["share"] for a in both["assignments"]) == pytest.approx(2)
    assert {p["kind"] for p in both["prices"]} == {"demand", "limit"}
    assert main(["fleet", path, "-f", "none"]) == 2
    assert "no fleet none" in capsys.readouterr().err


def test_the_command_on_a_conflict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checked(tmp_path, 'cap.power[hall] = 0.1 MW @assumed "x"')
    assert main(["fleet", str(tmp_path / "fleet.scn")]) == 1
    assert "no mix serves the demands" in capsys.readouterr().out


def test_a_setting_changes_the_fleet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checked(tmp_path)
    path = str(tmp_path / "fleet.scn")
    costs = []
    for more in ([], ["--set", "finance.cost_of_capital=24%/year"]):
        assert main(["fleet", path, "--format", "json", *more]) == 0
        found = json.loads(capsys.readouterr().out)
        costs.append(found["fleets"]["both"]["cost"])
    assert costs[1] > 1.1 * costs[0]


def test_a_training_run_goes_to_one_platform_by_its_deadline(tmp_path: Path) -> None:
    body = (
        'import "isocost:systems/gpu"\nimport "isocost:software/training"\n'
        + CLUSTER
        + """
workload pretrain {
  task = training
  model = llama3_70b
  tokens = 2T token @assumed "x"
  sequence = 8192 token @assumed "x"
  batch.global = 1024 sequence
  batch.micro = 1 sequence
  parallel.tp = 8
  parallel.pp = 4
}
scenario old extends base {
  system = hgx_h100
  size = 2048 chip
  software = megatron_hopper
  workload = pretrain
  site.power.load[training] = 85% @assumed "x"
}
scenario new extends old {
  system = hgx_h200
}
fleet runs {
  platforms = [old, new]
  demand[train].workload = pretrain
  demand[train].deadline = 60 day @assumed "x"
  integer = true
}
"""
    )
    path = tmp_path / "runs.scn"
    path.write_text(HEAD + body, encoding="utf-8")
    document = check_file(str(path), table())
    case = fleet_case(document, fleets_of(document)[0])
    (demand,) = case.fleet.demands
    assert demand.whole
    assert demand.volume == pytest.approx(2e12 / (60 * 86_400))
    found = answer(case)
    (only,) = found.mix.assignments
    assert only.share == pytest.approx(1)
    time = Evaluation(document, 1)
    node = time.node(only.platform, "time.train")
    assert node is not None
    systems = 256 * time.point((node,))[node] / (60 * 86_400)
    assert only.units == pytest.approx(systems)
