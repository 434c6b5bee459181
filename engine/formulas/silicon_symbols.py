"""The variables of silicon and packaging: one name, one unit, one meaning everywhere.

Defect density by layer and in total are two variables with two names, and no
formula takes either for the other.
"""

from collections.abc import Mapping

from isocost.engine.formula import Param, p

WAFER: Mapping[str, Param] = {
    "diameter": p("mm", "d", "diameter of the wafer (300 mm)"),
    "edge": p("mm", "e", "unusable rim of the wafer"),
    "scribe": p("mm", "s", "width of the lane between dies"),
    "area": p("mm^2", "A", "area of one die"),
    "reticle": p("mm^2", "A_r", "field of an exposure (858 mm^2)"),
    "dies_per_wafer": p("die/wafer", "N", "gross dies on a wafer"),
    "wafer_price": p("$/wafer", "p_w", "price of a processed wafer"),
    "defects": p("/cm^2", "D", "killer defects by area, all layers together"),
    "layer_defects": p("/cm^2/layer", "D_l", "killer defects by area of a layer"),
    "layers": p("layer", "n", "critical layers"),
    "clustering": p("1", r"\alpha", "clustering of defects; none as it grows"),
    "critical": p("1", r"\theta", "share of the area in which a defect kills"),
    "line_yield": p("1", "Y_w", "wafers that leave the line over wafers started"),
    "die_yield": p("1", "Y", "good dies over all dies"),
    "enough_cores": p("1", "P", "probability that enough cores of a die work"),
    "uncore_yield": p("1", "Y_u", "yield of the part of the die without spares"),
    "coverage": p("1", "T", "share of faults that the test finds"),
    "raw_die": p("$/die", "c_r", "cost of a die, good or bad"),
    "die_test": p("$/die", "c_t", "test of a die"),
    "test_time": p("s/die", "t_t", "time of a die on the tester"),
    "tester": p("$/h", "p_t", "price of tester time"),
}

PACKAGE: Mapping[str, Param] = {
    "dies": p("die/package", "n_d", "dies in the package"),
    "die_cost": p("$/die", "c_d", "cost of a known good die"),
    "silicon_area": p("mm^2/package", "A_s", "area of all dies in the package"),
    "substrate_area": p("mm^2/package", "A_p", "area of the substrate"),
    "interposer_area": p("mm^2/package", "A_i", "area of the interposer"),
    "scale": p("1", "f_a", "area over the area of what it carries"),
    "substrate_price": p("$/mm^2", "p_a", "price of the substrate by area"),
    "layer_factor": p("1", "f_l", "price of the substrate's layers over the least"),
    "bump_price": p("$/mm^2", "p_b", "price of bumps by area"),
    "bond": p("1", "y_b", "yield of bonding one die"),
    "per_wafer": p("package/wafer", "N_i", "interposers from a wafer"),
    "chips_cost": p("$/package", "c_k", "known good dies with their bumps"),
    "raw_chips": p("$/package", "c_r", "dies with their bumps, defects aside"),
    "defect_chips": p("$/package", "c_x", "what defective dies cost"),
    "raw_package": p("$/package", "c_p", "package, losses aside"),
    "interposer": p("$/package", "c_i", "interposer with its bumps"),
    "substrate": p("$/package", "c_s", "substrate"),
    "interposer_yield": p("1", "y_1", "yield of the interposer"),
    "bonding_yield": p("1", "y_2", "yield of bonding all dies"),
    "substrate_yield": p("1", "y_3", "yield of bonding to the substrate"),
    "lost_package": p("$/package", "x_p", "packages lost"),
    "lost_chips": p("$/package", "x_k", "good dies lost with them"),
    "memory_cost": p("$/package", "c_m", "memory stacks"),
    "assembly_yield": p("1", "Y_a", "yield of the whole assembly"),
    "package_test": p("$/package", "t_p", "test of the package"),
    "stacks": p("stack/package", "n_s", "memory stacks in the package"),
    "stack_cost": p("$/stack", "c_h", "cost of a good stack"),
    "stack_height": p("1", "h", "memory dies in a stack"),
    "memory_yield": p("1", "Y_m", "yield of one memory die"),
    "memory_bond": p("1", "y_m", "yield of bonding one memory die to the next"),
    "memory_price": p("$/GB", "p_g", "price of memory by capacity, losses aside"),
    "stack_capacity": p("GB/stack", "B", "capacity of a stack"),
    "base_die": p("$/stack", "c_b", "base die of a stack"),
    "stack_yield": p("1", "Y_h", "yield of a stack"),
}

PRICE: Mapping[str, Param] = {
    "node_nre": p("$", "C_n", "design cost of a 300 mm^2 chip on the node"),
    "nre_share": p("1", "f_n", "part of it: module 0.5, chip 0.3, fixed 0.2"),
    "nre": p("$", "C_N", "design, masks and qualification"),
    "volume": p("chip", "V", "chips made over the product's life"),
    "package_cost": p("$/package", "c_q", "cost of a tested package"),
    "packages": p("package/chip", "n_q", "packages in a chip as sold"),
    "chip_cost": p("$/chip", "c", "cost of a chip"),
    "nre_per_chip": p("$/chip", "c_N", "design cost borne by a chip"),
    "margin": p("1", "g", "gross margin: profit over price"),
    "chip_price": p("$/chip", "p", "price of a chip"),
}

SYMBOLS: Mapping[str, Param] = {**WAFER, **PACKAGE, **PRICE}


def take(names: str) -> dict[str, Param]:
    """The parameters of these names, in this order."""
    return {name: SYMBOLS[name] for name in names.split()}
