"""Rank correlations as stated: who goes with whom, and whether that can be.

A matrix of correlations must be positive definite: three inputs cannot all go against
each other. Draws get their ranks from normal scores, whose own correlation is
2 sin(pi r / 6) where ranks go together by r (Pearson 1907); it is that matrix which
has to be.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import attrs

from isocost.dsl.diagnostics import Diagnostic, Label, at
from isocost.dsl.document import Block, Fact
from isocost.dsl.expr import Expr
from isocost.dsl.functions import DISTRIBUTIONS
from isocost.dsl.lookup import Lookup, Target
from isocost.dsl.spans import Span
from isocost.dsl.values import is_formula, number_of

Matrix: TypeAlias = "tuple[tuple[float, ...], ...]"

#: The least that a pivot may be: inputs closer than this are one.
LEAST = 1e-9


@attrs.frozen
class Stated:
    """The rank correlation of two inputs, by origin in order, and where it stands."""

    pair: tuple[str, str]
    rank: float
    span: Span


@attrs.frozen
class Group:
    """Inputs by origin, sorted, and the rank correlation of each with each.

    Correlations that share an input are one group; a pair of it that nobody states is
    uncorrelated.
    """

    origins: tuple[str, ...]
    ranks: Matrix

    @property
    def key(self) -> str:
        """What the group is seeded by where it moves as one."""
        return " ".join(self.origins)


def in_doubt(fact: Fact) -> bool:
    """Whether a statement is an input that has draws."""
    expr = fact.expr
    spread = expr.op in {"interval", "tolerance"}
    drawn = expr.op == "call" and expr.value.name in DISTRIBUTIONS
    return not fact.formula and (spread or drawn)


def groups(lookup: Lookup) -> dict[str, Group]:
    """The group of every correlated input of a document, by origin."""
    found: dict[tuple[str, str], float] = {}
    for one in _stated(lookup):
        found.setdefault(one.pair, one.rank)
    return {o: group for group in _joined(found) for o in group.origins}


def faults(lookup: Lookup) -> Iterator[Diagnostic]:
    """What is wrong with the correlations of a document, taken together."""
    first: dict[tuple[str, str], Stated] = {}
    for one in _stated(lookup):
        other = first.setdefault(one.pair, one)
        if other is not one and other.rank != one.rank:
            also = (Label(other.span, f"{other.rank:g} here"),)
            yield at("V009", one.span, also=also, first=one.pair[0], second=one.pair[1])
    spans = {pair: one.span for pair, one in first.items()}
    for group in _joined({pair: one.rank for pair, one in first.items()}):
        if not possible(group.ranks):
            yield _impossible(group, spans)


def _impossible(group: Group, spans: Mapping[tuple[str, str], Span]) -> Diagnostic:
    pairs = list(itertools.combinations(group.origins, 2))
    places = list(dict.fromkeys(spans[pair] for pair in pairs if pair in spans))
    factor = nearest_factor(group.ranks)
    ranks = {r for row in group.ranks for r in row if r != 1}
    most = [math.trunc(r * factor * 100) / 100 for r in ranks]
    advice = f"the most that can be is {most[0]:g}" if len(ranks) == 1 else ""
    advice = advice or f"each of them times {factor:g} can be"
    if len(group.origins) == 2:  # noqa: PLR2004 (a pair that goes together wholly)
        advice += "; what goes together wholly is one input and a formula of it"
    missing = [f"{a} and {b}" for a, b in pairs if (a, b) not in spans]
    if missing:
        advice += f"; {missing[0]} count as uncorrelated: state theirs too"
    also = tuple(Label(place, "and this") for place in places[1:])
    names = ", ".join(group.origins)
    return at("V010", places[0], also=also, help=advice, names=names)


def block_faults(block: Block, lookup: Lookup) -> Iterator[Diagnostic]:
    """What is wrong with one `correlation`: what is missing, and who has no draws."""
    between = block.facts.get("between")
    for name in ("between", "rank"):
        if name not in block.facts:
            yield at("V011", block.span, name=block.label, missing=name)
    if between is None:
        return
    yield from _no_number(block.facts.get("rank"))
    paths = _paths(between)
    names = [str(one.value) for one in paths]
    twice = [one for i, one in enumerate(paths) if names[i] in names[:i]]
    for one in twice:
        facts = {"name": "between", "expected": "each input once"}
        help_ = "an input goes with itself anyway: name another, or leave it out"
        again = f"{one.value} again"
        span = one.span or between.span
        yield at("V003", span, facts=facts, found=again, help=help_)
    if len(names) < 2:  # noqa: PLR2004 (a pair)
        facts = {"name": "between", "expected": "a list of two inputs or more"}
        help_ = "name the inputs that go together: `between = [chip.price, hall.power]`"
        span = between.expr.span or between.span
        yield at("V003", span, facts=facts, found=f"{len(paths)}", help=help_)
    for one in paths:
        found = lookup.find(one.value, None, between.file)
        fact = found.fact if isinstance(found, Target) else None
        if isinstance(found, Target) and (fact is None or not in_doubt(fact)):
            also = () if fact is None else (Label(fact.path_span, "stated here"),)
            yield at("V008", one.span or between.span, also=also, name=str(one.value))


def _no_number(rank: Fact | None) -> Iterator[Diagnostic]:
    """A rank correlation that is no number: an interval would be passed over."""
    if rank is None or number_of(rank.expr) is not None:
        return
    op, formula = rank.expr.op, is_formula(rank.expr)
    drawn = op == "call" and rank.expr.value.name in DISTRIBUTIONS
    if drawn or op in {"interval", "tolerance"}:
        found = "an interval"
        help_ = "a correlation has no doubt of its own: state the middle of it"
    elif (
        op == "text" or str(rank.expr.value) == "auto" or (formula and not rank.formula)
    ):
        return  # told of as everywhere
    else:
        found = "a choice" if op == "choice" else "a formula"
        help_ = "write the number itself: draws are made before anything is computed"
    facts = {"name": "rank", "expected": "one number", "found": found}
    yield at("V003", rank.expr.span or rank.span, facts=facts, help=help_)


def _paths(between: Fact) -> list[Expr]:
    items = between.expr.args if between.expr.op == "list" else (between.expr,)
    return [item for item in items if item.op == "path"]


def members(block: Block, lookup: Lookup) -> list[Fact]:
    """The statements that a `correlation` names."""
    between = block.facts.get("between")
    if between is None:
        return []
    found = [lookup.find(one.value, None, between.file) for one in _paths(between)]
    facts = [one.fact for one in found if isinstance(one, Target)]
    return [fact for fact in facts if fact is not None]


def _stated(lookup: Lookup) -> Iterator[Stated]:
    """Every pair that can be drawn; what is wrong with others is told elsewhere."""
    for block in lookup.document.of_kind("correlation"):
        between, fact = block.facts.get("between"), block.facts.get("rank")
        rank = number_of(fact.expr) if fact is not None else None
        if between is None or fact is None or rank is None or not -1 <= rank <= 1:
            continue
        origins = {one.origin for one in members(block, lookup) if in_doubt(one)}
        for pair in itertools.combinations(sorted(origins), 2):
            yield Stated(pair, rank, fact.expr.span or fact.span)


def _joined(found: Mapping[tuple[str, str], float]) -> list[Group]:
    """The pairs as groups that share no input."""
    member: dict[str, set[str]] = {}
    for pair in found:
        joined = set(pair).union(*(member.get(one, ()) for one in pair))
        member.update(dict.fromkeys(joined, joined))
    out = {}
    for inputs in member.values():
        names = tuple(sorted(inputs))
        ranks = tuple(
            tuple(
                1.0 if a == b else found.get((min(a, b), max(a, b)), 0.0) for b in names
            )
            for a in names
        )
        out[names] = Group(names, ranks)
    return [out[names] for names in sorted(out)]


# Which matrices there can be.


def scores(ranks: Matrix) -> Matrix:
    """The correlation of normal scores that gives ranks theirs."""
    return tuple(
        tuple(
            1.0 if i == j else 2 * math.sin(math.pi * r / 6) for j, r in enumerate(row)
        )
        for i, row in enumerate(ranks)
    )


def possible(ranks: Matrix) -> bool:
    """Whether inputs can have these rank correlations: Cholesky's factor exists."""
    matrix = scores(ranks)
    lower: list[list[float]] = []
    for i, row in enumerate(matrix):
        lower.append([])
        for j in range(i):
            dot = math.fsum(lower[i][k] * lower[j][k] for k in range(j))
            lower[i].append((row[j] - dot) / lower[j][j])
        pivot = row[i] - math.fsum(x * x for x in lower[i])
        if pivot < LEAST:
            return False
        lower[i].append(math.sqrt(pivot))
    return True


def nearest_factor(ranks: Matrix) -> float:
    """The largest factor, in hundredths, by which all of them can be had."""
    low, high = 0, 100
    while high - low > 1:
        middle = (low + high) // 2
        if possible(times(ranks, middle / 100)):
            low = middle
        else:
            high = middle
    return low / 100


def times(ranks: Matrix, factor: float) -> Matrix:
    """The matrix with every correlation multiplied by a factor."""
    return tuple(
        tuple(1.0 if i == j else r * factor for j, r in enumerate(row))
        for i, row in enumerate(ranks)
    )
