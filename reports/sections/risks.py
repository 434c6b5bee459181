"""Risks: what would change the answer, by the inputs that carry the doubt."""

from isocost.engine.results import Result
from isocost.engine.sensitivity import Influence
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.exhibits import asked
from isocost.reports.sections.sensitivity import label, moved
from isocost.reports.study import Study, quantity

#: So many inputs are worth a sentence.
SHOWN = 5


def build(study: Study) -> v.Section | None:
    """The section; None where nothing is asked of it."""
    blocks = asked(study, "risks")
    if not blocks:
        return None
    drivers = study.drivers
    moving = moved(drivers.inputs) if drivers else []
    top = sorted(moving, key=lambda one: -one.swing)[:SHOWN]
    base = study.result(study.baseline, study.main_metric)
    if base is not None and top:
        blocks.append(v.Bullets(tuple(_said(study, one, base) for one in top)))
    title = "Risks, and what would change the answer"
    return v.Section(title, tuple(blocks), "risks")


def _said(study: Study, one: Influence, base: Result) -> str:
    """What an input does to the main metric at both ends of its interval."""
    low, high = (x / base.scale for x in (one.at_low, one.at_high))
    ends = [quantity(x / one.scale, one.unit) for x in (one.low, one.high)]
    name = label(study, one)
    least, most = min(low, high), max(low, high)
    apart = f", {n.ratio(most / least)} as much" if least > 0 else ""
    first, second = (low, high) if low <= high else (high, low)
    if low > high:
        ends.reverse()
    return (
        f"{name[:1].upper()}{name[1:]}: with {ends[0]} the baseline comes to "
        f"{quantity(first, base.unit)}, with {ends[1]} to "
        f"{quantity(second, base.unit)}{apart}."
    )
