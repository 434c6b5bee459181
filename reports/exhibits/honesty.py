"""`honesty(SCENARIO.METRIC, …)`: how much of each headline's doubt rests on what.

The doubt that an input brings is the square of the metric's swing over the input's own
interval; the squares are added up by the grade of the input's source. What was
calibrated on measurements is a class of its own: its figures are measured, its doubt is
how far the model missed rows that it had not seen.
"""

import attrs

from isocost.dsl.values import word_of
from isocost.engine.sensitivity import Influence
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.stacked import Stack, Stacked
from isocost.reports.exhibits import Call
from isocost.reports.sections.sensitivity import label
from isocost.reports.study import Study
from isocost.reports.telling import ends, figure, unit_name

SECTION = "sensitivity"
CLASSES = (
    ("A", "Published, measured"),
    ("B", "Analysts"),
    ("C", "Press, derived"),
    ("M", "Calibrated"),
    ("D", "Assumed"),
)


@attrs.frozen
class Account:
    """One headline: its shares of doubt by class, and what carries most of it."""

    name: str
    value: str
    unit: str
    interval: str
    shares: tuple[float, ...]
    most: str
    part: float
    flags: tuple[str, ...]


def paths(call: Call) -> list[str]:
    """The headlines."""
    return call.names


def driven(study: Study, call: Call) -> list[tuple[str, str]]:
    """The headlines, by scenario and metric: their sensitivities are wanted."""
    found = (path.partition(".") for path in call.names)
    return [
        (block.name, metric)
        for name, _, metric in found
        if (block := study.find(name)) is not None
    ]


def build(study: Study, call: Call) -> list[v.Block]:
    """A figure of the shares, and a table of what carries most."""
    accounts = []
    for path in call.names:
        scenario, _, metric = path.partition(".")
        made = account(study, scenario, metric)
        if made is not None:
            accounts.append(made)
    if not accounts:
        return []
    bars = tuple(
        Stack(one.name, tuple(100 * share for share in one.shares)) for one in accounts
    )
    figure = v.Figure(
        _finding(accounts),
        Stacked(tuple(words for _, words in CLASSES), bars, "Share of the doubt, %"),
        "Stacked bars: the shares of each headline's doubt by class of source.",
        source="engine; squares of the swing over each input's own interval.",
        key="fig-honesty",
    )
    return [figure, _table(accounts)]


def account(study: Study, scenario: str, metric: str) -> Account | None:
    """What the doubt of one metric rests on."""
    block = study.find(scenario)
    found = study.ahead.sensitivity(block.name, metric) if block else None
    told = study.told(f"{scenario}.{metric}")
    if block is None or found is None or told is None:
        return None
    moving = [one for one in found.inputs if one.low != one.high and one.swing]
    whole = sum(one.swing**2 for one in moving)
    if not whole:
        return None
    sums = {key: 0.0 for key, _ in CLASSES}
    for one in moving:
        sums[_class(study, one)] += one.swing**2
    top = max(moving, key=lambda one: one.swing)
    return Account(
        name=study.title(block),
        value=figure(told),
        unit=unit_name(told.unit),
        interval=ends(told),
        shares=tuple(sums[key] / whole for key, _ in CLASSES),
        most=label(study, top),
        part=top.swing**2 / whole,
        flags=told.flags,
    )


def _class(study: Study, one: Influence) -> str:
    grade = study.grade(one.cites, default=one.default)
    for cite in one.cites:
        source = study.evaluation.document.sources.get(cite.key)
        fact = source.facts.get("kind") if source else None
        if fact is not None and word_of(fact.expr) == "model":
            return "M"
    return grade


def _finding(accounts: list[Account]) -> str:
    means = [
        sum(one.shares[i] for one in accounts) / len(accounts)
        for i in range(len(CLASSES))
    ]
    ranked = sorted(zip(means, CLASSES, strict=True), key=lambda x: -x[0])
    (first, (_, one)), (second, (_, two)) = ranked[0], ranked[1]
    return (
        f"{one} figures carry {n.percent(first, 2)} of the headlines' doubt in the "
        f"mean, {two.lower()} ones {n.percent(second, 2)}"
    )


def _table(accounts: list[Account]) -> v.Table:
    rows = []
    for one in accounts:
        outside = "; ".join(one.flags) or "within"
        rows.append(
            v.Row(
                (
                    one.name,
                    v.Cell(one.value, interval=one.interval),
                    one.unit,
                    f"{one.most} ({n.percent(one.part, 2)})",
                    v.Cell(outside, tone="bad" if one.flags else ""),
                )
            )
        )
    return v.Table(
        f"{sum(map(bool, (one.flags for one in accounts)))} of {len(accounts)} "
        "headlines go beyond what their stack was calibrated on",
        (
            v.Column("Headline", width=0.2),
            v.Column("Value", align="right", width=0.12),
            v.Column("Unit", width=0.1),
            v.Column("Most of its doubt", width=0.27),
            v.Column("Validity", width=0.31),
        ),
        tuple(rows),
        source="engine.",
        key="tab-honesty",
    )
