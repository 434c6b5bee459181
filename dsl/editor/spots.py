"""What stands at a place of a file: the name there, and in which block."""

import re
from collections.abc import Iterator

import attrs

from isocost.dsl.document import Block as Resolved
from isocost.dsl.document import Document
from isocost.dsl.expr import Expr
from isocost.dsl.spans import Span
from isocost.dsl.syntax import (
    Block,
    File,
    Import,
    Member,
    Path,
    Statement,
    parse_path,
)

_STEP = re.compile(r"(\w+)(\s*\[([^\]]*)\])?\s*\.?")


_NOWHERE = Path(())


@attrs.frozen
class Spot:
    """One name in a file.

    `sort` says as what it stands there: a `path` of a formula, the `member` that a line
    states, a `key` in its brackets, a `role` (a block's name as a value), a block's
    `name`, its `base` or its `kind`, a `cite`, a `unit`, or an `import`. `path` is the
    path up to and with the name, `whole` all of it; `span` is the name's alone.
    """

    sort: str
    span: Span
    text: str
    path: Path = _NOWHERE
    whole: Path = _NOWHERE
    block: Block | None = None
    member: Member | None = None
    position: int = 0


def spots(file: File) -> Iterator[Spot]:
    """Every name of a file, in no order."""
    for item in file.items:
        if isinstance(item, Block):
            yield Spot("kind", item.kind.span, item.kind.text, block=item)
            yield Spot("name", item.name.span, item.name.text, block=item)
            if item.base is not None:
                base = parse_path(item.base.text)
                last = base.parts[-1].name
                end = item.base.span.end
                span = Span(item.base.span.file, end - len(last), end)
                yield Spot("base", span, last, base, base, block=item)
            for member in item.members:
                yield from _member(member, item, file)
        elif isinstance(item, Member):
            yield from _member(item, None, file)
        elif isinstance(item, Statement):
            yield from _paths(item.condition, None, None, file)
            yield from _cites(item)
        elif isinstance(item, Import):
            yield Spot("import", item.span, item.target)


def spot_at(file: File, offset: int) -> Spot | None:
    """The innermost name at a place; one that ends there counts as well."""
    around = [s for s in spots(file) if s.span.start <= offset <= s.span.end]
    return min(around, key=lambda s: s.span.end - s.span.start, default=None)


def resolved(document: Document, block: Block | None, file: str) -> Resolved | None:
    """The resolved block of a block as its file states it."""
    if block is None:
        return None
    every = (*document.blocks.values(), *document.sources.values())
    for one in every:
        if one.file == file and one.span == block.name.span:
            return one
    return None


def _member(member: Member, block: Block | None, file: File) -> Iterator[Spot]:
    if not member.deny:
        yield from _steps("member", member.path, member.path_span, block, member, file)
    yield from _paths(member.value, block, member, file)
    yield from _cites(member, block)
    if member.unit is not None:
        yield Spot("unit", member.unit.span, member.unit.text, block=block)


def _cites(item: Member | Statement, block: Block | None = None) -> Iterator[Spot]:
    for cite in item.cites:
        end = cite.span.start + 1 + len(cite.key)
        if not cite.assumed:
            span = Span(cite.span.file, cite.span.start, min(end, cite.span.end))
            yield Spot("cite", span, cite.key, block=block)


def _paths(
    expr: Expr, block: Block | None, member: Member | None, file: File
) -> Iterator[Spot]:
    for part in expr.walk():
        if part.span is None:
            continue
        if part.op == "path":
            yield from _steps("path", part.value, part.span, block, member, file)
        elif part.op == "literal" and " " in part.value.text:
            unit = part.value.text.partition(" ")[2]
            end = part.span.end  # the file may lack the space, which is told
            span = Span(part.span.file, end - len(unit), end)
            yield Spot("unit", span, unit, block=block)


def _steps(
    sort: str,
    path: Path,
    span: Span,
    block: Block | None,
    member: Member | None,
    file: File,
) -> Iterator[Spot]:
    """A spot for each name of a path, and for each key in its brackets."""
    text = file.text[span.start : span.end]
    found = list(_STEP.finditer(text))
    if len(found) != len(path.parts):  # as within brackets of its own
        return
    for i, match in enumerate(found):
        at = Span(span.file, span.start + match.start(1), span.start + match.end(1))
        head = Path(path.parts[: i + 1])
        yield Spot(sort, at, match[1], head, path, block, member)
        if match[3]:
            where = span.start + match.start(3)
            for number, key in enumerate(re.finditer(r"[^,\s]+", match[3])):
                inner = Span(span.file, where + key.start(), where + key.end())
                yield Spot("key", inner, key[0], head, path, block, member, number)
