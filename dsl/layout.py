"""The shape of a faulty file: physical lines, logical lines, blocks.

Works on line starts, indents and brackets alone, so that it finds its way through a
text that cannot be parsed, in linear time. `recovery` parses the pieces.
"""

import re
from collections.abc import Iterator

import attrs

_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\r\n]|\\.)*")'
    r'|(?P<unclosed>"[^\r\n]*)'
    r"|(?P<doc>///[^\r\n]*)"
    r"|(?P<comment>\#[^\r\n]*)"
    r"|(?P<bracket>[()\[\]{}])"
    r"|(?P<space>[ \t\r]+)"
    r"|(?P<operator>:=|[<>=!]=|\+-|[-+*/^<>=,±])"
    r"|(?P<word>[A-Za-z0-9_.]+)"
    r"|(?P<other>.)"
)
_OPERATORS = {"+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "=", ":="}
_GOING_ON = _OPERATORS | {
    "±",
    "+-",
    ",",
    "and",
    "or",
    "not",
    "if",
    "then",
    "else",
    "to",
}
_NAME = r"[A-Za-z_][\w.\-]*(?:\[[^\]\n]*\]?[\w.]*)*"
_ASSIGNMENT = re.compile(rf"(?:let\s+)?{_NAME}\s*(?::=|=(?!=))|(?:let|deny)\s+\w")
_TOP_WORD = re.compile(r"(?:edition|import|check|claim|unit)\s+[^\s=:]")
_HEADER = re.compile(
    r"[A-Za-z_]\S*(?:[ \t]+[^\s\"{=]+)?(?:[ \t]+\"[^\"]*\")?"
    r"(?:[ \t]+extends(?:[ \t]+[^\s{]+)?)?[ \t]*\{"
)
_BARE_HEADER = re.compile(
    r"(?!(?:let|edition|import|check|claim|unit)\b)[A-Za-z_]\w*[ \t]+[A-Za-z_]\w*"
    r"(?:[ \t]+\"[^\"]*(?:\"|$))?(?:[ \t]+extends[ \t]+[\w.]+)?[ \t]*$"
)
#: How many lines after a fact that may be an argument a bracket may still close.
_PATIENCE = 30


@attrs.frozen
class Line:
    """One physical line that holds code or a doc comment.

    `start` and `end` delimit the code, comments left out; `brackets` are the round,
    square and curly ones with their places; `unclosed` is the place of a quotation
    mark without its partner.
    """

    start: int
    end: int
    indent: int
    text: str
    last: str
    brackets: tuple[tuple[str, int], ...]
    unclosed: int | None
    doc: bool = False

    @property
    def goes_on(self) -> bool:
        """Whether an operator at its end asks for more."""
        return self.last in _GOING_ON

    @property
    def assigns(self) -> bool:
        """Whether it looks like the start of a fact."""
        return _ASSIGNMENT.match(self.text) is not None

    @property
    def closes(self) -> bool:
        """Whether it starts with a closing brace."""
        return self.text.startswith("}")

    @property
    def opens(self) -> bool:
        """Whether it looks like the header of a block."""
        return _HEADER.match(self.text) is not None

    @property
    def opens_without_brace(self) -> bool:
        """Whether it looks like a header whose brace was forgotten."""
        return _BARE_HEADER.match(self.text) is not None

    @property
    def top_word(self) -> bool:
        """Whether it starts with a word that only stands at the top of a file."""
        return _TOP_WORD.match(self.text) is not None


@attrs.frozen
class Piece:
    """One logical line with its doc comments: what is parsed on its own.

    `opener` is the place of a bracket that nothing closes, `quote` that of a
    quotation mark; `late` is set where it stands behind a brace on one line.
    """

    start: int
    end: int
    code: int
    opener: int | None = None
    quote: int | None = None
    late: bool = False


@attrs.frozen
class BlockShape:
    """A block: its header, its members, its end (None: nothing closes it)."""

    header: Piece
    brace: int
    members: tuple[Piece, ...]
    nested: tuple[Piece, ...]
    stray: tuple[int, ...]
    close: int | None
    end: int


@attrs.frozen
class Stray:
    """A closing brace that closes nothing."""

    place: int


Shape = Piece | BlockShape | Stray


@attrs.frozen
class Layout:
    """What a text is made of: shapes in order, and the places of its comments."""

    shapes: tuple[Shape, ...]
    comments: tuple[tuple[int, int], ...]


def lay_out(text: str) -> Layout:
    """The shapes and the comments of a text."""
    lines, comments = _lines(text)
    return Layout(tuple(_Shaper(lines).shapes()), tuple(comments))


def _lines(text: str) -> tuple[list[Line], list[tuple[int, int]]]:
    lines: list[Line] = []
    comments: list[tuple[int, int]] = []
    start = 0
    for raw in text.split("\n"):
        line = _line(raw, start, comments)
        if line is not None:
            lines.append(line)
        start += len(raw) + 1
    return lines, comments


def _line(raw: str, offset: int, comments: list[tuple[int, int]]) -> Line | None:
    brackets: list[tuple[str, int]] = []
    unclosed: int | None = None
    first: int | None = None
    last, end, doc = "", 0, False
    for match in _TOKEN.finditer(raw):
        kind = match.lastgroup
        if kind == "space":
            continue
        if kind == "comment":
            comments.append((offset + match.start(), offset + match.end()))
            continue
        if first is None:
            first, doc = match.start(), kind == "doc"
        last, end = match.group(), match.end()
        if kind == "bracket":
            brackets.append((last, offset + match.start()))
        elif kind == "unclosed":
            unclosed = offset + match.start()
            end = len(raw.rstrip())
    if first is None:
        return None
    text = raw[first:end]
    place = (offset + first, offset + end, first)
    return Line(*place, text, last, tuple(brackets), unclosed, doc)


class _Shaper:
    """One walk over the lines; `at` is the next line."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.at = 0
        self.late: list[Piece] = []

    def shapes(self) -> Iterator[Shape]:
        """The shapes in order."""
        while self.at < len(self.lines):
            first = self.skip_docs()
            if self.at >= len(self.lines):
                yield Piece(first, self.lines[-1].end, self.lines[-1].end)
                return
            line = self.lines[self.at]
            if line.closes:
                yield Stray(line.start)
                self.leave(line)
            elif line.opens or self.header_without_brace(line):
                yield self._block(first, line)
            else:
                yield self.piece(first)
            yield from self.late
            self.late.clear()

    def skip_docs(self) -> int:
        """Go past doc comments; where they start, or the line at hand."""
        first = self.lines[self.at].start
        while self.at < len(self.lines) and self.lines[self.at].doc:
            self.at += 1
        return first

    def leave(self, line: Line) -> None:
        """Go past a line of a closing brace; what else stands on it is late."""
        rest = line.text.lstrip("} \t\r")
        if rest:
            self.late.append(Piece(line.end - len(rest), line.end, line.end, late=True))
        self.at += 1

    def enter(self, line: Line, place: int) -> None:
        """Go behind an opening brace: on the same line if something stands there."""
        rest = line.text[place + 1 - line.start :].strip()
        if not rest:
            self.at += 1
            return
        start = line.end - len(rest)
        brackets = tuple(b for b in line.brackets if b[1] >= start)
        self.lines[self.at] = attrs.evolve(
            line, start=start, text=rest, brackets=brackets
        )

    def header_without_brace(self, line: Line) -> bool:
        """Whether a line is a header whose brace was forgotten."""
        if line.indent or not line.opens_without_brace:
            return False
        after = self.lines[self.at + 1 : self.at + 2]
        return bool(after) and (after[0].indent > 0 or after[0].closes)

    def piece(self, first: int) -> Piece:
        """One logical line from the line at hand; goes past it."""
        line = self.lines[self.at]
        stack: list[tuple[str, int, int]] = []
        quote: int | None = None
        release: int | None = None
        index = self.at
        while True:
            current = self.lines[index]
            quote = current.unclosed if quote is None else quote
            _balance(stack, current, index)
            index += 1
            if index >= len(self.lines) or not (stack or current.goes_on):
                break
            if self._breaks(line, self.lines[index], current, inside=bool(stack)):
                break
            coming = self.lines[index]
            if release is None and coming.assigns and coming.indent <= line.indent:
                release = index
            if release is not None and index - release > _PATIENCE:
                break
        if stack and release is not None and stack[0][2] < release:
            index = release
        self.at = index
        opener = stack[0][1] if stack else None
        return Piece(first, self.lines[index - 1].end, line.start, opener, quote)

    @staticmethod
    def _breaks(line: Line, coming: Line, current: Line, *, inside: bool) -> bool:
        """Whether `coming` starts something new although `current` seems open."""
        if coming.closes or coming.doc or coming.opens or coming.top_word:
            return True
        if coming.assigns:
            waits = current.goes_on or current.last in {"(", "["}
            return not (inside and waits and not coming.text.startswith("let"))
        return inside and not coming.indent and bool(line.indent)

    def _block(self, first: int, line: Line) -> BlockShape:
        match = _HEADER.match(line.text)
        brace = line.start + match.end() - 1 if match else line.end
        end = brace + (match is not None)
        header = Piece(first, end, line.start, quote=line.unclosed)
        builder = _Members(self, line, brace)
        close = builder.run(match is not None)
        end = close + 1 if close is not None else self.lines[self.at - 1].end
        return BlockShape(
            header,
            brace,
            tuple(builder.members),
            tuple(builder.nested),
            tuple(builder.stray),
            close,
            end,
        )


class _Members:
    """The inside of one block."""

    def __init__(self, shaper: _Shaper, header: Line, brace: int) -> None:
        self.shaper = shaper
        self.header = header
        self.brace = brace
        self.members: list[Piece] = []
        self.nested: list[Piece] = []
        self.stray: list[int] = []
        self.indented = False

    def run(self, braced: bool) -> int | None:
        """Collect up to the closing brace; its place, None if there is none."""
        shaper, lines = self.shaper, self.shaper.lines
        if braced:
            shaper.enter(self.header, self.brace)
        else:
            shaper.at += 1
        while shaper.at < len(lines):
            before = shaper.at
            first = shaper.skip_docs()
            if shaper.at >= len(lines):
                self.members.append(Piece(first, lines[-1].end, lines[-1].end))
                return None
            line = lines[shaper.at]
            if self._leaves(line):
                shaper.at = before
                return None
            close = self._closing(first, line) if line.closes else None
            if close is None and not line.closes:
                close = self._member(first, line)
            if close is not None:
                return close
        return None

    def _closing(self, first: int, line: Line) -> int | None:
        """A closing brace at the start of a line; its place if it ends the block."""
        if first < line.start:
            self.members.append(Piece(first, line.start - 1, line.start - 1))
        if self._is_stray(line):
            self.stray.append(line.start)
            self.shaper.at += 1
            return None
        self.shaper.leave(line)
        return line.start

    def _is_stray(self, line: Line) -> bool:
        """An indented brace in the midst of members."""
        if not line.indent or line.text != "}" or self.header.indent:
            return False
        after = self.shaper.lines[self.shaper.at + 1 : self.shaper.at + 2]
        return bool(after) and after[0].indent > 0 and not after[0].closes

    def _leaves(self, line: Line) -> bool:
        """Whether a line at the left edge belongs to the file, no more to the block."""
        inline = line.start < self.header.end
        if line.closes or line.indent > self.header.indent or inline:
            return False
        bare = self.shaper.header_without_brace(line)
        return line.opens or line.top_word or bare or self.indented

    def _member(self, first: int, line: Line) -> int | None:
        """One member, or a block that cannot stand here; a brace that closes it all."""
        if line.opens and not line.assigns:
            self._nested(first, line)
            return None
        self.indented = self.indented or line.indent > self.header.indent
        piece = self.shaper.piece(first)
        last = self.shaper.lines[self.shaper.at - 1]
        braces = [b for b in last.brackets if b[0] in "{}"]
        if last.last == "}" and sum(1 if b == "{" else -1 for b, _ in braces) < 0:
            place = braces[-1][1]
            self.members.append(attrs.evolve(piece, end=place))
            return place
        self.members.append(piece)
        return None

    def _nested(self, first: int, line: Line) -> None:
        lines = self.shaper.lines
        level = 0
        while self.shaper.at < len(lines):
            current = lines[self.shaper.at]
            if level and current.opens and not current.indent:
                break
            self.shaper.at += 1
            level += sum({"{": 1, "}": -1}.get(b, 0) for b, _ in current.brackets)
            if level <= 0:
                break
        self.nested.append(Piece(first, line.end, line.start))


def _balance(stack: list[tuple[str, int, int]], line: Line, index: int) -> None:
    """Enter the round and square brackets of a line into the stack of open ones."""
    for bracket, place in line.brackets:
        if bracket in "([":
            stack.append((bracket, place, index))
        elif (
            bracket in ")]" and stack and stack[-1][0] == {")": "(", "]": "["}[bracket]
        ):
            stack.pop()
