"""Collectives among ranks with equal links: a switch, or a ring of one link each.

The textbook algorithms, each with the steps it takes and the bytes it sends over a
rank's link. Reduction is taken to be hidden behind the transfer (it is on every
accelerator here); `recursive_doubling_reduced` shows the term for where it is not.
"""

from isocost.dsl.expr import ceil, floor, log2, where
from isocost.engine.formula import formula
from isocost.engine.formulas.collectives import among, timed
from isocost.engine.formulas.network_symbols import FLAT, GROUP, E, take

THAKUR = "Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521"
CHAN = "Chan et al. 2007, doi:10.1002/cpe.1206"
TREES = "Sanders, Speck, Traeff 2009, doi:10.1016/j.parco.2009.09.001"
BRUCK = "Bruck et al. 1997, doi:10.1109/71.642949"
PAIRED = "AWS Neuron documentation, intra-node collectives (KangaRing)"


def _rounds(ranks: E) -> E:
    """Rounds that reach `ranks` by doubling."""
    return ceil(log2(ranks))


def _folds(ranks: E) -> E:
    """1 if `ranks` is no power of two (two steps more: fold and unfold), else 0."""
    return ceil(log2(ranks)) - floor(log2(ranks))


def _others(ranks: E) -> E:
    """The share of an array that a rank does not hold itself."""
    return (ranks - 1) / ranks


@formula(
    "s", FLAT, source=THAKUR, latex="t", valid=GROUP + "each rank one link, both ways"
)
def ring_all_reduce(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-reduce on a ring: a reduce-scatter, then an all-gather.

    `2 (p - 1)` steps; each rank sends `2 (p - 1) / p` of the buffer.
    """
    wire = 2 * (ranks - 1) / ranks * size / rate
    return timed(ranks, launch + 2 * (ranks - 1) * latency, wire, cross, damping)


@formula("s", FLAT, source=THAKUR, latex="t", valid=GROUP + "`size` is the whole array")
def ring_all_gather(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-gather or reduce-scatter on a ring.

    `p - 1` steps; each rank sends `(p - 1) / p` of the whole array.
    """
    wire = _others(ranks) * size / rate
    return timed(ranks, launch + (ranks - 1) * latency, wire, cross, damping)


@formula("s", FLAT, source=CHAN, latex="t", valid=GROUP + "short messages")
def tree_all_reduce(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-reduce by a binomial tree: reduce to a root, then broadcast."""
    rounds = 2 * _rounds(ranks)
    wire = rounds * size / rate
    return timed(ranks, launch + rounds * latency, wire, cross, damping)


@formula(
    "s", FLAT, source=TREES, latex="t", valid=GROUP + "chunks much smaller than `size`"
)
def double_tree_all_reduce(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-reduce by two binary trees, each for half of the buffer.

    A leaf of one tree is an inner node of the other, so that every rank sends and
    receives the buffer once up and once down; two ranks send it once in all.
    """
    rounds = 2 * _rounds(ranks)
    wire = where(ranks > 2, 2, 1) * size / rate  # noqa: PLR2004 (two ranks)
    return timed(ranks, launch + rounds * latency, wire, cross, damping)


@formula("s", FLAT, source=THAKUR, latex="t", valid=GROUP + "short messages")
def recursive_doubling_all_reduce(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-reduce by recursive doubling: the whole buffer in each of `lg p` rounds.

    Ranks that are no power of two fold first and unfold last: two rounds more.
    """
    rounds = floor(log2(ranks)) + 2 * _folds(ranks)
    wire = rounds * size / rate
    return timed(ranks, launch + rounds * latency, wire, cross, damping)


@formula(
    "s",
    take("size ranks rate latency arithmetic"),
    source=THAKUR,
    latex="t",
    valid=GROUP + "arithmetic > 0; reduction not hidden behind the transfer",
)
def recursive_doubling_reduced(
    size: E, ranks: E, rate: E, latency: E, arithmetic: E
) -> E:
    """Recursive doubling where each round also reduces the buffer."""
    rounds = floor(log2(ranks)) + 2 * _folds(ranks)
    return among(ranks, rounds * (latency + size / rate + size / arithmetic))


@formula("s", FLAT, source=THAKUR, latex="t", valid=GROUP + "long messages")
def halving_doubling_all_reduce(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """Rabenseifner's all-reduce: recursive halving, then recursive doubling.

    `2 lg p` steps and the bytes of a ring; two steps more, each with the whole
    buffer, for ranks that are no power of two.
    """
    folds = 2 * _folds(ranks)
    steps = 2 * floor(log2(ranks)) + folds
    wire = (2 * (ranks - 1) / ranks + folds) * size / rate
    return timed(ranks, launch + steps * latency, wire, cross, damping)


@formula("s", FLAT, source=THAKUR, latex="t", valid=GROUP + "`size` is the whole array")
def recursive_all_gather(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-gather by recursive doubling, reduce-scatter by recursive halving."""
    steps = floor(log2(ranks)) + 2 * _folds(ranks)
    wire = (_others(ranks) + 2 * _folds(ranks)) * size / rate
    return timed(ranks, launch + steps * latency, wire, cross, damping)


@formula("s", FLAT, source=BRUCK, latex="t", valid=GROUP + "`size` is the whole array")
def bruck_all_gather(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """Bruck's all-gather: `ceil(lg p)` steps for any number of ranks."""
    wire = _others(ranks) * size / rate
    return timed(ranks, launch + _rounds(ranks) * latency, wire, cross, damping)


@formula(
    "s", FLAT, source=CHAN, latex="t", valid=GROUP + "every rank reaches every other"
)
def direct_all_gather(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-gather or reduce-scatter in one step: each rank to each other at once."""
    wire = _others(ranks) * size / rate
    return timed(ranks, launch + latency, wire, cross, damping)


@formula(
    "s", FLAT, source=CHAN, latex="t", valid=GROUP + "every rank reaches every other"
)
def direct_all_reduce(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-reduce in one step: each rank sends its whole buffer to each other.

    `p / 2` times the bytes of two steps, quicker where latency weighs more.
    """
    wire = (ranks - 1) * size / rate
    return timed(ranks, launch + latency, wire, cross, damping)


@formula(
    "s", FLAT, source=CHAN, latex="t", valid=GROUP + "every rank reaches every other"
)
def two_step_all_reduce(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-reduce in two steps: reduce-scatter and all-gather, both directly."""
    wire = 2 * (ranks - 1) / ranks * size / rate
    return timed(ranks, launch + 2 * latency, wire, cross, damping)


@formula(
    "s",
    FLAT,
    source=PAIRED,
    latex="t",
    valid=GROUP + "ranks == 1 or ranks / 2 == floor(ranks / 2); an even number",
)
def paired_ring_all_reduce(
    size: E, ranks: E, rate: E, latency: E, launch: E, cross: E, damping: E
) -> E:
    """All-reduce on a ring of pairs: two ranks fused into one stop, half the steps."""
    wire = 2 * (ranks - 1) / ranks * size / rate
    return timed(ranks, launch + ranks * latency, wire, cross, damping)
