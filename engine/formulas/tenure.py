"""Own, rent or reserve: what each charges, and where they cost the same.

Owning pays capital, energy, space and upkeep whether or not a chip is used. Renting
charges rent, porting, staff and traffic only: the lessor's power is in the rent.
"""

from isocost.dsl.expr import Expr, largest
from isocost.engine.formula import formula, q
from isocost.engine.formulas.money_symbols import take

_CLOUD = "price lists of the cloud vendors: hours used times rate"


@formula(
    "$/month",
    take("rental needed"),
    source=_CLOUD,
    valid="needed >= 0; `needed` as a mean over the month, released when idle",
    latex="R",
)
def rent_on_demand(rental: Expr, needed: Expr) -> Expr:
    """Rent of the chips needed: h_r N_d."""
    return rental * needed


@formula(
    "$/month",
    take("reserved_price committed rental needed"),
    source=_CLOUD,
    valid=(
        "committed >= 0; needed >= 0; demand steady over the month; the "
        "excess is rented on demand"
    ),
    latex="R",
)
def rent_reserved(
    reserved_price: Expr, committed: Expr, rental: Expr, needed: Expr
) -> Expr:
    """Rent under commitment, paid whether used or not, and on demand above it.

    R = h_c N_c + h_r max(0, N_d - N_c).
    """
    excess = largest(within=q("0 chip"), above=needed - committed)
    return reserved_price * committed + rental * excess


@formula(
    "$/month",
    take("porting recovery"),
    source="annuity of a single cost",
    valid=("recovery > 0; `recovery` over the time for which the porting serves"),
    latex="O_p",
)
def porting_charge(porting: Expr, recovery: Expr) -> Expr:
    """Porting the workload, spread over the time it serves: C_p k."""
    return porting * recovery


@formula(
    "$/month",
    take("egress egress_price"),
    source=_CLOUD,
    valid="egress >= 0; one price, no free or tiered volume",
    latex="O_x",
)
def egress_cost(egress: Expr, egress_price: Expr) -> Expr:
    """Traffic out of the cloud: rate times price."""
    return egress * egress_price


@formula(
    "1",
    take("owned_cost rental"),
    source="equality of cost a needed chip-hour: h_o / u = h_r",
    valid=("rental > 0; rent released when idle, the owned chip idle when not needed"),
    latex="u^*",
)
def breakeven_use(owned_cost: Expr, rental: Expr) -> Expr:
    """Share of hours in use from which owning is cheaper: h_o / h_r.

    Above 1 renting is cheaper at any use.
    """
    return owned_cost / rental


@formula(
    "$/chip-h",
    take("owned_cost used"),
    source="cost over hours in use",
    valid="0 < used <= 1; the same cost used or idle",
    latex="h_u",
)
def owned_cost_of_use(owned_cost: Expr, used: Expr) -> Expr:
    """Cost of an hour in use of an owned or reserved chip: h_o / u."""
    return owned_cost / used
