"""NCCL's own latency model, to compare with: what its tuner adds up per algorithm."""

from isocost.dsl.expr import log2
from isocost.engine.formula import formula, p
from isocost.engine.formulas.network_symbols import E, take

TUNING = "NVIDIA NCCL, src/graph/tuning.cc"
_HOPS = take("ranks") | {
    "nodes": p("1", "N", "nodes of the group"),
    "base": p("s", r"\lambda_0", "latency of the protocol"),
    "intra": p("s", r"\lambda_i", "latency of a step inside a node"),
    "inter": p("s", r"\lambda_n", "latency of a step between nodes"),
}


@formula(
    "s", _HOPS, source=TUNING, valid="1 <= nodes <= ranks; all-reduce", latex=r"\lambda"
)
def nccl_ring_latency(ranks: E, nodes: E, base: E, intra: E, inter: E) -> E:
    """Latency of NCCL's ring: of `2 (p - 1)` steps, `2 (N - 1)` go between nodes."""
    between = 2 * (nodes - 1)
    return base + (2 * (ranks - 1) - between) * intra + between * inter


@formula(
    "s",
    _HOPS,
    source=TUNING,
    valid="1 <= nodes <= ranks; all-reduce; nodes alike",
    latex=r"\lambda",
)
def nccl_tree_latency(ranks: E, nodes: E, base: E, intra: E, inter: E) -> E:
    """Latency of NCCL's tree: a chain through each node, a binary tree of nodes."""
    return base + 2 * ((ranks / nodes - 1) * intra + log2(nodes) * inter)
