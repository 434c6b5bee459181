"""The algorithms between ranks with equal links, which several topologies share."""

from isocost.engine.formula import Formula
from isocost.engine.formulas import collectives_exchange as exchange
from isocost.engine.formulas import collectives_flat as flat
from isocost.engine.formulas import collectives_in_network as in_network
from isocost.engine.topology.base import Apply, Candidate, Need
from isocost.engine.topology.needs import JOIN

_GATHERS: dict[str, Formula] = {
    "ring": flat.ring_all_gather,
    "mesh": flat.direct_all_gather,
    "recursive": flat.recursive_all_gather,
    "bruck": flat.bruck_all_gather,
}
#: Algorithms by operation. A rank's link goes one way at `rate` and back at it.
ALGORITHMS: dict[str, dict[str, Formula]] = {
    "all_reduce": {
        "ring": flat.ring_all_reduce,
        "paired_ring": flat.paired_ring_all_reduce,
        "double_tree": flat.double_tree_all_reduce,
        "tree": flat.tree_all_reduce,
        "doubling": flat.recursive_doubling_all_reduce,
        "recursive": flat.halving_doubling_all_reduce,
        "mesh": flat.direct_all_reduce,
        "two_step": flat.two_step_all_reduce,
    },
    "all_gather": _GATHERS,
    "reduce_scatter": {n: f for n, f in _GATHERS.items() if n != "bruck"},
    "all_to_all": {
        "direct": exchange.direct_all_to_all,
        "pairwise": exchange.pairwise_all_to_all,
        "bruck": exchange.bruck_all_to_all,
    },
    "broadcast": {
        "chain": exchange.chain_broadcast,
        "tree": exchange.tree_broadcast,
        "scatter": exchange.scatter_broadcast,
    },
    "point_to_point": {"direct": exchange.point_to_point},
}
#: Those in which a rank sends to one other at a time, whole messages in turn. The
#: rest keep several links busy: to all others at once, or as rings and chains of
#: chunks, of which a library runs as many copies as a rank has links.
_IN_TURN = frozenset({"tree", "doubling", "recursive", "bruck", "pairwise", "scatter"})
_IN_NETWORK: dict[str, Formula] = {
    "all_reduce": in_network.in_network_all_reduce,
}


def in_turn(operation: str, name: str) -> bool:
    """Whether a rank sends to one other at a time, over the links of that pair."""
    return operation == "point_to_point" or name in _IN_TURN


def flat_candidates(
    operation: str, axis: str, ranks: Need, *, rate: Need, size: Need = "size"
) -> tuple[Candidate, ...]:
    """Every flat algorithm over links of `axis`.

    Args:
        operation: The collective.
        axis: The class of links.
        ranks: The ranks that take part.
        rate: The rate that a rank reaches.
        size: The message.
    """
    args: dict[str, Need] = {
        "size": size,
        "ranks": ranks,
        "rate": rate,
        "latency": f"link[{axis}].latency",
        **JOIN,
    }
    found = ALGORITHMS[operation].items()
    return tuple(Candidate(name, Apply(formula, args)) for name, formula in found)


def in_network_candidates(
    operation: str, axis: str, ranks: Need, *, size: Need = "size"
) -> tuple[Candidate, ...]:
    """In-network reduction by the switches of `axis`, where the operation has it."""
    if operation not in _IN_NETWORK:
        return ()
    args = {
        "size": size,
        "ranks": ranks,
        "bandwidth": f"link[{axis}].bandwidth",
        "reduction": f"library[{axis}].reduction",
        "reduction_latency": f"library[{axis}].reduction_latency",
        **JOIN,
    }
    return (Candidate("in_network", Apply(_IN_NETWORK[operation], args)),)
