"""Measured collectives predicted: each case on a domain and a network of its own.

Times come from the plans that scenarios use, with the coefficients that ship; the
intervals are those of rows left out of the fit.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from isocost.engine.calibration.collective_predict import REDUCING, made, run
from isocost.engine.calibration.measured_units import METRICS, Unit, stated
from isocost.engine.formulas import network_messages as messages
from isocost.engine.topology import Topology, build, collective_plan, stack
from isocost.engine.topology.fabrics import (
    Coefficients,
    beside,
    fabric_coefficients,
)
from isocost.engine.topology.libraries import LIBRARIES
from isocost.engine.validation.collective_cases import Case, read
from isocost.engine.validation.frame import Prediction
from isocost.engine.validation.tables import Row, blank

#: Rates by spelling: of what users see (bytes of a buffer over the time), or of links.
_BASE = {"time": 1e-6, "busbw": 1e9, "algbw": 1e9}
_RATES = {
    **dict.fromkeys(("logical_bandwidth", "algbw_gbps", "algbw"), "algbw"),
    **dict.fromkeys(("busbw_gbps", "busbw"), "busbw"),
}


def predict(rows: Sequence[Row], models: Mapping[str, Row]) -> list[Prediction]:
    """Each row's prediction, in order. `models` are of no use here."""
    del models
    found = [_unread(row) or read(row) for row in rows]
    cases = [case for case in found if isinstance(case, Case)]
    times, later = _times(cases), _times(cases, slower=1)
    return [
        blank(row, case)
        if isinstance(case, str)
        else _prediction(case, times[id(case)], later[id(case)])
        for row, case in zip(rows, found, strict=True)
    ]


def metric(row: Row) -> str:
    """The metric that a row states: `time`, `busbw`, `algbw`; empty if none.

    A row with no name of one has a time, as has one whose `time_us` alone is filled.
    """
    name = "" if row["time_us"] and not row["value"] else row["metric"].lower()
    is_time = not name or any(word in name for word in ("time", "latency"))
    return "time" if is_time else _RATES.get(name, "")


def _unread(row: Row) -> str:
    """Why a metric is none of a collective's; empty for rates, times and no name."""
    if metric(row):
        return ""
    return f"metric {row['metric']} is not predicted; a time, algbw and busbw are"


def unit(row: Row) -> Unit | str:
    """The unit of a row's value, or why it cannot be told; its metric is known."""
    if row["time_us"] and not row["value"]:
        return Unit("time", 1e-6)
    return stated(row, METRICS["collectives"][metric(row)])


# The networks of a case.


def domain_of(case: Case) -> Topology:
    """The scale-up domain of a case: at least a server."""
    chips = max(8, case.per_node)
    if case.fabric.startswith("pcie"):
        return made(build("host_bridge", endpoints=chips))
    if case.fabric == "neuronlink":
        return made(build("torus", x=4, y=4, z=4 if chips > 16 else 1))  # noqa: PLR2004 (a server's chips)
    reduces = int(case.fabric in REDUCING)
    return made(build("switch", endpoints=chips, reduces=reduces))


def network_of(case: Case, domain: int) -> Topology:
    """Two tiers with a rail for each chip of a server; one tier for larger domains."""
    if domain <= 8:  # noqa: PLR2004 (an 8-GPU server)
        size = {"endpoints": 2048, "radix": 64, "tiers": 2}
        return made(build("fat_tree", **size, rails=domain))
    return made(build("switch", endpoints=max(case.ranks, 2 * domain)))


def _coefficients(case: Case) -> Coefficients:
    found = fabric_coefficients(case.fabric)
    return beside(found, "rdma") if case.quick and case.network_rate else found


def _times(cases: Sequence[Case], slower: float = 0) -> dict[int, float]:
    """The time of each case in seconds, by identity; like ones in one pass.

    Args:
        cases: What is timed.
        slower: By how many half widths a step between domains takes longer.
    """
    groups: dict[tuple[object, ...], list[Case]] = {}
    for case in cases:
        domain = max(8, case.per_node)
        key = (case.operation, case.fabric, domain, bool(case.network_rate), case.quick)
        groups.setdefault((*key, case.ranks if domain > 8 else 0), []).append(case)  # noqa: PLR2004
    out: dict[int, float] = {}
    for group in groups.values():
        with np.errstate(all="ignore"):
            times = np.broadcast_to(_group(group, slower), len(group))
        out |= {id(case): float(t) for case, t in zip(group, times, strict=True)}
    return out


def _group(group: Sequence[Case], slower: float) -> Any:
    first = group[0]
    topology = domain_of(first)
    inside = topology.axes
    if first.network_rate:
        topology = stack(topology, network_of(first, topology.endpoints))
    library = LIBRARIES["neuron" if first.vendor == "aws" else "nccl"]
    found = _coefficients(first)
    values: dict[str, Any] = dict(found.needs(inside))
    values["link[scale_out].latency"] *= math.exp(slower * found.latency_spread)
    ports = 2 * len(inside) if first.fabric == "neuronlink" else 1
    for axis in inside:
        values[f"link[{axis}].bandwidth"] = np.array([c.rate / ports for c in group])
    values["link[scale_out].bandwidth"] = np.array([c.network_rate for c in group])
    values["size"] = np.array([c.size for c in group])
    values["ranks"] = np.array([float(c.ranks) for c in group])
    values["stride"] = 1.0
    return run(collective_plan(first.operation, topology, library).time, values, {})


# What the row states.


def _prediction(case: Case, time: float, later: float) -> Prediction:
    """The time in the row's own terms, with the doubt of left-out rows.

    `later` is the time with steps between domains at the end of their interval: it
    widens what short messages take.
    """
    found = _coefficients(case)
    half = found.across_spread if case.network_rate else found.spread
    half = math.hypot(half, math.log(later / time))
    bounds = (time, time * math.exp(-half), time * math.exp(half))
    shown, low, high = (_shown(case, t) for t in bounds)
    made_up = blank(case.row)
    if math.isnan(made_up.measured):
        time_us = float(case.row["time_us"])
        made_up = attrs.evolve(made_up, metric="time_us", unit="us", measured=time_us)
    return attrs.evolve(
        made_up,
        predicted=shown,
        low=min(low, high),
        high=max(low, high),
        flags=tuple(f"{name} as its data sheet has it" for name in case.assumed),
    )


def measured_time(case: Case) -> float:
    """The time that was measured, in seconds: of a rate, the time of its message."""
    one = blank(case.row).measured
    if math.isnan(one):
        return float(case.row["time_us"]) * 1e-6
    if metric(case.row) != "time":
        # A rate falls as the time grows, so one time scales to any other.
        return _shown(case, 1.0) / one
    return one / _shown(case, 1.0)


def _shown(case: Case, time: float) -> float:
    found, kind = unit(case.row), metric(case.row)
    size = _BASE[kind] if isinstance(found, str) else found.size
    if kind == "time":
        return time / size
    if kind == "algbw":
        return case.size / time / size
    reduces = case.operation == "all_reduce"
    bus = messages.all_reduce_bus_rate if reduces else messages.gather_bus_rate
    return float(bus(case.size, float(case.ranks), time)) / size
