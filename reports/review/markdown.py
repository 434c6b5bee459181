"""A review as a Markdown comment: money first, the rest folded, never too long.

Everything that comes from a file stands in code spans or is escaped, so that no text
in a scenario can mention anybody, link anywhere or break the page. A hidden tag lets
the comment be found again and updated in place.
"""

import re
from collections.abc import Iterator, Sequence

import attrs

from isocost.reports.review.rows import Brief, ChangeRow, EffectRow

#: Forges refuse comments of more than 65,536 characters.
MOST_BYTES = 58_000
_LONGEST = 140
_SPECIAL = re.compile(r"([\\`*_{}\[\]|<>~&$])")
#: What forges turn into mentions, references and links, unless a joiner breaks it.
_LINKED = re.compile(r"([@#]|:(?=//)|www(?=\.))")
_ICONS = {"refused": "❌", "kept": "✅", "open": "❔"}


@attrs.frozen
class Limits:
    """How many rows of each table a comment holds."""

    effects: int = 30
    causes: int = 4
    changes: int = 40
    quiet: int = 60
    findings: int = 30
    documents: int = 20

    def tighter(self) -> "Limits":
        """Limits of half the size."""
        return Limits(*(max(n // 2, 1) for n in attrs.astuple(self)))


def tag(name: str = "review") -> str:
    """The hidden mark by which a comment is found again."""
    safe = re.sub(r"[^A-Za-z0-9_.-]", "-", name)
    return f"<!-- isocost:{safe} -->"


def markdown(briefs: Sequence[Brief], name: str = "review") -> str:
    """The comment; empty where nothing changed.

    Args:
        briefs: The documents.
        name: Of the hidden tag, where one pull request has several comments.
    """
    shown = [one for one in briefs if one]
    if not shown:
        return ""
    limits = Limits()
    while True:
        text = "\n".join(_lines(shown, limits, name)) + "\n"
        text = re.sub(r"\n{3,}", "\n\n", text)
        if len(text.encode()) <= MOST_BYTES:
            return text
        if limits == limits.tighter():
            return _cut(text)
        limits = limits.tighter()


def _cut(text: str) -> str:
    """The beginning of a text that is too long even so."""
    kept = text.encode()[: MOST_BYTES - 200].decode(errors="ignore")
    whole = kept.rpartition("\n")[0]
    folds = whole.count("<details>") - whole.count("</details>")
    return (
        whole + "\n" + "\n</details>" * folds + "\n\n_Cut: too long for a comment._\n"
    )


def code(text: str, most: int = _LONGEST) -> str:
    """A text of a file as a code span, also inside a table."""
    flat = " ".join(text.split())
    if len(flat) > most:
        flat = flat[: most - 1] + "…"
    if not flat:
        return ""
    flat = flat.replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if flat[0] == "`" or flat[-1] == "`" else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def escape(text: str, most: int = 400) -> str:
    """A text of a file as nothing but text."""
    flat = " ".join(text.split())
    if len(flat) > most:
        flat = flat[: most - 1] + "…"
    return _LINKED.sub("\\1\u2060", _SPECIAL.sub(r"\\\1", flat))


def _lines(briefs: Sequence[Brief], limits: Limits, name: str) -> Iterator[str]:
    lead = briefs[0]
    yield tag(name)
    yield f"**{escape(lead.headline)}**"
    for i, one in enumerate(briefs[: limits.documents]):
        if len(briefs) > 1:
            yield ""
            yield f"### {code(one.name)}"
            if i:
                yield ""
                yield f"**{escape(one.headline)}**"
        yield from _brief(one, limits)
    rest = len(briefs) - limits.documents
    if rest > 0:
        yield ""
        yield f"_{rest} more documents are not shown._"


def _brief(one: Brief, limits: Limits) -> Iterator[str]:
    if one.note:
        yield ""
        yield escape(one.note)
    if one.verdicts:
        yield ""
        for ruling, text in zip(one.rulings, one.verdicts, strict=True):
            mark = _ICONS.get(ruling.verdict, "")
            words = text.partition(": ")[2]
            yield f"- {mark} **{ruling.verdict}** {code(words, 300)}"
    yield from _listed(one.findings, limits.findings)
    yield from _effects(one.effects, limits)
    yield from _changes(one.changes, limits.changes)
    yield from _folded(one, limits)


def _listed(texts: Sequence[str], most: int) -> Iterator[str]:
    if texts:
        yield ""
        for text in texts[:most]:
            yield f"- ⚠️ {escape(text)}"
        yield from _rest(len(texts) - most, "findings", "- ")


def _rest(count: int, what: str, before: str = "") -> Iterator[str]:
    if count > 0:
        yield f"{before}_{count} more {what} are not shown._"


def _effects(rows: Sequence[EffectRow], limits: Limits) -> Iterator[str]:
    if not rows:
        return
    money = [row for row in rows if row.effect.money] or list(rows[:1])
    shown = money[: limits.effects]
    yield ""
    yield "| Result | Scenario | Before | After | Change | 90% interval |"
    yield "|---|---|--:|--:|--:|--:|"
    yield from map(_effect, shown)
    yield ""
    yield from _rest(len(money) - len(shown), "results")
    if any(row.causes for row in shown):
        yield from _fold("Which change caused how much", _causes(shown, limits))
    others = [row for row in rows if row not in money]
    if others:
        table = [
            "| Result | Scenario | Before | After | Change | 90% interval |",
            "|---|---|--:|--:|--:|--:|",
            *(_effect(row) for row in others[: limits.effects]),
            "",
            *_rest(len(others) - limits.effects, "results"),
        ]
        yield from _fold(f"{len(others)} other results", iter(table))


def _effect(row: EffectRow) -> str:
    change = f"{row.change} ({row.relative})" if row.relative else row.change
    if row.note:
        change = f"{change}: {row.note}"
    texts = (row.old, row.new, change, row.interval)
    cells = (escape(row.title), code(row.scenario), *map(escape, texts))
    return f"| {' | '.join(cells)} |"


def _causes(rows: Sequence[EffectRow], limits: Limits) -> Iterator[str]:
    yield "| Result | Cause | What | Effect | Share |"
    yield "|---|---|---|--:|--:|"
    for row in rows:
        head = f"{escape(row.title)}, {code(row.scenario)}"
        for cause in row.causes[: limits.causes]:
            what = code(cause.what)
            effect = escape(cause.effect)
            cells = (head, code(cause.path), what, effect, cause.share)
            yield f"| {' | '.join(cells)} |"
        rest = row.causes[limits.causes :]
        if rest:
            plural = "s" * (len(rest) != 1)
            yield f"| {head} | {len(rest)} smaller cause{plural} |  |  |  |"


def _changes(rows: Sequence[ChangeRow], most: int) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield "| Changed | Place | Before | After | Source | Reaches | Effect |"
    yield "|---|---|---|---|---|---|--:|"
    for row in rows[:most]:
        yield _change(row)
    yield ""
    yield from _rest(len(rows) - most, "changed statements")


def _change(row: ChangeRow) -> str:
    source = code(row.source)
    if row.weaker:
        source = f"{source} ⚠️ weaker, {row.weaker}"
    kinds = [a for a in row.aspects if a not in {"input", "source"}]
    path = code(row.path) + (f" ({', '.join(kinds)})" if kinds else "")
    before, after = (code(text or "") for text in (row.old, row.new))
    place, where = code(row.place), escape(row.where)
    cells = (path, place, before, after, source, where, escape(row.share))
    return f"| {' | '.join(cells)} |"


def _folded(one: Brief, limits: Limits) -> Iterator[str]:
    if one.quiet:
        lines = [
            f"- {code(row.path)} ({', '.join(row.aspects)}): "
            f"{code(row.old or '', 80)} → {code(row.new or '', 80)}"
            for row in one.quiet[: limits.quiet]
        ]
        lines += _rest(len(one.quiet) - limits.quiet, "changes", "- ")
        what = "changes of words, order or spelling"
        yield from _fold(f"{len(one.quiet)} {what}", iter(lines))
    if one.unchanged:
        count = one.unchanged
        yield ""
        yield f"<sub>{count} result{'s' * (count != 1)} did not change.</sub>"


def _fold(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield ""
    yield f"<details><summary>{title}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"
