"""The graph as rows of a workbook: a defined name and a formula for every node.

What has no spreadsheet formula (a kernel, a formula too long) keeps the engine's
value and says so. For scenarios with settled choices the runner-up is computed
beside, so that a cell can tell when the choice is no longer the best.
"""

import math
import re
from collections.abc import Iterable, Mapping

import attrs

from isocost.dsl.units import unit
from isocost.engine.choices import FALLBACKS, Settled
from isocost.engine.evaluate import Evaluation
from isocost.engine.formula import Formula
from isocost.engine.graph import Constant, Graph, Input
from isocost.engine.printers import NotPrintableError
from isocost.engine.printers.excel import excel, number
from isocost.engine.program import point
from isocost.engine.results import Result
from isocost.reports.study import Study

#: A spreadsheet's limit on names, less some room for what makes them unique.
LONGEST_NAME = 200


@attrs.frozen
class Row:
    """One node: its defined name, what it is called, its formula and its value."""

    node: int
    name: str
    label: str
    what: Input | Formula
    value: float
    unit: str
    formula: str = ""
    note: str = ""
    scenarios: tuple[str, ...] = ()


@attrs.frozen
class Rival:
    """The objective of a scenario at the runner-up's choices."""

    path: str
    name: str
    sign: float


@attrs.define(init=False)
class Model:
    """All rows of a study's results."""

    inputs: list[Row]
    rows: list[Row]
    rivals: dict[str, Rival]
    _names: dict[int, str]
    _taken: set[str]
    _by_path: dict[str, str]

    def __init__(self, study: Study) -> None:
        self.inputs, self.rows, self.rivals = [], [], {}
        self._names, self._taken, self._by_path = {}, set(), {}
        evaluation = study.evaluation
        graph = evaluation.graph
        wanted = [graph.names[f"{r.scenario}.{r.path}"] for r in study.results.values()]
        wanted += list(_objectives(study).values())
        values = evaluation.point(wanted)
        users = {node: tuple(found) for node, _, found in study.inputs}
        self._all(graph, graph.below(wanted), values, users)
        for scenario in study.scenarios:
            self._rival(evaluation, graph, scenario.name)

    def name_of(self, result: Result) -> str:
        """The defined name of a result."""
        return self._by_path[f"{result.scenario}.{result.path}"]

    def _all(
        self,
        graph: Graph,
        nodes: Iterable[int],
        values: Mapping[int, float],
        users: Mapping[int, tuple[str, ...]],
    ) -> None:
        known = graph.first_names
        for node in nodes:
            what, args = graph.nodes[node].what, graph.nodes[node].args
            if isinstance(what, Constant):
                self._names[node] = _constant(what.value)
            elif isinstance(what, Input):
                name = self._named("in", what.origin.removeprefix("default."))
                self._names[node] = name
                row = Row(node, name, what.origin, what, values[node], what.unit)
                row = attrs.evolve(row, scenarios=users.get(node, ()))
                self.inputs.append(row)
            else:
                label = known.get(node, f"{what.name} (step {node})")
                self.rows.append(self._row(node, label, what, args, values[node]))
        self._by_path = {
            path: self._names[node]
            for path, node in graph.names.items()
            if node in self._names
        }

    def _row(
        self,
        node: int,
        label: str,
        what: Formula,
        args: tuple[int, ...],
        value: float,
        names: dict[int, str] | None = None,
    ) -> Row:
        known = self._names if names is None else names
        name = self._named("m", label)
        cells = dict(zip(what.params, (known[a] for a in args), strict=True))
        text, note = "", what.name.replace("_", " ")
        try:
            text = excel(what.body, cells)
        except NotPrintableError as error:
            note += f": a value, since a spreadsheet has no formula for it ({error})"
        if not math.isfinite(value):
            text, note = "", f"{note}: undefined at these inputs"
        known[node] = name
        return Row(node, name, label, what, value, shown_unit(_base(what)), text, note)

    def _named(self, kind: str, label: str) -> str:
        """A defined name that is nobody else's, made of letters of a label."""
        plain = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")[:LONGEST_NAME]
        name, count = f"{kind}_{plain}", 1
        while name.lower() in self._taken:
            count += 1
            name = f"{kind}_{plain}_{count}"
        self._taken.add(name.lower())
        return name

    def _rival(self, evaluation: Evaluation, graph: Graph, scenario: str) -> None:
        """The runner-up's objective, on rows of its own from the choices on."""
        settled = evaluation.settled(scenario)
        node = graph.names.get(f"{scenario}.{settled.objective}")
        if node is None or not settled.runner_up or node not in self._names:
            return
        given = {**evaluation.choices, **settled.runner_up}
        values = point(graph, (node,), given)
        names = dict(self._names)
        names |= {n: number(x) for n, x in settled.runner_up.items()}
        moved = set(settled.runner_up)
        known = graph.first_names
        for below in graph.below((node,)):
            what, args = graph.nodes[below].what, graph.nodes[below].args
            if not isinstance(what, Formula) or moved.isdisjoint(args):
                continue
            moved.add(below)
            label = f"runner-up of {scenario}: {known.get(below, what.name)}"
            self.rows.append(self._row(below, label, what, args, values[below], names))
        sign = -1.0 if settled.objective in FALLBACKS else 1.0
        self.rivals[scenario] = Rival(settled.objective, names[node], sign)


def _objectives(study: Study) -> dict[str, int]:
    """The node of each scenario's objective, where one was searched for."""
    found = {}
    for scenario in study.scenarios:
        settled: Settled = study.evaluation.settled(scenario.name)
        node = study.evaluation.graph.names.get(f"{scenario.name}.{settled.objective}")
        if node is not None:
            found[scenario.name] = node
    return found


def _constant(value: float) -> str:
    try:
        return number(value)
    except NotPrintableError:
        return "(0/0)"


def _base(what: Formula) -> str:
    return str(unit(what.unit or "1").dim)


def shown_unit(text: str) -> str:
    """A unit as a cell shows it."""
    return "" if text in {"1", ""} else text
