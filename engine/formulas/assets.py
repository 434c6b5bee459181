"""Counts and small assets that stand beside the systems of a cluster."""

from isocost.dsl.expr import Expr
from isocost.engine.formula import formula, p
from isocost.engine.formulas.money_symbols import SYMBOLS

_SERVERS = {
    "systems": SYMBOLS["systems"],
    "servers_per_system": p("server/system", "n_v", "servers of a system"),
}
_FURTHER = {
    "by_chip": p("$/chip", "c_o", "further capital by chip"),
    "chips": SYMBOLS["chips"],
}


@formula(
    "server", _SERVERS, source="count", valid="systems >= 0; systems alike", latex="N_v"
)
def servers_installed(systems: Expr, servers_per_system: Expr) -> Expr:
    """Servers of all systems: N_s n_v."""
    return systems * servers_per_system


@formula(
    "$",
    _FURTHER,
    source="count times price",
    valid="chips >= 0; priced by chips installed, used or not",
    latex="C_o",
)
def capex_by_chip(by_chip: Expr, chips: Expr) -> Expr:
    """Capital that is priced by chip: service contracts, software, storage."""
    return by_chip * chips
