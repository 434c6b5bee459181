"""How much of a difference each change causes: Shapley values over the changes.

The changes between two graphs are switches on their union; the metric at a set of
switches is one point of a vectorised pass. A cause's effect is its mean contribution
over all orders in which the changes could be made, so that the effects add up to the
difference, whatever `ceil`, choices or swapped structure lie between. Up to `EXACT`
changes all coalitions are evaluated; above that changes are taken by the block that
states them; and where even that is too much, over seeded orders with standard errors.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from isocost.engine.evaluate import Evaluation
from isocost.engine.program import program
from isocost.engine.union import Change, Side, Union, join

__all__ = ["Attribution", "Cause", "Change", "Side", "attribute", "side"]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Table = NDArray[np.bool_]
    Column = NDArray[np.float64]

Value: TypeAlias = "Callable[[Table], Column]"

#: So many changes at most are attributed over all of their coalitions.
EXACT = 16
#: So many points at most are evaluated for changes by block.
MOST = 1 << 21
#: Orders drawn where there are too many changes; each is taken both ways.
ORDERS = 512


@attrs.frozen
class Cause:
    """A change with its effect on the metric, in the metric's base unit.

    `error` is the standard error of the effect: 0 where it is exact.
    """

    change: Change
    effect: float
    error: float = 0.0


@attrs.frozen
class Attribution:
    """The difference of a metric between two evaluations, and what caused it.

    `method` is `exact`, `blocks` or `orders`. `undefined` is the share of the points
    evaluated on the way at which the metric had no value; they count as no change.
    """

    old: float
    new: float
    causes: tuple[Cause, ...]
    method: str
    undefined: float = 0.0

    @property
    def delta(self) -> float:
        """New less old; the effects add up to it."""
        return self.new - self.old


def side(evaluation: Evaluation, scenario: str, metric: str) -> Side | None:
    """One side of a comparison; None, with a diagnostic, if it has no such metric."""
    node = evaluation.node(scenario, metric)
    if node is None:
        return None
    document = evaluation.document
    blocks = (b.name for b in document.blocks.values() if b.kind.name != "scenario")
    return Side(evaluation.graph, node, evaluation.choices, scenario, frozenset(blocks))


def attribute(old: Side, new: Side, *, seed: int = 0) -> Attribution:
    """Attribute the difference of two graphs' wanted nodes to the changes between.

    Args:
        old: Where the difference starts.
        new: Where it ends.
        seed: Of the orders drawn where there are too many changes for exact values.
    """
    union = join(old, new)
    game = _Game(union)
    count = len(union.changes)
    if count <= EXACT:
        method, (effects, errors) = "exact", exact(game, count)
    else:
        groups = _groups(union.changes)
        sizes = [len(group) for group in groups]
        points = sum(1 << (len(groups) - 1 + size) for size in sizes)
        if len(groups) <= EXACT and max(sizes) <= EXACT and points <= MOST:
            method, (effects, errors) = "blocks", by_blocks(game, groups)
        else:
            method, (effects, errors) = "orders", by_orders(game, count, seed)
    causes = sorted(
        map(Cause, union.changes, effects, errors),
        key=lambda cause: (-abs(cause.effect), cause.change.path),
    )
    return Attribution(*game.ends, tuple(causes), method, game.undefined)


class _Game:
    """The metric as a function of the switches that are on."""

    def __init__(self, union: Union) -> None:
        import numpy as np

        self.union = union
        switches = union.switches
        self.program = program(union.graph, (union.wanted,), switches)
        self.points = self.bad = 0
        ends = np.array([[False] * len(switches), [True] * len(switches)])
        low, high = self._run(ends).tolist()
        self.ends: tuple[float, float] = (low, high)

    def _run(self, table: "Table") -> "Column":
        import numpy as np

        if not self.union.switches:
            return np.full(len(table), self.program.fixed[self.union.wanted])
        columns = {
            n: table[:, i].astype(float) for i, n in enumerate(self.union.switches)
        }
        (out,) = self.program.run(columns)
        return out

    def __call__(self, table: "Table") -> "Column":
        import numpy as np

        out = self._run(table)
        bad = ~np.isfinite(out)
        self.points += len(out)
        self.bad += int(bad.sum())
        out[bad] = self.ends[0]
        return out

    @property
    def undefined(self) -> float:
        """The share of the points at which the metric had no value."""
        return self.bad / self.points if self.points else 0.0


Effects = tuple[Sequence[float], Sequence[float]]


def _coalitions(count: int) -> "Table":
    """All sets of `count` members, one a row; row numbers are their bits."""
    import numpy as np

    rows = np.arange(1 << count)
    out: Table = (rows[:, None] >> np.arange(count)) & 1 == 1
    return out


def _weights(count: int) -> "Column":
    """The share of orders in which exactly a set of each size comes before a member."""
    import numpy as np

    return np.array([1 / (count * math.comb(count - 1, k)) for k in range(count)])


def exact(value: Value, count: int) -> Effects:
    """Shapley values from the value of every coalition."""
    if not count:
        return (), ()
    table = _coalitions(count)
    values = value(table)
    sizes = table.sum(axis=1)
    weights = _weights(count)
    effects = []
    for member in range(count):
        without = ~table[:, member]
        rows = without.nonzero()[0]
        gains = values[rows | (1 << member)] - values[rows]
        effects.append(math.fsum((gains * weights[sizes[rows]]).tolist()))
    return effects, [0.0] * count


def by_blocks(value: Value, groups: Sequence[Sequence[int]]) -> Effects:
    """Owen values: blocks of changes in all orders, and inside a block its changes."""
    import numpy as np

    count = sum(map(len, groups))
    effects = [0.0] * count
    outer = _weights(len(groups))
    for index, group in enumerate(groups):
        others = [g for i, g in enumerate(groups) if i != index]
        around = _coalitions(len(others))
        inside = _coalitions(len(group))
        table = np.zeros((len(around), len(inside), count), bool)
        for column, other in enumerate(others):
            table[:, :, list(other)] = around[:, column, None, None]
        table[:, :, list(group)] = inside[None, :, :]
        values = value(table.reshape(-1, count)).reshape(len(around), len(inside))
        means = outer[around.sum(axis=1)] @ values
        found, _ = exact(lambda _, means=means: means, len(group))  # type: ignore[misc]
        for member, effect in zip(group, found, strict=True):
            effects[member] = effect
    return effects, [0.0] * count


def by_orders(value: Value, count: int, seed: int = 0) -> Effects:
    """Mean contributions over drawn orders, each also backwards, with their errors."""
    import numpy as np

    rng = np.random.Generator(np.random.PCG64(seed))
    sums: NDArray[Any] = np.zeros(count)
    squares: NDArray[Any] = np.zeros(count)
    for _ in range(ORDERS // 2):
        order = rng.permutation(count)
        both = np.zeros(count)
        for way in (order, order[::-1]):
            table = np.tril(np.ones((count + 1, count), bool), -1)
            path = np.empty_like(table)
            path[:, way] = table
            both[way] += np.diff(value(path)) / 2
        sums += both
        squares += both * both
    pairs = ORDERS // 2
    means = sums / pairs
    spread = np.maximum(squares / pairs - means * means, 0)
    return means.tolist(), np.sqrt(spread / (pairs - 1)).tolist()


def _groups(changes: Sequence[Change]) -> list[list[int]]:
    """The numbers of the changes, by the first step of their paths."""
    heads = [change.path.partition(".")[0] for change in changes]
    ranked = sorted(range(len(changes)), key=heads.__getitem__)
    return [
        list(group) for _, group in itertools.groupby(ranked, key=heads.__getitem__)
    ]
