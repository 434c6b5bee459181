"""Lines and columns, both from 1, worked out from spans when something is shown."""

import bisect

import attrs

from isocost.dsl.spans import Span


@attrs.frozen
class Place:
    """Where a span begins and ends; the end column is behind its last character."""

    line: int
    column: int
    end_line: int
    end_column: int


class Text:
    """A text with the starts of its lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        self.starts += [i + 1 for i, c in enumerate(text) if c == "\n"]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a place; one beyond the text is taken as its end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect.bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def place(self, span: Span) -> Place:
        """Lines and columns of a span."""
        line, column = self.position(span.start)
        end_line, end_column = self.position(max(span.end, span.start))
        return Place(line, column, end_line, end_column)

    def line(self, number: int) -> str:
        """One line without its end."""
        start = self.starts[number - 1]
        following = self.starts[number : number + 1]
        end = following[0] - 1 if following else len(self.text)
        return self.text[start:end].removesuffix("\r")
