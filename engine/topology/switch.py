"""One tier of switches that joins every endpoint, and two tiers of them (NVLink)."""

from isocost.engine.topology.base import Refusal
from isocost.engine.topology.fabric import Fabric, Tier
from isocost.engine.topology.registry import topology


@topology
def switch(
    endpoints: int, planes: int = 1, radix: int = 0, reduces: int = 0
) -> Fabric | Refusal:
    """Endpoints on `planes` parallel switches; every pair at the full rate.

    Args:
        endpoints: Chips on the switches; left out, those of the system.
        planes: Parallel switches; every endpoint has a port on each.
        radix: Ports of a switch; 0 leaves them unchecked.
        reduces: 1 if the switches reduce (NVLink SHARP).

    Example:
        switch(endpoints = 8, planes = 4)
    """
    if endpoints < 1:
        return Refusal("endpoints", {"endpoints": endpoints}, {"endpoints": 1})
    if radix and endpoints > radix:
        args = {"endpoints": endpoints, "radix": radix}
        return Refusal("radix", args, {"endpoints": radix, "radix": endpoints})
    return Fabric(
        "switch",
        endpoints,
        {"port": endpoints * planes},
        {"switch": planes},
        (Tier("switch", endpoints),),
        endpoints / 2,
        2,
        planes=planes,
        reduces=bool(reduces),
        free={"switch": planes * (radix - endpoints)} if radix else {},
    )


@topology
def two_tier_switch(
    endpoints: int, domain: int, planes: int, radix: int, reduces: int = 0
) -> Fabric | Refusal:
    """Domains of endpoints whose switches meet in a second tier (NVLink at scale).

    A domain of `domain` endpoints has one switch a plane with as many ports up as
    down; the second tier joins the planes, one by one.

    Args:
        endpoints: Chips on the switches; left out, those of the system.
        domain: Endpoints of a domain.
        planes: Parallel switches of a domain; every endpoint has a port on each.
        radix: Ports of a switch.
        reduces: 1 if the switches reduce (NVLink SHARP).

    Example:
        two_tier_switch(endpoints = 64, domain = 8, planes = 4, radix = 32)
    """
    if 2 * domain > radix:
        args = {"domain": domain, "radix": radix}
        return Refusal("radix", args, {"domain": radix // 2, "radix": 2 * domain})
    domains = -(-endpoints // domain)
    if domains > radix:
        most = radix * domain
        args = {"endpoints": endpoints, "most": most, "radix": radix}
        return Refusal("endpoints", args, {"endpoints": most})
    above = -(-domains * domain // radix)
    return Fabric(
        "two_tier_switch",
        endpoints,
        {"port": endpoints * planes, "up": domains * domain * planes},
        {"first": domains * planes, "second": above * planes},
        (Tier("first", domain), Tier("second", endpoints)),
        endpoints / 2,
        4,
        planes=planes,
        reduces=bool(reduces),
        free={
            "first": planes * (domains * (radix - domain) - endpoints),
            "second": planes * (above * radix - domains * domain),
        },
    )
