"""What a scenario sets in other blocks: once each, and in blocks that it uses.

An override is named by the block that it leads into, whatever words lead there.
"""

from collections.abc import Callable, Iterator

from isocost.dsl.diagnostics import WARNING, Diagnostic, Label, at
from isocost.dsl.document import Block, Fact
from isocost.dsl.lookup import ROLES, SHORTHANDS, Lookup, Target
from isocost.dsl.pools import has_pools, pool_of
from isocost.dsl.schema.pools import POOLS
from isocost.dsl.syntax import Path, parse_path

Report = Callable[[Diagnostic], None]


def overrides_of(scenario: Block) -> Iterator[Fact]:
    """The statements of a scenario about other blocks and about derived quantities."""
    for fact in scenario.facts.values():
        if fact.attribute is None and not fact.let:
            yield fact


def check_overrides(scenario: Block, lookup: Lookup, report: Report) -> None:
    """Report what is set twice, what lost its block, and what has no effect."""
    _twice(scenario, lookup, report)
    _orphaned(scenario, lookup, report)
    _out_of_reach(scenario, lookup, report)


def _twice(scenario: Block, lookup: Lookup, report: Report) -> None:
    """Two settings of one quantity are a mistake, so that their order never matters."""
    seen: dict[tuple[str, str], Fact] = {}
    for fact in overrides_of(scenario):
        found = lookup.find(fact.path, scenario, fact.file)
        if not isinstance(found, Target):
            continue
        owner = found.block.name if found.block else ""
        first = seen.setdefault((owner, found.path), fact)
        if first is not fact and str(fact.path) in scenario.own:
            also = (Label(first.path_span, "set here as well"),)
            name = str(fact.path)
            report(at("N006", fact.path_span, also=also, name=name))


def _orphaned(scenario: Block, lookup: Lookup, report: Report) -> None:
    """An inherited override of a block that this scenario has replaced."""
    base = lookup.document.blocks.get(scenario.base or "")
    if base is None or base.kind.name != "scenario":
        return
    before, after = reach(base, lookup), reach(scenario, lookup)
    for fact in overrides_of(scenario):
        if str(fact.path) in scenario.own:
            continue
        old = lookup.find(fact.path, base, fact.file)
        new = lookup.find(fact.path, scenario, fact.file)
        if not isinstance(old, Target) or old.block is None:
            continue
        same = isinstance(new, Target) and new.block == old.block
        lost = old.block.name in before and old.block.name not in after
        if same and not lost:
            continue
        place = _replaced(scenario, base)
        also = (Label(fact.path_span, "set here"),)
        args = {"name": str(fact.path), "block": old.block.label}
        where = place.path_span if place else scenario.span
        report(at("N011", where, also=also, facts=args))


def _replaced(scenario: Block, base: Block) -> Fact | None:
    """The first role that a scenario binds to another block than its base."""
    return next(
        (
            fact
            for path, fact in scenario.facts.items()
            if path in scenario.own
            and fact.attribute is not None
            and fact.attribute.sort == "block"
            and path in base.facts
            and fact.expr != base.facts[path].expr
        ),
        None,
    )


def _out_of_reach(scenario: Block, lookup: Lookup, report: Report) -> None:
    """An override by the name of a block that nothing here leads to."""
    used: frozenset[str] | None = None
    for fact in overrides_of(scenario):
        if str(fact.path) not in scenario.own:
            continue
        found = lookup.find(fact.path, scenario, fact.file)
        named = (
            isinstance(found, Target) and found.sort == "quantity" and not found.role
        )
        if not named or not isinstance(found, Target) or found.block is None:
            continue
        if found.block.kind.name == "scenario":
            continue
        used = reach(scenario, lookup) if used is None else used
        if found.block.name not in used:
            name = str(fact.path)
            report(at("L010", fact.path_span, severity=WARNING, name=name))


def unbound(path: Path, scenario: Block, lookup: Lookup) -> str | None:
    """The role that a derived quantity is of and that its scenario does not bind.

    Nothing would read what is stated for it. A network's figures are read without a
    `fabric` as well.
    """
    seen = scenario
    if path.head in POOLS and has_pools(scenario):
        seen, path = pool_of(scenario, path.head), path.rest
    role, *inner = SHORTHANDS.get(path.head, (path.head,))
    if role not in ROLES or role == "fabric" or len(path.parts) == 1:
        return None
    owner = lookup.reference(seen, parse_path(role))
    if owner is not None and inner:
        owner = lookup.reference(owner, parse_path(inner[0]))
    return path.head if owner is None and not lookup.lacking(seen) else None


def reach(scenario: Block, lookup: Lookup) -> frozenset[str]:
    """The names of all blocks that a scenario leads to: through roles and formulas."""
    found: set[str] = set()
    waiting = [scenario]
    while waiting:
        block = waiting.pop()
        if block.name in found:
            continue
        found.add(block.name)
        for fact in block.facts.values():
            waiting.extend(mentioned(fact, block, lookup))
    return frozenset(found)


def mentioned(fact: Fact, block: Block | None, lookup: Lookup) -> Iterator[Block]:
    """The blocks that a statement names, or into which its formula's paths lead."""
    document = lookup.document
    for part in fact.expr.walk():
        if part.op == "path":
            kinds = fact.attribute.of if fact.attribute is not None else ()
            meant = document.find(str(part.value), fact.file, kinds)
            named = document.named(str(part.value), fact.file)
            if meant is not None and meant.kind.name in kinds:
                named = (meant,)
            yield from named
    for key in lookup.needs.mentions(fact, block):
        found = document.blocks.get(key[0])
        if found is not None:
            yield found
