"""Collectives on a torus of one to three axes (uneven, open or closed).

An axis that a group does not reach has extent 1 and drops out, so the same formula
serves a ring, a plane and a cube. Rates are those of a rank along an axis, both
directions where it closes; `network_layout` derives them.
"""

from isocost.dsl.expr import floor, largest, total, where
from isocost.engine.formula import formula, q
from isocost.engine.formulas.collectives import timed
from isocost.engine.formulas.network_symbols import GROUP, SPREAD, E, take

BUCKET = "Jain, Sabharwal 2010 (bucket algorithm on tori), doi:10.1145/1810085.1810093"
#: Keeps a quotient finite where no axis is in use.
STANDSTILL = q("1e-30 s/B")
BISECTION = "uniform traffic under dimension-ordered routing"
_EACH = "extent_x rate_x extent_y rate_y extent_z rate_z"


@formula(
    "s", SPREAD, source=BUCKET, latex="t", valid=GROUP + "bytes in proportion to rates"
)
def bucket_all_reduce(
    size: E, ranks: E, rate: E, path: E, launch: E, cross: E, damping: E
) -> E:
    """All-reduce that keeps every link of a rank busy.

    The buffer is cut in proportion to the rates of the axes, and each part runs over
    the axes in another order. `rate` is that of all axes together.
    """
    wire = 2 * (ranks - 1) / ranks * size / rate
    return timed(ranks, launch + 2 * path, wire, cross, damping)


@formula(
    "s", SPREAD, source=BUCKET, latex="t", valid=GROUP + "`size` is the whole array"
)
def bucket_all_gather(
    size: E, ranks: E, rate: E, path: E, launch: E, cross: E, damping: E
) -> E:
    """All-gather or reduce-scatter that keeps every link of a rank busy."""
    wire = (ranks - 1) / ranks * size / rate
    return timed(ranks, launch + path, wire, cross, damping)


@formula(
    "B/s",
    take(_EACH),
    source=BUCKET,
    latex="B",
    valid="extent_x >= 1; extent_y >= 1; extent_z >= 1; x, then y, then z",
)
def rate_in_order(
    extent_x: E, rate_x: E, extent_y: E, rate_y: E, extent_z: E, rate_z: E
) -> E:
    """Rate of a rank that uses the links of one axis at a time.

    A reduce-scatter along x leaves `1 / e_x` of the buffer for y, and so on: the
    axes' times add up, each for what the one before it left. A simple library does
    that; `rate_together` is what all links at once would give.
    """
    ranks = extent_x * extent_y * extent_z
    slowness = total(
        (extent_x - 1) / extent_x / rate_x,
        (extent_y - 1) / (extent_x * extent_y) / rate_y,
        (extent_z - 1) / ranks / rate_z,
    )
    rate = (1 - 1 / ranks) / largest(slowness, STANDSTILL)
    return where(ranks > 1, rate, rate_x)


@formula(
    "B",
    take("size extent"),
    source=BISECTION,
    valid=("extent >= 1; rings and lines alike, at the rate that `axis_rate` gives"),
    latex="L",
)
def exchange_load(size: E, extent: E) -> E:
    """Bytes on the busiest link of an axis, for each direction that is used.

    Uniform traffic goes a quarter of the way round a ring on average; the middle
    link of a line carries twice that. Odd rings are a little shorter.
    """
    return size * floor(extent * extent / 4) / extent


@formula(
    "s",
    take(f"size ranks {_EACH} path launch cross damping"),
    source=BISECTION,
    valid=(
        "ranks >= 1; rate_x > 0; rate_y > 0; rate_z > 0; uniform traffic on "
        "shortest ways"
    ),
    latex="t",
)
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


@formula("s", SPREAD, source=BISECTION, latex="t", valid=GROUP + "powers of two")
def hypercube_all_to_all(
    size: E, ranks: E, rate: E, path: E, launch: E, cross: E, damping: E
) -> E:
    """All-to-all on a hypercube: half of a rank's buffer crosses each dimension.

    `rate` is that of one link; the dimensions work side by side.
    """
    return timed(ranks, launch + path, size / (2 * rate), cross, damping)
