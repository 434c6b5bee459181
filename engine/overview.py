"""How sure many metrics are at once: means and quantiles over the same draws."""

from collections.abc import Callable, Sequence

import attrs

from isocost.dsl.units import unit
from isocost.engine.doubt import sample, summaries, uncertain
from isocost.engine.evaluate import Evaluation
from isocost.engine.ranks import Quantile, quantiles


@attrs.frozen
class Spread:
    """A metric's mean and quantiles, in base units, and how it is shown.

    `defined` is the share of draws in which there is a value.
    """

    scenario: str
    metric: str
    unit: str
    scale: float
    mean: float
    defined: float
    quantiles: tuple[Quantile, ...]


@attrs.frozen
class Overview:
    """Metrics over the same draws, and how many nodes and inputs they rest on."""

    spreads: tuple[Spread, ...]
    nodes: int
    inputs: int


def overview(
    evaluation: Evaluation,
    wanted: Sequence[tuple[str, str]],
    count: int,
    progress: Callable[[int, int], None] | None = None,
    *,
    compiled: bool = False,
) -> Overview:
    """The doubt of many metrics of many scenarios; what cannot be had is reported.

    Args:
        evaluation: The evaluated document.
        wanted: Pairs of a scenario and a metric.
        count: How many draws.
        progress: Called with the draws done and those there are.
        compiled: Whether many draws run as machine code.
    """
    found = [(*one, evaluation.node(*one)) for one in wanted]
    known = [(s, path, node) for s, path, node in found if node is not None]
    nodes = list(dict.fromkeys(node for _, _, node in known))
    made = summaries(evaluation, nodes, count, progress, compiled=compiled)
    drawn = dict(zip(nodes, made, strict=True))
    told = {
        node: one.quantiles() or quantiles(sample(evaluation, [node], count)[0])
        for node, one in drawn.items()
    }
    spreads = []
    for scenario, path, node in known:
        text, one = evaluation.entry(scenario, path).unit, drawn[node]
        scale = unit(text).factor
        spreads.append(
            Spread(scenario, path, text, scale, one.mean, one.defined, told[node])
        )
    graph = evaluation.graph
    inputs = len(uncertain(graph, nodes))
    return Overview(tuple(spreads), len(graph.below(nodes)), inputs)
