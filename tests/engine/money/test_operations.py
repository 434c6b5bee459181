"""Failures, queues, supply, power and carbon: laws that must hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.dsl.units import unit
from isocost.engine.formulas import (
    carbon,
    power,
    queueing,
    reliability,
    supply,
    tco,
)
from isocost.engine.kernels import at_least, erlang_c

HOUR = unit("h").factor


def si(value: float, name: str) -> float:
    return value * unit(name).factor


# Failures -------------------------------------------------------------------------

saves = st.floats(1.0, 600.0)
mttfs = st.floats(2000.0, 1e6)


@given(saves, mttfs, st.floats(0.0, 600.0))
def test_daly_is_near_the_best_interval(
    save: float, mttf: float, restart: float
) -> None:
    best = reliability.daly_interval(save, mttf)
    at_best = reliability.goodput_exact(best, save, restart, mttf)
    assert 0 < at_best < 1
    for factor in (0.5, 0.8, 1.25, 2.0):
        other = reliability.goodput_exact(best * factor, save, restart, mttf)
        assert other <= at_best * (1 + 1e-4)


@given(st.floats(1.0, 20.0))
def test_the_first_order_meets_the_exact_when_losses_are_small(save: float) -> None:
    mttf = 1e6
    interval = reliability.young_interval(save, mttf)
    exact = reliability.goodput_exact(interval, save, 60.0, mttf)
    first = reliability.goodput_first_order(interval, save, 60.0, mttf)
    ettr = reliability.ettr_expected(mttf, 60.0, interval, save)
    assert first == pytest.approx(exact, abs=2e-4)
    assert ettr == pytest.approx(exact, abs=2e-4)


def test_a_job_fails_for_its_size_and_for_itself() -> None:
    rate = reliability.job_failure_rate(1 / HOUR, 0.001 / HOUR, 1000.0)
    assert reliability.job_mttf(rate) == pytest.approx(HOUR / 2)
    size = reliability.checkpoint_size(405e9, 14.0)
    assert size == pytest.approx(5.67e12)
    write = reliability.checkpoint_write_time(size, 1e11)
    assert write == pytest.approx(56.7)
    assert reliability.interval_asynchronous(30.0, size, 1e11) == pytest.approx(56.7)
    assert reliability.daly_interval(500.0, 200.0) == 200.0
    yearly = reliability.replacements(si(1e-5, "/chip-h"), 1000.0)
    assert yearly * unit("year").factor == pytest.approx(87.6)


@given(st.floats(0.9, 0.99999), st.integers(1, 64), st.integers(0, 8))
def test_spares_lift_a_domain(unit_up: float, needed: int, spare: int) -> None:
    alone = reliability.availability_of_domain(unit_up, float(needed), 0.999)
    enough = at_least(needed, needed + spare, unit_up)
    spared = reliability.availability_with_spares(enough, 0.999)
    assert spared >= alone * (1 - 1e-9)
    assert spared <= 0.999
    assert reliability.availability_of_unit(99.0, 1.0) == pytest.approx(0.99)


# Queues ---------------------------------------------------------------------------

uses = st.floats(0.05, 0.98)


@given(uses, st.integers(1, 50))
def test_one_pooled_queue_beats_separate_ones(use: float, servers: int) -> None:
    pooled = queueing.wait_mean(
        erlang_c(servers, use * servers), 1.0, float(servers), use
    )
    alone = queueing.wait_mean(use, 1.0, 1.0, use)
    assert pooled <= alone * (1 + 1e-9)
    assert alone == pytest.approx(queueing.wait_general_service(1.0, use, 1.0))
    assert alone == pytest.approx(queueing.wait_heavy_traffic(1.0, use, 1.0, 1.0))


@given(uses, st.integers(1, 50), st.floats(0.0, 3.0))
def test_the_general_wait_meets_the_exact_ones(
    use: float, servers: int, spread: float
) -> None:
    queued = erlang_c(servers, use * servers)
    same = queueing.wait_general(queued, 1.0, float(servers), use, 1.0, 1.0)
    exact = queueing.wait_mean(queued, 1.0, float(servers), use)
    assert same == pytest.approx(exact)
    single = queueing.wait_general(use, 1.0, 1.0, use, 1.0, spread)
    assert single == pytest.approx(queueing.wait_general_service(1.0, use, spread))


def test_percentiles_and_littles_law() -> None:
    assert queueing.wait_percentile(0.005, 1.0, 4.0, 0.2, 0.99) == 0.0
    late = queueing.sojourn_percentile(1.0, 0.5, 0.99)
    assert late == pytest.approx(9.21034, abs=1e-5)
    assert queueing.concurrency(10.0, 2.0) == pytest.approx(20)
    assert queueing.offered_load(10.0, 2.0) == pytest.approx(20)
    assert queueing.server_use(10.0, 2.0, 40.0) == pytest.approx(0.5)
    assert queueing.queue_of_two(0.9, 2.0) == pytest.approx(0.729)


@given(st.floats(0.1, 5.0), st.floats(10.0, 500.0))
def test_the_steady_batch_is_a_fixed_point(arrivals: float, output: float) -> None:
    weights, cache, fixed, work = 0.01, 1e-5, 0.002, 5e-5
    batch = queueing.steady_batch(arrivals, output, weights, cache, fixed, work)
    if batch <= 0 or arrivals * output * work > 0.99:
        return
    tpot = max(weights + cache * batch, fixed + work * batch)
    assert batch == pytest.approx(arrivals * output * tpot, rel=1e-9)
    assert queueing.decode_use(arrivals, output, tpot, batch) == pytest.approx(1.0)


def test_slots_admit_what_little_says() -> None:
    flying = queueing.requests_in_flight(2.0, 0.5, 100.0, 0.02)
    assert flying == pytest.approx(5.0)
    assert queueing.arrivals_admitted(flying, 0.5, 100.0, 0.02) == pytest.approx(2.0)


# Supply ---------------------------------------------------------------------------


@given(st.floats(1.0, 1e6), st.floats(1.0, 4.0), st.floats(20.0, 600.0))
def test_wafers_and_chips_are_inverse(
    volume: float, dies: float, per_wafer: float
) -> None:
    wafers = supply.wafers_needed(volume, dies, per_wafer, 0.6)
    back = supply.chips_of_wafers(wafers, dies, per_wafer, 0.6)
    assert back == pytest.approx(volume)


def test_what_a_volume_needs() -> None:
    assert supply.interposer_wafers_needed(600.0, 2.0, 30.0, 0.8) == pytest.approx(50)
    assert supply.packages_needed(600.0, 2.0, 0.8) == pytest.approx(1500)
    stacks = supply.stacks_needed(600.0, 4.0, 0.8)
    assert stacks == pytest.approx(3000)
    assert supply.memory_needed(stacks, 24e9) == pytest.approx(72e12)
    assert supply.parts_needed(64.0, 3.5) == pytest.approx(224)
    assert supply.power_needed(64.0, 750.0) == pytest.approx(48_000)
    assert supply.share_of_bill(25.0, 100.0) == pytest.approx(0.25)


# Power and carbon -----------------------------------------------------------------


def test_the_power_chain_of_an_ultra_server() -> None:
    system = power.system_power_of_parts(500.0, 64.0, 12_000.0, 0.09)
    assert system == pytest.approx(47_960)
    fabric = power.tier_power(4.0, 750.0, 128.0, 15.0)
    assert fabric == pytest.approx(4920)
    provisioned = power.power_provisioned(system, 10.0, fabric, 1000.0)
    assert provisioned == pytest.approx(485_520)
    average = power.power_average(provisioned, 0.8, 1.12)
    assert average == pytest.approx(485_520 * 0.896)
    assert power.power_at_meter(provisioned, 1.12) == pytest.approx(543_782.4)
    assert power.power_per_chip(provisioned, 640.0) == pytest.approx(758.625)
    each = power.energy_of_token(average, 1e6)
    assert power.energy_of_tokens(each, 1e6) == pytest.approx(average)
    by_power = power.throughput_per_power(1e6, provisioned)
    assert by_power * 1e6 == pytest.approx(1e12 / provisioned)
    assert power.energy_used(average, HOUR) / 3.6e6 == pytest.approx(average / 1000)
    assert power.systems_within_power(1e6, 49_000.0) == 20


def test_electricity_by_power_and_by_energy_agree() -> None:
    price, month = si(0.08, "$/kWh"), unit("month").factor
    average = power.power_average(1e6, 0.7, 1.2)
    direct = tco.energy_cost(average, price)
    by_kw = tco.electricity_by_power(price, 1.2, 0.7)
    assert tco.colocation_cost(1e6, by_kw) == pytest.approx(direct)
    assert direct * month == pytest.approx(0.08 * 730 * 840)


@given(st.floats(0.0, 1.0))
def test_power_load_lies_between_its_phases(share: float) -> None:
    mixed = power.power_load_of_phases(0.9, 0.6, share)
    assert 0.6 - 1e-12 <= mixed <= 0.9 + 1e-12
    assert power.power_load_of_use(0.6, 0.9, share) == pytest.approx(mixed)


def test_carbon_of_a_token() -> None:
    operation = carbon.operational_carbon(1000.0, si(400, "g/kWh"))
    assert operation * HOUR == pytest.approx(400)
    made = carbon.embodied_carbon(si(164, "kg/chip"), 8.0)
    made += carbon.facility_carbon(si(1, "kg/W"), 100.0)
    rate = carbon.embodied_carbon_rate(made, si(5, "year"), 0.5)
    assert rate * si(2.5, "year") == pytest.approx(1_412_000)
    whole = carbon.carbon_rate(operation, rate)
    assert carbon.carbon_of_token(whole, 1000.0) == pytest.approx(whole / 1000)
    assert carbon.compute_carbon_intensity(whole, 1e15) == pytest.approx(whole / 1e15)
    assert carbon.fleet_energy(10.0, 1.72, 1.1) == pytest.approx(18.92)
