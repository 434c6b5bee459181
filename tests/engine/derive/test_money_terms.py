"""Terms in scenarios: owning, renting, reserving, and who bears what."""

from collections.abc import Callable

import pytest

from isocost.dsl.units import unit
from isocost.engine.comparison import unlike
from isocost.engine.evaluate import Evaluation
from tests.engine.derive.money_cases import CLUSTER, elasticity, value

Evaluate = Callable[[str], Evaluation]
MONTH = unit("month").factor

SERVING = """
software stack {
  chips = [part]
}
workload chat {
  task = inference
  model = llama3_8b
  prompt = 1024 token @assumed "x"
  output = 256 token @assumed "x"
  parallel.tp = 1
  batch.instance = 16
}
scenario serve extends base {
  software = stack
  workload = chat
}
"""


def test_every_class_of_capital_is_recovered_by_its_own_life(
    evaluate: Evaluate,
) -> None:
    found = evaluate(
        CLUSTER
        + """
finance more extends terms {
  life[other] = 3 year @assumed "x"
  capex[service] = 1_000 $/chip @assumed "x"
  capex[software] = 500 $/chip @assumed "x"
  spares = 10% @assumed "x"
}
scenario s extends base {
  finance = more
}
"""
    )
    assert value(found, "s.cost.capex[other]") == pytest.approx(80 * 1500)
    assert value(found, "s.cost.capex[spares]") == pytest.approx(200e3)
    assert value(found, "s.cost.capex") == pytest.approx(2e6 + 120e3 + 200e3)
    three = 0.01 / (1 - 1.01**-36)
    five = 0.01 / (1 - 1.01**-60)
    got = value(found, "s.cost.capital") * MONTH
    assert got == pytest.approx(120e3 * three + 2.2e6 * five, rel=1e-9)


def test_fees_porting_and_egress_are_running_cost(evaluate: Evaluate) -> None:
    found = evaluate(
        CLUSTER
        + """
finance more extends terms {
  fee[hands] = 100 $/server/month @assumed "x"
  fee[line] = 50 $/server/month @assumed "x"
  porting = 1.2M $ @assumed "x"
  life[porting] = 2 year @assumed "x"
  egress.rate = 0.1 GB/s @assumed "x"
  egress.price = 0.05 $/GB @assumed "x"
}
scenario s extends base {
  finance = more
}
"""
    )
    assert value(found, "s.cost.opex[fees]") * MONTH == pytest.approx(1500)
    paid = 1.2e6 * 0.01 / (1 - 1.01**-24)
    assert value(found, "s.cost.opex[porting]") * MONTH == pytest.approx(paid)
    assert value(found, "s.cost.opex[egress]") * MONTH == pytest.approx(0.005 * MONTH)


def test_debt_and_equity_make_the_cost_of_capital(evaluate: Evaluate) -> None:
    found = evaluate(
        CLUSTER
        + """
finance levered {
  life[server] = 6 year @assumed "x"
  debt = 75% @assumed "x"
  debt.rate = 7%/year @assumed "x"
  equity.rate = 20%/year @assumed "x"
}
scenario s extends base {
  finance = levered
}
"""
    )
    rate = value(found, "s.finance.cost_of_capital") * unit("year").factor
    assert rate == pytest.approx(0.1025)


RENTED = """
finance lets {
  tenure = rent
  term = "on_demand"
  rental[part, on_demand] = 3 $/chip/h @assumed "x"
  rental[part, y3] = 2 $/chip/h @assumed "x"
}
finance contract extends lets {
  tenure = reserved
  term = "y3"
  committed = 60 chip @assumed "x"
}
scenario rents extends base {
  finance = lets
}
scenario reserves extends base {
  finance = contract
}
"""


def test_renting_charges_rent_and_no_energy(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + RENTED)
    assert value(found, "rents.cost.per_month") * MONTH == pytest.approx(3 * 80 * 730)
    hour = value(found, "rents.cost.per_chip_hour") * 3600
    assert hour == pytest.approx(3)


def test_above_a_commitment_chips_are_rented_on_demand(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + RENTED)
    wanted = (2 * 60 + 3 * 20) * 730
    assert value(found, "reserves.cost.rent") * MONTH == pytest.approx(wanted)


def test_a_rent_by_date_is_read_on_the_day(evaluate: Evaluate) -> None:
    found = evaluate(
        CLUSTER
        + """
finance falling {
  tenure = rent
  term = "y1"
  rental[part, y1, 2025-01-01] = 4 $/chip/h @assumed "x"
  rental[part, y1, 2027-01-01] = 1 $/chip/h @assumed "x"
}
scenario s extends base {
  finance = falling
  date = 2026-01-01
}
"""
    )
    assert value(found, "s.cost.per_chip_hour") * 3600 == pytest.approx(2)


def test_unlike_terms_dates_and_sizes_are_said(evaluate: Evaluate) -> None:
    found = evaluate(
        CLUSTER
        + RENTED
        + """
finance early extends lets {
  start = 2024-12
}
finance late extends lets {
  start = 2026-08
}
scenario then extends base {
  finance = early
}
scenario now extends base {
  finance = late
}
scenario large extends now {
  size = 800 chip
}
"""
    )
    assert unlike(found, ["then"]) == []
    assert unlike(found, ["now", "now"]) == []
    assert unlike(found, ["then", "now"]) == [
        "prices 20 months apart (then: 2024-12, now: 2026-08)"
    ]
    (said,) = unlike(found, ["base", "rents"])
    assert said == "unlike terms (own: base; rent, on_demand: rents)"
    assert "unlike sizes" in unlike(found, ["now", "large"])[0]


@pytest.mark.parametrize("fraction", ["finance.availability", "finance.sold", "load"])
def test_each_fraction_divides_the_cost_of_a_token_once(
    evaluate: Evaluate, fraction: str
) -> None:
    """MODEL.md, section 6: five fractions, each used once."""
    setting = {"load": "load = 60%"}.get(fraction, f"{fraction} = 60%")
    found = evaluate(
        CLUSTER + SERVING + f"scenario f extends serve {{\n  {setting}\n}}"
    )
    assert elasticity(found, "f.cost.per_Mtoken", fraction) == pytest.approx(-1)
    full = value(found, "serve.cost.per_Mtoken")
    assert value(found, "f.cost.per_Mtoken") == pytest.approx(full / 0.6)


def test_the_fourth_fraction_is_no_part_of_serving(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + SERVING + "scenario f extends serve {\n  ettr = 50%\n}")
    full = value(found, "serve.cost.per_Mtoken")
    assert value(found, "f.cost.per_Mtoken") == pytest.approx(full)


def test_the_fifth_fraction_moves_energy_alone(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + SERVING)
    path = "site.power.load[inference]"
    share = value(found, "serve.cost.opex[energy]") / value(
        found, "serve.cost.per_month"
    )
    assert elasticity(found, "serve.cost.per_Mtoken", path) == pytest.approx(share)
    assert elasticity(found, "serve.cost.opex[energy]", path) == pytest.approx(1)
    assert elasticity(found, "serve.power.provisioned", path) == 0


def test_input_and_output_share_cost_by_time_or_by_a_ratio(evaluate: Evaluate) -> None:
    found = evaluate(
        CLUSTER
        + SERVING
        + "scenario r extends serve {\n  cost.allocation = ratio(4)\n}\n"
    )
    for name in ("serve", "r"):
        tokens = {
            "input": value(found, f"{name}.throughput.delivered_input"),
            "output": value(found, f"{name}.throughput.delivered"),
        }
        paid = sum(
            value(found, f"{name}.cost.per_Mtoken[{kind}]") * rate
            for kind, rate in tokens.items()
        )
        assert paid == pytest.approx(value(found, f"{name}.cost.per_month"))
    four = value(found, "r.cost.per_Mtoken[output]")
    assert four == pytest.approx(4 * value(found, "r.cost.per_Mtoken[input]"))
    bare = value(found, "serve.cost.per_Mtoken")
    assert value(found, "r.cost.per_Mtoken") == pytest.approx(bare)


def test_an_unknown_rule_is_refused(evaluate: Evaluate) -> None:
    with pytest.raises(AssertionError, match="V002"):
        evaluate(CLUSTER + "scenario s extends base {\n  cost.allocation = half\n}")


def test_carbon_has_two_parts(evaluate: Evaluate) -> None:
    found = evaluate(
        CLUSTER
        + SERVING
        + """
scenario c extends serve {
  site.carbon = 400 g/kWh @assumed "x"
  part.embodied = 200 kg @assumed "x"
}
"""
    )
    drawn = 100e3 * 0.8 * 1.25
    rate = value(found, "c.carbon.operational") * 3600
    assert rate == pytest.approx(drawn * 0.4)  # grams an hour: W h/kWh g
    spread = 80 * 200e3 / (5 * 8760)
    assert value(found, "c.carbon.embodied_rate") * 3600 == pytest.approx(spread)
    tokens = value(found, "c.throughput.delivered") * 3600
    total = value(found, "c.carbon.per_Mtoken")
    assert total == pytest.approx((drawn * 0.4 + spread) / tokens)
    parts = [
        value(found, f"c.carbon.per_Mtoken[{k}]") for k in ("operational", "embodied")
    ]
    assert sum(parts) == pytest.approx(total)


TRAINING = """
import "isocost:software/training"
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
scenario run extends base {
  system = hgx_h100
  size = 2048 chip
  software = megatron_hopper
  workload = pretrain
  site.power.load[training] = 85% @assumed "x"
  ettr = 90% @assumed "x"
  finance.availability = 95% @assumed "x"
  finance.sold = 50% @assumed "x"
}
"""


def test_a_training_run_divides_by_two_of_the_fractions(evaluate: Evaluate) -> None:
    found = evaluate(TRAINING + CLUSTER)
    for path in ("ettr", "finance.availability"):
        assert elasticity(found, "run.cost.train", path) == pytest.approx(-1)
    assert elasticity(found, "run.cost.train", "finance.sold") == 0


def test_a_price_falls_between_its_dates(evaluate: Evaluate) -> None:
    """Price curves: log-linear between dated prices of a book."""
    found = evaluate(
        CLUSTER
        + """
finance curve extends terms {
  price[server, 2025-01-01] = 400k $/system @assumed "x"
  price[server, 2027-01-01] = 100k $/system @assumed "x"
}
scenario s extends base {
  finance = curve
  date = 2026-01-01
}
scenario later extends s {
  date = 2028-01-01
}
"""
    )
    assert value(found, "s.cost.capex[server]") == pytest.approx(10 * 200e3)
    (past,) = found.results([("later", "cost.capex[server]")])
    assert past.central == pytest.approx(1e6)
    assert "taken flat past" in past.flags[0]
