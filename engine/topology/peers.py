"""Endpoints that are wired to each other: a full mesh, alone or of each row of a grid.

Every pair of a row has links of its own. Two ranks have no more than theirs; a group
of `r` in one row uses `r - 1` links of each rank, and no other group uses those. Rings
use all of them: the complete directed graph splits into one a link, in parts for 4 and
6 ranks (Tillson 1980, doi:10.1016/0095-8956(80)90044-1).
"""

import math

import attrs

from isocost.engine.formulas import network
from isocost.engine.formulas import network_layout as layout
from isocost.engine.topology.base import (
    Apply,
    Candidate,
    Counts,
    Cut,
    Group,
    Library,
    Need,
)
from isocost.engine.topology.flat import flat_candidates, in_turn
from isocost.engine.topology.needs import reached, ringed
from isocost.engine.topology.registry import topology

AXES = ("x", "y", "z")
#: Algorithms in which each rank sends to all others at once.
_DIRECT = frozenset({"mesh", "two_step", "direct"})


@attrs.frozen
class Peers:
    """Rows of endpoints wired to each other, along one to three axes.

    `trunks` are the parallel links of each pair.
    """

    lengths: tuple[int, ...]
    trunks: int = 1
    kind: str = "full_mesh"
    rails: int = 1

    @property
    def axes(self) -> tuple[str, ...]:
        """`x`, `y`, `z`, as many as there are."""
        return AXES[: len(self.lengths)]

    @property
    def endpoints(self) -> int:
        """Chips."""
        return math.prod(self.lengths)

    def _sides(self) -> tuple[tuple[str, int], ...]:
        return tuple(zip(self.axes, self.lengths, strict=True))

    @property
    def links(self) -> Counts:
        """One link (or `trunks`) for each pair of a row."""
        return {
            axis: self.endpoints * (length - 1) // 2 * self.trunks
            for axis, length in self._sides()
        }

    @property
    def ports(self) -> Counts:
        """Links to all others of a row."""
        return {axis: (length - 1) * self.trunks for axis, length in self._sides()}

    @property
    def switches(self) -> Counts:
        """None."""
        return {}

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """For each axis, the links of every pair whose ends a cut across it parts.

        Odd axes have no cut in halves across them alone; where all are odd, the cut
        next to the middle stands in.
        """
        odd = all(length % 2 for length in self.lengths)
        return tuple(
            {axis: self._parted(length)}
            for axis, length in self._sides()
            if length % 2 == 0 or odd
        )

    def _parted(self, length: int) -> int:
        rows = self.endpoints // length
        return rows * (length // 2) * (length - length // 2) * self.trunks

    @property
    def diameter(self) -> int:
        """One link for each axis."""
        return sum(length > 1 for length in self.lengths)

    def group(self, ranks: int, stride: int = 1) -> Group:
        """The extent of a group on each axis, the first axis filled first."""
        extents, inner = {}, 1
        for axis, length in self._sides():
            outer = inner * length
            near = max(stride, inner)
            extents[axis] = max(1, -(-min(ranks * stride, outer) // near))
            inner = outer
        return Group(extents)

    def collectives(self, operation: str, library: Library) -> tuple[Candidate, ...]:
        """The flat algorithms, each at the rate of the links that it uses at once."""
        exchange = operation == "all_to_all"
        pair = self._each(exchange=exchange, together=False)
        one = Apply(layout.rate_slowest, pair)
        every = Apply(layout.rate_together, self._each(exchange=False, together=True))
        spread = Apply(layout.peers_exchange_rate, {"ranks": "ranks", **pair})
        steps = self._steps()
        step = Apply(layout.path_longest, steps)
        path = Apply(layout.path_across, steps)
        found = []
        for name, time in (
            (c.name, c.time)
            for c in flat_candidates(operation, self.axes[0], "ranks", rate=one)
        ):
            args: dict[str, Need] = {"latency": step}
            if operation == "point_to_point":
                args["latency"] = path
            elif name in _DIRECT:
                args = {"rate": spread, "latency": path}
            elif not in_turn(operation, name):
                args["rate"] = every
            found.append(Candidate(name, Apply(time.formula, {**time.args, **args})))
        return library.keep(tuple(found))

    def _each(self, *, exchange: bool, together: bool) -> dict[str, Need]:
        """`extent_x`, `rate_x`, …: of one pair's links, or of all links of a rank."""
        sides: dict[str, Need] = {}
        for slot, (axis, extent) in zip(AXES, self._extents(), strict=False):
            if together:
                args: dict[str, Need] = {"rate": ringed(axis, extent)}
                args |= {"extent": extent, "trunks": self.trunks}
                rate: Need = Apply(layout.peers_rate, args)
            else:
                plain = reached(axis, "exchange" if exchange else "efficiency")
                args = {"ports": self.trunks, "bandwidth": plain}
                rate = Apply(network.ports_rate, args)
            sides |= {f"extent_{slot}": extent, f"rate_{slot}": rate}
        for slot in AXES[len(self.lengths) :]:
            sides |= {f"extent_{slot}": 1.0, f"rate_{slot}": sides["rate_x"]}
        return sides

    def _steps(self) -> dict[str, Need]:
        """`path_x`, …: the latency of one link of each axis that the group uses."""
        steps: dict[str, Need] = dict.fromkeys((f"path_{slot}" for slot in AXES), 0.0)
        for slot, (axis, extent) in zip(AXES, self._extents(), strict=False):
            args: dict[str, Need] = {"latency": f"link[{axis}].latency"}
            seat: dict[str, Need] = {"interleave": 1.0, "length": 1.0, "closes": 0.0}
            args |= {"extent": extent, **seat}
            steps[f"path_{slot}"] = Apply(layout.axis_step, args)
        return steps

    def _extents(self) -> tuple[tuple[str, Apply], ...]:
        """Each axis with the extent of the group on it."""
        found, inner = [], 1
        for axis, length in self._sides():
            place: dict[str, Need] = {"stride": "stride", "inner": inner}
            args: dict[str, Need] = {"ranks": "ranks", **place, "length": length}
            found.append((axis, Apply(layout.axis_extent, args)))
            inner *= length
        return tuple(found)


@topology
def full_mesh(endpoints: int, trunks: int = 1) -> Peers:
    """Every endpoint wired to each other, by `trunks` parallel links a pair.

    Args:
        endpoints: Chips of the mesh; left out, those of the system.
        trunks: Parallel links of a pair.

    Example:
        full_mesh(endpoints = 8)
    """
    return Peers((endpoints,), trunks)
