"""Yield, packaging and the price of a chip: laws that must hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.dsl.units import unit
from isocost.engine.formulas import chip_price, packaging, silicon
from isocost.engine.kernels import at_least

CM2 = unit("cm^2").factor
MM2 = unit("mm^2").factor
areas = st.floats(0.01, 9.0).map(lambda area: area * CM2)
densities = st.floats(0.0, 2.0).map(lambda density: density / CM2)
shares = st.floats(0.01, 1.0)


def yields(area: float, defects: float) -> list[float]:
    return [
        silicon.yield_poisson(area, defects),
        silicon.yield_murphy(area, defects),
        silicon.yield_seeds(area, defects),
        silicon.yield_seeds_root(area, defects),
        silicon.yield_negative_binomial(area, defects, 3.0),
        silicon.yield_bose_einstein(area, defects, 12.0),
        silicon.yield_by_layer(area, defects, 0.6, 2.0, 12.0),
    ]


@given(areas, densities)
def test_yields_are_shares(area: float, defects: float) -> None:
    assert all(0 < share <= 1 for share in yields(area, defects))


@given(areas, densities, st.floats(1.01, 3.0))
def test_yields_fall_with_area_and_with_defects(
    area: float, defects: float, more: float
) -> None:
    for less, larger in zip(
        yields(area, defects), yields(area * more, defects), strict=True
    ):
        assert larger <= less * (1 + 1e-12)
    for less, dirtier in zip(
        yields(area, defects), yields(area, defects * more), strict=True
    ):
        assert dirtier <= less * (1 + 1e-12)


@given(areas, densities)
def test_clustering_only_helps(area: float, defects: float) -> None:
    poisson, murphy, seeds, *_ = yields(area, defects)
    assert poisson <= murphy * (1 + 1e-9)
    assert murphy <= seeds * (1 + 1e-9)
    nearly = silicon.yield_negative_binomial(area, defects, 1e6)
    assert nearly == pytest.approx(poisson, rel=3e-4)
    assert silicon.yield_negative_binomial(area, defects, 1.0) == pytest.approx(seeds)


def test_murphy_is_smooth_for_few_defects() -> None:
    for faults in (0.0, 1e-9, 9.9e-5, 1.01e-4):
        got = silicon.yield_murphy(CM2, faults / CM2)
        assert got == pytest.approx(1 - faults, abs=2 * faults**2 + 1e-15)


@given(areas, st.floats(0.001, 0.1), st.integers(1, 20))
def test_density_by_layer_is_not_density_in_total(
    area: float, by_layer: float, layers: int
) -> None:
    """The classic mistake: n layers at D each are n D in all."""
    each = by_layer / CM2
    whole = silicon.defects_of_layers(each, float(layers))
    right = silicon.yield_bose_einstein(area, each, float(layers))
    same = silicon.yield_negative_binomial(area, whole, float(layers))
    assert right == pytest.approx(same, rel=1e-12)
    names = set(silicon.yield_bose_einstein.params)
    assert "layer_defects" in names
    assert "defects" not in names


@given(st.floats(0.5, 0.999), st.integers(8, 144), st.integers(0, 12))
def test_harvesting_helps(core: float, cores: int, off: int) -> None:
    strict = silicon.yield_harvested(at_least(cores, cores, core), 0.9)
    lenient = silicon.yield_harvested(at_least(cores - off, cores, core), 0.9)
    assert strict <= lenient <= 0.9
    assert strict == pytest.approx(0.9 * core**cores, rel=1e-9)


@given(st.floats(25.0, 900.0))
def test_rim_and_lanes_cost_dies(area: float) -> None:
    mm = unit("mm").factor
    plain = silicon.dies_per_wafer(300 * mm, area * MM2)
    lanes = silicon.dies_per_wafer_scribed(300 * mm, 5 * mm, 0.2 * mm, area * MM2)
    bare = silicon.dies_per_wafer_scribed(300 * mm, 0.0, 0.0, area * MM2)
    assert lanes < plain
    assert bare == pytest.approx(plain)
    other = silicon.dies_per_wafer_exponential(300 * mm, area * MM2)
    assert other == pytest.approx(plain, rel=0.06 if area < 200 else 0.4)


@given(shares, st.floats(0.0, 1.0))
def test_what_a_test_misses_is_what_it_lets_through(
    good: float, coverage: float
) -> None:
    passing = silicon.share_passing_test(good, coverage)
    escaping = silicon.share_escaping_test(good, coverage)
    assert passing * (1 - escaping) == pytest.approx(good)


def test_die_costs() -> None:
    raw = silicon.raw_die_cost(17_000.0, 60.0)
    good = silicon.good_die_cost(raw, 0.5, 0.0)
    assert good - raw == pytest.approx(silicon.die_defect_cost(raw, 0.5))
    test = silicon.die_test_cost(20.0, 360.0 / 3600)
    assert test == pytest.approx(2.0)
    assert silicon.good_die_cost(raw, 0.5, test) == pytest.approx(good + 4)
    assert silicon.yield_of_line(0.95, 0.5) == pytest.approx(0.475)
    assert silicon.reticle_utilisation(400 * MM2, 858 * MM2) == pytest.approx(800 / 858)


# Packages -------------------------------------------------------------------------


@given(shares, shares, shares)
def test_chip_first_lets_the_layers_kill_dies(
    layers: float, bonding: float, substrate: float
) -> None:
    first = packaging.lost_chips_chip_first(100.0, layers, substrate)
    last = packaging.lost_chips_chip_last(100.0, bonding, substrate)
    assert (first > last) == (layers < bonding) or first == pytest.approx(last)
    layer_loss = packaging.lost_package_chip_first(10.0, 5.0, layers, substrate)
    whole_loss = packaging.lost_package_chip_last(10.0, 5.0, layers, bonding, substrate)
    assert whole_loss >= layer_loss * (1 - 1e-12)


@given(shares)
def test_a_bad_bond_scraps_dies_and_memory_alike(assembly: float) -> None:
    cost = packaging.assembled_cost(300.0, 1200.0, 80.0, assembly, 20.0)
    assert cost == pytest.approx(1600 / assembly)


def test_layers_of_a_substrate_by_size() -> None:
    size = [packaging.substrate_layers(area * MM2, 2.0) for area in (200, 400, 1000)]
    assert size == [1.5, 1.75, 2.0]
    assert packaging.substrate_layers(1000 * MM2, 1.0) == 1.0


def test_a_memory_stack() -> None:
    good = chip_price.yield_of_stack(0.98, 0.995, 8.0)
    assert good == pytest.approx(0.98**8 * 0.995**7)
    cost = chip_price.cost_of_stack(10e-9, 24e9, 30.0, good)
    assert cost == pytest.approx(270 / good)
    assert chip_price.stacks_in_package(cost, 4.0) == pytest.approx(1080 / good)


def test_design_cost_as_published() -> None:
    """A 300 mm^2 chip bears module, chip and fixed parts that add up to the node's."""
    node = 542e6
    module = chip_price.nre_by_area(node, 0.5, 300 * MM2)
    chip = chip_price.nre_by_area(node, 0.3, 300 * MM2)
    assert module + chip + chip_price.nre_fixed(node, 0.2) == pytest.approx(node)
    assert chip_price.nre_of_chip(node, 1e6) == pytest.approx(542)


@given(st.floats(1.0, 1e5), st.floats(0.0, 0.95))
def test_margin_and_price_are_inverse(cost: float, margin: float) -> None:
    price = chip_price.price_of_chip(cost, margin)
    assert chip_price.margin_of_chip(cost, price) == pytest.approx(margin, abs=1e-12)
    assert chip_price.price_of_chip(cost, 0.75) == pytest.approx(4 * cost)
    whole = chip_price.cost_of_chip(cost, 2.0, 10.0)
    assert whole == pytest.approx(2 * cost + 10)
