"""What a change is: one aspect of one statement, old and new, and what it reaches."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import attrs

from isocost.dsl.document import Fact
from isocost.dsl.ledger import Section
from isocost.dsl.meaning import (
    Names,
    Reading,
    same_text,
    same_value,
    spread_of,
)

Aspect = Literal[
    "input",
    "formula",
    "source",
    "uncertainty",
    "doc",
    "structure",
    "order",
    "format",
]
ASPECTS: tuple[Aspect, ...] = (
    *("input", "formula", "structure", "uncertainty", "source", "doc"),
    *("order", "format"),
)
#: Aspects that can move a number.
MOVING = frozenset({"input", "formula", "structure", "uncertainty"})
#: A spread whose relative width moved by less, beside its middle, is the same doubt.
_SLACK = 0.05


@attrs.frozen
class Change:
    """One change of one statement.

    `path` is what the statement is about, `old` and `new` its texts (None: there is
    none on that side). `slot` and `part` say which part of which statement a patch
    replaces; `before` and `after` are the statements themselves, `behind` the one
    that a new one follows. `reaches` are the scenarios that rest on it.
    """

    path: str
    aspect: Aspect
    old: str | None
    new: str | None
    slot: tuple[str, ...]
    part: str
    before: Any = attrs.field(default=None, eq=False, repr=False)
    after: Any = attrs.field(default=None, eq=False, repr=False)
    behind: str | None = attrs.field(default=None, eq=False, repr=False)
    unit: str = ""
    reaches: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """The path of the statement in the new document, as draws are named."""
        fact = self.after if isinstance(self.after, Fact) else self.before
        return fact.origin if isinstance(fact, Fact) else self.path

    @property
    def moves(self) -> bool:
        """Whether it can move a number."""
        return self.aspect in MOVING


@attrs.frozen
class Diff:
    """All changes, those that move numbers first within each statement's order.

    `plain` has the kind that keeps the plain name, for names that several kinds have
    on either side (`namesakes`).
    """

    changes: tuple[Change, ...]
    renamed: Mapping[str, str] = attrs.field(factory=dict)
    plain: Mapping[str, str] = attrs.field(factory=dict)

    def __bool__(self) -> bool:
        return bool(self.changes)

    def of(self, *aspects: str) -> list[Change]:
        """The changes of some aspects."""
        return [change for change in self.changes if change.aspect in aspects]


def cites_text(cites: Iterable[tuple[str, str]]) -> str | None:
    """Citations as the language writes them; None where there are none."""
    shown = [f'@{key} "{where}"' if where else f"@{key}" for key, where in cites]
    return " ".join(shown) or None


def unit_of(fact: Fact) -> str:
    """The unit in which a fact is shown: its own, else its attribute's."""
    if fact.unit is not None:
        return fact.unit.text
    for part in fact.expr.walk():
        if part.op == "literal" and part.value.unit is not None:
            return str(part.value.unit.text)
    return ""


def aspect_of(fact: Fact, section: Section | None) -> Aspect:
    """What a fact is about, where there is nothing to compare it with."""
    if section is not None and section.kind.name == "source":
        return "source"
    if fact.attribute is not None and fact.attribute.sort == "text":
        return "doc"
    if section is not None and section.kind.name == "policy":
        return "structure"
    if fact.formula:
        return "formula"
    sort = fact.attribute.sort if fact.attribute is not None else ""
    if sort in {"block", "call", "list"}:
        return "structure"
    named = fact.attribute is None and not fact.let and fact.expr.op == "path"
    return "structure" if named and str(fact.expr.value) != "auto" else "input"


def value_aspects(
    old: Fact, new: Fact, section: Section | None, names: Names
) -> list[Aspect]:
    """The aspects in which the value of a fact changed; none where it is the same."""
    kind = section.kind if section is not None else None
    written = same_text(old.expr, new.expr) and old.unit == new.unit
    if written and old.formula == new.formula and old.let == new.let:
        return []
    if old.let != new.let:
        return ["structure"]
    if old.formula != new.formula:
        return ["formula"]
    if _same(old, new, kind, names):
        return ["format"]
    aspect = aspect_of(new, section)
    if aspect != "input":
        return [aspect]
    return _doubts(old, new)


def _same(old: Fact, new: Fact, kind: Any, names: Names) -> bool:
    if kind is not None:
        return same_value(old, new, kind, names)
    before = Reading(old.attribute, None, names).meaning(old.expr)
    return bool(before == Reading(new.attribute, None).meaning(new.expr))


def _doubts(old: Fact, new: Fact) -> list[Aspect]:
    """Whether the point of a value moved, its doubt, or both."""
    before = spread_of(old.expr, old.attribute)
    after = spread_of(new.expr, new.attribute)
    if before is None or after is None:
        return ["input"]
    found: list[Aspect] = []
    scale = max(abs(before[0]), abs(after[0]))
    moved = abs(before[0] - after[0]) > 1e-9 * scale
    if moved:
        found.append("input")
    widths = [(s[2] - s[1]) / abs(s[0] or 1) for s in (before, after)]
    wider = abs(widths[0] - widths[1]) > _SLACK * max(widths)
    if not moved or wider:
        found.append("uncertainty")
    return found
