"""`sankey(SCENARIO, …)`: where the money of a chip-hour comes from and goes to.

From what is paid (capital by class of asset, running cost by kind, rent), through
capital and running cost, to hours that are sold and hours that are not.
"""

from isocost.dsl.document import Block
from isocost.engine.derive.cost import paid
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.sankey import Flow, Sankey
from isocost.reports.exhibits import Call
from isocost.reports.sections.cost import part_name
from isocost.reports.study import Study, defined

SECTION = "cost"
HOUR = 3600.0
CAPITAL, RUNNING, RENT = "Capital", "Running", "Rent"
SOLD, IDLE = "Hours sold", "Hours unsold"


def build(study: Study, call: Call) -> list[v.Block]:
    """One figure a scenario; of the baseline if none is named."""
    names = call.names or (study.baseline.name,)
    found = (study.find(name, "scenario") for name in names)
    made = (_figure(study, one) for one in found if one is not None)
    return [one for one in made if one is not None]


def _figure(study: Study, scenario: Block) -> v.Figure | None:
    flows = _flows(study, scenario)
    whole = sum(flow.amount for flow in flows if flow.target in {SOLD, IDLE})
    if not whole:
        return None
    parts = {f.source: f.amount for f in flows if f.target not in {SOLD, IDLE}}
    middle = dict.fromkeys(f.target for f in flows if f.source in parts)
    ends = dict.fromkeys(f.target for f in flows if f.source in middle)
    title = study.title(scenario)
    return v.Figure(
        _finding(title, parts, flows, whole),
        Sankey((tuple(parts), tuple(middle), tuple(ends)), tuple(flows), money="$"),
        f"Sankey diagram: what an installed chip-hour of {title} costs flows from "
        "what is paid, by capital and running cost, to hours sold and unsold.",
        source="engine, at point values; a part below a thousandth is left out.",
        key=f"fig-sankey-{scenario.label}",
    )


def _flows(study: Study, scenario: Block) -> list[Flow]:
    """What is paid for an installed chip-hour, and what becomes of the hour."""
    chips = study.value(scenario, "chips")
    sold = study.value(scenario, "finance.sold")
    amounts: dict[tuple[str, str], float] = {}
    for path in paid(study.evaluation.scope(scenario.name)):
        value = study.value(scenario, path)
        if value and chips and defined(value, chips) and value > 0:
            key = (part_name(path), _kind(path))
            amounts[key] = amounts.get(key, 0.0) + value / chips * HOUR
    least = sum(amounts.values()) / 1000
    kept = {key: amount for key, amount in amounts.items() if amount >= least}
    out = [
        Flow(part if part != kind else f"{part} paid", kind, amount)
        for (part, kind), amount in sorted(
            kept.items(), key=lambda one: (_ORDER.index(one[0][1]), -one[1])
        )
    ]
    share = 1.0 if sold is None or not defined(sold) else min(max(sold, 0.0), 1.0)
    for kind in dict.fromkeys(flow.target for flow in out):
        amount = sum(flow.amount for flow in out if flow.target == kind)
        ends = ((SOLD, share), (IDLE, 1 - share))
        out += [Flow(kind, end, amount * part) for end, part in ends if part > 0]
    return out


_ORDER = (CAPITAL, RUNNING, RENT)


def _kind(path: str) -> str:
    """Of which kind a part of the cost is."""
    if path.startswith("cost.capital"):
        return CAPITAL
    return RENT if path.startswith("cost.rent") else RUNNING


def _finding(
    title: str, parts: dict[str, float], flows: list[Flow], whole: float
) -> str:
    """The largest part, and what hours unsold cost."""
    top = max(parts, key=parts.__getitem__)
    share = n.percent(parts[top] / whole, 2)
    idle = sum(flow.amount for flow in flows if flow.target == IDLE)
    said = f"{title}: {share} of a chip-hour's {n.money(whole)} is {top.lower()}"
    return f"{said}; {n.money(idle)} goes into hours that nobody buys" if idle else said
