"""Message sizes: every convention in use, and the one place that converts them.

Tools state the size of a collective in unlike ways: `nccl-tests` gives the whole
gathered array for an all-gather but one rank's buffer for an all-reduce, TPU texts
give the bytes of all ranks together, data sheets give rates of both directions
added up. `CONVERSIONS` turns each into the one that the formulas take.
"""

import enum

from isocost.engine.formula import Formula, formula, p
from isocost.engine.formulas.network_symbols import E, take

NCCL = "NVIDIA nccl-tests, doc/PERFORMANCE.md"
_BUSY = take("size ranks") | {"time": p("s", "t", "time of the collective")}


class Convention(enum.Enum):
    """What a stated size counts."""

    RANK = "the buffer that one rank hands in"
    SHARD = "what one rank holds before a gather, or keeps after a scatter"
    WHOLE = "the whole gathered or unreduced array"
    GLOBAL = "the buffers that all ranks hand in, together"


@formula(
    "B",
    take("size ranks"),
    source="definition",
    valid="ranks >= 1; equal parts",
    latex="S",
)
def split(size: E, ranks: E) -> E:
    """The part of a buffer that falls to one of `ranks`."""
    return size / ranks


@formula(
    "B",
    take("size ranks"),
    source="definition",
    valid="ranks >= 1; every rank holds as much",
    latex="S",
)
def gathered(size: E, ranks: E) -> E:
    """The whole array of which every rank holds `size`."""
    return size * ranks


@formula(
    "B/s",
    take("bandwidth"),
    source="definition",
    valid="identity: both directions alike",
    latex="b",
)
def one_way(bandwidth: E) -> E:
    """One direction of a rate that counts both."""
    return bandwidth / 2


@formula(
    "B/s",
    take("bandwidth"),
    source="definition",
    valid="identity: both directions alike",
    latex="b",
)
def both_ways(bandwidth: E) -> E:
    """Both directions of a link together."""
    return bandwidth * 2


@formula(
    "B/s",
    _BUSY,
    source=NCCL,
    valid="ranks >= 1; time > 0; `size` is the whole buffer of each rank",
    latex=r"B_{bus}",
)
def all_reduce_bus_rate(size: E, ranks: E, time: E) -> E:
    """Bus bandwidth of an all-reduce: `2 (p - 1) / p` of the size over the time.

    The rate of a link if a ring were used; no wire's rate with in-network reduction.
    """
    return size / time * (2 * (ranks - 1) / ranks)


@formula(
    "B/s",
    _BUSY,
    source=NCCL,
    valid="ranks >= 1; time > 0; `size` is the whole array",
    latex=r"B_{bus}",
)
def gather_bus_rate(size: E, ranks: E, time: E) -> E:
    """Bus bandwidth of all-gather, reduce-scatter, all-to-all: `(p - 1) / p`."""
    return size / time * ((ranks - 1) / ranks)


@formula(
    "B/s",
    take("ranks rate") | {"domains": p("1", "k", "servers of the group")},
    source=NCCL,
    valid=(
        "ranks > 1; 1 <= domains <= ranks; hierarchical all-reduce with one "
        "network port a rank"
    ),
    latex="b",
)
def port_rate(ranks: E, rate: E, domains: E) -> E:
    """What a network port carried in an all-reduce of a stated bus bandwidth."""
    return rate * (domains - 1) / (ranks - 1)


#: What makes a stated size the one that the formulas take; None: it is that already.
#: A pair that is not here has no meaning.
CONVERSIONS: dict[tuple[str, Convention], Formula | None] = {
    ("all_reduce", Convention.RANK): None,
    ("all_reduce", Convention.GLOBAL): split,
    ("all_gather", Convention.WHOLE): None,
    ("all_gather", Convention.GLOBAL): None,
    ("all_gather", Convention.RANK): gathered,
    ("all_gather", Convention.SHARD): gathered,
    ("reduce_scatter", Convention.WHOLE): None,
    ("reduce_scatter", Convention.RANK): None,
    ("reduce_scatter", Convention.SHARD): gathered,
    ("reduce_scatter", Convention.GLOBAL): split,
    ("all_to_all", Convention.RANK): None,
    ("all_to_all", Convention.GLOBAL): split,
    ("broadcast", Convention.RANK): None,
    ("point_to_point", Convention.RANK): None,
}
