"""Supply over time: caps hold, nothing is lost, what binds is named."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.engine.fleet.ramp import Product, Resource, Rule, plan, supplier_shares

TRN2 = Product("trn2", (100.0, 200.0, 300.0), {"cowos": 0.1, "hbm": 4.0})
TRN3 = Product("trn3", (0.0, 50.0, 100.0), {"cowos": 0.2, "hbm": 8.0})
COWOS = Resource("cowos", "wafer", (10.0, 20.0, 30.0))
HBM = Resource("hbm", "stack", (1000.0, 1000.0, 1000.0), lead=1)

caps = st.lists(st.floats(0.0, 500.0), min_size=4, max_size=4).map(tuple)
volumes = st.lists(st.floats(0.0, 100.0), min_size=4, max_size=4).map(tuple)


def test_what_binds_and_when() -> None:
    ramp = plan((TRN2, TRN3), (COWOS, HBM))
    assert ramp.binding() == ((1, "cowos"), (2, "hbm"))
    assert ramp.delivered("trn2") == pytest.approx((100, 400 / 3, 152.7777778))
    assert ramp.backlog("trn3")[1] == pytest.approx(50 / 3)
    taken = [use.taken_in for use in ramp.uses if use.resource == "hbm"]
    assert taken == [-1, 0, 1]
    assert ramp.uses[1].room == math.inf


@given(caps, caps, volumes, volumes, st.sampled_from(["proportional", "priority"]))
def test_caps_hold_and_volume_adds_up(
    first: tuple[float, ...],
    second: tuple[float, ...],
    volume: tuple[float, ...],
    other: tuple[float, ...],
    rule: Rule,
) -> None:
    products = (
        Product("a", volume, {"x": 2.0, "y": 1.0}),
        Product("b", other, {"x": 1.0}),
    )
    resources = (Resource("x", "wafer", first), Resource("y", "stack", second))
    ramp = plan(products, resources, rule=rule)
    for use in ramp.uses:
        assert use.used <= use.room * (1 + 1e-9) + 1e-9
    for product in products:
        met = sum(ramp.delivered(product.name)) + ramp.backlog(product.name)[-1]
        assert met == pytest.approx(sum(product.volume), abs=1e-6)
    for line in ramp.lines:
        assert line.unmet <= 1e-6 or line.binding is not None


def test_priority_serves_the_first_first() -> None:
    one = Resource("x", "wafer", (10.0,))
    a, b = Product("a", (8.0,), {"x": 1.0}), Product("b", (8.0,), {"x": 1.0})
    first = plan((a, b), (one,), rule="priority")
    assert first.delivered("a") == (8.0,)
    assert first.delivered("b") == pytest.approx((2.0,))
    even = plan((a, b), (one,))
    assert even.delivered("a") == pytest.approx((5.0,))


def test_who_does_not_need_what_binds_goes_on() -> None:
    products = (
        Product("a", (10.0,), {"x": 1.0}),
        Product("b", (10.0,), {"x": 1.0, "y": 1.0}),
    )
    resources = (Resource("x", "wafer", (14.0,)), Resource("y", "stack", (4.0,)))
    ramp = plan(products, resources)
    assert ramp.delivered("b") == pytest.approx((4.0,))
    assert ramp.delivered("a") == pytest.approx((10.0,))


def test_volume_is_late_or_lost_and_stock_is_kept() -> None:
    scarce = Resource("x", "wafer", (5.0, 20.0))
    late = plan((Product("a", (10.0, 10.0), {"x": 1.0}),), (scarce,))
    assert late.delivered("a") == pytest.approx((5.0, 15.0))
    lost = plan((Product("a", (10.0, 10.0), {"x": 1.0}, late=False),), (scarce,))
    assert lost.delivered("a") == pytest.approx((5.0, 10.0))
    kept = Resource("x", "wafer", (20.0, 5.0), stored=True)
    stocked = plan((Product("a", (10.0, 15.0), {"x": 1.0}),), (kept,))
    assert stocked.delivered("a") == pytest.approx((10.0, 15.0))
    assert stocked.uses[1].share == pytest.approx(1.0)


def test_a_plan_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ValueError, match="trn2 needs hbm, which is not there"):
        plan((TRN2,), (COWOS,))
    short = Resource("cowos", "wafer", (10.0,))
    with pytest.raises(ValueError, match="ends before the plan does"):
        plan((TRN2,), (short, HBM))
    assert plan((), ()).lines == ()


def test_shares_of_the_bill() -> None:
    bill = {"chips": 60.0, "switches": 15.0, "cables": 10.0, "racks": 15.0}
    suppliers = {"chips": "TSMC", "switches": "Arista", "cables": "Credo"}
    got = supplier_shares(bill, suppliers)
    assert got == {"TSMC": 0.6, "": 0.15, "Arista": 0.15, "Credo": 0.1}
    assert supplier_shares({}, {}) == {}
