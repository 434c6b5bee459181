"""What a volume of chips needs: wafers, packages, memory, parts, power.

Each is for one period; `isocost.engine.fleet.ramp` runs them over dated volumes
against caps and lead times.
"""

from isocost.dsl.expr import Expr
from isocost.engine.formula import formula
from isocost.engine.formulas.reliability_symbols import take

_FLOW = "units needed over units gained, with losses"


@formula(
    "wafer",
    take("volume dies_per_chip dies_per_wafer yields"),
    source=_FLOW,
    valid=(
        "dies_per_wafer > 0; 0 < yields <= 1; `yields` of die, assembly and "
        "test together; not rounded"
    ),
    latex="N_w",
)
def wafers_needed(
    volume: Expr, dies_per_chip: Expr, dies_per_wafer: Expr, yields: Expr
) -> Expr:
    """Wafers to start for a volume: V n_d / (N Y)."""
    return volume * dies_per_chip / (dies_per_wafer * yields)


@formula(
    "chip",
    take("wafers dies_per_chip dies_per_wafer yields"),
    source=_FLOW,
    valid="dies_per_chip > 0; 0 < yields <= 1; one kind of die limits",
    latex="V",
)
def chips_of_wafers(
    wafers: Expr, dies_per_chip: Expr, dies_per_wafer: Expr, yields: Expr
) -> Expr:
    """Chips that wafers give: W N Y / n_d."""
    return wafers * dies_per_wafer * yields / dies_per_chip


@formula(
    "wafer",
    take("volume packages_per_chip packages_per_wafer yields"),
    source=_FLOW,
    valid=(
        "packages_per_wafer > 0; 0 < yields <= 1; `yields` of interposer "
        "and assembly; not rounded"
    ),
    latex="N_q",
)
def interposer_wafers_needed(
    volume: Expr, packages_per_chip: Expr, packages_per_wafer: Expr, yields: Expr
) -> Expr:
    """Interposer wafers (CoWoS) for a volume: V n_q / (N_q Y)."""
    return volume * packages_per_chip / (packages_per_wafer * yields)


@formula(
    "package",
    take("volume packages_per_chip yields"),
    source=_FLOW,
    valid="0 < yields <= 1; `yields` of assembly and test; not rounded",
    latex="Q",
)
def packages_needed(volume: Expr, packages_per_chip: Expr, yields: Expr) -> Expr:
    """Packages to start: V n_q / Y."""
    return volume * packages_per_chip / yields


@formula(
    "stack",
    take("volume stacks_per_chip yields"),
    source=_FLOW,
    valid="0 < yields <= 1; `yields` of assembly and test; not rounded",
    latex="N_s",
)
def stacks_needed(volume: Expr, stacks_per_chip: Expr, yields: Expr) -> Expr:
    """Memory stacks for a volume, those lost in assembly included: V n_s / Y."""
    return volume * stacks_per_chip / yields


@formula(
    "GB",
    take("stacks stack_capacity"),
    source="count times capacity",
    valid="stacks >= 0; stacks of one capacity",
    latex="B",
)
def memory_needed(stacks: Expr, stack_capacity: Expr) -> Expr:
    """Capacity of the stacks."""
    return stacks * stack_capacity


@formula(
    "part",
    take("volume parts_per_chip"),
    source=_FLOW,
    valid="volume >= 0; none lost, no spares",
    latex="N_p",
)
def parts_needed(volume: Expr, parts_per_chip: Expr) -> Expr:
    """Cables, switches or other parts for a volume: V n_p."""
    return volume * parts_per_chip


@formula(
    "W",
    take("volume chip_share_power"),
    source="count times power",
    valid="volume >= 0; chips alike, provisioned in the period they come",
    latex="P",
)
def power_needed(volume: Expr, chip_share_power: Expr) -> Expr:
    """IT power to provision for a volume: V p_a."""
    return volume * chip_share_power


@formula(
    "1",
    take("spend bill"),
    source="share of a sum",
    valid="bill > 0; a part and its whole",
    latex="x/X",
)
def share_of_bill(spend: Expr, bill: Expr) -> Expr:
    """A supplier's share of the bill."""
    return spend / bill
