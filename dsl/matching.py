"""What answers to what where names do not say: renamed blocks, checks and claims.

A renamed block is one that went and one that came, of one kind, mostly equal facts.

Only what is missing on one side by name is looked at, and every fact is looked at
once, so that no file can make this slow.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from isocost.dsl.document import Condition
from isocost.dsl.ledger import Section
from isocost.dsl.meaning import Reading

#: The least share of all facts of both blocks that must be equal.
LEAST = 0.6
#: A fact that more blocks than this state tells none of them apart.
_COMMON = 8


def renames(old: Mapping[str, Section], new: Mapping[str, Section]) -> dict[str, str]:
    """The new name of each renamed block by its old one."""
    gone = [section for name, section in old.items() if name not in new]
    came = [section for name, section in new.items() if name not in old]
    if not gone or not came:
        return {}
    holders: dict[Any, list[Section]] = {}
    for section in gone:
        for fact in _facts(section):
            holders.setdefault(fact, []).append(section)
    scores: list[tuple[float, str, str]] = []
    for section in came:
        found: Counter[str] = Counter()
        for fact in _facts(section):
            few = holders.get(fact, ())
            if len(few) <= _COMMON:
                found.update(one.name for one in few)
        for name, equal in found.items():
            every = len(old[name].facts) + len(section.facts) - equal
            scores.append((equal / every, name, section.name))
    return _best(scores)


def _best(scores: Iterable[tuple[float, str, str]]) -> dict[str, str]:
    """The pairs, best first, each block in one of them at most."""
    out: dict[str, str] = {}
    taken: set[str] = set()
    for score, before, after in sorted(scores, key=lambda s: (-s[0], s[1], s[2])):
        if score >= LEAST and before not in out and after not in taken:
            out[before] = after
            taken.add(after)
    return out


def _facts(section: Section) -> list[Any]:
    """What a section states, as values to compare."""
    out: list[Any] = []
    for path, fact in section.facts.items():
        reading = Reading(fact.attribute, section.kind)
        what = reading.meaning(fact.expr)
        out.append((section.kind.name, path, fact.formula, what))
    return out


def matched(old: Sequence[Condition], new: Sequence[Condition]) -> dict[int, int]:
    """The old place of each new condition: the same words, purpose or left side."""
    out: dict[int, int] = {}
    taken: set[int] = set()
    keys: tuple[Callable[[Condition], Any], ...] = (
        lambda c: (c.kind, c.expr, c.why),
        lambda c: (c.kind, c.expr),
        lambda c: (c.kind, c.why) if c.why else None,
        lambda c: (c.kind, c.expr.args[0]) if c.expr.args else None,
    )
    for key in keys:
        waiting: dict[Any, list[int]] = {}
        for i, one in reversed(list(enumerate(old))):
            if i not in taken and (found := key(one)) is not None:
                waiting.setdefault(found, []).append(i)
        for i, one in enumerate(new):
            if i not in out and waiting.get(key(one)):
                out[i] = waiting[key(one)].pop()
                taken.add(out[i])
    return out
