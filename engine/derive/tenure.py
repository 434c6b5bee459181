"""Renting and reserving: rent, porting, staff and egress, and nothing else."""

from isocost.engine.derive.common import RENTED, add_up
from isocost.engine.formulas import tenure
from isocost.engine.quantities import quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]
#: The term of a price list at which chips above a commitment are rented.
ON_DEMAND = "on_demand"
#: What renting charges beside the rent.
BESIDE = ("staff", "porting", "egress")


def rental_path(scope: Scope, term: str | None = None) -> str:
    """The line of the price book for the scenario's chip.

    Args:
        scope: The scenario.
        term: Of the price list; else the book's own, or the only one it has.
    """
    return f"finance.rental[{_chip(scope)}, {term or rental_term(scope)}]"


def _chip(scope: Scope) -> str:
    """The chip as the price book names it."""
    block = scope.block("chip")
    return scope.key_of("finance", "rental[]", block) if block else ""


def rental_term(scope: Scope) -> str:
    """The term of rent that holds: the book's own, or the only one for the chip.

    Raises:
        MissingInputError: The book has none for the chip, or several.
    """
    chip = _chip(scope)
    stated = scope.word("finance.term")
    if stated:
        return stated
    book = scope.block("finance")
    facts = book.facts.values() if book else ()
    terms = {
        fact.path.keys[1]
        for fact in facts
        if fact.path.pattern == "rental[]" and fact.path.keys[0] == chip
    }
    if len(terms) != 1:
        path = f"finance.rental[{chip}, …]" if not terms else "finance.term"
        raise scope.fail("M001", path=path, needed_by="cost.rent")
    return terms.pop()


def _rent(scope: Scope, _: Keys) -> int:
    if not scope.has("finance.committed"):
        return scope.apply(
            tenure.rent_on_demand, rental=rental_path(scope), needed="chips"
        )
    return scope.apply(
        tenure.rent_reserved,
        reserved_price=rental_path(scope),
        committed="finance.committed",
        rental=rental_path(scope, ON_DEMAND),
        needed="chips",
    )


#: What a month of a rented cluster is the sum of.
PAID = ("cost.rent", *(f"cost.opex[{name}]" for name in BESIDE))


def _rented(scope: Scope, _: Keys) -> int:
    return add_up(scope, [scope[path] for path in PAID], "$/month")


def _beside(scope: Scope, _: Keys) -> int:
    return add_up(scope, [scope[f"cost.opex[{name}]"] for name in BESIDE], "$/month")


QUANTITIES = (
    quantity("cost.rent", "$/month", "Rent of all chips.", _rent, when=RENTED),
    quantity(
        "cost.opex", "$/month", "What renting costs beside rent.", _beside, when=RENTED
    ),
    quantity(
        "cost.per_month",
        "$/month",
        "All cost: rent, porting, staff, egress.",
        _rented,
        when=RENTED,
    ),
)
