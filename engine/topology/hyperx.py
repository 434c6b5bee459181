"""HyperX: routers on a grid, each wired to all others of its row in each dimension.

Endpoints may be the routers themselves: chips that are wired to each other.
"""

import math

from isocost.engine.topology.base import Refusal
from isocost.engine.topology.fabric import Fabric, Tier
from isocost.engine.topology.peers import Peers
from isocost.engine.topology.registry import topology


@topology
def hyperx(
    x: int, y: int = 1, z: int = 1, endpoints_per_router: int = 0, trunks: int = 1
) -> Fabric | Peers | Refusal:
    """A HyperX of one to three dimensions.

    Args:
        x: Routers along the first dimension.
        y: Routers along the second.
        z: Routers along the third.
        endpoints_per_router: Endpoints of each router; 0 where the endpoints are wired
            to each other themselves, without routers.
        trunks: Parallel links between two routers.

    Example:
        hyperx(x = 4, y = 4)
    """
    sides = [side for side in (x, y, z) if side > 1]
    if min(x, y, z) < 1:
        return Refusal("axis_length", {"axis": "x, y or z", "length": min(x, y, z)})
    if not endpoints_per_router:
        return Peers(tuple(sides) or (1,), trunks, "hyperx")
    routers = math.prod(sides)
    endpoints = routers * endpoints_per_router
    severed = min(
        ((s // 2) * (s - s // 2) * routers // s * trunks for s in sides),
        default=endpoints // 2,
    )
    taper = max(1.0, endpoints / 2 / severed) if severed else 1.0
    lines = sum(routers // s * (s * (s - 1) // 2) for s in sides)
    return Fabric(
        "hyperx",
        endpoints,
        {"port": endpoints, "link": lines * trunks},
        {"router": routers},
        (Tier("router", endpoints_per_router, taper), Tier("system", endpoints)),
        min(endpoints / 2, float(severed)),
        2 + len(sides),
        drawn="grid",
        parts={
            "columns": x,
            "rows": y,
            "layers": z,
            "per_router": endpoints_per_router,
        },
    )
