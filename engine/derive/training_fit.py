"""What is said of a plan that memory does not hold, and of a batch that leaves gaps.

The least that would fit is looked for among the degrees of tensor and pipeline
parallelism, everything else as it stands, in one pass over all of them.
"""

from collections.abc import Mapping

from isocost.engine.derive.common import TRAINING
from isocost.engine.scope import MissingInputError, Scope

_DEGREES = ("workload.parallel.tp", "workload.parallel.pp")


def least_degrees(scope: Scope, settled: Mapping[int, float]) -> dict[str, float]:
    """The least tp and pp that fit into memory and into the ranks that there are."""
    import itertools

    import numpy as np

    from isocost.engine.choices import OPTIONS
    from isocost.engine.graph import Input
    from isocost.engine.program import program

    nodes = [scope[path] for path in _DEGREES]
    wanted = (scope["memory.fits"], scope["instances"])
    graph = scope.builder.freeze()
    if not all(isinstance(graph.nodes[node].what, Input) for node in nodes):
        return {}
    grid = np.array(list(itertools.product(*(OPTIONS[p](scope) for p in _DEGREES))))
    columns = {node: grid[:, i] for i, node in enumerate(nodes)}
    rest = {node: value for node, value in settled.items() if node not in columns}
    fits, instances = program(graph, wanted, nodes, rest).run(columns)
    good = grid[(fits > 0) & (instances > 0)]
    if not len(good):
        return {}
    best = min(good.tolist(), key=lambda pair: (pair[0] * pair[1], pair[1]))
    return dict(zip(_DEGREES, best, strict=True))


def left_over(scope: Scope, settled: Mapping[int, float]) -> tuple[str, ...]:
    """A remark on a batch that leaves the last micro-batches short.

    Args:
        scope: The scenario.
        settled: Its choices as they were settled.
    """
    from isocost.engine.program import point

    if not TRAINING.holds(scope):
        return ()
    try:
        node = scope["train.left_over"]
    except MissingInputError:
        return ()
    share = point(scope.builder.freeze(), (node,), settled)[node]
    if share <= 0:
        return ()
    words = "of the places in micro-batches have no sequence: the batch does not divide"
    return (f"{share:.1%} {words}",)


REMARKS = (left_over,)
QUANTITIES = ()
