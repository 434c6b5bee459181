"""Closed forms of topologies against networks built link by link."""

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isocost.engine.topology import Refusal, Topology, bisection_plan, build, stack
from isocost.engine.topology.fabric import Fabric
from isocost.engine.topology.refusals import reason
from isocost.engine.topology.registry import TOPOLOGIES, bounds, parameters


def _load(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"network_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


graphs = _load("graphs")


def made(kind: str, **params: int) -> Topology:
    found = build(kind, **params)
    assert not isinstance(found, Refusal), found
    return found


def least_cut(topology: Topology) -> float:
    """The bisection in links, all of rate 1."""
    plan = bisection_plan(topology)
    found = plan.bind(dict.fromkeys(plan.needs(), 1.0))
    assert isinstance(found, float)
    return found


TORI = [
    ((8,), (True,)),
    ((8,), (False,)),
    ((2,), (True,)),
    ((4, 4), (True, True)),
    ((4, 4), (False, False)),
    ((4, 4), (True, False)),
    ((2, 4), (True, True)),
    ((6, 2), (True, True)),
    ((3, 4), (True, True)),
    ((4, 2, 2), (True, True, True)),
    ((2, 2, 4), (True, True, False)),
]


@pytest.mark.parametrize(("lengths", "wraps"), TORI)
def test_a_torus_is_what_its_links_say(
    lengths: tuple[int, ...], wraps: tuple[bool, ...]
) -> None:
    net = graphs.torus(lengths, wraps)
    params = dict(zip("xyz", lengths, strict=False))
    flags = {f"wrap_{a}": int(w) for a, w in zip("xyz", wraps, strict=False)}
    found = made("torus", **params, **flags)
    assert found.endpoints == len(net)
    assert sum(found.links.values()) == graphs.links(net)
    assert found.diameter == graphs.diameter(net)
    assert least_cut(found) == graphs.bisection(net)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4])
def test_a_hypercube_is_what_its_links_say(dimensions: int) -> None:
    net = graphs.hypercube(dimensions)
    found = made("hypercube", dimensions=dimensions)
    assert found.endpoints == len(net)
    assert sum(found.links.values()) == graphs.links(net)
    assert found.diameter == graphs.diameter(net)
    assert least_cut(found) == graphs.bisection(net)


def test_a_torus_of_four_by_four_is_a_hypercube() -> None:
    square = graphs.torus((4, 4), (True, True))
    assert graphs.isomorphic(square, graphs.hypercube(4))
    assert not graphs.isomorphic(graphs.torus((8, 2), (True, True)), square)
    four, cube = made("torus", x=4, y=4), made("hypercube", dimensions=4)
    assert sum(four.links.values()) == sum(cube.links.values())
    assert (four.diameter, least_cut(four)) == (cube.diameter, least_cut(cube))


@pytest.mark.parametrize("sides", [(4,), (4, 2), (4, 4), (2, 2, 4)])
def test_a_hyperx_is_what_its_links_say(sides: tuple[int, ...]) -> None:
    net = graphs.complete_rows(sides)
    params = dict(zip("xyz", sides, strict=False))
    found = made("hyperx", **params, endpoints_per_router=8)
    assert found.switches == {"router": len(net)}
    assert found.links["link"] == graphs.links(net)
    assert found.diameter == graphs.diameter(net) + 2
    assert least_cut(found) == graphs.bisection(net)


@pytest.mark.parametrize("sides", [(8,), (7,), (4, 2), (3, 4), (2, 2, 3)])
def test_chips_wired_to_each_other_are_what_their_links_say(
    sides: tuple[int, ...],
) -> None:
    net = graphs.complete_rows(sides, 2)
    found = made("hyperx", **dict(zip("xyz", sides, strict=False)), trunks=2)
    assert (found.endpoints, found.switches) == (len(net), {})
    assert sum(found.links.values()) == graphs.links(net)
    assert sum(found.ports.values()) == sum(net[0].values())
    assert found.diameter == graphs.diameter(net)
    assert least_cut(found) == graphs.bisection(net)


@pytest.mark.parametrize(("routers", "global_links"), [(2, 1), (4, 2), (6, 3)])
def test_a_dragonfly_is_what_its_links_say(routers: int, global_links: int) -> None:
    net = graphs.dragonfly(routers, global_links)
    found = made(
        "dragonfly",
        endpoints_per_router=global_links,
        routers=routers,
        global_links=global_links,
    )
    assert found.switches == {"router": len(net)}
    assert found.links["local"] + found.links["global"] == graphs.links(net)
    assert found.diameter == graphs.diameter(net) + 2


def test_the_bisection_of_a_tapered_tree_is_that_of_full_leaves() -> None:
    """2,048 endpoints, 48 a leaf with 16 up: 21 full leaves and one more are a half."""
    tree = made("fat_tree", endpoints=2048, radix=64, rails=8, oversubscription=3)
    assert tree.links["leaf"] == 768
    assert least_cut(tree) == pytest.approx(1024 * 16 / 48)
    assert 21 * 16 < least_cut(tree) < 22 * 16


def test_a_group_of_a_dragonfly_has_a_link_for_each_pair_of_routers() -> None:
    """Eight endpoints a router, one link to each of three others: 8 over 3."""
    one = {"global_links": 1, "groups": 1}
    group = made("dragonfly", endpoints_per_router=8, routers=4, **one)
    assert isinstance(group, Fabric)
    assert group.tiers[0].taper == pytest.approx(8 / 3)
    assert least_cut(group) == 4


@pytest.mark.parametrize("q", [5, 13])
def test_a_slim_fly_is_what_its_links_say(q: int) -> None:
    net = graphs.slim_fly(q)
    found = made("slim_fly", q=q)
    assert found.switches == {"router": len(net)}
    assert found.links["link"] == graphs.links(net)
    assert found.diameter == graphs.diameter(net) + 2


@pytest.mark.parametrize(("radix", "leaves"), [(4, 4), (8, 8), (8, 4)])
def test_a_fat_tree_is_what_its_links_say(radix: int, leaves: int) -> None:
    found = made("fat_tree", endpoints=leaves * radix // 2, radix=radix)
    net, endpoints = graphs.fat_tree(radix, leaves, found.switches["spine"])
    assert found.switches["leaf"] == leaves
    assert sum(found.links.values()) == graphs.links(net)
    assert found.diameter == graphs.diameter(net, range(endpoints))
    spine_ends = [sum(net[n].values()) for n in net if n >= endpoints + leaves]
    assert max(spine_ends) <= radix


@pytest.mark.parametrize(
    ("radix", "under"),
    [(4, [4]), (4, [2, 8]), (4, [2, 4, 16]), (8, [4, 16, 128]), (4, [2, 4, 8, 32])],
)
def test_a_tree_of_one_to_four_tiers(radix: int, under: list[int]) -> None:
    net, endpoints = graphs.tree(radix, under)
    found = made("fat_tree", endpoints=endpoints, radix=radix, tiers=len(under))
    assert found.endpoints == endpoints
    assert sum(found.switches.values()) == len(net) - endpoints
    assert sum(found.links.values()) == graphs.links(net)
    assert found.diameter == graphs.diameter(net, range(endpoints))
    ports = [sum(net[node].values()) for node in net if node >= endpoints]
    assert max(ports) <= radix
    assert least_cut(found) == endpoints / 2


def test_a_tree_that_is_partly_filled() -> None:
    whole = made("fat_tree", endpoints=2048, radix=64, tiers=2)
    part = made("fat_tree", endpoints=1000, radix=64, tiers=2)
    assert part.switches["leaf"] == 32  # ceil(1000 / 32)
    assert isinstance(part, Fabric)
    assert sum(part.free.values()) > 0
    assert isinstance(whole, Fabric)
    assert sum(whole.free.values()) == 0


@pytest.mark.parametrize(
    ("columns", "rows", "board"),
    [(2, 2, 1), (4, 4, 2), (3, 2, 2), (3, 3, 3), (2, 3, 4)],
)
def test_a_hammingmesh_is_what_its_links_say(
    columns: int, rows: int, board: int
) -> None:
    net, chips = graphs.hammingmesh(columns, rows, board)
    found = made("hammingmesh", boards_x=columns, boards_y=rows, board=board, planes=1)
    assert found.endpoints == chips
    assert sum(found.links.values()) == graphs.links(net)
    assert found.diameter == graphs.diameter(net, range(chips))


def test_circuits_close_a_torus_of_cubes() -> None:
    net = graphs.torus((4, 4, 8), (True, True, True))
    found = made("optical_torus", x=4, y=4, z=8)
    assert sum(found.links.values()) == graphs.links(net)
    assert found.diameter == graphs.diameter(net)
    assert found.switches == {"circuit": 48}


def test_two_tiers_of_switches_join_planes_one_by_one() -> None:
    found = made("two_tier_switch", endpoints=16, domain=4, planes=1, radix=8)
    net, endpoints = graphs.fat_tree(8, 4, found.switches["second"])
    assert sum(found.switches.values()) == len(net) - endpoints
    assert sum(found.links.values()) == graphs.links(net)
    assert found.diameter == graphs.diameter(net, range(endpoints))
    racks = made("tor", endpoints=16, rack=4, radix=8)
    assert sum(racks.links.values()) == graphs.links(net)


def test_a_group_fills_the_first_axis_first() -> None:
    cube = made("torus", x=4, y=4, z=4)
    assert cube.group(4).axes == ("x",)
    assert cube.group(16).axes == ("x", "y")
    assert cube.group(64).axes == ("x", "y", "z")
    assert cube.group(1).axes == ()
    assert dict(cube.group(4, stride=4).extents) == {"x": 1, "y": 4, "z": 1}
    assert dict(cube.group(2, stride=2).interleaves) == {"x": 2, "y": 1, "z": 1}


def test_a_group_leaves_its_domain_when_it_is_full() -> None:
    whole = stack(
        made("torus", x=4, y=4), made("fat_tree", endpoints=1024, radix=64, rails=16)
    )
    assert whole.group(16).axes == ("x", "y")
    assert whole.group(32).axes == ("x", "y", "scale_out.leaf")
    assert whole.group(4, stride=16).axes == ("scale_out.leaf",)
    assert whole.endpoints == 1024
    assert whole.switches["scale_out.leaf"] == 32


REFUSED = [
    ("switch", {"endpoints": 100, "radix": 72}, "radix", {"endpoints": 72}),
    ("fat_tree", {"endpoints": 4096, "radix": 64}, "radix", {"tiers": 3}),
    ("fat_tree", {"endpoints": 64, "radix": 64, "down": 60, "up": 8},
     "ports", {"up": 4}),
    ("fat_tree", {"endpoints": 64, "radix": 64, "tiers": 5}, "tiers", {"tiers": 4}),
    ("slim_fly", {"q": 6}, "order", {"q": 5}),
    ("optical_torus", {"x": 16, "y": 24, "z": 28, "ports": 288}, "ports",
     {"ports": 336}),
    ("hypercube", {"dimensions": -1}, "bounds", {"dimensions": 0}),
    ("torus", {"x": 0}, "bounds", {"x": 1}),
    ("two_tier_switch", {"endpoints": 99, "domain": 40, "planes": 1, "radix": 64},
     "radix", {"domain": 32}),
    ("dragonfly", {"endpoints_per_router": 2, "routers": 4, "global_links": 2,
     "groups": 12}, "ports", {"groups": 9}),
    ("hammingmesh", {"boards_x": 4096, "boards_y": 4}, "radix", {"boards_x": 1024}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "params", "code", "nearest"), REFUSED)
def test_what_does_not_fit_is_refused_with_what_would(
    kind: str, params: dict[str, int], code: str, nearest: dict[str, int]
) -> None:
    found = build(kind, **params)
    assert isinstance(found, Refusal)
    assert found.code == code
    assert nearest.items() <= found.nearest.items()
    changed = {name: v for name, v in nearest.items() if isinstance(v, int)}
    assert not isinstance(build(kind, **(params | changed)), Refusal)


def test_an_unknown_name_is_refused() -> None:
    for found, code in (
        (build("moebius"), "unknown_topology"),
        (build("torus", x=4, w=3), "unknown_parameter"),
        (build("torus", y=4), "missing_parameter"),
    ):
        assert isinstance(found, Refusal)
        assert found.code == code


def test_the_registry_names_the_parameters() -> None:
    assert parameters("torus")["x"] is None
    assert parameters("torus")["y"] == 1
    expected = {
        "full_mesh",
        "torus",
        "mesh",
        "optical_torus",
        "hypercube",
        "switch",
        "tor",
    }
    expected |= {"two_tier_switch", "fat_tree", "dragonfly", "hyperx", "hammingmesh"}
    assert expected | {"slim_fly", "host_bridge"} <= set(TOPOLOGIES)


ODD = (-2.0, -1.0, 0.0, 0.25, 1.0, 2.0, 2.5, 3.0, 8.0, 64.0, 1e15, math.nan)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, float]]:
    kind = draw(st.sampled_from(sorted(TOPOLOGIES)))
    chosen: dict[str, float] = {}
    for name, default in parameters(kind).items():
        if default is None or draw(st.booleans()):
            chosen[name] = draw(st.sampled_from(ODD))
    return kind, chosen


@settings(max_examples=300, deadline=None)
@given(calls())
def test_any_parameters_give_a_network_or_a_reason(
    call: tuple[str, dict[str, float]],
) -> None:
    kind, params = call
    found = build(kind, **params)
    if isinstance(found, Refusal):
        assert reason(found)
        return
    for name, limits in bounds(kind).items():
        value = params.get(name, limits.least)
        assert limits.least <= value <= limits.most
        assert not limits.whole or value == int(value)
    cables = found.cables.values() if isinstance(found, Fabric) else ()
    counted = [*found.switches.values(), *cables, found.endpoints]
    assert all(n >= 0 for n in counted)
    assert found.endpoints >= 1


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("oversubscription", -2, "bounds"),
        ("oversubscription", 0, "bounds"),
        ("planes", 0, "bounds"),
        ("endpoints", -1, "bounds"),
        ("rails", 0, "bounds"),
        ("radix", 1e15, "bounds"),
        ("tiers", 2.5, "whole"),
        ("top_oversubscription", 0, "bounds"),
    ],
)
def test_a_parameter_out_of_its_bounds_is_named(
    name: str, value: float, code: str
) -> None:
    found = build("fat_tree", **({"endpoints": 64, "radix": 64} | {name: value}))
    assert isinstance(found, Refusal)
    assert found.code == code
    assert f"`{name}`" in reason(found)
