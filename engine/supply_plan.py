"""Dated volumes of chips against caps: what is delivered, what binds and when.

Reads a scenario's `supply` and runs `engine.fleet.ramp` over its quarters, at point
values and for draws of what is uncertain. What one chip takes comes from its silicon
and its system, or is stated as `need[CHIP, RESOURCE]`; a resource is capped by
`cap[RESOURCE, DATE]` of its name: `wafers`, `packages`, `stacks`, `power`, `racks`, the
items of the system's bill, or any name that `need` states. Called by `eval` and by
reports.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from isocost.dsl.dates import Period, quarters
from isocost.dsl.diagnostics import at
from isocost.dsl.document import Block
from isocost.dsl.expr import Expr
from isocost.dsl.syntax import parse_path
from isocost.engine.dated import Series, in_period
from isocost.engine.fleet.ramp import Line, Ramp, Use, supplier_shares
from isocost.engine.scope import MissingInputError, Scope
from isocost.engine.supply_structure import Spread, Structure, spreads

if TYPE_CHECKING:
    from isocost.engine.evaluate import Evaluation

#: Resources that are derived for a chip: its quantity, and the unit of its cap.
DERIVED = {
    "wafers": ("need.wafers", "wafer"),
    "packages": ("need.packages", "package"),
    "stacks": ("need.stacks", "stack"),
    "power": ("need.power", "MW"),
    "racks": ("need.racks", "rack"),
}
#: What is paid for a chip: its quantity by item, for suppliers' shares.
_BILL = {
    "wafers": "silicon.dies",
    "memory": "silicon.memory",
    "packages": "chip.silicon.package.price",
}


@attrs.frozen
class Binding:
    """A quarter in which a resource held a chip back, and by how many chips."""

    quarter: str
    resource: str
    chip: str
    unmet: float


@attrs.frozen
class SupplyPlan:
    """The ramp of a scenario's supply, quarter by quarter.

    `needs` is what one chip takes, by chip and resource, in `units` of the resource;
    `lines` and `uses` count periods by their place in `quarters`; `shares` are each
    supplier's part of what is paid for the chips delivered. `spreads` are the doubts of
    the lines, in their order; empty where nothing that the plan rests on varies.
    """

    scenario: str
    quarters: tuple[str, ...]
    chips: tuple[str, ...]
    units: Mapping[str, str]
    needs: Mapping[str, Mapping[str, float]]
    lines: tuple[Line, ...]
    uses: tuple[Use, ...]
    shares: Mapping[str, float]
    spreads: tuple[Spread, ...] = ()

    @property
    def binding(self) -> tuple[Binding, ...]:
        """What held which chip back, in the order of the quarters."""
        return tuple(
            Binding(self.quarters[line.period], line.binding, line.product, line.unmet)
            for line in self.lines
            if line.binding is not None
        )

    def required(self, resource: str) -> tuple[float, ...]:
        """What the deliveries of each quarter take of a resource, in its unit."""
        return tuple(use.used for use in self.uses if use.resource == resource)

    def room(self, resource: str) -> tuple[float, ...]:
        """What there is of a resource for each quarter; infinite without a cap."""
        return tuple(use.room for use in self.uses if use.resource == resource)


def has_supply(evaluation: "Evaluation", scenario: str) -> bool:
    """Whether a scenario's supply states dated volumes."""
    return bool(_chips(evaluation.scope(scenario)))


def _chips(scope: Scope) -> list[str]:
    block = scope.block("supply")
    return block.keys_of("volume[]") if block is not None else []


def supply_plan(evaluation: "Evaluation", scenario: str) -> SupplyPlan:
    """Run the plan of a scenario's supply.

    Raises:
        MissingInputError: It states no volumes, or the system of a chip is not known.
    """
    return _Planner(evaluation, scenario).run()


class _Planner:
    def __init__(self, evaluation: "Evaluation", scenario: str) -> None:
        self.evaluation = evaluation
        self.scope = evaluation.scope(scenario)
        self.supply = self.scope.block("supply")
        self.units: dict[str, str] = {}

    def run(self) -> SupplyPlan:
        chips = _chips(self.scope)
        if self.supply is None or not chips:
            path = "supply.volume[CHIP, DATE]"
            raise self.scope.fail("M001", path=path, needed_by="a supply plan")
        volumes = {chip: self._series(f"volume[{chip}]") for chip in chips}
        points = [p.period for s in volumes.values() if s for p in s.points]
        when = quarters(min(points), max(points, key=lambda p: p.end))
        needs = {chip: self._needs(chip) for chip in chips}
        priority = self.scope.word("supply.rule") == "priority"
        structure = Structure(
            volumes={chip: self._flow(volumes[chip], when) for chip in chips},
            needs=needs,
            units=dict(self.units),
            caps=self._caps(when),
            leads=self._leads(),
            stored=frozenset(
                name for name in self.units if self.scope.has(f"supply.stored[{name}]")
            ),
            late=self.scope.word("supply.unmet") != "lost",
            rule="priority" if priority else "proportional",
        )
        values = self.evaluation.point(structure.nodes)
        ramp = structure.ramp(values)
        return SupplyPlan(
            scenario=self.scope.name,
            quarters=tuple(quarter.text for quarter in when),
            chips=tuple(chips),
            units=dict(self.units),
            needs={chip: structure.needed(values, chip) for chip in chips},
            lines=ramp.lines,
            uses=ramp.uses,
            shares=self._shares(chips, ramp),
            spreads=spreads(self.evaluation, structure),
        )

    # Stated figures.

    def _series(self, path: str) -> Series | None:
        assert self.supply is not None  # noqa: S101 (looked at in `run`)
        return self.scope.series(self.supply, path)

    def _value(self, node: int) -> float:
        return self.evaluation.point((node,))[node]

    def _flow(
        self, series: Series | None, when: list[Period]
    ) -> tuple[int | None, ...]:
        if series is None:
            return (None,) * len(when)
        return tuple(in_period(self.scope, series, quarter) for quarter in when)

    def _caps(self, when: list[Period]) -> dict[str, tuple[int | None, ...]]:
        """The caps of the resources that have any, by quarter from their first on."""
        out = {}
        for name in self.units:
            series = self._series(f"cap[{name}]")
            if series is not None:
                start = series.points[0].period.start
                out[name] = tuple(
                    in_period(self.scope, series, q) if q.end > start else None
                    for q in when
                )
        return out

    def _leads(self) -> dict[str, int]:
        paths = {name: f"supply.lead[{name}]" for name in self.units}
        return {
            n: self.scope[path] for n, path in paths.items() if self.scope.has(path)
        }

    # What a chip takes.

    def _of_chip(self, chip: str) -> Scope:
        """The scenario with a chip's own system in the system's place."""
        system = self.scope.block("system")
        own = self.scope.block("chip")
        stated = self.scope.block(f"supply.system[{chip}]")
        if stated is None and system is not None and own is not None:
            stated = (
                system if chip == self.scope.key_of("supply", "volume[]", own) else None
            )
        if stated is None:
            path = f"supply.system[{chip}]"
            raise self.scope.fail("M001", path=path, needed_by="a supply plan")
        return _with_system(self.scope, stated)

    def _needs(self, chip: str) -> dict[str, int]:
        scope = self._of_chip(chip)
        out: dict[str, int] = {}
        wanted = {name: path for name, (path, _) in DERIVED.items()}
        for item in scope.keys("system", "item[].count"):
            wanted[item] = f"need.part[{item}]"
        for name, path in wanted.items():
            try:
                out[name] = scope[path]
            except MissingInputError:
                continue
            self.units[name] = DERIVED[name][1] if name in DERIVED else "1"
        for name in self._stated_needs(chip):
            path = f"supply.need[{chip}, {name}]"
            fact = self.scope.fact(path)
            shown = _unit_text(fact.expr) if fact is not None else ""
            self.units.setdefault(name, shown or "1")
            out[name] = self.scope[path]
        return out

    def _stated_needs(self, chip: str) -> list[str]:
        assert self.supply is not None  # noqa: S101 (looked at in `run`)
        paths = map(parse_path, self.scope.stated_paths(self.supply))
        found = [p.keys for p in paths if p.pattern == "need[]"]
        return [keys[1] for keys in found if keys[0] == chip]

    # Who is paid.

    def _shares(self, chips: list[str], ramp: Ramp) -> dict[str, float]:
        bill: dict[str, float] = {}
        for chip in chips:
            scope, volume = self._of_chip(chip), sum(ramp.delivered(chip))
            items = dict(_BILL)
            for item in scope.keys("system", "item[].price"):
                items[item] = f"bill.item[{item}]"
            for name, path in items.items():
                try:
                    paid = self._value(scope[path])
                    if path.startswith("bill."):
                        paid /= self._value(scope["system.chips"])
                except MissingInputError:
                    continue
                bill[name] = bill.get(name, 0.0) + paid * volume
        suppliers = {
            name: self.scope.word(f"supply.supplier[{name}]") or "" for name in bill
        }
        return supplier_shares(bill, suppliers)


def _with_system(scope: Scope, system: Block) -> Scope:
    """A scope of the same scenario in which another system is bound."""
    block = scope.scenario
    if block is None or "system" not in block.facts:
        raise MissingInputError(
            at("M001", scope.where(), path="system", needed_by="a supply plan")
        )
    bound, fact = scope.block("system"), block.facts["system"]
    if bound is not None and bound.name == system.name:
        return scope
    other = attrs.evolve(
        fact, expr=Expr("path", (), parse_path(system.label), fact.expr.span)
    )
    changed = attrs.evolve(block, facts={**block.facts, "system": other})
    return Scope(scope.lookup, scope.builder, changed)


def _unit_text(expr: Expr) -> str:
    """The unit in which a need is stated, without its `/chip`."""
    for part in expr.walk():
        if part.op == "literal" and part.value.unit is not None:
            return str(part.value.unit.text).removesuffix("/chip") or "1"
    return ""


__all__ = ["Binding", "SupplyPlan", "has_supply", "supply_plan"]
