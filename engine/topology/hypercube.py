"""Hypercubes: two endpoints along each of any number of dimensions."""

import attrs

from isocost.engine.formulas import collectives_exchange as exchange
from isocost.engine.formulas import collectives_flat as flat
from isocost.engine.formulas import collectives_torus as cube
from isocost.engine.formulas import network_layout as layout
from isocost.engine.topology.base import (
    Apply,
    Candidate,
    Counts,
    Cut,
    Group,
    Library,
    Need,
    Refusal,
)
from isocost.engine.topology.needs import JOIN, reached
from isocost.engine.topology.registry import topology

_HALVING = flat.halving_doubling_all_reduce
#: More dimensions than any machine has ports for.
MOST_DIMENSIONS = 24


@attrs.frozen
class Hypercube:
    """A hypercube; all dimensions have the same link."""

    dimensions: int
    kind: str = "hypercube"
    rails: int = 1
    axes: tuple[str, ...] = ("link",)

    @property
    def endpoints(self) -> int:
        """Two to the dimensions."""
        return 1 << self.dimensions

    @property
    def links(self) -> Counts:
        """One link for each endpoint and dimension, shared by two."""
        return {"link": self.dimensions * self.endpoints // 2}

    @property
    def ports(self) -> Counts:
        """One for each dimension."""
        return {"link": self.dimensions}

    @property
    def switches(self) -> Counts:
        """None."""
        return {}

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """All links of one dimension."""
        return ({"link": self.endpoints / 2},)

    @property
    def diameter(self) -> int:
        """Every dimension once."""
        return self.dimensions

    def group(self, ranks: int, stride: int = 1) -> Group:
        """A sub-cube, at any stride that is a power of two."""
        return Group({"link": ranks}, {"link": stride})

    def collectives(self, operation: str, library: Library) -> tuple[Candidate, ...]:
        """Recursive algorithms on one link, buckets on all of them."""
        exchanged = operation == "all_to_all"
        rate = reached("link", "exchange" if exchanged else "efficiency")
        step = "link[link].latency"
        together = Apply(layout.hypercube_rate, {"rate": rate, "ranks": "ranks"})
        path = Apply(layout.hypercube_path, {"latency": step, "ranks": "ranks"})
        common: dict[str, Need] = {"size": "size", "ranks": "ranks", **JOIN}
        one: dict[str, Need] = {**common, "rate": rate, "latency": step}
        spread: dict[str, Need] = {**common, "rate": together, "path": path}
        single: dict[str, Need] = {**common, "rate": rate, "path": path}
        gathers = (
            Candidate("bucket", Apply(cube.bucket_all_gather, spread)),
            Candidate("recursive", Apply(flat.recursive_all_gather, one)),
            Candidate("ring", Apply(flat.ring_all_gather, one)),
        )
        return library.keep(
            {
                "all_reduce": (
                    Candidate("bucket", Apply(cube.bucket_all_reduce, spread)),
                    Candidate("recursive", Apply(_HALVING, one)),
                    Candidate("ring", Apply(flat.ring_all_reduce, one)),
                ),
                "all_gather": gathers,
                "reduce_scatter": gathers,
                "all_to_all": (
                    Candidate("direct", Apply(cube.hypercube_all_to_all, single)),
                ),
                "broadcast": (Candidate("tree", Apply(exchange.tree_broadcast, one)),),
                "point_to_point": (
                    Candidate("direct", Apply(exchange.point_to_point, one)),
                ),
            }[operation]
        )


@topology
def hypercube(dimensions: int) -> Hypercube | Refusal:
    """A hypercube of 2^dimensions endpoints.

    Args:
        dimensions: Links of an endpoint, one along each dimension.

    Example:
        hypercube(dimensions = 4)
    """
    if not 0 <= dimensions <= MOST_DIMENSIONS:
        nearest = min(max(dimensions, 0), MOST_DIMENSIONS)
        return Refusal("order", {"dimensions": dimensions}, {"dimensions": nearest})
    return Hypercube(dimensions)
