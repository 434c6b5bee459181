"""A review as a document of two to four pages: what moved, why, what to look at."""

import datetime as dt
import json
from collections.abc import Iterator, Sequence

from isocost import __version__
from isocost.engine.results import plain
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.waterfall import Step, Waterfall
from isocost.reports.review.data import as_data
from isocost.reports.review.news import leading
from isocost.reports.review.rows import Brief, ChangeRow, EffectRow

#: Rows of each table, so that a review stays within four pages; several documents
#: share them.
EFFECTS, CHANGES, FINDINGS, STEPS = 18, 16, 12, 7
#: So many documents have sections; of more only the attached data speaks.
DOCUMENTS = 3
_LONGEST = 90


def page(briefs: Sequence[Brief], *, title: str = "") -> v.Report:
    """The review of some documents as a report's view.

    Args:
        briefs: The documents; those without a change are left out.
        title: What is compared, such as two revisions.
    """
    shown = [one for one in briefs if one] or list(briefs)
    lead = shown[0]
    told = shown[:DOCUMENTS]
    sections = [s for one in told for s in _Sections(one, len(told)).all()]
    data = json.dumps(plain(as_data(shown)), indent=2, ensure_ascii=False) + "\n"
    return v.Report(
        cover=_cover(lead, title),
        sections=tuple(sections),
        running=title or "Review",
        imprint=f"Isocost {__version__}",
        author="Isocost",
        contents=False,
        attachments=(
            v.Attachment(
                "review.json", data.encode(), "Every number", "application/json"
            ),
        ),
    )


def date_of(briefs: Sequence[Brief]) -> dt.date:
    """The date of a review: that of the newest source of its documents."""
    from isocost.engine.sourcing import dates

    found = [
        max(dates(one.subject.review.new.document).values(), default=None)
        for one in briefs
        if one.subject is not None
    ]
    return max((d for d in found if d), default=dt.date(2026, 1, 1))


def _cover(lead: Brief, title: str) -> v.Cover:
    figures = [_key_figure(row) for row in lead.effects[:4]]
    points = [
        v.Takeaway(f"{r.verdict.capitalize()}:", text.partition(": ")[2])
        for r, text in zip(lead.rulings, lead.verdicts, strict=True)
        if r.verdict != "open"
    ]
    return v.Cover(
        _headline(lead),
        kicker=title or "Review of a change",
        subtitle=lead.note,
        figures=tuple(figures),
        takeaways=tuple(points[:4]),
        box=(
            v.BoxLine("Document", lead.name),
            v.BoxLine("Changed", _count(len(lead.changes), "statement")),
            v.BoxLine("Moved", _count(len(lead.effects), "result")),
            v.BoxLine("Engine", f"Isocost {__version__}"),
        ),
    )


def _headline(lead: Brief) -> str:
    """The first line without its brackets: a cover has room for one finding."""
    return lead.headline.partition(" (")[0].partition(" ·")[0]


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _key_figure(row: EffectRow) -> v.KeyFigure:
    return v.KeyFigure(
        row.new,
        f"{row.title}, {row.scenario}",
        interval=f"change {row.interval}" if row.interval else "",
        change=row.relative,
        tone="good" if row.tone == "good" else "bad" if row.tone == "bad" else "",
    )


class _Sections:
    """The sections of one document, which shares its room with `count` less one."""

    def __init__(self, one: Brief, count: int) -> None:
        self.one = one
        self.name = f": {one.name}" if count > 1 else ""
        self.effects, self.changes = EFFECTS // count, CHANGES // count
        self.findings = FINDINGS // count

    def all(self) -> Iterator[v.Section]:
        """What moved, what changed, what to look at."""
        one = self.one
        blocks = [v.Paragraph(one.headline, lead=True), *self._results()]
        yield v.Section(f"What moved{self.name}", tuple(blocks))
        if one.changes:
            yield v.Section(f"What changed{self.name}", tuple(self._statements()))
        news = list(self._news())
        if news:
            yield v.Section(f"What to look at{self.name}", tuple(news))

    def _results(self) -> Iterator[v.Block]:
        one = self.one
        figure = _waterfall(one)
        if figure is not None:
            yield figure
        if not one.effects:
            return
        notes: list[v.Text] = [_count(one.unchanged, "result") + " did not change."]
        rest = len(one.effects) - self.effects
        if rest > 0:
            notes.insert(0, f"{_count(rest, 'more result')} in the attached data.")
        yield v.Table(
            one.headline.partition(" (")[0],
            (
                v.Column("Result", width=0.22),
                v.Column("Scenario", width=0.18),
                v.Column("Before", align="right"),
                v.Column("After", align="right"),
                v.Column("Change", align="right", width=0.19),
                v.Column("90% interval", align="right", width=0.2),
            ),
            tuple(_result(row) for row in one.effects[: self.effects]),
            source="Both sides over the same draws of the uncertain inputs.",
            notes=tuple(notes),
            dense=True,
        )

    def _statements(self) -> Iterator[v.Block]:
        one = self.one
        notes: list[v.Text] = []
        rest = len(one.changes) - self.changes
        if rest > 0:
            notes.append(f"{_count(rest, 'more statement')} in the attached data.")
        if one.quiet:
            besides = "of words, order or spelling besides."
            notes.append(f"{_count(len(one.quiet), 'change')} {besides}")
        yield v.Table(
            f"{_count(len(one.changes), 'statement')} of the model's input changed",
            (
                v.Column("Statement", width=0.26),
                v.Column("Before", width=0.17),
                v.Column("After", width=0.17),
                v.Column("Source", width=0.24),
                v.Column("Effect", align="right"),
            ),
            tuple(_statement(row) for row in one.changes[: self.changes]),
            source="Effect: on the result of the first line, where it is largest.",
            notes=tuple(notes),
            dense=True,
        )

    def _news(self) -> Iterator[v.Block]:
        one = self.one
        if one.verdicts:
            yield v.Bullets(tuple(one.verdicts[: self.findings]))
        if one.findings:
            shown = list(one.findings[: self.findings])
            rest = len(one.findings) - self.findings
            if rest > 0:
                shown.append(f"{rest} more in the attached data")
            yield v.Bullets(tuple(shown))


def _result(row: EffectRow) -> v.Row:
    change = f"{row.change} ({row.relative})" if row.relative else row.change
    tone: v.Tone = "good" if row.tone == "good" else "bad" if row.tone == "bad" else ""
    last = row.interval or row.note
    cells = (row.title, v.Code(row.scenario), row.old, row.new)
    return v.Row((*cells, v.Cell(change, tone=tone), last))


def _waterfall(one: Brief) -> v.Figure | None:
    """The leading result from its old to its new value, cause by cause."""
    subject = one.subject
    lead = leading(subject.review) if subject is not None else None
    row = next((r for r in one.effects if r.effect == lead), None)
    if lead is None or row is None or not row.causes or lead.old is None:
        return None
    causes = row.causes[:STEPS]
    steps = [Step(_short(c.path), c.value / lead.scale) for c in causes]
    rest = sum(c.value for c in row.causes[STEPS:])
    if rest:
        steps.append(Step("others", rest / lead.scale))
    words = [f"{cause.path} {cause.effect}" for cause in causes]
    first = causes[0]
    return v.Figure(
        f"{first.path} moves {row.title[:1].lower()}{row.title[1:]} most: "
        f"{first.effect} of {row.change} in {row.scenario}",
        Waterfall(
            lead.old.value / lead.scale,
            tuple(steps),
            f"{row.title} ({lead.unit})",
            rise_is_good=lead.metric.startswith("throughput"),
            money="$" if lead.money else "",
        ),
        f"From {row.old} to {row.new}: {', '.join(words)}",
        source="Shapley values over the changes; they add up to the difference.",
    )


def _short(path: str) -> str:
    """The end of a path, as much as fits below a bar."""
    parts = path.split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 else path


def _cut(text: str | None) -> str:
    flat = " ".join((text or n.NONE).split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"


def _statement(row: ChangeRow) -> v.Row:
    place = f" {row.place.rpartition('/')[2]}" if row.place else ""
    source = _cut(row.source) if row.source else n.NONE
    weaker: v.Tone = "warn" if row.weaker else ""
    if row.weaker:
        source = f"{source} (weaker: {row.weaker})"
    what: v.Text = (v.Code(row.path), place)
    sides = (_cut(row.old), _cut(row.new))
    return v.Row((what, *sides, v.Cell(source, tone=weaker), row.share or n.NONE))
