"""What the name at a spot means: a block, a source, a `let`, a statement, a unit."""

import attrs

from isocost.dsl.check import Checked
from isocost.dsl.document import Block, Fact
from isocost.dsl.editor.spots import Spot, resolved
from isocost.dsl.lookup import Target
from isocost.dsl.schema import KINDS
from isocost.dsl.schema.base import Attribute, Kind
from isocost.dsl.spans import Span
from isocost.dsl.syntax import Path, parse_path
from isocost.dsl.table import Entry, entry_of
from isocost.dsl.units import Unit, UnitProblem, parse_unit


@attrs.frozen
class Meaning:
    """What a name stands for.

    `identity` is equal for all names of one thing; `span` is where it is stated, if it
    is. `owner` is the block in which the path was found, `scenario` the one it is
    derived for.
    """

    identity: tuple[str, ...]
    span: Span | None = None
    block: Block | None = None
    fact: Fact | None = None
    attribute: Attribute | None = None
    entry: Entry | None = None
    kind: Kind | None = None
    unit: Unit | None = None
    path: str = ""
    scenario: Block | None = None

    @property
    def named(self) -> bool:
        """Whether it has a name of the author's, which can be another."""
        return self.identity[0] in {"block", "source", "let"}


def meaning(checked: Checked, spot: Spot) -> Meaning | None:
    """What a spot of one of the document's files means; None if nothing is known."""
    document, file = checked.document, spot.span.file
    block = resolved(document, spot.block, file)
    match spot.sort:
        case "kind":
            kind = KINDS.get(spot.text)
            return None if kind is None else Meaning(("kind", spot.text), kind=kind)
        case "name":
            return _block(block)
        case "base":
            kinds = (spot.block.kind.text,) if spot.block else ()
            return _named(checked, str(spot.whole), file, kinds)
        case "cite":
            return _block(document.sources.get(spot.text))
        case "unit":
            unit = parse_unit(spot.text, document.units)
            if isinstance(unit, UnitProblem):
                return None
            return Meaning(("unit", spot.text), unit=unit)
        case "import":
            return None
        case "key":
            return _key(checked, spot, block)
        case "member":
            return _member(checked, spot, block)
    return _path(checked, spot, block)


def _block(block: Block | None) -> Meaning | None:
    if block is None:
        return None
    written = block.written or block
    sort = "source" if block.kind.name == "source" else "block"
    identity = (sort, block.file, str(written.span.start))
    return Meaning(identity, written.span, block=block, kind=block.kind)


def _named(
    checked: Checked, name: str, file: str, kinds: tuple[str, ...]
) -> Meaning | None:
    found = checked.document.find(name, file, kinds)
    right = found is not None and (not kinds or found.kind.name in kinds)
    return _block(found) if right else None


def _key(checked: Checked, spot: Spot, block: Block | None) -> Meaning | None:
    """A key that is a block's name; any other key says nothing further."""
    found = checked.lookup.find(spot.path, block, spot.span.file)
    attribute = found.attribute if isinstance(found, Target) else None
    if attribute is None and block is not None:
        attribute = block.kind.attributes.get(spot.path.pattern)
    keys = attribute.keys if attribute else ()
    wanted = keys[spot.position : spot.position + 1] or keys[:1]
    if not wanted or wanted[0][:1] != "<":
        return None
    kinds = (wanted[0].strip("<>?"),)
    return _named(checked, spot.text, spot.span.file, kinds)


def _member(checked: Checked, spot: Spot, block: Block | None) -> Meaning | None:
    member = spot.member
    assert member is not None  # noqa: S101 (a member's spot has it)
    if block is None:
        let = checked.document.lets.get(str(spot.whole))
        return None if let is None else _of_fact(let, None)
    if member.let or str(spot.path) == str(spot.whole):
        fact = block.facts.get(str(spot.whole))
        if fact is not None and (fact.attribute is not None or fact.let):
            return _of_fact(fact, block)
    return _path(checked, spot, block)


def _of_fact(fact: Fact, block: Block | None) -> Meaning:
    sort = "let" if fact.let else "fact"
    identity = (sort, fact.owner, str(fact.path))
    return Meaning(
        identity,
        fact.path_span,
        block=block,
        fact=fact,
        attribute=fact.attribute,
        path=str(fact.path),
    )


def _path(checked: Checked, spot: Spot, block: Block | None) -> Meaning | None:
    role = _role(checked, spot, block)
    if role is not None:
        return role
    for path in (spot.path, spot.whole):
        found = _through(checked, path, block, spot.span.file)
        if found is not None and (path == spot.whole or found.identity[0] != "let"):
            return found
    return None


def _role(checked: Checked, spot: Spot, block: Block | None) -> Meaning | None:
    """A block's name as the value of a role, which says the kind."""
    member = spot.member
    if member is None or block is None or spot.sort != "path":
        return None
    attribute = block.kind.attributes.get(member.path.pattern)
    if attribute is None or attribute.sort != "block":
        return None
    return _named(checked, str(spot.path), spot.span.file, attribute.of)


def _through(
    checked: Checked, path: Path, block: Block | None, file: str
) -> Meaning | None:
    """What a path leads to: a statement, a derived quantity, or a block on the way."""
    found = checked.lookup.find(path, block, file)
    if not isinstance(found, Target):
        return None
    if found.sort == "block":
        return _block(found.block)
    if found.sort == "metric" and found.entry is not None and found.scenario:
        identity = ("metric", found.scenario.name, found.path)
        return Meaning(
            identity, entry=found.entry, path=found.path, scenario=found.scenario
        )
    if found.attribute is not None and found.attribute.sort == "block" and found.fact:
        name = str(found.fact.expr.value)
        return _named(checked, name, found.fact.file, found.attribute.of)
    if found.fact is not None:
        return _of_fact(found.fact, found.block)
    if found.attribute is None:
        return None
    owner = found.block.name if found.block else ""
    entry = entry_of(checked.lookup.table, parse_path(found.role or found.path))
    return Meaning(
        ("fact", owner, found.path),
        block=found.block,
        attribute=found.attribute,
        entry=entry[0] if entry else None,
        path=found.path,
        scenario=found.scenario,
    )
