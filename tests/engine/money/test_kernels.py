"""Kernels: queues of any size, binomial tails, rates of return, and derivatives."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom

from isocost.dsl.expr import symbol
from isocost.engine import kernels, returns
from isocost.engine.even import even_price, even_price_of_arrays


def slope(value: Callable[..., float], args: Sequence[float], at: int) -> float:
    """Central difference."""
    step = 1e-5 * max(1.0, abs(args[at]))
    low, high = list(args), list(args)
    low[at] -= step
    high[at] += step
    return (value(*high) - value(*low)) / (2 * step)


# Queues ---------------------------------------------------------------------------


@given(st.integers(1, 400), st.floats(0.01, 500.0))
def test_erlang_bounds(servers: int, load: float) -> None:
    blocked = kernels.erlang_b(servers, load)
    waits = kernels.erlang_c(servers, load)
    assert 0 <= blocked <= 1
    assert blocked <= waits <= 1
    assert blocked >= max(0.0, 1 - servers / load) - 1e-12


@given(st.integers(1, 300), st.floats(0.05, 0.999))
def test_more_servers_wait_less_and_more_load_waits_more(
    servers: int, use: float
) -> None:
    load = use * servers
    assert kernels.erlang_c(servers + 1, load) <= kernels.erlang_c(servers, load)
    assert kernels.erlang_c(servers, load * 0.9) <= kernels.erlang_c(servers, load)


@given(st.integers(1, 200), st.floats(0.1, 0.98))
def test_erlang_derivatives(servers: int, use: float) -> None:
    load = use * servers
    for value, partials in (
        (kernels.erlang_b, kernels.erlang_b_partials),
        (kernels.erlang_c, kernels.erlang_c_partials),
    ):
        by_load = partials(servers, load)[1]
        assert by_load == pytest.approx(slope(value, (servers, load), 1), abs=1e-6)


def test_erlang_is_exact_for_one_server_and_stable_for_thousands() -> None:
    assert kernels.erlang_c(1, 0.7) == pytest.approx(0.7)
    assert kernels.erlang_b(1, 0.7) == pytest.approx(0.7 / 1.7)
    assert kernels.erlang_b(0, 3.0) == 1.0
    assert kernels.erlang_c(5000, 4950.0) == pytest.approx(0.36610, abs=1e-5)
    assert kernels.erlang_b(20_000, 10.0) == 0.0
    assert kernels.erlang_c(10, 12.0) == 1.0
    assert kernels.erlang_b(3, 0.0) == 0.0
    assert kernels.erlang_b_partials(1, 0.0) == (0.0, 1.0)
    assert kernels.erlang_c_partials(10, 12.0) == (0.0, 0.0)


@pytest.mark.parametrize("load", [0.5, 14.0, 3000.0])
def test_the_fewest_servers_for_a_wait(load: float) -> None:
    found = kernels.servers_for_wait(load, 1.0, 0.1, quantile=0.99)

    def late(servers: int) -> float:
        drain = servers - load
        return kernels.erlang_c(servers, load) * math.exp(-drain * 0.1)

    assert late(found) <= 0.01
    assert found - 1 <= load or late(found - 1) > 0.01


def test_a_kernel_runs_over_arrays() -> None:
    got = kernels.ERLANG_C.over(np.array([2, 4, 16]), np.array([1.0, 3.2, 14.0]))
    assert got == pytest.approx([0.333333, 0.596432, 0.508482], abs=1e-6)
    assert kernels.ERLANG_C.doc.startswith("Probability that a request waits")


def test_kernels_are_operators_of_the_tree() -> None:
    tree = kernels.call(kernels.ERLANG_C, 4.0, symbol("load"))
    assert repr(tree) == "erlang_c(4.0, load)"
    functions = kernels.operators(kernels.FIXED)
    assert functions[tree.op](4, 3.2) == kernels.erlang_c(4, 3.2)
    name = kernels.partial_name(kernels.ERLANG_C, 2)
    assert name == "erlang_c_by_load"
    assert functions[name](4, 3.2) == kernels.erlang_c_partials(4, 3.2)[1]


# Redundancy -----------------------------------------------------------------------


@given(st.integers(0, 200), st.integers(0, 200), st.floats(0.0, 1.0))
def test_at_least_is_the_binomial_tail(needed: int, units: int, up: float) -> None:
    expected = float(binom.sf(needed - 1, units, up))
    assert kernels.at_least(needed, units, up) == pytest.approx(expected, abs=1e-12)


@given(st.integers(1, 60), st.integers(0, 10), st.floats(0.01, 0.99))
def test_at_least_derivative(needed: int, spare: int, up: float) -> None:
    units = needed + spare
    got = kernels.at_least_partials(needed, units, up)[2]
    expected = slope(kernels.at_least, (needed, units, up), 2)
    assert got == pytest.approx(expected, rel=1e-4, abs=1e-6)


@given(st.integers(1, 2000), st.floats(0.9, 0.9999), st.floats(1e-6, 0.1))
def test_spares_are_enough_and_not_one_too_many(
    needed: int, up: float, risk: float
) -> None:
    spares = kernels.spares_needed(needed, up, risk)
    assert 1 - kernels.at_least(needed, needed + spares, up) <= risk
    if spares:
        assert 1 - kernels.at_least(needed, needed + spares - 1, up) > risk


def test_a_unit_that_is_never_up_has_no_spares() -> None:
    with pytest.raises(ValueError, match="can have no spares"):
        kernels.spares_needed(4, 0.0, 0.01)


# Returns --------------------------------------------------------------------------

incomes = st.lists(st.floats(0.1, 100.0), min_size=1, max_size=60)


@given(st.floats(1.0, 1000.0), incomes)
def test_npv_is_zero_at_the_rate_of_return(capex: float, income: list[float]) -> None:
    flows = (-capex, *income)
    rate = returns.irr(*flows)
    assume(not math.isnan(rate) and rate > -0.9)
    assert returns.npv(rate, *flows) == pytest.approx(0.0, abs=1e-6 * capex)


@given(st.floats(10.0, 1000.0), st.lists(st.floats(1, 100), min_size=2, max_size=30))
def test_the_rate_of_return_has_exact_derivatives(
    capex: float, income: list[float]
) -> None:
    flows = (-capex, *income)
    rate = returns.irr(*flows)
    assume(-0.5 < rate < 3)
    partials = returns.irr_partials(*flows)
    for at in (0, 1, len(flows) - 1):
        expected = slope(returns.irr, flows, at)
        assert partials[at] == pytest.approx(expected, rel=1e-3, abs=1e-8)


def test_rates_of_return_of_many_draws_at_once() -> None:
    draw = np.random.default_rng(1)
    capex = -draw.uniform(500, 1500, 300)
    income = [draw.uniform(0, 40, 300) for _ in range(60)]
    income[-1][:5] = -900.0  # these change sign twice
    income[3][7] = math.nan
    got = returns.IRR.over(capex, *income)
    for i in range(300):
        expected = returns.irr(capex[i], *(flow[i] for flow in income))
        assert got[i] == pytest.approx(expected, rel=1e-9, nan_ok=True)
    assert np.isnan(returns.IRR.over(np.array([-1.0]), np.array([-2.0]))).all()


def test_npv_derivatives() -> None:
    args = (0.08, -100.0, 30.0, 50.0, 60.0)
    for at, partial in enumerate(returns.npv_partials(*args)):
        assert partial == pytest.approx(slope(returns.npv, args, at), rel=1e-6)


@given(
    st.floats(100.0, 1e6), st.floats(0.001, 0.2), st.integers(6, 120), st.floats(0, 1)
)
def test_a_level_income_returns_what_its_flows_do(
    capex: float, share: float, periods: int, left: float
) -> None:
    income, salvage = share * capex, left * capex
    assume(income * periods + salvage > 0.3 * capex)
    rate = returns.irr_level(capex, income, float(periods), salvage)
    flows = [-capex, *[income] * periods]
    flows[-1] += salvage
    assert rate == pytest.approx(returns.irr(*flows), rel=1e-6, abs=1e-10)
    args = (capex, income, float(periods), salvage)
    partials = returns.irr_level_partials(*args)
    assume(abs(rate) > 1e-4)
    for at, partial in enumerate(partials):
        expected = slope(returns.irr_level, args, at)
        assert partial == pytest.approx(expected, rel=1e-3, abs=1e-9)


def test_no_rate_several_rates_and_the_nearest() -> None:
    assert math.isnan(returns.irr(-100.0, -5.0))
    assert math.isnan(returns.irr(100.0, -300.0, 250.0))
    assert math.isnan(returns.irr_level(100.0, -1.0, 12.0, 0.0))
    assert all(map(math.isnan, returns.irr_partials(-1.0, -1.0)))
    assert all(map(math.isnan, returns.irr_level_partials(100.0, -1.0, 12.0, 0.0)))
    several = returns.internal_rates((-100.0, 330.0, -362.0, 132.0), range(4))
    assert several == pytest.approx((0.0, 0.1, 0.2), abs=1e-9)
    # A loan: money first comes in.
    assert returns.irr(100.0, -110.0) == pytest.approx(0.1)
    assert returns.irr(-100.0, 50.0, 50.0) == pytest.approx(0.0, abs=1e-12)


def test_dated_flows() -> None:
    flows, days = (-10_000.0, 2750.0, 4250.0, 3250.0, 2750.0), (0, 60, 303, 411, 456)
    assert returns.xirr(flows, days) == pytest.approx(0.373362535, abs=1e-8)
    partials = returns.xirr_partials(flows, days)
    for at in range(5):
        expected = slope(lambda *fs: returns.xirr(fs, days), flows, at)
        assert partials[at] == pytest.approx(expected, rel=1e-5)


def test_the_even_price_of_taxed_months() -> None:
    """10 h in each of two months at p, half of the profit being the tax."""
    rest, deducted = (-100.0, -10.0, -10.0), (0.0, 60.0, 60.0)
    columns = (0.0, 10.0, 10.0, *rest, *deducted)
    assert even_price(0.0, 0.0, *columns) == pytest.approx(6.0)
    # Earned 20 p, kept 20 p - 120 less half of (20 p - 120): still 6, tax being on 0.
    assert even_price(0.0, 0.5, *columns) == pytest.approx(6.0)
    slow = (0.0, 10.0, 10.0, *rest, 0.0, 30.0, 30.0)
    assert even_price(0.0, 0.5, *slow) == pytest.approx(9.0)
    assert math.isnan(even_price(0.0, 0.5, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0))


@given(
    st.lists(
        st.tuples(st.floats(0.1, 10), st.floats(-50, 20), st.floats(-20, 60)),
        min_size=2,
        max_size=8,
    ),
    st.floats(0.0, 0.05),
    st.floats(0.0, 0.6),
)
def test_the_even_price_is_a_root(
    months: list[tuple[float, float, float]], rate: float, tax: float
) -> None:
    columns = [x for column in zip(*months, strict=True) for x in column]
    price = even_price(rate, tax, *columns)
    carried = worth = size = 0.0
    for t, (hours, rest, deducted) in enumerate(months):
        profit = price * hours - deducted + carried
        carried = min(0.0, profit)
        flow = price * hours + rest - tax * max(0.0, profit)
        worth += flow / (1 + rate) ** t
        size += abs(price * hours) + abs(rest) + abs(deducted)
    assert worth == pytest.approx(0, abs=1e-9 * size)
    both = even_price_of_arrays(np.array([rate, rate]), tax, *columns)
    assert both == pytest.approx([price, price], rel=1e-9, abs=1e-9)


def test_payback_of_uneven_flows() -> None:
    assert returns.payback(-100.0, 40.0, 40.0, 40.0) == pytest.approx(2.5)
    assert returns.payback(-100.0, 40.0) == math.inf
    assert returns.payback(5.0, 5.0) == 0.0
