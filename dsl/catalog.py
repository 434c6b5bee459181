"""The shipped catalogue as one document: its files, blocks, `let`s and sources.

`isocost catalog`, completion and the tests ask here; scenarios import single files.
Nothing is computed: values are given as the files state them.
"""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

import attrs

from isocost.dsl.document import Block, Document, Fact
from isocost.dsl.load import SHIPPED, load
from isocost.dsl.resolve import resolve
from isocost.dsl.spans import Span
from isocost.dsl.suggest import nearest

#: The name of the document that imports every file; it is no file itself.
WHOLE = "catalogue.scn"


@attrs.frozen
class Entry:
    """One thing that the catalogue states: a block, a `let` at the top or a source."""

    name: str
    kind: str
    file: str
    title: str
    doc: str
    block: Block | None = None
    fact: Fact | None = None

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Its statements in order, those of its base among them."""
        if self.fact is not None:
            return (self.fact,)
        return tuple(self.block.facts.values()) if self.block else ()


def catalog_files() -> list[str]:
    """The names to import, as `isocost:chips/aws`, sorted."""
    top = files("isocost.scenarios").joinpath("catalog")
    return sorted(f"{SHIPPED}{name}" for name in _names(top, ""))


def _names(folder: Traversable, above: str) -> Iterator[str]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _names(item, f"{above}{item.name}/")
        elif item.name.endswith(".scn"):
            yield above + item.name.removesuffix(".scn")


def catalog_document() -> Document:
    """All files of the catalogue in one document."""
    imports = "".join(f'import "{name}"\n' for name in catalog_files())
    return resolve(load(WHOLE, f"edition 2026\n{imports}"))


def entries(document: Document) -> list[Entry]:
    """Everything that a document states, by kind and in the order of its files."""
    blocks = (*document.blocks.values(), *document.sources.values())
    found = [
        Entry(b.label, b.kind.name, b.file, b.title, b.doc, block=b) for b in blocks
    ]
    found += [
        Entry(name, "let", fact.file, "", fact.doc, fact=fact)
        for name, fact in document.lets.items()
    ]
    return found


def find(known: list[Entry], term: str) -> list[Entry]:
    """The entries that a term means: by name, else by any words in what they say.

    Args:
        known: All entries.
        term: A name, or words that must all be found.

    Returns:
        The entry of that name alone, or all in whose name, title, doc, kind, file,
        texts or citations every word of the term stands; names come first.
    """
    exact = [entry for entry in known if entry.name == term]
    if exact:
        return exact
    words = term.lower().split()
    scored = [(_score(entry, words), entry) for entry in known]
    hits = [pair for pair in scored if pair[0]]
    return [entry for _, entry in sorted(hits, key=lambda pair: -pair[0])]


def _score(entry: Entry, words: list[str]) -> int:
    """How well an entry fits: 3 by its name, 2 by its heading, 1 by what it says."""
    if not words:
        return 0
    heading = f"{entry.name} {entry.kind} {entry.title} {entry.doc} {entry.file}"
    said = " ".join(
        (heading, *(_words(fact) for fact in entry.facts)),
    ).lower()
    if all(word in entry.name.lower() for word in words):
        return 3
    if all(word in heading.lower() for word in words):
        return 2
    return int(all(word in said for word in words))


def _words(fact: Fact) -> str:
    text = str(fact.expr.value) if fact.expr.op in {"text", "path"} else ""
    cites = " ".join(f"{cite.key} {cite.locator or ''}" for cite in fact.cites)
    return f"{fact.path} {text} {fact.doc} {cites}"


def near(known: list[Entry], term: str) -> tuple[str, ...]:
    """Names that a term may have meant."""
    return nearest(term, [entry.name for entry in known])


def stated(document: Document, fact: Fact) -> str:
    """A value as its file writes it: `1800 GB/s / 2`, `45% to 65%`."""
    span = fact.expr.span
    if span is None:
        return ""
    return text_of(document, span)


def text_of(document: Document, span: Span) -> str:
    """The text of a place in a file, on one line."""
    text = document.files[span.file].text[span.start : span.end]
    return " ".join(text.split())


def citing(known: list[Entry], key: str) -> list[tuple[Entry, Fact]]:
    """Every statement that cites a source, in the block whose own text it is."""
    return [
        (entry, fact)
        for entry in known
        for fact in entry.facts
        if (entry.block is None or str(fact.path) in entry.block.own)
        and any(cite.key == key for cite in fact.cites)
    ]
