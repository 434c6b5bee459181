"""Which statements need which: their rings, and an order in which to look at them.

A statement is known by its block's name (empty at the top of a file) and its path.
Formulas are followed through `Lookup`, so a path leads here where the checker and the
engine find it. Nothing recurses: a chain of any length is walked with a list.
"""

from collections.abc import Callable, Iterator, Mapping

import attrs

from isocost.dsl.diagnostics import Diagnostic, Label, at
from isocost.dsl.document import Block, Document, Fact
from isocost.dsl.expr import Expr
from isocost.dsl.lookup import Lookup, Target
from isocost.dsl.spans import Span
from isocost.dsl.syntax import Path

Key = tuple[str, str]
#: What a scenario states in the place of a block's own fact.
Overrides = Mapping[Key, Fact]
_NONE: Overrides = {}
_MOST_LABELS = 3


class Dependencies:
    """The statements that each statement of a document mentions."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self._mentions: dict[tuple[str, str, str], tuple[Key, ...]] = {}

    @property
    def document(self) -> Document:
        """The document whose statements these are."""
        return self.lookup.document

    def block(self, key: Key) -> Block | None:
        """The block that a key leads into; None at the top."""
        return self.document.blocks.get(key[0])

    def fact(self, key: Key, overrides: Overrides = _NONE) -> Fact | None:
        """The statement of a key, as a scenario with these overrides sees it."""
        if key in overrides:
            return overrides[key]
        block = self.block(key)
        if block is not None:
            return block.facts.get(key[1])
        return None if key[0] else self.document.lets.get(key[1])

    def key(self, found: Target) -> Key | None:
        """The key of what a path leads to; None for a block."""
        if found.sort == "top":
            return "", found.path
        if found.sort == "metric" and found.scenario is not None:
            return found.scenario.name, found.path
        if found.sort == "quantity" and found.block is not None:
            return found.block.name, found.path
        return None

    def mentions(self, fact: Fact, context: Block | None) -> tuple[Key, ...]:
        """The keys of every path in a formula, in its order."""
        attribute = fact.attribute
        if attribute is not None and attribute.sort != "quantity":
            return ()
        place = (context.name if context else "", fact.owner, str(fact.path))
        if place not in self._mentions:
            found = (
                self.lookup.find(path, context, fact.file) for path in _paths(fact.expr)
            )
            keys = (self.key(one) for one in found if isinstance(one, Target))
            self._mentions[place] = tuple(key for key in keys if key is not None)
        return self._mentions[place]

    def needs(self, key: Key, overrides: Overrides = _NONE) -> tuple[Key, ...]:
        """The keys that a key's statement mentions; none where nothing is stated."""
        fact = self.fact(key, overrides)
        if fact is None:
            return ()
        context = self.document.blocks.get(fact.owner) if key in overrides else None
        return self.mentions(fact, context or self.block(key))

    def order(self, key: Key, known: Callable[[Key], bool]) -> Iterator[Key]:
        """A key and all it rests on, what is needed first; a ring is cut anywhere.

        Args:
            key: Where to begin.
            known: Whether a key needs no second look.
        """
        seen = {key}
        stack = [(key, iter(self.needs(key)))]
        while stack:
            current, waiting = stack[-1]
            following = next(
                (k for k in waiting if k not in seen and not known(k)), None
            )
            if following is None:
                stack.pop()
                yield current
            else:
                seen.add(following)
                stack.append((following, iter(self.needs(following))))

    def rings(self) -> Iterator[tuple[list[Key], Overrides]]:
        """Every ring of formulas, each once, in blocks and then in scenarios.

        Scenarios that share the statements of a ring (by `extends`, by a setting of all
        of them) share the ring.
        """
        told: set[frozenset[Span]] = set()
        blocks = self.document.blocks.values()
        starts = [("", name) for name in self.document.lets]
        starts += [(b.name, p) for b in blocks for p in b.facts]
        for ring in self._rings(starts, _NONE):
            if (places := self._places(ring, _NONE)) not in told:
                told.add(places)
                yield ring, _NONE
        for scenario in self.document.of_kind("scenario"):
            overrides = self.overrides(scenario)
            starts = list(overrides)
            for ring in self._rings(starts, overrides):
                if (places := self._places(ring, overrides)) not in told:
                    told.add(places)
                    yield ring, overrides

    def _places(self, ring: list[Key], overrides: Overrides) -> frozenset[Span]:
        """Where the statements of a ring stand."""
        found = (self.fact(key, overrides) for key in ring)
        return frozenset(fact.path_span for fact in found if fact is not None)

    def overrides(self, scenario: Block) -> Overrides:
        """What a scenario sets in blocks and metrics, by what it sets."""
        out: dict[Key, Fact] = {}
        for fact in scenario.facts.values():
            if fact.attribute is None and not fact.let:
                found = self.lookup.find(fact.path, scenario, fact.file)
                key = self.key(found) if isinstance(found, Target) else None
                if key is not None:
                    out[key] = attrs.evolve(fact, owner=scenario.name)
        return out

    def _rings(self, starts: list[Key], overrides: Overrides) -> Iterator[list[Key]]:
        done: set[Key] = set()
        for start in starts:
            if start in done:
                continue
            trail = [start]
            waiting = [iter(self.needs(start, overrides))]
            inside = {start}
            while trail:
                following = next(waiting[-1], None)
                if following is None:
                    waiting.pop()
                    inside.discard(trail[-1])
                    done.add(trail.pop())
                elif following in inside:
                    yield trail[trail.index(following) :]
                elif following not in done:
                    trail.append(following)
                    inside.add(following)
                    waiting.append(iter(self.needs(following, overrides)))

    def ring_diagnostic(self, ring: list[Key], overrides: Overrides) -> Diagnostic:
        """The diagnostic of a ring, at the first of its statements."""
        facts = [(fact, key) for key in ring if (fact := self.fact(key, overrides))]
        places = [(f.path_span.file, f.path_span.start) for f, _ in facts]
        first = places.index(min(places))
        facts = [*facts[first:], *facts[:first]]
        names = [self._name(key) for _, key in facts]
        words = " → ".join((*names, names[0]))
        others = facts[1 : 1 + _MOST_LABELS]
        also = tuple(Label(fact.path_span, "needed here") for fact, _ in others)
        return at("R008", facts[0][0].path_span, also=also, ring=words)

    def _name(self, key: Key) -> str:
        block = self.block(key)
        return f"{block.label}.{key[1]}" if block else key[1]


def _paths(expr: Expr) -> Iterator[Path]:
    """The paths of a formula; `derived(PATH)` reads what the formula replaces."""
    if expr.op == "path":
        yield expr.value
    elif not (expr.op == "call" and expr.value.name == "derived"):
        for arg in expr.args:
            yield from _paths(arg)
