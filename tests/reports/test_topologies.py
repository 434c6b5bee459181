"""Drawings of topologies: each has one, a new one too, from 8 to 100,000 endpoints."""

import re
from collections.abc import Iterator

import pytest

from isocost.engine.topology import TOPOLOGIES, Refusal, Topology, build, stack
from isocost.engine.topology.fabric import Fabric, Tier
from isocost.engine.topology.registry import topology
from isocost.reports.charts import FULL, HALF, render_svg
from isocost.reports.topologies import counted, drawing

#: A small and a large one of each.
SIZES: dict[str, tuple[dict[str, int], dict[str, int]]] = {
    "torus": ({"x": 8}, {"x": 48, "y": 48, "z": 44}),
    "mesh": ({"x": 2, "y": 4}, {"x": 300, "y": 300}),
    "optical_torus": ({"x": 4, "y": 4}, {"x": 16, "y": 20, "z": 28}),
    "hypercube": ({"dimensions": 3}, {"dimensions": 6}),
    "switch": ({"endpoints": 8}, {"endpoints": 512, "planes": 18}),
    "two_tier_switch": (
        {"endpoints": 16, "domain": 8, "planes": 2, "radix": 16},
        {"endpoints": 576, "domain": 72, "planes": 18, "radix": 144},
    ),
    "fat_tree": (
        {"endpoints": 8, "radix": 8, "tiers": 1},
        {"endpoints": 100_000, "radix": 64, "tiers": 4, "rails": 8, "planes": 2},
    ),
    "tor": ({"endpoints": 64, "rack": 16}, {"endpoints": 2048, "rack": 32, "tors": 4}),
    "dragonfly": (
        {"endpoints_per_router": 1, "routers": 2, "global_links": 1},
        {"endpoints_per_router": 16, "routers": 32, "global_links": 8},
    ),
    "hyperx": (
        {"x": 4, "y": 2},
        {"x": 20, "y": 20, "z": 16, "endpoints_per_router": 16},
    ),
    "full_mesh": ({"endpoints": 8}, {"endpoints": 64, "trunks": 2}),
    "hammingmesh": (
        {"boards_x": 2, "boards_y": 1},
        {"boards_x": 80, "boards_y": 80, "board": 4},
    ),
    "slim_fly": ({"q": 3}, {"q": 37}),
    "host_bridge": ({"endpoints": 8}, {"endpoints": 16, "under": 4}),
}


def made(kind: str, **params: int) -> Topology:
    found = build(kind, **params)
    assert not isinstance(found, Refusal), found
    return found


def words(shape: Topology, width: float = FULL) -> str:
    """The texts of a drawing, with spaces as they are typed."""
    scene = drawing(shape, dict.fromkeys(shape.axes, 50e9), width=width)
    assert scene is not None
    svg = render_svg(scene)
    assert svg == render_svg(scene)
    assert len(svg) < 120_000
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    return " | ".join(re.sub(r"[\u2009\u202f\u00a0]", " ", text) for text in texts)


def test_every_topology_is_drawn() -> None:
    assert set(SIZES) == set(TOPOLOGIES)


@pytest.mark.parametrize("width", [FULL, HALF])
@pytest.mark.parametrize("kind", SIZES)
def test_a_drawing_is_of_bounded_size(kind: str, width: float) -> None:
    for params in SIZES[kind]:
        assert words(made(kind, **params), width)


def test_a_drawing_counts_what_it_leaves_out() -> None:
    tree = words(made("fat_tree", **SIZES["fat_tree"][1]))
    for said in ("100 000 chips, 8 a server", "8 rails", "2 planes", "core switches"):
        assert said in tree
    tapered = {"endpoints": 1024, "radix": 64, "oversubscription": 3}
    assert "3:1" in words(made("fat_tree", **tapered))
    assert "top-of-rack switches" in words(made("tor", **SIZES["tor"][1]))
    fly = made("dragonfly", **SIZES["dragonfly"][1])
    assert "257 groups of 32 routers" in words(fly)
    assert "80 × 80 boards of 4 × 4" in words(
        made("hammingmesh", **SIZES["hammingmesh"][1])
    )


def test_chips_wired_to_each_other_count_their_links() -> None:
    mesh = words(made("full_mesh", endpoints=8))
    assert "8 chips | each wired to each other | 28 links, 50.0 GB/s" in mesh
    rows = words(made("hyperx", x=4, y=2))
    assert "8 chips: 4 × 2" in rows
    assert "12 links along x, 50.0 GB/s | 4 links along y" in rows


def test_uneven_axes_look_uneven() -> None:
    long = words(made("torus", x=4, y=4, z=16))
    assert "z: 16 (6 shown)" in long
    assert "x: 4, " in long
    cube = drawing(made("torus", x=4, y=4, z=4), {})
    tall = drawing(made("torus", x=4, y=4, z=16), {})
    assert cube is not None
    assert tall is not None
    assert render_svg(cube) != render_svg(tall)


def test_a_count_agrees_with_its_noun() -> None:
    assert counted(1, "leaf switches") == "1 leaf switch"
    assert counted(1, "racks") == "1 rack"
    assert counted(2, "racks") == "2 racks"


@pytest.fixture
def star() -> Iterator[str]:
    """A topology as one function, as a module of the package would have it."""

    @topology
    def star(endpoints: int, arms: int = 4) -> Fabric | Refusal:
        """Arms of switches around a hub."""
        if endpoints < arms:
            return Refusal("endpoints", {"endpoints": endpoints}, {"endpoints": arms})
        cables = {"port": endpoints, "arm": arms}
        tiers = (
            Tier("arm", endpoints // arms, endpoints / arms),
            Tier("hub", endpoints),
        )
        switches = {"arm": arms, "hub": 1}
        return Fabric("star", endpoints, cables, switches, tiers, arms / 2, 4)

    yield "star"
    del TOPOLOGIES["star"]


def test_a_topology_is_added_by_one_function(star: str) -> None:
    shape = made(star, endpoints=64)
    assert "4 arm switches" in words(shape)
    assert "1 hub switch" in words(shape)
    joined = stack(made("switch", endpoints=8), shape)
    assert joined.switches["scale_out.hub"] == 1
    refused = build(star, endpoints=2)
    assert isinstance(refused, Refusal)
    assert refused.nearest == {"endpoints": 4}
