"""Dragonflies: routers in fully wired groups, groups wired to each other."""

from isocost.engine.topology.base import Refusal
from isocost.engine.topology.fabric import Fabric, Tier
from isocost.engine.topology.registry import topology


def _halved(routers: int) -> int:
    """Links of a group that a cut through its middle severs."""
    return (routers // 2) * (routers - routers // 2)


@topology
def dragonfly(
    endpoints_per_router: int, routers: int, global_links: int, groups: int = 0
) -> Fabric | Refusal:
    """A dragonfly.

    Args:
        endpoints_per_router: Endpoints of a router (p).
        routers: Routers of a group (a), each wired to each other in the group.
        global_links: Links of a router to other groups (h).
        groups: 0 for the most, `a h + 1`, where each pair has one link.

    Example:
        dragonfly(endpoints_per_router = 2, routers = 4, global_links = 2)
    """
    p, a, h = endpoints_per_router, routers, global_links
    most = a * h + 1
    number = groups or most
    if number > most:
        return Refusal("ports", {"groups": number, "most": most}, {"groups": most})
    outgoing = (a * h // (number - 1)) * (number - 1) if number > 1 else 0
    endpoints = a * p * number
    pairs = (number // 2) * (number - number // 2)
    between = outgoing // (number - 1) * pairs if number > 1 else _halved(a)
    between = between if a * number > 1 else p // 2
    taper = max(1.0, a * p / outgoing) if outgoing else 1.0
    # One link to each other router of the group carries what `p` endpoints send there.
    local = max(1.0, p / (a - 1)) if a > 1 else 1.0
    return Fabric(
        "dragonfly",
        endpoints,
        {
            "port": endpoints,
            "local": number * a * (a - 1) // 2,
            "global": number * outgoing // 2,
        },
        {"router": a * number},
        (
            Tier("router", p, local),
            Tier("group", a * p, taper),
            Tier("system", endpoints),
        ),
        min(endpoints / 2, float(between)),
        5 if number > 1 else 3,
        free={"router": number * (a * h - outgoing)},
        drawn="groups",
        parts={"groups": number, "routers": a, "per_router": p},
    )
