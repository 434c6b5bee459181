"""Which inputs a metric's doubt comes from: Sobol indices with standard errors.

They split a metric's variance: the first-order index is the share that would go if
the input were known, the total index the share that would stay if all others were.
Inputs with a stated rank correlation cannot be told apart so: their group is one.
Both come from one design of quasi-random columns (Saltelli 2010, Jansen 1999), in
blocks scrambled apart, so that their scatter gives standard errors.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from isocost.engine.correlation import together
from isocost.engine.doubt import uncertain
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Graph, Input
from isocost.engine.program import Program, program
from isocost.engine.results import round_out
from isocost.engine.sampling import quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: Designs scrambled apart, and the points of each (a power of two).
BLOCKS = 8
POINTS = 1024


#: The inputs that come from one statement, or from a group of them: nodes by origin.
Factor = dict[str, list[int]]


@attrs.frozen
class Index:
    """One input's share of a metric's variance, with standard errors.

    `origins` are all inputs of its group, where it is correlated with others.
    """

    origin: str
    path: str
    origins: tuple[str, ...]
    first: float
    first_error: float
    total: float
    total_error: float


def indices(
    evaluation: Evaluation, node: int, *, points: int = POINTS, blocks: int = BLOCKS
) -> tuple[Index, ...]:
    """The Sobol indices of a node by every uncertain input below it, largest first.

    Args:
        evaluation: The evaluated document.
        node: The metric.
        points: Points of each design, a power of two; it takes `inputs + 2` times.
        blocks: How many designs, from whose scatter the errors come.

    Returns:
        The indices; not-a-number where the metric has no value at a point.
    """
    graph = evaluation.graph
    inputs = uncertain(graph, (node,))
    if not inputs:
        return ()
    made = program(graph, (node,), inputs, evaluation.choices)
    factors = _factors(graph, inputs)
    design = _Design(graph, inputs, factors)
    runs = [_block(made, design, points, seed) for seed in range(blocks)]
    found = []
    for i, factor in enumerate(factors):
        origin = next(iter(factor))
        path = inputs[factor[origin][0]].path
        shares = (*_mean(runs, 0, i), *_mean(runs, 1, i))
        found.append(Index(origin, path, tuple(factor), *shares))
    return tuple(sorted(found, key=_order))


def _order(one: Index) -> tuple[float, str]:
    return (0.0 if math.isnan(one.total) else -one.total), one.origin


def _factors(graph: Graph, inputs: Mapping[int, Input]) -> list[Factor]:
    """What is varied on its own: statements, and groups of them that go together."""
    out: dict[str, Factor] = {}
    for node, what in inputs.items():
        group = graph.group(what.origin)
        factor = out.setdefault(group.key if group else what.origin, {})
        factor.setdefault(what.origin, []).append(node)
    return list(out.values())


class _Design:
    """How columns of a design become draws of the inputs."""

    def __init__(
        self, graph: Graph, inputs: Mapping[int, Input], factors: Sequence[Factor]
    ) -> None:
        self.graph = graph
        self.inputs = inputs
        self.factors = factors
        self.width = sum(map(len, factors))

    def columns(self, u: "NDArray[Any]") -> "list[dict[int, Column]]":
        """The draws of each factor's inputs at points of the unit cube."""
        out, start = [], 0
        for factor in self.factors:
            group = self.graph.group(next(iter(factor)))
            places = u[:, start : start + len(factor)]
            if group is not None:
                places = together(group, tuple(factor), places)
            start += len(factor)
            made = {}
            for i, nodes in enumerate(factor.values()):
                for node in nodes:
                    what = self.inputs[node]
                    made[node] = quantile(what.spread, places[:, i], what.central)
            out.append(made)
        return out


def _block(
    made: Program, design: _Design, points: int, seed: int
) -> "tuple[Column, Column]":
    """First-order and total indices of one design."""
    import numpy as np

    width, count = design.width, len(design.factors)
    u = _quasi(2 * width, points, seed)
    a = design.columns(u[:, :width])
    b = design.columns(u[:, width:])
    whole = {node: column for part in a for node, column in part.items()}
    (at_a,) = made.run(whole)
    (at_b,) = made.run({n: column for part in b for n, column in part.items()})
    if not (np.isfinite(at_a).all() and np.isfinite(at_b).all()):
        return np.full(count, math.nan), np.full(count, math.nan)
    center = (at_a.mean() + at_b.mean()) / 2
    variance = ((at_a - center) ** 2).mean() / 2 + ((at_b - center) ** 2).mean() / 2
    first, total = np.zeros(count), np.zeros(count)
    for i, part in enumerate(b):
        (mixed,) = made.run({**whole, **part})
        if not np.isfinite(mixed).all():
            first[i] = total[i] = math.nan
        elif variance > 0:
            first[i] = ((at_b - center) * (mixed - at_a)).mean() / variance
            total[i] = ((at_a - mixed) ** 2).mean() / 2 / variance
    return first, total


def _quasi(width: int, points: int, seed: int) -> "NDArray[Any]":
    """Scrambled Sobol points in (0, 1), a column each."""
    import numpy as np
    from scipy.stats import qmc

    engine = qmc.Sobol(width, scramble=True, rng=np.random.default_rng(seed))
    u: NDArray[Any] = engine.random(points)
    out: NDArray[Any] = np.clip(u, 2.0**-32, 1 - 2.0**-32)
    return out


def _mean(
    runs: "Sequence[tuple[Column, Column]]", which: int, i: int
) -> tuple[float, float]:
    values = [float(run[which][i]) for run in runs]
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return round_out(mean), math.nan
    spread = math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)
    return round_out(mean), round_out(math.sqrt(spread / len(values)))
