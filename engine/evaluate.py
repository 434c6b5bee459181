"""A checked document to results: scenarios, metrics, intervals, checks and claims.

One graph serves the whole document. Each scenario's choices are settled at point
values; then all metrics of all scenarios run over the same draws.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from isocost.dsl.check import Checked
from isocost.dsl.correlate import groups
from isocost.dsl.diagnostics import Diagnostic, Label, at
from isocost.dsl.document import Block, Condition
from isocost.dsl.expressions import Lets
from isocost.dsl.lookup import Target, Unknown
from isocost.dsl.mending import spelled
from isocost.dsl.spans import Span
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import parse_path
from isocost.dsl.table import Entry, entry_of
from isocost.dsl.units import unit
from isocost.engine.choices import Settled, open_inputs, settle
from isocost.engine.derive.sizes import rounded_size
from isocost.engine.feasibility import (
    breaches,
    limit_on,
    unfollowed,
    within,
)
from isocost.engine.formula import Formula, evaluate
from isocost.engine.graph import Graph, GraphBuilder, Input
from isocost.engine.program import point, program
from isocost.engine.quantities import remarks, table
from isocost.engine.results import Result, round_out
from isocost.engine.sampling import DRAWS, draws
from isocost.engine.scope import MissingInputError, Scope
from isocost.engine.validity import broken, deciding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]


#: A limit that is kept in this share of the draws is kept throughout the interval.
SURE = 0.95
#: What is shown of a design of a network, unasked, where nothing else costs.
NETWORK = (
    "network.cost_per_chip[total]",
    "network.power[total]",
    "bisection[scale_out]",
)


#: Shares of draws add up to 1 within this.
_ROUNDING = 1e-12


@attrs.frozen
class Verdict:
    """A check or claim decided at point values, with the share of draws it holds in."""

    condition: Condition
    holds: bool
    share: float
    left: float | None = None
    right: float | None = None
    node: int = -1


class Evaluation:
    """Everything computed for one document; built step by step, asked from outside."""

    def __init__(self, checked: Checked, count: int = DRAWS) -> None:
        self.checked = checked
        self.document = checked.document
        self.count = count
        self.builder = GraphBuilder()
        self.builder.groups = groups(checked.lookup)
        self.diagnostics: list[Diagnostic] = []
        self.bare = Scope(checked.lookup, self.builder)
        self._scopes: dict[str, Scope] = {}
        self._settled: dict[str, Settled] = {}
        self._remarks: dict[tuple[str, str], tuple[str, ...]] = {}
        self._breaches: dict[str, tuple[str, ...]] = {}
        #: Nodes whose validity was looked at, and what of it they break.
        self._checked: set[int] = set()
        self._broken: dict[int, list[str]] = {}
        self._unfollowed: dict[str, Mapping[str, tuple[str, ...]]] = {}
        #: Why a scenario's choices could not be settled, by its name.
        self.refused: dict[str, Diagnostic] = {}
        #: Why a metric that was asked for has no result, by scenario and path as asked.
        self.lost: dict[tuple[str, str], Diagnostic] = {}
        self._lets = Lets(checked.lookup)

    # Scopes and choices.

    def scope(self, name: str) -> Scope:
        """The scope of a scenario, with its choices settled on first use."""
        if not name:
            return self.bare
        if name not in self._scopes:
            block = self.document.blocks[name]
            scope = self.bare.sibling(block)
            self._scopes[name] = scope
            try:
                self._settled[name] = settle(scope)
            except MissingInputError as error:
                self._settled[name] = Settled({})
                self.refused[name] = error.diagnostic
                self.diagnostics.append(error.diagnostic)
        return self._scopes[name]

    def settled(self, name: str) -> Settled:
        """How the scenario's choices came out."""
        self.scope(name)
        return self._settled.get(name) or Settled({})

    @property
    def choices(self) -> dict[int, float]:
        """The settled value of every choice of the scenarios looked at so far."""
        out: dict[int, float] = {}
        for one in self._settled.values():
            out.update(one.values)
        return out

    @property
    def graph(self) -> Graph:
        """The graph as far as it has been built."""
        return self.builder.freeze()

    # Numbers.

    def node(self, scenario: str, path: str) -> int | None:
        """The node of a scenario's quantity; None with a diagnostic if it has none."""
        scope, parsed = self.scope(scenario), parse_path(path)
        block = scope.scenario
        found = self.checked.lookup.find(parsed, block, block.file if block else "")
        unknown = isinstance(found, Unknown) and not found.role and not found.told
        keyed = bool(parsed.keys) and parsed.pattern in table()
        if isinstance(found, Unknown) and unknown and keyed:
            self.diagnostics.append(_unknown(found, scope))  # it has no such key
            return None
        try:
            if isinstance(found, Target) and _elsewhere(found, block):
                return scope.resolve(parsed, block, block.file if block else "")
            node = scope[scope.full_path(path) or path]
            told = self.unchosen(node)
        except MissingInputError as error:
            what = error.diagnostic
            if isinstance(found, Unknown) and unknown and what.args.get("path") == path:
                what = _unknown(found, scope)
            self.diagnostics.append(what)
            return None
        if told is None:
            return node
        self.diagnostics += [told] if told not in self.diagnostics else []
        return None

    def point(self, nodes: Iterable[int]) -> dict[int, float]:
        """Every node below some nodes at point values."""
        return point(self.graph, tuple(nodes), self.choices)

    def columns(self, nodes: Sequence[int]) -> "list[Column]":
        """The draws of some nodes, all over the same draws of the inputs."""
        graph = self.graph
        inputs = draws(graph, graph.inputs(nodes), self.count)
        made = program(graph, nodes, inputs, self.choices)
        if not inputs:
            import numpy as np

            return [np.full(self.count, made.fixed[node]) for node in nodes]
        return made.run(inputs)

    def results(self, wanted: Sequence[tuple[str, str]]) -> list[Result]:
        """Results of (scenario, metric) pairs; what cannot be had is reported."""
        found: list[tuple[str, str, int, Entry]] = []
        for scenario, path in wanted:
            node = self.node(scenario, path)
            full = self.scope(scenario).full_path(path) or path
            if node is None:
                self.lost[scenario, full] = self.diagnostics[-1]
                continue
            if self.unsettled(node):
                self.lost[scenario, full] = self._refusal(scenario)
                continue
            found.append((scenario, full, node, self.entry(scenario, full)))
        values = self.point([node for _, _, node, _ in found])
        faults = self.out_of_bounds(values)
        self.diagnostics += [d for d in faults.values() if d not in self.diagnostics]
        for scenario, full, node, _ in found:
            for fault in sorted(faults.keys() & self.below(node))[:1]:
                self.lost[scenario, full] = faults[fault]
        found = [one for one in found if one[:2] not in self.lost]
        nodes = [node for _, _, node, _ in found]
        columns = self.columns(nodes) if nodes else []
        return [
            self._result(*one, values, column)
            for one, column in zip(found, columns, strict=True)
        ]

    def entry(self, scenario: str, path: str) -> Entry:
        """The entry of a metric, or one made up for an attribute or a `let`."""
        parsed = parse_path(path)
        found = entry_of(table(), parsed)
        if found is not None:
            return found[0]
        block = self.document.blocks[scenario] if scenario else None
        target = self.checked.lookup.find(parsed, block, block.file if block else "")
        attribute = getattr(target, "attribute", None)
        fact = getattr(target, "fact", None)
        if fact is not None and fact.unit is not None:
            return Entry(path, fact.unit.text, fact.doc)
        if attribute is not None:
            return Entry(path, attribute.unit, attribute.doc)
        if fact is None or not isinstance(target, Target):
            return Entry(path, "1", "")
        dim = self._lets.dim(target, fact)
        return Entry(path, (spelled(dim) if dim else None) or "1", fact.doc)

    def _result(
        self,
        scenario: str,
        path: str,
        node: int,
        entry: Entry,
        values: Mapping[int, float],
        column: "Column",
    ) -> Result:
        import numpy as np

        finite = np.isfinite(column)
        kept = column[finite]
        quantiles = (
            np.quantile(kept, (0.05, 0.5, 0.95)) if kept.size else [float("nan")] * 3
        )
        low, median, high = (round_out(float(q)) for q in quantiles)
        central = round_out(values[node])
        shown = unit(entry.unit)
        return Result(
            scenario=scenario,
            path=path,
            doc=entry.doc,
            unit=entry.unit,
            scale=shown.factor,
            dimension=str(shown.dim),
            central=central,
            low=low,
            median=median,
            high=high,
            branches=self.branches(node, values),
            feasible_share=round_out(float(finite.mean())),
            flags=(
                *self.breaches(scenario),
                *self._flags(
                    central,
                    low,
                    high,
                    float(finite.mean()),
                    float(np.isinf(column).mean()),
                    getattr(self.graph.nodes[node].what, "never", ""),
                ),
                *self._within(scenario, path, column),
                *self.raised(node, values),
                *self._said(scenario, node, entry),
                *self.unfollowed(scenario).get(path, ()),
                *self._notes(node),
            ),
        )

    @staticmethod
    def _flags(
        central: float,
        low: float,
        high: float,
        share: float,
        unending: float = 0.0,
        never: str = "",
    ) -> tuple[str, ...]:
        """What is odd about a value and its draws, of which a share is finite.

        Where an infinite value has a meaning of its own, `never` is that.
        """
        flags = []
        slack = 1e-9 * abs(central)
        known = all(map(math.isfinite, (central, low, high)))
        if known and not low - slack <= central <= high + slack:
            flags.append("point value outside its interval")
        if never and unending:
            of = f" in {_percent(unending)} of draws" if unending < 1 else ""
            flags.append(f"{never}{of}")
            share += unending
        if share < 1 - _ROUNDING:
            flags.append(f"undefined in {_percent(1 - share)} of draws")
        return tuple(flags)

    def _within(self, scenario: str, path: str, column: "Column") -> tuple[str, ...]:
        """How often a metric keeps the workload's limit, where doubt may break it."""
        node = limit_on(self.scope(scenario), path)
        if node is None:
            return ()
        (most,) = self.columns((node,))
        share = float((column <= most * (1 + 1e-12)).mean())
        if share >= SURE:
            return ()
        return (within(path, self.point((node,))[node], share),)

    def _said(self, scenario: str, node: int, entry: Entry) -> tuple[str, ...]:
        """Remarks on a scenario that belong beside a result.

        All of them beside headlines; beside others that rest on how much is
        installed, what was cut off its size.
        """
        scope = self.scope(scenario)
        if entry.headline:
            about_money = entry.dim.money or self._rests_on_cost(scope, node)
            on_all = self._remarked(scenario, "REMARKS")
            return self.remarks(scenario) if about_money else on_all
        if not scope.has("size") or scope["size"] not in self.below(node):
            return ()
        return rounded_size(scope, self.settled(scenario).values)

    def _rests_on_cost(self, scope: Scope, node: int) -> bool:
        try:
            return scope["cost.per_month"] in self.below(node)
        except MissingInputError:
            return False

    def remarks(self, scenario: str) -> tuple[str, ...]:
        """What is to be said of a scenario as a whole, beside its headlines.

        The last of them are about cost, and said beside money alone.
        """
        on_all = self._remarked(scenario, "REMARKS")
        return (*on_all, *self._remarked(scenario, "COST_REMARKS"))

    def _remarked(self, scenario: str, name: str) -> tuple[str, ...]:
        if (scenario, name) not in self._remarks:
            scope, settled = self.scope(scenario), self.settled(scenario).values
            said = [words for one in remarks(name) for words in one(scope, settled)]
            self._remarks[scenario, name] = tuple(said)
        return self._remarks[scenario, name]

    def breaches(self, scenario: str) -> tuple[str, ...]:
        """The limits that a scenario's configuration breaks, said of every result."""
        if scenario not in self._breaches:
            scope, settled = self.scope(scenario), self.settled(scenario).values
            known = () if scenario in self.refused else breaches(scope, settled)
            self._breaches[scenario] = known
        return self._breaches[scenario]

    def broken(self) -> tuple[str, ...]:
        """The limits broken by the scenarios looked at so far, with their names."""
        return tuple(
            f"{self.document.blocks[name].label}, as it is stated: {words}"
            for name in list(self._scopes)
            for words in self.breaches(name)
        )

    def unfollowed(self, scenario: str) -> Mapping[str, tuple[str, ...]]:
        """What is to be said of a stated result, and of those that do not follow it."""
        if scenario not in self._unfollowed:
            scope = self.scope(scenario)
            said: dict[str, tuple[str, ...]] = {}
            if scope.replaced:
                wanted = {path: scope[path] for path in self.headlines(scenario)}
                said = unfollowed(scope, wanted)
            self._unfollowed[scenario] = said
        return self._unfollowed[scenario]

    def below(self, node: int) -> set[int]:
        """The nodes that one rests on, itself included."""
        return set(self.graph.below((node,)))

    def unsettled(self, node: int) -> bool:
        """Whether a node rests on a choice of a refused scenario: it has no number."""
        if not self.refused:
            return False
        return any(one not in self.choices for one in open_inputs(self.graph, [node]))

    def _refusal(self, scenario: str) -> Diagnostic:
        """Why there is no number: the scenario's own refusal, or one it rests on."""
        return self.refused.get(scenario) or next(iter(self.refused.values()))

    def unchosen(self, node: int) -> Diagnostic | None:
        """What is said of a node resting on a choice of a scenario with no objective.

        There is nothing for which it could be settled, and the first of some options
        is no answer.
        """
        lacking = [n for n, one in self._settled.items() if not one.objective]
        if not set(lacking) - set(self.refused):
            return None
        for one in open_inputs(self.graph, [node]):
            what = self.graph.nodes[one].what
            if one not in self.choices and isinstance(what, Input):
                scenario, _, path = what.origin.partition(":")
                if scenario in lacking and scenario not in self.refused:
                    place = what.span or self.scope(scenario).where()
                    return at("M006", place, name=path, scenario=scenario)
        return None

    def out_of_bounds(self, values: Mapping[int, float]) -> dict[int, Diagnostic]:
        """Formulas in an attribute's place whose value the attribute does not allow."""
        found = {}
        for node, bound in self.builder.bounds.items():
            told = bound.fault(values[node]) if node in values else None
            if told is not None:
                found[node] = told
        return found

    def raised(self, node: int, values: Mapping[int, float]) -> tuple[str, ...]:
        """What the formulas below a node flag at the point.

        Flags that are above 0, and conditions of validity that do not hold.
        """
        graph = self.graph
        below = graph.below((node,))
        found = [
            what.flag
            for one in below
            if isinstance(what := graph.nodes[one].what, Formula)
            and what.flag
            and values[one] > 0
        ]
        return tuple(dict.fromkeys((*found, *self._outside(node, below, values))))

    def _outside(
        self, node: int, below: Sequence[int], values: Mapping[int, float]
    ) -> list[str]:
        """The conditions of validity that are broken where they decide a node."""
        nodes = self.graph.nodes
        for one in set(below) - self._checked:
            what, args = nodes[one].what, nodes[one].args
            if isinstance(what, Formula):
                found = broken(what, [values[arg] for arg in args])
                self._broken |= {one: found} if found else {}
        self._checked.update(below)
        if self._broken.keys().isdisjoint(below):
            return []
        rests_on = deciding(nodes, node, values)
        return [words for one in rests_on for words in self._broken.get(one, ())]

    def _notes(self, node: int) -> list[str]:
        """What is to be known of the nodes below one, each once."""
        notes = self.builder.notes
        found = [notes[n] for n in self.graph.below((node,)) if n in notes]
        return list(dict.fromkeys(found))

    def branches(self, node: int, values: Mapping[int, float]) -> dict[str, str]:
        """The active branch of every piecewise formula with named branches below."""
        graph = self.graph
        named = graph.first_names
        out: dict[str, str] = {}
        for below in graph.below((node,)):
            what, args = graph.nodes[below].what, graph.nodes[below].args
            if not isinstance(what, Formula) or below not in named:
                continue
            body = what.body
            if body.op not in {"min", "max"} or body.value is None:
                continue
            point_at = dict(zip(what.params, (values[a] for a in args), strict=True))
            out[named[below]] = active_branch(body, point_at)
        return out

    # Headlines.

    def headlines(self, scenario: str) -> list[str]:
        """The metrics shown unasked that this scenario has what it takes for."""
        scope = self.scope(scenario)
        found = []
        for pattern, entry in table().items():
            if not entry.headline:
                continue
            path = scope.full_path(pattern.removesuffix("[]")) or pattern
            try:
                scope[path]
            except MissingInputError as error:
                what = error.diagnostic
                if what.code == "R008" and what not in self.diagnostics:
                    self.diagnostics.append(what)  # not lacking: it cannot be
                continue
            found.append(path)
        costs = any(path.startswith("cost.") for path in found)
        return found if costs else [*found, *self._network(scope)]

    def _network(self, scope: Scope) -> list[str]:
        """What a fabric comes to, of a scenario that states no other cost."""
        found = []
        for path in NETWORK if scope.block("fabric") is not None else ():
            try:
                scope[path]
            except MissingInputError:
                continue
            found.append(path)
        return found

    # Checks and claims.

    def verdicts(self) -> list[Verdict]:
        """Every check and claim of the document, decided."""
        for block in self.document.of_kind("scenario"):
            self.scope(block.name)
        return self._decided(self.document.conditions)

    def titles(self) -> list[Verdict]:
        """What the main file's reports rest their titles on (`holds`), decided.

        The condition's `why` is the name of the report.
        """
        found = []
        for block in self.document.of_kind("report"):
            fact = block.facts.get("holds")
            if fact is not None and block.file == self.document.file:
                span = fact.expr.span or fact.span
                kind = f"title of {block.label}"
                facts = (fact.expr, None, block.label, fact.cites, span, fact.file)
                found.append(Condition(kind, 1, *facts))
        if found:
            for block in self.document.of_kind("scenario"):
                self.scope(block.name)
        return self._decided(found)

    def _decided(self, conditions: Iterable[Condition]) -> list[Verdict]:
        out = []
        for condition in conditions:
            try:
                out.append(self._verdict(condition))
            except MissingInputError as error:
                if error.diagnostic in self.diagnostics:
                    continue
                stated = self.document.of_kind("scenario")
                found = _asked_at(condition.span, error.diagnostic, stated)
                self.diagnostics.append(found)
        return out

    def _verdict(self, condition: Condition) -> Verdict:
        node = self.bare.expression(condition.expr, condition.name, condition.file)
        sides = [
            self.bare.expression(arg, f"{condition.name}.{i}", condition.file)
            for i, arg in enumerate(condition.expr.args)
            if condition.expr.op in {"<", "<=", ">", ">=", "==", "!="}
        ]
        if self.unsettled(node):
            raise MissingInputError(next(iter(self.refused.values())))
        told = self.unchosen(node)
        if told is not None:
            raise MissingInputError(told)
        values = self.point((node, *sides))
        for fault in self.out_of_bounds(values).values():
            raise MissingInputError(fault)
        (column,) = self.columns((node,))
        share = float((column > 0).mean())
        holds = values[node] > 0
        if condition.share is not None:
            holds = holds and share >= condition.share
        left, right = ([values[s] for s in sides] + [None, None])[:2]
        return Verdict(condition, holds, share, left, right, node)


def _asked_at(span: Span, found: Diagnostic, scenarios: Iterable[Block]) -> Diagnostic:
    """A refusal at the condition that asked, its own place beside it."""
    first, *others = found.labels
    scenario = first.span in [block.span for block in scenarios]
    words = first.text or ("in this scenario" if scenario else "here")
    own = () if first.span == span else (attrs.evolve(first, text=words),)
    return attrs.evolve(found, labels=(Label(span), *own, *others))


def _percent(share: float) -> str:
    """A share that is not none, in words that do not say none."""
    return f"{share:.1%}" if share >= 0.0005 else "less than 0.1%"  # noqa: PLR2004


def active_branch(body: Any, values: Mapping[str, float]) -> str:
    """The name of the branch that decides a `min` or `max` at a point."""
    numbers = [evaluate(arg, values) for arg in body.args]
    best = max(numbers) if body.op == "max" else min(numbers)
    return str(body.value[numbers.index(best)])


def _elsewhere(found: Target, scenario: Block | None) -> bool:
    """Whether a path leads to a `let` at the top or into a block by its own name."""
    if found.sort == "quantity":
        return not found.role and found.block is not scenario
    return found.sort in {"top", "block"}


def _unknown(found: Unknown, scope: Scope) -> Diagnostic:
    near = ", ".join(found.near)
    return at("N003", scope.where(), name=found.name, near=near)


def unknown_metric(name: str, scope: Block) -> Diagnostic:
    """The diagnostic for a metric that does not exist, asked for on a command line."""
    near = ", ".join(nearest(name, table()))
    return at("N003", scope.span, name=name, near=near)


def inputs_of(evaluation: Evaluation, node: int) -> list[tuple[int, Input]]:
    """The inputs below a node, as (node, input), in order."""
    graph = evaluation.graph
    out = []
    for found in graph.inputs((node,)):
        what = graph.nodes[found].what
        if isinstance(what, Input):
            out.append((found, what))
    return out
