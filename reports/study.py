"""One report's material: the evaluated document, asked in the words of a report.

Sections ask here for scenarios, results, inputs and sources; nothing of layout is
known here, and nothing is computed twice.
"""

import functools
import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

from isocost.dsl.document import Block
from isocost.dsl.expr import Expr
from isocost.dsl.syntax import CiteRef, parse_path
from isocost.dsl.values import word_of
from isocost.engine.evaluate import NETWORK, Evaluation, Verdict
from isocost.engine.graph import Input
from isocost.engine.results import Result
from isocost.engine.scope import MissingInputError
from isocost.engine.sensitivity import Sensitivity
from isocost.reports import numbers as n
from isocost.reports.ahead import Ahead
from isocost.reports.names import metric_name, name_of, told_apart
from isocost.reports.stories import Stories, Told
from isocost.reports.view import Cite, Grade

#: Grades of sources for readers, by kind; what is assumed has grade D.
GRADES: dict[str, Grade] = {
    "measured": "A",
    "filing": "A",
    "vendor": "A",
    "paper": "A",
    "analyst": "B",
    "press": "C",
    "derived": "C",
    "model": "C",
    "community": "C",
}
_MONEY = {"$", "$/Mtoken", "$/chip-h", "$/month", "$/system", "$/chip"}
#: Things that are counted: a whole number of them is never written as `8.00`.
_COUNTED = {
    "/chip",
    "chip",
    "system",
    "sequence",
    "layer",
    "token",
    "year",
    "month",
    "day",
}
DIGITS = 3
#: Whole numbers below it are shown in full.
WHOLE = 1e7
#: Units whose numbers take an SI prefix in running text.
_SCALED = {
    "token/s": ("tok/s", 1.0),
    "token/s/chip": ("tok/s per chip", 1.0),
    "token/s/MW": ("tok/s per MW", 1.0),
    "W": ("W", 1.0),
    "kW": ("W", 1e3),
    "MW": ("W", 1e6),
    "J/token": ("J/token", 1.0),
}


#: What a report compares.
_COMPARED = ("scenario",)
#: What an hour of a chip costs: an installed one where no key says which.
HOUR = "cost.per_chip_hour"


@attrs.define(eq=False)
class Study:
    """What the sections of one report draw on."""

    evaluation: Evaluation
    block: Block | None

    @functools.cached_property
    def scenarios(self) -> tuple[Block, ...]:
        """The scenarios compared, in the report's order."""
        document = self.evaluation.document
        named = self._names("compare")
        if not named:
            return tuple(document.scenarios)
        out: list[Block] = []
        known = [*self._names("baseline")[:1], *named]
        for name in named if known[0] in _heads(named) else known:
            block = document.find(name, document.file, _COMPARED)
            if block is not None:
                out.append(block)
                continue
            out += [
                b for b in document.blocks.values() if b.name.startswith(f"{name}[")
            ]
        return tuple({block.name: block for block in out}.values())

    @functools.cached_property
    def baseline(self) -> Block:
        """The scenario that others are held against: the stated one, else the first."""
        names = self._names("baseline")
        document = self.evaluation.document
        found = document.find(names[0], kinds=_COMPARED) if names else None
        if found is None and names:
            variants = (b for b in self.scenarios if b.name.startswith(f"{names[0]}["))
            found = next(variants, None)
        return found or self.scenarios[0]

    def _names(self, path: str) -> list[str]:
        expr = self._expr(path)
        if expr is None:
            return []
        items = expr.args if expr.op == "list" else (expr,)
        return [str(item.value) for item in items if item.op == "path"]

    def _expr(self, path: str) -> Expr | None:
        fact = self.block.facts.get(path) if self.block else None
        return fact.expr if fact else None

    def text(self, path: str) -> str:
        """A text of the report block, empty if there is none."""
        expr = self._expr(path)
        return str(expr.value) if expr is not None else ""

    def wants(self, section: str) -> bool:
        """Whether a section is wanted: all are where `sections` is not stated."""
        return self._expr("sections") is None or section in self._names("sections")

    @property
    def order(self) -> list[str]:
        """The sections asked for, in their order."""
        return self._names("sections")

    @property
    def stated(self) -> tuple[str, ...]:
        """The metrics that the report asks for, none where it leaves them open."""
        return tuple(self._names("metrics"))

    @functools.cached_property
    def listed(self) -> tuple[str, ...]:
        """The metrics of tables of stated metrics, for want of others what differs.

        Those are the headlines of options that cost nothing by the hour, as designs of
        networks; what is the same for all of them tells nothing.
        """
        if self.stated or self.main_metric in self.deciding:
            return self.stated
        apart = [m for m in self.metrics if self._differs(m)] or list(self.metrics)
        return tuple(sorted(apart, key=lambda m: m != self.main_metric))

    def _differs(self, metric: str) -> bool:
        """Whether an option's result is not the first one's."""
        found = [self.result(scenario, metric) for scenario in self.scenarios]
        ends = {(r.central, r.low, r.high) if r else None for r in found}
        return len(ends) > 1

    @functools.cached_property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of the report's tables: the stated ones, else the headlines."""
        return tuple(self.stated or self.evaluation.headlines(self.scenarios[0].name))

    # Names for readers.

    def title(self, scenario: Block) -> str:
        """The scenario's name for readers, told apart from those of the others."""
        return self._titles.get(scenario.name) or _stated_title(scenario)

    @functools.cached_property
    def _titles(self) -> dict[str, str]:
        """The titles of the scenarios compared, each once.

        A title that `extends` hands on, or a list of roles, names several scenarios:
        the one that states it keeps it, others take their own name, and those of one
        name add what they bind that the others do not.
        """
        alike: dict[str, list[Block]] = {}
        for one in self.scenarios:
            alike.setdefault(_stated_title(one), []).append(one)
        named: dict[str, list[Block]] = {}
        for text, those in alike.items():
            for one in those:
                kept = len(those) == 1 or "title" in one.own or "title" not in one.facts
                own = one.label.partition("[")[0].replace("_", " ")
                named.setdefault(text if kept else own, []).append(one)
        out = {}
        for text, those in named.items():
            apart = self._apart(those) if len(those) > 1 else [""]
            for one, more in zip(those, apart, strict=True):
                out[one.name] = f"{text} · {more}" if more else text
        return out

    def _apart(self, those: list[Block]) -> list[str]:
        """What tells scenarios of one title apart: what they bind, else their names."""
        said: list[list[str]] = [[] for _ in those]
        roles = dict.fromkeys(
            path
            for one in those
            for path, fact in one.facts.items()
            if fact.attribute is not None and fact.attribute.sort == "block"
        )
        for role in roles:
            bound = [self.role(one, role) for one in those]
            if len({b.name if b else "" for b in bound}) > 1:
                for words, block in zip(said, bound, strict=True):
                    words.extend([self.name(block)] if block else [])
        texts = [", ".join(words) for words in said]
        if len(set(texts)) == len(texts):
            return texts
        return [_bare_title(one) for one in those]

    def system_title(self, scenario: Block) -> str:
        """The system's name for readers."""
        block = self.role(scenario, "system")
        return block.title or block.label if block else scenario.label

    def who(self, scenario: Block) -> str:
        """An option by its system, or by its title where that stands for several."""
        for _, scenarios in self.groups():
            systems = [self.role(one, "system") for one in scenarios]
            named = {block.name for block in systems if block}
            if scenario in scenarios and len(named) < len(systems):
                return self.title(scenario)
        return self.system_title(scenario)

    def role(self, scenario: Block, role: str) -> Block | None:
        """The block that a scenario binds to a role."""
        return self.evaluation.scope(scenario.name).block(role)

    def roles(self, role: str) -> list[tuple[Block, Block]]:
        """Each distinct block of a role with the first scenario that binds it."""
        seen: dict[str, tuple[Block, Block]] = {}
        for scenario in self.scenarios:
            block = self.role(scenario, role)
            if block is not None:
                seen.setdefault(block.name, (block, scenario))
        return list(seen.values())

    def groups(self) -> list[tuple[Block | None, list[Block]]]:
        """The scenarios by workload, in order: what may be compared directly."""
        found: dict[str, tuple[Block | None, list[Block]]] = {}
        for scenario in self.scenarios:
            work = self.role(scenario, "workload")
            found.setdefault(work.name if work else "", (work, []))[1].append(scenario)
        return list(found.values())

    def workload_title(self, scenario: Block) -> str:
        """The model's name for readers."""
        model = self.role(scenario, "model")
        if model is not None:
            return model.title or model.label
        work = self.role(scenario, "workload")
        return work.label if work else ""

    def name(self, block: Block) -> str:
        """A block's name for readers."""
        return block.title or block.label.replace("_", " ")

    def find(self, name: str, *kinds: str) -> Block | None:
        """A block by its name in the main file, of these kinds if several have it."""
        document = self.evaluation.document
        return document.find(name, document.file, kinds)

    def reference(self, block: Block, path: str) -> Block | None:
        """The block that an attribute of a block names, outside any scenario."""
        return self.evaluation.checked.lookup.reference(block, parse_path(path))

    def of_block(self, block: Block, path: str) -> float | None:
        """A block's figure outside any scenario, in base units; None if it has none."""
        try:
            node = self.evaluation.bare.of_block(block, path)
        except MissingInputError:
            return None
        return self.evaluation.point((node,))[node]

    def node(self, scenario: Block, metric: str) -> int:
        """The node of a metric that the scenario is known to have."""
        scope = self.evaluation.scope(scenario.name)
        return scope[scope.full_path(metric) or metric]

    # Numbers.

    def begin(self, section: str) -> None:
        """A section is about to be built; pages that compute note what it rests on."""

    def by_rank(
        self,
        scenarios: Sequence[Block],
        metric: str,
        write: Callable[[list[Block]], str],
        *,
        most: bool = False,
        places: tuple[int, ...] = (0, 1),
    ) -> str:
        """What is said of scenarios ranked by a metric.

        Pages that compute say it anew where others take these places.

        Args:
            scenarios: What is ranked; those without the metric are left out.
            metric: By what.
            write: The text, given the ranking.
            most: The highest comes first, not the lowest.
            places: The places of the ranking that the text speaks of.
        """
        del places
        return write(self.ranking(scenarios, metric, most=most))

    def choices(self, scenario: Block) -> Mapping[int, float]:
        """The settled value of each choice of a scenario, by its node."""
        return self.evaluation.settled(scenario.name).values

    def ranking(
        self, scenarios: Sequence[Block], metric: str, *, most: bool = False
    ) -> list[Block]:
        """The scenarios that have a metric, the lowest (or highest) first."""
        have = [
            (r.central, s)
            for s in scenarios
            if (r := self.result(s, metric)) and math.isfinite(r.central)
        ]
        return [s for _, s in sorted(have, key=lambda one: one[0], reverse=most)]

    def result(self, scenario: Block, metric: str) -> Result | None:
        """One result; None where the scenario has no such metric."""
        return self.results.get((scenario.name, metric)) or self._more(scenario, metric)

    @functools.cached_property
    def results(self) -> dict[tuple[str, str], Result]:
        """The table's metrics of all scenarios, computed in one pass."""
        return {}

    def prepare(self, metrics: Iterable[str]) -> None:
        """Compute metrics of all scenarios in one pass, those that they have."""
        wanted = []
        for scenario in self.scenarios:
            scope = self.evaluation.scope(scenario.name)
            for metric in metrics:
                if (scenario.name, metric) in self.results:
                    continue
                try:
                    scope[scope.full_path(metric) or metric]
                except MissingInputError:
                    continue
                wanted.append((scenario.name, metric))
        found = {(r.scenario, r.path): r for r in self.evaluation.results(wanted)}
        for name, metric in wanted:
            path = self.evaluation.scope(name).full_path(metric) or metric
            if (name, path) in found:
                self.results[name, metric] = found[name, path]

    def _more(self, scenario: Block, metric: str) -> Result | None:
        scope = self.evaluation.scope(scenario.name)
        try:
            scope[scope.full_path(metric) or metric]
        except MissingInputError:
            return None
        found = next(iter(self.evaluation.results([(scenario.name, metric)])), None)
        if found is not None:
            self.results[scenario.name, metric] = found
        return found

    def value(self, scenario: Block, path: str) -> float | None:
        """A quantity at point values in base units; None where there is none."""
        scope = self.evaluation.scope(scenario.name)
        try:
            node = scope[scope.full_path(path) or path]
        except MissingInputError:
            return None
        return self.evaluation.point((node,))[node]

    def share_best(self, scenarios: Sequence[Block], metric: str) -> list[float]:
        """The share of draws in which each scenario has the lowest metric.

        A draw in which several have it counts for each of them in part.
        """
        import numpy as np

        nodes = [self.node(scenario, metric) for scenario in scenarios]
        columns = np.array(self.evaluation.columns(nodes))
        columns[np.isnan(columns)] = np.inf
        best = columns == columns.min(axis=0)
        return [float(share.mean()) for share in best / best.sum(axis=0)]

    def ratio(self, a: Block, b: Block, metric: str) -> tuple[float, float, float]:
        """a's metric over b's: at point values, and its 90% interval (shared draws)."""
        import numpy as np

        nodes = [self.node(scenario, metric) for scenario in (a, b)]
        first, second = self.evaluation.columns(nodes)
        with np.errstate(all="ignore"):
            ratios = first / second
        kept = ratios[np.isfinite(ratios)]
        low, high = np.quantile(kept, (0.05, 0.95)) if kept.size else (np.nan, np.nan)
        values = self.evaluation.point(nodes)
        over, under = (values[node] for node in nodes)
        return over / under if under else math.nan, float(low), float(high)

    # Any path of the document.

    @functools.cached_property
    def stories(self) -> Stories:
        """The numbers that exhibits name by path."""
        file = self.block.file if self.block else self.evaluation.document.file
        return Stories(self.evaluation, file, self.mark)

    def told(self, path: str) -> Told | None:
        """A number by its path: of a scenario, of a block, or a `let` at the top."""
        return self.stories.told(path)

    def by_case(self, cases: Sequence[tuple[Expr | None, Callable[[], str]]]) -> str:
        """The text of the first case whose condition holds (None: always).

        Pages that compute say the text of another case where that one holds.
        """
        for condition, write in cases:
            if condition is None or self.stories.holds(condition):
                return write()
        return ""

    def mark(self, node: int, value: float, *, frozen: bool = False) -> float:
        """A number of a node; pages that compute make it one that they can trace."""
        del node, frozen
        return value

    @functools.cached_property
    def main_metric(self) -> str:
        """The metric that decides: cost of a token, of training, of an hour.

        Else the first that is asked for; else a network's cost, or a headline.
        """
        for metric in self.deciding:
            if metric in self.metrics or self.result(self.baseline, metric):
                return metric
        if not self.stated and NETWORK[0] in self.metrics:
            return NETWORK[0]
        return self.metrics[0]

    @property
    def deciding(self) -> tuple[str, ...]:
        """The costs that decide, the first that an option has."""
        return ("cost.per_Mtoken", "cost.train", self.hour)

    @functools.cached_property
    def hour(self) -> str:
        """The cost of an hour by which options are held against each other.

        An installed hour of one that is down more often buys less than another's, so
        where the options are not up alike it is an hour that is up, unless the report
        asks for installed ones.
        """
        if {HOUR, f"{HOUR}[installed]"} & set(self.stated):
            return HOUR
        have = {s.name: self._up(s) for s in self.scenarios}
        shares = {share for share in have.values() if share is not None}
        return f"{HOUR}[available]" if len(shares) > 1 else HOUR

    def _up(self, scenario: Block) -> float | None:
        """The share of its hours that an option is up; None where it has no cost."""
        scope = self.evaluation.scope(scenario.name)
        try:
            nodes = scope["finance.availability"], scope[f"{HOUR}[available]"]
        except MissingInputError:
            return None
        return round(self.evaluation.point(nodes)[nodes[0]], 9)

    @property
    def comparable(self) -> bool:
        """Whether the main metric tells which option is better.

        What the options cost does, and what the report asks for; what is put in, as
        the number of chips, does not.
        """
        costs = self.main_metric in (*self.deciding, NETWORK[0])
        return costs or bool(self.stated)

    @property
    def main_words(self) -> str:
        """What the main metric is: `network cost of a chip`."""
        found = self.result(self.baseline, self.main_metric)
        return metric_name(self.main_metric, found.doc if found else "")

    @functools.cached_property
    def ahead(self) -> Ahead:
        """The sensitivities of the report's metrics."""
        return Ahead(self.evaluation)

    @functools.cached_property
    def drivers(self) -> Sensitivity | None:
        """What drives the main metric of the baseline."""
        return self.ahead.sensitivity(self.baseline.name, self.main_metric)

    @functools.cached_property
    def input_names(self) -> dict[str, str]:
        """The names for readers of all inputs that move the main metric, by path."""
        found = self.drivers.inputs if self.drivers else ()
        paths = [one.path.removeprefix(f"{self.baseline.name}.") for one in found]
        names = [
            name_of(path, one.doc, one.origin)
            for path, one in zip(paths, found, strict=True)
        ]
        keys = [one.path for one in found]
        return dict(zip(keys, told_apart(paths, names), strict=True))

    @functools.cached_property
    def verdicts(self) -> list[Verdict]:
        """Checks and claims, decided."""
        return self.evaluation.verdicts()

    @functools.cached_property
    def inputs(self) -> list[tuple[int, Input, list[str]]]:
        """Every input of the report's numbers, with the scenarios that rest on it."""
        graph = self.evaluation.graph
        users: dict[int, list[str]] = {}
        for scenario in self.scenarios:
            nodes = [
                self.evaluation.graph.names[f"{scenario.name}.{r.path}"]
                for (name, _), r in self.results.items()
                if name == scenario.name
            ]
            for node in graph.inputs(nodes):
                users.setdefault(node, []).append(scenario.name)
        out = []
        for node in sorted(users):
            what = graph.nodes[node].what
            if isinstance(what, Input):
                out.append((node, what, users[node]))
        return out

    # Sources.

    def cite(self, keys: Iterable[str]) -> Cite:
        """A mention of sources, which the bibliography will then list."""
        known = sorted(k for k in keys if k in self.evaluation.document.sources)
        self.mentioned.update(known)
        return Cite(known)

    @functools.cached_property
    def mentioned(self) -> set[str]:
        """The sources that exhibits have mentioned so far."""
        return set()

    def grade(self, cites: Sequence[CiteRef], *, default: bool = False) -> Grade:
        """A to D: the best source of a statement, D for an assumption or a default."""
        if default or not cites:
            return "D"
        grades: list[Grade] = []
        for cite in cites:
            source = self.evaluation.document.sources.get(cite.key)
            fact = source.facts.get("kind") if source else None
            kind = word_of(fact.expr) if fact else None
            grades.append("D" if cite.assumed else GRADES.get(kind or "", "C"))
        best: Grade = min(grades)
        return best

    @functools.cached_property
    def digest(self) -> str:
        """A short hash of the files that the report rests on, their texts alone."""
        files = self.evaluation.document.files.values()
        joined = "\0".join(sorted(file.text for file in files))
        found = hashlib.sha256(joined.encode()).hexdigest()
        return " ".join(found[i : i + 4] for i in (0, 4, 8))


def _heads(names: Iterable[str]) -> set[str]:
    """Names of scenarios, and what stands before the brackets of a list's variants."""
    return {part for name in names for part in (name, name.partition("[")[0])}


def _stated_title(scenario: Block) -> str:
    """The title that a scenario states or inherits, else its name."""
    fact = scenario.facts.get("title")
    return str(fact.expr.value) if fact else _bare_title(scenario)


def _bare_title(scenario: Block) -> str:
    """The name of a scenario without a title: `k4[rails]` is “k4 · rails”."""
    name, _, variant = scenario.label.replace("_", " ").rstrip("]").partition("[")
    return f"{name} · {variant}" if variant else name


# Numbers as readers see them.


def show(result: Result, digits: int = 3) -> str:
    """A result's point value with its unit."""
    return quantity(result.value, result.unit, digits)


def interval(result: Result, *, prefixes: bool = True) -> str:
    """A result's 90% interval, empty where it has no width.

    Without `prefixes` it is in the result's own unit, for where that heads a column.
    One that reaches above all there is of a peak is marked: `exceeding` says why.
    """
    if result.low == result.high or not defined(result.low, result.high):
        return ""
    mark = "*" if exceeds(result) else ""
    if not prefixes and result.unit not in _MONEY:
        low, high = result.low / result.scale, result.high / result.scale
        return f"{n.interval(low, high)}{mark}"
    return f"{_interval(result)}{mark}"


#: What the mark of an interval above 100% means.
EXCEEDING = (
    " * The upper end lies above 100% of the peak: the inputs are in doubt by more "
    "than the hardware leaves room for."
)
_USES = ("mbu", "mfu")


def exceeds(result: Result) -> bool:
    """Whether an interval of a use of the hardware reaches above all of it."""
    return result.path.partition("[")[0] in _USES and result.high > 1


def exceeding(results: Iterable[Result | None]) -> str:
    """The note below marked intervals; empty where none is."""
    return EXCEEDING if any(r is not None and exceeds(r) for r in results) else ""


def defined(*values: float) -> bool:
    """Whether numbers are such as can be printed and drawn."""
    return all(math.isfinite(value) for value in values)


def _interval(result: Result) -> str:
    low, high = result.low / result.scale, result.high / result.scale
    if result.unit in _MONEY:
        return n.money_interval(low, high)
    if result.unit in _SCALED:
        factor = _SCALED[result.unit][1]
        return n.si_interval(low * factor, high * factor)
    if _larger(result.value, result.unit)[1] != result.unit:
        low, high = low / 1e3, high / 1e3
    return n.interval(low, high)


def _larger(value: float, unit: str) -> tuple[float, str]:
    """A time of many microseconds in the unit that it is told in."""
    return (value / 1e3, "ms") if unit == "us" and value >= 1e3 else (value, unit)  # noqa: PLR2004


def quantity(value: float, unit: str, digits: int = 3) -> str:
    """A number in a unit: money with its sign in front, the rest with an SI prefix."""
    if not defined(value):
        return "undefined" if math.isnan(value) else "infinite"
    value, unit = _larger(value, unit)
    exact = digits > DIGITS or unit in _COUNTED
    if (
        value == round(value)
        and (exact or abs(value) >= 10)  # noqa: PLR2004
        and abs(value) < WHOLE
        and unit not in _MONEY
    ):
        return n.with_unit(n.count(value), "" if unit == "1" else unit)
    if unit in _MONEY:
        return n.money(value, digits=digits)
    if unit == "1":
        return n.plain(value, digits)
    if unit in _SCALED:
        name, factor = _SCALED[unit]
        return n.si(value * factor, name, digits)
    return n.with_unit(n.plain(value, digits), unit)


def unit_words(unit: str) -> str:
    """A unit as prose names it: `per million tokens`."""
    words = {
        "$/Mtoken": "per million tokens",
        "$/chip-h": "per chip-hour",
        "$": "",
        "token/s/chip": "tokens per second and chip",
    }
    return words.get(unit, unit)
