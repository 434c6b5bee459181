"""Which branch decides at a point, and how far an input moves before another does.

The distance to the next state of a switch is found for all inputs and both directions
at once: a grid of steps that grow outwards, then the bracket cut finer in a few more
passes.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from isocost.engine.graph import Graph, Input
from isocost.engine.program import program
from isocost.engine.switches import BRANCHING, Switch, switches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: The outermost factor by which an input is moved, and the points on the way there.
REACH = 1000.0
GRID = 64
CUTS = 32
ROUNDS = 9


@attrs.frozen
class Turn:
    """Where another branch takes over as one input moves and nothing else does.

    `value` is the input there, in base units; `factor` is it over the input's value.
    `node` is the quantity whose branch turns, from `before` to `after`.
    """

    value: float
    factor: float
    node: int
    quantity: str
    op: str
    before: str
    after: str


def label(graph: Graph, node: int, scenario: str = "") -> str:
    """A node as its scenario names it, else by its shortest name, else its formula."""
    names = graph.names_of(node)
    own = [name for name in names if name.startswith(f"{scenario}.")]
    if own or names:
        return (own or names)[0]
    return str(getattr(graph.nodes[node].what, "name", node))


def binding(
    found: Iterable[Switch], graph: Graph, values: Mapping[int, float], scenario: str
) -> dict[str, str]:
    """The active branch of each switch with named branches, by quantity."""
    out: dict[str, str] = {}
    for one in found:
        if one.named:
            out[label(graph, one.node, scenario)] = one.word(one.state(values))
    return out


class Regime:
    """The switches below a metric at a point, ready to be looked at elsewhere."""

    def __init__(
        self,
        graph: Graph,
        wanted: int,
        values: Mapping[int, float],
        *,
        scenario: str = "",
        ops: frozenset[str] = BRANCHING,
    ) -> None:
        self.graph = graph
        self.values = values
        self.scenario = scenario
        self.switches = switches(graph, wanted, values, ops)
        self.inputs = graph.inputs((wanted,))
        nodes = {a for one in self.switches for a in one.args}
        settled = {n: values[n] for n in self.inputs}
        self.program = program(graph, sorted(nodes), self.inputs, settled)
        self.base = [one.state(values) for one in self.switches]

    def states(self, moved: "Sequence[tuple[int, Column]]") -> "NDArray[Any]":
        """The state of every switch where inputs move one at a time.

        Args:
            moved: Input nodes with the values that each takes.

        Returns:
            An array by switch and point, the points of all inputs one after another.
        """
        import numpy as np

        sizes = [len(column) for _, column in moved]
        columns = {n: np.full(sum(sizes), self.values[n]) for n in self.inputs}
        start = 0
        for (node, column), size in zip(moved, sizes, strict=True):
            columns[node][start : start + size] = column
            start += size
        return self._run(columns)

    def _run(self, columns: "dict[int, Column]") -> "NDArray[Any]":
        import numpy as np

        values = self.program.run_piece(columns)
        length = len(next(iter(columns.values())))
        out = np.empty((len(self.switches), length))
        with np.errstate(all="ignore"):
            for row, one in enumerate(self.switches):
                out[row] = one.states(*(values[a] for a in one.args))
        return out

    def kinks(self, nodes: Sequence[int], shift: float) -> list[bool]:
        """Whether a branch changes within a share `shift` to either side of inputs."""
        import numpy as np

        if not self.switches or not nodes:
            return [False] * len(nodes)
        ends = np.array([1 - shift, 1 + shift])
        found = self.states([(n, self.values[n] * ends) for n in nodes])
        pairs = found.reshape(len(self.switches), len(nodes), 2)
        changed = (pairs[:, :, 0] != pairs[:, :, 1]).any(axis=0)
        return [bool(x) for x in changed]

    def turns(self, nodes: Sequence[int]) -> dict[int, tuple[Turn | None, Turn | None]]:
        """For each input the next turn below its value and above it."""
        import numpy as np

        if not self.switches or not nodes:
            return dict.fromkeys(nodes, (None, None))
        ways = [(node, sign) for node in nodes for sign in (-1.0, 1.0)]
        offsets = np.concatenate([[0.0], np.geomspace(1e-9, 1.0, GRID)])
        low = np.zeros(len(ways))
        high = np.full(len(ways), np.nan)
        steps = np.tile(offsets, (len(ways), 1))
        final = np.full((len(self.switches), len(ways)), np.nan)
        for _ in range(ROUNDS):
            found = self._along(ways, steps)
            changed = (found != np.array(self.base)[:, None, None]).any(axis=0)
            first = np.where(changed.any(axis=1), changed.argmax(axis=1), -1)
            for way, index in enumerate(first):
                if index > 0:
                    low[way], high[way] = steps[way, index - 1], steps[way, index]
                    final[:, way] = found[:, way, index]
            steps = np.linspace(low, np.where(np.isnan(high), low, high), CUTS, axis=1)
        made = [self._turn(*w, high[i], final[:, i]) for i, w in enumerate(ways)]
        return {n: (made[2 * i], made[2 * i + 1]) for i, n in enumerate(nodes)}

    def _reach(self, node: int, sign: float) -> tuple[float, float]:
        """How far an input is moved: a thousandfold either way, or to its bound."""
        value = self.values[node]
        what = self.graph.nodes[node].what
        if not value:
            return sign * REACH, value
        outward = sign if value > 0 else -sign
        end = value * (REACH if outward > 0 else 1 / REACH)
        if isinstance(what, Input):
            bound = what.spread.high if sign > 0 else what.spread.low
            if bound is not None:
                end = min(end, bound) if sign > 0 else max(end, bound)
        return end - value, value

    def _along(
        self, ways: Sequence[tuple[int, float]], steps: "NDArray[Any]"
    ) -> "NDArray[Any]":
        moved = []
        for (node, sign), row in zip(ways, steps, strict=True):
            span, value = self._reach(node, sign)
            moved.append((node, value + span * row))
        found = self.states(moved)
        return found.reshape(len(self.switches), *steps.shape)

    def _turn(
        self, node: int, sign: float, step: float, after: "Column"
    ) -> Turn | None:
        if math.isnan(step):
            return None
        span, value = self._reach(node, sign)
        changed = [i for i, s in enumerate(after) if s != self.base[i]]
        named = [i for i in changed if self.switches[i].named]
        index = (named or changed)[0]
        one = self.switches[index]
        where = float(value + span * step)
        return Turn(
            value=where,
            factor=where / value if value else math.inf,
            node=one.node,
            quantity=label(self.graph, one.node, self.scenario),
            op=one.op,
            before=one.word(self.base[index]),
            after=one.word(float(after[index])),
        )
