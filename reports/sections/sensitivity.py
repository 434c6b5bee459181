"""Sensitivities: what drives the main metric, over each input's own interval."""

import math
import re
from collections.abc import Iterable

from isocost.engine.results import Result
from isocost.engine.sensitivity import Influence
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.tornado import Swing, Tornado
from isocost.reports.exhibits import asked
from isocost.reports.names import name_of
from isocost.reports.study import Study, defined, quantity, show

SHOWN = 10
#: Below this elasticity an input is not worth a line.
STEEP = 0.005


def build(study: Study) -> v.Section | None:
    """The section; None where nothing is uncertain and nothing is sensitive."""
    drivers = study.drivers
    if drivers is None:
        return None
    moving = moved(drivers.inputs)
    blocks: list[v.Block] = []
    base = study.result(study.baseline, study.main_metric)
    if moving and base is not None and defined(base.central):
        blocks.append(_tornado(study, moving, base))
    steep = [
        one for one in drivers.inputs if STEEP < abs(one.elasticity or 0.0) < math.inf
    ]
    steep = sorted(steep, key=lambda one: -abs(one.elasticity or 0.0))[:SHOWN]
    if steep:
        blocks.append(_elasticities(study, steep))
    blocks += asked(study, "sensitivity")
    if not blocks:
        return None
    return v.Section("What drives it", tuple(blocks), "sensitivity")


def label(study: Study, one: Influence) -> str:
    """An input's name for readers, told apart from those of the others."""
    found = study.input_names.get(one.path)
    path = one.path.removeprefix(f"{study.baseline.name}.")
    return found or name_of(path, one.doc, one.origin)


def moved(inputs: Iterable[Influence]) -> list[Influence]:
    """The inputs in doubt that move the metric, as far as it is defined there."""
    return [
        one
        for one in inputs
        if one.low != one.high
        and one.swing
        and defined(one.low, one.high, one.at_low, one.at_high, one.swing)
    ]


def share_of_top(moving: list[Influence], count: int = 3) -> float:
    """The share of the summed squared swings that the widest inputs carry."""
    squares = sorted((one.swing**2 for one in moving), reverse=True)
    whole = sum(squares)
    return sum(squares[:count]) / whole if whole else 0.0


def _tornado(study: Study, moving: list[Influence], base: Result) -> v.Figure:
    shown = sorted(moving, key=lambda one: -one.swing)[:SHOWN]
    money = "$" if base.unit.startswith("$") else ""
    swings = tuple(
        Swing(
            label(study, one),
            one.at_low / base.scale,
            one.at_high / base.scale,
            quantity(one.low / one.scale, one.unit),
            quantity(one.high / one.scale, one.unit),
        )
        for one in shown
    )
    top = [label(study, one) for one in shown[:2]]
    share = n.percent(share_of_top(moving, len(top)), 2)
    names = " and ".join(top)
    verb = "carries" if len(top) == 1 else "carry"
    return v.Figure(
        f"{names[0].upper()}{names[1:]} {verb} {share} of the doubt",
        Tornado(
            base.value,
            swings,
            _changes(base),
            money=money,
        ),
        "Tornado chart: the main metric with each uncertain input at the 5th and at "
        "the 95th percentile of its own interval, the others at their points.",
        source=f"engine, {study.title(study.baseline)}; one input at a time.",
        key="fig-tornado",
    )


def _changes(base: Result) -> str:
    """What the chart shows changes of: the metric, and its unit if it is no money."""
    said = re.split(r"[;:.]", base.doc)[0].strip() or base.path
    unit = "" if base.unit.startswith("$") or base.unit == "1" else f", {base.unit},"
    return f"{said[:1].lower()}{said[1:]}{unit}"


def _moves(one: Influence) -> str:
    """What a percent more of an input does to the metric."""
    elasticity = one.elasticity or 0.0
    moves = "raises" if elasticity > 0 else "lowers"
    return f"{moves} the headline by {n.fixed(abs(elasticity), 2)}%"


def _elasticities(study: Study, steep: list[Influence]) -> v.Table:
    rows = [
        v.Row(
            (
                label(study, one),
                quantity(one.value / one.scale, one.unit),
                n.signed(n.fixed(one.elasticity or 0.0, 3)),
                v.Cell(
                    "",
                    grade=study.grade(one.cites, default=one.assumed and not one.cites),
                ),
            )
        )
        for one in steep
    ]
    base = study.result(study.baseline, study.main_metric)
    at = f" from {show(base)}" if base else ""
    top = steep[0]
    return v.Table(
        f"One percent more of {label(study, top)} {_moves(top)}{at}",
        (
            v.Column("Input"),
            v.Column("Value", align="right"),
            v.Column("Elasticity", "%/%", "right"),
            v.Column("Grade", align="center"),
        ),
        tuple(rows),
        source="engine; exact derivatives at point values.",
        key="tab-elasticities",
    )
