"""Changes made to a document: `apply(diff(a, b), a)` states what `b` states.

Any part of a diff may be applied, such as the renames alone; a change whose statement
is not there is passed over.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import attrs

from isocost.dsl.changes import Change, Diff
from isocost.dsl.document import Document, Fact
from isocost.dsl.ledger import Ledger, Section, document_of, full, ledger_of
from isocost.dsl.namesakes import renamed

T = TypeVar("T")

#: What of a fact each part replaces.
_FIELDS = {
    "value": ("expr", "formula", "unit", "let", "span", "path_span", "attribute"),
    "cites": ("cites",),
    "doc": ("doc",),
    "file": ("file",),
    "why": ("why",),
}


class _Patch:
    """A ledger while it is being changed: its parts as plain dictionaries."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.sections = dict(ledger.sections)
        self.parts: dict[str, dict[str, Any]] = {
            "unit": dict(ledger.units),
            "import": dict(ledger.files),
            "alias": dict(ledger.aliases),
            "pin": dict(ledger.pins),
            "let": dict(ledger.lets),
            "condition": dict(ledger.conditions),
        }

    def make(self, change: Change) -> None:
        """Make one change."""
        match change.slot:
            case (("alias" | "pin") as what,):
                self._set(self.parts[what], change)
            case (("unit" | "import" | "let" | "condition") as what,):
                self.parts[what] = _placed(self.parts[what], change)
            case ("let" | "condition", key) if key in self.parts[change.slot[0]]:
                part = self.parts[change.slot[0]]
                part[key] = _revised(part[key], change)
            case ("block",):
                self._block(change)
            case ("block", name) if change.part == "rename":
                self._rename(name, change.after)
            case ("head", name) if name in self.sections:
                self._head(name, change)
            case ("fact", name, *path) if name in self.sections:
                self._fact(name, path, change)

    @staticmethod
    def _set(part: dict[str, Any], change: Change) -> None:
        if change.after is None:
            part.pop(change.part, None)
        else:
            part[change.part] = change.after

    def _block(self, change: Change) -> None:
        if change.part == "kind":
            self.sections[change.path] = change.after
        else:
            self.sections = _placed(self.sections, change)

    def _rename(self, old: str, new: str) -> None:
        made: dict[str, Section] = {}
        for name, section in self.sections.items():
            if name != old:
                made[name] = section
                continue
            facts = {p: attrs.evolve(f, owner=new) for p, f in section.facts.items()}
            made[new] = attrs.evolve(section, name=new, facts=facts)
        self.sections = made

    def _head(self, name: str, change: Change) -> None:
        section = self.sections[name]
        made = attrs.evolve(section, **{change.part: change.after})
        self.sections[name] = made

    def _fact(self, name: str, path: list[str], change: Change) -> None:
        section = self.sections[name]
        facts = dict(section.facts)
        if not path:
            facts = _placed(facts, change)
        elif path[0] in facts:
            facts[path[0]] = _revised(facts[path[0]], change)
        self.sections[name] = attrs.evolve(section, facts=facts)

    def ledger_now(self) -> Ledger:
        """The changed ledger."""
        parts = self.parts
        return attrs.evolve(
            self.ledger,
            units=parts["unit"],
            files=parts["import"],
            aliases=parts["alias"],
            pins=parts["pin"],
            lets=parts["let"],
            conditions=parts["condition"],
            sections={
                name: _normal(section, self.ledger.main)
                for name, section in self.sections.items()
            },
        )


def _normal(section: Section, main: str) -> Section:
    """A section whose facts say that they stand in it and in its file."""
    file = full(section.file, main)
    facts: Mapping[str, Fact] = section.facts
    if any(f.file != file or f.owner != section.name for f in facts.values()):
        facts = {
            path: attrs.evolve(fact, file=file, owner=section.name)
            for path, fact in facts.items()
        }
    return attrs.evolve(section, facts=facts)


def _placed(part: Mapping[str, T], change: Change) -> dict[str, T]:
    """A part with a statement added, taken out, or all of them in another order."""
    if change.part == "order":
        return {key: part[key] for key in change.after if key in part} | {
            key: value for key, value in part.items() if key not in change.after
        }
    if change.after is None:
        return {key: value for key, value in part.items() if key != change.part}
    out: dict[str, T] = {}
    if change.behind is None or change.behind not in part:
        out[change.part] = change.after
    for key, value in part.items():
        if key != change.part:
            out[key] = value
        if key == change.behind:
            out[change.part] = change.after
    return out


def _revised(statement: Any, change: Change) -> Any:
    """A fact or condition with the changed part of the new one."""
    if not isinstance(statement, Fact):
        value = getattr(change.after, change.part)
        return attrs.evolve(statement, **{change.part: value})
    fields = _FIELDS[change.part]
    return attrs.evolve(
        statement, **{field: getattr(change.after, field) for field in fields}
    )


def patched(changes: Iterable[Change], document: Document) -> Document:
    """A document with some changes made, in their order."""
    run = _Patch(ledger_of(document))
    for change in changes:
        run.make(change)
    return document_of(run.ledger_now())


def apply(changes: Diff, document: Document) -> Document:
    """A document with all changes of a diff made.

    `content(apply(diff(a, b), a)) == content(b)` for all resolved documents; places
    are those of `a` where a statement did not change.
    """
    if not changes.plain:
        return patched(changes.changes, document)
    return renamed(patched(changes.changes, renamed(document, changes.plain)))
