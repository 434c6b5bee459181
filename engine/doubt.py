"""How sure a metric is: draws without end, quantiles with errors, what to find out.

The value of perfect information about an input says what knowing it would save the
choice between scenarios, and so which input to measure next.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import attrs

from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Graph, Input
from isocost.engine.program import cores, program
from isocost.engine.ranks import Ranks
from isocost.engine.results import round_out
from isocost.engine.sampling import batched, places, sizes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: Cells of an input in which a conditional mean is taken.
CELLS = 32


@attrs.frozen
class Worth:
    """What knowing one input exactly is worth to a choice between scenarios.

    `value` is in the metric's base unit: by how much the expected metric of the best
    choice falls. `flips` is the share of draws in which knowing it changes the choice.
    """

    origin: str
    path: str
    value: float
    flips: float


def uncertain(graph: Graph, nodes: Sequence[int]) -> dict[int, Input]:
    """The uncertain inputs below some nodes, in order."""
    return {
        node: what
        for node in graph.inputs(nodes)
        if isinstance(what := graph.nodes[node].what, Input) and what.uncertain
    }


def batches(
    evaluation: Evaluation,
    nodes: Sequence[int],
    count: int,
    *,
    compiled: bool = False,
) -> "Iterator[list[Column]]":
    """The draws of some nodes in batches: bounded memory for any number of them.

    The first batch of a small run equals `Evaluation.columns`.
    """
    import numpy as np

    graph = evaluation.graph
    inputs = uncertain(graph, nodes)
    made = program(graph, nodes, inputs, evaluation.choices, compiled=compiled)
    if not inputs:
        for size, _ in sizes(count):
            yield [np.full(size, made.fixed[node]) for node in nodes]
        return
    for columns in batched(graph, inputs, count):
        yield made.run(columns)


def summaries(
    evaluation: Evaluation,
    nodes: Sequence[int],
    count: int,
    progress: Callable[[int, int], None] | None = None,
    *,
    compiled: bool = False,
) -> list[Ranks]:
    """Mean and quantiles of many nodes over the same draws, none of which are kept."""
    import numpy as np

    graph = evaluation.graph
    inputs = uncertain(graph, nodes)
    made = program(graph, nodes, inputs, evaluation.choices, compiled=compiled)
    if not inputs:
        found = [Ranks(np.array([made.fixed[node]])) for node in nodes]
        for node, one in zip(nodes, found, strict=True):
            one.add(np.array([made.fixed[node]]))
        return found
    found = []
    out: list[Column] = []
    done = 0
    with ThreadPoolExecutor(cores()) as pool:
        for columns in batched(graph, inputs, count):
            out = made.run(columns, out)
            found = found or list(pool.map(Ranks, out))
            list(pool.map(Ranks.add, found, out))
            done += len(out[0])
            if progress is not None:
                progress(done, count)
    return found


def sample(evaluation: Evaluation, nodes: Sequence[int], count: int) -> "list[Column]":
    """All draws of some nodes, a column each."""
    import numpy as np

    parts = list(batches(evaluation, nodes, count))
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


# What it is worth to know more.


def conditional_means(
    columns: "NDArray[Any]", by: "Column", cells: int = CELLS
) -> "NDArray[Any]":
    """Means of columns in cells of equal count of another column.

    Two independent halves of the draws are kept apart, so that what one half suggests
    can be judged on the other.

    Returns:
        An array by half, column and cell.
    """
    import numpy as np

    order = np.argsort(by, kind="stable")
    size = len(order) // (2 * cells)
    kept = columns[:, order[: size * 2 * cells]]
    parts = kept.reshape(len(columns), cells, size, 2)
    return np.moveaxis(parts.mean(axis=2), 2, 0)


def information(
    evaluation: Evaluation,
    nodes: Sequence[int],
    *,
    count: int = 1 << 15,
    sign: int = 1,
) -> tuple[Worth, ...]:
    """What knowing each input would save the choice of the least of some metrics.

    Args:
        evaluation: The evaluated document.
        nodes: The same metric of several scenarios, of which one is to be chosen; a
            single one leaves nothing to choose.
        count: How many draws.
        sign: 1 where the least is chosen, -1 where the greatest is.
    """
    import numpy as np

    graph = evaluation.graph
    inputs = uncertain(graph, nodes)
    columns = _finite(sign * np.stack(sample(evaluation, nodes, count)))
    chosen = int(columns.mean(axis=1).argmin())
    found = []
    for what in inputs.values():
        means = conditional_means(columns, places(graph, what, count))
        found.append(_worth(what, chosen, means))
    return tuple(sorted(found, key=lambda one: (-one.value, one.origin)))


def _worth(what: Input, chosen: int, means: "NDArray[Any]") -> Worth:
    """The worth of one input: each half's best choice, paid for on the other half."""
    import numpy as np

    best = means.argmin(axis=1)
    cells = np.arange(means.shape[2])
    saved = [means[1 - h, chosen] - means[1 - h, best[h], cells] for h in (0, 1)]
    value = max(float(np.mean(saved)), 0.0)
    flips = float(((best[0] == best[1]) & (best[0] != chosen)).mean())
    return Worth(what.origin, what.path, round_out(value), flips)


def _finite(columns: "NDArray[Any]") -> "NDArray[Any]":
    """An undefined metric counts as the worst that was drawn."""
    import numpy as np

    worst = np.nanmax(np.where(np.isfinite(columns), columns, np.nan), initial=0.0)
    return np.where(np.isfinite(columns), columns, worst)
