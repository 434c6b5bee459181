"""Glossary: the definition of every metric that the report shows."""

import re

from isocost.engine.results import Result
from isocost.reports import view as v
from isocost.reports.study import Study


def build(study: Study) -> v.Section | None:
    """The section; None where no metric is shown."""
    seen = {result.path: result for result in study.results.values()}
    names = [_split(result.doc)[0] for result in seen.values()]
    terms = sorted(
        (
            _term(path, result, shared=names.count(_split(result.doc)[0]) > 1)
            for path, result in seen.items()
        ),
        key=lambda term: (term.term.casefold(), term.path),
    )
    return (
        v.Section("Glossary", (v.Glossary(tuple(terms)),), "glossary")
        if terms
        else None
    )


def _term(path: str, result: Result, *, shared: bool) -> v.Term:
    """A metric by what it is called, not by its path, which stands at the end.

    Args:
        path: the metric's.
        result: one result of it, with its doc line: a name, then what is meant.
        shared: whether another metric has the same name; the path's key tells them
            apart.
    """
    said, rest = _split(result.doc)
    key = re.search(r"\[([^]]*)\]$", path)
    if shared and key:
        said = f"{said}, {key[1].replace('_', ' ')}"
    unit = "" if result.unit == "1" else result.unit
    return v.Term(said or path, rest, unit, path)


def _split(doc: str) -> tuple[str, str]:
    """A doc line's name for its metric, and the rest as a sentence."""
    found = re.match(r"([^,;:.(]+)[,;:.] *(.*)", doc, re.DOTALL)
    if found is None:
        return doc.rstrip("."), ""
    said, rest = found[1].strip(), found[2].strip()
    return said, rest[:1].upper() + rest[1:]
