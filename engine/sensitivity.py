"""What drives a metric: exact derivatives, elasticities, swings, and the next branch.

For each input below a metric of one scenario: the derivative through the chain rule
(finite steps for whole numbers and choices), the metric at both ends of the input's
own 90% interval, and how far the input moves before another branch of the model takes
over. At a kink both one-sided derivatives are given. All metrics of the tornado come
from one vectorised pass.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from isocost.dsl.lookup import Target
from isocost.dsl.schema.pools import POOLS
from isocost.dsl.syntax import CiteRef, parse_path
from isocost.dsl.units import unit
from isocost.engine.choices import steps_of
from isocost.engine.evaluate import Evaluation
from isocost.engine.gradient import gradient
from isocost.engine.graph import Graph, Input
from isocost.engine.program import point, program
from isocost.engine.regimes import Regime, Turn, binding
from isocost.engine.results import round_out
from isocost.engine.sampling import quantile
from isocost.engine.scope import MissingInputError, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: The ends of the interval over which an input swings.
ENDS = (0.05, 0.95)
#: A branch that changes within this share of an input's value makes a kink.
KINK = 4e-9
#: So near is just beside the value, even where the input is a thousandth of what is
#: rounded (`ceil` snaps within 1e-9): a change of more than the share `JUMP` that no
#: slope explains is a jump.
HAIR = 1e-6
JUMP = 1e-6


@attrs.frozen
class Step:
    """The metric where an input without a derivative takes a neighbouring value."""

    to: float
    metric: float
    change: float


@attrs.frozen
class Influence:
    """What one input does to a metric; numbers are in base units.

    `path` is where the scenario sees the input, `origin` the statement behind it.
    `derivative` and `elasticity` (percent for a percent) are None for whole numbers
    and choices, which have `steps` instead, and where the metric jumps. `low`
    and `high` are the ends of the input's own interval (both the value where nothing
    is in doubt), `at_low` and `at_high` the metric there, `swing` their distance.
    `left` and `right` are the
    one-sided derivatives at a kink, `down` and `up` the next branches on either side.
    On the edge of a step (`ceil`, `floor`, a condition) `jump_down` or `jump_up` is
    how far the metric jumps when the input moves a hair that way; `left` and `right`
    are then the slopes beside it.
    """

    node: int
    path: str
    origin: str
    doc: str
    value: float
    unit: str
    scale: float
    derivative: float | None
    elasticity: float | None
    low: float
    high: float
    at_low: float
    at_high: float
    swing: float
    steps: tuple[Step, ...] = ()
    left: float | None = None
    right: float | None = None
    down: Turn | None = None
    up: Turn | None = None
    jump_down: float = 0.0
    jump_up: float = 0.0
    cites: tuple[CiteRef, ...] = ()
    note: str = ""
    assumed: bool = False
    default: bool = False

    @property
    def jumps(self) -> bool:
        """Whether the metric jumps at the input's value."""
        return bool(self.jump_down or self.jump_up)


@attrs.frozen
class Sensitivity:
    """All influences on one metric of one scenario, the largest swing first.

    `branches` names the binding branch of each quantity with named branches.
    """

    scenario: str
    metric: str
    doc: str
    value: float
    unit: str
    scale: float
    inputs: tuple[Influence, ...]
    branches: Mapping[str, str]

    def of(self, path: str) -> Influence:
        """The influence of an input, by the path or the origin of its statement."""
        for one in self.inputs:
            if path in {one.path, one.origin}:
                return one
        raise KeyError(path)


def sensitivity(
    evaluation: Evaluation, scenario: str, metric: str
) -> Sensitivity | None:
    """What drives a metric of a scenario.

    Args:
        evaluation: The evaluated document.
        scenario: The scenario's name.
        metric: The metric's path, or that of any quantity.

    Returns:
        The influences; None, with a diagnostic in `evaluation`, where the metric
        cannot be had.
    """
    node = evaluation.node(scenario, metric)
    if node is None:
        return None
    path = evaluation.scope(scenario).full_path(metric) or metric
    entry = evaluation.entry(scenario, path)
    run = _Run(evaluation, scenario, node)
    return Sensitivity(
        scenario=scenario,
        metric=path,
        doc=entry.doc,
        value=round_out(run.values[node]),
        unit=entry.unit,
        scale=unit(entry.unit).factor,
        inputs=tuple(run.influences()),
        branches=binding(run.regime.switches, run.graph, run.values, scenario),
    )


class _Run:
    """The passes over one metric, and what comes out of them."""

    def __init__(self, evaluation: Evaluation, scenario: str, wanted: int) -> None:
        self.evaluation = evaluation
        self.scenario = scenario
        self.wanted = wanted
        self.graph: Graph = evaluation.graph
        self.values = evaluation.point((wanted,))
        self.regime = Regime(self.graph, wanted, self.values, scenario=scenario)
        self.slopes = gradient(self.graph, wanted, self.values)

    def influences(self) -> list[Influence]:
        """Every input that the metric rests on, sorted."""
        inputs = [
            (node, what)
            for node in self.graph.inputs((self.wanted,))
            if isinstance(what := self.graph.nodes[node].what, Input)
        ]
        ends = [_ends(what, self.values[node]) for node, what in inputs]
        steps = [
            steps_of(self.evaluation.scope(self.scenario), what, self.values[node])
            for node, what in inputs
        ]
        nodes = [node for node, _ in inputs]
        hairs = [_beside(what.scale, self.values[node]) for node, what in inputs]
        moves = [(*e, *h, *s) for e, h, s in zip(ends, hairs, steps, strict=True)]
        metrics = self._metrics(nodes, moves)
        smooth = [n for n, w in inputs if not _stepped(w) and n in self.slopes]
        turns = self.regime.turns(nodes)
        kinks = dict(zip(smooth, self.regime.kinks(smooth, KINK), strict=True))
        made = [
            self._influence(*one, move, found, turns[one[0]])
            for one, move, found in zip(inputs, moves, metrics, strict=True)
        ]
        made = [
            self._sided(one) if kinks.get(one.node) or one.jumps else one
            for one in made
        ]
        return sorted(made, key=_order)

    def _metrics(
        self, nodes: Sequence[int], moves: Sequence[tuple[float, ...]]
    ) -> list[list[float]]:
        """The metric at each move of each input, the others at their values."""
        import numpy as np

        total = sum(map(len, moves))
        if not total:
            return [[] for _ in moves]
        columns = {node: np.full(total, self.values[node]) for node in nodes}
        start = 0
        for node, move in zip(nodes, moves, strict=True):
            columns[node][start : start + len(move)] = move
            start += len(move)
        settled = {node: self.values[node] for node in nodes}
        made = program(self.graph, (self.wanted,), nodes, settled)
        (column,) = made.run(columns)
        cuts = np.cumsum([len(move) for move in moves])[:-1]
        return [part.tolist() for part in np.split(column, cuts)]

    def _influence(
        self,
        node: int,
        what: Input,
        move: tuple[float, ...],
        metrics: list[float],
        turns: tuple[Turn | None, Turn | None],
    ) -> Influence:
        value, metric = self.values[node], self.values[self.wanted]
        slope = None if _stepped(what) else self.slopes.get(node, 0.0)
        at_low, at_high = metrics[:2]
        beside = zip(move[2:4], metrics[2:4], strict=True)
        jumps = [0.0 if slope is None else self._jump(node, *one) for one in beside]
        slope = None if any(jumps) else slope
        return Influence(
            node=node,
            path=self._path_of(node, what),
            origin=what.origin,
            doc=what.doc,
            value=round_out(value),
            unit=what.unit,
            scale=what.scale,
            derivative=None if slope is None else round_out(slope),
            elasticity=_elasticity(slope, value, metric),
            low=round_out(move[0]),
            high=round_out(move[1]),
            at_low=round_out(at_low),
            at_high=round_out(at_high),
            swing=round_out(abs(at_high - at_low)),
            steps=tuple(
                Step(to, round_out(m), round_out(m - metric))
                for to, m in zip(move[4:], metrics[4:], strict=True)
            ),
            down=turns[0],
            up=turns[1],
            jump_down=jumps[0],
            jump_up=jumps[1],
            cites=what.cites,
            note=what.note,
            assumed=what.assumed,
            default=what.default,
        )

    def _path_of(self, node: int, what: Input) -> str:
        """Where an input can be set: by its role, a name of its own, its statement.

        An interval in the middle of a formula can be set nowhere; it has the name of
        the statement.
        """
        named = self.graph.names_of(node)
        prefix = f"{self.scenario}."
        inside = [n.removeprefix(prefix) for n in named if n.startswith(prefix)]
        known = [*self._roles(node, what.path), *inside, what.origin, *named]
        if "#" in what.origin:
            known = [*inside, *named, what.origin]
        settable = (path for path in known if path and self._can_be_set(path))
        return next(settable, next(filter(None, known), what.path))

    def _roles(self, node: int, path: str) -> list[str]:
        """An input's role; behind the name of a pool where it is of one of the two."""
        scope = self.evaluation.scope(self.scenario)
        if not path or not scope.pooled:
            return [path]
        seen = [name for name in POOLS if _sees(scope.pool(name), path, node)]
        if len(seen) != 1:
            return [path] if seen or _sees(scope, path, node) else []
        return [f"{seen[0]}.{path.removeprefix('workload.')}"]

    def _can_be_set(self, path: str) -> bool:
        """Whether a scenario's line with this path is about a quantity."""
        document, lookup = self.evaluation.document, self.evaluation.checked.lookup
        block = document.blocks.get(self.scenario)
        found = lookup.find(parse_path(path), block, block.file if block else "")
        return isinstance(found, Target) and found.sort != "block"

    def _jump(self, node: int, to: float, beside: float) -> float:
        """The change a hair away, if it is more than the slopes make there."""
        metric, moved = self.values[self.wanted], to - self.values[node]
        change = beside - metric

        def explained(slope: float) -> bool:
            return not abs(change) > 2 * abs(slope * moved) + JUMP * abs(metric)

        if not moved or explained(self.slopes.get(node, 0.0)):
            return 0.0
        return 0.0 if explained(self._slope_at(node, to)) else round_out(change)

    def _sided(self, one: Influence) -> Influence:
        """An influence with its one-sided derivatives, where they differ."""
        ends = _beside(one.scale, self.values[one.node], HAIR if one.jumps else KINK)
        left, right = (self._slope_at(one.node, end) for end in ends)
        if math.isclose(left, right, rel_tol=1e-6, abs_tol=0.0):
            return one
        return attrs.evolve(one, left=round_out(left), right=round_out(right))

    def _slope_at(self, node: int, value: float) -> float:
        settled = {**self.evaluation.choices, node: value}
        values = point(self.graph, (self.wanted,), settled)
        return gradient(self.graph, self.wanted, values).get(node, 0.0)


def _stepped(what: Input) -> bool:
    """Whether an input moves in steps, so that it has no derivative."""
    return what.whole or what.auto or bool(what.options)


def _sees(scope: Scope, path: str, node: int) -> bool:
    """Whether a path leads to a node in a scope."""
    try:
        return scope[path] == node
    except MissingInputError:
        return False


def _ends(what: Input, value: float) -> tuple[float, float]:
    if not what.uncertain:
        return value, value
    import numpy as np

    low, high = quantile(what.spread, np.array(ENDS), what.central).tolist()
    return low, high


def _beside(scale: float, value: float, share: float = HAIR) -> tuple[float, float]:
    """The values a hair below and above one; below nothing there is nothing."""
    if not value:
        return value, share * max(scale, 1.0)
    hair = abs(value) * share
    return value - hair, value + hair


def _elasticity(slope: float | None, value: float, metric: float) -> float | None:
    if slope is None or not metric:
        return None
    return round_out(slope * value / metric)


def _order(one: Influence) -> tuple[float, float, float, str]:
    swing = 0.0 if math.isnan(one.swing) else one.swing
    step = max((abs(s.change) for s in one.steps), default=0.0)
    share = math.inf if one.jumps else abs(one.elasticity or 0.0)
    return -swing, -share, -step, one.path
