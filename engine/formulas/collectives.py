"""What all collectives share: how latency and transfer join, and how phases do.

A collective costs a part that does not depend on the size (starting it, and its
steps) and a part that is proportional to it. The two do not simply add: a library
cuts a message into chunks and sends them one behind the other, and the best chunk
costs the geometric mean of both. The algorithms stand in the modules beside
this one, one kind of network each.
"""

from isocost.dsl.expr import largest, smallest, sqrt, where
from isocost.engine.formula import formula, q
from isocost.engine.formulas.network_symbols import E, take

#: Keeps a quotient of two times finite where both are nil.
INSTANT = q("1e-6 ps")
CHUNKS = "optimal chunk of a pipelined transfer (docs: accuracy of collectives)"
ALPHA_BETA = "Hockney 1994, doi:10.1016/S0167-8191(06)80021-9"


@formula(
    "s",
    take("alpha wire cross damping"),
    source=f"{ALPHA_BETA}; {CHUNKS}",
    valid=(
        "alpha >= 0; wire >= 0; 0 <= cross <= 2; none to the best chunk, with damping"
    ),
    latex="t",
)
def transfer(alpha: E, wire: E, cross: E, damping: E) -> E:
    """Latency and transfer of a message that is sent in chunks.

    Cutting a transfer into n chunks costs n latencies and hides all but one chunk;
    the best n leaves twice the geometric mean of both. Messages too small to be cut
    do not pay it, which `damping` expresses.
    """
    mean = sqrt(alpha * wire + INSTANT * INSTANT)
    share = wire / (wire + damping * alpha + INSTANT)
    return alpha + wire + cross * mean * share


def among(ranks: E, time: E) -> E:
    """`time`, or nothing where the group has one rank."""
    return where(ranks > 1, time, q("0 s"))


def timed(ranks: E, alpha: E, wire: E, cross: E, damping: E) -> E:
    """The body of most algorithms: a transfer among `ranks`."""
    joined: E = transfer(alpha, wire, cross, damping)
    return among(ranks, joined)


@formula(
    "s",
    take("scale_up scale_out overlap"),
    source="serial and pipelined phases as the two ends of one scale",
    valid="0 <= overlap <= 1; one phase after the other to wholly pipelined",
    latex="t",
)
def hierarchical(scale_up: E, scale_out: E, overlap: E) -> E:
    """Phases inside the domains and between them, of which part overlaps.

    The longer phase is paid in full, of the shorter one what is not hidden. With a
    group inside one domain the outer phase is nil, and the other way round.
    """
    longer = largest(scale_up=scale_up, scale_out=scale_out)
    return longer + (1 - overlap) * smallest(scale_up, scale_out)


@formula(
    "s",
    take("ranks scale_up scale_out"),
    source="definition",
    valid=(
        "ranks >= 1; neighbours of a pipeline; `ranks` is the group's "
        "extent between domains"
    ),
)
def slowest_boundary(ranks: E, scale_up: E, scale_out: E) -> E:
    """A transfer between neighbours of which some sit in different domains.

    All move at once, so the crossing between domains sets the time.
    """
    return where(ranks > 1, scale_out, scale_up)


@formula(
    "B/s",
    take("bandwidth efficiency ranks own"),
    source="fitted on nccl-tests of 2, 4 and 8 ranks (docs: accuracy of collectives)",
    valid=("efficiency > 0; own >= 0; without it a rank's own block costs nothing"),
    latex="B",
)
def ring_rate(bandwidth: E, efficiency: E, ranks: E, own: E) -> E:
    """The rate that a library reaches in a ring, a tree or a multicast.

    Every rank also copies or reduces its own block through the same engines; beside
    the `p - 1` blocks that travel, that weighs most between two ranks.
    """
    others = largest(1, ranks - 1)
    return bandwidth * efficiency / (1 + own / others)


@formula(
    "B/s",
    take("bandwidth efficiency"),
    source="definition",
    valid="efficiency > 0; messages that fill the link",
    latex="B",
)
def reached_rate(bandwidth: E, efficiency: E) -> E:
    """The rate that a library reaches on a link."""
    return bandwidth * efficiency
