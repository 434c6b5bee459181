"""Measured collectives as cases: which group, on which links, of which rates.

The fabric is read from the row's words, else it is the chip's. What a row leaves out
comes from the chip's data sheet and is named in `assumed`.
"""

from collections.abc import Mapping

import attrs

from isocost.engine.calibration.collective_rows import (
    BANDWIDTH_ONLY,
    INTERCONNECTS,
    NETWORKS,
    RATES,
)
from isocost.engine.calibration.inference_chips import Chip, find_chip
from isocost.engine.calibration.training_rows import nic_bandwidth
from isocost.engine.topology import OPERATIONS
from isocost.engine.validation.tables import Row

_OPERATIONS = {
    "alltoall": "all_to_all",
    "moe_dispatch": "all_to_all",
    "moe_combine": "all_to_all",
    "allreduce": "all_reduce",
    "allgather": "all_gather",
    "reducescatter": "reduce_scatter",
    "sendrecv": "point_to_point",
    "send_recv": "point_to_point",
}
#: Words of a network whose messages take less time than EFA's.
_QUICK = ("infiniband", " ib", "roce", "cx7", "cx-7", "connectx", "rdma")
#: Names of a chip's fabric in the calibration, for those of the chips' table.
_FABRICS = {"neuron": "neuronlink", "pcie4": "pcie4_host"}


@attrs.frozen
class Case:
    """A row as a group on a network; rates in B/s, one way, of one chip."""

    row: Row
    operation: str
    fabric: str
    vendor: str
    ranks: int
    per_node: int
    size: float
    rate: float
    network_rate: float
    quick: bool
    assumed: tuple[str, ...]


def read(row: Row) -> Case | str:
    """A row as a case, or why it is none."""
    operation = row["operation"].lower().replace("-", "_")
    operation = _OPERATIONS.get(operation, operation)
    if operation not in OPERATIONS:
        return f"operation {row['operation']} is not modelled"
    if not row["n_chips"]:
        return "the number of chips is not stated"
    text, chip = row["interconnect"], find_chip(row["chip"])
    mark, network = _found(text, INTERCONNECTS), _found(text, NETWORKS)
    if chip is None and not mark and not network:
        return f"neither chip nor interconnect gives a link's rate: {row['chip']}"
    if not (row["time_us"] or row["value"]):
        return "no time and no rate is stated"
    return _case(row, operation, chip, (mark, network))


def _found(text: str, marks: Mapping[str, object]) -> str:
    """The first mark that a text contains, or nothing."""
    return next((mark for mark in marks if mark in text), "")


def _case(
    row: Row, operation: str, chip: Chip | None, marks: tuple[str, str]
) -> Case | str:
    mark, network = marks
    ranks, text = int(float(row["n_chips"])), row["interconnect"]
    if ranks < 2:  # noqa: PLR2004 - a pair
        return "a collective takes two chips or more"
    per_node, joint = _domain_size(row, chip, ranks)
    known = INTERCONNECTS[mark] if mark else chip.fabric if chip else "nvlink4"
    fabric = _FABRICS.get(known, known)
    rate = RATES.get(fabric) or (chip.link * 1e9 if chip else 0.0)
    size = float(row["size_bytes"] or 0) or BANDWIDTH_ONLY
    if row["metric"] == "logical_bandwidth":
        size = BANDWIDTH_ONLY
    if not rate or fabric == "ici":
        return f"the shape of a slice is not stated ({row['chip']})"
    outer, assumed = 0.0, () if mark or network else ("link",)
    if ranks > per_node:
        usual = chip.node_link if chip else 50.0
        stated = NETWORKS.get(network)
        outer = stated or 1e9 * nic_bandwidth(text, per_node, usual)
        assumed = assumed if stated else (*assumed, "network")
    return Case(
        row,
        operation,
        fabric,
        chip.vendor if chip else "nvidia",
        ranks,
        per_node,
        size,
        rate,
        outer,
        _is_quick(text.lower()),
        (*assumed, "domain") if joint else assumed,
    )


def _domain_size(row: Row, chip: Chip | None, ranks: int) -> tuple[int, bool]:
    """Ranks of a domain, and whether it joins what the row counts as nodes.

    The trays of a rack such as NVL72 are nodes to a scheduler and one domain to NVLink.
    """
    nodes = int(float(row["nodes"] or 1))
    stated = max(1, ranks // nodes)
    if nodes > 1 and chip is not None and chip.vendor == "nvidia":
        return max(stated, min(chip.domain, ranks)), min(chip.domain, ranks) > stated
    return stated, False


def _is_quick(text: str) -> bool:
    return "efa" not in text and any(word in text for word in _QUICK)
