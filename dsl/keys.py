"""Whether the keys of a path are right: words, blocks of a kind, dates."""

from isocost.dsl.diagnostics import Diagnostic, at
from isocost.dsl.document import Document, Fact
from isocost.dsl.expectations import of_header, schema_words
from isocost.dsl.load import SHIPPED
from isocost.dsl.schema.base import Attribute
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import Path

_FREE = {"*", "date", "date?"}
#: Kinds whose names a key takes from what this document has: a fleet's own. The keys
#: of a book may name what nobody imports.
_OWN = {"scenario", "site"}


def by_position(attribute: Attribute) -> bool:
    """Whether each entry of `keys` is about one position, and not one word of many."""
    return all(key in _FREE or key.startswith("<") for key in attribute.keys)


def key_fault(
    fact: Fact, path: Path, attribute: Attribute, document: Document
) -> Diagnostic | None:
    """What is wrong with the keys of a statement, if anything.

    Args:
        fact: The statement.
        path: Its path inside the block that `attribute` belongs to.
        attribute: What the path means there.
        document: Whose blocks may be keys.
    """
    keys = path.keys
    if not keys or not attribute.keys:
        return None
    if not by_position(attribute):
        one = len(keys) == attribute.path.count("[]")
        return _words(fact, keys, attribute) if one else _shape(fact, path, attribute)
    most = len(attribute.keys)
    least = most - sum(key.endswith("?") for key in attribute.keys)
    if attribute.path.count("[]") == 1 and not least <= len(keys) <= most:
        return _shape(fact, path, attribute)
    for key, wanted in zip(keys, attribute.keys, strict=False):
        fault = _block(fact, key, wanted, document) if wanted[0] == "<" else None
        if fault is not None:
            return fault
    return None


def _shape(fact: Fact, path: Path, attribute: Attribute) -> Diagnostic:
    """Too many keys, or too few."""
    if by_position(attribute):
        wanted = ", ".join(
            key.rstrip("?").strip("<>*") or "name" for key in attribute.keys
        )
    else:
        wanted = "key"
    shown = attribute.path.replace("[]", f"[{wanted}]")
    facts = {"name": str(path), "keys": wanted, "path": shown}
    return at("N009", fact.path_span, label=schema_words(attribute), facts=facts)


def _words(
    fact: Fact, keys: tuple[str, ...], attribute: Attribute
) -> Diagnostic | None:
    wrong = next((key for key in keys if key not in attribute.keys), None)
    if wrong is None:
        return None
    near = ", ".join(nearest(wrong, attribute.keys))
    options = ", ".join(attribute.keys)
    facts = {"name": str(fact.path), "key": wrong, "options": options}
    words = schema_words(attribute)
    return at("N010", fact.path_span, label=words, near=near, facts=facts)


def _block(fact: Fact, key: str, wanted: str, document: Document) -> Diagnostic | None:
    """A book may price what nobody imports: there only a slip of the pen is a fault."""
    kind = wanted.strip("<>")
    block = document.find(key, fact.file, (kind,))
    if block is None:
        known = [b.label for b in document.of_kind(kind)]
        if any(label.startswith(f"{key}[") for label in known):
            return None  # a scenario by a list, all of it
        near = nearest(key, known)
        slip = near and fact.file == document.file and key.startswith(near[0][:1])
        slip = slip or kind in _OWN
        if not slip or document.excused(key) or fact.file.startswith(SHIPPED):
            return None
        return at("N003", fact.path_span, name=key, near=", ".join(near))
    if block.kind.name == kind:
        return None
    args = {"name": key, "expected": kind, "found": block.kind.name}
    return at(
        "N008", fact.path_span, also=of_header(block.span, block.kind.name), facts=args
    )
