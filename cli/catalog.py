"""`isocost catalog`: what is shipped: find it, show it, compare it, see its sources."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from isocost.dsl.catalog import Entry
    from isocost.dsl.document import Document, Fact
    from isocost.dsl.syntax import CiteRef
    from isocost.engine.evaluate import Evaluation

#: A value longer than this does not widen its column.
LONG = 40

#: So many names of a kind stand in the overview.
FIRST = 4

HELP = "find, show and compare the shipped blocks and sources"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_format

    parser.add_argument(
        "terms",
        metavar="TERM",
        nargs="*",
        help="names to show (several: side by side), words to find; none: an overview",
    )
    parser.add_argument(
        "--kind", help="only this kind: chip, system, finance, source, …"
    )
    add_format(parser)


def run(args: "argparse.Namespace") -> int:
    """List, find, show or compare; 1 where a term leads nowhere."""
    from isocost._shared import SCHEMA, complain, write_json
    from isocost.dsl.catalog import catalog_document, entries, near
    from isocost.dsl.check import check
    from isocost.dsl.suggest import nearest
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.quantities import table

    document = catalog_document()
    known = [e for e in entries(document) if args.kind in {None, e.kind}]
    if not known:
        kinds = list(dict.fromkeys(e.kind for e in entries(document)))
        close = nearest(args.kind, kinds)
        more = f"did you mean {close[0]}? " if close else ""
        complain(f"there is no kind {args.kind}; {more}there is {', '.join(kinds)}")
        return 2
    if args.format == "text" and not args.terms and args.kind is None:
        sys.stdout.write(_overview(known))
        return 0
    found, detailed = _wanted(known, args.terms)
    if not found:
        close = near(known, " ".join(args.terms))
        more = f"; did you mean {', '.join(close)}?" if close else ""
        complain(f"the catalogue has nothing for '{' '.join(args.terms)}'{more}")
        return 1
    evaluation = Evaluation(check(document, table()))
    if args.format == "json":
        show = _Show(document, evaluation, known)
        items = [show.as_json(entry, full=detailed) for entry in found]
        write_json({"schema": SCHEMA, "entries": items})
        return 0
    if not detailed:
        sys.stdout.write(_list(found))
        return 0
    show = _Show(document, evaluation, known)
    several = len(found) > 1 and len({entry.kind for entry in found}) == 1
    sys.stdout.write(
        show.side_by_side(found)
        if several and found[0].kind not in {"source", "let"}
        else "\n".join(show.as_text(entry) for entry in found)
    )
    return 0


def _wanted(
    known: "Sequence[Entry]", terms: Sequence[str]
) -> "tuple[list[Entry], bool]":
    """The entries meant, and whether they are to be shown in full."""
    from isocost.dsl.catalog import find

    everything = list(known)
    if not terms:
        return everything, False
    named = [find(everything, term) for term in terms]
    if all(
        len(hits) == 1 and hits[0].name == term
        for hits, term in zip(named, terms, strict=True)
    ):
        return [hits[0] for hits in named], True
    found = find(everything, " ".join(terms))
    return found, len(found) == 1


def _list(found: "Sequence[Entry]") -> str:
    """One line an entry, by kind."""
    from isocost._shared import write_table

    lines: list[str] = []
    for kind in dict.fromkeys(entry.kind for entry in found):
        of_kind = [entry for entry in found if entry.kind == kind]
        lines.append(f"{kind} ({len(of_kind)})")
        rows = [
            (f"  {entry.name}", entry.file, _first(entry.title or entry.doc))
            for entry in of_kind
        ]
        lines += [_within(line) for line in write_table(rows, "<<<").splitlines()]
        lines.append("")
    return "\n".join(lines)


def _overview(known: "Sequence[Entry]") -> str:
    """What there is: the kinds, how many of each, and some names."""
    from isocost._shared import write_table

    kinds: dict[str, list[str]] = {}
    for entry in known:
        kinds.setdefault(entry.kind, []).append(entry.name)
    rows = [
        (kind, str(len(names)), ", ".join(names[:FIRST]) + ", …" * (len(names) > FIRST))
        for kind, names in kinds.items()
    ]
    return (
        f"{write_table(rows, '<><')}\n\n"
        "isocost catalog --kind KIND lists a kind, isocost catalog WORD finds, "
        "isocost catalog NAME shows one\n"
    )


def _within(line: str) -> str:
    """A line no wider than the terminal, with a sign if cut; whole in a pipe."""
    from isocost._shared import width

    if not sys.stdout.isatty() or len(line) <= width():
        return line
    return line[: width() - 1] + "…"


def _rows(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """Rows in columns; a long value pushes its own citation aside, no other's."""
    first = max((len(row[0]) for row in rows), default=0)
    second = max((len(row[1]) for row in rows if len(row[1]) <= LONG), default=0)
    return [f"{a:<{first}}  {b:<{second}}  {c}".rstrip() for a, b, c in rows]


def _first(text: str) -> str:
    """The first line of a doc."""
    return text.strip().partition("\n")[0]


class _Show:
    """Shows entries: values as stated and as computed, with unit and sources."""

    def __init__(
        self, document: "Document", evaluation: "Evaluation", known: "list[Entry]"
    ) -> None:
        self.document = document
        self.evaluation = evaluation
        self.known = known

    # Values.

    def number(self, entry: "Entry", fact: "Fact") -> tuple[float, str] | None:
        """A numeric value at its point, in the unit that it is shown in."""
        from isocost.dsl.units import unit
        from isocost.engine.scope import MissingInputError

        attribute = fact.attribute
        if fact.expr.op in {"text", "date", "list", "call"}:
            return None
        if attribute is not None and attribute.sort != "quantity":
            return None
        bare = self.evaluation.bare
        try:
            if entry.block is None:
                node = bare.lowering.fact(fact, None, None, str(fact.path))
            else:
                node = bare.of_block(entry.block, str(fact.path))
        except MissingInputError:
            return None
        value = self.evaluation.point((node,))[node]
        shown = fact.unit or _written_unit(fact)
        if shown is None and attribute is not None:
            shown = unit(attribute.unit)
        if shown is None:
            return value, "1"
        return value / shown.factor, shown.text

    def shown(self, entry: "Entry", fact: "Fact") -> str:
        """A value on one line: as stated; a formula with what it comes to."""
        from isocost._shared import digits
        from isocost.dsl.catalog import stated

        said = stated(self.document, fact)
        if not fact.formula:
            return said
        found = self.number(entry, fact)
        if found is None:
            return said
        value, unit = found
        return (
            f"{digits(value, 4)} {'' if unit == '1' else unit}".strip() + f" = {said}"
        )

    def cites(self, cites: "Sequence[CiteRef]") -> str:
        """The citations of a value as its file writes them."""
        return "; ".join(
            f"@{cite.key}" + (f' "{cite.locator}"' if cite.locator else "")
            for cite in cites
        )

    # Text.

    def as_text(self, entry: "Entry") -> str:
        """One entry in full, with its sources at the foot."""
        head = f"{entry.kind} {entry.name}"
        head += f' "{entry.title}"' if entry.title else ""
        lines = [f'{head}   import "{entry.file}"']
        lines += [f"  {line}" for line in entry.doc.strip().splitlines()]
        rows = [
            (f"  {fact.path}", self.shown(entry, fact), self.cites(fact.cites))
            for fact in entry.facts
        ]
        lines += _rows(rows)
        lines += self._other_notes(entry)
        if entry.kind == "source":
            lines += self._cited_by(entry)
        lines += self._sources([entry])
        return "\n".join(lines) + "\n"

    def _other_notes(self, entry: "Entry") -> list[str]:
        notes = [(str(f.path), f.doc.strip()) for f in entry.facts if f.doc.strip()]
        if not notes or entry.block is None:
            return []
        return [
            "",
            "notes:",
            *(f"  {path}: {' '.join(doc.split())}" for path, doc in notes),
        ]

    def _cited_by(self, entry: "Entry") -> list[str]:
        from isocost.dsl.catalog import citing

        found = citing(self.known, entry.name)
        names = [
            f"  {owner.name}.{fact.path}" if owner.block else f"  {owner.name}"
            for owner, fact in found
        ]
        return ["", f"cited by {len(found)} values:", *names]

    def _sources(self, shown: "Sequence[Entry]") -> list[str]:
        keys = dict.fromkeys(
            cite.key
            for entry in shown
            for fact in entry.facts
            for cite in fact.cites
            if not cite.assumed
        )
        if not keys:
            return []
        return ["", "sources:", *(f"  @{key}  {self._source(key)}" for key in keys)]

    def _source(self, key: str) -> str:
        facts = self._source_facts(key)
        more = [facts.get(name, "") for name in ("publisher", "date", "kind", "url")]
        source = self.document.sources.get(key)
        title = source.title if source is not None else ""
        return ", ".join(part for part in (title, *more) if part)

    def _source_facts(self, key: str) -> dict[str, str]:
        source = self.document.sources.get(key)
        if source is None:
            return {}
        from isocost.dsl.catalog import stated

        return {
            path: stated(self.document, fact).strip('"')
            for path, fact in source.facts.items()
        }

    def side_by_side(self, found: "Sequence[Entry]") -> str:
        """Several entries of a kind: one row an attribute, one column an entry."""
        from isocost._shared import write_table

        paths = dict.fromkeys(
            str(fact.path) for entry in found for fact in entry.facts if not fact.let
        )
        rows = [("", *(entry.name for entry in found))]
        for path in paths:
            cells = [self._cell(entry, path) for entry in found]
            rows.append((path, *cells))
        lines = [write_table(rows, "<" * (len(found) + 1)), *self._sources(found)]
        return "\n".join(lines) + "\n"

    def _cell(self, entry: "Entry", path: str) -> str:
        from isocost._shared import digits
        from isocost.dsl.catalog import stated

        fact = next((f for f in entry.facts if str(f.path) == path), None)
        if fact is None:
            return "-"
        mark = " (assumed)" if fact.assumed else ""
        number = self.number(entry, fact) if fact.formula else None
        if number is None:
            said = stated(self.document, fact).strip('"')
            return (said if len(said) <= LONG else said[: LONG - 1] + "…") + mark
        value, unit = number
        return f"{digits(value, 4)} {'' if unit == '1' else unit}".strip() + mark

    # JSON.

    def as_json(self, entry: "Entry", *, full: bool) -> dict[str, Any]:
        """One entry as plain data; its values where they are asked for."""
        out: dict[str, Any] = {
            "name": entry.name,
            "kind": entry.kind,
            "file": entry.file,
            "title": entry.title,
            "doc": entry.doc.strip(),
        }
        if full:
            out["values"] = [self._value(entry, fact) for fact in entry.facts]
        return out

    def _value(self, entry: "Entry", fact: "Fact") -> dict[str, Any]:
        from isocost.dsl.catalog import stated

        found = self.number(entry, fact)
        return {
            "path": str(fact.path),
            "stated": stated(self.document, fact),
            "formula": fact.formula,
            "value": found[0] if found else None,
            "unit": found[1] if found else None,
            "doc": fact.doc.strip(),
            "assumed": fact.assumed,
            "sources": [
                {
                    "key": cite.key,
                    "locator": cite.locator,
                    "title": getattr(self.document.sources.get(cite.key), "title", ""),
                    **self._source_facts(cite.key),
                }
                for cite in fact.cites
            ],
        }


def _written_unit(fact: "Fact") -> Any:
    """The unit of a value's first number; a formula has none of its own."""
    if fact.formula:
        return None
    literals = (e.value for e in fact.expr.walk() if e.op == "literal")
    return next((found.unit for found in literals if found.unit), None)
