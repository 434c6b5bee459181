"""A file with one statement a line, each with its block's name before it.

What git's diff compares where `isocost git setup` was run: layout, comments and line
breaks are gone, so that only statements show.
"""

from collections.abc import Iterator

from isocost.dsl.changes import cites_text
from isocost.dsl.meaning import cites_of
from isocost.dsl.spans import Span
from isocost.dsl.syntax import Block, Edition, File, Import, Member, Statement, UnitDecl


def flat(file: File) -> Iterator[str]:
    """The statements of a parsed file in their order."""
    for item in file.items:
        match item:
            case Edition():
                yield f"edition {item.year}"
            case Import():
                alias = f" as {item.alias}" if item.alias else ""
                yield f'import "{item.target}"{alias}'
            case UnitDecl():
                yield f"unit {item.name.text}"
            case Statement():
                yield f"{item.kind} {_cut(file, item.span)}"
            case Member():
                yield _member(file, item, "")
            case Block():
                yield from _block(file, item)


def _block(file: File, block: Block) -> Iterator[str]:
    title = f' "{block.title}"' if block.title else ""
    base = f" extends {block.base.text}" if block.base else ""
    yield f"{block.kind.text} {block.name.text}{title}{base}"
    for member in block.members:
        yield _member(file, member, f"{block.name.text}.")


def _member(file: File, member: Member, owner: str) -> str:
    value = _cut(file, member.value.span) if member.value.span else ""
    if member.deny:
        why = f' "{member.why}"' if member.why else ""
        return f"{owner}deny {value}{why}"
    head = f"let {owner}" if member.let else owner
    sign = ":=" if member.formula else "="
    shown = f" in {member.unit.text}" if member.unit else ""
    cites = cites_text(cites_of(member.cites))
    return f"{head}{member.path} {sign} {value}{shown}" + (f" {cites}" if cites else "")


def _cut(file: File, span: Span) -> str:
    lines = file.text[span.start : span.end].splitlines() or [""]
    if len(lines) > 1:
        lines = [line.partition("#")[0] for line in lines]
    return " ".join(" ".join(lines).split())
