"""What makes a comparison unlike: terms, dates, sizes. Said, never corrected.

A capacity block of one chip against a rent of three years of another is no
comparison of chips. Called by `eval` and by reports for the scenarios that they put
side by side.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from isocost.dsl.dates import Period, read_period
from isocost.engine.derive.tenure import rental_term
from isocost.engine.derive.uncounted import missing
from isocost.engine.program import point
from isocost.engine.scope import MissingInputError

if TYPE_CHECKING:
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.scope import Scope

#: Prices further apart than this are not of one market.
YEAR = 366
#: Sizes further apart than this are not of one scale.
SIZES = 1.5


@attrs.frozen
class Terms:
    """On what terms a scenario's money is counted."""

    scenario: str
    tenure: str = ""
    term: str = ""
    date: Period | None = None
    chips: float = 0.0
    called: Mapping[str, str] = attrs.field(factory=dict)
    terms: Mapping[str, str] = attrs.field(factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The scenario as it is called."""
        return self.called.get(self.scenario, self.scenario)

    @property
    def words(self) -> str:
        """`own`, `rent, on_demand`, or as these are called."""
        words = f"{self.tenure}, {self.term}" if self.term else self.tenure
        return self.terms.get(words, words)


def terms_of(evaluation: "Evaluation", scenario: str) -> Terms:
    """The terms of a scenario; empty where it has no money in it."""
    scope = evaluation.scope(scenario)
    if scope.block("finance") is None:
        return Terms(scenario)
    tenure = scope.word("finance.tenure") or ""
    term = ""
    if tenure != "own":
        try:
            term = rental_term(scope)
        except MissingInputError:
            term = ""
    size = _chips(evaluation, scope)
    left_out = missing(scope)
    return Terms(scenario, tenure, term, _start(scope), size, missing=left_out)


def _start(scope: "Scope") -> Period | None:
    """When its prices are of: the terms' start, else the date of the source of most."""
    fact = scope.fact("finance.start")
    if fact is None:
        return None
    value = fact.expr.value
    return read_period(value.text if fact.expr.op == "literal" else str(value))


def _chips(evaluation: "Evaluation", scope: "Scope") -> float:
    try:
        node = scope["chips"]
    except MissingInputError:
        return 0.0
    return point(evaluation.graph, (node,), evaluation.choices)[node]


def unlike(
    evaluation: "Evaluation",
    scenarios: Sequence[str],
    called: Mapping[str, str] | None = None,
    terms: Mapping[str, str] | None = None,
) -> list[str]:
    """Sentences on what differs between scenarios beside what is compared.

    Args:
        evaluation: The evaluated document.
        scenarios: The names of those that stand side by side.
        called: How scenarios read, by name; else as they are written in the file.
        terms: How terms like `rent, on_demand` read; else as they are written.
    """
    found = [terms_of(evaluation, name) for name in scenarios]
    found = [attrs.evolve(o, called=called or {}, terms=terms or {}) for o in found]
    found = [one for one in found if one.tenure]
    if len(found) < 2:  # noqa: PLR2004 (a comparison has two sides)
        return []
    return [
        *_unlike_terms(found),
        *_unlike_dates(found),
        *_unlike_sizes(found),
        *_unlike_counts(found),
    ]


def _unlike_terms(found: list[Terms]) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for one in found:
        kinds.setdefault(one.words, []).append(one.name)
    if len(kinds) < 2:  # noqa: PLR2004
        return []
    said = "; ".join(f"{words}: {_names(names)}" for words, names in kinds.items())
    return [f"unlike terms ({said})"]


def _names(names: list[str]) -> str:
    few = 3
    more = f" and {len(names) - few} more" if len(names) > few else ""
    return ", ".join(names[:few]) + more


def _unlike_dates(found: list[Terms]) -> list[str]:
    dated = [one for one in found if one.date is not None]
    if len(dated) < 2:  # noqa: PLR2004
        return []
    first = min(dated, key=lambda one: one.date.start if one.date else 0)
    last = max(dated, key=lambda one: one.date.start if one.date else 0)
    if first.date is None or last.date is None:
        return []
    if last.date.start - first.date.start <= YEAR:
        return []
    months = round((last.date.start - first.date.start) / (365.25 / 12))
    ends = f"{first.name}: {first.date.text}, {last.name}: {last.date.text}"
    return [f"prices {months} months apart ({ends})"]


def _unlike_sizes(found: list[Terms]) -> list[str]:
    sized = [one for one in found if one.chips]
    if not sized:
        return []
    small = min(sized, key=lambda one: one.chips)
    large = max(sized, key=lambda one: one.chips)
    if large.chips <= SIZES * small.chips:
        return []
    ends = f"{small.name}: {small.chips:,.0f}, {large.name}: {large.chips:,.0f}"
    return [f"unlike sizes in chips ({ends})"]


def _unlike_counts(found: list[Terms]) -> list[str]:
    """Costs that some of those who own count and others do not."""
    owned = [one for one in found if one.tenure == "own"]
    said = []
    for cost in dict.fromkeys(cost for one in owned for cost in one.missing):
        without = [one.name for one in owned if cost in one.missing]
        if len(without) < len(owned):
            said.append(f"{cost} is not counted for {_names(without)}")
    return said


__all__ = ["Terms", "terms_of", "unlike"]
