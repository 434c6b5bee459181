"""A measured collective as a scenario file that a person can read, run and edit.

What the row says and what its chip's data sheet adds stand in it line by line; the
measurement is a claim, so that `check --evaluate` says how near the prediction is.
"""

import re

from isocost.engine.calibration.collective_predict import REDUCING
from isocost.engine.topology import Topology
from isocost.engine.topology.fabrics import NETWORKS
from isocost.engine.topology.torus import Torus
from isocost.engine.validation import collectives
from isocost.engine.validation.collective_cases import Case, read
from isocost.engine.validation.tables import Row

_VENDORS = {
    "nvidia": "NVIDIA",
    "amd": "AMD",
    "aws": "Amazon Web Services",
    "google": "Google",
}
_SHEET = '@assumed "its data sheet, one way"'


def file_name(row: Row) -> str:
    """A name for a row's file, without what file systems dislike."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", row["row_id"]).strip("_") + ".scn"


def scenario(row: Row) -> str | None:
    """The text of a row's scenario; None for a row that is refused."""
    case = read(row)
    if isinstance(case, str):
        return None
    domain = collectives.domain_of(case)
    parts = [
        "edition 2026",
        source_of(row),
        f'chip measured_chip {{\n  vendor = "{_VENDORS.get(case.vendor, "")}"\n}}',
        _link(case, len(domain.axes)),
        _system(case, domain),
    ]
    if case.network_rate:
        parts.append(_fabric(case, domain.endpoints))
    return "\n\n".join([*parts, _scenario(case), _claim(case)]) + "\n"


def words(text: str) -> str:
    """A text as a literal may hold it."""
    return text.replace("\\", "/").replace('"', "'")


def source_of(row: Row) -> str:
    """The source block of a row, `measured`."""
    lines = [f'source measured "{words(row["source_title"] or row["source_id"])}" {{']
    if row["source_url"]:
        lines.append(f'  url = "{words(row["source_url"])}"')
    return "\n".join([*lines, "  kind = measured", "}"])


def _link(case: Case, axes: int) -> str:
    """One link: all ports of a switched chip, a port of one on a torus."""
    ports = 2 * axes if case.fabric == "neuronlink" else 1
    lines = [
        "link measured_link {",
        f'  generation = "{case.fabric}"',
        f"  bandwidth = {case.rate / ports / 1e9:.12g} GB/s {_SHEET}",
    ]
    return "\n".join([*lines, "}"])


def _system(case: Case, domain: Topology) -> str:
    if isinstance(domain, Torus):
        sides = zip(domain.axes, domain.lengths, strict=True)
        call = f"torus({', '.join(f'{axis} = {n}' for axis, n in sides)})"
    elif domain.kind == "host_bridge":
        call = "host_bridge()"
    else:
        call = f"switch(reduces = {int(case.fabric in REDUCING)})"
    lines = [
        "system measured_node {",
        "  chip = measured_chip",
        f'  chips = {domain.endpoints} chip @measured "chips of a node, at least"',
        f'  topology = {call} @assumed "as the fabric is built"',
        *(f"  topology.link[{axis}] = measured_link" for axis in domain.axes),
    ]
    return "\n".join([*lines, "}"])


def _fabric(case: Case, domain: int) -> str:
    network = collectives.network_of(case, domain)
    call = f"switch(endpoints = {network.endpoints})"
    if network.kind == "fat_tree":
        size = f"endpoints = {network.endpoints}, radix = 64, rails = {network.rails}"
        call = f"fat_tree({size})"
    rate = case.network_rate * 8 / 1e9
    lines = [
        "fabric measured_network {",
        f'  topology = {call} @assumed "a rail for each chip of a node"',
        f'  bandwidth = {rate:.12g} Gbit/s/chip @measured "one way"',
    ]
    if case.quick:
        step = NETWORKS["rdma"].latency * 1e6
        lines.append(f'  latency = {step:g} us @assumed "quicker than EFA"')
    return "\n".join([*lines, "}"])


def _scenario(case: Case) -> str:
    lines = ["scenario measured_row {", "  system = measured_node"]
    lines.append(f"  size = {max(case.ranks, case.per_node)} chip")
    if case.network_rate:
        lines.append("  fabric = measured_network")
    return "\n".join([*lines, "}"])


def metric(case: Case) -> str:
    """The path of what was measured."""
    return f"collective[{case.operation}, {case.size:.0f} B, {case.ranks}]"


def _claim(case: Case) -> str:
    """The measurement, as a time; a rate says how long its message took."""
    time = collectives.measured_time(case)
    ratio = f"measured_row.{metric(case)} / {time * 1e6:.6g} us"
    said = f"{words(case.row['metric'] or 'time_us')} of {words(case.row['row_id'])}"
    return f'claim abs({ratio} - 1) < 25% "within 25% of the {said}" @measured'
