"""Rates of networks as a whole: bisection, tapered tiers, scale-out tiers."""

from isocost.dsl.expr import largest, log, smallest, sqrt, where
from isocost.engine.formula import formula, p
from isocost.engine.formulas.network_symbols import E, take

_CUT = {
    "links_a": p("1", "n_a", "links of the first class that the cut severs"),
    "bandwidth_a": p("B/s", "b_a", "rate of one of them, one way"),
    "links_b": p("1", "n_b", "links of the second class that the cut severs"),
    "bandwidth_b": p("B/s", "b_b", "rate of one of them, one way"),
}
_TIER = {
    "members": p("1", "m", "ranks of the group under one switch of the tier"),
    "taper": p("1", "o", "ports down over ports up"),
}
FAT_TREE = "Leiserson 1985; fat-trees with oversubscription"


@formula(
    "B/s",
    _CUT,
    source="definition",
    valid=(
        "links_a >= 0; links_b >= 0; traffic spread over the cut so that "
        "all its links are full"
    ),
    latex="B_2",
)
def severed_rate(links_a: E, bandwidth_a: E, links_b: E, bandwidth_b: E) -> E:
    """Bandwidth of a cut, one way: links of one or two classes at their rates."""
    return links_a * bandwidth_a + links_b * bandwidth_b


@formula(
    "B/s",
    take("rate ranks") | _TIER,
    source=FAT_TREE,
    valid=(
        "ranks >= 1; taper > 0; rings enter a tier's group once for each rank in it"
    ),
    latex="B",
)
def ring_through_tier(rate: E, ranks: E, members: E, taper: E) -> E:
    """Rate of a ring or tree through a tapered tier.

    Only the first and the last member under a switch send out of it, so a taper
    costs nothing while the group has at least that many members there.
    """
    left = smallest(full=1, tapered=largest(1, members) / taper)
    return where(ranks > members, rate * left, rate)


@formula(
    "B/s",
    take("rate ranks") | _TIER,
    source=FAT_TREE,
    valid=("ranks >= 1; taper > 0; uniform traffic, members packed into one group"),
    latex="B",
)
def exchange_through_tier(rate: E, ranks: E, members: E, taper: E) -> E:
    """Rate of an all-to-all through a tapered tier.

    The part of the traffic that leaves the switch, `1 - m / p` of it, has `1 / o` of
    the rate; the rate returned is that of all traffic.
    """
    leaving = largest(0, 1 - members / ranks)
    return where(leaving * taper > 1, rate / largest(1, leaving * taper), rate)


@formula(
    "1",
    {
        "taper": p("1", "o", "ports down over ports up"),
        "under": p("1", "m", "ranks under one switch of the tier"),
        "flows": p("1", "f", "flows of a rank that are hashed apart"),
    },
    source="Raab, Steger 1998, doi:10.1007/3-540-49543-6_13 (balls into bins)",
    valid=(
        "taper >= 1; under >= 1; flows > 0; equal long flows, hashed once; adaptive "
        "routing or spraying needs none of it"
    ),
    latex="o",
)
def hashed_taper(taper: E, under: E, flows: E) -> E:
    """The taper of a tier that spreads flows over its links by a hash.

    `m f` flows fall on `n = m / o` links; the fullest carries about
    `sqrt(2 n ln n / (m f))` more than the mean, and the slowest flow sets the time of
    a collective.
    """
    links = largest(1, under / taper)
    return taper * (1 + sqrt(2 * log(links) / (taper * flows)))


@formula(
    "B/s",
    {
        "degree": p("1", "D", "children of a node of the tier"),
        "bandwidth": p("B/s", "W", "rate from a child to its node, one way"),
    },
    source="scaling-book, GPUs (view of a cluster as a tree)",
    valid="degree > 1; all children send at once",
    latex="W",
)
def tier_gather_rate(degree: E, bandwidth: E) -> E:
    """Rate of an all-gather through one tier of a tree: `D W / (D - 1)`."""
    return degree * bandwidth / (degree - 1)


@formula(
    "B/s",
    {"ports": p("1", "n", "links of one chip along an axis")} | take("bandwidth"),
    source="definition",
    valid="ports >= 0; ports of one rate, all of them in use",
    latex="b",
)
def ports_rate(ports: E, bandwidth: E) -> E:
    """Bandwidth of all links of a chip along one axis, one way."""
    return ports * bandwidth


@formula(
    "1",
    {
        "inner": p("B/s", "b_i", "rate of a chip inside its domain"),
        "outer": p("B/s", "b_o", "rate of a chip to other domains"),
    },
    source="definition",
    valid="outer > 0; both one way",
    latex="b_i/b_o",
)
def rates_apart(inner: E, outer: E) -> E:
    """How much faster a chip talks inside its domain than out of it."""
    return inner / outer
