"""Metrics over a grid or a random design of any size, a part at a time.

A `Job` is all that the numbers depend on. Its points are numbered: a part is a range of
them, and is the same whoever computes it, whenever. Open choices stay as the scenario
has them settled; an input that the structure of the model hangs on is refused, for its
graph would be another.
"""

import itertools
import math
from typing import TYPE_CHECKING, Any

from isocost.dsl.diagnostics import failed
from isocost.dsl.messages import title
from isocost.dsl.units import unit
from isocost.engine.axes import Axis, AxisError, NoInputError, axis, spec
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Input
from isocost.engine.program import point, program
from isocost.engine.results import round_out
from isocost.engine.sweep_job import Column, Job, SweepError, reopened

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Points that are computed, held and written together; a power of two.
PART = 1 << 17
DIGITS = 12
#: More points than this are a slip of the pen: a year of work, a disk of 10 TB.
MOST = 10**12
#: How far a rebuilt document may be off before an input counts as structure.
SAME = 1e-9
#: What to do about an input that cannot be swept.
STRUCTURE = (
    "or the structure of the model does (a network, a plan); for the latter evaluate "
    "each value with `isocost eval --set`"
)
#: Powers of ten up to this one are doubles without rounding.
EXACT = 22


class Sweep:
    """A job on an evaluated document, ready to run.

    Raises:
        AxisError: An axis cannot be read.
        SweepError: A metric or an input is not there; diagnostics are in `evaluation`.
    """

    def __init__(self, evaluation: Evaluation, job: Job) -> None:
        self.evaluation = evaluation
        self.job = job
        nodes = [evaluation.node(*one) for one in job.metrics]
        self.wanted = [node for node in nodes if node is not None]
        if len(self.wanted) < len(nodes) or evaluation.diagnostics:
            raise SweepError("a metric cannot be had")
        self.axes = [self._axis(text) for text in job.vary]
        for a, b in itertools.combinations(self.axes, 2):
            if not set(a.nodes).isdisjoint(b.nodes):
                raise AxisError(f"{a.path} and {b.path} are the same input")
        self.rows = (
            math.prod(one.size for one in self.axes)
            if job.points is None
            else job.points
        )
        if self.rows > MOST:
            raise AxisError(f"{self.rows:,} points are too many; {MOST:,} at most")
        units = [unit(evaluation.entry(*one).unit) for one in job.metrics]
        self.scales = [u.factor for u in units]
        self.columns = [
            *(Column(one.path, one.unit) for one in self.axes),
            *(
                Column(f"{scenario}.{path}", u.text)
                for (scenario, path), u in zip(job.metrics, units, strict=True)
            ),
        ]
        self.varying = [node for one in self.axes for node in one.nodes]
        choices = evaluation.choices
        self.program = program(
            evaluation.graph,
            self.wanted,
            self.varying,
            choices,
            compiled=job.compiled,
        )

    def _axis(self, text: str) -> Axis:
        """The axis of one `--vary`; one that is there but moves nothing says so."""
        one = spec(text)
        try:
            return axis(self.evaluation, self.wanted, one)
        except NoInputError:
            checked = reopened(self.job, self._lines(one.path, one.ends[0]))
            if any(d.code.startswith("N") for d in checked.diagnostics):
                raise
        raise SweepError(f"{one.path}: no metric rests on it, {STRUCTURE}")

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return -(-self.rows // PART)

    def size(self, number: int) -> int:
        """How many points a part has."""
        return min(PART, self.rows - number * PART)

    def part(self, number: int) -> "list[NDArray[Any]]":
        """The columns of a part, in their units, to twelve digits."""
        values = self._values(number)
        given = {
            node: column
            for one, column in zip(self.axes, values, strict=True)
            for node in one.nodes
        }
        metrics = self.program.run(given)
        scales = [one.scale for one in self.axes] + self.scales
        both = zip([*values, *metrics], scales, strict=True)
        return [rounded(column / scale) for column, scale in both]

    def _values(self, number: int) -> "list[NDArray[Any]]":
        """What each axis is at the points of a part."""
        import numpy as np

        start, size = number * PART, self.size(number)
        if self.job.points is not None:
            shares = self._random(number)
            return [
                self._drawn(one, shares[:size, i]) for i, one in enumerate(self.axes)
            ]
        shape = [one.size for one in self.axes]
        places = np.unravel_index(np.arange(start, start + size), shape)
        return [one.at(place) for one, place in zip(self.axes, places, strict=True)]

    def _random(self, number: int) -> "NDArray[Any]":
        """A part of one scrambled Sobol sequence, a column each axis."""
        import numpy as np
        from scipy.stats import qmc

        seed = np.random.default_rng(len(self.axes))
        engine = qmc.Sobol(len(self.axes), scramble=True, rng=seed, bits=52)
        if number:
            engine.fast_forward(number * PART)
        out: NDArray[Any] = engine.random(PART)
        return out

    def _drawn(self, one: Axis, shares: "NDArray[Any]") -> "NDArray[Any]":
        if one.listed:
            return one.at((shares * one.size).astype(int))
        return one.between(shares)

    # Structure.

    def shared(self) -> dict[str, list[str]]:
        """The axes that name a scenario's input, and the others that it would move."""
        names = list(dict.fromkeys(name for name, _ in self.job.metrics))
        nodes = zip(self.job.metrics, self.wanted, strict=True)
        graph = self.evaluation.graph
        below = [(name, set(graph.below((node,)))) for (name, _), node in nodes]
        out = {}
        for one in self.axes:
            own = {name for name in names if one.path.startswith(f"{name}.")}
            moved = [n for n, nodes in below if not nodes.isdisjoint(one.nodes)]
            others = [name for name in dict.fromkeys(moved) if name not in own]
            if own and others:
                out[one.path] = others
        return out

    def structural(self) -> list[str]:
        """The axes whose ends would make another graph, so that they cannot be swept.

        The document is built anew with each axis at either end, choices as they are,
        and compared with the graph at hand.
        """
        return [
            one.path
            for one in self.axes
            if not all(self._same(one, value) for value in _ends(one))
        ]

    def _same(self, one: Axis, value: float) -> bool:
        """Whether a document that states a value of an axis has the same metrics."""
        text = f"{value / one.scale!r} {one.unit}".removesuffix(" 1")
        checked = reopened(self.job, self._lines(one.path, text))
        if failed(checked.diagnostics):
            refused = next((d for d in checked.diagnostics if d.code[0] == "V"), None)
            if refused is not None:
                raise AxisError(f"{one.path}: {title(refused)}")
            return True  # no line of a scenario: a what-if about a result
        other = Evaluation(checked)
        nodes = [other.node(*metric) for metric in self.job.metrics]
        wanted = [node for node in nodes if node is not None]
        if len(wanted) < len(nodes):
            return False
        graph, choices = self.evaluation.graph, self.evaluation.choices
        old = point(graph, self.wanted, {**choices, **dict.fromkeys(one.nodes, value)})
        new = point(other.graph, wanted, self._choices(other))
        return all(
            math.isclose(old[a], new[b], rel_tol=SAME, abs_tol=0.0)
            or (math.isnan(old[a]) and math.isnan(new[b]))
            for a, b in zip(self.wanted, wanted, strict=True)
        )

    def _lines(self, path: str, value: str) -> list[str]:
        """What states a value of a path in every scenario that is swept."""
        names = dict.fromkeys(name for name, _ in self.job.metrics)
        if any(path.startswith(f"{name}.") for name in names):
            return [f"{path} = {value}"]
        return [f"{name}.{path} = {value}" for name in names]

    def _choices(self, other: Evaluation) -> dict[int, float]:
        """The settled choices of this document, as nodes of another one's graph."""
        nodes = self.evaluation.graph.nodes
        known = {}
        for node, value in self.evaluation.choices.items():
            what = nodes[node].what
            if isinstance(what, Input):
                known[what.origin, what.path] = value
        out = dict(other.choices)
        for number, made in enumerate(other.graph.nodes):
            what = made.what
            if isinstance(what, Input) and (what.origin, what.path) in known:
                out[number] = known[what.origin, what.path]
        return out


def _ends(one: Axis) -> tuple[float, ...]:
    return tuple(dict.fromkeys((min(one.values), max(one.values))))


def rounded(values: "NDArray[Any]") -> "NDArray[Any]":
    """Values to twelve significant digits: the last bits differ by machine."""
    import numpy as np

    with np.errstate(all="ignore"):
        shift = DIGITS - 1 - np.floor(np.log10(np.abs(values)))
        shift = np.where(np.isfinite(shift), shift, 0.0)
        up, down = 10.0 ** np.maximum(shift, 0), 10.0 ** np.maximum(-shift, 0)
        out = np.rint(values * up / down) / up * down
    out = np.where(np.isfinite(values), out, values)
    for i in np.flatnonzero(np.abs(shift) > EXACT):
        out[i] = round_out(float(values[i]))
    result: NDArray[Any] = out
    return result
