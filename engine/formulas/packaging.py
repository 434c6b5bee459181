"""From known good dies to a priced chip: substrate, interposer, memory, design, margin.

A package is lost whole: one bad bond scraps the dies already on it. Chip-last
bonds good dies to a good interposer, chip-first builds the interposer on the dies,
so that its yield kills them. Money is by package until the chip is put together.
"""

from isocost.dsl.expr import Expr, same, total, where
from isocost.engine.formula import formula, q
from isocost.engine.formulas.silicon import gross
from isocost.engine.formulas.silicon_symbols import take

_ACTUARY = "Feng, Ma: Chiplet Actuary, DAC 2022; Yinxiao-Feng/chiplet-actuary"
_LARGE = q("900 mm^2/package")
_MEDIUM = q("289 mm^2/package")


@formula(
    "$/package",
    take("die_cost dies"),
    source="count times cost",
    valid="dies >= 0; known good dies of one kind",
    latex="c_k",
)
def dies_in_package(die_cost: Expr, dies: Expr) -> Expr:
    """Cost of the dies of one kind in a package: c_d n_d."""
    return die_cost * dies


@formula(
    "mm^2/package",
    take("area dies"),
    source="count times area",
    valid="dies >= 0; dies of one kind, side by side",
    latex="A_s",
)
def silicon_area_of_package(area: Expr, dies: Expr) -> Expr:
    """Area of the dies of one kind in a package: A n_d."""
    return area * dies / q("1 die")


@formula(
    "mm^2/package",
    take("silicon_area scale"),
    source=_ACTUARY + ": 4 for a substrate, 1.2 fan-out, 1.1 silicon interposer",
    valid="scale >= 1; layouts like those the scale was read from",
    latex="A_p",
)
def carrier_area(silicon_area: Expr, scale: Expr) -> Expr:
    """Area of the interposer or substrate below an area: f_a A."""
    return silicon_area * scale


@formula(
    "1",
    take("substrate_area dies"),
    source=_ACTUARY,
    valid="dies > 0; organic substrates without an interposer",
    latex="f_l",
)
def substrate_layers(substrate_area: Expr, dies: Expr) -> Expr:
    """Price of more layers: 1 for a single die, 1.5 to 2 by size for several."""
    several = where(
        substrate_area > _LARGE, 2.0, where(substrate_area > _MEDIUM, 1.75, 1.5)
    )
    return where(same(dies, q("1 die/package")), 1.0, several)


@formula(
    "$/package",
    take("substrate_area substrate_price layer_factor"),
    source=_ACTUARY + ": 0.005 $/mm^2; the factor is 1 below an interposer",
    valid="layer_factor >= 1; priced by area, losses aside",
    latex="c_s",
)
def substrate_cost(
    substrate_area: Expr, substrate_price: Expr, layer_factor: Expr
) -> Expr:
    """Cost of the substrate: area times price times layers."""
    return substrate_area * substrate_price * layer_factor


@formula(
    "$/package",
    take("silicon_area bump_price"),
    source=_ACTUARY + ": 0.005 $/mm^2 for C4, 0.01 for micro-bumps",
    valid="silicon_area >= 0; one pitch over the whole area",
    latex="c_b",
)
def bump_cost(silicon_area: Expr, bump_price: Expr) -> Expr:
    """Cost of the bumps below an area."""
    return silicon_area * bump_price


@formula(
    "1",
    take("bond dies"),
    source=_ACTUARY + ": 0.99 to a substrate, 0.98 fan-out, 0.95 interposer",
    valid="0 < bond <= 1; bonds fail independently",
    latex="y_2",
)
def yield_of_bonding(bond: Expr, dies: Expr) -> Expr:
    """Yield of bonding all dies of a package: y_b^n."""
    return bond ** (dies / q("1 die/package"))


@formula(
    "1",
    take("interposer_area defects clustering"),
    source=_ACTUARY + ": fan-out 0.05 /cm^2, 3; silicon 0.06 /cm^2, 6",
    valid="defects >= 0; clustering > 0; density of all layers together",
    latex="y_1",
)
def yield_of_interposer(interposer_area: Expr, defects: Expr, clustering: Expr) -> Expr:
    """Yield of an interposer: (1 + A D / alpha)^-alpha."""
    faults = interposer_area * q("1 package") * defects
    return (1 + faults / clustering) ** (-clustering)


@formula(
    "package/wafer",
    take("diameter edge scribe interposer_area"),
    source=_ACTUARY,
    valid=(
        "interposer_area * 1 package <= 0.03 * diameter ** 2; square, far "
        "smaller than the wafer; not rounded"
    ),
    latex="N_i",
)
def interposers_per_wafer(
    diameter: Expr, edge: Expr, scribe: Expr, interposer_area: Expr
) -> Expr:
    """Interposers from a wafer with a rim and lanes, as for dies."""
    area = interposer_area * q("1 package")
    pitch = area + 2 * scribe * area**0.5 + scribe**2
    return gross(diameter / 2 - edge, pitch) * q("1 package/wafer")


@formula(
    "$/package",
    take("wafer_price per_wafer interposer_area bump_price"),
    source=_ACTUARY,
    valid="per_wafer > 0; losses aside",
    latex="c_i",
)
def interposer_cost(
    wafer_price: Expr, per_wafer: Expr, interposer_area: Expr, bump_price: Expr
) -> Expr:
    """Cost of an interposer with its own bumps, good or bad."""
    return wafer_price / per_wafer + interposer_area * bump_price


@formula(
    "$/package",
    take("raw_package bonding_yield"),
    source=_ACTUARY,
    valid=(
        "0 < bonding_yield <= 1; dies bonded to the substrate without an interposer"
    ),
    latex="x_p",
)
def lost_package_organic(raw_package: Expr, bonding_yield: Expr) -> Expr:
    """Substrates lost to bad bonds: c_p (1/y_2 - 1)."""
    return raw_package * (1 / bonding_yield - 1)


@formula(
    "$/package",
    take("chips_cost bonding_yield"),
    source=_ACTUARY,
    valid=(
        "0 < bonding_yield <= 1; dies bonded to the substrate without an interposer"
    ),
    latex="x_k",
)
def lost_chips_organic(chips_cost: Expr, bonding_yield: Expr) -> Expr:
    """Good dies lost to bad bonds: c_k (1/y_2 - 1)."""
    return chips_cost * (1 / bonding_yield - 1)


_LAST = "interposer_yield bonding_yield substrate_yield"


@formula(
    "$/package",
    take("interposer substrate " + _LAST),
    source=_ACTUARY,
    valid=(
        "0 < interposer_yield <= 1; 0 < bonding_yield <= 1; 0 < "
        "substrate_yield <= 1; dies bonded to a finished interposer"
    ),
    latex="x_p",
)
def lost_package_chip_last(
    interposer: Expr,
    substrate: Expr,
    interposer_yield: Expr,
    bonding_yield: Expr,
    substrate_yield: Expr,
) -> Expr:
    """Interposers and substrates lost: c_i (1/(y_1 y_2 y_3) - 1) + c_s (1/y_3 - 1)."""
    all_three = interposer_yield * bonding_yield * substrate_yield
    return interposer * (1 / all_three - 1) + substrate * (1 / substrate_yield - 1)


@formula(
    "$/package",
    take("chips_cost bonding_yield substrate_yield"),
    source=_ACTUARY,
    valid=(
        "0 < bonding_yield <= 1; 0 < substrate_yield <= 1; dies bonded to a "
        "finished, tested interposer"
    ),
    latex="x_k",
)
def lost_chips_chip_last(
    chips_cost: Expr, bonding_yield: Expr, substrate_yield: Expr
) -> Expr:
    """Good dies lost: c_k (1/(y_2 y_3) - 1)."""
    return chips_cost * (1 / (bonding_yield * substrate_yield) - 1)


@formula(
    "$/package",
    take("interposer substrate interposer_yield substrate_yield"),
    source=_ACTUARY,
    valid=(
        "0 < interposer_yield <= 1; 0 < substrate_yield <= 1; "
        "redistribution layers built on the dies"
    ),
    latex="x_p",
)
def lost_package_chip_first(
    interposer: Expr, substrate: Expr, interposer_yield: Expr, substrate_yield: Expr
) -> Expr:
    """Layers and substrates lost: c_i (1/(y_1 y_3) - 1) + c_s (1/y_3 - 1)."""
    both = interposer_yield * substrate_yield
    return interposer * (1 / both - 1) + substrate * (1 / substrate_yield - 1)


@formula(
    "$/package",
    take("chips_cost interposer_yield substrate_yield"),
    source=_ACTUARY,
    valid=(
        "0 < interposer_yield <= 1; 0 < substrate_yield <= 1; "
        "redistribution layers built on the dies"
    ),
    latex="x_k",
)
def lost_chips_chip_first(
    chips_cost: Expr, interposer_yield: Expr, substrate_yield: Expr
) -> Expr:
    """Good dies lost with the layers built on them: c_k (1/(y_1 y_3) - 1)."""
    return chips_cost * (1 / (interposer_yield * substrate_yield) - 1)


@formula(
    "$/package",
    take("raw_chips defect_chips raw_package lost_package lost_chips"),
    source=_ACTUARY,
    valid="test and memory not in it",
    latex="c_q",
)
def packaged_cost(
    raw_chips: Expr,
    defect_chips: Expr,
    raw_package: Expr,
    lost_package: Expr,
    lost_chips: Expr,
) -> Expr:
    """Recurring cost of a package: its five parts added up."""
    return total(raw_chips, defect_chips, raw_package, lost_package, lost_chips)


@formula(
    "$/package",
    take("chips_cost memory_cost raw_package assembly_yield package_test"),
    source="one bad bond scraps compute dies and memory alike",
    valid=("0 < assembly_yield <= 1; all parts are bonded before the first test"),
    latex="c_q",
)
def assembled_cost(
    chips_cost: Expr,
    memory_cost: Expr,
    raw_package: Expr,
    assembly_yield: Expr,
    package_test: Expr,
) -> Expr:
    """Cost of a good package with memory: (all parts + test) / Y_a."""
    parts = total(chips_cost, memory_cost, raw_package, package_test)
    return parts / assembly_yield
