"""Which limits a scenario's configuration breaks, and by how much.

`choices` leaves out what breaks a limit where something is left open. What a scenario
states in full is computed all the same, as a what-if; here it is told what it breaks,
so that every result of it can say so.
"""

from collections.abc import Mapping

from isocost.dsl.diagnostics import Diagnostic
from isocost.engine.choices import LIMITS, Constraint, constraints, one_token
from isocost.engine.derive.sizes import empty, figure, least_size
from isocost.engine.derive.training_fit import least_degrees
from isocost.engine.program import point
from isocost.engine.scope import MissingInputError, Scope

_GIGA = 1e9
_UNITS = {"slo.tpot": ("ms", 1e-3), "slo.ttft": ("s", 1.0)}


def breaches(scope: Scope, settled: Mapping[int, float]) -> tuple[str, ...]:
    """Every limit that a scenario's configuration breaks, in words.

    Args:
        scope: The scenario.
        settled: Its choices as they were settled.
    """
    none = empty(scope, settled)
    if none:
        return (none,)
    try:
        limits = constraints(scope)
    except MissingInputError:
        return ()
    values = point(scope.builder.freeze(), tuple(c.node for c in limits), settled)
    said = [
        words
        for limit in limits
        if not limit.kept(values[limit.node])
        for words in (_told(scope, settled, limit, values[limit.node]),)
        if words
    ]
    return (*said, *_shared_heads(scope, settled))


def _told(
    scope: Scope, settled: Mapping[int, float], limit: Constraint, value: float
) -> str:
    name = limit.name
    if name == "memory.fits":
        return _memory(scope, settled)
    if name == "instances":
        return _instances(scope, settled)
    if name.startswith("slo."):
        assert limit.high is not None  # noqa: S101 (a limit on a time is from above)
        unit, scale = _UNITS[name.partition("[")[0]]
        shown = f"{value / scale:.3g} {unit}"
        return f"{name} {limit.high / scale:.3g} {unit} is missed: {shown}"
    if name == "domain":
        ranks = f"{value:g} ranks of an instance"
        return f"does not fit: {ranks} reach out of the domain of {limit.high:g}"
    if name == "queue.use":
        return f"more requests arrive than are served: {value:.3g} times capacity"
    parts = "groups of attention or ranks of experts"
    if name == "train.divides":
        if value_of(scope, "train.left_over", settled):
            return ""  # a remark of its own says how many places stay empty
        parts = "the batch, the layers or the ranks"
    return f"{name} does not hold: the plan does not divide {parts}"


def value_of(scope: Scope, path: str, settled: Mapping[int, float]) -> float | None:
    """A quantity's value at a scenario's settled choices; None where it has none."""
    try:
        node = scope[path]
    except MissingInputError:
        return None
    return point(scope.builder.freeze(), (node,), settled)[node]


def limit_on(scope: Scope, path: str) -> int | None:
    """The node of the limit that a workload sets on a metric; None where it sets none.

    Args:
        scope: The scenario.
        path: Of the metric, with its key: `latency.tpot[mean]`.
    """
    prefix, _, key = path.partition("[")
    named = [limit for limit, metric in LIMITS.items() if metric == prefix]
    if named == ["slo.tpot"] and one_token(scope):
        return None
    if not named or not key or not scope.has(f"workload.{named[0]}[{key}"):
        return None
    return scope[f"workload.{named[0]}[{key}"]


def within(path: str, limit: float, share: float) -> str:
    """How often a metric keeps its limit, in words.

    Args:
        path: Of the metric.
        limit: At most this, in base units.
        share: Of the draws that keep it.
    """
    metric = path.partition("[")[0]
    unit, scale = next(_UNITS[name] for name, of in LIMITS.items() if of == metric)
    return f"within {limit / scale:.3g} {unit} in {share:.0%} of draws"


def cost_left_out(scope: Scope) -> Diagnostic | None:
    """Why a scenario with a price book has no cost; None where it has, or has no book.

    What it costs by the month, and what its workload's work costs.
    """
    if scope.block("finance") is None:
        return None
    wanted = ["cost.per_month"]
    if scope.block("workload") is not None:
        training = scope.word("workload.task") == "training"
        wanted.append("cost.train" if training else "cost.per_Mtoken[output_only]")
    try:
        for path in wanted:
            scope[path]
    except MissingInputError as error:
        return error.diagnostic
    return None


def _memory(scope: Scope, settled: Mapping[int, float]) -> str:
    short = value_of(scope, "memory.shortfall", settled)
    if short is None:
        return "does not fit into memory"
    least = least_degrees(scope, settled)
    would = " · ".join(f"{d.rpartition('.')[2]} {n:g}" for d, n in least.items())
    more = f"{would} would fit" if would else "no tp and pp would fit"
    return f"does not fit: short of {short / _GIGA:.3g} GB on each rank; {more}"


def _instances(scope: Scope, settled: Mapping[int, float]) -> str:
    ranks = value_of(scope, "ranks", settled)
    chips = value_of(scope, "chips", settled)
    by_rank = value_of(scope, "rank.chips", settled)
    by_system = value_of(scope, "system.chips", settled)
    if ranks is None or chips is None or by_rank is None or not by_system:
        return "does not fit: there is no room for one instance"
    needed = ranks * by_rank
    least = least_size(needed, by_system)
    return (
        f"does not fit: one instance takes {figure(needed)} chips of the "
        f"{figure(chips)} installed; the least that would do is "
        f"size = {least:.10g} chip"
    )


def _shared_heads(scope: Scope, settled: Mapping[int, float]) -> tuple[str, ...]:
    """A degree of tensor parallelism that leaves ranks with a fraction of a head."""
    tp, heads = (
        value_of(scope, path, settled)
        for path in ("workload.parallel.tp", "model.heads")
    )
    if tp is None or heads is None or tp < 1 or heads % tp == 0 or heads != int(heads):
        return ()
    whole = [d for d in range(1, int(heads) + 1) if heads % d == 0]
    below = max(d for d in whole if d <= max(tp, 1))
    above = [d for d in whole if d > tp][:1]
    near = " or ".join(f"{d}" for d in (below, *above))
    return (f"tp {tp:g} does not divide {heads:g} heads: {near} would",)


def unfollowed(scope: Scope, wanted: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """What is to be said where a derived quantity is stated and nothing rests on it.

    Args:
        scope: The scenario.
        wanted: Its headline metrics, as nodes by path.

    Returns:
        Remarks by path: of the stated quantity, and of the metrics that rest on what
        it would have been derived from and so do not follow it.
    """
    out: dict[str, tuple[str, ...]] = {}
    for path in scope.replaced:
        try:
            stated, derived = scope[path], scope.derive(path)
        except MissingInputError:
            continue
        graph = scope.builder.freeze()
        others = {p: n for p, n in wanted.items() if p != path}
        under = {p: frozenset(graph.below((n,))) for p, n in others.items()}
        if any(stated in nodes for nodes in under.values()):
            continue
        parts = [a for a in graph.nodes[derived].args if graph.nodes[a].args]
        main = max(parts, key=lambda a: len(graph.below((a,))), default=derived)
        behind = [p for p, nodes in under.items() if {derived, main} & nodes]
        told = f"nothing else rests on the stated {path}"
        if behind:
            told += f": {', '.join(behind)} do not follow; state what they rest on"
        out[path] = (*out.get(path, ()), told)
        for one in behind:
            out[one] = (*out.get(one, ()), f"does not follow the stated {path}")
    return out
