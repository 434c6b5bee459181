"""Plans of collectives: every operation on every topology, for ranks that vary."""

from itertools import pairwise

import numpy as np
import pytest

from isocost.dsl.dimensions import infer
from isocost.dsl.expr import Expr, symbol
from isocost.dsl.units import Dim, unit
from isocost.engine.calibration.collective_predict import run
from isocost.engine.topology import (
    OPERATIONS,
    Library,
    Refusal,
    Topology,
    build,
    collective_plan,
    stack,
)
from isocost.engine.topology.needs import OF_FABRIC, SHARED, ideal


def made(kind: str, **params: int) -> Topology:
    found = build(kind, **params)
    assert not isinstance(found, Refusal), found
    return found


NETWORK = made("fat_tree", endpoints=1024, radix=64, rails=8)
CUBE = made("torus", x=4, y=4, z=4)
ALL = {
    "torus": CUBE,
    "ring": made("torus", x=8),
    "mesh": made("mesh", x=4, y=4),
    "optical_torus": made("optical_torus", x=4, y=4, z=8),
    "hypercube": made("hypercube", dimensions=6),
    "switch": made("switch", endpoints=64, reduces=1),
    "two_tier_switch": made(
        "two_tier_switch", endpoints=576, domain=36, planes=18, radix=72
    ),
    "fat_tree": made(
        "fat_tree", endpoints=4096, radix=64, tiers=3, top_oversubscription=7
    ),
    "tor": made("tor", endpoints=512, rack=32, oversubscription=2),
    "dragonfly": made("dragonfly", endpoints_per_router=2, routers=4, global_links=2),
    "hyperx": made("hyperx", x=4, y=4, endpoints_per_router=4),
    "full_mesh": made("full_mesh", endpoints=8),
    "rows of peers": made("hyperx", x=4, y=2, z=2),
    "hammingmesh": made("hammingmesh", boards_x=8, boards_y=8),
    "slim_fly": made("slim_fly", q=5),
    "host_bridge": made("host_bridge", endpoints=8),
    "nvlink domains": stack(made("switch", endpoints=8, reduces=1), NETWORK),
    "trn2 servers": stack(
        made("torus", x=4, y=4), made("tor", endpoints=1024, rack=32, radix=64)
    ),
}


def values(topology: Topology, **group: float) -> dict[str, float]:
    """An ideal library, 100 GB/s and a microsecond on every link."""
    out = {"size": 1e8, "ranks": 8.0, "stride": 1.0, **ideal(topology.axes)}
    for axis in topology.axes:
        out[f"link[{axis}].bandwidth"] = 1e11
        out[f"link[{axis}].latency"] = 1e-6
    return out | group


def seconds(operation: str, topology: Topology, **group: float) -> float:
    found = collective_plan(operation, topology).time.bind(values(topology, **group))
    assert isinstance(found, float)
    return found


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ALL)
def test_a_plan_needs_only_what_is_documented(name: str, operation: str) -> None:
    topology = ALL[name]
    known = set(values(topology))
    known |= {f"library.{coefficient}" for coefficient in SHARED}
    known |= {f"library[{a}].{c}" for a in topology.axes for c in OF_FABRIC}
    assert set(collective_plan(operation, topology).needs) <= known


def need_dim(need: str) -> Dim:
    """The dimension of a need, from its name."""
    field = need.rpartition(".")[2]
    coefficients = {**SHARED, **OF_FABRIC}
    if field in coefficients:
        return unit(coefficients[field].unit).dim
    named = {"size": "B", "bandwidth": "B/s", "latency": "s"}
    return unit(named.get(field, "1")).dim


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ALL)
def test_a_plan_is_a_time(name: str, operation: str) -> None:
    plan = collective_plan(operation, ALL[name])
    tree = plan.time.bind({need: symbol(need) for need in plan.needs})
    assert isinstance(tree, Expr)
    clashes: list[object] = []
    found = infer(tree, lambda leaf: need_dim(leaf.value), clashes.append)
    assert not clashes
    assert found == unit("s").dim


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ALL)
def test_one_rank_takes_no_time_and_more_take_some(name: str, operation: str) -> None:
    topology = ALL[name]
    assert seconds(operation, topology, ranks=1.0) == 0
    most = min(64, topology.endpoints)
    for ranks in (2, 3, 4, 8, most):
        found = seconds(operation, topology, ranks=float(ranks))
        assert 1e-5 < found < 1
        assert seconds(operation, topology, ranks=float(ranks), size=2e8) > found


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ALL)
def test_arrays_of_ranks_and_sizes_give_what_single_ones_do(
    name: str, operation: str
) -> None:
    topology = ALL[name]
    ranks = np.array([1.0, 2.0, 4.0, 8.0, 8.0])
    sizes = np.array([1e6, 1e3, 1e9, 1e5, 1e8])
    plan = collective_plan(operation, topology).time
    with np.errstate(all="ignore"):
        found = run(plan, {**values(topology), "ranks": ranks, "size": sizes}, {})
    singly = [
        seconds(operation, topology, ranks=float(r), size=float(s))
        for r, s in zip(ranks, sizes, strict=True)
    ]
    assert np.allclose(found, singly, rtol=1e-12)


def test_a_group_that_spans_more_axes_has_more_links() -> None:
    times = [seconds("all_gather", CUBE, ranks=r, size=1e10) for r in (4.0, 16.0, 64.0)]
    # 3/4, 15/16 and 63/64 of the array over 2, 4 and 6 links.
    shares = [3 / 4 / 2, 15 / 16 / 4, 63 / 64 / 6]
    for time, share in zip(times, shares, strict=True):
        assert time == pytest.approx(share * 1e10 / 1e11, rel=1e-3)


def test_a_strided_group_uses_the_axis_that_is_left() -> None:
    uneven = values(CUBE, ranks=4.0, stride=16.0) | {"link[z].bandwidth": 5e10}
    plan = collective_plan("all_reduce", CUBE)
    assert plan.time.bind(uneven) == pytest.approx(2 * 0.75e8 / 1e11, rel=0.1)
    inner = plan.time.bind(uneven | {"stride": 1.0})
    assert isinstance(inner, float)
    assert inner == pytest.approx(0.75e8 / 1e11, rel=0.1)


def test_interleaved_groups_share_a_ring() -> None:
    ring = made("torus", x=8)
    whole = seconds("all_gather", ring, ranks=8.0, size=1e10)
    shared = seconds("all_gather", ring, ranks=4.0, stride=2.0, size=1e10)
    assert shared / whole == pytest.approx(2 * (3 / 4) / (7 / 8), rel=1e-3)


def test_beyond_a_domain_the_network_decides() -> None:
    pod = ALL["nvlink domains"]
    slow = values(pod) | {"link[scale_out].bandwidth": 1e9}
    plan = collective_plan("all_reduce", pod).time
    inside = plan.bind(slow | {"ranks": 8.0})
    across = plan.bind(slow | {"ranks": 16.0})
    assert isinstance(inside, float)
    assert isinstance(across, float)
    assert across == pytest.approx(1e8 / 8 / 1e9, rel=0.01)
    assert inside < across / 5
    # Data-parallel replicas of whole domains share nothing but the network.
    replicas = plan.bind(slow | {"ranks": 2.0, "stride": 8.0})
    assert replicas == pytest.approx(1e8 / 1e9, rel=0.01)


def test_a_tapered_tier_slows_an_exchange_and_spares_a_ring() -> None:
    flat = made("fat_tree", endpoints=1024, radix=64, down=32, up=32)
    tapered = made("fat_tree", endpoints=1024, radix=64, down=32, up=8)
    for operation, factor in (("all_to_all", 4 * (1 - 32 / 1024)), ("all_reduce", 1)):
        group = {"ranks": 1024.0, "size": 1e12}
        ratio = seconds(operation, tapered, **group) / seconds(operation, flat, **group)
        assert ratio == pytest.approx(factor, rel=1e-3)
    # Groups with one rank under each leaf all leave it at once.
    alone = {"ranks": 16.0, "stride": 32.0, "size": 1e12}
    ratio = seconds("all_reduce", tapered, **alone) / seconds(
        "all_reduce", flat, **alone
    )
    assert ratio == pytest.approx(4, rel=1e-3)


def test_serial_and_pipelined_phases_are_the_two_ends() -> None:
    pod = ALL["nvlink domains"]
    plan = collective_plan("all_reduce", pod).time
    group = values(pod, ranks=64.0)
    inside = plan.bind(group | {"link[scale_out].bandwidth": 1e30, "size": 1e10})
    across = plan.bind(group | {"link[port].bandwidth": 1e30, "size": 1e10})
    both = [plan.bind(group | {"library.overlap": o, "size": 1e10}) for o in (0, 1)]
    assert both[0] == pytest.approx(inside + across, rel=1e-3)
    assert both[1] == pytest.approx(max(inside, across), rel=1e-3)


def test_the_library_decides_which_algorithms_there_are() -> None:
    rings = Library(frozenset({"ring"}))
    plan = collective_plan("all_reduce", ALL["switch"], rings)
    assert [found.name for found in plan.candidates] == ["ring"]
    every = collective_plan("all_reduce", ALL["switch"])
    names = {found.name for found in every.candidates}
    assert {"ring", "tree", "double_tree", "in_network", "recursive"} <= names


def test_the_quickest_algorithm_is_named_and_changes_with_the_size() -> None:
    plan = collective_plan("all_reduce", NETWORK)
    grown = [
        plan.fastest(values(NETWORK, ranks=64.0, size=10.0**e)) for e in range(1, 11)
    ]
    names = dict.fromkeys(name for name, _ in grown)
    assert len(names) > 1
    assert all(a[1] <= b[1] for a, b in pairwise(grown))


def test_an_unknown_operation_is_a_bug() -> None:
    with pytest.raises(ValueError, match="none of"):
        collective_plan("gossip", CUBE)


MESH = made("full_mesh", endpoints=8)
#: Bytes on the busiest link, over the message, by operation, algorithm and ranks.
ON_A_LINK = {
    ("point_to_point", "direct", 2): 1,
    ("all_reduce", "ring", 2): 1,
    ("all_reduce", "ring", 8): 2 / 8,
    ("all_reduce", "two_step", 4): 2 / 4,
    ("all_reduce", "mesh", 4): 1,
    ("all_reduce", "recursive", 8): 14 / 8,
    ("all_gather", "mesh", 4): 1 / 4,
    ("all_to_all", "direct", 2): 1 / 2,
    ("all_to_all", "direct", 8): 1 / 8,
    ("all_to_all", "pairwise", 8): 7 / 8,
    ("broadcast", "chain", 8): 1 / 7,
    ("broadcast", "tree", 8): 3,
}


@pytest.mark.parametrize(("operation", "name", "ranks"), ON_A_LINK)
@pytest.mark.parametrize("stride", [1, 2])
def test_a_group_of_a_full_mesh_has_the_links_between_its_ranks(
    operation: str, name: str, ranks: int, stride: int
) -> None:
    if ranks * stride > MESH.endpoints:
        return
    found = {c.name: c.time for c in collective_plan(operation, MESH).candidates}
    given = values(MESH, ranks=float(ranks), stride=float(stride), size=1e12)
    given["link[x].latency"] = 0.0
    assert found[name].bind(given) == pytest.approx(
        10 * ON_A_LINK[operation, name, ranks]
    )


def test_rows_of_peers_exchange_over_the_axis_with_least_room() -> None:
    """Of 4 by 2, a pair along y carries half of a rank's buffer, one along x 1/4."""
    rows = made("hyperx", x=4, y=2)
    direct = collective_plan("all_to_all", rows).candidates[0]
    given = values(rows, size=1e12)
    for axis in rows.axes:
        given[f"link[{axis}].latency"] = 0.0
    assert direct.time.bind(given) == pytest.approx(10 / 2)
    given["link[x].bandwidth"] = 1e11 / 4
    assert direct.time.bind(given) == pytest.approx(40 / 4)


def test_a_message_leaves_a_board_of_a_hammingmesh_in_one_direction() -> None:
    """A rank's rate is that of four directions; a ring uses them, a message one."""
    ring, one = (
        seconds(operation, ALL["hammingmesh"], ranks=2.0, size=1e12)
        for operation in ("all_reduce", "point_to_point")
    )
    assert one == pytest.approx(4 * ring, rel=1e-3)
