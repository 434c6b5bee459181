"""A graph made ready to run: one point, or columns of many points at once.

Only what lies below the wanted nodes is computed; what does not depend on a varying
input is computed once, as a number. Columns run in pieces, and what no later formula
asks for is dropped at once, so that the few columns still wanted stay in cache; pieces
run on all cores. Long columns run on a `tape`, in which all formulas are one.
"""

import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import attrs

from isocost.engine import tape
from isocost.engine.formula import Formula
from isocost.engine.graph import Constant, Graph, Input
from isocost.engine.printers.python import Function, array_function, scalar_function

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from isocost.engine.printers.llvm import Compiled

    Column = NDArray[np.float64]
    Back = Callable[[Mapping[int, Column], Sequence[Column]], Callable[[slice], None]]

#: Points per piece: enough that a formula's call costs little beside its arithmetic.
PIECE = 16_384
#: Each thread gets at least so many pieces, or there is one thread.
SPREAD = 2
#: Columns from this length on pay for a tape.
LONG = 1 << 15


def point(
    graph: Graph,
    wanted: Iterable[int],
    settled: Mapping[int, float] | None = None,
) -> dict[int, float]:
    """Every node below the wanted ones at point values.

    Args:
        graph: The graph.
        wanted: The nodes asked for.
        settled: Values that replace those of inputs (settled choices, what-ifs); any
            node may be replaced, formulas too.
    """
    given = settled or {}
    values: dict[int, float] = {}
    for node in graph.below(wanted):
        what, args = graph.nodes[node].what, graph.nodes[node].args
        if node in given:
            values[node] = given[node]
        elif isinstance(what, Input):
            values[node] = what.central
        elif isinstance(what, Constant):
            values[node] = what.value
        else:
            values[node] = float(scalar_function(what)(*(values[a] for a in args)))
    return values


#: A node, its function, its arguments, and the nodes that nothing asks for after it.
_Step = tuple[int, Function, tuple[int, ...], tuple[int, ...]]


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@attrs.frozen
class Program:
    """Straight-line steps from varying nodes to wanted ones.

    `fixed` holds the numbers that no varying node reaches; `steps` are `(node,
    formula, args)` in order. Long columns of a `compiled` one run as machine code.
    """

    graph: Graph
    wanted: tuple[int, ...]
    varying: tuple[int, ...]
    fixed: Mapping[int, float]
    steps: tuple[tuple[int, Formula, tuple[int, ...]], ...]
    compiled: bool = False

    @property
    def size(self) -> int:
        """How many formulas are evaluated per point."""
        return len(self.steps)

    def run(
        self,
        columns: "Mapping[int, Column]",
        out: "Sequence[Column]" = (),
    ) -> "list[Column]":
        """The wanted nodes for every point.

        Args:
            columns: A column for each varying node, all of one length.
            out: Columns of an earlier run, to be written over if they are long enough.

        Returns:
            One column per wanted node, in their order.
        """
        import numpy as np

        length = len(next(iter(columns.values()))) if columns else 1
        if out and len(out[0]) >= length:
            out = [column[:length] for column in out]
        else:
            out = [np.empty(length) for _ in self.wanted]
        long = length >= LONG
        size = tape.PIECE if long else PIECE
        workers = max(1, min(cores(), -(-length // size) // SPREAD))
        ready = self._ready(columns, long=long)

        def work(first: int) -> None:
            run = ready(columns, out)
            for start in range(first * size, length, workers * size):
                run(slice(start, min(start + size, length)))

        if workers > 1:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(work, range(workers)))
        else:
            work(0)
        return out

    @functools.cached_property
    def tape(self) -> tape.Tape:
        """All formulas taken apart into one line of operations."""
        return tape.tape(self.varying, self.fixed, self.steps, self.wanted)

    @functools.cached_property
    def code(self) -> "Compiled":
        """The tape as machine code."""
        from isocost.engine.printers.llvm import Compiled

        return Compiled(self.tape)

    def _ready(self, columns: "Mapping[int, Column]", *, long: bool) -> "Back":
        """The back end for some columns, made before threads ask for it."""
        if not long or not columns:
            return self._by_formula
        return self.code.bound if self.compiled else self.tape.bound

    def _by_formula(
        self, columns: "Mapping[int, Column]", out: "Sequence[Column]"
    ) -> Callable[[slice], None]:
        def run(piece: slice) -> None:
            values = self._last({n: c[piece] for n, c in columns.items()})
            for column, node in zip(out, self.wanted, strict=True):
                column[piece] = values[node]

        return run

    @functools.cached_property
    def _plan(self) -> tuple[_Step, ...]:
        """The steps with their functions, and what is done with after each."""
        last: dict[int, int] = {}
        for i, (_, _, args) in enumerate(self.steps):
            last.update(dict.fromkeys(args, i))
        kept = {*self.wanted, *self.fixed}
        done: list[list[int]] = [[] for _ in self.steps]
        for node, i in last.items():
            if node not in kept:
                done[i].append(node)
        return tuple(
            (node, array_function(formula), args, tuple(over))
            for (node, formula, args), over in zip(self.steps, done, strict=True)
        )

    def _last(self, columns: "Mapping[int, Column]") -> dict[int, Any]:
        """The wanted nodes' values for one piece of the points."""
        import numpy as np

        values: dict[int, Any] = {**self.fixed, **columns}
        with np.errstate(all="ignore"):
            for node, function, args, over in self._plan:
                given = [values[a] for a in args]
                try:
                    values[node] = function(*given)
                except ArithmeticError:  # between two plain numbers; arrays have none
                    values[node] = function(*map(np.asarray, given))
                for one in over:
                    del values[one]
        return values

    def run_piece(self, columns: "Mapping[int, Column]") -> dict[int, Any]:
        """Every node's values for one piece of the points, numbers where fixed."""
        import numpy as np

        values: dict[int, Any] = {**self.fixed, **columns}
        with np.errstate(all="ignore"):
            for node, formula, args in self.steps:
                values[node] = array_function(formula)(*[values[a] for a in args])
        return values


def program(
    graph: Graph,
    wanted: Iterable[int],
    varying: Iterable[int],
    settled: Mapping[int, float] | None = None,
    *,
    compiled: bool = False,
) -> Program:
    """Compile the part of a graph between varying and wanted nodes.

    Args:
        graph: The graph.
        wanted: The nodes asked for.
        varying: The nodes that get a column (usually inputs).
        settled: Numbers that replace those of other nodes.
        compiled: Whether long columns run as machine code (needs llvmlite).
    """
    wanted, varying = tuple(wanted), tuple(varying)
    given = settled or {}
    moving = set(varying)
    fixed: dict[int, float] = {}
    steps: list[tuple[int, Formula, tuple[int, ...]]] = []
    for node in graph.below(wanted):
        what, args = graph.nodes[node].what, graph.nodes[node].args
        if node in moving:
            continue
        if node in given:
            fixed[node] = given[node]
        elif isinstance(what, Input):
            fixed[node] = what.central
        elif isinstance(what, Constant):
            fixed[node] = what.value
        elif moving.isdisjoint(args):
            fixed[node] = float(scalar_function(what)(*(fixed[a] for a in args)))
        else:
            moving.add(node)
            steps.append((node, what, args))
    return Program(graph, wanted, varying, fixed, tuple(steps), compiled)
