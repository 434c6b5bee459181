"""Predicted times of measured collectives: the shipped plans over arrays of rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isocost.engine.calibration.collective_rows import RATES, Row
from isocost.engine.calibration.inference_arrays import Array, evaluate
from isocost.engine.topology import Apply, Topology, build, collective_plan, stack
from isocost.engine.topology.base import Refusal
from isocost.engine.topology.libraries import LIBRARIES

#: Fabrics whose switches reduce.
REDUCING = ("nvlink4", "nvlink5")
#: Ranks that a node has at most in the rows.
NODE = 8


def made(found: Topology | Refusal) -> Topology:
    """A topology that is known to fit."""
    if isinstance(found, Refusal):
        message = f"does not fit: {found}"
        raise TypeError(message)
    return found


def node(fabric: str) -> Topology:
    """The scale-up domain of a fabric."""
    if fabric.startswith("pcie"):
        return made(build("host_bridge", endpoints=NODE))
    return made(build("switch", endpoints=NODE, reduces=int(fabric in REDUCING)))


def cluster(fabric: str) -> Topology:
    """Nodes on a two-tier network with a rail for each rank of a node."""
    network = build("fat_tree", endpoints=2048, radix=64, tiers=2, rails=NODE)
    return stack(node(fabric), made(network))


def run(plan: Apply, values: Mapping[str, Any], memo: dict[int, Any]) -> Any:
    """An application over arrays; what is shared is evaluated once."""
    key = id(plan)
    if key not in memo:
        args = {}
        for name, value in plan.args.items():
            if isinstance(value, Apply):
                args[name] = run(value, values, memo)
            else:
                args[name] = values[value] if isinstance(value, str) else value
        memo[key] = evaluate(plan.formula.body, args)
    return memo[key]


class Predictor:
    """Plans for a list of rows, made once and evaluated often."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Group the rows by plan; a group is evaluated in one pass."""
        self.rows = rows
        self.groups: dict[tuple[str, str, float], list[int]] = {}
        for index, row in enumerate(rows):
            key = (row.operation, row.fabric, row.network_rate)
            self.groups.setdefault(key, []).append(index)
        self.plans = {key: self._plan(*key) for key in self.groups}

    @staticmethod
    def _plan(operation: str, fabric: str, network_rate: float) -> Apply:
        topology = cluster(fabric) if network_rate else node(fabric)
        return collective_plan(operation, topology, LIBRARIES["nccl"]).time

    def times(self, coefficients: Mapping[str, Mapping[str, float]]) -> Array:
        """The time of every row, in seconds.

        Args:
            coefficients: The values of the needs, by fabric.
        """
        out = np.empty(len(self.rows))
        for (operation, fabric, network_rate), chosen in self.groups.items():
            values: dict[str, Any] = dict(coefficients[fabric])
            values["link[port].bandwidth"] = RATES[fabric]
            values["link[scale_out].bandwidth"] = network_rate
            values["size"] = np.array([self.rows[i].size for i in chosen])
            values["ranks"] = np.array([float(self.rows[i].ranks) for i in chosen])
            values["stride"] = 1.0
            plan = self.plans[operation, fabric, network_rate]
            with np.errstate(all="ignore"):
                out[chosen] = run(plan, values, {})
        return out
