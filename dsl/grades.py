"""How good a source is: A to D by its kind, D for an assumption and for none."""

from collections.abc import Iterable, Mapping

from isocost.dsl.document import Block
from isocost.dsl.values import word_of

GRADES: Mapping[str, str] = {
    "measured": "A",
    "filing": "A",
    "vendor": "A",
    "paper": "A",
    "analyst": "B",
    "press": "C",
    "derived": "C",
    "model": "C",
    "community": "C",
}
ASSUMED = "D"


def grade(keys: Iterable[str], sources: Mapping[str, Block]) -> str:
    """The grade of the best of some sources; D where there is none.

    Args:
        keys: What a statement cites; `assumed` is no source.
        sources: The document's sources by key.
    """
    return min((_grade(key, sources) for key in keys), default=ASSUMED)


def _grade(key: str, sources: Mapping[str, Block]) -> str:
    if key == "assumed":
        return ASSUMED
    source = sources.get(key)
    fact = source.facts.get("kind") if source is not None else None
    return GRADES.get(word_of(fact.expr) or "" if fact else "", "C")
