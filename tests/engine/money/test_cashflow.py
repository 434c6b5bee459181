"""The cash-flow table: it adds up, and its returns are those of its flows."""

import math

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.dsl.units import unit
from isocost.engine import returns
from isocost.engine.cashflow import (
    Asset,
    CashPlan,
    Debt,
    Method,
    breakeven_price,
    cash_table,
    depreciation_by_month,
    level_plan,
)
from isocost.engine.formulas import finance
from isocost.engine.formulas.returns import npv_of_level_income

H200 = level_plan(361_255.0, 10_000.0, 2558.27, months=72, rate=0.1025)
METHODS: tuple[Method, ...] = (
    "straight_line",
    "double_declining",
    "sum_of_years",
    "macrs_5",
)


def test_a_level_plan_is_the_closed_form() -> None:
    table = cash_table(H200)
    month, year = unit("month").factor, unit("year").factor
    expected = npv_of_level_income(
        361_255.0, (10_000 - 2558.27) / month, 0.1025 / year, 6 * year, 0.0
    )
    assert table.npv == pytest.approx(expected)
    monthly = returns.irr_level(361_255.0, 10_000 - 2558.27, 72.0, 0.0)
    assert table.irr_nominal == pytest.approx(12 * monthly)
    assert table.irr == pytest.approx((1 + monthly) ** 12 - 1)
    assert len(table.rates) == 1
    assert table.basis == "pre-tax, unlevered, nominal"


def test_the_break_even_factor_is_the_h200_cost() -> None:
    """Revenue of 9,296 $ a month covers capital at 6,738.18 and 2,558.27 of opex."""
    factor = breakeven_price(H200)
    assert factor * 10_000 == pytest.approx(6738.18 + 2558.27, abs=0.01)
    scaled = attrs.evolve(H200, revenue=tuple(factor * r for r in H200.revenue))
    assert cash_table(scaled).npv == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(ValueError, match="before tax"):
        breakeven_price(attrs.evolve(H200, tax=0.2))


@given(
    st.floats(0.0, 0.5), st.floats(0.0, 0.9), st.integers(1, 96), st.floats(0.0, 0.4)
)
def test_the_table_adds_up(tax: float, share: float, term: int, decline: float) -> None:
    plan = level_plan(
        100_000.0,
        4000.0,
        900.0,
        months=60,
        rate=0.1,
        decline=decline,
        salvage=5000.0,
    )
    plan = attrs.evolve(plan, tax=tax, debt=Debt(share, 0.07, term))
    table = cash_table(plan)
    assert table.rows[-1].cumulative == pytest.approx(sum(table.flows))
    years = table.by_year()
    assert len(years) == 6
    assert sum(row.net for row in years) == pytest.approx(sum(table.flows))
    repaid = -sum(row.repayment for row in table.rows)
    assert repaid == pytest.approx(share * 100_000, abs=1e-6)
    written = sum(row.depreciation for row in table.rows)
    assert written == pytest.approx(95_000)
    assert all(row.tax <= 0 for row in table.rows)


def test_debt_at_a_lower_rate_lifts_the_return() -> None:
    table = cash_table(attrs.evolve(H200, debt=Debt(0.75, 0.07, 60)))
    plain = cash_table(H200)
    assert table.irr > plain.irr
    service = 0.75 * 361_255 * _payment(0.07 / 12, 60)
    assert table.cover == pytest.approx((10_000 - 2558.27) / service)
    assert table.basis == "pre-tax, levered, 0.75 debt, nominal"
    assert math.isnan(plain.cover)


def _payment(rate: float, periods: int) -> float:
    month = unit("month").factor
    factor = finance.capital_recovery_monthly(
        12 * rate / unit("year").factor, periods * month, 0.0
    )
    return float(factor * month)


def test_tax_is_paid_on_profit_after_losses_carried_forward() -> None:
    plan = CashPlan(
        assets=(Asset("servers", 1200.0, 12),),
        revenue=(50.0,) * 6 + (300.0,) * 6,
        opex=(0.0,) * 12,
        rate=0.0,
        tax=0.5,
    )
    table = cash_table(plan)
    taxes = [row.tax for row in table.rows]
    assert taxes[1:7] == [0.0] * 6
    # Six losses of 50 are used up by two profits of 200.
    assert taxes[7] == 0.0
    assert taxes[8] == pytest.approx(-50.0)
    profit = 6 * 50 + 6 * 300 - 1200
    assert sum(taxes) == pytest.approx(-0.5 * profit)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("life", [60, 66])
def test_depreciation_ends_at_the_salvage_value(method: Method, life: int) -> None:
    asset = Asset("servers", 1000.0, life, month=3, salvage=100.0, method=method)
    months = depreciation_by_month(asset, 120)
    assert months[: 3 + 1] == [0.0] * 4
    assert min(months) >= 0
    written = sum(months)
    if method == "macrs_5":
        assert written == pytest.approx(1000.0)
    else:
        assert written <= 900.0 + 1e-9
    if method in {"straight_line", "sum_of_years"}:
        assert written == pytest.approx(900.0)


def test_what_is_left_is_sold_at_the_end_where_said() -> None:
    plan = CashPlan(
        assets=(Asset("hall", 1200.0, 120), Asset("servers", 600.0, 60, salvage=60.0)),
        revenue=(40.0,) * 60,
        opex=(5.0,) * 60,
        rate=0.1,
    )
    kept, sold = cash_table(plan), cash_table(attrs.evolve(plan, sold_at_end=True))
    assert kept.rows[60].salvage == pytest.approx(60.0)
    assert sold.rows[60].salvage == pytest.approx(660.0)


def test_later_capital_is_paid_later() -> None:
    plan = CashPlan(
        assets=(Asset("first", 100.0, 24), Asset("second", 50.0, 12, month=12)),
        revenue=(10.0,) * 24,
        opex=(1.0,) * 24,
        rate=0.0,
    )
    table = cash_table(plan)
    assert [row.month for row in table.rows if row.capex] == [0, 12]
    assert table.payback == pytest.approx(150 / 9)


def test_unlike_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="3 months of revenue, 2 of cost"):
        cash_table(CashPlan((), (1.0,) * 3, (1.0,) * 2, 0.1))
