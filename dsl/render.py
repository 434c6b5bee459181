"""Diagnostics as text with carets, plain lines, JSON, forge annotations or SARIF.

The only place that knows about columns on a screen. What a diagnostic says comes
from `messages`.
"""

import json
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from isocost.dsl import messages
from isocost.dsl.diagnostics import Diagnostic, Label
from isocost.dsl.places import Text
from isocost.dsl.spans import Span

Form = Literal["text", "plain", "json", "github", "sarif"]
SCHEMA = 1
#: So many diagnostics are shown to a person; of the rest only the number.
MOST_SHOWN = 50
#: A forge shows no more annotations of one step than this.
MOST_ANNOTATIONS = 10
_TAB = 4
_COLORS = {"error": "1;31", "warning": "1;33", "note": "1;36", "rule": "1;34"}
_SECONDARY = "rule"
_LEAST_WIDTH = 30


def render(
    diagnostics: Sequence[Diagnostic],
    sources: Mapping[str, str],
    form: str = "text",
    *,
    color: bool = False,
    width: int = 100,
) -> str:
    """Show diagnostics, in the order in which they come.

    Args:
        diagnostics: What to show.
        sources: The text of each file by the name that its spans carry.
        form: `text`, `plain`, `json`, `github` or `sarif`.
        color: Whether `text` uses a terminal's colours.
        width: The terminal's width; longer source lines are cut around the caret.

    Returns:
        The text, without a line end after it.
    """
    book = _Book(sources)
    match form:
        case "text":
            screen = _Screen(book, color=color, width=max(width, _LEAST_WIDTH))
            return screen.show(diagnostics)
        case "plain":
            return "\n".join(_plain(d, book) for d in diagnostics)
        case "json":
            return json.dumps(as_json(diagnostics, sources), indent=2)
        case "github":
            return "\n".join(_annotations(diagnostics, book))
        case "sarif":
            from isocost.dsl.sarif import sarif

            return json.dumps(sarif(diagnostics, sources), indent=2)
        case _:
            message = f"no form {form!r}"
            raise ValueError(message)


class _Book:
    """The files by name, each split into lines once."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.sources = sources
        self.texts: dict[str, Text] = {}

    def text(self, name: str) -> Text:
        if name not in self.texts:
            self.texts[name] = Text(self.sources.get(name, ""))
        return self.texts[name]

    def where(self, span: Span) -> str:
        line, column = self.text(span.file).position(span.start)
        return f"{printable(span.file)}:{line}:{column}"


def printable(text: str) -> str:
    """A text that cannot move the cursor, turn the writing direction or break UTF-8."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(c) for c in text)


def _visible(char: str) -> str:
    code = ord(char)
    if code < 0x20:  # noqa: PLR2004 (control characters have pictures of their own)
        return chr(0x2400 + code)
    if char == " " or char.isprintable():
        return char
    return " " if unicodedata.category(char) == "Zs" else "\ufffd"


def as_json(
    diagnostics: Sequence[Diagnostic], sources: Mapping[str, str]
) -> dict[str, Any]:
    """The JSON form as data."""
    book = _Book(sources)
    return {"schema": SCHEMA, "diagnostics": [_record(d, book) for d in diagnostics]}


def _record(diagnostic: Diagnostic, book: _Book) -> dict[str, Any]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": printable(messages.title(diagnostic)),
        **_range(diagnostic.span, book),
        "help": messages.help_text(diagnostic),
        "notes": list(diagnostic.notes),
        "labels": [
            {**_range(label.span, book), "text": messages.label_text(label.text)}
            for label in diagnostic.labels
        ],
        "fixes": [
            {
                **_range(fix.span, book),
                "title": messages.fix_title(diagnostic, fix),
                "text": fix.text,
                "safe": fix.safe,
            }
            for fix in diagnostic.fixes
        ],
    }


def _range(span: Span, book: _Book) -> dict[str, Any]:
    place = book.text(span.file).place(span)
    return {"file": printable(span.file), **attrs.asdict(place)}


def _plain(diagnostic: Diagnostic, book: _Book) -> str:
    where = book.where(diagnostic.span)
    mark = f"{diagnostic.severity}[{diagnostic.code}]"
    help_ = messages.help_text(diagnostic)
    text = f"{where}: {mark}: {messages.title(diagnostic)}"
    return printable(f"{text} ({help_})" if help_ else text)


def _annotations(diagnostics: Sequence[Diagnostic], book: _Book) -> list[str]:
    """Workflow commands of GitHub's kind; the rest is counted in a last one."""
    lines = [_annotation(d, book) for d in diagnostics[:MOST_ANNOTATIONS]]
    hidden = len(diagnostics) - MOST_ANNOTATIONS
    return [*lines, f"::notice::{_more(hidden)}"] if hidden > 0 else lines


def _annotation(diagnostic: Diagnostic, book: _Book) -> str:
    kind = "notice" if diagnostic.severity == "note" else diagnostic.severity
    place = book.text(diagnostic.span.file).place(diagnostic.span)
    words = [messages.title(diagnostic), *diagnostic.notes]
    words += [_beside(label, book) for label in diagnostic.labels if label.text]
    help_ = messages.help_text(diagnostic)
    body = "\n".join([*words, f"help: {help_}"] if help_ else words)
    fields = {
        "file": printable(diagnostic.span.file),
        "line": place.line,
        "endLine": place.end_line,
        "col": place.column,
        "endColumn": place.end_column,
        "title": diagnostic.code,
    }
    listed = ",".join(f"{key}={_escaped(str(v))}" for key, v in fields.items())
    text = "\n".join(printable(line) for line in body.split("\n"))
    return f"::{kind} {listed}::{_escaped_body(text)}"


def _beside(label: Label, book: _Book) -> str:
    """What is said beside a place, for what shows one place only."""
    return f"{book.where(label.span)}: {messages.label_text(label.text)}"


def _escaped_body(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped(text: str) -> str:
    return _escaped_body(text).replace(":", "%3A").replace(",", "%2C")


def _more(hidden: int) -> str:
    return f"and {hidden} more"


def _count(diagnostics: Sequence[Diagnostic]) -> str:
    """`2 errors, 1 warning`."""
    parts = []
    for severity in ("error", "warning", "note"):
        number = sum(d.severity == severity for d in diagnostics)
        if number:
            parts.append(f"{number} {severity}{'s' * (number != 1)}")
    return ", ".join(parts)


@attrs.frozen
class _Mark:
    """One label on one line, in columns of the screen, from 0."""

    start: int
    end: int
    text: str
    primary: bool


class _Screen:
    """The text form."""

    def __init__(self, book: _Book, *, color: bool, width: int) -> None:
        self.book = book
        self.color = color
        self.width = width

    def show(self, diagnostics: Sequence[Diagnostic]) -> str:
        if not diagnostics:
            return ""
        parts = [self._one(d) for d in diagnostics[:MOST_SHOWN]]
        hidden = len(diagnostics) - MOST_SHOWN
        last = _count(diagnostics)
        if hidden > 0:
            last += f"; {MOST_SHOWN} are shown"
        return "\n\n".join([*parts, last])

    def _paint(self, text: str, style: str) -> str:
        if not self.color or not text:
            return text
        return f"\x1b[{_COLORS[style]}m{text}\x1b[0m"

    def _one(self, diagnostic: Diagnostic) -> str:
        severity = diagnostic.severity
        head = self._paint(f"{severity}[{diagnostic.code}]", severity)
        title = printable(messages.title(diagnostic))
        spans = [label.span for label in diagnostic.labels]
        last = max(self.book.text(s.file).position(s.start)[0] for s in spans)
        gutter = " " * len(str(last))
        lines = [f"{head}: {title}", *self._sections(diagnostic, gutter)]
        help_ = messages.help_text(diagnostic)
        lines += [self._note(gutter, printable(note)) for note in diagnostic.notes]
        if help_:
            lines.append(self._note(gutter, f"help: {printable(help_)}"))
        return "\n".join(line.rstrip() for line in lines)

    def _note(self, gutter: str, text: str) -> str:
        return f"{gutter} {self._paint('=', 'rule')} {text}"

    def _sections(self, diagnostic: Diagnostic, gutter: str) -> list[str]:
        """One excerpt a file, the primary place's first."""
        lines: list[str] = []
        first = diagnostic.span.file
        files = dict.fromkeys(
            [first, *(label.span.file for label in diagnostic.labels)]
        )
        for name in files:
            labels = [label for label in diagnostic.labels if label.span.file == name]
            arrow = self._paint("-->" if name == first else ":::", "rule")
            lines.append(f"{gutter}{arrow} {self.book.where(labels[0].span)}")
            if name in self.book.sources:
                lines += self._excerpt(diagnostic, labels, gutter)
        return lines

    def _excerpt(
        self, diagnostic: Diagnostic, labels: list[Label], gutter: str
    ) -> list[str]:
        text = self.book.text(labels[0].span.file)
        by_line: dict[int, list[Label]] = {}
        for label in labels:
            by_line.setdefault(text.position(label.span.start)[0], []).append(label)
        bar = self._paint("|", "rule")
        lines = [f"{gutter} {bar}"]
        before = 0
        for number in sorted(by_line):
            if before and number > before + 1:
                lines.append(self._paint("...", "rule"))
            before = number
            shown, marks = self._line(diagnostic, text, number, by_line[number], gutter)
            margin = self._paint(str(number).rjust(len(gutter)), "rule")
            lines.append(f"{margin} {bar} {shown}")
            room = self.width - len(gutter) - 3
            rows = self._rows(marks, diagnostic.severity, room)
            lines += [f"{gutter} {bar} {row}" for row in rows]
        return lines

    def _line(
        self,
        diagnostic: Diagnostic,
        text: Text,
        number: int,
        labels: list[Label],
        gutter: str,
    ) -> tuple[str, list[_Mark]]:
        """A source line as shown, and its marks in the columns of what is shown."""
        source = text.line(number)
        cells = [_cell(char) for char in source]
        columns = [0]
        for cell in cells:
            columns.append(columns[-1] + _width(cell))
        marks = [self._mark(diagnostic, text, number, la, columns) for la in labels]
        focus = next((m for m in marks if m.primary), marks[0])
        room = self.width - len(gutter) - 3
        low, high = _window(columns, focus, room)
        shown = "".join(cells[low:high])
        shift = columns[low]
        if low > 0:
            shown, shift = "…" + shown, shift - 1
        if high < len(cells):
            shown += "…"
        limit = columns[high] - shift + 1
        return shown, [_moved(mark, shift, limit) for mark in marks]

    def _mark(
        self,
        diagnostic: Diagnostic,
        text: Text,
        number: int,
        label: Label,
        columns: list[int],
    ) -> _Mark:
        place = text.place(label.span)
        last = len(columns) - 1
        start = min(place.column - 1, last)
        ends_here = place.end_line == number
        end = min(place.end_column - 1, last) if ends_here else last
        left = columns[start]
        words = printable(messages.label_text(label.text))
        primary = label is diagnostic.labels[0]
        return _Mark(left, max(columns[max(end, start)], left + 1), words, primary)

    def _rows(self, marks: list[_Mark], severity: str, room: int) -> list[str]:
        """The carets, the words of the last mark behind them, the others' below.

        Words that reach over the edge stand below too, in as many lines as they need.
        """
        ordered = sorted(marks, key=lambda m: (m.start, m.primary))
        canvas = _Canvas()
        for mark in sorted(marks, key=lambda m: m.primary):
            style = severity if mark.primary else _SECONDARY
            sign = "^" if mark.primary else "-"
            canvas.put(0, mark.start, sign * (mark.end - mark.start), style)
        hanging = [mark for mark in ordered if mark.text]
        if ordered[-1].text and ordered[-1].end >= max(m.end for m in ordered):
            last = ordered[-1]
            if last.end + 1 + _width(last.text) <= room:
                hanging.pop()
                style = severity if last.primary else _SECONDARY
                canvas.put(0, last.end + 1, last.text, style)
        depth = 2
        for mark in reversed(hanging):
            style = severity if mark.primary else _SECONDARY
            for row in range(1, depth):
                canvas.put(row, mark.start, "|", style)
            for line in _wrapped(mark.text, room - mark.start):
                canvas.put(depth, mark.start, line, style)
                depth += 1
        return canvas.rows(self._paint)


class _Canvas:
    """Characters with their colours at places of a small grid."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], tuple[str, str]] = {}

    def put(self, row: int, column: int, text: str, style: str) -> None:
        for char in text:
            self.cells[row, column] = (char, style)
            column += max(1, _width(char))

    def rows(self, paint: Any) -> list[str]:
        height = 1 + max((row for row, _ in self.cells), default=-1)
        return [self._row(row, paint) for row in range(height)]

    def _row(self, row: int, paint: Any) -> str:
        places = sorted(column for r, column in self.cells if r == row)
        out, at, run, style = "", 0, "", ""
        for column in places:
            char, own = self.cells[row, column]
            if own != style or column != at:
                out += (paint(run, style) if run else "") + " " * (column - at)
                run, style = "", own
            run += char
            at = column + max(1, _width(char))
        return out + (paint(run, style) if run else "")


def _wrapped(text: str, room: int) -> list[str]:
    """Words in lines that fit; a word that does not is left whole."""
    return textwrap.wrap(
        text, max(room, _LEAST_WIDTH), break_long_words=False, break_on_hyphens=False
    )


def _moved(mark: _Mark, shift: int, limit: int) -> _Mark:
    """A mark in the columns of a line that was cut."""
    start = min(max(mark.start - shift, 0), max(limit - 1, 0))
    end = min(max(mark.end - shift, start + 1), max(limit, start + 1))
    return attrs.evolve(mark, start=start, end=end)


def _cell(char: str) -> str:
    return " " * _TAB if char == "\t" else _visible(char)


def _width(text: str) -> int:
    """Columns that a text takes on a screen."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def _window(columns: list[int], focus: _Mark, room: int) -> tuple[int, int]:
    """The cells to show of a long line: the caret and what stands around it."""
    count = len(columns) - 1
    if columns[-1] <= room:
        return 0, count
    inner = room - 2
    middle = min(focus.end, focus.start + inner // 2)
    left = max(0, min(middle - inner // 2, columns[-1] - inner))
    if middle <= inner:
        left = 0
    low = next((i for i, c in enumerate(columns) if c >= left), 0)
    high = low
    while high < count and columns[high + 1] - columns[low] <= inner:
        high += 1
    return low, high
