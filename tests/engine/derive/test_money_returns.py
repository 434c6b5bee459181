"""What capital earns: the graph's flows against the table of plain numbers."""

from collections.abc import Callable

import pytest

from isocost.dsl.units import unit
from isocost.engine.cash_of import cash_flow, earns
from isocost.engine.derive.cash_flows import flows
from isocost.engine.evaluate import Evaluation
from isocost.engine.gradient import gradient
from isocost.engine.program import point
from tests.engine.derive.money_cases import CLUSTER, elasticity, value

Evaluate = Callable[[str], Evaluation]
MONTH, YEAR = unit("month").factor, unit("year").factor

EARNING = (
    CLUSTER
    + """
finance earns extends terms {
  revenue.hour = 2.5 $/chip/h @assumed "x"
  sold = 80% @assumed "x"
MORE
}
scenario s extends base {
  finance = earns
}
"""
)

TERMS = {
    "plain": [],
    "falling": ["revenue.decline = 15%/year"],
    "residual": ["residual[server] = 10%", "horizon = 4 year"],
    "taxed": ["tax = 25%", "revenue.decline = 10%/year"],
    "levered": ["debt = 70%", "debt.rate = 8%/year", "debt.term = 4 year"],
    "both": ["debt = 60%", "debt.rate = 9%/year", "tax = 21%", "horizon = 3 year"],
    "long debt": [
        "debt = 50%",
        "debt.rate = 7%/year",
        "horizon = 2 year",
        "debt.term = 5 year",
    ],
    "by the tax table": [
        "tax = 25%",
        "tax.depreciation = macrs_5",
        "residual[server] = 10%",
    ],
    "by the table, replaced": [
        "tax = 25%",
        "tax.depreciation = macrs_5",
        "horizon = 7 year",
        "life[server] = 4 year",
        "debt = 50%",
        "debt.rate = 7%/year",
    ],
    "replaced": [
        "horizon = 8 year",
        "residual[server] = 5%",
        "tax = 20%",
        "life[other] = 2 year",
        "capex[software] = 300 $/chip",
    ],
}


def earning(evaluate: Evaluate, *more: str) -> Evaluation:
    lines = "\n".join(f'  {line} @assumed "x"' for line in more)
    return evaluate(EARNING.replace("MORE", lines))


@pytest.mark.parametrize("name", TERMS)
def test_the_graph_and_the_table_agree(evaluate: Evaluate, name: str) -> None:
    found = earning(evaluate, *TERMS[name])
    assert earns(found, "s")
    table = cash_flow(found, "s")
    nodes = flows(found.scope("s"))
    values = found.point(nodes)
    assert [values[node] for node in nodes] == pytest.approx(
        list(table.flows), rel=1e-9, abs=1e-4
    )
    assert value(found, "s.cost.npv") == pytest.approx(table.npv, rel=1e-9, abs=1e-3)
    assert value(found, "s.irr") * YEAR == pytest.approx(table.irr, rel=1e-8)
    assert value(found, "s.payback") / MONTH == pytest.approx(table.payback)


def test_at_the_breakeven_price_the_return_is_the_cost_of_capital(
    evaluate: Evaluate,
) -> None:
    found = earning(evaluate)
    price = value(found, "s.breakeven.price") * 3600
    even = evaluate(
        EARNING.replace("MORE", "").replace("2.5 $/chip/h", f"{price:.12f} $/chip/h")
    )
    assert value(even, "s.cost.npv") == pytest.approx(0, abs=1e-2)
    effective = 1.01**12 - 1
    assert value(even, "s.irr") * YEAR == pytest.approx(effective, rel=1e-8)
    assert value(even, "s.margin") == pytest.approx(0, abs=1e-10)
    assert value(found, "s.breakeven.sold") == pytest.approx(0.8 * price / 2.5)


EVEN = {
    **TERMS,
    "all of it": [
        "revenue.decline = 20%/year",
        "availability = 95%",
        "maintenance = 4%/year",
        "residual[server] = 15%",
        "tax = 30%",
        "tax.depreciation = macrs_5",
        "horizon = 6 year",
        "debt = 50%",
        "debt.rate = 8%/year",
        "equity.rate = 18%/year",
    ],
    "by the year": ["compounding = annual", "revenue.decline = 10%/year"],
}


@pytest.mark.parametrize("name", EVEN)
def test_at_the_breakeven_price_and_share_nothing_is_gained(
    evaluate: Evaluate, name: str
) -> None:
    """Whatever else is stated: NPV is 0 there, and IRR what the cash is discounted at.

    The answer hangs on neither the price nor the share that are stated.
    """
    found = earning(evaluate, *EVEN[name])
    price = value(found, "s.breakeven.price") * 3600
    share = value(found, "s.breakeven.sold")
    assert share == pytest.approx(0.8 * price / 2.5)
    capital = value(found, "s.cost.capex")
    lines = "\n".join(f'  {line} @assumed "x"' for line in EVEN[name])
    dear = EARNING.replace("MORE", lines).replace("2.5 $", f"{price:.14f} $")
    even = evaluate(dear)
    assert abs(value(even, "s.cost.npv")) < 1e-9 * capital
    assert value(even, "s.breakeven.price") * 3600 == pytest.approx(price, rel=1e-12)
    if share <= 1:
        sold = f"sold = {100 * share:.14f}%"
        full = EARNING.replace("MORE", lines).replace("sold = 80%", sold)
        assert abs(value(evaluate(full), "s.cost.npv")) < 1e-9 * capital


def test_a_tenants_hour_is_its_own_breakeven_price(evaluate: Evaluate) -> None:
    """No capital is laid out: what the hour costs, over the share sold."""
    found = earning(evaluate, "tenure = rent", "rental[part, on_demand] = 2 $/chip/h")
    price = value(found, "s.breakeven.price")
    assert price == pytest.approx(value(found, "s.cost.per_chip_hour[sold]"))


def test_slopes_of_returns_are_exact(evaluate: Evaluate) -> None:
    found = earning(evaluate, *TERMS["both"])
    for metric in ("cost.npv", "irr", "payback", "breakeven.price"):
        for path in ("finance.revenue.hour", "finance.debt.rate", "system.price"):
            if (metric, path) == ("breakeven.price", "finance.revenue.hour"):
                continue
            node, wanted = found.node("s", path), found.node("s", metric)
            assert node is not None
            assert wanted is not None
            values = found.point((wanted,))
            step = 1e-6 * values[node]
            ends = [
                point(found.graph, (wanted,), {node: values[node] + move})[wanted]
                for move in (-step, step)
            ]
            exact = gradient(found.graph, wanted, values)[node]
            assert exact == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=2e-4)


def test_the_terms_stand_beside_the_figure(evaluate: Evaluate) -> None:
    (plain,) = earning(evaluate).results([("s", "irr")])
    assert plain.flags[-1] == "pre-tax, unlevered, nominal"
    (both,) = earning(evaluate, *TERMS["both"]).results([("s", "irr")])
    assert both.flags[-1] == "after tax at 0.21, levered, 0.6 debt, nominal"


def test_draws_of_returns_agree_with_the_point(evaluate: Evaluate) -> None:
    found = earning(evaluate, "revenue.decline = 5%/year to 20%/year", "tax = 21%")
    for one in found.results([("s", "irr"), ("s", "cost.npv"), ("s", "payback")]):
        assert one.low < one.central < one.high


def test_a_margin_makes_a_price(evaluate: Evaluate) -> None:
    found = evaluate(
        CLUSTER
        + """
finance sells extends terms {
  margin = 40% @assumed "x"
}
scenario s extends base {
  finance = sells
}
"""
    )
    hour = value(found, "s.cost.per_chip_hour[sold]")
    assert value(found, "s.price.chip_hour") == pytest.approx(hour / 0.6)
    assert elasticity(found, "s.price.chip_hour", "finance.margin") == pytest.approx(
        0.4 / 0.6
    )


def test_without_a_revenue_there_is_no_return(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER)
    assert found.node("base", "irr") is None
    assert found.diagnostics[-1].code == "M002"


def test_the_tax_table_defers_tax_and_forgives_none(evaluate: Evaluate) -> None:
    """By IRS table A-1: 20% in the first year, and all of the price in the end."""
    terms = ("tax = 25%", "residual[server] = 10%")
    plain = cash_flow(earning(evaluate, *terms), "s")
    level = plain.by_year()
    faster = earning(evaluate, *terms, "tax.depreciation = macrs_5")
    found = cash_flow(faster, "s")
    price = value(faster, "s.cost.capex[server]")
    written = [year.depreciation / price for year in found.by_year()[1:]]
    assert written == pytest.approx([0.2, 0.32, 0.192, 0.1152, 0.1152])
    # Sold for 10% after five years, of which 5.76% are not written off yet.
    paid, due = (sum(year.tax for year in years) for years in (found.by_year(), level))
    assert paid == pytest.approx(due)
    assert found.by_year()[2].tax > level[2].tax
    assert found.npv > plain.npv


def test_a_facility_is_no_equipment(evaluate: Evaluate) -> None:
    terms = ("tax = 25%", "tax.depreciation = macrs_5", "life[facility] = 15 year")
    lines = "\n".join(f'  {line} @assumed "x"' for line in terms)
    text = EARNING.replace("MORE", lines)
    text = text.replace("  pue =", '  facility = 9 $/W @assumed "x"\n  pue =')
    found = evaluate(text)
    table = cash_flow(found, "s")
    nodes = flows(found.scope("s"))
    values = found.point(nodes)
    assert [values[node] for node in nodes] == pytest.approx(list(table.flows))
    server, hall = (value(found, f"s.cost.capex[{c}]") for c in ("server", "facility"))
    assert hall > 0
    first = table.by_year()[1].depreciation
    assert first == pytest.approx(0.2 * server + hall / 15)
