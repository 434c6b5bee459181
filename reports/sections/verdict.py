"""The verdict: the baseline against each rival, and what would turn the answer.

For each workload the baseline's system is held against the others: the ratio of the
main metric, how sure that is, and two break-evens, each with all else as it is: how
fast a step would have to be, and what a chip would have to cost.
"""

import attrs

from isocost.dsl.document import Block
from isocost.engine.breakeven import breakeven
from isocost.engine.equation import varied
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.exhibits import asked
from isocost.reports.names import listed
from isocost.reports.study import Study

#: What is varied for the break-evens, as the scenario sees it.
SPEED = "software.residual"
PRICE = "chip.price"
CLEAR = 0.9
LIKELY = 0.65


@attrs.frozen
class Duel:
    """The baseline's system against one rival on one workload."""

    own: Block
    rival: Block
    ratio: float
    low: float
    high: float
    share: float
    speed: float | None
    price: float | None


def build(study: Study) -> v.Section | None:
    """The section: a page by workload and price book if asked for, else the duels."""
    blocks = asked(study, "verdict") or turns(study)
    if not blocks:
        return None
    return v.Section("The verdict", tuple(blocks), "verdict", fresh=True)


def turns(study: Study) -> list[v.Block]:
    """The baseline's system against each rival, and where it would turn."""
    metric = study.main_metric
    duels = [
        _duel(study, own, rival, metric)
        for _, scenarios in study.groups()
        for own in _of_baseline(study, scenarios)
        for rival in scenarios
        if rival is not own and study.result(rival, metric) is not None
    ]
    if not duels:
        return []
    blocks: list[v.Block] = [
        v.Paragraph(_finding(study, duels), lead=True),
        _table(study, duels),
    ]
    if not _served(study, duels):
        return blocks
    return [
        *blocks,
        v.Callout(
            "What would change it",
            "A break-even moves one thing and leaves the rest: the time of a step (at "
            "the same batch and layout), or what the builder pays for a chip. Where a "
            "price reads “none”, no price above nothing would do.",
        ),
    ]


def _of_baseline(study: Study, scenarios: list[Block]) -> list[Block]:
    """The scenario of a group that runs on the baseline's system, if one does."""
    if any(one.name == study.baseline.name for one in scenarios):
        has = study.result(study.baseline, study.main_metric) is not None
        return [study.baseline] if has else []
    system = study.role(study.baseline, "system")
    for scenario in scenarios:
        found = study.role(scenario, "system")
        same = found is not None and system is not None and found.name == system.name
        if same and study.result(scenario, study.main_metric) is not None:
            return [scenario]
    return []


def _duel(study: Study, own: Block, rival: Block, metric: str) -> Duel:
    ratio, low, high = study.ratio(own, rival, metric)
    share = study.share_best([own, rival], metric)[0]
    speed = _break_even(study, own, rival, metric, SPEED)
    value = study.value(own, SPEED)
    return Duel(
        own=own,
        rival=rival,
        ratio=ratio,
        low=low,
        high=high,
        share=share,
        speed=None if not speed or value is None else value / speed,
        price=_break_even(study, own, rival, metric, PRICE),
    )


def _break_even(
    study: Study, own: Block, rival: Block, metric: str, path: str
) -> float | None:
    """The input's value at which both cost the same, the one nearest to today's."""
    both = (study.node(own, metric), study.node(rival, metric))
    scope = study.evaluation.scope(own.name)
    names = (f"{own.name}.{path}", path)
    vary = next(
        (
            one
            for name in names
            if (one := varied(study.evaluation, both, name)) is not None
        ),
        None,
    )
    study.evaluation.diagnostics.clear()
    if vary is None or scope.builder.nodes[vary.node].args:
        return None
    today = vary.value
    if not today:
        return None
    values = [c.value for c in breakeven(study.evaluation, both, vary).crossings]
    return min(values, key=lambda x: abs(x / today - 1), default=None)


def word(share: float) -> str:
    """How a duel stands that is won in a share of draws."""
    if share >= CLEAR:
        return "cheaper"
    if share >= LIKELY:
        return "likely cheaper"
    if share > 1 - LIKELY:
        return "open"
    return "likely dearer" if share > 1 - CLEAR else "dearer"


def stands(how: str, against: str) -> str:
    """How one stands against others, as part of a sentence."""
    return (
        f"too close to call against {against}"
        if how == "open"
        else (f"{how} than {against}")
    )


def _unit(study: Study) -> str:
    """What the main metric is the cost of."""
    names = {"cost.train": "training run", "cost.per_chip_hour": "chip-hour"}
    metric = study.main_metric.partition("[")[0]
    return names.get(metric, "token" if metric == "cost.per_Mtoken" else metric)


def _finding(study: Study, duels: list[Duel]) -> str:
    parts = []
    name = study.who(study.baseline)
    for duel in duels:
        work = study.workload_title(duel.own)
        on = f" on {work}" if work else ""
        parts.append((word(duel.share), f"{study.who(duel.rival)}{on}"))
    out = []
    for how in ("cheaper", "likely cheaper", "open", "likely dearer", "dearer"):
        who = [text for found, text in parts if found == how]
        if not who:
            continue
        out.append(stands(how, listed(who)))
    return f"For the cost of a {_unit(study)}, {name} is {listed(out, '; ')}."


def _table(study: Study, duels: list[Duel]) -> v.Table:
    rows = [
        v.Row(
            (
                v.Cell(study.workload_title(duel.own)),
                f"{study.who(duel.own)} : {study.who(duel.rival)}",
                v.Cell(n.ratio(duel.ratio), interval=n.interval(duel.low, duel.high)),
                n.percent(duel.share, 2),
                v.Cell(word(duel.share), strong=duel.share >= CLEAR),
                "–" if duel.speed is None else n.ratio(duel.speed),
                "none" if duel.price is None else n.money(duel.price),
            )
        )
        for duel in duels
    ]
    columns: tuple[v.Column, ...] = (
        v.Column("Model"),
        v.Column("Against"),
        v.Column("Cost ratio", align="right"),
        v.Column("Draws won", align="right"),
        v.Column("Verdict"),
        v.Column("Break-even speed", "× predicted", "right"),
        v.Column("Break-even chip", "$", "right"),
    )
    served = _served(study, duels)
    cut = slice(None) if served else slice(1, -2)
    return v.Table(
        f"Cost of a {_unit(study)}: {_tally(duels)}",
        columns[cut],
        tuple(v.Row(row.cells[cut]) for row in rows),
        source="engine; ratios over shared draws"
        f"{', break-evens at point values' if served else ''}.",
        key="tab-verdict",
    )


def _tally(duels: list[Duel]) -> str:
    """How many duels end in each way."""
    words = [word(duel.share) for duel in duels]
    ends = [
        f"{how} {'than' if how.endswith('er') else 'against'} {words.count(how)}"
        for how in dict.fromkeys(words)
    ]
    if not ends:
        return "no rival has one"
    return f"of {len(duels)} rivals the baseline's options are {listed(ends)}"


def _served(study: Study, duels: list[Duel]) -> bool:
    """Whether anything runs on the options: without it no step has a speed."""
    return any(study.workload_title(duel.own) for duel in duels)
