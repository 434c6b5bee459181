"""A user's mistake as a value: a stable code, places, and the facts of the case.

Wording is not here: `messages` holds the text of every code, `render` lays it out.
Nothing raises or prints for a user's mistake; functions return or collect
`Diagnostic`s, and a run shows all of them, sorted, each once.
"""

from collections.abc import Iterable, Mapping

import attrs

from isocost.dsl.spans import Span

ERROR = "error"
WARNING = "warning"
NOTE = "note"


@attrs.frozen
class Label:
    """A place, and what to say beside it (none for the bare caret)."""

    span: Span
    text: str = ""


@attrs.frozen
class Fix:
    """A change of the source that mends the mistake: replace `span` by `text`."""

    title: str
    span: Span
    text: str
    safe: bool = True


@attrs.frozen
class Diagnostic:
    """One mistake. The first label is the primary place.

    `args` fills the templates of the code in `messages`; `help` replaces the code's
    own help where the case knows better; `notes` are further lines below the source.
    """

    code: str
    labels: tuple[Label, ...]
    args: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    severity: str = ERROR
    notes: tuple[str, ...] = ()
    help: str | None = None
    fixes: tuple[Fix, ...] = ()

    @property
    def span(self) -> Span:
        """The primary place."""
        return self.labels[0].span


def at(
    code: str,
    span: Span,
    *,
    severity: str = ERROR,
    also: Iterable[Label] = (),
    notes: Iterable[str] = (),
    help: str | None = None,  # noqa: A002 (the word users see)
    fixes: Iterable[Fix] = (),
    label: str = "",
    facts: Mapping[str, object] | None = None,
    **more: object,
) -> Diagnostic:
    """A `Diagnostic` at one place; its facts come as a mapping, by keyword, or both."""
    labels = (Label(span, label), *also)
    args = {name: str(value) for name, value in {**(facts or {}), **more}.items()}
    return Diagnostic(code, labels, args, severity, tuple(notes), help, tuple(fixes))


def ordered(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by place, then code; equal ones once."""
    seen: dict[object, Diagnostic] = {}
    for d in diagnostics:
        facts = tuple(sorted(d.args.items()))
        seen.setdefault((d.code, d.labels[0], facts), d)
    return sorted(
        seen.values(), key=lambda d: (d.span.file, d.span.start, d.span.end, d.code)
    )


def failed(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them is an error."""
    return any(d.severity == ERROR for d in diagnostics)
