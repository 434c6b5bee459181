"""Slim Fly: routers on the graphs of McKay, Miller and Siran, two steps apart."""

from isocost.engine.topology.base import Refusal
from isocost.engine.topology.fabric import Fabric, Tier
from isocost.engine.topology.registry import topology

#: Prime powers q = 4 w + d with d in {-1, 0, 1} that give routers of up to 192 ports.
ORDERS = (
    *(3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32, 37, 41, 43, 47),
    *(49, 53, 59, 61, 64, 67, 71, 73, 79, 81, 83, 89, 97, 101, 103, 107, 109, 113),
)


@topology
def slim_fly(q: int, endpoints_per_router: int = 0) -> Fabric | Refusal:
    """A Slim Fly of 2 q^2 routers.

    The bisection is the bound that uniform traffic over all links gives; the graph
    has no closed form of it.

    Args:
        q: A prime power that its graph exists for.
        endpoints_per_router: 0 takes half of a router's links to others, rounded up,
            at which uniform traffic gets the full rate.

    Example:
        slim_fly(q = 5)
    """
    if q not in ORDERS:
        near = min(ORDERS, key=lambda order: (abs(order - q), order))
        return Refusal("order", {"q": q}, {"q": near})
    residue = {1: 1, 3: -1}.get(q % 4, 0)
    degree = (3 * q - residue) // 2
    routers = 2 * q * q
    p = endpoints_per_router or -(-degree // 2)
    links = routers * degree // 2
    endpoints = routers * p
    # Of the other routers, `degree` are one step away and the rest two.
    hops = (degree + 2 * (routers - 1 - degree)) / routers
    share = min(1.0, 2 * links / (endpoints * hops))
    return Fabric(
        "slim_fly",
        endpoints,
        {"port": endpoints, "link": links},
        {"router": routers},
        (Tier("router", p, 1 / share), Tier("system", endpoints)),
        endpoints / 2 * share,
        4,
        drawn="facing",
        parts={"groups": q, "routers": q, "per_router": p},
    )
