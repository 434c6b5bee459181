"""Shares of a system by chip, and yields of steps that follow each other."""

from isocost.dsl.expr import Expr
from isocost.engine.formula import formula, p

_CHIPS = p("chip/system", "n_c", "chips of a system")
_SHARE = "a system's figure over its chips"


@formula(
    "1",
    {
        "first": p("1", "Y_1", "yield of the first step"),
        "second": p("1", "Y_2", "yield of the second step"),
    },
    source="product of independent losses",
    valid="0 <= first <= 1; 0 <= second <= 1; losses independent",
    latex="Y",
)
def yield_of_steps(first: Expr, second: Expr) -> Expr:
    """Good units over units started after two steps: Y_1 Y_2."""
    return first * second


@formula(
    "W/chip",
    {"system_power": p("W/system", "p_s", "power of a system"), "chips": _CHIPS},
    source=_SHARE,
    valid="chips > 0; shared evenly by the chips",
    latex="p_a",
)
def power_by_chip(system_power: Expr, chips: Expr) -> Expr:
    """Power of a system for each of its chips."""
    return system_power / chips


@formula(
    "rack/chip",
    {"racks": p("rack/system", "n_r", "racks of a system"), "chips": _CHIPS},
    source=_SHARE,
    valid="chips > 0; shared evenly by the chips, not rounded",
    latex="r_a",
)
def racks_by_chip(racks: Expr, chips: Expr) -> Expr:
    """Racks of a system for each of its chips."""
    return racks / chips


@formula(
    "1/chip",
    {"count": p("1/system", "n", "items of one system"), "chips": _CHIPS},
    source=_SHARE,
    valid="chips > 0; shared evenly by the chips, not rounded",
    latex="n_a",
)
def parts_by_chip(count: Expr, chips: Expr) -> Expr:
    """Items of a system's bill for each of its chips."""
    return count / chips
