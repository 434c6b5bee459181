"""What an editor shows of the name under the pointer, as Markdown."""

from collections.abc import Callable, Iterable

from isocost.dsl.check import Checked
from isocost.dsl.document import Document, Fact
from isocost.dsl.editor.meanings import Meaning, meaning
from isocost.dsl.editor.spots import Spot, spot_at
from isocost.dsl.schema.base import Attribute
from isocost.dsl.spans import Span

#: The number of a meaning with its interval, if it can be computed.
Values = Callable[[Checked, Meaning], str]


def hover(
    checked: Checked, file: str, offset: int, values: Values | None = None
) -> tuple[str, Span] | None:
    """The words for a place, and the name that they are about.

    Args:
        checked: The document.
        file: One of its files.
        offset: A place in it.
        values: Computes what is stated by a formula or derived; None for no numbers.
    """
    parsed = checked.document.files.get(file)
    spot = spot_at(parsed, offset) if parsed else None
    found = meaning(checked, spot) if spot else None
    if spot is None or found is None:
        return None
    lines = [*_lines(checked, spot, found)]
    if values is not None and (number := values(checked, found)):
        lines.append(f"now {number}")
    return "\n\n".join(line for line in lines if line), spot.span


def _lines(checked: Checked, spot: Spot, found: Meaning) -> Iterable[str]:
    document = checked.document
    if found.unit is not None:
        yield f"`{spot.text}`: {found.unit.dim}"
        if found.unit.factor != 1:
            yield f"{found.unit.factor:.12g} in base units"
    elif found.identity[0] == "source" and found.block is not None:
        yield f"**@{found.block.label}** {found.block.title}"
        facts = found.block.facts
        yield ", ".join(
            _text(document, facts[key])
            for key in ("publisher", "date", "kind", "url")
            if key in facts
        )
    elif found.fact is not None:
        yield f"```scn\n{_text(document, found.fact, whole=True)}\n```"
        yield found.fact.doc
        yield from (_source(document, cite.key) for cite in found.fact.cites)
        yield from _attribute(found.attribute)
    elif found.block is not None and found.identity[0] == "block":
        kind, label = found.block.kind.name, found.block.label
        yield f"**{kind} {label}** {found.block.title}"
        yield found.block.doc
        yield f"{len(found.block.facts)} facts in {found.block.file}"
    elif found.kind is not None:
        yield f"**{found.kind.name}**: {found.kind.doc}"
    elif found.entry is not None:
        entry = found.entry
        yield f"`{found.path}`, in {entry.unit}: derived"
        yield entry.doc
        yield f"exists {entry.when}" if entry.when else ""
    else:
        yield f"`{found.path}`: not stated"
        yield from _attribute(found.attribute)


def _attribute(attribute: Attribute | None) -> Iterable[str]:
    if attribute is None:
        return
    unit = f", in {attribute.unit}" if attribute.unit not in {"", "1"} else ""
    yield f"{attribute.doc}{unit}" if attribute.doc else ""
    if attribute.words:
        yield "one of " + ", ".join(f"`{word}`" for word in attribute.words)
    if attribute.default is not None:
        yield f"`{attribute.default}` if left out ({attribute.default_source})"


def _source(document: Document, key: str) -> str:
    source = document.sources.get(key)
    return f"@{key}: {source.title}" if source is not None else ""


def _text(document: Document, fact: Fact, *, whole: bool = False) -> str:
    """A statement as its file has it, or its value alone."""
    file = document.files.get(fact.file)
    span = fact.span if whole else fact.expr.span
    if file is None or span is None:
        return ""
    text = file.text[span.start : span.end]
    return text if whole else text.strip('"')
