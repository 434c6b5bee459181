"""Safe fixes applied to a text: those that change no meaning and lose no comment."""

from collections.abc import Iterable

from isocost.dsl.diagnostics import Diagnostic, Fix

#: Codes whose single fix says what the author meant, whoever reads it.
FIXABLE = ("L", "V")


def safe_fixes(diagnostics: Iterable[Diagnostic], file: str, text: str) -> list[Fix]:
    """The fixes of a file that may be applied unasked, none over another.

    Args:
        diagnostics: What was found.
        file: The file whose fixes are wanted.
        text: Its text: a fix that would take a comment away is not safe.
    """
    out: list[Fix] = []
    end = -1
    found = [
        d.fixes[0]
        for d in diagnostics
        if d.code.startswith(FIXABLE) and len(d.fixes) == 1 and d.fixes[0].safe
    ]
    for fix in sorted(found, key=lambda f: (f.span.start, f.span.end)):
        lost = "#" in text[fix.span.start : fix.span.end]
        if fix.span.file == file and fix.span.start >= end and not lost:
            out.append(fix)
            end = fix.span.end
    return out


def apply(text: str, fixes: Iterable[Fix]) -> str:
    """The text with fixes that do not overlap."""
    for fix in sorted(fixes, key=lambda f: f.span.start, reverse=True):
        text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    return text
