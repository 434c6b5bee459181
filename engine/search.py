"""Every admissible configuration of some scenarios, and the front of what is best.

The open choices (`auto`, `{…}`) span a grid that is evaluated in batches of columns;
only what no other configuration beats is kept from one batch to the next, so that
spaces of millions need little memory. A swapped block, a topology or a kind of model
is another scenario: it is another graph, and its configurations join the same front.
"""

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from isocost.dsl.diagnostics import Diagnostic
from isocost.engine.choices import (
    Constraint,
    admissible,
    constraints,
    objective_of,
    open_inputs,
    options_of,
)
from isocost.engine.derive.topologies import network_of
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Input
from isocost.engine.pareto import front
from isocost.engine.program import program
from isocost.engine.results import round_out
from isocost.engine.scope import MissingInputError, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: Configurations that are evaluated at once.
BATCH = 1 << 17
#: What is made small (1) or large (-1) where a caller names nothing.
GOALS = {
    "cost.per_Mtoken[output_only]": 1,
    "cost.train": 1,
    "throughput.per_chip": -1,
    "latency.tpot[mean]": 1,
    "time.train": 1,
}
#: How near to the best a configuration is told, and how many of them.
NEAR = 0.05
NEAREST = 10

#: The code of a design that does not fit.
UNFIT = "M003"

Progress = Callable[[int, int], None]


@attrs.frozen
class Plan:
    """One configuration: its choices and goals by path, in base units."""

    scenario: str
    choices: Mapping[str, float]
    goals: Mapping[str, float]


@attrs.frozen
class Limit:
    """A metric that may not go beyond a value, in base units; `text` as it was asked.

    `sign` 1: at most the value; -1: at least.
    """

    path: str
    value: float
    sign: int
    text: str


@attrs.frozen
class Found:
    """What a search found.

    `front` is ordered by the first goal; `best` is its first entry, and `near` are
    further configurations whose first goal is within `NEAR` of it, whether beaten or
    not. `excluded` counts configurations by the first constraint that they break, or
    the first goal that has no value. `refused` are scenarios whose design does not fit
    at all, with the reason.
    """

    goals: Mapping[str, int]
    tried: int
    admissible: int
    excluded: Mapping[str, int]
    front: tuple[Plan, ...]
    near: tuple[Plan, ...]
    refused: Mapping[str, Diagnostic] = attrs.field(factory=dict)

    @property
    def best(self) -> Plan | None:
        """The best by the first goal; None if nothing is admissible."""
        return self.front[0] if self.front else None


def search(
    evaluation: Evaluation,
    scenarios: Sequence[str],
    goals: Mapping[str, int] | None = None,
    progress: Progress | None = None,
    limits: Sequence[Limit] = (),
) -> Found | None:
    """Search the open choices of scenarios.

    A scenario whose networks do not fit is left out and told, so that designs may be
    compared at a size that not all of them reach; it is an error if none does.

    Args:
        evaluation: The evaluated document.
        scenarios: Their names; all must have the goals.
        goals: Paths of metrics, 1 to make one small and -1 to make it large; None:
            the first scenario's objective, and those of `GOALS` that it has.
        progress: Called with the configurations done and those there are.
        limits: What a configuration must keep beside the scenario's own constraints.

    Returns:
        What was found; None, with diagnostics in `evaluation`, where a goal or an
        option cannot be had, and without where there is nothing to judge by.
    """
    wanted = goals or _defaults(evaluation.scope(leading(evaluation, scenarios)))
    if not wanted:
        return None
    spaces: list[Space] = []
    refused: dict[str, Diagnostic] = {}
    for name in scenarios:
        try:
            spaces.append(Space(evaluation, name, wanted, limits))
        except MissingInputError as error:
            if error.diagnostic.code != UNFIT:
                evaluation.diagnostics.append(error.diagnostic)
                return None
            refused[name] = error.diagnostic
    if not spaces:
        evaluation.diagnostics += refused.values()
        return None
    total = sum(space.size for space in spaces)
    run = _Run(wanted)
    for space in spaces:
        for start in space.starts:
            run.take(space, start)
            if progress is not None:
                progress(run.tried, total)
    return attrs.evolve(run.found(), refused=refused)


def leading(evaluation: Evaluation, scenarios: Sequence[str]) -> str:
    """The first scenario whose networks fit, else the first of all."""
    for name in scenarios:
        scope = evaluation.scope(name)
        try:
            if scope.call("fabric.topology") is not None:
                network_of(scope)
        except MissingInputError as error:
            if error.diagnostic.code == UNFIT:
                continue
        return name
    return scenarios[0]


def _defaults(scope: Scope) -> dict[str, int]:
    """The scenario's own objective first, then what else there is to judge by."""
    out: dict[str, int] = {}
    try:
        path, _, sign = objective_of(scope)
    except MissingInputError:
        return out
    for one, direction in {path: int(sign), **GOALS}.items():
        try:
            scope[one]
        except MissingInputError:
            continue
        out.setdefault(one, direction)
    return out


class Space:
    """The grid of one scenario's open choices, ready to run."""

    def __init__(
        self,
        evaluation: Evaluation,
        name: str,
        goals: Mapping[str, int],
        limits: Sequence[Limit] = (),
    ) -> None:
        self.name = name
        scope = evaluation.scope(name)
        self.goals = [scope[scope.full_path(path) or path] for path in goals]
        self.limits: list[Constraint] = constraints(scope)
        for limit in limits:
            node = scope[scope.full_path(limit.path) or limit.path]
            side = {"high" if limit.sign > 0 else "low": limit.value}
            self.limits.append(Constraint(limit.text, node, **side))
        wanted = (*self.goals, *(limit.node for limit in self.limits))
        graph = evaluation.graph
        self.inputs: list[int] = open_inputs(graph, wanted)
        what = [graph.nodes[node].what for node in self.inputs]
        inputs = [one for one in what if isinstance(one, Input)]
        self.paths = [one.path or one.origin for one in inputs]
        self.options = [options_of(scope, one) for one in inputs]
        self.size = math.prod(map(len, self.options))
        settled = {
            node: value
            for node, value in evaluation.choices.items()
            if node not in self.inputs
        }
        self.program = program(graph, wanted, self.inputs, settled)

    @property
    def starts(self) -> range:
        """The numbers at which batches of configurations begin."""
        return range(0, self.size, BATCH)

    def columns(self, start: int) -> "tuple[NDArray[Any], dict[int, Column]]":
        """The configurations from a number on: their choices, by row and by node."""
        import numpy as np

        rows = np.arange(start, min(start + BATCH, self.size))
        shape = [len(options) for options in self.options]
        places = np.unravel_index(rows, shape) if shape else ()
        columns = {
            node: np.asarray(options)[place]
            for node, options, place in zip(
                self.inputs, self.options, places, strict=True
            )
        }
        if not columns:
            return np.empty((1, 0)), {}
        return np.stack(list(columns.values()), axis=1), columns


class _Run:
    """The front so far, and the counts."""

    def __init__(self, goals: Mapping[str, int]) -> None:
        self.goals = goals
        self.tried = self.good = 0
        self.excluded: dict[str, int] = {}
        self.plans: list[Plan] = []
        self.near: list[tuple[float, Plan]] = []

    def take(self, space: Space, start: int) -> None:
        """Evaluate one batch and keep what nothing beats."""
        import numpy as np

        grid, columns = space.columns(start)
        values = space.program.run(columns)
        count = len(self.goals)
        good, broken = admissible(space.limits, values[count:], len(grid))
        for name, number in broken.items():
            self.excluded[name] = self.excluded.get(name, 0) + number
        signs = np.array(list(self.goals.values()))
        scores = np.stack(values[:count], axis=1) * signs
        good = self._defined(good, scores)
        self.tried += len(grid)
        self.good += int(good.sum())
        rows = good.nonzero()[0]
        if not len(rows):
            return
        kept = rows[front(scores[rows])]
        self._join([self._plan(space, grid[i], scores[i]) for i in kept])
        first = scores[rows, 0]
        close = rows[np.argsort(first, kind="stable")[: NEAREST + len(self.plans)]]
        made = [(scores[i, 0], self._plan(space, grid[i], scores[i])) for i in close]
        self.near = heapq.nsmallest(
            NEAREST + len(self.plans), [*self.near, *made], key=lambda pair: pair[0]
        )

    def _defined(self, good: "NDArray[Any]", scores: "NDArray[Any]") -> "NDArray[Any]":
        """What has a value in every goal; the rest is counted by the first without."""
        import numpy as np

        for path, column in zip(self.goals, scores.T, strict=True):
            undefined = good & ~np.isfinite(column)
            number = int(undefined.sum())
            if number:
                name = f"{path} undefined"
                self.excluded[name] = self.excluded.get(name, 0) + number
            good = good & ~undefined
        return good

    def _plan(self, space: Space, choices: "Column", score: "Column") -> Plan:
        goals = {
            path: round_out(float(value) * sign)
            for (path, sign), value in zip(self.goals.items(), score, strict=True)
        }
        named = dict(zip(space.paths, choices.tolist(), strict=True))
        return Plan(space.name, named, goals)

    def _join(self, plans: list[Plan]) -> None:
        import numpy as np

        joined = [*self.plans, *plans]
        signs = self.goals.values()
        scores = [
            [v * sign for v, sign in zip(plan.goals.values(), signs, strict=True)]
            for plan in joined
        ]
        self.plans = [joined[i] for i in front(np.array(scores))]

    def found(self) -> Found:
        """The outcome."""
        near: list[Plan] = []
        if self.plans:
            best = self.near[0][0]
            limit = best + NEAR * abs(best)
            near = [plan for score, plan in self.near if score <= limit]
            near = [plan for plan in near if plan not in self.plans][:NEAREST]
        return Found(
            self.goals,
            self.tried,
            self.good,
            self.excluded,
            tuple(self.plans),
            tuple(near),
        )
