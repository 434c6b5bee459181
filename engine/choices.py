"""`auto` and `{…}` settled: once, at point values, for the scenario's objective.

Every combination of the open choices is one point of one vectorised pass. Those that
break a constraint (memory, SLOs, no instance) are left out and counted by reason;
the cheapest of the rest is taken; of those that cost the same, where arrivals decide
what is delivered, the one that could make most; then the smaller. What was taken
stays fixed for derivatives and draws.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from isocost.dsl.expr import Expr
from isocost.dsl.schema.pools import POOLS
from isocost.dsl.syntax import parse_path
from isocost.engine.graph import Graph, Input
from isocost.engine.program import point, program
from isocost.engine.scope import MissingInputError, Scope

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What is made small where a scenario names no objective, the first that exists.
OBJECTIVES = ("cost.per_Mtoken[output_only]", "cost.train")
#: Where there is no money: what is made large.
FALLBACKS = ("throughput.per_chip", "throughput.output")
#: Beginnings of the paths of which more is better.
LARGE = ("throughput", "goodput", "mfu", "hfu", "mbu", "instances")
MOST = 4_000_000
#: Groups of attention and ranks of experts that `auto` tries at most.
WIDEST = 512
#: Scores within this share of each other are level.
TIE = 1e-9
_HOLDS = ("memory.fits", "instances", "train.divides", "serving.divides")
#: Limits of a workload by prefix, and the metrics that they bound.
LIMITS = {"slo.tpot": "latency.tpot", "slo.ttft": "latency.ttft"}

#: What configurations do that break a constraint.
BROKEN = {
    "memory.fits": "do not fit into memory",
    "instances": "take more chips than are installed",
    "train.divides": "do not divide the batch, the layers or the ranks",
    "serving.divides": "do not divide heads, layers or experts over the ranks",
    "domain": "reach out of the scale-up domain, with no network to reach into",
    "queue.use": "serve less than arrives",
}


def why_excluded(name: str) -> str:
    """What the configurations do that are left out for a constraint, by its name."""
    if name in BROKEN:
        return f"{BROKEN[name]} ({name})"
    return f"miss {name}" if name.startswith("slo.") else name


@attrs.frozen
class Constraint:
    """A condition on a node: at least or at most a limit, with its name in words."""

    name: str
    node: int
    low: float | None = None
    high: float | None = None

    def kept(self, value: float) -> bool:
        """Whether a value keeps it."""
        below = self.low is not None and value < self.low
        above = self.high is not None and value > self.high * (1 + 1e-12)
        return math.isfinite(value) and not below and not above


@attrs.frozen
class Settled:
    """The outcome: a value per open input, and how the search went.

    `excluded` counts configurations by the first constraint that they break;
    `runner_up` is the second best with its objective over the best, less one.
    """

    values: Mapping[int, float]
    objective: str = ""
    tried: int = 0
    admissible: int = 0
    excluded: Mapping[str, int] = attrs.field(factory=dict)
    runner_up: Mapping[int, float] = attrs.field(factory=dict)
    gap: float | None = None


def batch_sizes(most: float) -> tuple[float, ...]:
    """Whole numbers up to `most`, four to an octave from 4 on, and `most` itself."""
    sizes = [1.0, 2.0, 3.0]
    step = 1.0
    while sizes[-1] < most:
        sizes += [4 * step, 5 * step, 6 * step, 7 * step]
        step *= 2
    return (*(s for s in sizes if s < most), float(most)) if most >= 1 else (1.0,)


def divisors(n: int) -> tuple[float, ...]:
    """The divisors of a number, ascending."""
    return tuple(float(d) for d in range(1, n + 1) if n % d == 0)


def _value(scope: Scope, path: str) -> float:
    node = scope[path]
    return point(scope.builder.freeze(), (node,))[node]


def _degrees(scope: Scope) -> tuple[float, ...]:
    """Tensor parallelism: what divides the heads and fits the system's ranks."""
    heads = int(_value(scope, "model.heads"))
    ranks = int(_value(scope, "system.chips") / _value(scope, "rank.chips"))
    return tuple(d for d in divisors(heads) if d <= ranks)


def _stages(scope: Scope) -> tuple[float, ...]:
    """Pipeline stages: what divides the layers.

    In training embedding and head may count as one layer each, as Megatron has it.
    """
    layers = int(_value(scope, "model.layers"))
    found = set(divisors(layers))
    if scope.word("workload.task") == "training":
        found |= set(divisors(layers + 2))
    return tuple(sorted(d for d in found if d <= 64))  # noqa: PLR2004 (deeper pipes are not built)


def _batches(_: Scope) -> tuple[float, ...]:
    return batch_sizes(8192)


def _powers(most: float) -> Callable[[Scope], tuple[float, ...]]:
    """Powers of two up to `most`."""
    return lambda _: tuple(2.0**k for k in range(int(math.log2(most)) + 1))


def _replicas(scope: Scope) -> tuple[float, ...]:
    """Data parallelism: what divides the batch, up to all ranks.

    In serving, groups of attention: what divides a system, or doublings across them.
    """
    ranks = _value(scope, "ranks.installed")
    if scope.word("workload.task") != "training":
        return _groups(scope, ranks)
    batch = int(_value(scope, "workload.batch.global"))
    return tuple(d for d in divisors(batch) if d <= ranks)


def _groups(scope: Scope, ranks: float) -> tuple[float, ...]:
    from isocost.engine.derive.topologies import has_network

    inside = int(_value(scope, "rank.domain"))
    most = min(ranks, WIDEST) if has_network(scope) else min(ranks, inside)
    doubled = (2.0**k for k in range(int(math.log2(WIDEST)) + 1))
    found = {d for d in (*divisors(inside), *doubled) if d <= most}
    return tuple(sorted(found))


def _expert_ranks(scope: Scope) -> tuple[float, ...]:
    """Expert parallelism: what divides the experts, and copies of them in serving."""
    experts = int(_value(scope, "model.moe.experts"))
    if scope.word("workload.task") == "training":
        return divisors(experts)
    if scope.has("model.moe.redundancy"):
        experts += int(_value(scope, "model.moe.redundancy"))
    ranks = _value(scope, "ranks.installed")
    return tuple(d for d in divisors(experts) if d <= min(ranks, WIDEST))


OPTIONS: dict[str, Callable[[Scope], tuple[float, ...]]] = {
    "workload.parallel.tp": _degrees,
    "workload.parallel.pp": _stages,
    "workload.parallel.cp": _powers(64),
    "workload.parallel.dp": _replicas,
    "workload.parallel.ep": _expert_ranks,
    "workload.parallel.virtual": _powers(16),
    "workload.batch.instance": _batches,
    "workload.batch.micro": _powers(64),
}


def constraints(scope: Scope) -> list[Constraint]:
    """What a configuration must satisfy: memory, instances, divisibility, SLOs."""
    found: list[Constraint] = []
    for path in _HOLDS:
        try:
            found.append(Constraint(path, scope[path], low=0.5))
        except MissingInputError:
            continue
    found += _alone(scope)
    limits = [
        (f"{prefix}[{key}]", f"{metric}[{key}]")
        for prefix, metric in LIMITS.items()
        for key in scope.keys("workload", f"{prefix}[]")
        if prefix != "slo.tpot" or not one_token(scope)
    ]
    for path, metric in limits:
        limit = _value(scope, f"workload.{path}")
        try:
            found.append(Constraint(path, scope[metric], high=limit))
        except MissingInputError:
            continue
    if scope.has("workload.arrival"):
        found.append(Constraint("queue.use", scope["queue.use"], high=1.0))
    return found


def one_token(scope: Scope) -> bool:
    """Whether a service's output is one token: no time passes between two of them."""
    try:
        node = scope["workload.output"]
    except MissingInputError:
        return False
    what = scope.builder.nodes[node].what
    if isinstance(what, Input) and (what.auto or what.options):
        return False
    return point(scope.builder.freeze(), (node,))[node] <= 1


def _alone(scope: Scope) -> list[Constraint]:
    """Serving without a network: an instance stays in its scale-up domain."""
    from isocost.engine.derive.topologies import has_network

    training = scope.word("workload.task") == "training"
    if training or has_network(scope) or not scope.has("system.topology"):
        return []
    try:
        return [Constraint("domain", scope["ranks"], high=_value(scope, "rank.domain"))]
    except MissingInputError:
        return []


def objectives_in(expr: Expr) -> list[str]:
    """The paths of a stated objective: one, or a list of which the first counts."""
    items = expr.args if expr.op == "list" else (expr,)
    return [str(item.value) for item in items[:1]]


def sign_of(path: str) -> float:
    """-1 for a metric of which more is better, which is made large; else 1."""
    parsed = parse_path(path)
    return -1.0 if parsed.head in LARGE else 1.0


def objective_of(scope: Scope) -> tuple[str, int, float]:
    """The objective's path, node and sign: 1 to make it small, -1 to make it large.

    Raises:
        MissingInputError: The scenario has nothing to be settled for.
    """
    fact = scope.fact("objective")
    wanted = [*OBJECTIVES] if fact is None else objectives_in(fact.expr)
    last: MissingInputError | None = None
    for path in wanted:
        full = scope.full_path(path) or path
        try:
            return full, scope[full], sign_of(full)
        except MissingInputError as error:
            last = error
    for path in () if fact is not None else FALLBACKS:
        try:
            return path, scope[path], -1.0
        except MissingInputError as error:
            last = error
    assert last is not None  # noqa: S101 (each list has an entry)
    raise last


def open_inputs(graph: Graph, wanted: Iterable[int]) -> list[int]:
    """The choices below some nodes that are still to be settled."""
    found = []
    for node in graph.inputs(wanted):
        what = graph.nodes[node].what
        if isinstance(what, Input) and (what.auto or what.options):
            found.append(node)
    return found


def options_of(scope: Scope, what: Input) -> tuple[float, ...]:
    """The values that an open choice may take in a scenario, ascending for `auto`."""
    if what.options:
        return what.options
    pool, _, inner = what.path.partition(".")
    path = f"workload.{inner}" if pool in POOLS else what.path
    if path not in OPTIONS:
        raise scope.fail("M004", what=f"`auto` for {what.path}")
    outside = pool in POOLS and not scope.pool_name
    return OPTIONS[path](scope.pool(pool) if outside else scope)


def steps_of(scope: Scope, what: Input, value: float) -> tuple[float, ...]:
    """The neighbouring values of an input that moves in steps; none for others."""
    if what.options or what.auto:
        options = sorted({*options_of(scope, what), value})
        at = options.index(value)
        return tuple(options[max(at - 1, 0) : at] + options[at + 1 : at + 2])
    if what.whole:
        return tuple(v for v in (value - 1, value + 1) if v > 0)
    return ()


def settle(scope: Scope) -> Settled:
    """Settle every open choice of a scenario.

    Raises:
        MissingInputError: The objective cannot be built, or nothing is admissible.
    """
    try:
        path, objective, sign = objective_of(scope)
    except MissingInputError:
        return Settled({})
    limits = constraints(scope)
    spare = _spare(scope)
    nodes = (objective, *(c.node for c in limits), *spare)
    graph = scope.builder.freeze()
    choices = open_inputs(graph, nodes)
    if not choices:
        return Settled({}, path)
    spaces = [options_of(scope, graph.nodes[n].what) for n in choices]  # type: ignore[arg-type]
    if math.prod(map(len, spaces)) > MOST:
        raise scope.fail("M003", reason=f"more than {MOST:,} configurations")
    goal = (path, objective, sign)
    return _search(scope, graph, choices, spaces, limits, goal, spare)


def _spare(scope: Scope) -> tuple[int, ...]:
    """What decides between configurations that cost the same: what they could make.

    Where arrivals set what is delivered, all that keep up with them cost the same.
    """
    if not scope.has("workload.arrival") or scope.has("load"):
        return ()
    try:
        return (scope["throughput.output"],)
    except MissingInputError:
        return ()


def _search(
    scope: Scope,
    graph: Graph,
    choices: list[int],
    spaces: list[tuple[float, ...]],
    limits: list[Constraint],
    goal: tuple[str, int, float],
    spare: tuple[int, ...],
) -> Settled:
    import numpy as np

    path, objective, sign = goal
    grid = np.array(list(itertools.product(*spaces)))
    columns = {node: grid[:, i] for i, node in enumerate(choices)}
    wanted = (objective, *(c.node for c in limits), *spare)
    score, *values = program(graph, wanted, choices).run(columns)
    room = values.pop() if spare else None
    good, excluded = admissible(limits, values, len(grid))
    good &= np.isfinite(score)
    if not good.any():
        raise scope.fail("M003", reason=_nothing(scope, len(grid), excluded, path))
    ranked = np.where(good, sign * score, np.inf)
    first = least(ranked, grid, room)
    best = dict(zip(choices, grid[first].tolist(), strict=True))
    second, gap = {}, None
    if int(good.sum()) > 1:
        taken, ranked[first] = ranked[first], np.inf
        next_ = least(ranked, grid, room)
        second = dict(zip(choices, grid[next_].tolist(), strict=True))
        gap = float(abs(ranked[next_] / taken - 1)) if taken else None
    return Settled(best, path, len(grid), int(good.sum()), excluded, second, gap)


def _nothing(scope: Scope, tried: int, excluded: Mapping[str, int], path: str) -> str:
    """Why no configuration is admissible."""
    from isocost.engine.derive.sizes import empty

    left = tried - sum(excluded.values())
    reasons = [f"{n:,} {why_excluded(name)}" for name, n in excluded.items()]
    reasons += [f"{left:,} have no {path}"] if left else []
    none = empty(scope, {})
    if none:
        reasons = [none]
    return f"none of {tried:,} configurations is admissible: {', '.join(reasons)}"


def least(
    score: "NDArray[Any]", grid: "NDArray[Any]", room: "NDArray[Any] | None" = None
) -> int:
    """The row of least score; of those level to rounding, of most room, the smallest.

    Args:
        score: What is made small, by row.
        grid: The values of the choices, by row.
        room: What decides between rows of one score: the more, the better.
    """
    import numpy as np

    best = score.min()
    level = np.flatnonzero(score <= best + TIE * abs(best))
    if room is not None:
        most = room[level].max()
        level = level[room[level] >= most - TIE * abs(most)]
    order = np.lexsort(grid[level].T[::-1])
    return int(level[order[0]])


def admissible(
    limits: Sequence[Constraint], values: "Sequence[NDArray[Any]]", count: int
) -> "tuple[NDArray[Any], dict[str, int]]":
    """Which points keep every limit, and how many the others break, the first first.

    Args:
        limits: The constraints.
        values: A column of each constraint's node.
        count: How many points there are.
    """
    import numpy as np

    good = np.ones(count, bool)
    excluded: dict[str, int] = {}
    for limit, column in zip(limits, values, strict=True):
        right = np.isfinite(column)
        if limit.low is not None:
            right &= column >= limit.low
        if limit.high is not None:
            right &= column <= limit.high * (1 + 1e-12)
        broken = int((good & ~right).sum())
        if broken:
            excluded[limit.name] = broken
        good &= right
    return good, excluded
