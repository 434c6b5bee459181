"""Measured collectives as rows: which fabric, which group, which size, what time.

A row's interconnect is free text; `INTERCONNECTS` reads it. Rows whose fabric has no
stated rate (a chip generation that is not named) are left out and counted.
"""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

#: Rate of a rank by fabric, one way, in B/s, as the data sheets state it.
RATES = {
    "nvlink3": 300e9,
    "nvlink4": 450e9,
    "nvlink5": 900e9,
    "pcie4": 31.5e9,
    "pcie5": 63e9,
    # Without peer-to-peer access every byte goes through the host's memory.
    "pcie4_host": 31.5e9,
}
#: What marks a fabric in the column `interconnect`; the first that is found.
INTERCONNECTS = {
    "NVLink3": "nvlink3",
    "p4d": "nvlink3",
    "NVLink4": "nvlink4",
    "p5:": "nvlink4",
    "NVLink5": "nvlink5",
    "PCIe Gen4": "pcie4_host",
    "PCIe Gen5": "pcie5",
}
#: Network rate of a rank, one way, in B/s, by what marks it.
NETWORKS = {"4x100Gbps EFA": 6.25e9, "P6-B200 EFAv4": 50e9, "CX7 400Gbps": 50e9}
#: A message that is all bandwidth, in bytes.
BANDWIDTH_ONLY = 1e12
_OPERATIONS = {
    "alltoall": "all_to_all",
    "moe_dispatch": "all_to_all",
    "moe_combine": "all_to_all",
}


@attrs.frozen
class Row:
    """One measurement. `network_rate` is 0 where the group sits in one node."""

    row: str
    operation: str
    fabric: str
    chip: str
    source: str
    series: str
    ranks: int
    nodes: int
    size: float
    time: float
    network_rate: float = 0.0

    @property
    def per_node(self) -> int:
        """Ranks of a node."""
        return self.ranks // self.nodes


def _found(text: str, marks: Mapping[str, object]) -> str:
    """The first mark that a text contains, or nothing."""
    return next((mark for mark in marks if mark in text), "")


def read_row(stated: Mapping[str, str]) -> Row | None:
    """A row of `collectives_open.csv`, or None if its fabric has no stated rate.

    Logical bandwidths (expert dispatch) become the time of a message so large that
    latency does not matter.
    """
    text = stated["interconnect"]
    mark = _found(text, INTERCONNECTS)
    network = _found(text, NETWORKS)
    if not mark and not network:
        return None
    nodes = int(stated["nodes"])
    size, time = BANDWIDTH_ONLY, 0.0
    if stated["time_us"]:
        size, time = float(stated["size_bytes"]), float(stated["time_us"]) * 1e-6
    elif stated["metric"] == "logical_bandwidth":
        time = size / (float(stated["value"]) * 1e9)
    return Row(
        stated["row_id"],
        _OPERATIONS.get(stated["operation"], stated["operation"]),
        INTERCONNECTS[mark] if mark else "nvlink4",
        stated["chip"],
        stated["source_id"],
        stated["series"],
        int(stated["n_chips"]),
        nodes,
        size,
        time,
        NETWORKS[network] if nodes > 1 and network else 0.0,
    )


def read_rows(path: Path) -> list[Row]:
    """All usable rows of a file, in its order."""
    with path.open(encoding="utf-8", newline="") as file:
        found = (read_row(stated) for stated in csv.DictReader(file))
        return [row for row in found if row is not None]


def single_node(rows: Iterable[Row]) -> list[Row]:
    """The rows inside a node."""
    return [row for row in rows if row.nodes == 1]


def many_nodes(rows: Iterable[Row]) -> list[Row]:
    """The rows across nodes."""
    return [row for row in rows if row.nodes > 1]
