"""What changed between two resolved documents, path by path, in linear time.

A change has one aspect: a value, a formula, a source, a doubt, words, structure,
order or mere spelling. Statements are matched by path, never by their place; a block
is taken for a renamed one only where most of its facts are equal. What a change
carries is enough for `patch.apply` to make the new document from the old.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from isocost.dsl.changes import (
    Aspect,
    Change,
    Diff,
    aspect_of,
    cites_text,
    unit_of,
    value_aspects,
)
from isocost.dsl.document import Condition, Document, Fact
from isocost.dsl.ledger import Section, full, ledger_of, short
from isocost.dsl.matching import matched, renames
from isocost.dsl.meaning import Reading, cites_of, same_text
from isocost.dsl.project import NAME


class _Texts:
    """The texts of statements as their files have them, on one line."""

    def __init__(self, document: Document) -> None:
        self.texts = {name: file.text for name, file in document.files.items()}

    def value(self, fact: Fact) -> str:
        """A fact's value as written, with the unit it is shown in."""
        span = fact.expr.span
        text = self.cut(span) if span is not None else repr(fact.expr)
        return f"{text} in {fact.unit.text}" if fact.unit else text

    def cut(self, span: Any) -> str:
        """A piece of a file without its comments and line ends."""
        text = self.texts.get(span.file, "")[span.start : span.end]
        if "\n" in text:
            lines = (line.partition("#")[0] for line in text.splitlines())
            text = " ".join(lines)
        return " ".join(text.split())


def shown_path(name: str, path: str) -> str:
    """The path of a block's statement as the outside writes it."""
    return f"{name}.{path}"


class _Diff:
    def __init__(self, old: Document, new: Document) -> None:
        self.texts = (_Texts(old), _Texts(new))
        self.files = tuple(new.files)
        self.old, self.new = ledger_of(old), ledger_of(new)
        self.changes: list[Change] = []
        self.names = renames(self.old.sections, self.new.sections)

    def add(
        self,
        path: str,
        aspect: Aspect,
        texts: tuple[str | None, str | None],
        slot: tuple[str, ...],
        part: str,
        **more: Any,
    ) -> None:
        self.changes.append(Change(path, aspect, *texts, slot, part, **more))

    def run(self) -> Diff:
        self._plain("unit", self.old.units, self.new.units)
        self._plain("import", self.old.files, self.new.files)
        self._aliases()
        self._pins()
        self._sections()
        self._facts(("let",), "", self.old.lets, self._lets(), None)
        self._conditions()
        return Diff(tuple(self.changes), dict(self.names))

    # Units and imports: there or not there.

    def _plain(self, what: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        def text(name: str) -> str:
            return f'{what} "{name}"' if what == "import" else f"{what} {name}"

        def add(name: str, behind: str | None) -> None:
            more = {"after": new[name], "behind": behind}
            self.add(text(name), "structure", (None, text(name)), (what,), name, **more)

        def drop(name: str) -> None:
            self.add(text(name), "structure", (text(name), None), (what,), name)

        _compare_keys(old, new, add, drop)
        self._order((what,), f"{what}s", old, new)

    def _lets(self) -> dict[str, Fact]:
        """The new document's `let`s at the top, in files as the old one names them."""
        names = {f: full(short(f, self.new.main), self.old.main) for f in self.files}
        return {
            path: attrs.evolve(fact, file=names[fact.file])
            for path, fact in self.new.lets.items()
        }

    def _aliases(self) -> None:
        old, new = self.old.aliases, self.new.aliases
        for name in dict.fromkeys((*old, *new)):
            if old.get(name) != new.get(name):
                pair = (old.get(name), new.get(name))
                path = f'import "{name}"'
                self.add(path, "structure", pair, ("alias",), name, after=pair[1])

    def _pins(self) -> None:
        """What the root's `isocost.toml` says of the engine and the catalogue."""
        old, new = self.old.pins, self.new.pins
        for name in dict.fromkeys((*old, *new)):
            if old.get(name) != new.get(name):
                texts = [str(s[name]) if name in s else None for s in (old, new)]
                more = {"before": old.get(name), "after": new.get(name)}
                path = f"{NAME} {name}"
                pair = (texts[0], texts[1])
                self.add(path, "structure", pair, ("pin",), name, **more)

    def _order(
        self,
        slot: tuple[str, ...],
        path: str,
        old: Iterable[str],
        new: Mapping[str, Any],
    ) -> None:
        """A change of order, where what stayed does not come in its old order."""
        before = [key for key in old if key in new]
        stayed = set(before)
        after = [key for key in new if key in stayed]
        if before != after:
            first = next(b for a, b in zip(before, after, strict=True) if a != b)
            text = f"{first} moved" if not first.isdigit() else "moved"
            texts = (None, text)
            self.add(path, "order", texts, slot, "order", after=tuple(new))

    # Blocks.

    def _sections(self) -> None:
        old = {self.names.get(n, n): s for n, s in self.old.sections.items()}
        new = self.new.sections
        for before, after in self.names.items():
            texts = (self.old.sections[before].label, new[after].label)
            more = {"before": before, "after": after}
            self.add(after, "structure", texts, ("block", before), "rename", **more)

        def add(name: str, behind: str | None) -> None:
            text = _summary(new[name])
            more = {"after": new[name], "behind": behind}
            self.add(name, "structure", (None, text), ("block",), name, **more)

        def drop(name: str) -> None:
            texts = (_summary(old[name]), None)
            more = {"before": old[name]}
            self.add(name, "structure", texts, ("block",), name, **more)

        _compare_keys(old, new, add, drop)
        for name, section in new.items():
            if name in old:
                self._section(name, old[name], section)
        self._order(("block",), "blocks", old, new)

    def _section(self, name: str, old: Section, new: Section) -> None:
        if old.kind.name != new.kind.name:
            texts = (_summary(old), _summary(new))
            self.add(name, "structure", texts, ("block",), "kind", after=new)
            return
        slot = ("head", name)
        if old.base != new.base:
            same = self.names.get(old.base or "", old.base) == new.base
            shown = [f"extends {b}" if b else None for b in (old.base, new.base)]
            aspect: Aspect = "format" if same else "structure"
            self.add(name, aspect, (shown[0], shown[1]), slot, "base", after=new.base)
        for part in ("title", "doc"):
            pair = (getattr(old, part), getattr(new, part))
            if pair[0] != pair[1]:
                words = (pair[0] or None, pair[1] or None)
                self.add(name, "doc", words, slot, part, after=pair[1])
        if old.file != new.file:
            files = (old.file or "the main file", new.file or "the main file")
            self.add(name, "order", files, slot, "file", after=new.file)
        self._facts(("fact", name), name, old.facts, new.facts, new)

    # Facts.

    def _facts(
        self,
        slot: tuple[str, ...],
        owner: str,
        old: Mapping[str, Fact],
        new: Mapping[str, Fact],
        section: Section | None,
    ) -> None:
        def path_of(path: str) -> str:
            return shown_path(owner, path) if owner else path

        def add(path: str, behind: str | None) -> None:
            fact = new[path]
            more = {"after": fact, "behind": behind, "unit": unit_of(fact)}
            aspect = aspect_of(fact, section)
            texts = (None, self.texts[1].value(fact))
            self.add(path_of(path), aspect, texts, slot, path, **more)

        def drop(path: str) -> None:
            fact = old[path]
            more = {"before": fact, "unit": unit_of(fact)}
            aspect = aspect_of(fact, section)
            texts = (self.texts[0].value(fact), None)
            self.add(path_of(path), aspect, texts, slot, path, **more)

        _compare_keys(old, new, add, drop)
        for path, fact in new.items():
            if path in old:
                self._fact((*slot, path), path_of(path), old[path], fact, section)
        self._order(slot, owner or "lets", old, new)

    def _fact(
        self,
        slot: tuple[str, ...],
        path: str,
        old: Fact,
        new: Fact,
        section: Section | None,
    ) -> None:
        more: dict[str, Any] = {"before": old, "after": new, "unit": unit_of(new)}
        texts = (self.texts[0].value(old), self.texts[1].value(new))
        for aspect in value_aspects(old, new, section, self.names):
            self.add(path, aspect, texts, slot, "value", **more)
        pair = (cites_of(old.cites), cites_of(new.cites))
        if pair[0] != pair[1]:
            shown = (cites_text(pair[0]), cites_text(pair[1]))
            self.add(path, "source", shown, slot, "cites", **more)
        for part in ("doc", "why"):
            said = (getattr(old, part) or None, getattr(new, part) or None)
            if said[0] != said[1]:
                self.add(path, "doc", said, slot, part, **more)
        if section is None and old.file != new.file:
            files = (old.file, new.file)
            self.add(path, "order", files, slot, "file", **more)

    # Checks and claims.

    def _conditions(self) -> None:
        old, new = self.old.conditions, self.new.conditions
        mates = matched(list(old.values()), list(new.values()))
        keys = [str(mates[i]) if i in mates else f"new {i}" for i in range(len(new))]
        renumbered = dict(zip(keys, new.values(), strict=True))
        texts = self.texts

        def add(key: str, behind: str | None) -> None:
            one = renumbered[key]
            more = {"after": one, "behind": behind}
            shown = (None, texts[1].cut(one.expr.span or one.span))
            self.add(one.name, "structure", shown, ("condition",), key, **more)

        def drop(key: str) -> None:
            one = old[key]
            shown = (texts[0].cut(one.expr.span or one.span), None)
            more = {"before": one}
            self.add(one.name, "structure", shown, ("condition",), key, **more)

        _compare_keys(old, renumbered, add, drop)
        for key, one in renumbered.items():
            if key in old:
                self._condition(key, old[key], one)
        self._order(("condition",), "checks and claims", old, renumbered)

    def _condition(self, key: str, old: Condition, new: Condition) -> None:
        slot = ("condition", key)
        more: dict[str, Any] = {"before": old, "after": new}
        if not same_text(old.expr, new.expr):
            before = Reading(None, None, self.names).meaning(old.expr)
            same = before == Reading(None, None).meaning(new.expr)
            shown = tuple(
                text.cut(one.expr.span or one.span)
                for text, one in zip(self.texts, (old, new), strict=True)
            )
            aspect: Aspect = "format" if same else "formula"
            pair = (shown[0], shown[1])
            self.add(new.name, aspect, pair, slot, "expr", **more)
        if old.share != new.share:
            words = tuple(
                None if one.share is None else f"at {one.share:.4g}"
                for one in (old, new)
            )
            self.add(new.name, "formula", (words[0], words[1]), slot, "share", **more)
        for part in ("why", "doc"):
            said = (getattr(old, part) or None, getattr(new, part) or None)
            if said[0] != said[1]:
                self.add(new.name, "doc", said, slot, part, **more)
        cites = (cites_of(old.cites), cites_of(new.cites))
        if cites[0] != cites[1]:
            pair_ = (cites_text(cites[0]), cites_text(cites[1]))
            self.add(new.name, "source", pair_, slot, "cites", **more)


def _compare_keys(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    add: Callable[[str, str | None], None],
    drop: Callable[[str], None],
) -> None:
    """Report what went, then what came with what it stands behind."""
    for key in old:
        if key not in new:
            drop(key)
    last: str | None = None
    for key in new:
        if key not in old:
            add(key, last)
        last = key


def _summary(section: Section) -> str:
    """A block in one line."""
    count = len(section.facts)
    base = f" extends {section.base}" if section.base else ""
    return f"{section.label}{base} ({count} fact{'s' * (count != 1)})"


def diff(old: Document, new: Document) -> Diff:
    """What changed from one resolved document to another.

    Args:
        old: Where the changes start.
        new: Where they end.
    """
    from isocost.dsl.namesakes import aligned
    from isocost.dsl.reach import with_reach

    old, new, plain = aligned(old, new)
    found = attrs.evolve(_Diff(old, new).run(), plain=plain)
    return with_reach(found, old, new)
