"""Fleets: the cheapest mix, its prices and their ranges, and why there is none."""

import datetime as dt
import math
import random
import time

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isocost.engine.fleet.horizon import Period, mixes, ready_on
from isocost.engine.fleet.model import Demand, Fleet, Limit, Mix, Platform, ShadowPrice
from isocost.engine.fleet.prices import price_ranges, turning_prices, winning_costs
from isocost.engine.fleet.solve import cheapest_mix

SMALL = Fleet(
    demands=(Demand("chat", 1000.0), Demand("code", 500.0)),
    platforms=(Platform("gpu", 10.0, cap=20.0), Platform("trn", 6.0)),
    serves={("chat", "gpu"): 100.0, ("chat", "trn"): 50.0, ("code", "gpu"): 100.0},
    porting={("chat", "trn"): 3.0},
    limits=(Limit("power", 30.0, "MW", {"gpu": 1.0, "trn": 1.0}),),
)


def prices(mix: Mix) -> dict[str, ShadowPrice]:
    return {price.name: price for price in mix.shadow_prices}


def bought(mix: Mix) -> dict[str, float]:
    return {holding.platform: holding.bought for holding in mix.holdings}


def test_the_cheapest_platform_wins() -> None:
    mix = cheapest_mix(SMALL)
    assert mix.status == "optimal"
    assert mix.cost == pytest.approx(150.0)
    assert bought(mix) == pytest.approx({"gpu": 15.0, "trn": 0.0})
    assert prices(mix)["chat"].price == pytest.approx(0.1)
    assert prices(mix)["chat"].unit == "$/month per token/s"
    assert {(a.demand, a.platform) for a in mix.assignments} == {
        ("chat", "gpu"),
        ("code", "gpu"),
    }
    assert sum(holding.cost for holding in mix.holdings) == pytest.approx(mix.cost)


def test_a_cap_makes_the_next_best_serve_the_rest() -> None:
    capped = (Platform("gpu", 10.0, cap=12.0), Platform("trn", 6.0))
    mix = cheapest_mix(attrs.evolve(SMALL, platforms=capped))
    assert bought(mix) == pytest.approx({"gpu": 12.0, "trn": 6.0})
    # The last 300 token/s cost 6 units and 30% of the porting.
    assert mix.cost == pytest.approx(120 + 36 + 0.9)
    price = prices(mix)["supply of gpu"]
    assert price.price == pytest.approx(10 - (2 * 6 + 0.3))
    assert price.unit == "$/month per system"


def test_ranges_over_which_prices_hold() -> None:
    found = {p.name: p for p in price_ranges(SMALL, ("chat", "power", "supply of gpu"))}
    assert found["chat"].low == pytest.approx(0.0, abs=1e-6)
    assert found["chat"].high == pytest.approx(1500.0)
    assert found["power"].low == pytest.approx(15.0)
    assert found["power"].high == math.inf
    assert found["supply of gpu"].low == pytest.approx(15.0)
    assert {p.kind for p in price_ranges(SMALL)} == {"limit"}


def test_a_price_holds_within_its_range_and_not_beyond() -> None:
    limit = Limit("power", 16.0, "MW", {"gpu": 1.0, "trn": 1.0})
    owned = (Platform("gpu", 10.0), Platform("trn", 4.0))
    fleet = attrs.evolve(SMALL, platforms=owned, limits=(limit,), porting={})
    (price,) = price_ranges(fleet, ("power",))
    assert price.price == pytest.approx(-2.0)
    assert (price.low, price.high) == pytest.approx((15.0, 25.0))

    def cost(amount: float) -> float:
        moved = attrs.evolve(limit, amount=amount)
        return cheapest_mix(attrs.evolve(fleet, limits=(moved,))).cost

    at = cost(16.0)
    assert cost(24.0) == pytest.approx(at - 2 * 8)
    assert cost(40.0) == pytest.approx(at - 2 * 9)
    assert math.isnan(cost(14.0))


def test_a_platform_enters_below_its_threshold_and_stays_out_above() -> None:
    gpu, trn = turning_prices(SMALL)
    assert gpu.threshold == math.inf
    assert trn.threshold == pytest.approx(4.85)
    assert not trn.bought
    assert gpu.bought
    for cost, enters in ((4.8, True), (4.9, False)):
        platforms = (SMALL.platforms[0], Platform("trn", cost))
        mix = cheapest_mix(attrs.evolve(SMALL, platforms=platforms))
        assert (bought(mix)["trn"] > 1e-6) == enters
    assert winning_costs(SMALL, "trn") == pytest.approx({"chat": 4.85})


def test_owned_units_are_used_first_and_have_a_price() -> None:
    platforms = (
        Platform("gpu", 10.0, owned=4.0, running=3.0, energy=1.0),
        Platform("trn", 6.0),
    )
    mix = cheapest_mix(attrs.evolve(SMALL, platforms=platforms))
    gpu = mix.holdings[0]
    assert (gpu.owned, gpu.bought, gpu.used) == pytest.approx((4.0, 11.0, 15.0))
    assert mix.cost == pytest.approx(4 * 3 + 11 * 10 + 15)
    owned = next(price for price in mix.shadow_prices if price.kind == "owned")
    assert owned.price == pytest.approx(-7.0)


def test_whole_units_and_porting_in_full() -> None:
    fleet = Fleet(
        demands=(Demand("a", 95.0), Demand("b", 15.0)),
        platforms=(Platform("gpu", 10.0), Platform("trn", 7.0)),
        serves={
            ("a", "gpu"): 10.0,
            ("a", "trn"): 10.0,
            ("b", "gpu"): 10.0,
            ("b", "trn"): 10.0,
        },
        porting={("a", "trn"): 5.0, ("b", "trn"): 30.0},
        integer=True,
    )
    mix = cheapest_mix(fleet)
    # a on trn: 10 x 7 + 5; b on gpu: 2 x 10, and a's half-empty unit costs 7 once.
    assert mix.cost == pytest.approx(95.0)
    assert bought(mix) == pytest.approx({"gpu": 2.0, "trn": 10.0})
    assert mix.fractional_cost == pytest.approx(9.5 * 7 + 5 + 15)
    assert mix.gap <= 1e-4


def test_a_training_run_goes_to_one_platform() -> None:
    fleet = Fleet(
        demands=(Demand("run", 100.0, "PFLOP/s", whole=True),),
        platforms=(Platform("gpu", 10.0, cap=8.0), Platform("trn", 15.0)),
        serves={("run", "gpu"): 10.0, ("run", "trn"): 10.0},
    )
    mix = cheapest_mix(fleet)
    assert [(a.platform, a.share) for a in mix.assignments] == [("trn", 1.0)]
    assert mix.cost == pytest.approx(150.0)
    assert mix.fractional_cost == pytest.approx(110.0)


def test_demand_with_a_penalty_may_be_left() -> None:
    demands = (Demand("chat", 1000.0, penalty=0.05), Demand("code", 500.0, peak=2.0))
    mix = cheapest_mix(attrs.evolve(SMALL, demands=demands))
    assert mix.unserved == pytest.approx({"chat": 1.0})
    assert mix.cost == pytest.approx(50 + 100)
    assert bought(mix)["gpu"] == pytest.approx(10.0)


# No mix ---------------------------------------------------------------------------


def test_a_demand_without_a_platform_is_named_with_the_reasons() -> None:
    fleet = attrs.evolve(
        SMALL,
        demands=(*SMALL.demands, Demand("video", 1.0)),
        reasons={("video", "gpu"): "does not fit", ("video", "trn"): "not ready"},
    )
    mix = cheapest_mix(fleet)
    assert mix.status == "infeasible"
    assert mix.conflict is not None
    assert mix.conflict.stranded == {
        "video": {"gpu": "does not fit", "trn": "not ready"}
    }
    assert mix.conflict.limits == ()


def test_only_the_limits_that_conflict_are_named() -> None:
    both = {"gpu": 1.0, "trn": 1.0}
    fleet = attrs.evolve(
        SMALL,
        limits=(
            Limit("power", 9.0, "MW", both),
            Limit("budget", 1e6, "$", both, bought_only=True),
        ),
    )
    conflict = cheapest_mix(fleet).conflict
    assert conflict is not None
    assert conflict.limits == ("power",)
    assert conflict.demands == ("chat", "code")
    assert conflict.relief == pytest.approx({"power": 15.0})


def test_two_limits_that_cannot_hold_together() -> None:
    """Either alone could be met: gpu needs power, trn needs money."""
    fleet = attrs.evolve(
        SMALL,
        demands=SMALL.demands[:1],
        serves={("chat", "gpu"): 100.0, ("chat", "trn"): 50.0},
        limits=(
            Limit("power", 4.0, "MW", {"gpu": 1.0}),
            Limit("budget", 50.0, "$", {"trn": 5.0}),
        ),
    )
    conflict = cheapest_mix(fleet).conflict
    assert conflict is not None
    assert set(conflict.limits) == {"power", "budget"}
    assert conflict.relief == pytest.approx({"power": 5.0, "budget": 60.0})


def test_supply_caps_conflict_too() -> None:
    platforms = (Platform("gpu", 10.0, cap=4.0), Platform("trn", 6.0))
    conflict = cheapest_mix(attrs.evolve(SMALL, platforms=platforms)).conflict
    assert conflict is not None
    assert conflict.limits == ("supply of gpu",)
    assert conflict.demands == ("code",)
    assert conflict.relief == pytest.approx({"supply of gpu": 5.0})


def test_a_mix_in_fractions_only_says_so() -> None:
    limit = Limit("power", 14.9, "MW", {"gpu": 1.0, "trn": 1.0})
    demands = (Demand("chat", 990.0), Demand("code", 495.0))
    fleet = attrs.evolve(SMALL, demands=demands, limits=(limit,), porting={})
    assert cheapest_mix(fleet).status == "optimal"
    mix = cheapest_mix(attrs.evolve(fleet, integer=True))
    assert mix.status == "infeasible"
    assert mix.conflict is not None
    assert mix.conflict.whole_units


def test_mistakes_in_the_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="share a name"):
        cheapest_mix(attrs.evolve(SMALL, demands=(Demand("a", 1.0), Demand("a", 2.0))))
    with pytest.raises(ValueError, match="unknown, or a negative"):
        cheapest_mix(attrs.evolve(SMALL, serves={("chat", "tpu"): 1.0}))
    with pytest.raises(ValueError, match="tpu is unknown"):
        cheapest_mix(attrs.evolve(SMALL, limits=(Limit("x", 1.0, "MW", {"tpu": 1.0}),)))
    with pytest.raises(ValueError, match="no mix to explain"):
        price_ranges(attrs.evolve(SMALL, limits=(Limit("x", 0.0, "MW", {"gpu": 1.0}),)))


# Any fleet ------------------------------------------------------------------------


def some_fleet(seed: int, demands: int, platforms: int) -> Fleet:
    draw = random.Random(seed)
    wanted = tuple(Demand(f"d{i}", draw.uniform(100, 1000)) for i in range(demands))
    offered = tuple(
        Platform(
            f"p{j}",
            draw.uniform(5, 15),
            owned=draw.choice([0.0, 20.0]),
            running=2.0,
            energy=1.0,
            cap=draw.choice([None, 200.0]) if j else None,
        )
        for j in range(platforms)
    )
    serves = {
        (d.name, p.name): draw.uniform(5, 30)
        for d in wanted
        for p in offered
        if p.name == "p0" or draw.random() < 0.8
    }
    use = {p.name: draw.uniform(1, 3) for p in offered}
    limits = (Limit("power", 500.0 * demands, "kW", use),)
    porting = {pair: draw.uniform(0, 5) for pair in serves}
    return Fleet(wanted, offered, serves, porting, limits)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 8), st.integers(1, 5))
def test_every_mix_serves_all_within_its_limits(
    seed: int, demands: int, platforms: int
) -> None:
    fleet = some_fleet(seed, demands, platforms)
    whole = cheapest_mix(attrs.evolve(fleet, integer=True))
    mix = cheapest_mix(fleet)
    assert mix.cost <= whole.cost * (1 + 1e-6)
    for found in (mix, whole):
        served: dict[str, float] = {}
        for one in found.assignments:
            served[one.demand] = served.get(one.demand, 0.0) + one.share
        assert all(share == pytest.approx(1.0) for share in served.values())
        assert len(served) == demands
        for holding in found.holdings:
            assert holding.used <= holding.bought + holding.owned + 1e-6
    assert all(abs(h.bought - round(h.bought)) < 1e-6 for h in whole.holdings)
    # Strong duality: prices of demands, limits and caps add up to the cost.
    paid = sum(price.price * price.amount for price in mix.shadow_prices)
    assert paid == pytest.approx(mix.cost, rel=1e-6)


def test_a_thousand_demands_and_twenty_platforms_in_time() -> None:
    fleet = some_fleet(1, 1000, 20)
    for asked in (fleet, attrs.evolve(fleet, integer=True, porting={})):
        start = time.process_time()
        mix = cheapest_mix(asked)
        assert mix.status == "optimal"
        assert time.process_time() - start < 5.0


# Over dates -----------------------------------------------------------------------

READY = {("chat", "trn"): dt.date(2025, 7, 1)}
CHEAP = attrs.evolve(
    SMALL,
    platforms=(Platform("gpu", 10.0, running=6.0), Platform("trn", 2.0)),
    limits=(),
)


def test_a_platform_serves_once_its_software_is_ready() -> None:
    early = ready_on(CHEAP, READY, dt.date(2025, 1, 1))
    assert ("chat", "trn") not in early.serves
    assert early.reasons == {("chat", "trn"): "2025-07-01"}
    assert ready_on(CHEAP, READY, dt.date(2025, 7, 1)).serves == CHEAP.serves


def test_what_one_period_buys_the_next_one_owns() -> None:
    periods = (
        Period(dt.date(2025, 1, 1), {"chat": 500.0}),
        Period(dt.date(2025, 10, 1), {"chat": 1000.0}),
        Period(dt.date(2031, 1, 1), {"chat": 1000.0}),
    )
    first, second, third = mixes(CHEAP, periods, READY, lives={"gpu": 5.0})
    assert bought(first) == pytest.approx({"gpu": 10.0, "trn": 0.0})
    # New trn (4 a unit of chat) beats owned gpu (6) once it is ready.
    assert second.holdings[0].owned == pytest.approx(5.0)
    assert bought(second) == pytest.approx({"gpu": 0.0, "trn": 20.0})
    # The first gpus are gone; the trn are owned.
    assert bought(third) == pytest.approx({"gpu": 5.0, "trn": 0.0})
    assert third.cost == pytest.approx(50.0)
