"""Settings from a command line as overrides of the scenarios that they name.

`--set trainium2.power=450 W` reads like a line of a scenario; with a scenario's name
in front it is a line of that scenario alone. `:=` works as well.
"""

import itertools
import re
from collections.abc import Sequence

import attrs

from isocost.dsl.building import Unread
from isocost.dsl.diagnostics import Diagnostic, at
from isocost.dsl.document import Block, Document, Fact
from isocost.dsl.lookup import Lookup, Target
from isocost.dsl.parser import parse
from isocost.dsl.resolve import resolve_members, with_units
from isocost.dsl.spans import Span
from isocost.dsl.syntax import Block as BlockNode
from isocost.dsl.syntax import File, Member, Path, parse_path

NAME = "--set"


def with_settings(document: Document, settings: Sequence[str]) -> Document:
    """The document with every setting as an override.

    Args:
        document: The resolved document.
        settings: Texts `PATH=VALUE`, each applied to every scenario, or to the one
            that its path begins with.

    Returns:
        A document; a setting that cannot be read is in its diagnostics.
    """
    if not settings:
        return document
    lines = [line if ":=" in line else _spaced(line) for line in settings]
    text = "scenario set {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"
    file = _parsed(text)
    if isinstance(file, Diagnostic):
        return attrs.evolve(document, diagnostics=(*document.diagnostics, file))
    blocks, lets = dict(document.blocks), dict(document.lets)
    found: list[Diagnostic] = list(file.diagnostics)
    if not found and not _one_each(file, settings):
        found.append(_not_a_value(text))
        return attrs.evolve(document, diagnostics=(*document.diagnostics, *found))
    for item in file.items:
        for member in item.members if isinstance(item, BlockNode) else ():
            if str(member.path) in lets and not _inside(document, member.path):
                before = lets[str(member.path)]
                lets[str(member.path)] = _restated(document, before, member, found)
            else:
                _apply(document, blocks, member, found)
    return attrs.evolve(
        document,
        files={**document.files, NAME: file},
        blocks=blocks,
        lets=lets,
        diagnostics=(*document.diagnostics, *found),
    )


def _inside(document: Document, path: Path) -> bool:
    """Whether a scenario has a `let` of this name, which is meant before the top's."""
    return any(str(path) in one.facts for one in document.of_kind("scenario"))


def _restated(
    document: Document, before: Fact, member: Member, found: list[Diagnostic]
) -> Fact:
    """A `let` at the top as a setting states it, for all scenarios at once."""
    expr, problems = with_units(document, member.value)
    found.extend(problems)
    return attrs.evolve(
        before,
        expr=expr,
        formula=member.formula,
        cites=member.cites,
        span=member.span,
        path_span=member.path_span,
        file=NAME,
    )


def with_variants(
    document: Document, names: Sequence[str], tries: Sequence[tuple[str, Sequence[str]]]
) -> tuple[Document, list[str]]:
    """The document with a copy of some scenarios for every mix of values tried.

    Args:
        document: The resolved document.
        names: The scenarios that are copied.
        tries: Paths, and for each the texts of the values that it takes in turn.

    Returns:
        The document and the copies' names, which tell the values; they draw as their
        originals do. A value that cannot be read is in the document's diagnostics.
    """
    blocks, made, lines = dict(document.blocks), [], []
    for name in names:
        for values in itertools.product(*(options for _, options in tries)):
            words = [re.sub(r"\W+", "_", value).strip("_") for value in values]
            new = "_".join([name, *words])
            while new in blocks:
                new += "_"
            blocks[new] = attrs.evolve(document.blocks[name], name=new)
            made.append(new)
            paths = (path for path, _ in tries)
            lines += [f"{new}.{p} = {v}" for p, v in zip(paths, values, strict=True)]
    return with_settings(attrs.evolve(document, blocks=blocks), lines), made


def _spaced(setting: str) -> str:
    path, _, value = setting.partition("=")
    return f"{path.strip()} = {value.strip()}"


def _parsed(text: str) -> File | Diagnostic:
    try:
        return parse(text, NAME)
    except Unread:
        return _not_a_value(text)


def _not_a_value(text: str) -> Diagnostic:
    return at("S001", Span(NAME, 0, len(text)), found="--set", expected="a value")


def _one_each(file: File, settings: Sequence[str]) -> bool:
    """Whether every setting is one member of the one block, and nothing else."""
    match file.items:
        case (BlockNode(members=members),):
            return len(members) == len(settings)
        case _:
            return False


def _apply(
    document: Document,
    blocks: dict[str, Block],
    member: Member,
    found: list[Diagnostic],
) -> None:
    scenarios = [b for b in blocks.values() if b.kind.name == "scenario"]
    targets, path = _targets(document, scenarios, member.path)
    for scenario in targets:
        changed = attrs.evolve(member, path=path)
        facts, problems = resolve_members(document, scenario, [changed], NAME)
        facts = {text: _let(scenario, text, fact) for text, fact in facts.items()}
        found.extend(problems)
        own = scenario.own | set(facts)
        lookup = Lookup(document, {})
        kept = {
            text: fact
            for text, fact in scenario.facts.items()
            if text not in facts
            and not any(_same(lookup, scenario, fact, new) for new in facts.values())
        }
        blocks[scenario.name] = attrs.evolve(
            scenario, facts={**kept, **facts}, own=frozenset(own)
        )


def _let(scenario: Block, text: str, fact: Fact) -> Fact:
    """A setting of a scenario's own `let` is one, and no override of something else."""
    before = scenario.facts.get(text)
    own = before is not None and before.let
    return attrs.evolve(fact, let=True) if own else fact


def _same(lookup: Lookup, scenario: Block, old: Fact, new: Fact) -> bool:
    """Whether an override and a setting are of one quantity, under whatever paths."""
    if old.attribute is not None or old.let or new.attribute is not None:
        return False
    paths = (old.path, new.path)
    found = [lookup.find(path, scenario, scenario.file) for path in paths]
    if not all(isinstance(one, Target) and one.block is not None for one in found):
        return False
    a, b = ((one.block.name, one.path) for one in found)  # type: ignore[union-attr]
    return a == b


def _targets(
    document: Document, scenarios: list[Block], path: Path
) -> tuple[list[Block], Path]:
    """The scenarios that a setting is for, and the path inside them.

    A setting of every scenario passes over those that bind nothing which has it.
    """
    lookup = Lookup(document, {})
    for scenario in scenarios:
        name = parse_path(scenario.name)
        size = len(name.parts)
        if path.parts[:size] == name.parts and len(path.parts) > size:
            rest = Path(path.parts[size:])
            alone = len(document.named(scenario.name)) == 1
            if alone or isinstance(lookup.find(rest, scenario), Target):
                return [scenario], rest
    knowing = [
        scenario
        for scenario in scenarios
        if isinstance(lookup.find(path, scenario, scenario.file), Target)
    ]
    return knowing or scenarios, path
