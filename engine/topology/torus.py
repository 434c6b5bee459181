"""Tori of one to three axes: uneven, open or closed; meshes are open tori.

An axis of two has one link a pair, not two: the ring of two is a line. An axis that
is not there has length 1.
"""

import math

import attrs

from isocost.engine.topology.base import Candidate, Counts, Cut, Group, Library, Refusal
from isocost.engine.topology.registry import topology
from isocost.engine.topology.torus_plan import torus_candidates

#: The shortest axis that wrap-around links close to a ring.
SHORTEST_RING = 3


@attrs.frozen
class Torus:
    """A torus: the length of each axis, and which close to rings.

    `circuits` are the optical circuit switches between its cubes, if there are any.
    """

    lengths: tuple[int, ...]
    wraps: tuple[bool, ...]
    kind: str = "torus"
    rails: int = 1
    circuits: int = 0

    @property
    def axes(self) -> tuple[str, ...]:
        """`x`, `y`, `z`, as many as there are."""
        return ("x", "y", "z")[: len(self.lengths)]

    @property
    def endpoints(self) -> int:
        """Chips."""
        return math.prod(self.lengths)

    def closes(self, index: int) -> bool:
        """Whether an axis is a ring."""
        return self.wraps[index] and self.lengths[index] >= SHORTEST_RING

    @property
    def links(self) -> Counts:
        """Links along each axis."""
        out = {}
        for index, (axis, length) in enumerate(self._sides()):
            rows = self.endpoints // length
            out[axis] = rows * (length if self.closes(index) else length - 1)
        return out

    def _sides(self) -> tuple[tuple[str, int], ...]:
        return tuple(zip(self.axes, self.lengths, strict=True))

    @property
    def ports(self) -> Counts:
        """Links of an inner chip by axis (the chips at an open end have one less)."""
        return {axis: min(2, length - 1) for axis, length in self._sides()}

    @property
    def switches(self) -> Counts:
        """None, unless optical circuits join cubes: chips are wired to each other."""
        return {"circuit": self.circuits} if self.circuits else {}

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """For each axis that can be halved, the links that a cut across it severs.

        Odd axes have no cut in halves across them alone; if all are odd, the cut
        next to the middle stands in, which leaves the halves one layer apart.
        """
        return tuple(
            {axis: self.endpoints // length * (2 if self.closes(index) else 1)}
            for index, (axis, length) in enumerate(self._sides())
            if length % 2 == 0 or (self._all_odd and length > 1)
        )

    @property
    def _all_odd(self) -> bool:
        return all(length % 2 for length in self.lengths)

    @property
    def diameter(self) -> int:
        """Half way round each ring, all of each line."""
        return sum(
            length // 2 if self.closes(index) else length - 1
            for index, length in enumerate(self.lengths)
        )

    def group(self, ranks: int, stride: int = 1) -> Group:
        """The extent of a group on each axis, the first axis filled first."""
        extents, interleaves, inner = {}, {}, 1
        for axis, length in self._sides():
            outer = inner * length
            near = max(stride, inner)
            extents[axis] = max(1, -(-min(ranks * stride, outer) // near))
            interleaves[axis] = min(max(1, stride // inner), length)
            inner = outer
        return Group(extents, interleaves)

    def collectives(self, operation: str, library: Library) -> tuple[Candidate, ...]:
        """Rings, buckets and direct exchange over the axes that the group reaches."""
        closes = tuple(self.closes(index) for index in range(len(self.lengths)))
        found = torus_candidates(operation, self.axes, self.lengths, closes)
        return library.keep(found)


def _lengths(*sides: int) -> tuple[int, ...] | Refusal:
    """The axes that are there, or why these are none."""
    for axis, length in zip("xyz", sides, strict=False):
        if length < 1:
            return Refusal("axis_length", {"axis": axis, "length": length}, {axis: 1})
    last = max((i for i, length in enumerate(sides) if length > 1), default=0)
    return sides[: last + 1]


@topology
def torus(
    x: int, y: int = 1, z: int = 1, wrap_x: int = 1, wrap_y: int = 1, wrap_z: int = 1
) -> Torus | Refusal:
    """A torus of one to three axes.

    Args:
        x: Endpoints along the first axis.
        y: Endpoints along the second.
        z: Endpoints along the third.
        wrap_x: 1 closes the first axis to a ring, 0 leaves it open.
        wrap_y: The same of the second.
        wrap_z: The same of the third.

    Example:
        torus(x = 4, y = 4, z = 4)
    """
    lengths = _lengths(x, y, z)
    if isinstance(lengths, Refusal):
        return lengths
    wraps = tuple(bool(w) for w in (wrap_x, wrap_y, wrap_z))
    return Torus(lengths, wraps[: len(lengths)])


@topology
def mesh(x: int, y: int = 1, z: int = 1) -> Torus | Refusal:
    """A grid without wrap-around links.

    Args:
        x: Endpoints along the first axis.
        y: Endpoints along the second.
        z: Endpoints along the third.

    Example:
        mesh(x = 4, y = 4)
    """
    lengths = _lengths(x, y, z)
    if isinstance(lengths, Refusal):
        return lengths
    return Torus(lengths, (False,) * len(lengths), "mesh")


@topology
def optical_torus(
    x: int, y: int = 1, z: int = 1, cube: int = 4, ports: int = 0
) -> Torus | Refusal:
    """Cubes whose faces meet in optical circuit switches.

    Like places on the faces of all cubes share a switch, with two ports for each
    cube; the switches close every axis that is a whole number of cubes, and within a
    cube nothing wraps.

    Args:
        x: Endpoints along the first axis.
        y: Endpoints along the second.
        z: Endpoints along the third.
        cube: Endpoints along an edge of a cube.
        ports: Ports of a circuit switch; 0 leaves them unchecked.

    Example:
        optical_torus(x = 8, y = 8, z = 8)
    """
    lengths = _lengths(x, y, z)
    if isinstance(lengths, Refusal):
        return lengths
    cubes = math.prod(-(-length // cube) for length in lengths)
    if ports and 2 * cubes > ports:
        args = {"cubes": cubes, "ports": ports}
        return Refusal("ports", args, {"ports": 2 * cubes})
    face = cube ** (len(lengths) - 1)
    wraps = tuple(length % cube == 0 for length in lengths)
    circuits = face * len(lengths)
    return Torus(lengths, wraps, "optical_torus", circuits=circuits)
