"""The sections of a report, one module each: `build(study) -> Section | None`.

A section returns None where it has nothing to say. Adding one is adding a module
and its name to `ORDER`.
"""

import importlib

from isocost.reports.study import Study
from isocost.reports.view import Section

ORDER = (
    "verdict",
    "scope",
    "results",
    "hardware",
    "topology",
    "performance",
    "cost",
    "supply",
    "software",
    "sensitivity",
    "claims",
    "risks",
    "method",
    "assumptions",
    "bibliography",
    "glossary",
)


def sections(study: Study) -> tuple[Section, ...]:
    """The sections that are wanted and have something to say, in order."""
    wanted = [name for name in study.order if name in ORDER] or list(ORDER)
    found = []
    for name in wanted:
        study.begin(name)
        module = importlib.import_module(f"isocost.reports.sections.{name}")
        section = module.build(study)
        if section is not None:
            found.append(section)
    study.begin("cover")
    return tuple(found)
