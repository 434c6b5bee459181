"""The first line of a review, money first, and what a reviewer should worry about."""

from collections.abc import Iterable, Sequence

from isocost.engine.effects import Effect, Turn
from isocost.engine.review import Review
from isocost.engine.sourcing import Sourcing
from isocost.reports import numbers as n
from isocost.reports.review import words

#: So many scenarios are named; of more only the number.
SHOWN = 3

# The first line.


def leading(review: Review) -> Effect | None:
    """The result that a reviewer reads first: money, most decisive, most moved."""
    rank = {name: i for i, name in enumerate(words.DECIDING)}
    moved = [e for e in review.changed if e.verdict == "changed" and change_of(e)]
    money = [e for e in moved if e.money] or moved

    def key(effect: Effect) -> tuple[int, float]:
        place = rank.get(effect.metric.partition("[")[0], len(rank))
        return place, -abs(effect.relative or 0.0)

    return min(money, key=key, default=None)


def change_of(effect: Effect) -> float:
    """New less old, in base units; 0 where a side has no value."""
    if effect.old is None or effect.new is None:
        return 0.0
    return effect.new.value - effect.old.value


def headline(review: Review, lead: Effect | None, note: str = "") -> str:
    """What happened to the money, in one line."""
    if lead is None or lead.old is None or lead.new is None or lead.delta is None:
        return _still(review, note)
    alike = [e for e in review.effects if e.metric == lead.metric]
    up = sum(change_of(e) > 0 for e in alike)
    down = sum(change_of(e) < 0 for e in alike)
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
            f"{words.title(lead.metric)} is not comparable in {named(where)}: {side}; "
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


def named(names: Sequence[str]) -> str:
    """Some names, or how many there are."""
    if len(names) <= SHOWN:
        return ", ".join(names)
    return f"{len(names)} scenarios"


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
