"""A review as data: the versioned JSON that scripts read."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from isocost.dsl.changes import Change
from isocost.dsl.document import Fact
from isocost.dsl.meaning import spread_of
from isocost.dsl.units import unit as unit_named
from isocost.engine.effects import Effect
from isocost.engine.policies import Ruling
from isocost.engine.results import round_out
from isocost.engine.review import Review
from isocost.engine.sourcing import sourcing
from isocost.reports.review.rows import Brief, change_rows
from isocost.reports.review.words import Places

SCHEMA = 1


def as_data(briefs: Sequence[Brief]) -> dict[str, Any]:
    """The contract's shape; `document` says which file each entry is about."""
    out: dict[str, Any] = {"schema": SCHEMA, "changes": [], "metrics": []}
    out |= {"verdicts": [], "policies": [], "findings": [], "documents": []}
    for one in briefs:
        subject = one.subject
        if subject is None:
            continue
        review, name = subject.review, one.name
        more = {"document": name}
        out["documents"].append(
            {"document": name, "headline": one.headline, "note": one.note}
        )
        out["changes"] += [c | more for c in _changes(review)]
        out["metrics"] += [_metric(e) | more for e in review.effects]
        out["verdicts"] += [v | more for v in _verdicts(review)]
        out["policies"] += [_ruling(r) | more for r in subject.rulings]
        out["findings"] += [{"text": text} | more for text in one.findings]
    return out


def _changes(review: Review) -> Iterable[dict[str, Any]]:
    places = Places(review.old.document, review.new.document)
    weaker = {
        row.path: row.weaker for row in change_rows(review, sourcing(review), None)
    }
    for change in review.diff.changes:
        file, line = places.of(change)
        old, new, unit = _values(change)
        yield {
            "path": change.path,
            "aspect": change.aspect,
            "old": old,
            "new": new,
            "unit": unit,
            "reaches": list(change.reaches),
            "old_text": change.old,
            "new_text": change.new,
            "file": file,
            "line": line,
            "weaker": weaker.get(change.path) or None,
        }


def _values(change: Change) -> tuple[Any, Any, str]:
    """Numbers in the unit named beside them where a point moved, else the texts."""
    unit = change.unit
    if change.aspect != "input":
        return change.old, change.new, unit
    factor = unit_named(unit).factor if unit else 1.0
    points: list[Any] = []
    for statement, text in ((change.before, change.old), (change.after, change.new)):
        if text is None or not isinstance(statement, Fact):
            points.append(None)
            continue
        found = spread_of(statement.expr, statement.attribute)
        points.append(text if found is None else round_out(found[0] / factor))
    if any(isinstance(point, str) for point in points):
        return change.old, change.new, unit
    return points[0], points[1], unit


def _metric(effect: Effect) -> dict[str, Any]:
    def shown(value: float | None) -> float | None:
        found = _finite(value)
        return None if found is None else found / effect.scale

    old, new, delta = effect.old, effect.new, effect.delta
    return {
        "scenario": effect.scenario,
        "metric": effect.metric,
        "unit": effect.unit,
        "old": shown(old.value if old else None),
        "new": shown(new.value if new else None),
        "old_low": shown(old.low if old else None),
        "old_high": shown(old.high if old else None),
        "new_low": shown(new.low if new else None),
        "new_high": shown(new.high if new else None),
        "delta": shown(delta.value if delta else _no_change(effect)),
        "delta_low": shown(delta.low if delta else _no_change(effect)),
        "delta_high": shown(delta.high if delta else _no_change(effect)),
        "relative": _finite(effect.relative),
        "attribution": [
            {
                "path": share.path,
                "effect": share.effect / effect.scale,
                "aspect": share.aspect,
                "error": share.error / effect.scale,
            }
            for share in effect.shares
        ],
        "method": effect.method,
        "verdict": effect.verdict,
        "note": effect.note,
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _no_change(effect: Effect) -> float | None:
    return 0.0 if effect.verdict == "same" else None


def _verdicts(review: Review) -> Iterable[dict[str, Any]]:
    for turn in review.turns:
        condition = turn.condition
        yield {
            "name": condition.name,
            "kind": condition.kind,
            "why": condition.why,
            "old": None if turn.old is None else turn.old.holds,
            "new": None if turn.new is None else turn.new.holds,
            "share": None if turn.new is None else turn.new.share,
        }


def _ruling(ruling: Ruling) -> dict[str, Any]:
    condition = ruling.condition
    return {
        "policy": condition.policy,
        "deny": condition.text,
        "why": condition.why,
        "verdict": ruling.verdict,
        "cases": [{"scenario": c.scenario, "found": c.found} for c in ruling.cases],
    }
