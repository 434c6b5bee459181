"""Capital recovery, discounting, tenure, prices by age: laws that must hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.dsl.units import unit
from isocost.engine.formulas import depreciation, finance, returns, tenure, tokens

YEAR = unit("year").factor
MONTH = unit("month").factor
rates = st.floats(0.0, 0.5).map(lambda rate: rate / YEAR)
lives = st.floats(0.5, 30.0).map(lambda life: life * YEAR)
shares = st.floats(0.0, 1.0)


@given(rates, lives)
def test_recovery_times_annuity_is_one(rate: float, life: float) -> None:
    recovery = finance.capital_recovery_monthly(rate, life, 0.0)
    worth = finance.present_value_of_payments(recovery, rate, life)
    assert worth == pytest.approx(1.0, rel=1e-9)


@given(rates, lives, shares)
def test_the_residual_lowers_recovery_down_to_interest(
    rate: float, life: float, residual: float
) -> None:
    for formula in (finance.capital_recovery_monthly, finance.capital_recovery_annual):
        whole = formula(rate, life, 0.0)
        left = formula(rate, life, residual)
        assert rate * (1 - 1e-9) <= left <= whole * (1 + 1e-9)
        assert formula(rate, life, 1.0) == pytest.approx(rate, rel=1e-9, abs=1e-15)


@given(rates, lives, shares)
def test_recovery_with_residual_is_payment_less_sinking_fund(
    rate: float, life: float, residual: float
) -> None:
    month, months = rate * MONTH, life / MONTH
    if month < 1e-6:
        return
    fund = month / ((1 + month) ** months - 1)
    expected = month / (1 - (1 + month) ** -months) - residual * fund
    got = finance.capital_recovery_monthly(rate, life, residual) * MONTH
    assert got == pytest.approx(expected, rel=1e-9)


def test_recovery_is_smooth_at_no_interest() -> None:
    life = 6 * YEAR
    at_zero = finance.capital_recovery_monthly(0.0, life, 0.0) * MONTH
    assert at_zero == pytest.approx(1 / 72, rel=1e-12)
    for rate in (1e-10, 1e-8, 1.3e-7, 1e-6):
        got = finance.capital_recovery_monthly(rate / YEAR, life, 0.0) * MONTH
        expected = (1 + rate / 12 * 73 / 2) / 72
        assert got == pytest.approx(expected, rel=2e-8)


def test_monthly_and_annual_payments_differ_as_published() -> None:
    rate, life = 0.1025 / YEAR, 6 * YEAR
    monthly = finance.capital_recovery_monthly(rate, life, 0.0)
    annual = finance.capital_recovery_annual(rate, life, 0.0)
    assert annual / monthly == pytest.approx(1.0334, abs=1e-4)


@given(rates)
def test_effective_and_nominal_rates_are_inverse(rate: float) -> None:
    effective = finance.effective_rate(rate)
    assert effective >= rate - 1e-20
    assert finance.nominal_rate(effective) == pytest.approx(rate, rel=1e-6, abs=1e-15)


@given(rates, lives)
def test_steady_payments_are_declining_ones_that_do_not_decline(
    rate: float, life: float
) -> None:
    steady = finance.present_value_of_payments(5.0, rate, life)
    declining = finance.present_value_of_declining_payments(5.0, 0.0, rate, life)
    assert declining == pytest.approx(steady, rel=1e-6)


def test_declining_payments_add_up() -> None:
    rate, decline, months = 0.12 / YEAR, 0.3, 48
    expected = sum(
        100 * (1 - decline) ** (k / 12) / 1.01 ** (k + 1) for k in range(months)
    )
    got = finance.present_value_of_declining_payments(
        100 / MONTH, decline / YEAR, rate, months * MONTH
    )
    assert got == pytest.approx(expected, rel=1e-12)


def test_discounting_and_real_rates() -> None:
    assert finance.discount_factor(0.1 / YEAR, 2 * YEAR) == pytest.approx(1 / 1.21)
    assert finance.present_value(121.0, 0.1 / YEAR, 2 * YEAR) == pytest.approx(100)
    real = finance.real_rate(0.10 / YEAR, 0.03 / YEAR)
    assert real * YEAR == pytest.approx(1.10 / 1.03 - 1)
    taxed = finance.cost_of_capital_after_tax(0.75, 0.07 / YEAR, 0.2 / YEAR, 0.21)
    assert taxed * YEAR == pytest.approx(0.75 * 0.07 * 0.79 + 0.05)


# Returns --------------------------------------------------------------------------


@given(st.floats(0.0, 0.4), st.floats(1.0, 10.0), st.floats(0.1, 1.0))
def test_npv_is_zero_at_the_break_even_price(
    rate: float, years: float, sold: float
) -> None:
    capex, opex, life = 45_000.0, 320.0 / MONTH, years * YEAR
    recovery = finance.capital_recovery_monthly(rate / YEAR, life, 0.0)
    price = returns.breakeven_price(capex, recovery, opex, 1.0, 0.98, sold)
    revenue = returns.rental_revenue(price, 1.0, 0.98, sold)
    npv = returns.npv_of_level_income(capex, revenue - opex, rate / YEAR, life, 0.0)
    assert npv == pytest.approx(0.0, abs=capex * 1e-8)


def test_payback_cover_and_margin() -> None:
    capex, income = 12_000.0, 1000.0 / MONTH
    assert returns.payback_time(capex, income) == pytest.approx(12 * MONTH)
    months = returns.payback_time_discounted(capex, income, 0.12 / YEAR) / MONTH
    paid = 1000 * (1 - 1.01**-months) / 0.01
    assert paid == pytest.approx(capex)
    assert returns.debt_service_cover(10.0, 4.0, 5.0) == pytest.approx(1.2)
    price = returns.price_at_margin(1.5, 0.4)
    assert price == pytest.approx(2.5)
    assert returns.margin_of_price(1.5, price) == pytest.approx(0.4)
    assert returns.breakeven_sold(1.5, 2.5) == pytest.approx(0.6)
    assert returns.income_after_tax(100.0, 30.0, 40.0, 10.0, 0.25) == pytest.approx(55)
    yearly = returns.annual_return(0.01 / MONTH) * YEAR
    assert yearly == pytest.approx(1.01**12 - 1)


# Tenure ---------------------------------------------------------------------------


@given(st.floats(0.1, 10.0), st.floats(0.1, 10.0))
def test_owning_and_renting_cost_the_same_at_the_break_even_use(
    owned: float, rent: float
) -> None:
    use = tenure.breakeven_use(owned, rent)
    assert tenure.owned_cost_of_use(owned, use) == pytest.approx(rent)


@given(st.floats(0, 1000), st.floats(0, 1000))
def test_a_reservation_is_paid_in_full_and_the_excess_on_demand(
    committed: float, needed: float
) -> None:
    got = tenure.rent_reserved(2.0, committed, 3.0, needed)
    assert got == pytest.approx(2 * committed + 3 * max(0.0, needed - committed))
    assert got >= tenure.rent_on_demand(2.0, min(committed, needed)) - 1e-9


# Ages -----------------------------------------------------------------------------


@given(st.integers(2, 15), st.floats(0.0, 0.5))
def test_every_method_writes_off_no_more_than_the_price_less_salvage(
    years: int, salvage: float
) -> None:
    ages = range(1, years + 1)
    digits = [depreciation.sum_of_years(1.0, salvage, years, age) for age in ages]
    assert sum(digits) == pytest.approx(1 - salvage)
    double = [depreciation.double_declining(1.0, salvage, years, age) for age in ages]
    assert sum(double) <= 1 - salvage + 1e-12
    assert min(double) >= 0
    assert double == sorted(double, reverse=True)


def test_book_value_and_prices_by_date() -> None:
    book = depreciation.book_value_straight_line
    assert book(100.0, 10.0, 5 * YEAR, 2 * YEAR) == pytest.approx(64)
    assert book(100.0, 10.0, 5 * YEAR, 9 * YEAR) == pytest.approx(10)
    after = depreciation.price_after(100.0, 0.2 / YEAR, 2 * YEAR)
    assert after == pytest.approx(64)
    assert depreciation.price_between(100.0, 25.0, 0.5) == pytest.approx(50)
    learned = depreciation.price_by_learning(100.0, 400.0, 100.0, 0.2)
    assert learned == pytest.approx(64)


# Tokens ---------------------------------------------------------------------------

positive = st.floats(0.1, 1e6)


@given(positive, positive, positive, st.floats(0.1, 20.0))
def test_the_ratio_rule_allots_all_cost(
    cost: float, inputs: float, outputs: float, weight: float
) -> None:
    each_in = tokens.input_cost_by_ratio(cost, inputs, outputs, weight)
    each_out = tokens.output_cost_by_ratio(cost, inputs, outputs, weight)
    assert each_in * inputs + each_out * outputs == pytest.approx(cost)
    assert each_out == pytest.approx(weight * each_in)


@given(positive, positive, positive, shares)
def test_the_time_rule_allots_all_cost(
    cost: float, inputs: float, outputs: float, prefill: float
) -> None:
    each_in = tokens.input_cost_by_time(cost, inputs, prefill)
    each_out = tokens.output_cost_by_time(cost, outputs, prefill)
    assert each_in * inputs + each_out * outputs == pytest.approx(cost)


def test_each_fraction_divides_once() -> None:
    delivered = tokens.delivered_throughput(1000.0, 0.95, 0.8, 0.6)
    assert delivered == pytest.approx(1000 * 0.95 * 0.8 * 0.6)
    assert tokens.cost_per_token(10.0, delivered) == pytest.approx(10 / 456)
    held = tokens.cost_to_train(2.0, 3600.0, 0.95, 0.9)
    assert held == pytest.approx(7200 / 0.95 / 0.9)
    trained = tokens.cost_per_trained_token(2.0, 100.0, 0.95, 0.9)
    assert trained == pytest.approx(2 / (100 * 0.95 * 0.9))
    assert tokens.chip_hours_of_run(8.0, 3600.0) == pytest.approx(28_800)
