"""Domains on a network between them: a group runs inside first, then across.

The innermost ranks fill a domain; a group that is larger reaches into others, over
the scale-out network. Its collective has a phase of each, which overlap in part.
"""

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import attrs

from isocost.engine.formulas import network_layout as layout
from isocost.engine.formulas.collectives import hierarchical, slowest_boundary
from isocost.engine.formulas.network_messages import split
from isocost.engine.topology.base import (
    Apply,
    Candidate,
    Counts,
    Cut,
    Group,
    Library,
    Need,
    Plan,
    Topology,
)

OUTER = "scale_out"


def outer_axis(axis: str, axes: tuple[str, ...]) -> str:
    """The name in the stack of an axis of the network between domains."""
    return OUTER if len(axes) == 1 else f"{OUTER}.{axis}"


def rebound(found: Apply, values: Mapping[str, Need]) -> Apply:
    """A copy of an application with some of its needs replaced."""

    def changed(value: Need) -> Need:
        if isinstance(value, Apply):
            return rebound(value, values)
        return values.get(value, value) if isinstance(value, str) else value

    return Apply(found.formula, {n: changed(v) for n, v in found.args.items()})


def renamed(needs: Iterable[str], axes: tuple[str, ...]) -> dict[str, Need]:
    """The needs of the network between domains, under its axes' names there."""
    out: dict[str, Need] = {}
    for need in needs:
        owner, bracket, rest = need.partition("[")
        axis, _, field = rest.partition("]")
        if bracket:
            out[need] = f"{owner}[{outer_axis(axis, axes)}]{field}"
    return out


@attrs.frozen
class Stack:
    """`scale_out` joins copies of `scale_up`; its endpoints are single ranks' NICs."""

    scale_up: Topology
    scale_out: Topology
    kind: str = "stack"

    @property
    def rails(self) -> int:
        """Those of the network between domains."""
        return self.scale_out.rails

    @property
    def spacing(self) -> int:
        """Places between two domains' like ranks on the network between them."""
        return max(1, self.domain // self.scale_out.rails)

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
        outer = self.scale_out.axes
        return (*self.scale_up.axes, *(outer_axis(axis, outer) for axis in outer))

    @property
    def links(self) -> Counts:
        """Links of all domains and of the network between them."""
        return self._with_outer(self.scale_up.links, self.scale_out.links, self.domains)

    def _with_outer(self, up: Counts, out: Counts, copies: int) -> Counts:
        """Counts of `copies` domains, then those of the network between them."""
        inside = {name: n * copies for name, n in up.items()}
        return inside | {outer_axis(name, tuple(out)): n for name, n in out.items()}

    @property
    def ports(self) -> Counts:
        """Ports of one endpoint by class."""
        return self._with_outer(self.scale_up.ports, self.scale_out.ports, 1)

    @property
    def switches(self) -> Counts:
        """Switches of all domains and of the network between them."""
        up, out = self.scale_up.switches, self.scale_out.switches
        return self._with_outer(up, out, self.domains)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """A cut between domains, if there are several, else one through the domain."""
        if self.domains == 1:
            return self.scale_up.cuts
        axes = self.scale_out.axes
        return tuple(
            {outer_axis(axis, axes): n for axis, n in cut.items()}
            for cut in self.scale_out.cuts
        )

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
        apart = max(1, stride // self.domain) * self.spacing
        outside = self.scale_out.group(reach, apart).extents
        extents = self._with_outer(inside.extents, outside, 1)
        return Group(extents, dict(inside.interleaves))

    def collectives(self, operation: str, library: Library) -> tuple[Candidate, ...]:
        """The quickest inside, the quickest across, and how the two join."""
        place: dict[str, Need] = {"stride": "stride", "inner": 1, "length": self.domain}
        inner = Apply(layout.axis_extent, {"ranks": "ranks", **place})
        span: dict[str, Need] = {"stride": "stride", "inner": self.domain}
        outer = Apply(layout.outer_extent, {"ranks": "ranks", **span})
        found = self.scale_up.collectives(operation, library)
        across = self.scale_out.collectives(operation, library.outer)
        across = tuple(attrs.evolve(c, time=self._outside(c.time)) for c in across)
        rings = _through(library, (inner, found), (outer, across))
        if rings:
            across = tuple(c for c in across if c.name not in library.through)
        if not across:
            return rings
        up, out = Plan(operation, "", found).time, Plan(operation, "", across).time
        joined = _joined(operation, (inner, up), (outer, out))
        return (Candidate("hierarchical", joined), *rings)

    def _outside(self, found: Apply) -> Apply:
        """A time on the network between domains, with its needs as they are here."""
        found = rebound(found, renamed(found.needs(), self.scale_out.axes))
        apart: dict[str, Need] = {"stride": "stride", "inner": self.domain}
        apart["spacing"] = self.spacing
        return rebound(found, {"stride": Apply(layout.outer_stride, apart)})


Side: TypeAlias = tuple[Apply, tuple[Candidate, ...]]


def _through(library: Library, inside: Side, across: Side) -> tuple[Candidate, ...]:
    """The algorithms that pass through all ranks of all domains at once.

    Each is the one between domains, at the rate and the steps of both networks; it
    has to be there on both.

    Args:
        library: Which algorithms do so.
        inside: The extent of the group in a domain, and the algorithms there.
        across: The domains that it reaches, and the algorithms between them.
    """
    (inner, near), (outer, far) = inside, across
    inner_times = {c.name: c.time for c in near}
    out = []
    for found in far:
        if found.name not in library.through or found.name not in inner_times:
            continue
        here: dict[str, Need] = {"ranks": inner}
        close = rebound(inner_times[found.name], here).args
        there: dict[str, Need] = {"ranks": outer}
        away = rebound(found.time, there).args
        sides: dict[str, Need] = {"inner": close["rate"], "outer": away["rate"]}
        rate = Apply(layout.ring_through_rate, {"extent": inner, **sides})
        steps: dict[str, Need] = {"inner": close["latency"], "outer": away["latency"]}
        step = Apply(
            layout.ring_through_step, {"ranks": "ranks", "domains": outer, **steps}
        )
        cross = Apply(
            layout.ring_through_cross, {"domains": outer, "cross": "library.cross"}
        )
        args = {**found.time.args, "rate": rate, "latency": step, "cross": cross}
        out.append(Candidate(found.name, Apply(found.time.formula, args)))
    return tuple(out)


def reach_of(applied: Apply) -> Apply | None:
    """The domains that a ring through all ranks reaches; None: it is no such ring."""
    step = applied.args.get("latency")
    if not isinstance(step, Apply) or step.formula is not layout.ring_through_step:
        return None
    domains = step.args["domains"]
    return domains if isinstance(domains, Apply) else None


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
    there: dict[str, Need] = {"ranks": outer, "size": out_size}
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
