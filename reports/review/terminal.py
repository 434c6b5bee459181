"""A review on a terminal: as wide as it is, in colour where that is welcome.

What is left out is always counted, and the option that shows it is named.
"""

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from isocost.dsl.render import printable
from isocost.reports.review.rows import Brief, ChangeRow, EffectRow
from isocost.reports.review.words import Places

_COLORS = {"bad": "31", "good": "32", "head": "1", "muted": "2", "warn": "33"}
#: Rows of each table that are shown unless all are asked for.
EFFECTS, CAUSES, CHANGES = 12, 3, 20
_LEAST = 40


class Screen:
    """A terminal of some width; `context` lines are shown around changed ones."""

    def __init__(
        self, *, color: bool, width: int, everything: bool = False, context: int = 0
    ) -> None:
        self.color = color
        self.width = max(width, _LEAST)
        self.everything = everything
        self.context = context

    def show(self, briefs: Sequence[Brief]) -> str:
        """All documents, those without any change left out."""
        parts = ["\n".join(self._brief(one, briefs)) for one in briefs if one]
        if not parts:
            return "nothing changed"
        return "\n\n".join(parts)

    def paint(self, text: str, color: str) -> str:
        """A text in a colour, if there are any."""
        code = _COLORS.get(color)
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and code else text

    def _brief(self, one: Brief, briefs: Sequence[Brief]) -> Iterator[str]:
        if len(briefs) > 1:
            yield self.paint(printable(one.name), "head")
        if one.note:
            yield f"{printable(one.name)}: {one.note}"
        yield from self._wrapped(one.headline, "", one.tone or "head")
        if one.effects:
            yield ""
            yield from self._effects(one.effects)
        if one.changes:
            yield ""
            yield from self._changes(one, one.changes, CHANGES)
        if self.everything and one.quiet:
            yield ""
            yield from self._changes(one, one.quiet, len(one.quiet))
        if one.findings:
            yield ""
            for text in one.findings:
                yield from self._wrapped(f"! {text}", "  ", "warn")
        if one.verdicts:
            yield ""
            for ruling, text in zip(one.rulings, one.verdicts, strict=True):
                color = {"refused": "bad", "kept": "good"}.get(ruling.verdict, "muted")
                yield from self._wrapped(text, "  ", color)
        yield from self._hidden(one)

    def _wrapped(self, text: str, indent: str, color: str = "") -> Iterator[str]:
        lines = textwrap.wrap(
            printable(text),
            self.width,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
        return (self.paint(line, color) for line in lines)

    # Results.

    def _effects(self, rows: Sequence[EffectRow]) -> Iterator[str]:
        shown = rows if self.everything else rows[:EFFECTS]
        last = ""
        for row in shown:
            if row.title != last:
                yield self.paint(printable(row.title), "head")
                last = row.title
            yield from self._effect(row)

    def _effect(self, row: EffectRow) -> Iterator[str]:
        ends = f"{row.old} → {row.new}"
        change = f"{row.change} ({row.relative})" if row.relative else row.change
        text = f"  {row.scenario}  {ends}  {change}"
        if row.interval:
            text += f"  [{row.interval}]"
        if row.note:
            text += f"  {row.note}"
        yield from self._wrapped(text, "      ", row.tone)
        causes = row.causes if self.everything else row.causes[:CAUSES]
        size = max((cells(c.effect) for c in causes), default=0)
        for cause in causes:
            effect = " " * (size - cells(cause.effect)) + cause.effect
            line = f"      {effect}  {cause.path}  {cause.what}"
            yield self.paint(self.cut(line), "muted")
        rest = len(row.causes) - len(causes)
        if rest:
            yield self.paint(
                f"      and {rest} smaller cause{'s' * (rest > 1)}", "muted"
            )

    # Statements.

    def _changes(
        self, one: Brief, rows: Sequence[ChangeRow], most: int
    ) -> Iterator[str]:
        shown = rows if self.everything else rows[:most]
        for row in shown:
            aspects = ", ".join(row.aspects)
            place = f"  {row.place}" if row.place else ""
            head = f"{row.path}  ({aspects}){place}"
            yield self.paint(self.cut(head), "head")
            yield from self._sides(row)
            if row.source:
                weaker = f"  weaker: {row.weaker}" if row.weaker else ""
                color = "warn" if weaker else "muted"
                yield self.paint(self.cut(f"    {row.source}{weaker}"), color)
            if row.share or row.where:
                effect = f"effect {row.share}" if row.share else ""
                where = f"reaches {row.where}" if row.where else ""
                yield self.cut("    " + "  ".join(filter(None, (effect, where))))
            yield from self._context(one, row)

    def _sides(self, row: ChangeRow) -> Iterator[str]:
        if row.old is not None:
            yield self.paint(self.cut(f"  - {row.old}"), "bad")
        if row.new is not None:
            yield self.paint(self.cut(f"  + {row.new}"), "good")

    def _context(self, one: Brief, row: ChangeRow) -> Iterator[str]:
        """The lines around a changed one, as in a text diff."""
        subject = one.subject
        if not self.context or not row.line or subject is None:
            return
        review = subject.review
        places = Places(review.old.document, review.new.document)
        text = places.text(1, row.file) or places.text(0, row.file)
        if text is None:
            return
        last = len(text.starts)
        for number in range(row.line - self.context, row.line + self.context + 1):
            if 1 <= number <= last:
                yield self.paint(
                    self.cut(f"    {number:>4} {text.line(number)}"), "muted"
                )

    # The rest.

    def _hidden(self, one: Brief) -> Iterator[str]:
        if self.everything:
            return
        hidden = []
        for count, shown, what in (
            (len(one.effects), EFFECTS, "results"),
            (len(one.changes), CHANGES, "statements"),
            (len(one.quiet), 0, "changes of words, order or spelling"),
        ):
            if count > shown:
                hidden.append(f"{count - shown} {what}")
        if one.unchanged:
            hidden.append(f"{one.unchanged} unchanged results")
        if hidden:
            yield ""
            text = f"not shown: {', '.join(hidden)} (--all shows them)"
            yield from self._wrapped(text, "  ", "muted")

    def cut(self, text: str) -> str:
        """A line that fits, with a sign where it was cut."""
        text = printable(text)
        if cells(text) <= self.width:
            return text
        out, used = [], 1
        for char in text:
            used += cells(char)
            if used > self.width:
                break
            out.append(char)
        return "".join(out) + "…"


def cells(text: Iterable[str]) -> int:
    """How many columns of a terminal a text takes."""
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
