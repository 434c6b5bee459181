"""Where a number comes from: its formula, what it rests on, down to cited inputs.

The result is a tree of plain values that commands and reports lay out. A quantity
that was explained further up is named again but not opened again.
"""

from collections.abc import Mapping

import attrs

from isocost.dsl.expr import Expr
from isocost.dsl.syntax import CiteRef, parse_path
from isocost.dsl.table import entry_of
from isocost.dsl.units import unit
from isocost.engine.evaluate import Evaluation
from isocost.engine.families import Family, gathered
from isocost.engine.formula import Formula
from isocost.engine.graph import Constant, Graph, Input, Spread
from isocost.engine.printers.text import said
from isocost.engine.quantities import table
from isocost.engine.validity import broken


@attrs.frozen
class Series:
    """Operands that are alike: what any of them is, its unit, the ends of their values.

    Values are in base units.
    """

    family: Family
    doc: str
    unit: str
    low: float
    high: float

    @property
    def closed(self) -> tuple[str, ...]:
        """The members that are not opened: all but the first two and the last."""
        return self.family.members[2:-1]


@attrs.frozen
class Step:
    """One quantity of an explanation.

    `value` is in base units, `scale` that of `unit`. `formula` is the body as its
    author wrote it, over the names in `parts`; `title` names the formula. `valid` says
    where it holds, `outside` what of that the point breaks. `repeated` says that it is
    opened further up; `params` are what the formula calls its `parts`, `series` the
    families among them. `grade` is `stated`, `assumed`, `default`, `derived`, `chosen`
    or `constant`.
    """

    name: str
    value: float
    unit: str
    scale: float
    grade: str
    doc: str = ""
    title: str = ""
    formula: str = ""
    source: str = ""
    valid: str = ""
    outside: tuple[str, ...] = ()
    spread: Spread = attrs.field(factory=Spread)
    cites: tuple[CiteRef, ...] = ()
    note: str = ""
    branch: str = ""
    parts: tuple["Step", ...] = ()
    repeated: bool = False
    params: tuple[str, ...] = ()
    series: tuple[Series, ...] = ()


class _Explainer:
    def __init__(self, evaluation: Evaluation, scenario: str, depth: int) -> None:
        self.evaluation = evaluation
        self.graph: Graph = evaluation.graph
        self.scenario = scenario
        self.depth = depth
        self.names = names_for(self.graph, scenario)
        self.values: Mapping[int, float] = {}
        self.seen: set[int] = set()

    def run(self, node: int, name: str) -> Step:
        self.values = self.evaluation.point((node,))
        return self.step(node, name, 0)

    def step(self, node: int, fallback: str, level: int) -> Step:
        what, args = self.graph.nodes[node].what, self.graph.nodes[node].args
        # Equal constants are one node, whose names are of quantities without number.
        constant = isinstance(what, Constant)
        name = fallback if constant else self.names.get(node, fallback)
        value = self.values[node]
        match what:
            case Input():
                return self._input(name, value, what, node)
            case Constant():
                return Step(name, value, "1", 1.0, "constant")
        shown = self._unit(name, what.unit)
        step = Step(
            name,
            value,
            shown,
            unit(shown).factor,
            "derived",
            doc=self._doc(name) or first_line(what.doc),
            # Zeros that nobody stated are left out, so there is no count of parts.
            title="sum" if _sums(what) else what.name,
            formula=self._formula(what, args),
            source=what.source,
            valid=what.valid,
            outside=tuple(broken(what, [self.values[arg] for arg in args])),
            branch=self._branch(what, args),
        )
        if node in self.seen:
            return attrs.evolve(step, repeated=True)
        if level >= self.depth:
            return step
        self.seen.add(node)
        series = self._series(what, args)
        closed = {name for one in series for name in one.closed}
        given = {
            param: arg
            for param, arg in zip(what.params, args, strict=True)
            if not (_sums(what) and self._nothing(arg))
        }
        parts = [
            self.step(arg, param, self.depth if param in closed else level + 1)
            for param, arg in given.items()
        ]
        return attrs.evolve(
            step, parts=tuple(parts), params=tuple(given), series=series
        )

    def _series(self, what: Formula, args: tuple[int, ...]) -> tuple[Series, ...]:
        """The operands that are alike, with what any of them is and how far they go."""
        given = dict(zip(what.params, args, strict=True))
        out = []
        for family in gathered(tuple(what.params)):
            if isinstance(family, Family) and not _sums(what):
                param = what.params[family.member(family.first)]
                values = [self.values[given[name]] for name in family.members]
                ends = min(values), max(values)
                out.append(Series(family, param.doc, param.unit, *ends))
        return tuple(out)

    def _formula(self, what: Formula, args: tuple[int, ...]) -> str:
        """The body as text; a plain sum names its parts, which says more."""
        if not _sums(what):
            return said(what.body)
        kept = [arg for arg in args if not self._nothing(arg)]
        parts = [self._part(arg) for arg in kept] or ["0"]
        return " + ".join(p.removeprefix(f"{self.scenario}.") for p in parts)

    def _nothing(self, node: int) -> bool:
        """Whether a part of a sum is a zero that nobody stated."""
        return self.graph.nodes[node].what == Constant(0.0)

    def _part(self, node: int) -> str:
        what = self.graph.nodes[node].what
        if isinstance(what, Constant):
            return f"{what.value:g}"
        return self.names.get(node, "")

    def _input(self, name: str, value: float, what: Input, node: int) -> Step:
        grade = "default" if what.default else "assumed" if what.assumed else "stated"
        if node in self.evaluation.choices:
            grade = "chosen"
        return Step(
            name or what.origin,
            value,
            what.unit,
            what.scale,
            grade,
            doc=what.doc,
            spread=what.spread,
            cites=what.cites,
            note=what.note,
        )

    def _unit(self, name: str, fallback: str) -> str:
        local = name.removeprefix(f"{self.scenario}.")
        found = entry_of(table(), parse_path(local)) if local else None
        if found:
            return found[0].unit
        if fallback or not name:
            return fallback or "1"
        return self.evaluation.entry(self.scenario, local).unit

    def _doc(self, name: str) -> str:
        local = name.removeprefix(f"{self.scenario}.")
        found = entry_of(table(), parse_path(local)) if local else None
        return found[0].doc if found else ""

    def _branch(self, what: Formula, args: tuple[int, ...]) -> str:
        from isocost.engine.evaluate import active_branch

        body: Expr = what.body
        if body.op not in {"min", "max"} or body.value is None:
            return ""
        point = dict(zip(what.params, (self.values[a] for a in args), strict=True))
        return active_branch(body, point)


def _sums(what: Formula) -> bool:
    return what.name.startswith("sum_of_")


def first_line(doc: str) -> str:
    """The first line of a docstring."""
    return doc.partition("\n")[0]


def names_for(graph: Graph, scenario: str) -> dict[int, str]:
    """The best name of every named node, as seen from a scenario.

    The scenario's own names come first, then a block's, then another scenario's.
    """
    best: dict[int, tuple[tuple[int, int, str], str]] = {}
    for name, node in graph.names.items():
        own = name.startswith(f"{scenario}.")
        found = entry_of(table(), parse_path(name.removeprefix(f"{scenario}.")))
        shown = own and found is not None and found[0].headline
        rank = (0 if shown else 1 if own else 2, len(name), name)
        if node not in best or rank < best[node][0]:
            best[node] = (rank, name)
    return {node: name for node, (_, name) in best.items()}


def explain(
    evaluation: Evaluation, scenario: str, node: int, depth: int = 99, name: str = ""
) -> Step:
    """Explain one node of a scenario.

    Args:
        evaluation: The evaluated document.
        scenario: Whose names are preferred; its choices are settled.
        node: What to explain.
        depth: How many levels of formulas to open.
        name: What it is called where it has no name of its own.
    """
    return _Explainer(evaluation, scenario, depth).run(node, name)
