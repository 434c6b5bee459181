"""Cost: a chip-hour by what it is made of, a million tokens, the capital behind it."""

import re

from isocost.dsl.document import Block
from isocost.engine.derive.cost import paid
from isocost.engine.results import Result
from isocost.reports import numbers as n
from isocost.reports import training
from isocost.reports import view as v
from isocost.reports.charts.intervals import Estimate, Intervals
from isocost.reports.charts.stacked import Stack, Stacked
from isocost.reports.exhibits import asked
from isocost.reports.flags import Marks
from isocost.reports.names import quoted
from isocost.reports.study import Study, defined, interval, show

_MONTH = 730.0 * 3600.0
#: Parts of a month's cost by the paths that the engine sums; the rest goes by its key.
TITLES = {
    "cost.capital[server]": "Systems",
    "cost.capital[network]": "Network",
    "cost.capital[storage]": "Storage and management",
}
COSTS = (
    ("cost.per_chip_hour[installed]", "Chip-hour", "$, installed"),
    ("cost.per_chip_hour[sold]", "Chip-hour", "$, sold"),
    ("cost.per_Mtoken[output_only]", "Output token", "$/M, all cost"),
    ("cost.per_Mtoken[total]", "Any token", "$/M"),
    ("throughput.per_MW", "Tokens/s", "per MW"),
    ("energy.per_token", "Energy", "J/token"),
)


def build(study: Study) -> v.Section | None:
    """The section; None where no scenario has a cost."""
    metric = "cost.per_chip_hour"
    if all(study.result(scenario, metric) is None for scenario in study.scenarios):
        return None
    stack = _stack(study)
    blocks: list[v.Block] = [] if stack is None else [stack]
    blocks += training.blocks(study, (training.cost_table,))
    for work, scenarios in study.groups():
        name = work.label if work else "work"
        title = study.workload_title(scenarios[0])
        if study.ranking(scenarios, "cost.per_Mtoken[output_only]"):
            blocks.append(_tokens(study, scenarios, title, name))
            blocks.append(_table(study, scenarios, title, name))
            continue
        runs = any(training.trains(study, scenario) for scenario in scenarios)
        if not runs and study.ranking(scenarios, metric):
            blocks.append(training.hour_table(study, scenarios, title, name))
    capital = _capital(study)
    if capital is not None:
        blocks.append(capital)
    blocks += asked(study, "cost")
    return v.Section("Cost", tuple(blocks), "cost") if blocks else None


#: A bar: its name, its parts, its total, the ends of the total's interval.
_Bar = tuple[str, dict[str, float], Result, tuple[float, float]]


def part_name(path: str) -> str:
    """The name of a part of a month's cost: `cost.opex[staff]` is Staff."""
    key = re.sub(r".*\[(.*)\]|cost\.(.*)", r"\1\2", path)
    return TITLES.get(path, key.capitalize())


def _parts(study: Study, scenario: Block) -> dict[str, float]:
    """What a chip-hour installed is the sum of, by name, $: what is paid, no more."""
    chips = study.value(scenario, "chips") or 1.0
    out: dict[str, float] = {}
    for path in paid(study.evaluation.scope(scenario.name)):
        value = study.value(scenario, path) or 0.0
        name = part_name(path)
        out[name] = out.get(name, 0.0) + value / chips * 3600
    return out


def _one_per_system(study: Study) -> list[Block]:
    """One scenario of each system; of a single system, one of each cost of an hour."""
    systems = [scenario for _, scenario in study.roles("system")]
    if len(systems) > 1:
        return systems
    apart: dict[tuple[float, str], Block] = {}
    for scenario in study.scenarios:
        found = study.result(scenario, "cost.per_chip_hour[installed]")
        if found is not None and defined(found.central):
            terms = study.role(scenario, "finance")
            key = (float(found.central), terms.name if terms else "")
            apart.setdefault(key, scenario)
    return list(apart.values())


def _bar_title(study: Study, scenario: Block) -> str:
    """The system's name, or the option's where there is a single system."""
    if len(study.roles("system")) > 1:
        return study.system_title(scenario)
    return (
        study.title(scenario)
        if len(study.scenarios) > 1
        else (study.system_title(scenario))
    )


def _stack(study: Study) -> v.Figure | None:
    hourly = "cost.per_chip_hour[installed]"
    stacks: list[_Bar] = []
    for scenario in _one_per_system(study):
        values = _parts(study, scenario)
        hour = study.result(scenario, hourly)
        if hour is None or not defined(hour.central, *values.values()):
            continue
        ends = (hour.low / hour.scale, hour.high / hour.scale)
        stacks.append((_bar_title(study, scenario), values, hour, ends))
    if not stacks:
        return None
    used = tuple(
        name
        for name in dict.fromkeys(part for bar in stacks for part in bar[1])
        if any(bar[1].get(name) for bar in stacks)
    )
    bars = tuple(
        Stack(title, tuple(parts.get(name, 0.0) for name in used), show(hour), *ends)
        for title, parts, hour, ends in stacks
    )
    return v.Figure(
        study.by_rank(
            _one_per_system(study),
            hourly,
            lambda ranked: _stack_finding(study, ranked, hourly),
            places=(0, -1),
        ),
        Stacked(used, bars, "Cost of an installed chip-hour, $", money="$"),
        "Stacked bars: what a chip-hour of each system costs, by part, with the 90% "
        "interval of the total.",
        source="engine; capital by recovery over each class's life, at 730 hours "
        "a month.",
        key="fig-cost-stack",
    )


def _stack_finding(study: Study, ranked: list[Block], metric: str) -> str:
    """The cheapest chip-hour against the dearest."""
    found = [(s, r) for s in ranked if (r := study.result(s, metric))]
    if len(found) < 2:  # noqa: PLR2004 (nothing to compare)
        return f"A chip-hour costs {show(found[0][1])}" if found else "Cost"
    if found[0][1].central <= 0:
        name = quoted(_bar_title(study, found[0][0]))
        return f"A chip-hour of {name} costs the least"
    (low, least), (high, most) = found[0], found[-1]
    times = n.ratio(most.central / least.central)
    low_name, high_name = (quoted(_bar_title(study, one)) for one in (low, high))
    return (
        f"A chip-hour of {low_name} costs {show(least)}; {high_name} is {times} as dear"
    )


def _tokens(study: Study, scenarios: list[Block], title: str, name: str) -> v.Figure:
    metric = "cost.per_Mtoken[output_only]"
    rows = []
    for index, scenario in enumerate(scenarios):
        found = study.result(scenario, metric)
        if found is None or not defined(found.central, found.low, found.high):
            continue
        ends = (found.low / found.scale, found.high / found.scale)
        rows.append(
            Estimate(study.title(scenario), found.value, *ends, interval(found), index)
        )
    return v.Figure(
        f"{title}: {token_finding(study, scenarios)}",
        Intervals(tuple(rows), "Cost, $ per million output tokens", money="$"),
        "Point values and 90% intervals of the cost of a million output tokens.",
        source="engine; all cost over output tokens delivered.",
        key=f"fig-tokens-{name}",
    )


def token_finding(study: Study, scenarios: list[Block]) -> str:
    """Which option is cheapest by token, against the next, and how sure that is."""
    metric = "cost.per_Mtoken[output_only]"
    return study.by_rank(
        scenarios, metric, lambda ranked: _token_finding(study, ranked, metric)
    )


def _token_finding(study: Study, ranked: list[Block], metric: str) -> str:
    """The finding about a ranking."""
    if not ranked:
        return "no option has a cost"
    best = study.result(ranked[0], metric)
    assert best is not None  # noqa: S101 (ranked by it)
    if len(ranked) == 1:
        return f"a million output tokens cost {show(best)}"
    shares = study.share_best(ranked, metric)
    ratio, low, high = study.ratio(ranked[0], ranked[1], metric)
    gap = n.percent(1 - ratio, 2)
    sure = n.percent(shares[0], 2)
    tie = "" if not low < 1 < high else ", which the inputs do not settle"
    return (
        f"{study.title(ranked[0])} is cheapest at {show(best)}, {gap} below "
        f"{study.title(ranked[1])}{tie}; it is cheapest in {sure} of draws"
    )


def _table(study: Study, scenarios: list[Block], title: str, name: str) -> v.Table:
    rows, marks = [], Marks(study)
    for scenario in scenarios:
        cells: list[v.Cell | v.Text] = [v.Cell(study.title(scenario))]
        for metric, _, _ in COSTS:
            found = study.result(scenario, metric)
            if found is None:
                cells.append("–")
                continue
            money = found.unit.startswith("$") or not defined(found.value)
            text = show(found) if money else n.si(found.value)
            cells.append(v.Cell(marks.on(text, found), interval=interval(found)))
        rows.append(v.Row(tuple(cells)))
    return v.Table(
        f"{title}: {_hour_finding(study, scenarios)}",
        (v.Column("Option"), *(v.Column(t, u, "right") for _, t, u in COSTS)),
        tuple(rows),
        source="engine; 90% intervals in grey.",
        key=f"tab-cost-{name}",
        notes=marks.notes,
    )


def _hour_finding(study: Study, scenarios: list[Block]) -> str:
    """Whose hour is the cheapest, and who makes the most of a megawatt."""
    hour, power = "cost.per_chip_hour[installed]", "throughput.per_MW"

    def cheapest(ranked: list[Block]) -> str:
        found = study.result(ranked[0], hour) if ranked else None
        if found is None:
            return "what a chip-hour and a token cost"
        return f"a chip-hour of {study.title(ranked[0])} costs {show(found)}"

    def thriftiest(ranked: list[Block]) -> str:
        found = study.result(ranked[0], power) if len(ranked) > 1 else None
        if found is None:
            return ""
        return (
            f"; {study.title(ranked[0])} makes the most of a megawatt, "
            f"{n.si(found.value)} tokens a second"
        )

    least = study.by_rank(scenarios, hour, cheapest, places=(0,))
    return least + study.by_rank(scenarios, power, thriftiest, most=True, places=(0,))


def _capital_finding(found: list[tuple[float, str]]) -> str:
    """The least capital by chip against the most."""
    (least, low), (most, high) = min(found), max(found)
    if n.money(least) == n.money(most):
        return f"A chip takes {n.money(least)} of capital"
    return (
        f"A chip takes {n.money(least)} of capital in {quoted(low)}, "
        f"{n.money(most)} in {quoted(high)}"
    )


def _capital(study: Study) -> v.Table | None:
    rows = []
    each_takes = []
    for scenario in _one_per_system(study):
        capex = study.result(scenario, "cost.capex")
        chips = study.value(scenario, "chips")
        price = study.value(scenario, "price.system")
        each = study.value(scenario, "system.chips")
        if capex is None or not chips or not defined(capex.central, chips):
            continue
        each_takes.append((capex.central / chips, _bar_title(study, scenario)))
        rows.append(
            v.Row(
                (
                    _bar_title(study, scenario),
                    n.count(chips),
                    n.money(price) if price else "–",
                    n.money(price / each) if price and each else "–",
                    v.Cell(show(capex), interval=interval(capex)),
                    n.money(capex.central / chips),
                )
            )
        )
    if not rows:
        return None
    return v.Table(
        _capital_finding(each_takes),
        (
            v.Column("System"),
            v.Column("Chips", align="right"),
            v.Column("Price of a system", "$", "right"),
            v.Column("of it by chip", "$", "right"),
            v.Column("Capital in all", "$", "right"),
            v.Column("by chip", "$", "right"),
        ),
        tuple(rows),
        source="price book or bill of the scenario file; network, storage and "
        "installation included in the last two columns.",
        key="tab-capital",
    )
