"""The rows of a review: results, causes, inputs, findings, verdicts, all in words."""

import math
from collections.abc import Iterable, Sequence

import attrs

from isocost.dsl.changes import Change
from isocost.engine.policies import Ruling, verdict_lines
from isocost.engine.review import Effect, Review, Share, Turn
from isocost.engine.sourcing import Sourcing, sourcing
from isocost.reports import numbers as n
from isocost.reports.review import words

#: So many scenarios are named; of more only the number.
SHOWN = 3
#: Aspects that stand in the table of inputs; the others are folded.
LOUD = ("input", "formula", "structure", "uncertainty", "source")


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
        return _names(self.reaches) if self.reaches else ""

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
        words.tone(lead.metric, _delta(lead)) if lead else "",
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


# The first line.


def leading(review: Review) -> Effect | None:
    """The result that a reviewer reads first: money, most decisive, most moved."""
    rank = {name: i for i, name in enumerate(words.DECIDING)}
    moved = [e for e in review.changed if e.verdict == "changed" and _delta(e)]
    money = [e for e in moved if e.money] or moved

    def key(effect: Effect) -> tuple[int, float]:
        place = rank.get(effect.metric.partition("[")[0], len(rank))
        return place, -abs(effect.relative or 0.0)

    return min(money, key=key, default=None)


def _delta(effect: Effect) -> float:
    if effect.old is None or effect.new is None:
        return 0.0
    return effect.new.value - effect.old.value


def headline(review: Review, lead: Effect | None, note: str = "") -> str:
    """What happened to the money, in one line."""
    if lead is None or lead.old is None or lead.new is None or lead.delta is None:
        return _still(review, note)
    alike = [e for e in review.effects if e.metric == lead.metric]
    up = sum(_delta(e) > 0 for e in alike)
    down = sum(_delta(e) < 0 for e in alike)
    interval = words.ends(lead.delta, lead, signed=True)
    ends = [words.amount(figure.value, lead) for figure in (lead.old, lead.new)]
    doubt = f"; 90% interval of the change {interval}" if interval else ""
    parts = [
        f"{words.title(lead.metric)}: {lead.scenario} {' → '.join(ends)}",
        f"({words.percent(lead.relative)}{doubt})",
    ]
    if len(alike) > 1:
        count = [f"up in {up}"] * bool(up) + [f"down in {down}"] * bool(down)
        parts.append(f"· {', '.join(count)} of {len(alike)} scenarios")
    money = "" if lead.money else "No cost moves. "
    return money + " ".join(parts)


def _still(review: Review, note: str) -> str:
    """The first line where no value moved from one number to another."""
    changed = review.changed
    if any(e.verdict in {"added", "removed"} for e in changed):
        parts = [p for v in ("added", "removed") if (p := _counted(changed, v))]
        return f"{'; '.join(parts)}; no other result moves"
    if any(e.verdict == "not comparable" for e in changed):
        lead = min((e for e in changed if e.note), key=_rank)
        where = [e.scenario for e in changed if e.metric == lead.metric and e.note]
        side = lead.note.partition(":")[0]
        return (
            f"{words.title(lead.metric)} is not comparable in {_names(where)}: {side}; "
            "no other result moves"
        )
    if changed:
        return "No point value moves; intervals do"
    if review.diff:
        count = len({change.path for change in review.diff.changes})
        what = "statement" if count == 1 else "statements"
        return f"No result moves; {count} {what} changed"
    return note or "Nothing changed"


def _rank(effect: Effect) -> tuple[bool, int]:
    """Money first, the deciding metrics before others."""
    bare = effect.metric.partition("[")[0]
    known = bare in words.DECIDING
    return not effect.money, words.DECIDING.index(bare) if known else len(
        words.DECIDING
    )


def _counted(changed: Sequence[Effect], verdict: str) -> str:
    """How many scenarios came or went, and what they cost."""
    found = [e for e in changed if e.verdict == verdict]
    if not found:
        return ""
    names = list(dict.fromkeys(e.scenario for e in found))
    lead = min(found, key=_rank)
    shown = []
    for one in [e for e in found if e.metric == lead.metric][:SHOWN]:
        figure = one.new or one.old
        if figure is not None:
            shown.append(f"{one.scenario} {words.amount(figure.value, one)}")
    rest = len(names) - len(shown)
    more = f" and {rest} more" if rest > 0 else ""
    plural = "s" * (len(names) != 1)
    what = words.title(lead.metric)
    return f"{len(names)} scenario{plural} {verdict}: {what} {', '.join(shown)}{more}"


def _names(names: Sequence[str]) -> str:
    """Some names, or how many there are."""
    if len(names) <= SHOWN:
        return ", ".join(names)
    return f"{len(names)} scenarios"


# Results and their causes.


def effect_row(effect: Effect) -> EffectRow:
    """One changed result in words."""
    old = words.amount(effect.old.value, effect) if effect.old else n.NONE
    new = words.amount(effect.new.value, effect) if effect.new else n.NONE
    delta = effect.delta
    change = words.moved(delta.value, effect) if delta else ""
    note = effect.note
    if delta is not None and not delta.value:
        note, change = "only its interval moved", "0"
    return EffectRow(
        effect.scenario,
        words.title(effect.metric),
        old,
        new,
        change or "not comparable",
        words.percent(effect.relative) if delta else "",
        words.ends(delta, effect, signed=True),
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
    return f"{old} → {new}"


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


# What a reviewer should worry about.


def findings(review: Review, found: Sourcing) -> Iterable[str]:
    """Warnings and other news, one a line."""
    yield from (_turned(turn) for turn in review.turns)
    for one in found.weaker:
        yield f"weaker source: {one.change.path} ({one.old} → {one.new})"
    for change in found.missing:
        yield f"no source: {change.path} = {change.new}"
    where: dict[str, list[str]] = {}
    for bound in review.bounds:
        text = f"now binds: {bound.new} decides {bound.path} (was {bound.old})"
        where.setdefault(text, []).append(bound.scenario)
    for moved in review.moved:
        ends = (
            n.NONE if v is None else words.number(v) for v in (moved.old, moved.new)
        )
        text = f"auto moved: {moved.path} {' → '.join(ends)}"
        where.setdefault(text, []).append(moved.scenario)
    for text, scenarios in where.items():
        yield f"{text} in {', '.join(scenarios)}"
    for text in review.problems:
        yield f"could not be computed: {text}"


def _turned(turn: Turn) -> str:
    condition = turn.condition
    why = f' "{condition.why}"' if condition.why else ""
    head = f"{condition.name}{why}"
    now = turn.new
    if turn.gone:
        return f"{head} is gone"
    if now is None:
        return f"{head} cannot be decided any more"
    state = "holds" if now.holds else "FAILS"
    share = f", in {n.percent(now.share, 2)} of the draws"
    before = ""
    if turn.old is not None:
        before = " (held before)" if turn.old.holds else " (failed before)"
    return f"{head} {state} now{share}{before}"
