"""`fleet(NAME)`: who serves what, what the limits are worth, and what would turn it."""

import attrs

from isocost.engine.fleet.solve import cheapest_mix
from isocost.engine.fleet_answer import FleetAnswer, answer
from isocost.engine.fleet_case import fleet_case, fleets_of
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.names import listed
from isocost.reports.study import Study

SECTION = "cost"


def build(study: Study, call: Call) -> list[v.Block]:
    """The mix, the prices at the margin, the switching prices, the gain of choice."""
    checked = study.evaluation.checked
    found = [b for b in fleets_of(checked) if b.label in call.names]
    out: list[v.Block] = []
    for block in found:
        solved = answer(fleet_case(checked, block))
        if solved.mix.status == "infeasible":
            text = "; ".join(solved.conflict)
            out.append(v.Callout(f"{solved.case.title} has no mix", text))
            continue
        out += [
            v.Paragraph(_gain(study, solved)),
            _mix(study, solved),
            _turning(study, solved),
            _margins(study, solved),
        ]
    return out


def _title(study: Study, name: str) -> str:
    block = study.find(name, "scenario")
    return study.system_title(block) if block is not None else name.replace("_", " ")


def _gain(study: Study, solved: FleetAnswer) -> str:
    """What the choice is worth: the mix against each platform left out."""
    fleet, cost = solved.case.fleet, solved.mix.cost
    said = []
    for platform in fleet.platforms:
        rest = attrs.evolve(
            fleet,
            platforms=tuple(p for p in fleet.platforms if p.name != platform.name),
            serves={k: x for k, x in fleet.serves.items() if k[1] != platform.name},
            porting={k: x for k, x in fleet.porting.items() if platform.name not in k},
            limits=tuple(
                attrs.evolve(
                    limit,
                    use={p: x for p, x in limit.use.items() if p != platform.name},
                )
                for limit in fleet.limits
            ),
        )
        mix = cheapest_mix(rest)
        name = _title(study, platform.name)
        if mix.status == "infeasible" or mix.unserved:
            said.append(f"without {name} the demands cannot all be served")
        elif mix.cost > cost * (1 + 1e-6):
            more = n.percent(mix.cost / cost - 1, 2)
            said.append(f"without {name} they cost {more} more")
        else:
            said.append(f"without {name} nothing changes")
    return (
        f"The cheapest mix serves all demands for {n.money(cost)} a month; "
        + ", ".join(said)
        + ". That is what a customer gains by being able to choose."
    )


def _mix(study: Study, solved: FleetAnswer) -> v.Table:
    mix = solved.mix
    rows = []
    for one in mix.assignments:
        chips = one.units * solved.case.figures[one.platform].chips
        rows.append(
            v.Row(
                (
                    one.demand.replace("_", " "),
                    _title(study, one.platform),
                    n.percent(one.share, 3),
                    n.count(chips),
                )
            )
        )
    bought = []
    for held in mix.holdings:
        chips = held.bought * solved.case.figures[held.platform].chips
        if chips:
            bought.append(f"{_title(study, held.platform)} {n.count(chips)}")
    return v.Table(
        f"{solved.case.title}: the cheapest mix buys "
        f"{listed(bought) if bought else 'nothing'}",
        (
            v.Column("Demand"),
            v.Column("Platform"),
            v.Column("Share", align="right"),
            v.Column("Chips", align="right"),
        ),
        tuple(rows),
        source="engine; linear program over platforms, at point values.",
        key=f"tab-fleet-{solved.case.name}",
    )


def _turning(study: Study, solved: FleetAnswer) -> v.Table:
    rows = []
    demands = [d.name for d in solved.case.fleet.demands]
    for turn in solved.turns:
        figures = solved.case.figures[turn.platform]
        cells: list[str] = []
        for demand in demands:
            limit = turn.wins.get(demand)
            if limit is None or not figures.price or not figures.recovery:
                cells.append("–")
                continue
            price = figures.price + (limit - turn.cost) / figures.recovery
            cells.append(n.money(price / figures.chips) if price > 0 else "none")
        rows.append(
            v.Row(
                (
                    _title(study, turn.platform),
                    "yes" if turn.bought else "no",
                    n.money(figures.price / figures.chips),
                    _limit(turn.price_threshold, figures.chips),
                    *cells,
                )
            )
        )
    return v.Table(
        _turning_finding(study, solved),
        (
            v.Column("Platform"),
            v.Column("Bought"),
            v.Column("Now", "$/chip", "right"),
            v.Column("Bought below", "$/chip", "right"),
            *(v.Column(d.replace("_", " "), "$/chip", "right") for d in demands),
        ),
        tuple(rows),
        notes=("“None”: it would not win even as a gift, for what it costs to run.",),
        source="engine; price of a system over its chips, all else as it is.",
        key=f"tab-turning-{solved.case.name}",
    )


def _turning_finding(study: Study, solved: FleetAnswer) -> str:
    """What would have to be paid for what is not bought."""
    said = []
    for turn in solved.turns:
        figures = solved.case.figures[turn.platform]
        if not turn.bought and turn.price_threshold is not None:
            said.append(
                f"{_title(study, turn.platform)} would be bought below "
                f"{_limit(turn.price_threshold, figures.chips)} a chip, not at "
                f"{n.money(figures.price / figures.chips)}"
            )
    bought = sum(turn.bought for turn in solved.turns)
    if said:
        return listed(said)
    return f"All {bought} platforms are bought: below which price each wins a demand"


def _margin_finding(names: list[str], solved: FleetAnswer) -> str:
    """How many limits bind."""
    binds = [
        name for name, one in zip(names, solved.prices, strict=True) if one.price.price
    ]
    return (
        f"{len(binds)} of {len(names)} demands and limits have a price: what one more "
        "unit is worth a month"
    )


def _limit(price: float | None, chips: float) -> str:
    if price is None or price == float("inf"):
        return "any"
    return n.money(price / chips) if price > 0 else "none"


def _margins(study: Study, solved: FleetAnswer) -> v.Table:
    rows = []
    for one in solved.prices:
        price = one.price
        name = price.name
        for platform in solved.case.fleet.platforms:
            name = name.replace(platform.name, _title(study, platform.name))
        words = one.meaning[0].upper() + one.meaning[1:]
        rows.append(v.Row((name.replace("_", " "), n.money(price.price), words)))
    return v.Table(
        _margin_finding([str(row.cells[0]) for row in rows], solved),
        (
            v.Column("Demand or limit"),
            v.Column("Price", "$/month", "right"),
            v.Column("Which means"),
        ),
        tuple(rows),
        source="engine; dual values of the linear program.",
        key=f"tab-shadow-{solved.case.name}",
    )
