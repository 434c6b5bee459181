"""Message sizes and rates: conventions convert once, and bus bandwidth reads back."""

import random
from collections import Counter

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
    few, many = (network.hashed_rate(1.0, flows, 32) for flows in (64, 6400))
    assert few < many < 1
    assert network.hashed_rate(7.0, 4, 1) == 7


@pytest.mark.parametrize(("links", "each"), [(16, 16), (32, 4), (64, 16), (256, 4)])
def test_hashing_is_as_drawn(links: int, each: int) -> None:
    """Flows thrown at links by a seeded draw: the fullest carries what is said."""
    drawn = random.Random(links * each)
    fullest = []
    for _ in range(40):
        found = Counter(drawn.choices(range(links), k=links * each))
        fullest.append(max(found.values()) / each)
    left = network.hashed_rate(1.0, links * each, links)
    assert left == pytest.approx(40 / sum(fullest), rel=0.1)
