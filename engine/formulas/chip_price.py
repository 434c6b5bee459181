"""Memory stacks, design cost by volume, margins: the last steps to a chip's price."""

from isocost.dsl.expr import Expr
from isocost.engine.formula import formula, q
from isocost.engine.formulas.silicon_symbols import take

_ACTUARY = "Feng, Ma: Chiplet Actuary, DAC 2022; Yinxiao-Feng/chiplet-actuary"
_STACK = "independent losses of dies and bonds"
_MARGIN = "definition of gross margin"


@formula(
    "1",
    take("memory_yield memory_bond stack_height"),
    source=_STACK,
    valid=(
        "0 < memory_yield <= 1; 0 < memory_bond <= 1; stack_height >= 1; "
        "untested dies; with known good ones `memory_yield` is 1"
    ),
    latex="Y_h",
)
def yield_of_stack(memory_yield: Expr, memory_bond: Expr, stack_height: Expr) -> Expr:
    """Yield of a memory stack: Y_m^h y_m^(h - 1)."""
    return memory_yield**stack_height * memory_bond ** (stack_height - 1)


@formula(
    "$/stack",
    take("memory_price stack_capacity base_die stack_yield"),
    source=_STACK,
    valid="0 < stack_yield <= 1; `memory_price` before the losses of stacking",
    latex="c_h",
)
def cost_of_stack(
    memory_price: Expr, stack_capacity: Expr, base_die: Expr, stack_yield: Expr
) -> Expr:
    """Cost of a good stack: (p_g B + base die) / Y_h."""
    return (memory_price * stack_capacity + base_die) / stack_yield


@formula(
    "$/package",
    take("stack_cost stacks"),
    source="count times cost",
    valid="stacks >= 0; good stacks of one kind",
)
def stacks_in_package(stack_cost: Expr, stacks: Expr) -> Expr:
    """Cost of the memory in a package: c_h n_s."""
    return stack_cost * stacks


@formula(
    "$",
    take("node_nre nre_share area"),
    source=_ACTUARY + ": 0.5 of a node's cost for modules, 0.3 for chips",
    valid="area > 0; `node_nre` for 300 mm^2; cost in proportion to area",
    latex="C_a",
)
def nre_by_area(node_nre: Expr, nre_share: Expr, area: Expr) -> Expr:
    """Design cost that grows with area: C_n f_n A / 300 mm^2."""
    return node_nre * nre_share * area / q("300 mm^2")


@formula(
    "$",
    take("node_nre nre_share"),
    source=_ACTUARY + ": 0.2 of a node's cost is fixed",
    valid="0 <= nre_share <= 1; one tape-out",
    latex="C_0",
)
def nre_fixed(node_nre: Expr, nre_share: Expr) -> Expr:
    """Design cost that any chip on the node bears: C_n f_n."""
    return node_nre * nre_share


@formula(
    "$/chip",
    take("nre volume"),
    source=_ACTUARY,
    valid="volume > 0; spread evenly, interest aside",
    latex="c_N",
)
def nre_of_chip(nre: Expr, volume: Expr) -> Expr:
    """Design cost borne by one chip: C_N / V."""
    return nre / volume


@formula(
    "$/chip",
    take("package_cost packages nre_per_chip"),
    source="sum of parts",
    valid="packages > 0; one kind of package",
    latex="c",
)
def cost_of_chip(package_cost: Expr, packages: Expr, nre_per_chip: Expr) -> Expr:
    """Cost of a chip as sold: its packages and its share of the design."""
    return package_cost * packages + nre_per_chip


@formula(
    "$/chip",
    take("chip_cost margin"),
    source=_MARGIN + "; 75% makes the price four times the cost",
    valid="margin < 1; one party's margin, apply again for the next",
    latex="p",
)
def price_of_chip(chip_cost: Expr, margin: Expr) -> Expr:
    """Price that leaves a gross margin: c / (1 - g)."""
    return chip_cost / (1 - margin)


@formula(
    "1",
    take("chip_cost chip_price"),
    source=_MARGIN,
    valid="chip_price > 0",
    latex="g",
)
def margin_of_chip(chip_cost: Expr, chip_price: Expr) -> Expr:
    """Gross margin in a price: 1 - c / p."""
    return 1 - chip_cost / chip_price
