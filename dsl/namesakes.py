"""Blocks of different kinds that share a name: under which name each is kept.

One of them keeps the plain name; the others are kept with their kind in front. Which
one that is follows from the kinds alone, never from the order of files. Where only one
side of a comparison has namesakes, both are brought under the same names.
"""

from collections.abc import Iterable, Mapping

import attrs

from isocost.dsl.document import APART, Block, Document
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


def aligned(old: Document, new: Document) -> tuple[Document, Document]:
    """Two documents with equal blocks under equal names."""
    both = (old, new)
    if not any(document.shares_names for document in both):
        return both
    found = ((b.label, b.kind.name) for d in both for b in d.blocks.values())
    plain = plain_kinds(found)
    return _renamed(old, plain), _renamed(new, plain)


def _renamed(document: Document, plain: Mapping[str, str]) -> Document:
    names = {
        key: f"{block.kind.name} {block.label}"
        for key, block in document.blocks.items()
        if plain.get(block.label, block.kind.name) != block.kind.name
        and key == block.label
    }
    if not names:
        return document
    blocks = {
        names.get(key, key): _block(block, names)
        for key, block in document.blocks.items()
    }
    return attrs.evolve(document, blocks=blocks)


def _block(block: Block, names: Mapping[str, str]) -> Block:
    facts = {
        path: attrs.evolve(fact, owner=names[fact.owner], line=fact.origin)
        if fact.owner in names
        else fact
        for path, fact in block.facts.items()
    }
    written = block.written and _block(block.written, names)
    name, base = names.get(block.name, block.name), block.base
    base = names.get(base, base) if base else base
    return attrs.evolve(block, name=name, base=base, facts=facts, written=written)
