"""The rows of a review: results, causes, inputs, findings, verdicts, all in words."""

import math
from collections.abc import Iterable, Sequence

import attrs

from isocost.dsl.changes import Change
from isocost.engine.effects import Effect, Share
from isocost.engine.policies import Ruling, verdict_lines
from isocost.engine.review import Review
from isocost.engine.sourcing import Sourcing, sourcing
from isocost.reports import numbers as n
from isocost.reports.review import words
from isocost.reports.review.news import (
    change_of,
    findings,
    headline,
    leading,
    named,
)

#: Aspects that stand in the table of inputs; the others are folded.
LOUD = ("input", "formula", "structure", "uncertainty", "source")

#: So many changes behind a choice are named.
_NAMED = 3


@attrs.frozen
class Subject:
    """One document under review: its name, the comparison, the verdicts.

    `note` says what happened to the file itself: added, deleted, unreadable before.
    """

    name: str
    review: Review
    rulings: tuple[Ruling, ...] = ()
    note: str = ""


@attrs.frozen
class CauseRow:
    """One cause of a changed result, in words and as a share of the change."""

    path: str
    what: str
    effect: str
    share: str
    value: float
    tone: str = ""


@attrs.frozen
class EffectRow:
    """One changed result in words; `effect` has the numbers."""

    scenario: str
    title: str
    old: str
    new: str
    change: str
    relative: str
    interval: str
    tone: str
    causes: tuple[CauseRow, ...]
    effect: Effect
    note: str = ""


@attrs.frozen
class ChangeRow:
    """The changes of one statement in words; `weaker` are two grades or empty."""

    path: str
    aspects: tuple[str, ...]
    file: str
    line: int
    old: str | None
    new: str | None
    source: str
    weaker: str
    share: str
    reaches: tuple[str, ...]
    weight: float = 0.0

    @property
    def where(self) -> str:
        """The scenarios that it reaches, or how many they are."""
        return named(self.reaches) if self.reaches else ""

    @property
    def place(self) -> str:
        """`file:line`, empty where there is none."""
        return f"{self.file}:{self.line}" if self.line else ""


@attrs.frozen
class Brief:
    """All that a rendering shows of one document, in order.

    `headline` is the first line, money first. `quiet` are changes that move nothing:
    words, order, spelling.
    """

    name: str
    headline: str
    tone: str
    effects: tuple[EffectRow, ...]
    changes: tuple[ChangeRow, ...]
    quiet: tuple[ChangeRow, ...]
    findings: tuple[str, ...]
    rulings: tuple[Ruling, ...]
    verdicts: tuple[str, ...]
    unchanged: int
    note: str = ""
    subject: Subject | None = attrs.field(default=None, eq=False, repr=False)

    def __bool__(self) -> bool:
        return bool(
            self.effects or self.changes or self.quiet or self.findings or self.note
        ) or any(r.verdict == "refused" for r in self.rulings)

    @property
    def refused(self) -> bool:
        """Whether a policy refuses the change."""
        return any(ruling.verdict == "refused" for ruling in self.rulings)


def brief(subject: Subject) -> Brief:
    """The rows of one document's review."""
    review = subject.review
    lead = leading(review)
    found = sourcing(review)
    rows = change_rows(review, found, lead)
    loud = [row for row in rows if set(row.aspects) & set(LOUD)]
    quiet = [row for row in rows if not set(row.aspects) & set(LOUD)]
    effects = [effect_row(one) for one in review.changed]
    return Brief(
        subject.name,
        headline(review, lead, subject.note),
        words.tone(lead.metric, change_of(lead)) if lead else "",
        tuple(effects),
        tuple(sorted(loud, key=lambda row: -row.weight)),
        tuple(quiet),
        tuple(findings(review, found)),
        subject.rulings,
        tuple(verdict_lines(subject.rulings)),
        len(review.effects) - len(effects),
        subject.note,
        subject,
    )


# Results and their causes.


def effect_row(effect: Effect) -> EffectRow:
    """One changed result in words."""
    old = words.amount(effect.old.value, effect) if effect.old else n.NONE
    new = words.amount(effect.new.value, effect) if effect.new else n.NONE
    delta = effect.delta
    change = words.moved(delta.value, effect) if delta else ""
    note = effect.note
    interval = words.ends(delta, effect, signed=True)
    if delta is not None and not delta.value:
        note, change = "only its interval moved", "0"
        both = (words.ends(side, effect) for side in (effect.old, effect.new))
        interval = interval or " → ".join(one or "none" for one in both)
    return EffectRow(
        effect.scenario,
        words.title(effect.metric),
        old,
        new,
        change or "not comparable",
        words.percent(effect.relative) if delta else "",
        interval,
        words.tone(effect.metric, delta.value if delta else 0.0),
        tuple(cause_rows(effect)),
        effect,
        note,
    )


def cause_rows(effect: Effect) -> Iterable[CauseRow]:
    """The causes of a change, the largest first."""
    total = effect.delta.value if effect.delta else 0.0
    for share in effect.shares:
        part = share.effect / total if total else math.nan
        yield CauseRow(
            share.path,
            _what(share),
            words.moved(share.effect, effect),
            n.percent(part, 2) if math.isfinite(part) else n.NONE,
            share.effect,
            words.tone(effect.metric, share.effect),
        )


def _what(share: Share) -> str:
    change = share.change
    if change is not None and (change.old or change.new):
        return f"{change.old or 'nothing'} → {change.new or 'nothing'}"
    old, new = (words.plain_value(v, share) for v in (share.old, share.new))
    after = ""
    if share.aspect == "choice":
        several = f"{len(share.because)} changes"
        why = ", ".join(share.because) if len(share.because) <= _NAMED else several
        after = ", chosen anew" + (f" after {why}" if why else "")
    return f"{old} → {new}{after}"


# Changed statements.


def change_rows(
    review: Review, found: Sourcing, lead: Effect | None
) -> list[ChangeRow]:
    """One row for each changed statement, with its share of the leading result."""
    places = words.Places(review.old.document, review.new.document)
    grouped: dict[tuple[str, tuple[str, ...]], list[Change]] = {}
    for change in review.diff.changes:
        slot = change.slot if change.slot[0] in {"fact", "let", "condition"} else ()
        grouped.setdefault((change.path, slot[:1]), []).append(change)
    weaker = {one.change.path: f"{one.old} → {one.new}" for one in found.weaker}
    return [_row(group, review, places, weaker, lead) for group in grouped.values()]


def _row(
    group: Sequence[Change],
    review: Review,
    places: words.Places,
    weaker: dict[str, str],
    lead: Effect | None,
) -> ChangeRow:
    first = next((c for c in group if c.aspect != "source"), group[0])
    text, weight = _share_of(first, review, lead)
    file, line = places.of(first)
    moves = first.part != "cites"
    return ChangeRow(
        first.path,
        tuple(dict.fromkeys(change.aspect for change in group)),
        file,
        line,
        first.old if moves else None,
        first.new if moves else None,
        _source(group),
        weaker.get(first.path, ""),
        text,
        tuple(dict.fromkeys(name for c in group for name in c.reaches)),
        weight,
    )


def _source(group: Sequence[Change]) -> str:
    """The sources of a statement after the change, and before where they changed."""
    moved = next((c for c in group if c.aspect == "source" and c.part == "cites"), None)
    if moved is not None:
        return f"{moved.old or 'none'} → {moved.new or 'none'}"
    for change in group:
        cites = getattr(change.after or change.before, "cites", ())
        if cites:
            shown = [
                f'@{c.key} "{c.locator}"' if c.locator else f"@{c.key}" for c in cites
            ]
            return " ".join(shown)
    return ""


def _share_of(change: Change, review: Review, lead: Effect | None) -> tuple[str, float]:
    """What a change did to the leading metric, where it did most."""
    best: tuple[float, str] | None = None
    for effect in review.changed:
        if lead is None or effect.metric != lead.metric:
            continue
        own = [s.effect for s in effect.shares if _is(s, change)]
        if not own:
            continue
        value = math.fsum(own)
        text = words.moved(value, effect)
        if effect.scenario == lead.scenario:
            return text, abs(value)
        if best is None or abs(value) > best[0]:
            best = (abs(value), f"{text} ({effect.scenario})")
    return (best[1], best[0]) if best else ("", 0.0)


def _is(share: Share, change: Change) -> bool:
    return share.change is not None and share.change.path == change.path
