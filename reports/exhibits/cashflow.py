"""`cashflow(SCENARIO, …)`: what a project lays out and earns by year, and returns.

A scenario has one where it owns its systems and its terms state a revenue. All is at
point values, months added up to years; the intervals stand in the table's notes.
"""

import math

from isocost.dsl.document import Block
from isocost.engine.cash_of import cash_plan, earns
from isocost.engine.cashflow import CashPlan, CashRow, CashTable, cash_table
from isocost.engine.graph import Input
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.cashflow import CashFlow
from isocost.reports.exhibits import Call
from isocost.reports.study import Study, interval

SECTION = "cost"
YEAR = 12
#: Years beyond which the chart's names are numbers alone.
NAMED = 12
#: Significant digits of a table's largest amount; all have its decimals.
DIGITS = 4
HEADS = (
    "Revenue",
    "Running cost",
    "Capital",
    "Debt service",
    "Tax",
    "Net",
    "Cumulative",
)
_SCALES = ((1e9, "$bn"), (1e6, "$M"), (1e3, "$k"))


def build(study: Study, call: Call) -> list[v.Block]:
    """For each scenario a chart of its cash by year, and the table behind it."""
    out: list[v.Block] = []
    for name in call.names:
        scenario = study.find(name, "scenario")
        if scenario is None or not earns(study.evaluation, scenario.name):
            continue
        plan = cash_plan(study.evaluation, scenario.name)
        table = cash_table(plan)
        source = _source(study, scenario)
        out.append(_chart(study.title(scenario), scenario.name, plan, table, source))
        out.append(_table(study, scenario, table, source))
    return out


def _source(study: Study, scenario: Block) -> v.Text:
    """What the net present value rests on: sources, and how much is assumed."""
    start = "engine, at point values of the scenario file"
    node = study.evaluation.node(scenario.name, "cost.npv")
    if node is None:
        return f"{start}."
    graph = study.evaluation.graph
    whats = [graph.nodes[one].what for one in graph.inputs([node])]
    cites = [what.cites for what in whats if isinstance(what, Input)]
    keys = {cite.key for those in cites for cite in those if not cite.assumed}
    assumed = sum(all(cite.assumed for cite in those) for those in cites)
    return (
        f"{start}; inputs: ",
        study.cite(keys),
        f" and {assumed} without a source." if assumed else ".",
    )


def _chart(
    title: str, name: str, plan: CashPlan, table: CashTable, source: v.Text
) -> v.Figure:
    years = table.by_year()
    word = "" if len(years) > NAMED else "year "
    return v.Figure(
        f"{title}: {finding(plan, table)}",
        CashFlow(
            ("start", *(f"{word}{row.month}" for row in years[1:])),
            tuple(row.net for row in years),
            "Net cash of the year, $",
            payback=f"paid back in month {math.ceil(table.payback)}"
            if math.isfinite(table.payback)
            else "",
        ),
        "Bars: net cash by year, the first day's apart. Line: their sum so far.",
        source=source,
        key=f"fig-cashflow-{name}",
    )


def finding(plan: CashPlan, table: CashTable) -> str:
    """The returns in words: `IRR 24.1% a year, NPV $77.3k at 10.25%, paid …`."""
    if len(table.rates) > 1:
        rate = "several internal rates of return, so that none says much"
    elif math.isnan(table.irr):
        rate = "no internal rate of return"
    else:
        rate = f"IRR {n.percent(table.irr)} a year"
    worth = f"NPV {n.money(table.npv)} at {100 * plan.rate:.4g}%"
    return f"{rate}, {worth}, {_paid_back(table.payback)}"


def _paid_back(months: float) -> str:
    if math.isinf(months):
        return "never paid back"
    month = math.ceil(months)
    return f"paid back in year {max(1, math.ceil(month / YEAR))} (month {month})"


def parts(row: CashRow) -> tuple[float, ...]:
    """A row's amounts in the order of `HEADS`; all but the last two add up to net."""
    return (
        row.revenue,
        row.opex,
        row.capex + row.salvage,
        row.drawn + row.interest + row.repayment,
        row.tax,
        row.net,
        row.cumulative,
    )


def _table(study: Study, scenario: Block, table: CashTable, source: v.Text) -> v.Table:
    years = table.by_year()
    amounts = [parts(row) for row in years]
    sums = [math.fsum(column) for column in zip(*amounts, strict=True)]
    total = (*sums[:-1], table.rows[-1].cumulative)
    most = max(abs(x) for x in (*total, *(x for row in amounts for x in row)))
    scale, unit = next((s for s in _SCALES if most >= s[0]), (1.0, "$"))
    whole = math.floor(math.log10(most / scale)) + 1 if most else 1
    decimals = max(0, DIGITS - max(1, whole))

    def cells(row: tuple[float, ...]) -> tuple[v.Cell, ...]:
        return tuple(
            v.Cell(
                n.fixed(x / scale, decimals) if x else "–",
                strong=head == "Net",
                tone="bad" if head == "Cumulative" and x < 0 else "",
            )
            for head, x in zip(HEADS, row, strict=True)
        )

    broken = (len(table.rows) - 1) % YEAR
    names = ["Start", *(str(row.month) for row in years[1:])]
    if broken:
        names[-1] += f" ({broken} months)"
    rows = [v.Row((a, *cells(b))) for a, b in zip(names, amounts, strict=True)]
    rows.append(v.Row(("In all", *cells(total)), "total"))
    return v.Table(
        f"{study.title(scenario)}: {_outcome(table)}",
        (v.Column("Year"), *(v.Column(head, unit, "right") for head in HEADS)),
        tuple(rows),
        source=source,
        notes=_notes(study, scenario, table),
        key=f"tab-cashflow-{scenario.name}",
        dense=True,
    )


def _outcome(table: CashTable) -> str:
    """What the table shows: the most that is out at once, and what is left."""
    least = min(row.cumulative for row in table.rows)
    left = table.rows[-1].cumulative
    years = f"{(len(table.rows) - 1) / YEAR:.3g} years"
    end = (
        f"{n.money(left)} is left after {years}"
        if left >= 0
        else f"{n.money(-left)} is still missing after {years}"
    )
    return f"{n.money(-least)} is laid out at most, {end}"


def _notes(study: Study, scenario: Block, table: CashTable) -> tuple[v.Text, ...]:
    terms = (
        f"Terms: {table.basis}; IRR is effective, NPV's rate compounds monthly. "
        "Capital: what is bought, less what assets bring at their end."
    )
    if any(row.drawn for row in table.rows):
        terms += " Debt service: the loan at the start, then interest and repayment."
    ends = []
    for path, name, unit in (
        ("irr", "IRR", "% a year"),
        ("cost.npv", "NPV", ""),
        ("payback", "payback", " months"),
    ):
        found = study.result(scenario, path)
        text = interval(found) if found is not None else ""
        if text:
            ends.append(f"{name} {text}{unit}")
    return (terms, f"90% intervals: {', '.join(ends)}.") if ends else (terms,)
