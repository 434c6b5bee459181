"""How steady a settled choice is: in what share of draws it fits, and stays best.

A choice is settled once, at point values. Here all configurations meet all draws, so
that a report can say whether the doubt about the inputs would have it otherwise.
"""

from typing import TYPE_CHECKING, Any

import attrs

from isocost.engine.choices import TIE, admissible, constraints, objective_of
from isocost.engine.doubt import uncertain
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Input
from isocost.engine.program import program
from isocost.engine.results import Choice, round_out
from isocost.engine.sampling import draws
from isocost.engine.search import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Draws that every configuration meets, and the points of one pass.
DRAWS = 256
POINTS = 1 << 18
#: Configurations that are looked at: the best at point values.
MOST = 1024


@attrs.frozen
class Steadiness:
    """Shares of draws in which the settled choice fits, and in which it is the best."""

    feasible: float
    best: float


def steadiness(evaluation: Evaluation, scenario: str) -> Steadiness | None:
    """How a scenario's settled choices fare over the draws; None if it has none."""
    import numpy as np

    settled = evaluation.settled(scenario)
    if not settled.values:
        return None
    scope = evaluation.scope(scenario)
    path, _, sign = objective_of(scope)
    space = Space(evaluation, scenario, {path: int(sign)})
    grid = _candidates(space, sign)
    taken = np.array([settled.values[node] for node in space.inputs])
    grid = np.concatenate([taken[None, :], grid])
    limits = constraints(scope)
    wanted = (space.goals[0], *(limit.node for limit in limits))
    graph = evaluation.graph
    columns = draws(graph, uncertain(graph, wanted), DRAWS)
    others = {n: v for n, v in evaluation.choices.items() if n not in space.inputs}
    made = program(graph, wanted, (*space.inputs, *columns), others)
    fits = wins = 0
    step = max(POINTS // len(grid), 1)
    for start in range(0, DRAWS, step):
        size = min(step, DRAWS - start)
        points = {
            node: np.repeat(grid[:, i], size) for i, node in enumerate(space.inputs)
        }
        for node, column in columns.items():
            points[node] = np.tile(column[start : start + size], len(grid))
        score, *values = made.run(points)
        good, _ = admissible(limits, values, len(score))
        good &= np.isfinite(score)
        table: NDArray[Any] = np.where(good, sign * score, np.inf)
        table = table.reshape(len(grid), size)
        least = table[1:].min(axis=0)
        fits += int(np.isfinite(table[0]).sum())
        wins += int((table[0] <= least + TIE * np.abs(least)).sum())
    return Steadiness(fits / DRAWS, wins / DRAWS)


def choices(evaluation: Evaluation, scenario: str) -> tuple[Choice, ...]:
    """A scenario's settled choices with their runner-up, and how steady they are."""
    found = steadiness(evaluation, scenario)
    if found is None:
        return ()
    settled, graph = evaluation.settled(scenario), evaluation.graph
    gap = None if settled.gap is None else round_out(settled.gap)
    out = []
    for node, value in settled.values.items():
        what = graph.nodes[node].what
        assert isinstance(what, Input)  # noqa: S101 (only inputs are settled)
        made = Choice(
            path=what.path or what.origin,
            value=value,
            unit=what.unit,
            scale=what.scale,
            runner_up=settled.runner_up.get(node),
            gap=gap,
            feasible_share=found.feasible,
            best_share=found.best,
        )
        out.append(made)
    return tuple(out)


def _candidates(space: Space, sign: float) -> "NDArray[Any]":
    """The configurations worth looking at: all of few, of many the best that fit."""
    import numpy as np

    best: list[tuple[NDArray[Any], NDArray[Any]]] = []
    for start in space.starts:
        grid, columns = space.columns(start)
        score, *values = space.program.run(columns)
        good, _ = admissible(space.limits, values, len(grid))
        ranked = np.where(good & np.isfinite(score), sign * score, np.inf)
        order = np.argsort(ranked, kind="stable")[:MOST]
        best.append((ranked[order], grid[order]))
    ranked = np.concatenate([r for r, _ in best])
    grid = np.concatenate([g for _, g in best])
    out: NDArray[Any] = grid[np.argsort(ranked, kind="stable")[:MOST]]
    return out
