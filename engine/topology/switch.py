"""One tier of switches that joins every endpoint, and two tiers of them (NVLink)."""

from isocost.engine.topology.base import Refusal
from isocost.engine.topology.fabric import Fabric, Tier
from isocost.engine.topology.registry import topology


@topology
def switch(
    endpoints: int, planes: int = 1, radix: int = 0, reduces: int = 0
) -> Fabric | Refusal:
    """Endpoints on `planes` parallel switches; every pair at the full rate.

    `radix` 0 leaves the ports of a switch unchecked; `reduces` 1 says that the
    switches can reduce (NVLink SHARP).
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
