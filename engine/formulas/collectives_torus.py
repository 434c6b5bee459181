"""Collectives on a torus of one to three axes (uneven, open or closed).

An axis that a group does not reach has extent 1 and drops out, so the same formula
serves a ring, a plane and a cube. Rates are those of a rank along an axis, both
directions where it closes; `network_layout` derives them.
"""

from isocost.dsl.expr import floor, largest, total
from isocost.engine.formula import Param, formula
from isocost.engine.formulas.collectives import timed
from isocost.engine.formulas.network_symbols import SPREAD, E, take

BUCKET = "Jain, Sabharwal 2010 (bucket algorithm on tori), doi:10.1145/1810085.1810093"
BISECTION = "uniform traffic under dimension-ordered routing"
_EACH = "extent_x rate_x extent_y rate_y extent_z rate_z"


def _after(names: str) -> dict[str, Param]:
    """The parameters of a formula over the axes, then those of the library."""
    return take(f"{names} {_EACH} path launch cross damping")


@formula("s", SPREAD, source=BUCKET, latex="t", valid="bytes in proportion to rates")
def bucket_all_reduce(
    size: E, ranks: E, rate: E, path: E, launch: E, cross: E, damping: E
) -> E:
    """All-reduce that keeps every link of a rank busy.

    The buffer is cut in proportion to the rates of the axes, and each part runs over
    the axes in another order. `rate` is that of all axes together.
    """
    wire = 2 * (ranks - 1) / ranks * size / rate
    return timed(ranks, launch + 2 * path, wire, cross, damping)


@formula("s", SPREAD, source=BUCKET, latex="t", valid="`size` is the whole array")
def bucket_all_gather(
    size: E, ranks: E, rate: E, path: E, launch: E, cross: E, damping: E
) -> E:
    """All-gather or reduce-scatter that keeps every link of a rank busy."""
    wire = (ranks - 1) / ranks * size / rate
    return timed(ranks, launch + path, wire, cross, damping)


def _ordered(
    size: E, sides: tuple[tuple[E, E], ...], outer: E | float = 1
) -> tuple[E, ...]:
    """The time of a reduce-scatter axis by axis, each with what the last one left."""
    parts = []
    for extent, rate in sides:
        parts.append(size / outer * (extent - 1) / extent / rate)
        outer = extent * outer
    return tuple(parts)


@formula("s", _after("size ranks"), source=BUCKET, latex="t", valid="axis by axis")
def ordered_all_reduce(
    size: E,
    ranks: E,
    extent_x: E,
    rate_x: E,
    extent_y: E,
    rate_y: E,
    extent_z: E,
    rate_z: E,
    path: E,
    launch: E,
    cross: E,
    damping: E,
) -> E:
    """All-reduce axis by axis: reduce-scatter along x, y, z, all-gather back.

    Only the links of one axis work at a time, which simple libraries do.
    """
    sides = ((extent_x, rate_x), (extent_y, rate_y), (extent_z, rate_z))
    wire = 2 * total(*_ordered(size, sides))
    return timed(ranks, launch + 2 * path, wire, cross, damping)


@formula("s", _after("size ranks"), source=BUCKET, latex="t", valid="axis by axis")
def ordered_all_gather(
    size: E,
    ranks: E,
    extent_x: E,
    rate_x: E,
    extent_y: E,
    rate_y: E,
    extent_z: E,
    rate_z: E,
    path: E,
    launch: E,
    cross: E,
    damping: E,
) -> E:
    """All-gather or reduce-scatter axis by axis; `size` is the whole array."""
    sides = ((extent_x, rate_x), (extent_y, rate_y), (extent_z, rate_z))
    wire = total(*_ordered(size, sides))
    return timed(ranks, launch + path, wire, cross, damping)


@formula(
    "B",
    take("size extent"),
    source=BISECTION,
    valid="rings and lines alike, at the rate that `axis_rate` gives",
    latex="L",
)
def exchange_load(size: E, extent: E) -> E:
    """Bytes on the busiest link of an axis, for each direction that is used.

    Uniform traffic goes a quarter of the way round a ring on average; the middle
    link of a line carries twice that. Odd rings are a little shorter.
    """
    return size * floor(extent * extent / 4) / extent


@formula("s", _after("size ranks"), source=BISECTION, latex="t")
def torus_all_to_all(
    size: E,
    ranks: E,
    extent_x: E,
    rate_x: E,
    extent_y: E,
    rate_y: E,
    extent_z: E,
    rate_z: E,
    path: E,
    launch: E,
    cross: E,
    damping: E,
) -> E:
    """All-to-all on a torus: the axis with the most traffic for its rate binds.

    `size` is a rank's send buffer with its own block.
    """
    wire = largest(
        x=exchange_load(size, extent_x) / rate_x,
        y=exchange_load(size, extent_y) / rate_y,
        z=exchange_load(size, extent_z) / rate_z,
    )
    return timed(ranks, launch + path, wire, cross, damping)


@formula("s", SPREAD, source=BISECTION, latex="t", valid="powers of two")
def hypercube_all_to_all(
    size: E, ranks: E, rate: E, path: E, launch: E, cross: E, damping: E
) -> E:
    """All-to-all on a hypercube: half of a rank's buffer crosses each dimension.

    `rate` is that of one link; the dimensions work side by side.
    """
    return timed(ranks, launch + path, size / (2 * rate), cross, damping)
