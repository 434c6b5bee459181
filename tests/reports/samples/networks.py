"""Networks as reports draw them, at 50 GB/s for each chip, and racks."""

from isocost.engine.topology import Refusal, build
from isocost.reports.charts import FULL, Scene
from isocost.reports.charts.racks import Racks
from isocost.reports.charts.topology import Ring, Torus
from isocost.reports.topologies import drawing


def network(kind: str, **params: int) -> Scene:
    """The drawing of a topology."""
    shape = build(kind, **params)
    assert not isinstance(shape, Refusal), shape
    scene = drawing(shape, dict.fromkeys(shape.axes, 50e9), width=FULL)
    assert scene is not None
    return scene


NETWORKS: dict[str, Scene] = {
    "torus_4x4x16": Torus(
        (Ring("x", 4, "128 GB/s"), Ring("y", 4, "128 GB/s"), Ring("z", 16, "64 GB/s"))
    ),
    "fat_tree": network("fat_tree", endpoints=98304, radix=64, tiers=4),
    "fat_tree_rails": network(
        "fat_tree", endpoints=24576, radix=64, tiers=3, rails=8, top_oversubscription=7
    ),
    "fat_tree_planes": network(
        "fat_tree", endpoints=32768, radix=512, rails=8, planes=4, oversubscription=3
    ),
    "top_of_rack": network("tor", endpoints=2048, rack=32, tors=4),
    "two_tier_switch": network(
        "two_tier_switch", endpoints=576, domain=72, planes=18, radix=144
    ),
    "dragonfly": network(
        "dragonfly", endpoints_per_router=8, routers=16, global_links=8
    ),
    "slim_fly": network("slim_fly", q=5),
    "hyperx": network("hyperx", x=16, y=16, z=8, endpoints_per_router=16),
    "hammingmesh": network("hammingmesh", boards_x=32, boards_y=32, board=4),
    "racks": Racks(
        64,
        2,
        ("64 racks", "128 systems, 2 a rack", "4 switches on top"),
        trays=9,
        switches=4,
        others=12,
    ),
}
