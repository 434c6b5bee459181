"""A metric's doubt put together: its quantiles, and what each input has to do with it.

What an input explains alone is read off the draws themselves: they are sorted by the
input, and the means of the metric in cells of it scatter as much as the input says.
Sobol indices need draws of their own, and are made only when they are asked for.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from isocost.dsl.units import unit
from isocost.engine.doubt import batches, conditional_means, uncertain
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Graph, Input
from isocost.engine.ranks import Quantile, quantiles
from isocost.engine.results import round_out
from isocost.engine.sampling import places
from isocost.engine.sobol import Index, indices

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: Parts of an input, from low to high, for which the metric's mean is told.
FIFTHS = 5
#: Fewer draws than this in a cell say nothing of its mean.
FEWEST = 8

Progress = Callable[[int, int], None]


@attrs.frozen
class Part:
    """One uncertain input: the share of variance that it explains alone, and means.

    `means` are the metric's means, in base units, where the input is in the lowest
    fifth of its draws, the next, and so on up; empty where the draws are too few.
    `group` are the origins of all inputs with which it is correlated, its own among
    them.
    """

    origin: str
    path: str
    share: float
    means: tuple[float, ...]
    index: Index | None = None
    group: tuple[str, ...] = ()


@attrs.frozen
class Doubt:
    """How sure one metric is; numbers are in base units.

    `error` is the standard error of the mean, `defined` the share of draws in which
    the metric has a value at all. `parts` come largest first, by total index where
    those were asked for.
    """

    scenario: str
    metric: str
    unit: str
    scale: float
    value: float
    draws: int
    nodes: int
    mean: float
    error: float
    deviation: float
    defined: float
    quantiles: tuple[Quantile, ...]
    parts: tuple[Part, ...]


def doubt(
    evaluation: Evaluation,
    scenario: str,
    node: int,
    metric: str,
    count: int,
    *,
    sobol: bool = False,
    compiled: bool = False,
    progress: Progress | None = None,
) -> Doubt:
    """The doubt of one metric of a scenario.

    Args:
        evaluation: The evaluated document.
        scenario: The scenario's name.
        node: The metric's node.
        metric: Its path, as it is to be shown.
        count: How many draws.
        sobol: Whether indices are computed, by further draws.
        compiled: Whether many draws run as machine code.
        progress: Called with the draws done and those there are.
    """
    import numpy as np

    graph = evaluation.graph
    inputs = uncertain(graph, (node,))
    done, columns = 0, []
    for (column,) in batches(evaluation, (node,), count, compiled=compiled):
        columns.append(column)
        done += len(column)
        if progress is not None:
            progress(done, count)
    drawn = np.concatenate(columns)
    kept = drawn[np.isfinite(drawn)]
    mean, deviation = (
        (float(kept.mean()), float(kept.std())) if len(kept) else (math.nan, math.nan)
    )
    parts = indices(evaluation, node) if sobol else ()
    found = {origin: one for one in parts for origin in one.origins}
    entry = evaluation.entry(scenario, metric)
    return Doubt(
        scenario=scenario,
        metric=metric,
        unit=entry.unit,
        scale=unit(entry.unit).factor,
        value=round_out(evaluation.point((node,))[node]),
        draws=count,
        nodes=len(graph.below((node,))),
        mean=round_out(mean),
        error=_error(deviation, len(kept)),
        deviation=round_out(deviation),
        defined=round_out(len(kept) / count),
        quantiles=quantiles(drawn),
        parts=_parts(graph, inputs, drawn, found),
    )


def _error(deviation: float, count: int) -> float:
    """The standard error of a mean; of one draw there is none."""
    return round_out(deviation / math.sqrt(count)) if count > 1 else math.nan


def _parts(
    graph: Graph,
    inputs: Mapping[int, Input],
    drawn: "Column",
    found: Mapping[str, Index],
) -> tuple[Part, ...]:
    """Every input's part, the largest first."""
    import numpy as np

    roles = Counter(what.path for what in inputs.values())
    finite = drawn[np.isfinite(drawn)]
    if not len(finite):
        return tuple(
            Part(what.origin, what.path, math.nan, (), found.get(what.origin))
            for what in sorted(inputs.values(), key=lambda what: what.origin)
        )
    worst = float(np.median(finite))
    columns = np.where(np.isfinite(drawn), drawn, worst)[None, :]
    out = []
    for what in inputs.values():
        path = what.path if roles[what.path] == 1 else what.origin
        by = places(graph, what, len(drawn))
        means = _means(columns, by)
        index = found.get(what.origin)
        group = graph.group(what.origin)
        origins = group.origins if group else ()
        share = _share(columns, by)
        out.append(Part(what.origin, path, share, means, index, origins))
    return tuple(sorted(out, key=_order))


def _order(one: Part) -> tuple[float, float, str]:
    total = one.index.total if one.index is not None else 0.0
    return _down(total), _down(one.share), one.origin


def _down(value: float) -> float:
    """A key that sorts the largest first, and what is not known last."""
    return 0.0 if math.isnan(value) else -value


def _means(columns: "NDArray[Any]", by: "Column") -> tuple[float, ...]:
    if columns.shape[1] < 2 * FIFTHS * FEWEST:
        return ()
    means = conditional_means(columns, by, FIFTHS).mean(axis=0)[0]
    return tuple(round_out(float(one)) for one in means)


def _share(columns: "NDArray[Any]", by: "Column") -> float:
    """The variance of conditional means over all: two halves, so that noise is out."""
    import numpy as np

    variance = float(columns.var())
    cells = min(32, columns.shape[1] // (2 * FEWEST))
    if not variance or cells < FIFTHS:
        return math.nan if variance else 0.0
    one, other = conditional_means(columns, by, cells)[:, 0]
    both = float(np.mean((one - one.mean()) * (other - other.mean())))
    return round_out(min(max(both / variance, 0.0), 1.0))
