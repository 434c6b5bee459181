"""Textbook algorithms: steps and bytes as counted, and none beats the lower bounds."""

from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.engine.formula import Formula
from isocost.engine.formulas import collectives, network_layout
from isocost.engine.formulas import collectives_torus as tori
from isocost.engine.formulas.collectives_flat import recursive_doubling_reduced
from isocost.engine.topology.flat import ALGORITHMS

PLAIN = {"launch": 0.0, "cross": 0.0, "damping": 0.0}
#: By operation and algorithm: steps, and buffers sent by a rank, for 8 and 6 ranks.
COUNTED: dict[tuple[str, str], tuple[float, float, float, float]] = {
    ("all_reduce", "ring"): (14, 14 / 8, 10, 10 / 6),
    ("all_reduce", "paired_ring"): (8, 14 / 8, 6, 10 / 6),
    ("all_reduce", "double_tree"): (6, 2, 6, 2),
    ("all_reduce", "tree"): (6, 6, 6, 6),
    ("all_reduce", "doubling"): (3, 3, 4, 4),
    ("all_reduce", "recursive"): (6, 14 / 8, 6, 10 / 6 + 2),
    ("all_reduce", "mesh"): (1, 7, 1, 5),
    ("all_reduce", "two_step"): (2, 14 / 8, 2, 10 / 6),
    ("all_gather", "ring"): (7, 7 / 8, 5, 5 / 6),
    ("all_gather", "mesh"): (1, 7 / 8, 1, 5 / 6),
    ("all_gather", "recursive"): (3, 7 / 8, 4, 5 / 6 + 2),
    ("all_gather", "bruck"): (3, 7 / 8, 3, 5 / 6),
    ("all_to_all", "direct"): (2, 7 / 8, 2, 5 / 6),
    ("all_to_all", "pairwise"): (7, 7 / 8, 5, 5 / 6),
    ("all_to_all", "bruck"): (3, 1.5, 3, 1.5),
    ("broadcast", "chain"): (7, 1, 5, 1),
    ("broadcast", "tree"): (3, 3, 3, 3),
    ("broadcast", "scatter"): (10, 14 / 8, 8, 10 / 6),
    ("point_to_point", "direct"): (1, 1, 1, 1),
}
EVERY = [(op, name) for op, found in ALGORITHMS.items() for name in found]


def steps(made: Formula, ranks: int) -> float:
    """The latencies that an algorithm pays."""
    return float(made(size=0, ranks=ranks, rate=1, latency=1, **PLAIN))


def sent(made: Formula, ranks: int) -> float:
    """The buffers that a rank sends one after the other."""
    return float(made(size=1, ranks=ranks, rate=1, latency=0, **PLAIN))


@pytest.mark.parametrize(("operation", "name"), COUNTED)
def test_steps_and_bytes_are_as_counted(operation: str, name: str) -> None:
    made = ALGORITHMS[operation][name]
    found = (steps(made, 8), sent(made, 8), steps(made, 6), sent(made, 6))
    assert found == pytest.approx(COUNTED[operation, name])


def test_every_algorithm_is_counted() -> None:
    scatters = {("reduce_scatter", name) for name in ALGORITHMS["reduce_scatter"]}
    assert set(COUNTED) | scatters == set(EVERY)


@pytest.mark.parametrize(("operation", "name"), EVERY)
@given(ranks=st.integers(2, 5000))
def test_no_algorithm_beats_the_lower_bounds(
    operation: str, name: str, ranks: int
) -> None:
    made = ALGORITHMS[operation][name]
    least = {
        "all_reduce": 2 * (ranks - 1) / ranks,
        "broadcast": 1,
        "point_to_point": 1,
    }
    if (operation, name, ranks) != ("all_reduce", "double_tree", 2):
        bound = least.get(operation, (ranks - 1) / ranks)
        assert sent(made, ranks) >= bound * (1 - 1e-9)
    # What goes to everybody takes lg p steps, unless all links work at once.
    if name not in {"mesh", "two_step", "direct"}:
        assert steps(made, ranks) >= ceil(log2(ranks)) - 1e-9


def test_reduction_that_is_not_hidden_adds_to_each_round() -> None:
    args = {"size": 8.0, "ranks": 8, "rate": 2.0, "latency": 1.0}
    assert recursive_doubling_reduced(arithmetic=4.0, **args) == 3 * (1 + 4 + 2)


@given(
    alpha=st.floats(1e-7, 1e-2),
    wire=st.floats(0, 10),
    cross=st.floats(0, 3),
    damping=st.floats(0, 3),
)
def test_chunks_cost_no_less_than_both_and_no_more_than_the_best_cut(
    alpha: float, wire: float, cross: float, damping: float
) -> None:
    found = collectives.transfer(alpha, wire, cross, damping)
    assert found >= (alpha + wire) * (1 - 1e-12)
    most = alpha + wire + cross * (alpha * wire) ** 0.5
    assert found <= most * (1 + 1e-9) + 1e-12


def test_nothing_to_send_and_no_latency_take_no_time() -> None:
    assert collectives.transfer(0.0, 0.0, 1.4, 0.3) == 0


@given(extents=st.lists(st.integers(1, 16), min_size=3, max_size=3),
       rates=st.lists(st.floats(1e9, 1e12), min_size=3, max_size=3))  # fmt: skip
def test_all_links_at_once_are_no_slower_than_one_axis_at_a_time(
    extents: list[int], rates: list[float]
) -> None:
    sides = {f"extent_{a}": e for a, e in zip("xyz", extents, strict=True)}
    sides |= {f"rate_{a}": r for a, r in zip("xyz", rates, strict=True)}  # type: ignore[misc]
    together = network_layout.rate_together(**sides)
    in_order = tori.rate_in_order(**sides)
    slowest = network_layout.rate_slowest(**sides)
    used = [r for e, r in zip(extents, rates, strict=True) if e > 1]
    if used:
        assert together == pytest.approx(sum(used))
        assert slowest == min(used)
        assert min(used) * (1 - 1e-9) <= in_order <= together * (1 + 1e-9)


@given(st.integers(1, 64), st.integers(0, 6))
def test_a_group_has_a_place_for_every_rank(ranks: int, power: int) -> None:
    stride, inner, places = 2**power, 1, 1.0
    for length in (4, 4, 4):
        places *= network_layout.axis_extent(ranks, stride, inner, length)
        inner *= length
    assert places >= min(ranks, 64 // stride)
