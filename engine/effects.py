"""What a review finds: effects of changes with their causes, verdicts that turned."""

import math

import attrs

from isocost.dsl.changes import Change
from isocost.dsl.document import Condition
from isocost.dsl.units import unit
from isocost.engine.evaluate import Verdict

CHANGED, SAME, ADDED, REMOVED, OPEN = (
    "changed",
    "same",
    "added",
    "removed",
    "not comparable",
)


@attrs.frozen
class Figure:
    """One side of an effect: the point and the 90% interval, in base units."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """The interval over the value."""
        return (self.high - self.low) / abs(self.value) if self.value else math.inf


@attrs.frozen
class Share:
    """What one cause did to a metric, in its base unit.

    `path` is the statement, `aspect` the sort of cause (`choice` is an `auto` that
    moved), `old` and `new` are in base units or names; `change` is the diff's change.
    `because` are the changes that may have moved a choice: those that reach its
    scenario.
    """

    path: str
    aspect: str
    effect: float
    old: float | str | None
    new: float | str | None
    unit: str
    scale: float
    change: Change | None = None
    error: float = 0.0
    because: tuple[str, ...] = ()


@attrs.frozen
class Effect:
    """One metric of one scenario before and after; numbers are in base units.

    `verdict` is `changed`, `same`, `added`, `removed` or `not comparable`, and `note`
    says why there is nothing to compare. The shares add up to `delta`.
    """

    scenario: str
    metric: str
    doc: str
    unit: str
    scale: float
    old: Figure | None
    new: Figure | None
    delta: Figure | None
    shares: tuple[Share, ...]
    verdict: str
    note: str = ""
    method: str = ""

    @property
    def relative(self) -> float | None:
        """The change over the old value; None where there is none."""
        if self.old is None or self.new is None or not self.old.value:
            return None
        return self.new.value / self.old.value - 1

    @property
    def money(self) -> bool:
        """Whether it is an amount of money, by itself or by something."""
        return dict(unit(self.unit).dim.exponents).get("money", 0) > 0


@attrs.frozen
class Turn:
    """A check or claim whose verdict is not what it was; None: it had or has none.

    It is `gone` where the new document does not state it any more.
    """

    condition: Condition
    old: Verdict | None
    new: Verdict | None
    gone: bool = False


@attrs.frozen
class Bound:
    """A quantity of a scenario that another limit decides now."""

    scenario: str
    path: str
    old: str
    new: str


@attrs.frozen
class Moved:
    """A settled choice that came out differently."""

    scenario: str
    path: str
    old: float | None
    new: float | None
