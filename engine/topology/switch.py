"""A switch that joins every endpoint: NVLink domains, one-tier networks."""

import attrs

from isocost.engine.topology.base import Candidate, Counts, Group, Library, Refusal
from isocost.engine.topology.flat import flat_candidates, in_network_candidates
from isocost.engine.topology.registry import topology


@attrs.frozen
class Switch:
    """Endpoints on `planes` parallel switches; every pair at the full rate."""

    endpoints: int
    planes: int = 1
    reduces: bool = False
    kind: str = "switch"
    axes: tuple[str, ...] = ("switch",)

    @property
    def links(self) -> Counts:
        """A link from each endpoint to each switch."""
        return {"switch": self.endpoints * self.planes}

    @property
    def ports(self) -> Counts:
        """One port for each plane."""
        return {"switch": self.planes}

    @property
    def switches(self) -> Counts:
        """One switch for each plane."""
        return {"switch": self.planes}

    @property
    def cuts(self) -> tuple[Counts, ...]:
        """The links of one half, in units of an endpoint's whole rate."""
        return ({"switch": self.endpoints // 2},)

    @property
    def diameter(self) -> int:
        """Up and down."""
        return 2

    def group(self, ranks: int, stride: int = 1) -> Group:
        """All ranks share the one class of links."""
        del stride
        return Group({"switch": min(ranks, self.endpoints)})

    def collectives(self, operation: str, library: Library) -> tuple[Candidate, ...]:
        """The flat algorithms, and in-network reduction where the switches have it."""
        found = flat_candidates(operation, "switch", "ranks")
        if self.reduces:
            found += in_network_candidates(operation, "switch", "ranks")
        return library.keep(found)


@topology
def switch(
    endpoints: int, planes: int = 1, radix: int = 0, reduces: int = 0
) -> Switch | Refusal:
    """Endpoints on one tier of switches.

    `radix` 0 leaves the ports of a switch unchecked; `planes` are parallel switches
    with one link of every endpoint each.
    """
    if endpoints < 1:
        return Refusal("endpoints", {"endpoints": endpoints}, {"endpoints": 1})
    if radix and endpoints > radix:
        args = {"endpoints": endpoints, "radix": radix}
        return Refusal("radix", args, {"endpoints": radix, "radix": endpoints})
    return Switch(endpoints, planes, bool(reduces))
