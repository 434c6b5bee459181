"""Bibliography: every source that the report's figures cite."""

from isocost.dsl.document import Block
from isocost.dsl.values import word_of
from isocost.reports import view as v
from isocost.reports.study import GRADES, Study


def build(study: Study) -> v.Section | None:
    """The section; None where nothing is cited."""
    cited = {
        cite.key for _, one, _ in study.inputs for cite in one.cites if not cite.assumed
    }
    document = study.evaluation.document
    for block in document.blocks.values():
        used = any(
            block.name in (b.name, s.name) for r in _ROLES for b, s in study.roles(r)
        )
        if used:
            cited |= {c.key for f in block.facts.values() for c in f.cites}
    cited |= {c.key for one in study.verdicts for c in one.condition.cites}
    cited |= study.mentioned
    items = tuple(
        reference(key, document.sources[key])
        for key in sorted(cited)
        if key in document.sources
    )
    if not items:
        return None
    return v.Section("Bibliography", (v.References(items),), "bibliography")


_ROLES = (
    "system",
    "chip",
    "model",
    "software",
    "workload",
    "site",
    "finance",
    "fabric",
)


def reference(key: str, source: Block) -> v.Reference:
    """One source as the bibliography lists it."""

    def text(path: str) -> str:
        fact = source.facts.get(path)
        return str(fact.expr.value) if fact else ""

    fact = source.facts.get("kind")
    kind = (word_of(fact.expr) if fact else "") or ""
    return v.Reference(
        key=key,
        title=source.title or key,
        publisher=text("publisher"),
        date=text("date"),
        url=text("url"),
        kind=kind,
        grade=GRADES.get(kind, "C"),
    )
