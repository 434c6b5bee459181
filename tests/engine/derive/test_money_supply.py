"""Supply in scenarios: what a chip takes, what binds and when, who is paid."""

from collections.abc import Callable

import pytest

from isocost.engine.evaluate import Evaluation
from isocost.engine.scope import MissingInputError
from isocost.engine.supply_plan import has_supply, supply_plan
from tests.engine.derive.money_cases import CLUSTER, value

Evaluate = Callable[[str], Evaluation]

SILICON = """
silicon made {
  die[logic].area = 400 mm^2 @assumed "x"
  die[logic].count = 2 @assumed "x"
  die[logic].wafer = 16_000 $/wafer @assumed "x"
  die[logic].defects = 0.1 /cm^2 @assumed "x"
  hbm.price = 10 $/GB @assumed "x"
  hbm.stacks = 4 @assumed "x"
  package.price = 500 $ @assumed "x"
  package.yield = 80% @assumed "x"
}
chip sliced extends part {
  silicon = made
}
system tray extends server {
  chip = sliced
  racks = 0.25 rack @assumed "x"
  item[nic].count = 8 @assumed "x"
  item[nic].price = 1_000 $ @assumed "x"
}
supply plain {
  volume[sliced, 2025-Q1] = 100k chip @assumed "x"
  volume[sliced, 2025-Q2] = 100k chip @assumed "x"
  volume[sliced, 2025-Q3] = 100k chip @assumed "x"
  cap[packages, 2025-Q1] = 100k package @assumed "x"
  cap[packages, 2025-Q2] = 150k package @assumed "x"
  supplier[packages] = "Packager" @assumed "x"
  supplier[wafers] = "Foundry" @assumed "x"
  supplier[nic] = "Foundry" @assumed "x"
}
scenario s extends base {
  system = tray
  supply = plain
}
"""


def test_what_a_chip_takes(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + SILICON)
    gross = value(found, "s.silicon.dies_per_wafer[logic]")
    good = value(found, "s.silicon.yield[logic]")
    wafers = value(found, "s.need.wafers")
    assert wafers == pytest.approx(2 / (gross * good * 0.8))
    assert value(found, "s.need.packages") == pytest.approx(1.25)
    assert value(found, "s.need.stacks") == pytest.approx(5)
    assert value(found, "s.need.power") == pytest.approx(1250)
    assert value(found, "s.need.part[nic]") == pytest.approx(1)


def test_a_cap_binds_and_the_rest_is_late(evaluate: Evaluate) -> None:
    plan = supply_plan(evaluate(CLUSTER + SILICON), "s")
    assert plan.quarters == ("2025-Q1", "2025-Q2", "2025-Q3")
    assert [line.delivered for line in plan.lines] == pytest.approx(
        [80e3, 120e3, 100e3]
    )
    assert [line.wanted for line in plan.lines] == pytest.approx([100e3, 120e3, 100e3])
    (only,) = plan.binding
    assert (only.quarter, only.resource, only.chip) == ("2025-Q1", "packages", "sliced")
    assert only.unmet == pytest.approx(20e3)
    assert plan.required("packages") == pytest.approx([100e3, 150e3, 125e3])
    assert plan.required("power") == pytest.approx([100, 150, 125])


def test_lost_volume_is_not_made_up(evaluate: Evaluate) -> None:
    text = SILICON.replace("supply plain {", "supply plain {\n  unmet = lost")
    plan = supply_plan(evaluate(CLUSTER + text), "s")
    assert [line.delivered for line in plan.lines] == pytest.approx(
        [80e3, 100e3, 100e3]
    )


def test_a_lead_time_takes_from_an_earlier_quarter(evaluate: Evaluate) -> None:
    lead = "supply plain {\n  lead[packages] = 3 month"
    text = SILICON.replace("supply plain {", lead + ' @assumed "x"')
    plan = supply_plan(evaluate(CLUSTER + text), "s")
    assert [line.delivered for line in plan.lines] == pytest.approx(
        [100e3, 80e3, 120e3]
    )


TWO = """
chip next extends sliced {
  power = 900 W @assumed "x"
}
system next_tray extends tray {
  chip = next
  power = 12 kW @assumed "x"
}
supply both extends plain {
  volume[next, 2025-Q2] = 50k chip @assumed "x"
  system[next] = next_tray
  need[next, retimers] = 4 part/chip @assumed "x"
  cap[retimers, 2025-Q1] = 100k part @assumed "x"
}
scenario two extends s {
  supply = both
}
"""


def test_two_chips_share_a_cap_and_one_has_its_own(evaluate: Evaluate) -> None:
    plan = supply_plan(evaluate(CLUSTER + SILICON + TWO), "two")
    assert plan.chips == ("sliced", "next")
    assert plan.needs["next"]["power"] == pytest.approx(0.0015)
    held = {(b.quarter, b.chip): b.resource for b in plan.binding}
    assert held["2025-Q2", "next"] == "retimers"
    second = [line for line in plan.lines if line.period == 1]
    assert second[1].delivered == pytest.approx(25e3)
    used = sum(plan.needs[x.product]["packages"] * x.delivered for x in second)
    assert used <= 150e3 * (1 + 1e-9)


def test_shares_of_suppliers(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + SILICON)
    plan = supply_plan(found, "s")
    dies = value(found, "s.silicon.dies")
    whole = dies + 10 * 80 + 500 + 1000
    assert plan.shares["Foundry"] == pytest.approx((dies + 1000) / whole)
    assert plan.shares["Packager"] == pytest.approx(500 / whole)
    assert sum(plan.shares.values()) == pytest.approx(1)


def test_a_chip_without_a_system_is_asked_for(evaluate: Evaluate) -> None:
    text = TWO.replace("  system[next] = next_tray\n", "")
    found = evaluate(CLUSTER + SILICON + text)
    with pytest.raises(MissingInputError) as caught:
        supply_plan(found, "two")
    assert caught.value.diagnostic.args["path"] == "supply.system[next]"
    assert not has_supply(found, "base")


def test_deliveries_have_intervals_where_a_cap_is_uncertain(evaluate: Evaluate) -> None:
    cap = "cap[packages, 2025-Q1] = "
    assert f"{cap}100k package" in SILICON
    doubt = f"{cap}uniform(75k package, 150k package)"
    text = SILICON.replace(f"{cap}100k package", doubt)
    sure = supply_plan(evaluate(CLUSTER + SILICON), "s")
    assert sure.spreads == ()
    plan = supply_plan(evaluate(CLUSTER + text), "s")
    first, second, last = plan.spreads
    # 1.25 packages a chip of the 100,000 that are wanted: 125,000 would do.
    assert first.low == pytest.approx((75e3 + 0.05 * 75e3) / 1.25, rel=0.03)
    assert first.high == pytest.approx(100e3)
    assert first.short == pytest.approx((125 - 75) / (150 - 75), abs=0.06)
    # What was late is made up in the next quarter, as far as its own cap lets it.
    late = 100e3 - first.low
    assert second.high == pytest.approx(min(100e3 + late, 120e3))
    assert last.low <= plan.lines[2].delivered <= last.high
