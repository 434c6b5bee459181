"""The outline of a file, its fixes, and what it says of places between its words."""

from collections.abc import Iterator

import attrs

from isocost.dsl.diagnostics import Diagnostic, Fix
from isocost.dsl.messages import fix_title
from isocost.dsl.spans import Span
from isocost.dsl.syntax import Block, File, Member, Statement


@attrs.frozen
class Symbol:
    """One entry of an outline: `span` is all of it, `name_span` its name."""

    name: str
    sort: str
    detail: str
    span: Span
    name_span: Span
    inside: tuple["Symbol", ...] = ()


def outline(file: File) -> list[Symbol]:
    """The blocks of a file with their members, its `let`s, checks and claims."""
    return list(_symbols(file))


def _symbols(file: File) -> Iterator[Symbol]:
    for item in file.items:
        if isinstance(item, Block):
            inside = tuple(_member(m) for m in item.members if not m.deny)
            detail = f"{item.kind.text} {item.title}".strip()
            span = item.span.to(item.name.span)
            yield Symbol(item.name.text, "block", detail, span, item.name.span, inside)
        elif isinstance(item, Member):
            yield _member(item)
        elif isinstance(item, Statement):
            name = item.why or item.kind
            yield Symbol(name, item.kind, item.kind, item.span, item.span)


def _member(member: Member) -> Symbol:
    sort = "let" if member.let else "fact"
    span = member.span.to(member.path_span)
    return Symbol(str(member.path), sort, "", span, member.path_span)


def fixes_in(
    diagnostics: list[Diagnostic], span: Span
) -> list[tuple[Diagnostic, str, Fix]]:
    """The fixes of the diagnostics that touch a range of a file, with their titles."""
    return [
        (one, fix_title(one, fix), fix)
        for one in diagnostics
        for fix in one.fixes
        if fix.span.file == span.file
        and one.span.file == span.file
        and one.span.start <= span.end
        and span.start <= one.span.end
    ]
