"""Top-of-rack designs: a rack of endpoints on its own switches, spines above."""

import attrs

from isocost.engine.topology.base import Refusal
from isocost.engine.topology.fabric import Fabric
from isocost.engine.topology.fat_tree import Shape, assembled
from isocost.engine.topology.registry import topology


@topology
def tor(
    endpoints: int,
    rack: int,
    tors: int = 1,
    radix: int = 64,
    tiers: int = 2,
    oversubscription: float = 1.0,
) -> Fabric | Refusal:
    """Racks of endpoints on top-of-rack switches below a fat-tree.

    Not on rails: all endpoints of a rack share its `tors` switches, with one port on
    each of them.

    Args:
        endpoints: Network ports of one plane: a chip with one NIC has one.
        rack: Endpoints of a rack.
        tors: Top-of-rack switches of a rack.
        radix: Ports of a switch.
        tiers: 1 to 4, the top-of-rack switches being the first.
        oversubscription: Ports down over ports up of a top-of-rack switch.

    Example:
        tor(endpoints = 512, rack = 32, radix = 64)
    """
    up = -(-rack // oversubscription)
    shape = Shape(endpoints, radix, tiers, rack, int(up))
    tree = assembled(shape, planes=tors)
    return tree if isinstance(tree, Refusal) else attrs.evolve(tree, kind="tor")
