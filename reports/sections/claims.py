"""Claims and checks: what was said, what comes out, and whether it holds."""

from isocost.engine.evaluate import Verdict
from isocost.engine.printers.text import show
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.study import Study


def build(study: Study) -> v.Section | None:
    """The section; None where the document has neither."""
    verdicts = study.verdicts
    if not verdicts:
        return None
    claims = [one for one in verdicts if one.condition.kind == "claim"]
    checks = [one for one in verdicts if one.condition.kind == "check"]
    blocks: list[v.Block] = []
    if claims:
        failed = sum(not one.holds for one in claims)
        caption = (
            f"{failed} of {len(claims)} claims fail as they were made"
            if failed
            else f"All {len(claims)} claims hold"
        )
        blocks.append(_table(study, claims, caption, "tab-claims"))
    if checks:
        failed = sum(not one.holds for one in checks)
        caption = (
            f"{failed} of {len(checks)} checks fail" if failed else "All checks hold"
        )
        blocks.append(_table(study, checks, caption, "tab-checks"))
    return v.Section("Claims and checks", tuple(blocks), "claims")


def _table(study: Study, verdicts: list[Verdict], caption: str, key: str) -> v.Claims:
    rows = tuple(_row(one) for one in verdicts)
    return v.Claims(
        caption,
        rows,
        source="engine; decided at point values. The share is that of draws in "
        "which the condition holds.",
        key=key,
        said_title="Left side",
        found_title="Right side",
    )


def _row(one: Verdict) -> v.ClaimRow:
    condition = one.condition
    statement = condition.why or show(condition.expr)
    cites = [c.key for c in condition.cites if not c.assumed]
    who: v.Text = v.Cite(cites) if cites else "this study"
    return v.ClaimRow(
        statement=statement,
        who=who,
        said="–" if one.left is None else n.si(one.left),
        found="–" if one.right is None else n.si(one.right),
        verdict="holds" if one.holds else "fails",
        share=n.percent(one.share, 3),
        note=v.Code(show(condition.expr)),
    )
