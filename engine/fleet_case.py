"""A `fleet` block to numbers: platforms by system, what each serves, limits, prices.

A platform is a scenario; for each demand its workload is replaced and its open choices
are settled anew. One unit is one system: its month costs what the scenario's does over
its systems, and it serves what the scenario serves, times the share of time it is up.
Load and sold shares of a platform do not count: the demands are the load.
"""

import contextlib
import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from isocost.dsl.check import Checked
from isocost.dsl.dates import read_period
from isocost.dsl.diagnostics import Diagnostic
from isocost.dsl.document import Block
from isocost.dsl.expr import Expr
from isocost.dsl.lookup import Lookup
from isocost.dsl.messages import title
from isocost.dsl.syntax import parse_path
from isocost.engine.choices import constraints
from isocost.engine.evaluate import Evaluation
from isocost.engine.fleet.horizon import ready_on
from isocost.engine.fleet.model import Demand, Fleet, Limit, Platform
from isocost.engine.formulas import finance
from isocost.engine.graph import Input
from isocost.engine.scope import MissingInputError

if TYPE_CHECKING:
    from isocost.engine.scope import Scope

MONTH = 2_628_000.0
MEGA = 1e6
Pair = tuple[str, str]


@attrs.frozen
class PlatformFigures:
    """One system of a platform: money a month, power, price, and chips."""

    name: str
    month: float
    running: float
    energy: float
    power: float
    chips: float
    price: float
    site: str
    rate: float

    @property
    def recovery(self) -> float:
        """Money a month for each dollar of a system's price; 0 where it is rented."""
        capital = self.month - self.running - self.energy
        return capital / self.price if self.price else 0.0


@attrs.frozen
class FleetCase:
    """A fleet as the solver takes it, and the figures that it was made from."""

    name: str
    title: str
    fleet: Fleet
    figures: Mapping[str, PlatformFigures]
    problems: tuple[Diagnostic, ...] = ()


def fleets_of(checked: Checked) -> list[Block]:
    """The fleets of the main file, else all there are."""
    found = list(checked.document.of_kind("fleet"))
    return [block for block in found if block.file == checked.document.file] or found


def platform_names(checked: Checked, block: Block) -> list[str]:
    """The scenarios that a fleet names, lists of roles expanded."""
    fact = block.facts.get("platforms")
    if fact is None:
        return []
    items = fact.expr.args if fact.expr.op == "list" else (fact.expr,)
    names = [str(item.value) for item in items]
    known = [scenario.name for scenario in checked.document.of_kind("scenario")]
    found = (
        one
        for name in names
        for one in known
        if one == name or one.startswith(f"{name}[")
    )
    return list(dict.fromkeys(found))  # a platform named twice is one


def pair_name(platform: str, demand: str) -> str:
    """The name of a platform's scenario with a demand's workload."""
    return f"{platform} for {demand}"


def fleet_case(checked: Checked, block: Block) -> FleetCase:
    """Read a fleet and evaluate its platforms.

    Raises:
        MissingInputError: Something that the fleet needs is not stated.
    """
    return _Case(checked, block).run()


def fleet_reads(checked: Checked, block: Block) -> set[str]:
    """The origins of all inputs that a fleet's platforms and demands rest on."""
    case = _Case(checked, block)
    with contextlib.suppress(MissingInputError):
        case.run()
    return {
        node.what.origin
        for node in case.evaluation.graph.nodes
        if isinstance(node.what, Input)
    }


class _Case:
    def __init__(self, checked: Checked, block: Block) -> None:
        self.block = block
        self.platforms = platform_names(checked, block)
        self.demands = block.keys_of("demand[].workload")
        self.evaluation = Evaluation(_with_pairs(checked, block, self.platforms), 1)
        self.reasons: dict[Pair, str] = {}
        self.problems: list[Diagnostic] = []

    def run(self) -> FleetCase:
        if not self.platforms:
            raise self._missing("platforms")
        if not self.demands:
            raise self._missing("demand[NAME].workload")
        figures = {name: self._figures(name) for name in self.platforms}
        demands = tuple(self._demand(name) for name in self.demands)
        serves = {}
        for demand in demands:
            for platform in self.platforms:
                rate = self._serves(demand, platform)
                if rate > 0:
                    serves[demand.name, platform] = rate
        fleet = Fleet(
            demands=demands,
            platforms=tuple(self._platform(figures[name]) for name in self.platforms),
            serves=serves,
            porting=self._porting(figures),
            limits=self._limits(figures),
            reasons=self.reasons,
            integer=self._word("integer") == "true",
        )
        fact = self.block.facts.get("title")
        shown = str(fact.expr.value) if fact is not None else ""
        return FleetCase(
            name=self.block.label,
            title=shown or self.block.title,
            fleet=self._ready(fleet),
            figures=figures,
            problems=tuple(self.problems),
        )

    # What the block states.

    def _missing(self, path: str) -> MissingInputError:
        label = f"{self.block.label}.{path}"
        error = self.evaluation.bare.fail("M001", path=label, needed_by="the fleet")
        labels = (attrs.evolve(error.diagnostic.labels[0], span=self.block.span),)
        return MissingInputError(attrs.evolve(error.diagnostic, labels=labels))

    def _number(self, path: str, default: float | None = None) -> float:
        attribute = self.block.kind.find(parse_path(path))
        stated = path in self.block.facts
        if not stated and (attribute is None or attribute.default is None):
            if default is None:
                raise self._missing(path)
            return default
        node = self.evaluation.bare.of_block(self.block, path)
        return self.evaluation.point((node,))[node]

    def _word(self, path: str) -> str:
        fact = self.block.facts.get(path)
        return str(fact.expr.value) if fact is not None else ""

    def _date(self, path: str) -> dt.date | None:
        fact = self.block.facts.get(path)
        if fact is None:
            return None
        value = fact.expr.value
        period = read_period(value.text if fact.expr.op == "literal" else str(value))
        return dt.date.fromordinal(period.start) if period else None

    # Platforms.

    def _value(self, scenario: str, path: str) -> float:
        scope = self.evaluation.scope(scenario)
        node = scope[scope.full_path(path) or path]
        return self.evaluation.point((node,))[node]

    def _or_nothing(self, scenario: str, path: str) -> float:
        try:
            return self._value(scenario, path)
        except MissingInputError:
            return 0.0

    def _figures(self, name: str) -> PlatformFigures:
        systems = self._value(name, "systems")
        month = self._value(name, "cost.per_month") * MONTH / systems
        owned = self.evaluation.scope(name).word("finance.tenure") == "own"
        energy = self._or_nothing(name, "cost.opex[energy]") if owned else 0.0
        running = self._value(name, "cost.opex") * MONTH / systems if owned else month
        site = self.evaluation.scope(name).block("site")
        return PlatformFigures(
            name=name,
            month=month,
            energy=energy * MONTH / systems,
            running=running - energy * MONTH / systems,
            power=self._or_nothing(name, "power.provisioned") / systems / MEGA,
            chips=self._value(name, "system.chips"),
            price=self._value(name, "cost.capex") / systems if owned else 0.0,
            site=site.label if site is not None else "",
            rate=self._or_nothing(name, "finance.cost_of_capital"),
        )

    def _platform(self, one: PlatformFigures) -> Platform:
        cap = self.block.facts.get(f"cap.supply[{one.name}]")
        most = self._number(f"cap.supply[{one.name}]") if cap is not None else None
        return Platform(
            name=one.name,
            cost=one.month - one.energy,
            owned=self._number(f"owned[{one.name}]", 0.0) / one.chips,
            running=one.running,
            energy=one.energy,
            cap=None if most is None else most / one.chips,
        )

    # Demands.

    def _demand(self, name: str) -> Demand:
        whole = self._task(name) == "training"
        penalty = self._number(f"demand[{name}].penalty", -1.0)
        return Demand(
            name=name,
            volume=self._rate(name)
            if whole
            else self._number(f"demand[{name}].volume"),
            peak=1.0 if whole else self._number(f"demand[{name}].peak", 1.0),
            whole=whole,
            penalty=penalty * MONTH if penalty >= 0 else None,
        )

    def _scope(self, demand: str, platform: str) -> "Scope":
        return self.evaluation.scope(pair_name(platform, demand))

    def _task(self, demand: str) -> str:
        first = self._scope(demand, self.platforms[0])
        return first.word("workload.task") or "inference"

    def _rate(self, demand: str) -> float:
        """Tokens a second that a training run needs to end by its deadline."""
        tokens = self._value(pair_name(self.platforms[0], demand), "workload.tokens")
        return tokens / self._number(f"demand[{demand}].deadline")

    def _serves(self, demand: Demand, platform: str) -> float:
        """What one system serves of a demand; 0 with a reason where it cannot."""
        pair = pair_name(platform, demand.name)
        before = len(self.evaluation.diagnostics)
        self.evaluation.scope(pair)
        problems = self.evaluation.diagnostics[before:]
        if not problems:
            try:
                self._must_fit(pair)
                return self._rate_of(pair, whole=demand.whole)
            except MissingInputError as error:
                problems = [error.diagnostic]
        self.reasons[demand.name, platform] = title(problems[0])
        self.problems.append(problems[0])
        return 0.0

    def _must_fit(self, pair: str) -> None:
        """What is stated in full is tried as it stands: memory, SLOs, an instance.

        Raises:
            MissingInputError: One of them does not hold.
        """
        scope = self.evaluation.scope(pair)
        for limit in constraints(scope):
            value = self.evaluation.point((limit.node,))[limit.node]
            if not limit.kept(value):
                raise scope.fail("M003", reason=f"{limit.name} does not hold")

    def _rate_of(self, pair: str, *, whole: bool) -> float:
        """Tokens a second of one system of a platform with a demand's workload."""
        systems = self._value(pair, "systems")
        if whole:
            time = self._value(pair, "time.train")
            return self._value(pair, "workload.tokens") / time / systems
        up = self._value(pair, "finance.availability")
        return self._value(pair, "throughput.output") * up / systems

    def _porting(self, figures: Mapping[str, PlatformFigures]) -> dict[Pair, float]:
        """Money a month for a demand on a platform: porting, written off."""
        life = self._number("porting.life")
        out = {}
        for path in self.block.facts:
            parsed = parse_path(path)
            if parsed.pattern != "port[]":
                continue
            platform, demand = parsed.keys
            if platform in figures and demand in self.demands:
                rate = figures[platform].rate
                recovery = finance.capital_recovery_monthly(rate, life, 0.0)
                out[demand, platform] = self._number(path) * recovery * MONTH
        return out

    # Limits.

    def _limits(self, figures: Mapping[str, PlatformFigures]) -> tuple[Limit, ...]:
        out = []
        for site in self.block.keys_of("cap.power[]"):
            use = {n: f.power for n, f in figures.items() if f.site == site}
            amount = self._number(f"cap.power[{site}]") / MEGA
            out.append(Limit(f"power of {site}", amount, "MW", use))
        if "budget" in self.block.facts:
            use = {name: one.price for name, one in figures.items()}
            budget = self._number("budget")
            out.append(Limit("budget", budget, "$", use, bought_only=True))
        return tuple(out)

    def _ready(self, fleet: Fleet) -> Fleet:
        ready: dict[Pair, dt.date] = {}
        for path in self.block.facts:
            parsed = parse_path(path)
            day = self._date(path) if parsed.pattern == "ready[]" else None
            if day is not None:
                platform, demand = parsed.keys
                ready[demand, platform] = day
        if not ready:
            return fleet
        today = self._date("date")
        if today is None:
            raise self._missing("date")
        left = ready_on(fleet, ready, today)
        said = {
            pair: f"not ready before {why}" if pair in ready else why
            for pair, why in left.reasons.items()
        }
        return attrs.evolve(left, reasons=said)


def _with_pairs(checked: Checked, block: Block, platforms: list[str]) -> Checked:
    """The document with one scenario for each platform and demand."""
    document = checked.document
    blocks = dict(document.blocks)
    for demand in block.keys_of("demand[].workload"):
        fact = block.facts[f"demand[{demand}].workload"]
        for platform in platforms:
            base = document.blocks[platform]
            attribute = base.kind.attributes["workload"]
            bound = attrs.evolve(
                fact,
                path=parse_path("workload"),
                attribute=attribute,
                expr=Expr("path", (), fact.expr.value, fact.expr.span),
            )
            name = pair_name(platform, demand)
            facts = {**base.facts, "workload": bound}
            blocks[name] = attrs.evolve(base, name=name, facts=facts)
    changed = attrs.evolve(document, blocks=blocks)
    return Checked(changed, Lookup(changed, checked.lookup.table), [])
