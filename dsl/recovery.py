"""Reads what can be read of a faulty file, and says what is wrong with the rest.

Each block is parsed whole; one that fails is parsed member by member, so that the
good members are kept and every faulty line gives one diagnostic. Where the mistake
leaves no doubt about what was meant (a missing `=`), the mended line is kept too;
else a fact whose name can be read stays with an `unreadable` value, so that nobody
is told that it is missing.
"""

import re
from typing import Any

import attrs

from isocost.dsl.building import Unread
from isocost.dsl.diagnostics import Diagnostic, Label, at
from isocost.dsl.expr import Expr
from isocost.dsl.faults import find_fault
from isocost.dsl.layout import BlockShape, Piece, Stray, lay_out
from isocost.dsl.parser import parse_piece
from isocost.dsl.shifting import shifted
from isocost.dsl.spans import Span
from isocost.dsl.syntax import (
    Block,
    CiteRef,
    Import,
    Item,
    Member,
    Name,
    parse_path,
)

_BEFORE = "k n{"
_AFTER = "\n}"
_KEYS = r"(?:\[[ \t]*\w[\w.\-]*(?:[ \t]*,[ \t]*\w[\w.\-]*)*[ \t]*\])?"
_READABLE = re.compile(
    rf"(?P<let>let[ \t]+)?(?P<path>[A-Za-z_]\w*{_KEYS}(?:\.[A-Za-z_]\w*{_KEYS})*)"
    r"[ \t]*(?::?=|:)"
)
_HEADER = re.compile(r"([A-Za-z_]\w*)[ \t]+([A-Za-z_]\w*)")

_CITE = re.compile(r"@([A-Za-z_]\w*)")

Recovered = tuple[tuple[Item, ...], tuple[Name, ...], tuple[Diagnostic, ...]]


def recover(text: str, file: str) -> Recovered:
    """Items, comments and diagnostics of a file that does not parse as a whole."""
    layout = lay_out(text)
    reader = _Reader(text, file)
    for shape in layout.shapes:
        reader.read(shape)
    if not reader.diagnostics:
        reader.whole()
    comments = tuple(
        Name(text[start:end], Span(file, start, end)) for start, end in layout.comments
    )
    return tuple(reader.items), comments, tuple(reader.diagnostics)


class _Reader:
    """Gathers what the shapes of one file give."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.items: list[Item] = []
        self.diagnostics: list[Diagnostic] = []
        self.lost = False

    def read(self, shape: Piece | BlockShape | Stray) -> None:
        """One shape; facts that follow a lost header are reported once."""
        if isinstance(shape, Piece):
            self._item(shape)
            return
        if isinstance(shape, Stray):
            if not self.lost:
                span = Span(self.file, shape.place, shape.place + 1)
                self.diagnostics.append(at("S006", span, found="}"))
        else:
            self._block(shape)
        self.lost = False

    def whole(self) -> None:
        """Every piece was right and the whole was not: say where it failed."""
        try:
            parse_piece(self.text, self.file)
        except Unread as error:
            piece = Piece(0, len(self.text), 0)
            found = find_fault(self.text, self.file, piece, error, 0)
            self.diagnostics.append(found)

    def _parse(self, start: int, end: int, before: str = "", after: str = "") -> Any:
        text = before + self.text[start:end] + after
        return parse_piece(text, self.file, start - len(before))

    def _item(self, piece: Piece) -> None:
        indented = self.text[piece.code - 1 : piece.code] in {" ", "\t"}
        if piece.late:
            span = Span(self.file, piece.start, piece.end)
            found = self.text[piece.start : piece.end]
            fault = at("S001", span, found=found, expected="end", hint="late")
            self.diagnostics.append(fault)
            return
        try:
            self.items.extend(self._parse(piece.start, piece.end))
        except Unread as error:
            fault = find_fault(self.text, self.file, piece, error, piece.start)
            outside = indented and fault.args.get("hint") == "outside"
            if not (outside and self.lost):
                self.diagnostics.append(fault)
            self.lost = self.lost or outside
            sure = not _doubtful(fault)
            mended = self._mended(piece, fault, "", "") if sure else None
            mended = mended or self._let(piece)
            self.items.extend(m for m in mended if not isinstance(m, Import))
            return
        self.lost = False

    def _let(self, piece: Piece) -> list[Member]:
        """A `let` at the top with its name and no value."""
        return [member for member in self._unreadable(piece) if member.let]

    def _block(self, shape: BlockShape) -> None:
        clean = shape.close is not None and not shape.stray and not shape.nested
        if clean:
            try:
                self.items.extend(self._parse(shape.header.start, shape.end))
            except Unread:
                pass
            else:
                return
        before = len(self.diagnostics)
        header = self._header(shape)
        members = [m for piece in shape.members for m in self._members(piece)]
        self._misplaced(shape)
        if len(self.diagnostics) == before and clean:
            self._parse_again(shape)
        if header is not None:
            span = Span(self.file, header.span.start, shape.end)
            self.items.append(attrs.evolve(header, members=tuple(members), span=span))

    def _parse_again(self, shape: BlockShape) -> None:
        """Header and members are right, the block is not (two facts on a line)."""
        try:
            self._parse(shape.header.start, shape.end)
        except Unread as error:
            piece = Piece(shape.header.start, shape.end, shape.header.code)
            start = shape.header.start
            self.diagnostics.append(
                find_fault(self.text, self.file, piece, error, start)
            )

    def _misplaced(self, shape: BlockShape) -> None:
        """Braces that are missing or too many, blocks inside a block."""
        for place in shape.stray:
            span = Span(self.file, place, place + 1)
            self.diagnostics.append(at("S006", span, found="}"))
        for piece in shape.nested:
            span = Span(self.file, piece.code, piece.end)
            found = self.text[piece.code : piece.end]
            fault = at("S001", span, found=found, expected="member", hint="nested")
            self.diagnostics.append(fault)
        if shape.close is None and not shape.nested:
            end = max(shape.brace + 1, shape.header.end)
            span = Span(self.file, min(shape.brace, end - 1), end)
            still_open = Span(self.file, shape.end, shape.end)
            also = [Label(still_open, "missing-brace")]
            self.diagnostics.append(at("S003", span, also=also))

    def _header(self, shape: BlockShape) -> Block | None:
        piece = shape.header
        try:
            (block,) = self._parse(piece.start, piece.end, "", _AFTER)
        except Unread as error:
            fault = find_fault(self.text, self.file, piece, error, piece.start)
            self.diagnostics.append(fault)
            mended = self._mended(piece, fault, "", _AFTER)
            if mended:
                return mended[0]  # type: ignore[no-any-return]
            return self._synthetic(piece)
        return block  # type: ignore[no-any-return]

    def _synthetic(self, piece: Piece) -> Block | None:
        """A header that keeps the members where kind and name can be made out."""
        match = _HEADER.match(self.text, piece.code, piece.end)
        if match is None:
            return None
        kind, name = (
            Name(match[i], Span(self.file, match.start(i), match.end(i)))
            for i in (1, 2)
        )
        span = Span(self.file, piece.code, piece.end)
        return Block(kind, name, "", None, (), span)

    def _members(self, piece: Piece) -> list[Member]:
        try:
            (block,) = self._parse(piece.start, piece.end, _BEFORE, _AFTER)
        except Unread as error:
            shift = piece.start - len(_BEFORE)
            fault = find_fault(self.text, self.file, piece, error, shift)
            self.diagnostics.append(fault)
            mended = self._mended(piece, fault, _BEFORE, _AFTER)
            if mended and not _doubtful(fault):
                return list(mended[0].members)
            return self._unreadable(piece)
        return list(block.members)

    def _unreadable(self, piece: Piece) -> list[Member]:
        """The fact with its name and no value."""
        match = _READABLE.match(self.text, piece.code, piece.end)
        if match is None:
            return []
        span = Span(self.file, piece.code, piece.end)
        path = Span(self.file, match.start("path"), match.end("path"))
        value = Expr("unreadable", span=span)
        let = match["let"] is not None
        name = parse_path(match["path"])
        cites = self._cites(match.end(), piece.end) or (CiteRef("assumed", "", span),)
        return [Member(name, path, let, value, None, cites, span, let)]

    def _cites(self, start: int, end: int) -> tuple[CiteRef, ...]:
        """The sources of a fact that cannot be read, so that they count as cited."""
        return tuple(
            CiteRef(match[1], "", Span(self.file, match.start(), match.end()))
            for match in _CITE.finditer(self.text, start, end)
        )

    def _mended(self, piece: Piece, fault: Diagnostic, before: str, after: str) -> Any:
        """The piece with its fix applied, its places as in the text as it stands."""
        if len(fault.fixes) != 1:
            return None
        (fix,) = fault.fixes
        start, end = fix.span.start, fix.span.end
        head, tail = self.text[piece.start : start], self.text[end : piece.end]
        offset = piece.start - len(before)
        text = before + head + fix.text + tail + after
        try:
            found = parse_piece(text, self.file, offset)
        except Unread:
            return None
        delta = len(fix.text) - (end - start)
        return shifted(found, after=start + max(delta, 0), by=-delta)


def _doubtful(fault: Diagnostic) -> bool:
    """Whether the mended fact may be another than the one that was meant."""
    dash = any(fix.text.strip() == "to" for fix in fault.fixes)
    return dash or fault.args.get("hint") == "name-sign"
