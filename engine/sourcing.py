"""What a review says of sources: which got weaker, which are missing, which are old."""

import datetime as dt
import math

import attrs

from isocost.dsl.changes import Change
from isocost.dsl.document import Document, Fact
from isocost.dsl.grades import grade
from isocost.dsl.units import unit
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Input
from isocost.engine.review import Review

#: A price older than this, beside the newest source of the document, is stale.
STALE = dt.timedelta(days=365)
_NO_SOURCES = {"source", "report", "policy", "scenario", "fleet", "exchange"}


@attrs.frozen
class Weaker:
    """A changed statement whose sources have a lower grade than before."""

    change: Change
    old: str
    new: str


@attrs.frozen
class Sourcing:
    """The findings: weaker and missing sources of what changed, prices out of date."""

    weaker: tuple[Weaker, ...]
    missing: tuple[Change, ...]
    stale: tuple[str, ...]


def sourcing(review: Review) -> Sourcing:
    """Look at the sources of everything that a review shows."""
    old, new = review.old.document, review.new.document
    weaker: dict[str, Weaker] = {}
    missing: dict[str, Change] = {}
    for change in review.diff.changes:
        after, before = change.after, change.before
        if not isinstance(after, Fact) or change.aspect not in {
            "input",
            "source",
            "uncertainty",
        }:
            continue
        if change.aspect != "source" and _needs(after, new) and not after.cites:
            missing.setdefault(change.path, change)
        if isinstance(before, Fact) and (before.cites or after.cites):
            grades = (_grade(before, old), _grade(after, new))
            if grades[1] > grades[0]:
                weaker.setdefault(change.path, Weaker(change, *grades))
    stale = tuple(_stale(review)) if review.side is not None else ()
    return Sourcing(tuple(weaker.values()), tuple(missing.values()), stale)


def _grade(fact: Fact, document: Document) -> str:
    return grade((cite.key for cite in fact.cites), document.sources)


def _needs(fact: Fact, document: Document) -> bool:
    """Whether a fact is a figure of the world, which somebody must have stated."""
    attribute = fact.attribute
    block = document.blocks.get(fact.owner)
    if attribute is None:
        return fact.expr.op != "path" and not fact.let and not fact.formula
    kind = block.kind.name if block is not None else ""
    right = attribute.sort == "quantity" and not attribute.decision
    return right and not fact.formula and kind not in _NO_SOURCES


def dates(document: Document) -> dict[str, dt.date]:
    """The date of each source that states one, the first day of a year or month."""
    out: dict[str, dt.date] = {}
    for key, source in document.sources.items():
        fact = source.facts.get("date")
        text = str(fact.expr.value) if fact is not None else ""
        try:
            out[key] = dt.date.fromisoformat(f"{text}-01-01"[:10])
        except ValueError:
            continue
    return out


def _stale(review: Review) -> list[str]:
    """Money inputs of the compared metrics whose newest source is out of date."""
    side = review.side
    assert side is not None  # noqa: S101 (the caller looked)
    dated = dates(side.document)
    newest = max(dated.values(), default=None)
    out: dict[str, None] = {}
    for node in side.graph.inputs(side.nodes.values()):
        what = side.graph.nodes[node].what
        if newest is None or not isinstance(what, Input) or not what.cites:
            continue
        own = [dated[cite.key] for cite in what.cites if cite.key in dated]
        money = dict(unit(what.unit).dim.exponents).get("money", 0) > 0
        if money and own and newest - max(own) > STALE:
            out[what.origin] = None
    return list(out)


def assumed_share(evaluation: Evaluation, scenario: str, metric: str) -> float:
    """The share of a metric that rests on assumptions: by absolute elasticities."""
    from isocost.engine.gradient import gradient

    node = evaluation.node(scenario, metric)
    if node is None:
        return 0.0
    graph = evaluation.graph
    values = evaluation.point((node,))
    slopes = gradient(graph, node, values)
    total = assumed = 0.0
    for below in graph.inputs((node,)):
        what = graph.nodes[below].what
        weight = abs(slopes.get(below, 0.0) * values[below])
        if isinstance(what, Input) and math.isfinite(weight):
            total += weight
            assumed += weight if what.assumed else 0.0
    return assumed / total if total else 0.0
