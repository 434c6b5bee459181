"""Which block holds the rate of a currency: what its points are stated in tells."""

from isocost.dsl.document import Block, Document
from isocost.dsl.expr import Expr
from isocost.dsl.units import CURRENCIES, Dim, Unit, dim

#: Every currency but the one that money is counted in.
FOREIGN = CURRENCIES[1:]


def rate_of(document: Document, code: str) -> tuple[Block, int] | None:
    """The `exchange` block of a currency; -1 beside it if it states the inverse."""
    wanted = dim({"money": 1, code: -1})
    for block in document.of_kind("exchange"):
        for fact in block.facts.values():
            found = unit_of(fact.expr)
            if found is not None and found.dim in {wanted, wanted**-1}:
                return block, 1 if found.dim == wanted else -1
    return None


def unit_of(expr: Expr) -> Unit | None:
    """The unit in which a value is written: that of its first literal."""
    for part in expr.walk():
        if part.op == "literal":
            found = part.value.unit
            return found if isinstance(found, Unit) else None
    return None


def in_dollars(document: Document, found: Dim) -> Dim:
    """A dimension with each currency that has a rate turned into money."""
    for code, power in found.exponents:
        if code in FOREIGN and rate_of(document, code) is not None:
            found = found * dim({"money": 1, code: -1}) ** power
    return found
