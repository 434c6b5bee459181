"""Switched networks: endpoints on tiers of switches, any two reach each other.

One class serves fat-trees, dragonflies and their like: a builder works out counts,
and says how far each tier tapers. A rank's ports are one class of links, `port`; its
bandwidth is that of all ports of the rank together.
"""

import attrs

from isocost.engine.formulas import network, network_layout
from isocost.engine.topology.base import (
    Apply,
    Candidate,
    Counts,
    Cut,
    Group,
    Library,
    Need,
)
from isocost.engine.topology.flat import flat_candidates, in_network_candidates, in_turn
from isocost.engine.topology.needs import reached, ringed

PORT = "port"


@attrs.frozen
class Tier:
    """Switches of one tier: endpoints under one of them, and its taper upwards.

    `taper` is ports down over ports up, counted from the endpoints: what is left of
    an endpoint's rate above this tier is one `taper`-th. A text is a need: a taper that
    is measured, not built.
    """

    name: str
    under: int
    taper: float | str = 1.0


@attrs.frozen
class Fabric:
    """A switched network as counts; see `Topology` for what they mean.

    `cables` are links by tier; `free` ports that no link uses. `severed` is the
    bisection in units of an endpoint's rate, half of the endpoints under full switches.
    `ways` are the directions among which that rate is divided: a message to one other
    has one of them. `hashed` says that flows go up by a hash (ECMP) instead of where
    there is room. `drawn` names how reports draw it (in tiers if a builder says
    nothing), `parts` holds what that drawing counts.
    """

    kind: str
    endpoints: int
    cables: Counts
    switches: Counts
    tiers: tuple[Tier, ...]
    severed: float
    diameter: int
    planes: int = 1
    rails: int = 1
    reduces: bool = False
    free: Counts = attrs.field(factory=dict)
    hashed: bool = False
    ways: int = 1
    drawn: str = "tiers"
    parts: Counts = attrs.field(factory=dict)

    @property
    def axes(self) -> tuple[str, ...]:
        """One class: the ports of a rank."""
        return (PORT,)

    @property
    def links(self) -> Counts:
        """Cables by tier."""
        return self.cables

    @property
    def ports(self) -> Counts:
        """One port of an endpoint for each plane."""
        return {PORT: self.planes}

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The one cut in halves."""
        return ({PORT: self.severed},)

    def group(self, ranks: int, stride: int = 1) -> Group:
        """The extent of a group on each tier: ranks, then switches that it reaches."""
        extents, inner = {}, 1
        for tier in self.tiers:
            far = min(ranks * stride, tier.under)
            extents[tier.name] = max(1, -(-far // max(stride, inner)))
            inner = tier.under
        return Group(extents)

    def _taper(self, tier: Tier) -> Need:
        """The taper above a tier, with what a hash makes of it."""
        if not self.hashed or isinstance(tier.taper, str):
            return tier.taper
        args: dict[str, Need] = {"taper": tier.taper, "under": tier.under}
        return Apply(network.hashed_taper, {**args, "flows": f"library[{PORT}].flows"})

    def through(self, rate: Need, *, exchange: bool) -> Need:
        """The rate of a rank through every tapered tier that its group crosses."""
        for tier in self.tiers[:-1]:
            taper = self._taper(tier)
            if isinstance(taper, float) and taper <= 1:
                continue
            place: dict[str, Need] = {"inner": 1, "length": tier.under}
            args: dict[str, Need] = {"ranks": "ranks", "stride": "stride", **place}
            through: dict[str, Need] = {
                "rate": rate,
                "ranks": "ranks",
                "members": Apply(network_layout.axis_extent, args),
                "taper": taper,
            }
            formula = (
                network.exchange_through_tier if exchange else network.ring_through_tier
            )
            rate = Apply(formula, through)
        return rate

    def _one_way(self, operation: str, found: Candidate) -> Candidate:
        """An algorithm, at one direction's rate where it sends to one at a time."""
        if self.ways == 1 or not in_turn(operation, found.name):
            return found
        rate = found.time.args["rate"]
        args: dict[str, Need] = {"bandwidth": rate, "ports": 1 / self.ways}
        one = Apply(network.ports_rate, args)
        return attrs.evolve(
            found, time=Apply(found.time.formula, {**found.time.args, "rate": one})
        )

    def collectives(self, operation: str, library: Library) -> tuple[Candidate, ...]:
        """The flat algorithms at the rate that is left through the tiers."""
        exchange = operation == "all_to_all"
        plain = reached(PORT, "exchange") if exchange else ringed(PORT, "ranks")
        rate = self.through(plain, exchange=exchange)
        found = flat_candidates(operation, PORT, "ranks", rate=rate)
        found = tuple(self._one_way(operation, one) for one in found)
        if self.reduces:
            found += in_network_candidates(operation, PORT, "ranks")
        return library.keep(found)
