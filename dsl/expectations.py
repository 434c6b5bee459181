"""Where an expectation comes from, as a label of its own beside the mistake.

What the schema says of an attribute has no place in a file of the user's; its words
stand at the name that he wrote, since that name is what called the expectation up.
What another statement or block of a file asks for is labelled where that stands.
"""

from isocost.dsl.diagnostics import Label
from isocost.dsl.document import Fact
from isocost.dsl.schema.base import Attribute
from isocost.dsl.spans import Span
from isocost.dsl.table import Entry
from isocost.dsl.units import Dim


def schema_words(attribute: Attribute) -> str:
    """What the schema says of an attribute: `` `site.pue`: Facility power over … ``."""
    path = attribute.path.replace("[]", "[…]")
    return _words(f"{attribute.kind}.{path}", attribute.unit, attribute.doc)


def of_schema(place: Span, attribute: Attribute) -> tuple[Label, ...]:
    """What the schema says, at the name that is stated."""
    return (Label(place, schema_words(attribute)),)


def of_entry(place: Span, entry: Entry) -> tuple[Label, ...]:
    """What the engine says of a quantity that it derives, at the name that replaces it.

    A key is left out, as in the schema's words.
    """
    path = entry.path.replace("[]", "[…]")
    return (Label(place, _words(path, entry.unit, entry.doc)),)


def of_fact(fact: Fact | None, dim: Dim) -> tuple[Label, ...]:
    """The statement that a `let` is measured by: the base block's, or the block's."""
    if fact is None:
        return ()
    owner = f" in `{fact.owner.rpartition(' ')[2]}`" if fact.owner else ""
    return (Label(fact.path_span, f"{dim}{owner}"),)


def of_unit(fact: Fact) -> tuple[Label, ...]:
    """The unit that `in UNIT` asks for."""
    return () if fact.unit_span is None else (Label(fact.unit_span, "wanted here"),)


def of_header(place: Span, kind: str) -> tuple[Label, ...]:
    """The header of a block, which says what kind it is."""
    return (Label(place, f"this is {_a(kind)}"),)


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeio' else 'a'} {kind}"


def _words(path: str, unit: str, doc: str) -> str:
    shown = "" if unit == "1" else f", in {unit}"
    return f"`{path}`{shown}: {doc.removesuffix('.')}"
