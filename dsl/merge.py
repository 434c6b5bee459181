"""Three versions of a file merged fact by fact, conflicts left as conflicts.

A file is cut into pieces: its statements, and in each block its header, its facts and
its end, every piece with the comments above it. Pieces are matched by what they state,
so that two edits of neighbouring lines meet without a conflict and one edited on both
sides always is one. A text that cannot be cut so is not merged here at all.
"""

from collections.abc import Iterable, Mapping, Sequence

import attrs

from isocost.dsl.parser import parse
from isocost.dsl.places import Text
from isocost.dsl.spans import Span
from isocost.dsl.syntax import (
    Block,
    Edition,
    Import,
    Item,
    Member,
    Statement,
    UnitDecl,
)

Key = tuple[str, ...]
#: The end of a part: what stands below its last statement, and its closing brace.
_END: Key = ("end",)
MARKERS = 7


@attrs.frozen
class Piece:
    """A statement with the blank lines and comments above it, line ends included."""

    above: str
    text: str
    inside: "Mapping[Key, Piece] | None" = None

    @property
    def whole(self) -> str:
        """Everything that it says."""
        parts = [p.whole for p in self.inside.values()] if self.inside else []
        return self.above + self.text + "".join(parts)


@attrs.frozen
class Merged:
    """The merged text and the number of conflicts that are marked in it."""

    text: str
    conflicts: int


@attrs.frozen
class Names:
    """What the sides are called in conflict markers, and how long those are."""

    ours: str = "ours"
    base: str = "base"
    theirs: str = "theirs"
    size: int = MARKERS


def cut(text: str) -> dict[Key, Piece] | None:
    """The pieces of a text in its order; None where they cannot be told apart."""
    file = parse(text, "merged")
    if file.diagnostics:
        return None
    places = Text(text)
    spans = [_span(item) for item in file.items]
    items = list(zip(spans, file.items, strict=True))
    return _pieces(text, places, 0, len(text), items)


def _span(item: Item | Member) -> Span:
    return item.name.span if isinstance(item, UnitDecl) else item.span


def _line_end(places: Text, offset: int) -> int:
    """The place behind the end of the line of a place."""
    line, _ = places.position(offset)
    starts = places.starts
    return starts[line] if line < len(starts) else len(places.text)


def _pieces(
    text: str,
    places: Text,
    start: int,
    end: int,
    items: Sequence[tuple[Span, Item | Member]],
) -> dict[Key, Piece] | None:
    out: dict[Key, Piece] = {}
    for span, item in items:
        stop = _line_end(places, max(span.end - 1, span.start))
        if stop > end or span.start < start:
            return None
        key = _key(item, out)
        if key is None or key in out:
            return None
        first = places.starts[places.position(span.start)[0] - 1]
        first = max(first, start)
        piece = _piece(text, places, (start, first, stop), item)
        if piece is None:
            return None
        out[key] = piece
        start = stop
    out[_END] = Piece("", text[start:end])
    return out


def _piece(
    text: str, places: Text, where: tuple[int, int, int], item: Item | Member
) -> Piece | None:
    """A statement's piece; a block on several lines is cut further."""
    start, first, stop = where
    whole = Piece(text[start:first], text[first:stop])
    if not isinstance(item, Block):
        return whole
    opened = text.find("{", (item.base or item.name).span.end)
    body = _line_end(places, opened)
    members = [(member.span, member) for member in item.members]
    if members and members[0][0].start < body:
        return whole
    if body >= stop:
        return whole
    inside = _pieces(text, places, body, stop, members)
    if inside is None:
        return None
    return Piece(text[start:first], text[first:body], inside)


def _key(item: Item | Member, out: Mapping[Key, Piece]) -> Key | None:
    """What a statement is about; checks and claims go by their purpose."""
    match item:
        case Edition():
            return ("edition",)
        case Import():
            return ("import", item.target)
        case UnitDecl():
            return ("unit", item.name.text)
        case Block():
            return ("block", item.name.text, item.kind.text)
        case Member():
            if not item.deny:
                return ("fact", str(item.path))
            return _numbered(("deny", repr(item.value)), out)
        case Statement():
            return _numbered((item.kind, item.why or repr(item.condition)), out)


def _numbered(key: Key, out: Mapping[Key, Piece]) -> Key:
    """A key that is told from equal ones before it by its number."""
    count = 1
    while (*key, str(count)) in out:
        count += 1
    return (*key, str(count))


def merge(
    base: str, ours: str, theirs: str, names: Names | None = None
) -> Merged | None:
    """Merge two versions of a text with a common one.

    Args:
        base: The common version.
        ours: One version; its order and its spelling are kept.
        theirs: The other version.
        names: What the sides are called in conflict markers.

    Returns:
        The merged text; None where a version cannot be cut into statements, or where
        the merged one would not state what both sides meant.
    """
    if theirs in {ours, base}:
        return Merged(ours, 0)
    if ours == base:
        return Merged(theirs, 0)
    parts = [cut(_ended(text)) for text in (base, ours, theirs)]
    if any(part is None for part in parts):
        return None
    run = _Merge(names or Names())
    a, b, c = (part or {} for part in parts)
    text = "".join(run.part(a, b, c))
    if not run.conflicts and not _sound(text):
        return None
    ended = ours if base.endswith("\n") else theirs
    if ended and not ended.endswith("\n") and not run.conflicts:
        text = text.removesuffix("\n")
    return Merged(text, run.conflicts)


def _sound(text: str) -> bool:
    """Whether a text without conflicts can be cut again: nothing is stated twice."""
    return cut(text) is not None


class _Merge:
    """One merge: the names for its markers, and the conflicts so far."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.conflicts = 0

    def part(
        self,
        base: Mapping[Key, Piece],
        ours: Mapping[Key, Piece],
        theirs: Mapping[Key, Piece],
    ) -> Iterable[str]:
        """The merged pieces of a part, in the order of ours."""
        for key in _order(base, ours, theirs):
            pieces = (base.get(key), ours.get(key), theirs.get(key))
            yield from self._piece(*pieces)

    def _piece(
        self, base: Piece | None, ours: Piece | None, theirs: Piece | None
    ) -> Iterable[str]:
        texts = [p.whole if p is not None else None for p in (base, ours, theirs)]
        if texts[1] == texts[2] or texts[2] == texts[0]:
            yield texts[1] or ""
            return
        if texts[1] == texts[0]:
            yield texts[2] or ""
            return
        if ours is not None and theirs is not None:
            before = base or Piece("", "")
            if ours.inside is not None and theirs.inside is not None:
                yield from self._block(before, ours, theirs)
                return
            if (ours.inside is None) == (theirs.inside is None):
                yield self._text(before.above, ours.above, theirs.above)
                yield self._text(before.text, ours.text, theirs.text)
                return
        left = ours or theirs
        if _same_statement(base, left):
            # The statement is gone; what was said above it stays.
            yield left.above if left is not None else ""
            return
        yield self._conflict(texts[0], texts[1], texts[2])

    def _block(self, base: Piece, ours: Piece, theirs: Piece) -> Iterable[str]:
        yield self._text(base.above, ours.above, theirs.above)
        yield self._text(base.text, ours.text, theirs.text)
        assert ours.inside is not None  # noqa: S101 (the caller looked)
        assert theirs.inside is not None  # noqa: S101
        yield from self.part(base.inside or {}, ours.inside, theirs.inside)

    def _text(self, base: str, ours: str, theirs: str) -> str:
        if ours in (theirs, base):
            return theirs if ours == base else ours
        return ours if theirs == base else self._conflict(base, ours, theirs)

    def _conflict(self, base: str | None, ours: str | None, theirs: str | None) -> str:
        """The three texts between markers, as git writes them with a base."""
        self.conflicts += 1
        size = self.names.size
        return "".join(
            (
                f"{'<' * size} {self.names.ours}\n",
                _ended(ours or ""),
                f"{'|' * size} {self.names.base}\n",
                _ended(base or ""),
                f"{'=' * size}\n",
                _ended(theirs or ""),
                f"{'>' * size} {self.names.theirs}\n",
            )
        )


def _same_statement(a: Piece | None, b: Piece | None) -> bool:
    """Whether two statements differ at most in what stands above them."""
    if a is None or b is None or a.inside is not None or b.inside is not None:
        return False
    return a.text == b.text


def _ended(text: str) -> str:
    """A text whose last line is ended."""
    return text if not text or text.endswith("\n") else f"{text}\n"


def _order(
    base: Mapping[Key, Piece], ours: Mapping[Key, Piece], theirs: Mapping[Key, Piece]
) -> list[Key]:
    """All keys: in our order, or in theirs where only they changed it.

    What one side added stands behind what it follows there.
    """
    common = [key for key in base if key in ours and key in theirs]
    of_ours = [key for key in ours if key in base and key in theirs]
    first, second = (ours, theirs) if of_ours != common else (theirs, ours)
    behind: dict[Key | None, list[Key]] = {}
    last: Key | None = None
    for key in second:
        if key in first:
            last = key
        else:
            behind.setdefault(last, []).append(key)
    out = list(behind.get(None, ()))
    for key in first:
        if key != _END:
            out += [key, *behind.get(key, ())]
    return [*out, _END]
