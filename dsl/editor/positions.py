"""An editor's lines and columns: in UTF-16 units unless it says otherwise."""

import bisect
import re

import attrs

_ENDS = re.compile(r"\r\n|\r|\n")
#: Bytes of one unit, and the codec in which units are counted.
_CODECS = {
    "utf-8": (1, "utf-8"),
    "utf-16": (2, "utf-16-le"),
    "utf-32": (4, "utf-32-le"),
}


@attrs.frozen
class Position:
    """A line and a column, both from 0; the column counts units before the place."""

    line: int
    character: int


class Lines:
    """A text's lines, with places in it both ways."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self._size, self._codec = _CODECS[encoding]
        self._starts = [0, *(match.end() for match in _ENDS.finditer(text))]

    def position(self, offset: int) -> Position:
        """Where a place is; one outside the text is taken as its nearest end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect.bisect_right(self._starts, offset) - 1
        return Position(line, self._units(self.text[self._starts[line] : offset]))

    def offset(self, line: int, character: int) -> int:
        """The place of a line and column; beyond a line's end it is that end."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start = self._starts[line]
        words = self.line(line)
        count = 0
        for i, letter in enumerate(words):
            if count >= character:
                return start + i
            count += self._units(letter)
        return start + len(words)

    def line(self, line: int) -> str:
        """One line without its end."""
        following = self._starts[line + 1 : line + 2] or [len(self.text)]
        return self.text[self._starts[line] : following[0]].rstrip("\r\n")

    def _units(self, text: str) -> int:
        if self._size == 2 and text.isascii():  # noqa: PLR2004 (the usual case)
            return len(text)
        return len(text.encode(self._codec, "surrogatepass")) // self._size
