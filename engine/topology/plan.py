"""From an operation and a topology to formulas: what the models call."""

import functools

from isocost.dsl.expr import smallest
from isocost.engine.formula import Formula, Param
from isocost.engine.formulas.network import severed_rate
from isocost.engine.topology.base import (
    ANY,
    OPERATIONS,
    Apply,
    Library,
    Need,
    Plan,
    Topology,
)


def collective_plan(operation: str, topology: Topology, library: Library = ANY) -> Plan:
    """The algorithms of one collective over a group of `ranks` on a topology.

    The number of ranks and their stride are needs of the plan, hence may vary from
    one evaluation to the next: the formulas find the axes and domains that a group
    spans, and give no time for a group of one.

    Args:
        operation: One of `OPERATIONS`.
        topology: Where the group sits.
        library: The algorithms that the platform's library has.

    Raises:
        ValueError: No such operation.
    """
    if operation not in OPERATIONS:
        message = f"{operation!r} is none of {', '.join(OPERATIONS)}"
        raise ValueError(message)
    found = topology.collectives(operation, library)
    return Plan(operation, topology.kind, found)


@functools.cache
def _least(count: int) -> Formula:
    """The least of `count` rates, named `cut_1` and so on."""
    names = [f"cut_{index + 1}" for index in range(count)]
    return Formula(
        "least_cut",
        "B/s",
        {name: Param("B/s", f"B_{name[4:]}", "bandwidth of a cut") for name in names},
        smallest,
        valid="the cuts in halves that the topology names",
        source="definition",
        doc="The bisection bandwidth: the least over the cuts in halves.",
        latex="B_2",
    )


def bisection_plan(topology: Topology) -> Apply:
    """The bisection bandwidth, one way: the least over the cuts of a topology."""
    cuts = []
    for cut in topology.cuts:
        sides = [(float(n), f"link[{axis}].bandwidth") for axis, n in cut.items()]
        (first, a), (second, b) = (*sides, (0.0, sides[0][1]))[:2]
        args: dict[str, Need] = {
            "links_a": first,
            "bandwidth_a": a,
            "links_b": second,
            "bandwidth_b": b,
        }
        cuts.append(Apply(severed_rate, args))
    if len(cuts) == 1:
        return cuts[0]
    return Apply(_least(len(cuts)), {f"cut_{i + 1}": c for i, c in enumerate(cuts)})
