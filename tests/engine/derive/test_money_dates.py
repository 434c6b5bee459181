"""Dated quantities and currencies: flows, stocks and levels read by date."""

from collections.abc import Callable

import pytest

from isocost.dsl.dates import Period, quarters, read_period
from isocost.dsl.units import unit
from isocost.engine.evaluate import Evaluation
from tests.engine.derive.money_cases import CLUSTER, value

Evaluate = Callable[[str], Evaluation]

DATED = """
supply made {
  volume[part, 2025-Q1] = 100k chip @assumed "x"
  volume[part, 2025-Q2] = 200k chip @assumed "x"
  volume[part, 2025-Q4] = 400k chip @assumed "x"
}
exchange eur_usd {
  rate[2025-01-01] = 1.0 $/€ @assumed "x"
  rate[2025-12-31] = 1.21 $/€ @assumed "x"
}
scenario s extends base {
  supply = made
  date = 2025-05-20
  let now := supply.volume[part]
  let held := supply.volume[part, 2025-Q3]
  let month := supply.volume[part, 2025-02]
  let half := supply.volume[part, 2025-06]
  let year := supply.volume[part, 2025]
  let before := supply.volume[part, 2024-Q4]
  let after := supply.volume[part, 2026-Q2]
  let whole := sum(supply.volume[part])
  let end := last(supply.volume[part])
}
"""


@pytest.mark.parametrize(
    ("name", "thousands"),
    [
        ("now", 200),
        ("held", 200),
        ("month", 100 / 3),
        ("half", 200 / 3),
        ("year", 900),
        ("before", 0),
        ("after", 400),
        ("whole", 900),
        ("end", 400),
    ],
)
def test_a_flow_by_period(evaluate: Evaluate, name: str, thousands: float) -> None:
    found = evaluate(CLUSTER + DATED)
    assert value(found, f"s.{name}") == pytest.approx(thousands * 1e3)


def test_past_the_last_point_it_is_flat_and_says_so(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + DATED)
    inside, past = found.results([("s", "year"), ("s", "after")])
    assert inside.flags == ()
    assert past.flags == ("made.volume[part] taken flat past 2025-Q4, its last point",)


def test_a_level_is_log_linear(evaluate: Evaluate) -> None:
    text = CLUSTER + DATED.replace("date = 2025-05-20", "date = 2025-07-02")
    found = evaluate(text + "scenario r extends s {\n  let rate := eur_usd.rate\n}\n")
    assert value(found, "r.rate") == pytest.approx(1.1, rel=1e-9)


def test_a_scenario_replaces_one_point(evaluate: Evaluate) -> None:
    more = """
scenario more extends s {
  supply.volume[part, 2025-Q2] = 500k chip @assumed "x"
}
"""
    found = evaluate(CLUSTER + DATED + more)
    assert value(found, "more.now") == pytest.approx(500e3)
    assert value(found, "more.whole") == pytest.approx(1500e3)
    assert value(found, "s.whole") == pytest.approx(900e3)


def test_a_dated_quantity_wants_a_date(evaluate: Evaluate) -> None:
    text = CLUSTER + DATED.replace("  date = 2025-05-20\n", "")
    found = evaluate(text)
    assert found.node("s", "now") is None
    assert found.diagnostics[-1].code == "M001"
    assert found.diagnostics[-1].args["path"] == "s.date"


def test_a_key_that_is_no_date(evaluate: Evaluate) -> None:
    with pytest.raises(AssertionError, match="V003"):
        evaluate(CLUSTER + 'supply s {\n  volume[part, soon] = 1 chip @assumed "x"\n}')


def test_another_currency_is_turned_at_the_rate_of_the_day(evaluate: Evaluate) -> None:
    found = evaluate(
        CLUSTER
        + DATED.replace("2025-05-20", "2025-12-31")
        + """
site abroad extends hall {
  electricity = 0.10 €/kWh @assumed "x"
}
scenario there extends s {
  site = abroad
}
"""
    )
    got = value(found, "there.site.electricity") / unit("$/kWh").factor
    assert got == pytest.approx(0.121)
    spent = value(found, "there.cost.opex[energy]")
    assert spent / value(found, "base.cost.opex[energy]") == pytest.approx(1.21 / 0.8)


def test_without_a_rate_it_is_named(evaluate: Evaluate) -> None:
    text = 'site abroad {\n  electricity = 0.10 €/kWh @assumed "x"\n}'
    with pytest.raises(AssertionError, match="eur_usd"):
        evaluate(CLUSTER + text)


def test_what_reads_as_a_period() -> None:
    year, quarter, month, day = map(
        read_period, ("2024", "2024-Q1", "2024-02", "2024-02-29")
    )
    assert year and quarter and month and day  # noqa: PT018 (all are periods)
    assert (year.months, quarter.months, month.months) == (12, 3, 1)
    assert month.shared(quarter) == 1
    assert day.shared(month) == pytest.approx(1 / 29)
    assert str(quarter.last_day) == "2024-03-31"
    for text in ("2024-13", "2024-Q5", "2024-02-30", "soon", "24-01"):
        assert read_period(text) is None


def test_quarters_between() -> None:
    first, last = read_period("2024-11"), read_period("2025-05")
    assert isinstance(first, Period)
    assert isinstance(last, Period)
    names = [q.text for q in quarters(first, last)]
    assert names == ["2024-Q4", "2025-Q1", "2025-Q2"]
