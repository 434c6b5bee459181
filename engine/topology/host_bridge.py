"""Accelerators on PCIe: pairs behind a bridge, and the hosts' sockets between them."""

from isocost.engine.topology.base import Refusal
from isocost.engine.topology.fabric import Fabric, Tier
from isocost.engine.topology.registry import topology


@topology
def host_bridge(endpoints: int, under: int = 2) -> Fabric | Refusal:
    """Endpoints on PCIe, `under` of them behind each bridge.

    How much of a rank's rate is left between bridges is no matter of ports but of
    the host (sockets, peer-to-peer or copies through memory): the need
    `library[port].crowding`.

    Args:
        endpoints: Chips on the host; left out, those of the system.
        under: Endpoints behind each bridge.

    Example:
        host_bridge(endpoints = 8)
    """
    if endpoints < 1 or under < 1:
        return Refusal("endpoints", {"endpoints": endpoints}, {"endpoints": 1})
    bridges = -(-endpoints // under)
    return Fabric(
        "host_bridge",
        endpoints,
        {"port": endpoints, "bridge": bridges},
        {"bridge": bridges},
        (
            Tier("bridge", under, "library[port].crowding"),
            Tier("host", endpoints),
        ),
        bridges / 2,
        4 if bridges > 1 else 2,
    )
