"""How a review puts numbers and names: changes with signs, metrics in plain words."""

import math

from isocost.dsl.changes import Change
from isocost.dsl.document import Condition, Document, Fact
from isocost.dsl.ledger import Section
from isocost.dsl.places import Text
from isocost.dsl.spans import Span
from isocost.engine.effects import Effect, Figure, Share
from isocost.reports import numbers as n
from isocost.reports.study import quantity

TITLES = {
    "cost.per_Mtoken": "Cost per million tokens",
    "cost.per_chip_hour": "Cost per chip-hour",
    "cost.train": "Cost of training",
    "cost.capex": "Capital",
    "cost.per_month": "Cost per month",
    "latency.tpot": "Time per output token",
    "latency.ttft": "Time to first token",
    "throughput.output": "Output tokens per second",
    "throughput.per_chip": "Throughput per chip",
    "throughput.per_MW": "Throughput per megawatt",
    "energy.per_token": "Energy per token",
    "power.provisioned": "Provisioned power",
    "time.train": "Time to train",
    "time.step": "Time of a step",
    "mfu": "Model FLOP utilisation",
    "hfu": "Hardware FLOP utilisation",
    "throughput.train": "Training tokens per second",
    "memory.fits": "Fits in memory",
    "cost.opex": "Running cost",
    "cost.rent": "Rent",
    "ettr": "Productive share of the run",
}
#: Metrics that decide, in the order in which a review looks for its first line.
DECIDING = ("cost.per_Mtoken", "cost.train", "cost.per_chip_hour", "cost.capex")
#: Below it a relative change has two digits: a tenth of a percent is enough.
FINE = 0.1
#: Whole numbers below it are written in full.
LONG = 1e6
#: First words of the paths of metrics that are better when they rise, or fall.
_RISING = ("throughput", "mbu", "mfu", "revenue", "profit", "npv", "irr", "goodput")
_FALLING = ("cost", "price", "latency", "energy", "power", "carbon", "network", "tco")


def title(metric: str) -> str:
    """A metric as prose names it; its path where there are no words for it."""
    bare, _, key = metric.partition("[")
    words = TITLES.get(bare)
    if words is None:
        return metric
    shown = key.rstrip("]").replace("_", " ")
    usual = {"output only", "installed", "mean", "solo", ""}
    return words if shown in usual else f"{words}, {shown}"


def tone(metric: str, change: float) -> str:
    """Whether a change is `good`, `bad` or neither."""
    head = metric.partition(".")[0].partition("[")[0]
    if not change or math.isnan(change):
        return ""
    if head in _RISING:
        return "good" if change > 0 else "bad"
    return ("bad" if change > 0 else "good") if head in _FALLING else ""


def amount(value: float, effect: Effect) -> str:
    """A value of a metric in its unit."""
    return quantity(value / effect.scale, effect.unit)


def moved(value: float, effect: Effect) -> str:
    """A difference of a metric, always with its sign; of percentages in points."""
    text = n.signed(amount(value, effect))
    return text.replace("%", f"{n.THIN}pp") if effect.unit == "%" else text


def decisive(word: str, value: float, effect: Effect) -> str:
    """A value that a policy turns on, as the table beside it has it."""
    return moved(value, effect) if word == "change" else amount(value, effect)


def percent(share: float | None) -> str:
    """A relative change with its sign: `+12.6%`; a dash where there is none."""
    if share is None or not math.isfinite(share):
        return n.NONE
    digits = 2 if abs(share) < FINE else 3
    return n.signed(n.percent(share, digits)) if share else "0%"


def ends(figure: Figure | None, effect: Effect, *, signed: bool = False) -> str:
    """The 90% interval of a value or of a change; empty where it has no width."""
    if figure is None or math.isclose(figure.low, figure.high, rel_tol=1e-9):
        return ""
    write = moved if signed else amount
    return f"{write(figure.low, effect)} to {write(figure.high, effect)}"


def plain_value(value: float | str | None, share: Share) -> str:
    """One side of a cause: a number in its unit, or a name."""
    if value is None or isinstance(value, str):
        return value or n.NONE
    unit = share.unit if share.unit not in {"", "1"} else ""
    return n.with_unit(number(value / share.scale), unit)


def number(value: float) -> str:
    """A number as short as it goes: whole ones without a point."""
    whole = math.isfinite(value) and value == round(value)
    return n.count(value) if whole and abs(value) < LONG else n.plain(value)


def span_of(change: Change) -> Span | None:
    """The place of a changed statement in the new document, else in the old one."""
    for statement in (change.after, change.before):
        if isinstance(statement, Fact | Condition):
            return statement.span
        if isinstance(statement, Section):
            return statement.block.span
    return None


class Places:
    """Lines of statements, each file split once."""

    def __init__(self, old: Document, new: Document) -> None:
        self.documents = (old, new)
        self._texts: dict[tuple[int, str], Text] = {}

    def text(self, side: int, file: str) -> Text | None:
        """A file of the old (0) or new (1) document."""
        key = (side, file)
        if key not in self._texts:
            found = self.documents[side].files.get(file)
            if found is None:
                return None
            self._texts[key] = Text(found.text)
        return self._texts[key]

    def of(self, change: Change) -> tuple[str, int]:
        """The file and the line of a change; line 0 where it has no place."""
        span = span_of(change)
        side = 1 if change.after is not None else 0
        text = self.text(side, span.file) if span is not None else None
        if span is None or text is None:
            return "", 0
        return span.file, text.position(span.start)[0]
