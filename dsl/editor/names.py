"""Where a name is stated, where it is used, and the edits that make it another."""

import re
from collections.abc import Callable, Iterable

import attrs

from isocost.dsl.check import Checked
from isocost.dsl.diagnostics import failed
from isocost.dsl.editor.meanings import Meaning, meaning
from isocost.dsl.editor.spots import spot_at, spots
from isocost.dsl.load import SHIPPED
from isocost.dsl.schema import KINDS
from isocost.dsl.spans import Span

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = {"if", "then", "else", "and", "or", "not", "to", "in", "at", "let", "deny"}
_RESERVED |= {"check", "claim", "edition", "import", "unit", "extends", "as", "auto"}
_RESERVED |= {"true", "false", "assumed", *KINDS}


@attrs.frozen
class Refusal:
    """Why a name cannot be changed."""

    why: str


def meaning_at(checked: Checked, file: str, offset: int) -> Meaning | None:
    """What the name at a place means."""
    parsed = checked.document.files.get(file)
    spot = spot_at(parsed, offset) if parsed else None
    return meaning(checked, spot) if spot else None


def definition(checked: Checked, file: str, offset: int) -> Span | None:
    """Where what the name at a place means is stated; an import leads to its file."""
    parsed = checked.document.files.get(file)
    spot = spot_at(parsed, offset) if parsed else None
    if spot is None:
        return None
    if spot.sort == "import":
        target = spot.text.removesuffix(".scn")
        ends = (
            n for n in checked.document.files if n.removesuffix(".scn").endswith(target)
        )
        name = next(ends, None)
        return Span(name, 0, 0) if name else None
    found = meaning(checked, spot)
    return found.span if found else None


def references(documents: Iterable[Checked], wanted: Meaning) -> list[Span]:
    """All names of a thing in some documents' files, its own among them, each once."""
    out: dict[Span, None] = {}
    for checked in documents:
        for file in checked.document.files.values():
            for spot in spots(file):
                found = meaning(checked, spot)
                if found is None or found.identity != wanted.identity:
                    continue
                last = str(spot.path) == str(spot.whole)
                if last or found.identity[0] in {"block", "source"}:
                    out[spot.span] = None
    return sorted(out, key=lambda s: (s.file, s.start))


def rename(
    documents: Iterable[Checked],
    wanted: Meaning | None,
    name: str,
    again: Callable[[dict[str, str]], Iterable[Checked]],
) -> dict[str, list[tuple[Span, str]]] | Refusal:
    """The edits that give a thing another name, by file.

    Args:
        documents: Every document that may use it.
        wanted: What the name at the place means.
        name: The new name.
        again: Checks the documents anew with some files' texts replaced.
    """
    if wanted is None or not wanted.named:
        return Refusal("only blocks, sources and lets have names to change")
    if _NAME.fullmatch(name) is None or name in _RESERVED:
        return Refusal(f"`{name}` is no name: letters, digits and `_`, and no keyword")
    documents = list(documents)
    out: dict[str, list[tuple[Span, str]]] = {}
    for span in references(documents, wanted):
        if span.file.startswith(SHIPPED):
            return Refusal("it is stated in the shipped catalogue")
        sign = "@" if _char(documents, span) == "@" else ""
        out.setdefault(span.file, []).append((span, sign + name))
    changed = {f: _changed(_text(documents, f), edits) for f, edits in out.items()}
    before = any(failed(one.diagnostics) for one in documents)
    if not before and any(failed(one.diagnostics) for one in again(changed)):
        return Refusal(f"with the name `{name}` the files would have errors")
    return out


def _text(documents: Iterable[Checked], file: str) -> str:
    texts = (one.document.sources_text.get(file) for one in documents)
    return next((text for text in texts if text is not None), "")


def _char(documents: Iterable[Checked], span: Span) -> str:
    return _text(documents, span.file)[span.start : span.start + 1]


def _changed(text: str, edits: Iterable[tuple[Span, str]]) -> str:
    for span, new in sorted(edits, key=lambda e: e[0].start, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text
