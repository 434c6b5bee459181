"""What is said of a plan: memory that does not hold it, gaps, runs, idle chips.

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


def at_work(scope: Scope, settled: Mapping[int, float]) -> tuple[str, ...]:
    """Remarks on runs that stand side by side, and on chips that none of them uses.

    Args:
        scope: The scenario.
        settled: Its choices as they were settled.
    """
    from isocost.engine.program import point

    if not TRAINING.holds(scope):
        return ()
    try:
        nodes = [scope[p] for p in ("instances", "ranks", "rank.chips", "chips")]
    except MissingInputError:
        return ()
    values = point(scope.builder.freeze(), tuple(nodes), settled)
    runs, ranks, by_rank, chips = (values[node] for node in nodes)
    each, idle = ranks * by_rank, chips - runs * ranks * by_rank
    said = []
    if runs > 1:
        said.append(
            f"{runs:,.0f} runs side by side, each on {each:,.10g} of the {chips:,.10g} "
            "chips: time and cost are of one run; leave dp out for one run on all"
        )
    if runs >= 1 and idle > 1e-9 * chips:
        work = f"{runs * each:,.10g} of {chips:,.10g} chips work"
        said.append(f"{work}; {idle:,.10g} idle, and paid for{_why(scope, settled)}")
    return tuple(said)


def _why(scope: Scope, settled: Mapping[int, float]) -> str:
    """Why replicas that would find room are not taken: the plan does not divide."""
    from isocost.engine.derive.structure import one_run
    from isocost.engine.program import point

    if not one_run(scope):
        return ""
    paths = ("workload.parallel.dp", "ranks", "ranks.installed")
    nodes = tuple(scope[path] for path in paths)
    values = point(scope.builder.freeze(), nodes, settled)
    dp, ranks, there = (values[node] for node in nodes)
    room = int(there * dp / ranks * (1 + 1e-9))
    if room <= dp:
        return ""
    return f": the plan divides over {dp:,.0f} replicas, not over {room:,}"


REMARKS = (left_over, at_work)
QUANTITIES = ()
