"""Where a group of ranks sits on a network, for ranks that vary at run time.

Ranks are numbered along the first axis, then along the second, and so on (the
innermost parallelism takes neighbours). A group holds every `stride`-th rank. Its
extent on each axis, the links it shares with its sister groups and whether it
closes to a ring follow from that; nothing else decides which links a group uses.
"""

from isocost.dsl.expr import both, ceil, floor, largest, log2, smallest, total, where
from isocost.engine.formula import formula, p, q
from isocost.engine.formulas.network_symbols import AXES, E, take

DEFINITION = "row-major placement of ranks"


@formula(
    "1",
    take("ranks stride inner length"),
    source=DEFINITION,
    valid=(
        "stride > 0; inner > 0; groups that divide the axes; others are "
        "rounded up to whole rows"
    ),
    latex="e",
)
def axis_extent(ranks: E, stride: E, inner: E, length: E) -> E:
    """Ranks of a group along one axis.

    The group reaches from `stride` to `ranks * stride` in the numbering; an axis
    covers `inner` to `inner * length` of it; the extent is what they share.
    """
    far = smallest(ranks * stride, inner * length)
    near = largest(stride, inner)
    return ceil(largest(1, far / near))


@formula(
    "1",
    take("ranks stride inner"),
    source=DEFINITION,
    valid=("stride > 0; inner > 0; the outermost axis, which has no end of its own"),
    latex="e",
)
def outer_extent(ranks: E, stride: E, inner: E) -> E:
    """Domains that a group of ranks reaches into."""
    return ceil(largest(1, ranks * stride / largest(stride, inner)))


@formula(
    "1",
    take("stride inner length"),
    source=DEFINITION,
    valid="inner > 0; length >= 1; groups laid side by side along the axis",
    latex="i",
)
def axis_interleave(stride: E, inner: E, length: E) -> E:
    """Places between neighbours of a group on an axis: as many groups share it."""
    return smallest(largest(1, stride / inner), length)


def _closed(extent: E, interleave: E, length: E, closes: E) -> E:
    """Whether the group goes all the way round an axis that is a ring."""
    return both(extent * interleave >= length, closes > 0)


@formula(
    "B/s",
    take("rate extent interleave length closes"),
    source="two directions of a ring; a line has one for each flow",
    valid=(
        "extent >= 1; interleave >= 1; an axis of two has one link, hence closes at 0"
    ),
    latex="B",
)
def axis_rate(rate: E, extent: E, interleave: E, length: E, closes: E) -> E:
    """Rate that a rank reaches along an axis.

    Twice that of a link where the group closes to a ring and sends both ways; the
    links are shared with the groups in between.
    """
    ways = where(_closed(extent, interleave, length, closes), 2, 1)
    return rate * ways / interleave


@formula(
    "s",
    take("latency extent interleave length closes"),
    source="farthest rank of the group",
    valid="extent >= 1; interleave >= 1; the shorter way round",
    latex=r"\lambda",
)
def axis_path(latency: E, extent: E, interleave: E, length: E, closes: E) -> E:
    """Latency across a group along an axis: half way round a ring, all of a line."""
    ring = _closed(extent, interleave, length, closes)
    return latency * interleave * where(ring, floor(extent / 2), extent - 1)


@formula(
    "s",
    take("latency extent interleave length closes"),
    source="neighbour of the group",
    valid="extent >= 1; interleave >= 1; every hop as slow as another",
    latex=r"\lambda",
)
def axis_step(latency: E, extent: E, interleave: E, length: E, closes: E) -> E:
    """Latency between neighbours of a group along an axis; nil where it has one."""
    del length, closes
    return latency * where(extent > 1, interleave, 0)


@formula(
    "s",
    take("path_x path_y path_z"),
    source="axes one after the other",
    valid="one axis after the other",
)
def path_across(path_x: E, path_y: E, path_z: E) -> E:
    """Latency across a group over all its axes."""
    return total(path_x, path_y, path_z)


@formula(
    "s",
    take("path_x path_y path_z"),
    source="axes one after the other",
    valid="axes that work side by side",
)
def path_longest(path_x: E, path_y: E, path_z: E) -> E:
    """The longest of three latencies."""
    return largest(x=path_x, y=path_y, z=path_z)


@formula(
    "B/s",
    {n: AXES[n] for n in AXES if not n.startswith("path")},
    source="links of a rank that its group uses",
    valid=("extent_x >= 1; extent_y >= 1; extent_z >= 1; all axes in use at once"),
    latex="B",
)
def rate_together(
    extent_x: E, rate_x: E, extent_y: E, rate_y: E, extent_z: E, rate_z: E
) -> E:
    """Rate of a rank over all axes on which its group has more than one rank."""
    parts = ((extent_x, rate_x), (extent_y, rate_y), (extent_z, rate_z))
    used = total(*(rate * where(extent > 1, 1, 0) for extent, rate in parts))
    return largest(used, smallest(rate_x, rate_y, rate_z))


@formula(
    "B/s",
    {n: AXES[n] for n in AXES if not n.startswith("path")},
    source="slowest link of a ring through all ranks",
    valid=("extent_x >= 1; extent_y >= 1; extent_z >= 1; one ring over all axes"),
    latex="B",
)
def rate_slowest(
    extent_x: E, rate_x: E, extent_y: E, rate_y: E, extent_z: E, rate_z: E
) -> E:
    """The slowest rate among the axes on which a group has more than one rank."""
    fastest = largest(rate_x, rate_y, rate_z)
    parts = ((extent_x, rate_x), (extent_y, rate_y), (extent_z, rate_z))
    return smallest(*(where(extent > 1, rate, fastest) for extent, rate in parts))


@formula(
    "B/s",
    take("rate extent") | {"trunks": p("1", "n_t", "parallel links of a pair")},
    source="a complete graph: one link for each pair",
    valid="extent >= 1; trunks >= 1; every pair of the group has links of its own",
    latex="B",
)
def peers_rate(rate: E, extent: E, trunks: E) -> E:
    """Rate of a rank over its links to all others of its group on an axis.

    A group of `e` uses `e - 1` of the links that a chip has to its peers.
    """
    return rate * trunks * largest(1, extent - 1)


@formula(
    "B/s",
    take("ranks") | {n: AXES[n] for n in AXES if not n.startswith("path")},
    source="uniform traffic, one axis after the other, on pairs' own links",
    valid=(
        "ranks >= 1; extent_x >= 1; extent_y >= 1; extent_z >= 1; `rate` is that of "
        "one pair's links; a group that fills its rows"
    ),
    latex="B",
)
def peers_exchange_rate(
    ranks: E, extent_x: E, rate_x: E, extent_y: E, rate_y: E, extent_z: E, rate_z: E
) -> E:
    """Rate of a rank that sends to each other of its group at once.

    A pair on an axis of `e` carries `1 / e` of a rank's traffic, so the axis with the
    least `e b` binds; within one row that is all `p - 1` links of a rank.
    """
    parts = ((extent_x, rate_x), (extent_y, rate_y), (extent_z, rate_z))
    widest = largest(*(extent * rate for extent, rate in parts))
    bound = smallest(*(where(e > 1, e * rate, widest) for e, rate in parts))
    return largest(1, ranks - 1) / ranks * bound


@formula(
    "1",
    take("stride inner")
    | {"spacing": p("1", "d", "places of the network between domains")},
    source=DEFINITION,
    valid=(
        "inner > 0; spacing > 0; 1 where each rank of a domain has a rail of its own"
    ),
    latex="s",
)
def outer_stride(stride: E, inner: E, spacing: E) -> E:
    """Places on the network between domains between neighbours of a group."""
    return largest(1, stride / inner) * spacing


_RING = "NCCL, src/graph/tuning.cc (rings through all ranks)"


@formula(
    "B/s",
    {
        "extent": p("1", "g", "ranks of the group in one domain"),
        "inner": p("B/s", "b_i", "rate of a rank to its neighbours in the domain"),
        "outer": p("B/s", "b_o", "rate of a rank into the network between domains"),
    },
    source=_RING,
    valid="extent >= 1; inner > 0; outer > 0; as many rings as a domain has ports",
    latex="B",
)
def ring_through_rate(extent: E, inner: E, outer: E) -> E:
    """Rate of rings that pass through all ranks of all domains of a group.

    Each ring leaves a domain by one port; `g` rings use the ports of `g` ranks, and
    a rank's links inside carry all of them.
    """
    return where(extent > 1, smallest(inside=inner, across=extent * outer), outer)


@formula(
    "s",
    {
        "ranks": p("1", "p", "ranks of the group"),
        "domains": p("1", "k", "domains that it reaches into"),
        "inner": p("s", r"\alpha_i", "time of a step inside a domain"),
        "outer": p("s", r"\alpha_o", "time of a step between domains"),
    },
    source=_RING,
    valid="domains >= 1; ranks >= domains",
    latex=r"\alpha",
)
def ring_through_step(ranks: E, domains: E, inner: E, outer: E) -> E:
    """Mean step of a ring through all ranks: of `p - 1`, `k - 1` leave a domain."""
    others = largest(1, ranks - 1)
    return ((ranks - domains) * inner + (domains - 1) * outer) / others


@formula(
    "1",
    {"domains": p("1", "k", "domains that the group reaches into")} | take("cross"),
    source=f"{_RING}; held-out rows across nodes (docs: accuracy of collectives)",
    valid="domains >= 1; cross >= 0",
    latex=r"\kappa",
)
def ring_through_cross(domains: E, cross: E) -> E:
    """Loss of chunking in a ring through all ranks: none once it leaves a domain.

    Each step hands on one block of the buffer, so nothing is cut to fill a pipeline.
    """
    return where(domains > 1, 0, cross)


@formula(
    "B/s",
    take("rate ranks"),
    source="a hypercube's dimensions",
    valid="ranks >= 1; a group that spans whole dimensions, a power of two",
    latex="B",
)
def hypercube_rate(rate: E, ranks: E) -> E:
    """Rate of a rank over all dimensions that its group spans."""
    return rate * largest(1, log2(ranks))


@formula(
    "s",
    take("latency ranks"),
    source="a hypercube's dimensions",
    valid="ranks >= 1; a group that spans whole dimensions, a power of two",
)
def hypercube_path(latency: E, ranks: E) -> E:
    """Latency across a sub-cube: a step for each dimension."""
    return latency * log2(ranks)


@formula(
    "1",
    {
        "ranks": p("1", "p", "ranks of the group"),
        "rank_chips": p("chip", "n_r", "chips of one rank"),
    },
    source="ranks of one chip share its links",
    valid=(
        "ranks >= 1; rank_chips > 0; what the ranks of one chip exchange "
        "inside it is left out"
    ),
    latex="p",
)
def chips_of_group(ranks: E, rank_chips: E) -> E:
    """Chips that a group of ranks reaches: at least one."""
    return largest(1, ranks * rank_chips / q("1 chip"))


_NEIGHBOURS = {
    "stride": p("1", "s", "ranks between neighbours of the group"),
    "domain": p("1", "D", "ranks of a scale-up domain"),
}


@formula(
    "1",
    {"group": p("1", "n", "ranks of the group")} | _NEIGHBOURS,
    source=DEFINITION,
    valid="group >= 1; stride > 0; domain >= 1; a domain filled in part counts in part",
)
def places_outside(group: E, stride: E, domain: E) -> E:
    """Domains that a group's rings pass through: `max(1, n s / max(D, s))`.

    Neighbours further apart than a domain have one each.
    """
    return largest(1, group * stride / largest(domain, stride))


@formula(
    "1",
    _NEIGHBOURS
    | {
        "rank_chips": p("chip", "c_r", "chips of one rank"),
        "rails": p("1", "R", "rails, each with switches of its own"),
    },
    source=DEFINITION,
    valid="stride > 0; domain >= 1; rails >= 1; one port of a chip in each rail",
)
def ports_between(stride: E, domain: E, rank_chips: E, rails: E) -> E:
    """Ports under a switch from one place of a ring to the next.

    `max(1, max(D, s) c_r / R)`: all ranks of a domain, and of the strides between
    neighbours, have rings of their own beside this one.
    """
    return largest(1, largest(domain, stride) * rank_chips / q("1 chip") / rails)
