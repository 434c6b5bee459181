"""A supply plan as nodes: what its volumes, needs, caps and lead times rest on.

The structure is found once; a plan is then run for one set of values, at the point or
for a draw of all inputs, which is how its deliveries get their intervals.
"""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import attrs

from isocost.dsl.units import unit
from isocost.engine.fleet.ramp import Product, Ramp, Resource, Rule, plan

if TYPE_CHECKING:
    from isocost.engine.evaluate import Evaluation

QUARTER = 7_884_000.0
#: Draws that a plan is run for: each is a pass over all quarters.
DRAWN = 256


@attrs.frozen
class Spread:
    """A delivery's doubt: 5th and 95th percentile, share of draws that fall short."""

    low: float
    high: float
    short: float


@attrs.frozen
class Structure:
    """The nodes of a plan; None where a quarter has no volume, or no cap yet.

    `needs` are by chip and resource, `units` by resource; all nodes are in base units.
    """

    volumes: Mapping[str, tuple[int | None, ...]]
    needs: Mapping[str, Mapping[str, int]]
    units: Mapping[str, str]
    caps: Mapping[str, tuple[int | None, ...]]
    leads: Mapping[str, int]
    stored: frozenset[str]
    late: bool
    rule: Rule

    @property
    def nodes(self) -> tuple[int, ...]:
        """Every node that the plan rests on, each once."""
        return tuple(dict.fromkeys(self._each()))

    def _each(self) -> Iterator[int]:
        for quarters in (*self.volumes.values(), *self.caps.values()):
            yield from (node for node in quarters if node is not None)
        for needs in self.needs.values():
            yield from needs.values()
        yield from self.leads.values()

    def needed(self, values: Mapping[int, float], chip: str) -> dict[str, float]:
        """What one chip takes of each resource, in its unit."""
        scales = {name: unit(text).factor for name, text in self.units.items()}
        return {n: values[node] / scales[n] for n, node in self.needs[chip].items()}

    def ramp(self, values: Mapping[int, float]) -> Ramp:
        """The plan at some values of its nodes."""
        products = tuple(
            Product(
                chip,
                tuple(0.0 if node is None else values[node] for node in quarters),
                self.needed(values, chip),
                self.late,
            )
            for chip, quarters in self.volumes.items()
        )
        resources = tuple(self._resource(name, values) for name in self.units)
        return plan(products, resources, rule=self.rule)

    def _resource(self, name: str, values: Mapping[int, float]) -> Resource:
        scale = unit(self.units[name]).factor
        cap = tuple(
            math.inf if node is None else values[node] / scale
            for node in self.caps.get(name, ())
        )
        lead = values[self.leads[name]] if name in self.leads else 0.0
        periods = round(lead / QUARTER)
        return Resource(name, self.units[name], cap, periods, name in self.stored)


def spreads(evaluation: "Evaluation", structure: Structure) -> tuple[Spread, ...]:
    """The doubt of each line of a plan, in their order; none where nothing varies."""
    import numpy as np

    columns = np.array(evaluation.columns(structure.nodes))
    if not np.any(columns != columns[:, :1]):
        return ()
    step = max(1, columns.shape[1] // DRAWN)
    delivered, short = [], []
    for row in columns[:, ::step].T:
        values = dict(zip(structure.nodes, map(float, row), strict=True))
        lines = structure.ramp(values).lines
        delivered.append([line.delivered for line in lines])
        short.append([line.binding is not None for line in lines])
    low, high = np.quantile(delivered, (0.05, 0.95), axis=0)
    share = np.mean(short, axis=0)
    found = zip(low, high, share, strict=True)
    return tuple(Spread(*map(float, one)) for one in found)
