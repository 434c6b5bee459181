"""Domains on a network between them: a group runs inside first, then across.

The innermost ranks fill a domain; a group that is larger reaches into others, over
the scale-out network. Its collective has a phase of each, which overlap in part.
"""

import math

import attrs

from isocost.engine.formulas import network_layout as layout
from isocost.engine.formulas.collectives import hierarchical, slowest_boundary
from isocost.engine.formulas.network_messages import split
from isocost.engine.topology.base import (
    Apply,
    Candidate,
    Counts,
    Group,
    Library,
    Need,
    Plan,
    Topology,
)


def rebound(found: Apply, values: dict[str, Need]) -> Apply:
    """A copy of an application with some of its needs replaced."""
    args: dict[str, Need] = {}
    for name, value in found.args.items():
        if isinstance(value, Apply):
            args[name] = rebound(value, values)
        else:
            args[name] = values.get(value, value) if isinstance(value, str) else value
    return Apply(found.formula, args)


@attrs.frozen
class Stack:
    """`scale_out` joins copies of `scale_up`; its endpoints are single ranks' NICs."""

    scale_up: Topology
    scale_out: Topology
    kind: str = "stack"

    @property
    def domain(self) -> int:
        """Endpoints of one scale-up domain."""
        return self.scale_up.endpoints

    @property
    def domains(self) -> int:
        """Copies of the scale-up domain."""
        return math.ceil(self.scale_out.endpoints / self.domain)

    @property
    def endpoints(self) -> int:
        """Chips."""
        return self.scale_out.endpoints

    @property
    def axes(self) -> tuple[str, ...]:
        """Those inside a domain, then those between domains."""
        return (*self.scale_up.axes, *self.scale_out.axes)

    @property
    def links(self) -> Counts:
        """Links of all domains and of the network between them."""
        inside = {axis: n * self.domains for axis, n in self.scale_up.links.items()}
        return inside | dict(self.scale_out.links)

    @property
    def ports(self) -> Counts:
        """Ports of one endpoint by class."""
        return dict(self.scale_up.ports) | dict(self.scale_out.ports)

    @property
    def switches(self) -> Counts:
        """Switches of all domains and of the network between them."""
        inside = {tier: n * self.domains for tier, n in self.scale_up.switches.items()}
        return inside | dict(self.scale_out.switches)

    @property
    def cuts(self) -> tuple[Counts, ...]:
        """A cut between domains, if there are several, else one through the domain."""
        return self.scale_out.cuts if self.domains > 1 else self.scale_up.cuts

    @property
    def diameter(self) -> int:
        """Through the network between the domains, where there are several."""
        if self.domains == 1:
            return self.scale_up.diameter
        return self.scale_out.diameter

    def group(self, ranks: int, stride: int = 1) -> Group:
        """The extents inside the domain, and domains reached on the outer axes."""
        inside = self.scale_up.group(min(ranks, max(1, self.domain // stride)), stride)
        reach = max(1, math.ceil(ranks * stride / max(stride, self.domain)))
        outside = self.scale_out.group(reach)
        return Group(
            dict(inside.extents) | dict(outside.extents), dict(inside.interleaves)
        )

    def collectives(self, operation: str, library: Library) -> tuple[Candidate, ...]:
        """The quickest inside, the quickest across, and how the two join."""
        place: dict[str, Need] = {"stride": "stride", "inner": 1, "length": self.domain}
        inner = Apply(layout.axis_extent, {"ranks": "ranks", **place})
        span: dict[str, Need] = {"stride": "stride", "inner": self.domain}
        outer = Apply(layout.outer_extent, {"ranks": "ranks", **span})
        up = Plan(operation, "", self.scale_up.collectives(operation, library)).time
        across = self.scale_out.collectives(operation, library.outer)
        out = Plan(operation, "", across).time
        joined = _joined(operation, (inner, up), (outer, out))
        return (Candidate("hierarchical", joined),)


def _joined(
    operation: str, inside: tuple[Apply, Apply], across: tuple[Apply, Apply]
) -> Apply:
    """Both phases of a collective, each with the message that it moves.

    Args:
        operation: The collective.
        inside: The extent of the group in a domain, and the time of that phase.
        across: The domains that it reaches, and the time of that phase.
    """
    (inner, up), (outer, out) = inside, across
    up_size: Need = "size"
    out_size: Need = Apply(split, {"size": "size", "ranks": inner})
    if operation == "all_to_all":
        up_size, out_size = Apply(split, {"size": "size", "ranks": outer}), "size"
    if operation == "point_to_point":
        out_size = "size"
    here: dict[str, Need] = {"ranks": inner, "size": up_size}
    there: dict[str, Need] = {"ranks": outer, "size": out_size, "stride": 1.0}
    phases: dict[str, Need] = {
        "scale_up": rebound(up, here),
        "scale_out": rebound(out, there),
    }
    if operation == "point_to_point":
        return Apply(slowest_boundary, {"ranks": outer, **phases})
    return Apply(hierarchical, {**phases, "overlap": "library.overlap"})


def stack(scale_up: Topology, scale_out: Topology | None = None) -> Topology:
    """Domains of `scale_up` on a network; without one, the domain alone."""
    return scale_up if scale_out is None else Stack(scale_up, scale_out)
