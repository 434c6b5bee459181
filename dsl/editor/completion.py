"""What may stand at a place that is being written, told from the text before it."""

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files

import attrs

from isocost.dsl.check import Checked
from isocost.dsl.document import Block
from isocost.dsl.functions import DISTRIBUTIONS, FUNCTIONS
from isocost.dsl.lookup import ROLES, SHORTHANDS
from isocost.dsl.schema import KINDS
from isocost.dsl.schema.base import Attribute, Kind
from isocost.dsl.spans import Span
from isocost.dsl.syntax import Path, parse_path
from isocost.dsl.units import PLAIN, UNITS

_HEADER = re.compile(r"^(\w+)[ \t]+(\w+)[^{}\n]*\{", re.MULTILINE)
_CITE = re.compile(r"@(\w*)$")
_IMPORT = re.compile(r'^import[ \t]+"([^"]*)$')
_EXTENDS = re.compile(r"^(\w+)[ \t]+\w+.*[ \t]extends[ \t]+([\w.]*)$")
_UNIT = re.compile(r"(?:(?<![\w.])[0-9][0-9_.]*[kMGT]?|\bin) ([A-Za-zµ$€£%/^*·-]*)$")
_PATH = re.compile(r"[A-Za-z_][\w.\[\]]*$|(?<![\w.])$")
_VALUE = re.compile(r"^\s*(?:let[ \t]+)?([A-Za-z_][\w.\[\], ]*?)[ \t]*(:?=)[ \t]*(.*)$")
#: Kinds in which a path may be that of a derived quantity.
_COMPUTED = ("scenario", "report", "policy")
_STATEMENTS = ("edition", "import", "unit", "let", "check", "claim")


@attrs.frozen
class Item:
    """One thing to choose: its text, what sort it is, and what to say of it."""

    text: str
    sort: str
    detail: str = ""
    doc: str = ""


def complete(
    checked: Checked, file: str, text: str, offset: int
) -> tuple[list[Item], Span]:
    """What may stand before a place, and the text that it replaces.

    Args:
        checked: The document, as far as it can be read.
        file: The file being written.
        text: Its text as it stands.
        offset: Where the author is.
    """
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    begun, found = _items(checked, file, text, offset, line)
    unique = {item.text: item for item in found}
    return list(unique.values()), Span(file, offset - len(begun), offset)


def _items(
    checked: Checked, file: str, text: str, offset: int, line: str
) -> tuple[str, Iterable[Item]]:
    in_text = line.count('"') % 2 == 1
    if match := _IMPORT.match(line):
        return match[1], _files()
    if in_text or "#" in line:
        return "", ()
    if match := _CITE.search(line):
        return match[1], _sources(checked)
    if match := _EXTENDS.match(line):
        return match[2], _blocks(checked, (match[1],))
    if match := _UNIT.search(line):
        return match[1], _units(checked)
    path = _PATH.search(line)
    begun = path[0] if path else ""
    block = _block(checked, file, text, offset)
    value = _VALUE.match(line)
    if block is None and value is None and line.strip() == begun:
        return begun, _openings()
    if value is not None:
        return begun, _values(checked, file, block, value[1], begun)
    if isinstance(block, Kind):
        return begun, _attributes(block)
    if block is not None and line.strip() == begun:
        return begun, _members(checked, file, block, begun)
    return begun, _paths(checked, file, None, begun)


def _block(checked: Checked, file: str, text: str, offset: int) -> Block | Kind | None:
    """The block in which a place stands; its kind, where it cannot be read."""
    start = text.rfind("\n", 0, offset) + 1
    above = text[:start]
    headers = list(_HEADER.finditer(above))
    if not headers or re.search(r"^\}", above[headers[-1].end() :], re.MULTILINE):
        return None
    kind, name = headers[-1].groups()
    key = f"{kind} {name}"
    for block in (
        *checked.document.blocks.values(),
        *checked.document.sources.values(),
    ):
        if block.file == file and f"{block.kind.name} {block.label}" == key:
            return block
    return KINDS.get(kind)


def _openings() -> Iterator[Item]:
    for name, kind in KINDS.items():
        yield Item(name, "kind", "a kind of block", kind.doc)
    for name in _STATEMENTS:
        yield Item(name, "keyword")


def _files() -> Iterator[Item]:
    top = files("isocost.scenarios").joinpath("catalog")
    for folder in sorted(top.iterdir(), key=lambda one: one.name):
        if folder.is_dir():
            for one in sorted(folder.iterdir(), key=lambda one: one.name):
                if one.name.endswith(".scn"):
                    name = one.name.removesuffix(".scn")
                    yield Item(f"isocost:{folder.name}/{name}", "file", "shipped")


def _sources(checked: Checked) -> Iterator[Item]:
    yield Item("assumed", "source", "an assumption, with its reason")
    for name, source in checked.document.sources.items():
        yield Item(name, "source", source.title)


def _blocks(checked: Checked, kinds: Iterable[str]) -> Iterator[Item]:
    wanted = tuple(kinds)
    for block in checked.document.blocks.values():
        if not wanted or block.kind.name in wanted:
            about = f"{block.kind.name} {block.title}".strip()
            yield Item(block.label, "block", about, block.doc)


def _units(checked: Checked) -> Iterator[Item]:
    for name, (dimension, _, _) in UNITS.items():
        yield Item(name, "unit", "" if dimension == PLAIN else str(dimension))
    for name in checked.document.units:
        yield Item(name, "unit", "of this file")
    common = {a.unit for kind in KINDS.values() for a in kind.attributes.values()}
    for name in sorted(common - {"", "1"}):
        yield Item(name, "unit")


def _attributes(kind: Kind) -> Iterator[Item]:
    for attribute in kind.attributes.values():
        yield from _attribute(attribute)


def _attribute(attribute: Attribute) -> Iterator[Item]:
    unit = attribute.unit if attribute.sort == "quantity" else attribute.sort
    words = [k for k in attribute.keys if k[0] not in "<*" and k.rstrip("?") != "date"]
    names = [attribute.path]
    if "[]" in attribute.path:
        names = [attribute.path.replace("[]", f"[{word}]", 1) for word in words]
        names = names or [attribute.path.partition("[]")[0]]
    for name in names:
        yield Item(name, "attribute", unit, attribute.doc)


def _members(checked: Checked, file: str, block: Block, begun: str) -> Iterator[Item]:
    """The attributes of a block's kind; for a scenario what it may set, too."""
    yield from _attributes(block.kind)
    if block.kind.name == "scenario":
        yield from _below(checked, file, block, begun)
        for role in (*ROLES, *SHORTHANDS):
            yield Item(role, "role")
        yield from _blocks(checked, ())
    yield Item("let", "keyword")


def _values(
    checked: Checked, file: str, block: Block | Kind | None, name: str, begun: str
) -> Iterator[Item]:
    kind = block if isinstance(block, Kind) else block.kind if block else None
    attribute = kind.attributes.get(parse_path(name).pattern) if kind else None
    sort = attribute.sort if attribute else "quantity"
    if attribute is not None and attribute.words:
        for word in attribute.words:
            yield Item(word, "word", name)
    elif sort == "block" and attribute is not None:
        yield from _blocks(checked, attribute.of)
    elif sort == "flag":
        yield from (Item("true", "word"), Item("false", "word"))
    elif sort in {"quantity", "list"}:
        place = block if isinstance(block, Block) else None
        yield from _paths(checked, file, place, begun)


def _paths(
    checked: Checked, file: str, block: Block | None, begun: str
) -> Iterator[Item]:
    """The names that a formula may begin or go on with."""
    below = list(_below(checked, file, block, begun))
    if below:
        yield from below
        return
    if block is not None:
        yield from _stated(block, "")
        yield from _attributes(block.kind)
    for name in checked.document.lets:
        yield Item(name, "let")
    yield from _blocks(checked, ())
    for name in (*FUNCTIONS, *DISTRIBUTIONS):
        yield Item(name, "function")


def _below(
    checked: Checked, file: str, block: Block | None, begun: str
) -> Iterator[Item]:
    """What the block has to which a dotted beginning leads."""
    head = begun.rpartition(".")[0]
    if not head:
        return
    parts = parse_path(head).parts
    for size in range(len(parts), 0, -1):
        before = str(Path(parts[:size]))
        inner = _leads_to(checked, file, block, before)
        if inner is None:
            continue
        for item in (*_stated(inner, ""), *_attributes(inner.kind)):
            yield attrs.evolve(item, text=f"{before}.{item.text}")
        if inner.kind.name == "scenario":
            yield from _metrics(checked, f"{before}.")
        return
    if block is not None and block.kind.name in _COMPUTED:
        yield from _metrics(checked, "")


def _metrics(checked: Checked, before: str) -> Iterator[Item]:
    for entry in checked.lookup.table.values():
        path = entry.path.replace("[]", f"[{entry.keys[0]}]" if entry.keys else "")
        yield Item(before + path, "metric", entry.unit, entry.doc)


def _leads_to(
    checked: Checked, file: str, block: Block | None, head: str
) -> Block | None:
    path = parse_path(head)
    if block is not None and head in SHORTHANDS:
        role, name = SHORTHANDS[head]
        owner = checked.lookup.reference(block, parse_path(role))
        return checked.lookup.reference(owner, parse_path(name)) if owner else None
    inner = checked.lookup.reference(block, path) if block is not None else None
    if inner is not None:
        return inner
    found = checked.document.find(path.head, file)
    for part in path.rest.parts:
        found = (
            checked.lookup.reference(found, parse_path(str(part))) if found else None
        )
    return found


def _stated(block: Block, before: str) -> Iterator[Item]:
    for path, fact in block.facts.items():
        if fact.let or fact.attribute is not None:
            yield Item(before + path, "let" if fact.let else "attribute", "", fact.doc)
