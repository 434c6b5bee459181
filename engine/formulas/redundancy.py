"""Enough units up: the binomial tail as a formula, for spares and harvested parts."""

from isocost.dsl.expr import Expr
from isocost.engine.formula import formula, p
from isocost.engine.kernels import AT_LEAST, call

_UNITS = {
    "needed": p("system", "k", "systems that the work needs"),
    "spares": p("1", "f_s", "spare systems over those needed"),
    "up": p("1", "a", "share of the time in which one is up"),
}


@formula(
    "1",
    _UNITS,
    source="binomial redundancy; Zu et al., Resiliency at Scale, NSDI 2024",
    valid=(
        "spares >= 0; 0 <= up <= 1; independent units; a spare can take any "
        "unit's place at once"
    ),
    latex="P",
)
def enough_systems(needed: Expr, spares: Expr, up: Expr) -> Expr:
    """Share of the time in which as many systems are up as the work needs."""
    return call(AT_LEAST, needed, needed * (1 + spares), up)
