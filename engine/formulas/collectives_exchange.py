"""All-to-all, broadcast and point to point among ranks with equal links."""

from isocost.dsl.expr import ceil, log2
from isocost.engine.formula import formula
from isocost.engine.formulas.collectives import timed
from isocost.engine.formulas.collectives_flat import BRUCK, CHAN, THAKUR
from isocost.engine.formulas.network_symbols import FLAT, GROUP, E


@formula("s", FLAT, source=THAKUR, latex="t", valid=GROUP + "one partner in each step")
def pairwise_all_to_all(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-to-all in `p - 1` steps, one partner in each.

    `size` is a rank's send buffer with its own block, which does not travel.
    """
    wire = (ranks - 1) / ranks * size / rate
    return timed(ranks, launch + (ranks - 1) * latency, wire, cross, damping)


@formula("s", FLAT, source=THAKUR, latex="t", valid=GROUP + "all partners at once")
def direct_all_to_all(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-to-all with all partners at once: two latencies, send and confirm."""
    wire = (ranks - 1) / ranks * size / rate
    return timed(ranks, launch + 2 * latency, wire, cross, damping)


@formula("s", FLAT, source=BRUCK, latex="t", valid=GROUP + "short messages")
def bruck_all_to_all(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """Bruck's all-to-all: `ceil(lg p)` rounds with half of the buffer in each."""
    rounds = ceil(log2(ranks))
    wire = rounds * size / (2 * rate)
    return timed(ranks, launch + rounds * latency, wire, cross, damping)


@formula("s", FLAT, source=THAKUR, latex="t", valid=GROUP + "short messages")
def tree_broadcast(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """Broadcast by a binomial tree: the whole message in each of `lg p` rounds."""
    rounds = ceil(log2(ranks))
    wire = rounds * size / rate
    return timed(ranks, launch + rounds * latency, wire, cross, damping)


@formula("s", FLAT, source=CHAN, latex="t", valid=GROUP + "long messages")
def scatter_broadcast(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """Broadcast as a scatter by a tree and an all-gather on a ring."""
    steps = ceil(log2(ranks)) + ranks - 1
    wire = 2 * (ranks - 1) / ranks * size / rate
    return timed(ranks, launch + steps * latency, wire, cross, damping)


@formula(
    "s", FLAT, source=CHAN, latex="t", valid=GROUP + "chunks much smaller than `size`"
)
def chain_broadcast(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """Broadcast down a chain in chunks: the message once over each link."""
    steps = ranks - 1
    return timed(ranks, launch + steps * latency, size / rate, cross, damping)


@formula(
    "s", FLAT, source=CHAN, latex="t", valid=GROUP + "one rank alone sends nothing"
)
def point_to_point(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """A message from one rank to its neighbour in the group."""
    return timed(ranks, launch + latency, size / rate, cross, damping)
