"""Warnings that a line silences: `# allow L001 "why"`, at the end of the line itself.

Errors cannot be silenced. Without a reason nothing is, and a silence that silences
nothing is a warning too, so that none outlives what it was for.
"""

import bisect
import re
from collections.abc import Iterable, Mapping

import attrs

from isocost.dsl.diagnostics import ERROR, WARNING, Diagnostic, at
from isocost.dsl.spans import Span
from isocost.dsl.syntax import File

_ALLOW = re.compile(r"#\s*allow\b(?P<rest>.*)")
_RIGHT = re.compile(
    r'\s*(?P<codes>[A-Z]\d{3}(?:\s*,\s*[A-Z]\d{3})*)\s+"(?P<why>[^"]*\S[^"]*)"\s*'
)
#: Codes that only a computed file gives: whether they are silenced is not known before.
_COMPUTED = {"L010", "C002"}


@attrs.frozen
class _Silence:
    codes: frozenset[str]
    span: Span
    line: int


class Silences:
    """The silences of some files, and the warnings that they stop."""

    def __init__(self, files: Mapping[str, File], main: str) -> None:
        self.main = main
        self.faults: list[Diagnostic] = []
        self._found: dict[tuple[str, int], _Silence] = {}
        self._used: set[Span] = set()
        self._starts = {n: _line_starts(f.text) for n, f in files.items()}
        for file in files.values():
            for comment in file.comments:
                match = _ALLOW.match(comment.text)
                if match is not None:
                    self._read(match["rest"], comment.span)

    def _read(self, rest: str, span: Span) -> None:
        match = _RIGHT.fullmatch(rest)
        if match is None:
            self.faults.append(at("L011", span, severity=WARNING))
            return
        codes = frozenset(re.findall(r"[A-Z]\d{3}", match["codes"]))
        line = self._line(span)
        self._found[span.file, line] = _Silence(codes, span, line)

    def _line(self, span: Span) -> int:
        return bisect.bisect_right(self._starts.get(span.file, [0]), span.start)

    def heard(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The diagnostics without those that their line silences."""
        out = []
        for diagnostic in diagnostics:
            place = (diagnostic.span.file, self._line(diagnostic.span))
            silence = self._found.get(place)
            stopped = silence is not None and diagnostic.code in silence.codes
            if silence is not None and stopped and diagnostic.severity != ERROR:
                self._used.add(silence.span)
            else:
                out.append(diagnostic)
        return out

    def idle(self) -> list[Diagnostic]:
        """Silences of the main file that have stopped nothing."""
        return [
            at("L012", silence.span, severity=WARNING)
            for silence in self._found.values()
            if silence.span not in self._used
            and silence.span.file == self.main
            and not silence.codes & _COMPUTED
        ]


def _line_starts(text: str) -> list[int]:
    return [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]
