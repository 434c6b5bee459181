"""Glossary: the definition of every metric that the report shows."""

from isocost.reports import view as v
from isocost.reports.study import Study


def build(study: Study) -> v.Section | None:
    """The section; None where no metric is shown."""
    seen = {result.path: result for result in study.results.values()}
    terms = tuple(
        v.Term(path, result.doc, result.unit if result.unit != "1" else "", path)
        for path, result in sorted(seen.items())
    )
    return v.Section("Glossary", (v.Glossary(terms),), "glossary") if terms else None
