"""Places in source files, as code points; lines are worked out only when shown.

Every syntax node, fact and diagnostic label carries a `Span`. Columns in UTF-16
are an editor protocol's business and are converted at that edge only.
"""

import attrs


@attrs.frozen
class Span:
    """A half-open range of code points in one file.

    `file` is the name under which the text was loaded: a path as the user gave
    it, or `isocost:chips/aws` for a shipped file.
    """

    file: str
    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """The smallest span of the same file that covers both."""
        return Span(self.file, min(self.start, other.start), max(self.end, other.end))
