"""Figures of scenarios for the tests of money: values, slopes, and a cluster."""

from isocost.engine.evaluate import Evaluation
from isocost.engine.gradient import gradient

#: A server of eight chips, its terms and its hall; tests add what they are about.
CLUSTER = """
chip part {
  power = 700 W @assumed "x"
  peak[bf16] = 1000 TFLOP/s @assumed "x"
  memory.capacity = 80 GB @assumed "x"
  memory.bandwidth = 3 TB/s @assumed "x"
}
system server {
  chip = part
  chips = 8 chip @assumed "x"
  servers = 1 server @assumed "x"
  power = 10 kW @assumed "x"
  price = 200k $ @assumed "x"
}
site hall {
  electricity = 0.08 $/kWh @assumed "x"
  pue = 1.25 @assumed "x"
  power.load[inference] = 80% @assumed "x"
}
finance terms {
  cost_of_capital = 12%/year @assumed "x"
  life[server] = 5 year @assumed "x"
}
scenario base {
  system = server
  size = 80 chip
  site = hall
  finance = terms
}
"""


def value(found: Evaluation, path: str) -> float:
    """A quantity of a scenario at its point, in base units."""
    scenario, _, rest = path.partition(".")
    node = found.node(scenario, rest)
    assert node is not None, found.diagnostics
    return found.point((node,))[node]


def elasticity(found: Evaluation, path: str, by: str) -> float:
    """The relative slope of a scenario's quantity by another."""
    scenario, _, rest = path.partition(".")
    metric, node = found.node(scenario, rest), found.node(scenario, by)
    assert metric is not None
    assert node is not None
    at = found.point((metric, node))
    slopes = gradient(found.graph, metric, at)
    return slopes.get(node, 0.0) * at[node] / at[metric]
