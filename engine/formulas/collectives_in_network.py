"""Collectives that the switches help with: NVLink SHARP, InfiniBand SHARP."""

from isocost.engine.formula import formula
from isocost.engine.formulas.collectives import timed
from isocost.engine.formulas.network_symbols import E, take

SHARP = "NVIDIA, NVLink SHARP: N + 1 sends instead of 2 N; Graham et al. 2016"
_SHARP = take("size ranks bandwidth reduction reduction_latency launch cross damping")


@formula(
    "s",
    _SHARP,
    source=SHARP,
    latex="t",
    valid="ranks >= 1; bandwidth > 0; reduction > 0; switches that reduce",
)
def in_network_all_reduce(
    size: E,
    ranks: E,
    bandwidth: E,
    reduction: E,
    reduction_latency: E,
    launch: E,
    cross: E,
    damping: E,
) -> E:
    """All-reduce by the switches: each rank sends the buffer up once.

    A rank moves `(p + 1) / p` of the buffer: its own part twice, since it also
    issues the multicast of what it owns. `reduction` is the share of the link's rate
    that is reached.
    """
    wire = (ranks + 1) / ranks * size / (reduction * bandwidth)
    alpha = launch + reduction_latency
    return timed(ranks, alpha, wire, cross, damping)
