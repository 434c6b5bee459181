"""Blocks of different kinds that share a name: under which name each is kept.

One of them keeps the plain name; the others are kept with their kind in front. Which
one that is follows from the kinds alone, never from the order of files. Where only one
side of a comparison has namesakes, both are brought under the same names.
"""

from collections.abc import Iterable, Mapping

import attrs

from isocost.dsl.document import APART, Block, Document, Fact
from isocost.dsl.schema import KINDS

#: A scenario keeps its name, for that is what commands and results call it by.
_ORDER = ("scenario", *(kind for kind in KINDS if kind != "scenario"))
_RANK = {kind: i for i, kind in enumerate(_ORDER)}


def plain_kinds(blocks: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The kind that keeps the plain name, for each name that several kinds have.

    Args:
        blocks: The name and the kind of every block.
    """
    kinds: dict[str, set[str]] = {}
    for name, kind in blocks:
        if kind not in APART:
            kinds.setdefault(name, set()).add(kind)
    return {
        name: min(found, key=lambda kind: _RANK[kind])
        for name, found in kinds.items()
        if len(found) > 1
    }


def aligned(
    old: Document, new: Document
) -> tuple[Document, Document, Mapping[str, str]]:
    """Two documents with equal blocks under equal names, and who has the plain ones.

    The last is for `renamed`, to bring a third document under the same names.
    """
    both = (old, new)
    if not any(document.shares_names for document in both):
        return *both, {}
    plain = plain_kinds(
        (block.label, block.kind.name) for one in both for block in one.blocks.values()
    )
    return renamed(old, plain), renamed(new, plain), plain


def renamed(document: Document, plain: Mapping[str, str] | None = None) -> Document:
    """The document with every block under the name that it has beside its namesakes.

    Args:
        document: The document.
        plain: The kind that keeps each plain name; the document's own if None.
    """
    if plain is None:
        stated = document.blocks.values()
        plain = plain_kinds((block.label, block.kind.name) for block in stated)
    names = {
        key: _key(block, plain)
        for key, block in document.blocks.items()
        if block.kind.name not in APART and key != _key(block, plain)
    }
    if not names:
        return document
    blocks = {
        names.get(key, key): _block(block, names)
        for key, block in document.blocks.items()
    }
    return attrs.evolve(document, blocks=blocks)


def _key(block: Block, plain: Mapping[str, str]) -> str:
    kind, label = block.kind.name, block.label
    return label if plain.get(label, kind) == kind else f"{kind} {label}"


def _block(block: Block, names: Mapping[str, str]) -> Block:
    facts = {path: _fact(fact, names) for path, fact in block.facts.items()}
    written = block.written and _block(block.written, names)
    name, base = names.get(block.name, block.name), block.base
    base = names.get(base, base) if base else base
    return attrs.evolve(block, name=name, base=base, facts=facts, written=written)


def _fact(fact: Fact, names: Mapping[str, str]) -> Fact:
    """A statement under its owner's other name, its origin as it was."""
    if fact.owner not in names:
        return fact
    moved = attrs.evolve(fact, owner=names[fact.owner], line="")
    kept = moved.origin == fact.origin
    return moved if kept else attrs.evolve(moved, line=fact.origin)
