"""`ramp(SCENARIO)`: chips delivered by quarter, what holds them back, who is paid."""

from isocost.dsl.document import Block
from isocost.engine.supply_plan import SupplyPlan, has_supply, supply_plan
from isocost.engine.supply_structure import Spread
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.bars import Bars, Group
from isocost.reports.charts.lines import Curve, Lines
from isocost.reports.exhibits import Call
from isocost.reports.names import listed
from isocost.reports.study import Study

SECTION = "supply"
WORDS = {
    "wafers": "Wafers",
    "packages": "Packages",
    "stacks": "Memory stacks",
    "power": "Power handed over",
    "racks": "Racks",
    "copper": "Sets of cables",
    "nic": "NICs",
}


def build(study: Study, call: Call) -> list[v.Block]:
    """The ramp as a chart, its needs as a table, the suppliers' shares as bars."""
    out: list[v.Block] = []
    for name in call.names:
        scenario = study.find(name, "scenario")
        if scenario is None or not has_supply(study.evaluation, scenario.name):
            continue
        plan = supply_plan(study.evaluation, scenario.name)
        keys = study.cite(_cited(study, scenario))
        out += [_chart(study, plan), _needs(study, plan, keys), _shares(plan, keys)]
    return out


def _cited(study: Study, scenario: Block) -> set[str]:
    block = study.role(scenario, "supply")
    facts = block.facts.values() if block is not None else ()
    return {c.key for fact in facts for c in fact.cites if not c.assumed}


def _chart(study: Study, plan: SupplyPlan) -> v.Figure:
    curves = []
    for chip in plan.chips:
        block = study.find(chip, "chip")
        lines = [line for line in plan.lines if line.product == chip]
        doubts = _spreads(plan, chip)
        name = study.name(block) if block else chip
        made = tuple((float(x.period), x.delivered / 1e3) for x in lines)
        asked = tuple((float(x.period), x.wanted / 1e3) for x in lines)
        curves += [
            Curve(
                name,
                made,
                low=tuple(one.low / 1e3 for one in doubts),
                high=tuple(one.high / 1e3 for one in doubts),
                dots=True,
            ),
            Curve(f"{name}, asked for", asked, dashed=True),
        ]
    return v.Figure(
        _finding(plan),
        Lines(
            tuple(curves),
            "Quarter",
            "Chips in the quarter, thousands",
            names=plan.quarters,
        ),
        "Lines: chips asked for, arrears included, and chips delivered, by quarter."
        + " Bands: 90% of the draws." * bool(plan.spreads),
        source="engine; volumes and caps of the scenario file, at point values"
        + "; bands hold 90% of the draws" * bool(plan.spreads)
        + ".",
        key=f"fig-ramp-{plan.scenario}",
    )


def _spreads(plan: SupplyPlan, chip: str) -> list[Spread]:
    """The doubts of a chip's deliveries by quarter; none where nothing varies."""
    if not plan.spreads:
        return []
    pairs = zip(plan.lines, plan.spreads, strict=True)
    return [doubt for line, doubt in pairs if line.product == chip]


def _short(study: Study, plan: SupplyPlan) -> list[v.Row]:
    """In how many draws a quarter delivers less of a chip than was asked for."""
    rows = []
    for chip in plan.chips:
        doubts = _spreads(plan, chip)
        if any(one.short for one in doubts):
            block = study.find(chip, "chip")
            name = study.name(block) if block else chip
            shares = (n.percent(one.short, 2) for one in doubts)
            rows.append(v.Row((f"{name} falls short", "of draws", *shares)))
    return rows


def _finding(plan: SupplyPlan) -> str:
    binding = plan.binding
    made = n.si(sum(line.delivered for line in plan.lines))
    if not binding:
        return f"Nothing holds the ramp back: {made} chips are delivered as asked for"
    often: dict[str, int] = {}
    for one in binding:
        often[one.resource] = often.get(one.resource, 0) + 1
    parts = [
        f"{WORDS.get(name, name).lower()} in {count}"
        for name, count in sorted(often.items(), key=lambda x: (-x[1], x[0]))
    ]
    return (
        f"{made} chips are delivered by {plan.quarters[-1]}; what binds, by lines of "
        f"the plan: {', '.join(parts)}"
    )


def _needs(study: Study, plan: SupplyPlan, keys: v.Cite) -> v.Table:
    rows = []
    binds = []
    for name, unit in plan.units.items():
        if name not in WORDS:
            continue
        used, room = plan.required(name), plan.room(name)
        cells = []
        times = 0
        for take, limit in zip(used, room, strict=True):
            full = limit > 0 and take >= 0.995 * limit
            times += full
            cells.append(v.Cell(n.si(take), strong=full, tone="bad" if full else ""))
        if times:
            binds.append(f"{WORDS[name].lower()} in {times}")
        rows.append(v.Row((WORDS[name], "" if unit == "1" else unit, *cells)))
    rows += _short(study, plan)
    return v.Table(
        f"Of {len(plan.quarters)} quarters "
        f"{listed(binds) + ' run full' if binds else 'none runs full of anything'}: "
        "what the deliveries take",
        (
            v.Column("Resource"),
            v.Column("Unit"),
            *(v.Column(quarter, align="right") for quarter in plan.quarters),
        ),
        tuple(rows),
        source=("engine; ", keys, "."),
        key=f"tab-ramp-{plan.scenario}",
        dense=True,
    )


def _shares(plan: SupplyPlan, keys: v.Cite) -> v.Figure:
    shares = sorted(plan.shares.items(), key=lambda x: -x[1])
    shares = [(name or "not named", share) for name, share in shares]
    known = [(name, share) for name, share in shares if name != "not named"]
    most = known[0] if known else ("nobody", 0.0)
    return v.Figure(
        f"{most[0]} takes {n.percent(most[1], 2)} of what is paid for a server's "
        "parts, the most of those that are named",
        Bars(
            tuple(Group(name, (100 * share,)) for name, share in shares),
            "Share of what is paid for silicon, memory, packages and parts, %",
            focus=most[0],
        ),
        "Bars: each supplier's share of the bill of the chips delivered.",
        source=("engine; who supplies: ", keys, "."),
        key=f"fig-suppliers-{plan.scenario}",
    )
