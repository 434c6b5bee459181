"""A document as its statements by name, and a document again from them.

The diff compares two ledgers, a patch changes one. A ledger holds what each block
itself states; `document_of` folds bases in and splits lists of roles as `resolve`
does, so that a patched ledger is a resolved document like any other.
"""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from isocost.dsl.document import Block, Condition, Document, Fact
from isocost.dsl.load import SHIPPED
from isocost.dsl.meaning import cites_of, spelling
from isocost.dsl.project import NAME, Project
from isocost.dsl.resolve import expand
from isocost.dsl.schema.base import Kind
from isocost.dsl.syntax import File
from isocost.dsl.units import Dim

SOURCE = "source "


@attrs.frozen
class Section:
    """One block as its file states it: its head and its own facts."""

    name: str
    kind: Kind
    base: str | None
    title: str
    doc: str
    file: str
    facts: Mapping[str, Fact]
    block: Block = attrs.field(eq=False, repr=False)

    @property
    def label(self) -> str:
        """Its kind and its name, as its header has them."""
        return f"{self.kind.name} {self.name.removeprefix(f'{self.kind.name} ')}"


@attrs.frozen
class Ledger:
    """The statements of a document by name, each part in its order.

    Files carry names relative to the main one, which is called `""`; sections of
    sources have `source ` before their names. `pins` are what the root's
    `isocost.toml` says.
    """

    main: str
    files: Mapping[str, File]
    aliases: Mapping[str, str]
    units: Mapping[str, Dim]
    sections: Mapping[str, Section]
    lets: Mapping[str, Fact]
    conditions: Mapping[str, Condition]
    pins: Mapping[str, Any] = attrs.field(factory=dict)
    project: Project | None = None


def pins_of(project: Project | None) -> dict[str, Any]:
    """What a project pins, by names that read well."""
    if project is None:
        return {}
    names = ("edition", "engine", "price_age_months")
    found = {name: getattr(project, name) for name in names}
    found |= {f"catalogue {name}": one for name, one in project.catalogue.items()}
    return {name: value for name, value in found.items() if value is not None}


def _project(ledger: Ledger) -> Project | None:
    """The project that a ledger's pins state, in the file of the old one."""
    plain: dict[str, Any] = {}
    catalogue: dict[str, str] = {}
    for name, value in ledger.pins.items():
        head, _, rest = name.partition(" ")
        if rest:
            catalogue[rest] = value
        else:
            plain[head] = value
    old = ledger.project
    if old is None and not ledger.pins:
        return None
    file, text = (old.file, old.text) if old is not None else (NAME, "")
    return Project(file, text, **plain, catalogue=catalogue)


def short(file: str, main: str) -> str:
    """A file's name as seen from the main one's folder."""
    if file == main:
        return ""
    if file.startswith(SHIPPED) or main.startswith(SHIPPED):
        return file
    return os.path.relpath(file, os.path.dirname(main) or ".").replace(os.sep, "/")


def full(name: str, main: str) -> str:
    """A file's name again, as the loader would have it."""
    if not name or name.startswith(SHIPPED):
        return name or main
    return os.path.normpath(os.path.join(os.path.dirname(main), name))


def written_blocks(document: Document) -> Iterator[Block]:
    """The blocks as their files state them, each once."""
    seen: set[str] = set()
    for found in (*document.sources.values(), *document.blocks.values()):
        block = found.written or found
        if block.name not in seen:
            seen.add(block.name)
            yield block


def ledger_of(document: Document) -> Ledger:
    """The statements of a resolved document."""
    main = document.file
    blocks = {block.name: block for block in written_blocks(document)}
    sections = {n: _section(block, blocks, main) for n, block in blocks.items()}
    return Ledger(
        main,
        {short(name, main): file for name, file in document.files.items()},
        {short(name, main): alias for name, alias in document.aliases.items()},
        dict(document.units),
        sections,
        dict(document.lets),
        {str(i): one for i, one in enumerate(document.conditions)},
        pins_of(document.project),
        document.project,
    )


def _section(block: Block, blocks: Mapping[str, Block], main: str) -> Section:
    """Facts that replace a base's stand last, by name: their order has no meaning."""
    base = blocks.get(block.base or "")
    inherited = base.facts if base is not None else {}
    own = [path for path in block.facts if path in block.own]
    paths = [p for p in own if p not in inherited]
    paths += sorted(p for p in own if p in inherited)
    return Section(
        block.name,
        block.kind,
        block.base,
        block.title,
        block.doc,
        short(block.file, main),
        {path: block.facts[path] for path in paths},
        block,
    )


def document_of(ledger: Ledger) -> Document:
    """The resolved document that a ledger states."""
    folded: dict[str, Block] = {}
    for section in ledger.sections.values():
        if section.name not in folded:
            _fold(section, ledger, folded)
    out: dict[str, Block] = {}
    for name in ledger.sections:
        out.update((one.name, one) for one in expand(folded[name]))
    numbers = {"check": 0, "claim": 0}
    conditions = []
    for one in ledger.conditions.values():
        numbers[one.kind] += 1
        conditions.append(attrs.evolve(one, number=numbers[one.kind]))
    return Document(
        ledger.main,
        {full(name, ledger.main): file for name, file in ledger.files.items()},
        {n: b for n, b in out.items() if b.kind.name != "source"},
        {n.removeprefix(SOURCE): b for n, b in out.items() if b.kind.name == "source"},
        dict(ledger.lets),
        tuple(conditions),
        dict(ledger.units),
        {full(name, ledger.main): alias for name, alias in ledger.aliases.items()},
        project=_project(ledger),
    )


def _fold(section: Section, ledger: Ledger, folded: dict[str, Block]) -> None:
    """A section and its bases as blocks, bases first; a ring ends where it closes."""
    chain = {section.name: section}
    base_name = section.base or ""
    while base_name in ledger.sections:
        if base_name in folded or base_name in chain:
            break
        chain[base_name] = ledger.sections[base_name]
        base_name = chain[base_name].base or ""
    for one in reversed(chain.values()):
        base = folded.get(one.base or "")
        inherited = base.facts if base is not None else {}
        folded[one.name] = attrs.evolve(
            one.block,
            name=one.name,
            kind=one.kind,
            base=one.base,
            title=one.title,
            doc=one.doc,
            file=full(one.file, ledger.main),
            facts={**inherited, **one.facts},
            own=frozenset(one.facts),
        )


def content(document: Document) -> tuple[object, ...]:
    """All that a document states and how it spells it, free of places and layout.

    Two documents with equal contents are one to everybody who does not look at text.
    """
    main = document.file

    def block(one: Block) -> tuple[object, ...]:
        facts = tuple(fact_content(fact, main) for fact in one.facts.values())
        head = (one.name, one.kind.name, one.base, one.title, one.doc)
        return (*head, short(one.file, main), one.own, facts)

    return (
        tuple(short(name, main) for name in document.files),
        tuple(map(block, document.blocks.values())),
        tuple(map(block, document.sources.values())),
        tuple(fact_content(fact, main) for fact in document.lets.values()),
        tuple(condition_content(one) for one in document.conditions),
        tuple(document.units.items()),
        tuple(sorted((short(n, main), a) for n, a in document.aliases.items())),
        tuple(sorted(pins_of(document.project).items())),
    )


def fact_content(fact: Fact, main: str) -> tuple[object, ...]:
    """All that a fact states, free of places."""
    text = (fact.expr, spelling(fact.expr), fact.unit, fact.formula, fact.let)
    where = (fact.owner, str(fact.path), short(fact.file, main))
    return (*where, *text, cites_of(fact.cites), fact.doc, fact.why)


def condition_content(one: Condition) -> tuple[object, ...]:
    """All that a check or claim states, free of places."""
    text = (one.expr, spelling(one.expr), one.share, one.why)
    return (one.kind, one.number, *text, cites_of(one.cites), one.doc)
