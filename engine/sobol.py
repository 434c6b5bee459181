"""Which inputs a metric's doubt comes from: Sobol indices with standard errors.

They split a metric's variance: the first-order index is the share that would go if
the input were known, the total index the share that would stay if all others were.
Both come from one design of quasi-random columns (Saltelli 2010, Jansen 1999), in
blocks scrambled apart, so that their scatter gives standard errors.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from isocost.engine.doubt import uncertain
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Input
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


@attrs.frozen
class Index:
    """One input's share of a metric's variance, with standard errors."""

    origin: str
    path: str
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
    """
    graph = evaluation.graph
    inputs = uncertain(graph, (node,))
    if not inputs:
        return ()
    made = program(graph, (node,), inputs, evaluation.choices)
    runs = [_block(made, inputs, points, seed) for seed in range(blocks)]
    found = [
        Index(what.origin, what.path, *_mean(runs, 0, i), *_mean(runs, 1, i))
        for i, what in enumerate(inputs.values())
    ]
    return tuple(sorted(found, key=lambda one: (-one.total, one.origin)))


def _block(
    made: Program, inputs: Mapping[int, Input], points: int, seed: int
) -> "tuple[Column, Column]":
    """First-order and total indices of one design."""
    import numpy as np

    count = len(inputs)
    u = _quasi(2 * count, points, seed)
    a = _columns(inputs, u[:, :count])
    b = _columns(inputs, u[:, count:])
    (at_a,), (at_b,) = made.run(a), made.run(b)
    center = (at_a.mean() + at_b.mean()) / 2
    variance = ((at_a - center) ** 2).mean() / 2 + ((at_b - center) ** 2).mean() / 2
    first, total = np.zeros(count), np.zeros(count)
    for i, node in enumerate(inputs):
        (mixed,) = made.run({**a, node: b[node]})
        if variance > 0:
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


def _columns(inputs: Mapping[int, Input], u: "NDArray[Any]") -> "dict[int, Column]":
    return {
        node: quantile(what.spread, u[:, i], what.central)
        for i, (node, what) in enumerate(inputs.items())
    }


def _mean(
    runs: "Sequence[tuple[Column, Column]]", which: int, i: int
) -> tuple[float, float]:
    values = [float(run[which][i]) for run in runs]
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return round_out(mean), math.nan
    spread = math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)
    return round_out(mean), round_out(math.sqrt(spread / len(values)))
