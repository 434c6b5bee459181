"""The verdict: the baseline against each rival, and what would turn the answer.

For each workload the baseline's system is held against the others: the ratio of the
main metric, how sure that is, and two break-evens, each with all else as it is: how
fast a step would have to be, and what a chip would have to cost.
"""

from itertools import compress

import attrs

from isocost.dsl.document import Block
from isocost.engine.breakeven import breakeven
from isocost.engine.equation import Varied, varied
from isocost.engine.graph import Input
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.exhibits import asked
from isocost.reports.names import listed, quoted
from isocost.reports.study import Study, defined

#: What the costs that a verdict is about are the cost of.
UNITS = {
    "cost.train": "training run",
    "cost.per_chip_hour": "chip-hour",
    "cost.per_chip_hour[available]": "chip-hour that is up",
    "cost.per_Mtoken": "token",
}
#: What is varied for the break-evens, as the scenario sees it.
SPEED = "software.residual"
#: What an owner pays for, the first that there is, and how its price reads.
PRICES = (("chip.price", "a chip"), ("system.price", "a system"))
#: What a tenant pays.
RENTAL = "finance.rental["
HOUR = 3600.0
CLEAR = 0.9
LIKELY = 0.65
#: What is moved for a break-even, by what it is the price of.
_PAID = (
    ("a chip", "what the builder pays for a chip"),
    ("a system", "the price of a system"),
    ("an hour", "the rent of an hour"),
)
#: How a duel can stand, in the order in which it is told.
WORDS = ("cheaper", "likely cheaper", "open", "likely dearer", "dearer")


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
    #: What that is the price of: `a chip`; empty where no price could be moved.
    priced: str = ""


def build(study: Study) -> v.Section | None:
    """The section: a page by workload and price book if asked for, else the duels."""
    blocks = asked(study, "verdict") or turns(study)
    if not blocks:
        return None
    return v.Section("The verdict", tuple(blocks), "verdict", whole=True)


def turns(study: Study) -> list[v.Block]:
    """The baseline's system against each rival, and where it would turn."""
    metric = study.main_metric
    if not study.comparable:
        return []
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
    moved = _moved(study, duels)
    if not moved:
        return blocks
    none = any(duel.priced and duel.price is None for duel in duels)
    last = " Where a price reads “none”, no price above nothing would do." * none
    return [
        *blocks,
        v.Callout(
            "What would change it",
            f"A break-even moves one thing and leaves the rest: {moved}.{last}",
        ),
    ]


def _moved(study: Study, duels: list[Duel]) -> str:
    """What the break-evens of the table move."""
    what = ["the time of a step (at the same batch and layout)"]
    what = what if _served(study, duels) else []
    what += [text for kind, text in _PAID if any(d.priced == kind for d in duels)]
    return " or ".join((", ".join(what[:-1]), what[-1])) if what[1:] else "".join(what)


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
    price, priced = _price(study, own, rival, metric)
    return Duel(
        own=own,
        rival=rival,
        ratio=ratio,
        low=low,
        high=high,
        share=share,
        speed=None if not speed or value is None else value / speed,
        price=price,
        priced=priced,
    )


def _price(
    study: Study, own: Block, rival: Block, metric: str
) -> tuple[float | None, str]:
    """The price at which both cost the same, and of what.

    That of a side's rent if one is rented, the baseline's first, else what is paid
    for its chip or system.
    """
    for side in (own, rival):
        rental = _rental(study, side, metric)
        if rental:
            found = _break_even(study, own, rival, metric, rental)
            return None if found is None else found * HOUR, "an hour"
    for path, what in PRICES:
        if not study.value(own, path):
            continue
        vary = _vary(study, own, rival, metric, path)
        other = study.evaluation.graph.inputs([study.node(rival, metric)])
        if vary is not None and vary.node not in other:
            return _break_even(study, own, rival, metric, path), what
    return None, ""


def _rental(study: Study, scenario: Block, metric: str) -> str:
    """The statement of the rent that a scenario pays; empty if it owns."""
    if not study.value(scenario, "cost.rent"):
        return ""
    graph = study.evaluation.graph
    for node in graph.inputs([study.node(scenario, metric)]):
        what = graph.nodes[node].what
        if isinstance(what, Input) and what.path.startswith(RENTAL):
            return what.origin
    return ""


def _vary(
    study: Study, own: Block, rival: Block, metric: str, path: str
) -> Varied | None:
    """The input that a path names below the costs of both, if there is one."""
    both = (study.node(own, metric), study.node(rival, metric))
    names = (f"{own.name}.{path}", path)
    found = (varied(study.evaluation, both, name) for name in names)
    vary = next((one for one in found if one is not None), None)
    study.evaluation.diagnostics.clear()
    return vary


def _break_even(
    study: Study, own: Block, rival: Block, metric: str, path: str
) -> float | None:
    """The input's value at which both cost the same, the one nearest to today's."""
    found = [study.result(one, metric) for one in (own, rival)]
    if not all(one is not None and defined(one.central) for one in found):
        return None
    both = (study.node(own, metric), study.node(rival, metric))
    scope = study.evaluation.scope(own.name)
    vary = _vary(study, own, rival, metric, path)
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
    metric = study.main_metric
    return UNITS.get(metric) or UNITS.get(metric.partition("[")[0]) or study.main_words


def _what(study: Study) -> str:
    """The main metric as a noun: `the cost of a token`."""
    known = study.main_metric.partition("[")[0] in UNITS
    return f"the cost of a {_unit(study)}" if known else f"the {_unit(study)}"


def _finding(study: Study, duels: list[Duel]) -> str:
    """How the duels end, a rival named once with all its works."""
    ends: dict[tuple[str, str], list[str]] = {}
    for duel in duels:
        key = (word(duel.share), quoted(study.who(duel.rival)))
        ends.setdefault(key, []).append(study.workload_title(duel.own))
    out = []
    for how in WORDS:
        who = [
            f"{name} on {listed(works)}" if any(works) else name
            for (found, name), works in ends.items()
            if found == how
        ]
        if who:
            out.append(stands(how, listed(who)))
    name = quoted(study.who(study.baseline))
    what = _what(study)
    return f"For {what}, {name} is {listed(out, '; ')}."


def _table(study: Study, duels: list[Duel]) -> v.Table:
    served, priced = _served(study, duels), any(duel.priced for duel in duels)
    alone = len({study.who(duel.own) for duel in duels}) == 1
    kinds = {duel.priced for duel in duels if duel.priced}
    rows = [
        (
            v.Cell(study.workload_title(duel.own)),
            study.who(duel.rival)
            if alone
            else f"{study.who(duel.own)} : {study.who(duel.rival)}",
            v.Cell(n.ratio(duel.ratio), interval=n.interval(duel.low, duel.high)),
            n.percent(duel.share, 2),
            v.Cell(word(duel.share), strong=duel.share >= CLEAR),
            "–" if duel.speed is None else n.ratio(duel.speed),
            _priced(duel, kinds),
        )
        for duel in duels
    ]
    price = f"Break-even {_PRICED[kinds.pop()]}" if len(kinds) == 1 else ""
    columns = (
        v.Column("Model"),
        v.Column(f"{study.who(duels[0].own)} against" if alone else "Against"),
        v.Column("Cost ratio", align="right"),
        v.Column("Draws won", align="right"),
        v.Column("Verdict"),
        v.Column("Break-even speed", "× predicted", "right"),
        v.Column(price or "Break-even price", "$", "right"),
    )
    kept = [served, True, True, True, True, served, priced]
    told = served or priced
    what = _what(study).removeprefix("the ")
    return v.Table(
        f"{what[:1].upper()}{what[1:]}: {_tally(study, duels)}",
        tuple(compress(columns, kept)),
        tuple(v.Row(tuple(compress(row, kept))) for row in rows),
        source="engine; ratios over shared draws"
        f"{', break-evens at point values' if told else ''}.",
        key="tab-verdict",
    )


#: A break-even price in the head of a column, by what it is the price of.
_PRICED = {"a chip": "chip", "a system": "system", "an hour": "rent of an hour"}


def _priced(duel: Duel, kinds: set[str]) -> str:
    """A break-even price, with what it is of where others are of something else."""
    if duel.price is None:
        return "none" if duel.priced else "–"
    text = n.money(duel.price)
    return text if len(kinds) == 1 else f"{text} {duel.priced}"


def _tally(study: Study, duels: list[Duel]) -> str:
    """How many duels end in each way."""
    words = [word(duel.share) for duel in duels]
    if len(duels) == 1:
        only = duels[0]
        own, rival = quoted(study.who(only.own)), quoted(study.who(only.rival))
        return f"{own} is {stands(words[0], rival)}"
    ends = [
        f"{how} {'than' if how.endswith('er') else 'against'} {words.count(how)}"
        for how in WORDS
        if how in words
    ]
    return f"of {len(duels)} rivals the baseline's options are {listed(ends)}"


def _served(study: Study, duels: list[Duel]) -> bool:
    """Whether anything runs on the options: without it no step has a speed."""
    return any(study.workload_title(duel.own) for duel in duels)
