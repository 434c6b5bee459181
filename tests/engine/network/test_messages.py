"""Message sizes and rates: conventions convert once, and bus bandwidth reads back."""

import numpy as np
import pytest

from isocost.engine.formulas import network
from isocost.engine.formulas import network_messages as messages
from isocost.engine.formulas.network_messages import CONVERSIONS, Convention
from isocost.engine.topology import OPERATIONS


def size(operation: str, convention: Convention, stated: float, ranks: int) -> float:
    """The size that the formulas take."""
    conversion = CONVERSIONS[operation, convention]
    return stated if conversion is None else float(conversion(stated, ranks))


@pytest.mark.parametrize(
    ("operation", "stated"),
    [
        ("all_reduce", {Convention.RANK: 8.0, Convention.GLOBAL: 32.0}),
        (
            "all_gather",
            {
                Convention.WHOLE: 8.0,
                Convention.GLOBAL: 8.0,
                Convention.RANK: 2.0,
                Convention.SHARD: 2.0,
            },
        ),
        (
            "reduce_scatter",
            {
                Convention.WHOLE: 8.0,
                Convention.RANK: 8.0,
                Convention.SHARD: 2.0,
                Convention.GLOBAL: 32.0,
            },
        ),
        ("all_to_all", {Convention.RANK: 8.0, Convention.GLOBAL: 32.0}),
    ],
)
def test_one_collective_stated_in_several_ways_has_one_size(
    operation: str, stated: dict[Convention, float]
) -> None:
    assert {size(operation, c, s, 4) for c, s in stated.items()} == {8.0}


def test_every_operation_has_a_convention() -> None:
    assert {operation for operation, _ in CONVERSIONS} == set(OPERATIONS)


def test_a_rate_both_ways_is_halved_once() -> None:
    assert messages.one_way(900.0) == 450
    assert messages.both_ways(messages.one_way(900.0)) == 900


def test_bus_bandwidth_is_the_rate_of_a_ring() -> None:
    assert messages.all_reduce_bus_rate(8.0, 8, 14 / 8) == pytest.approx(8.0)
    assert messages.gather_bus_rate(8.0, 8, 7 / 8) == pytest.approx(8.0)


def test_hashing_costs_what_the_fullest_link_carries_more() -> None:
    draw = np.random.default_rng(7)
    links = 32
    for flows in (16.0, 64.0, 256.0):
        thrown = draw.integers(0, links, (400, int(flows) * links))
        fullest = [np.bincount(one, minlength=links).max() for one in thrown]
        expected = np.mean(fullest) / flows
        found = network.hashed_taper(1.0, float(links), flows)
        assert found == pytest.approx(expected, rel=0.1)
    # Twice as many ports down as up: twice the flows on a link, which even out.
    assert (
        1
        < network.hashed_taper(2.0, 32.0, 8.0) / 2
        < network.hashed_taper(1.0, 32.0, 8.0)
    )
