"""From wafer to known good die: dies per wafer, yields, harvesting, test.

Areas are those of one die. Every yield model takes the defect density that it is
defined for: Bose-Einstein the density of *one critical layer*, all others that of
all layers together; `defects_of_layers` turns the one into the other.
"""

import math

from isocost.dsl.expr import Expr, exp, floor, sqrt, where
from isocost.engine.formula import formula, q
from isocost.engine.formulas.silicon_symbols import take

_HP = "Hennessy, Patterson: Computer Architecture, chapter 1"
_ACTUARY = "Feng, Ma: Chiplet Actuary, DAC 2022; Yinxiao-Feng/chiplet-actuary"
_VRIES = "de Vries, Investigation of gross die per wafer formulas, IEEE TSM 18, 2005"
_CLUSTERED = "all layers together; clusters larger than a die"
#: Below this many defects a die Murphy's yield is taken from its series.
_FEW = 1e-4
_LAYER = q("1 layer")


def gross(radius: Expr, area: Expr) -> Expr:
    """Squares of an area on a disc, less those that its rim cuts."""
    whole = math.pi * radius**2 / area
    return whole - math.pi * (2 * radius) / sqrt(2 * area)


@formula(
    "die/wafer",
    take("diameter area"),
    source=_HP,
    valid="0 < area <= 0.03 * diameter ** 2; no lanes, no rim; not rounded",
    latex="N",
)
def dies_per_wafer(diameter: Expr, area: Expr) -> Expr:
    """Gross dies on a wafer: pi (d/2)^2 / A - pi d / sqrt(2 A)."""
    return gross(diameter / 2, area) * q("1 die/wafer")


@formula(
    "die/wafer",
    take("diameter edge scribe area"),
    source=_ACTUARY,
    valid=(
        "0 < area <= 0.03 * diameter ** 2; 2 * edge < diameter; square "
        "dies; not rounded"
    ),
    latex="N",
)
def dies_per_wafer_scribed(
    diameter: Expr, edge: Expr, scribe: Expr, area: Expr
) -> Expr:
    """Gross dies with a rim and lanes: the wafer is d - 2e, a die A + 2s sqrt(A) + s^2.

    The yield still follows A: a defect in a lane kills nothing.
    """
    pitch = area + 2 * scribe * sqrt(area) + scribe**2
    return gross(diameter / 2 - edge, pitch) * q("1 die/wafer")


@formula(
    "die/wafer",
    take("diameter area"),
    source=_VRIES,
    valid=(
        "0 < area < 0.5 * diameter ** 2; large dies too; no lanes, no rim; not rounded"
    ),
    latex="N",
)
def dies_per_wafer_exponential(diameter: Expr, area: Expr) -> Expr:
    """Gross dies with an exponential rim: pi (d/2)^2 / A exp(-2 sqrt(A) / d)."""
    whole = math.pi * (diameter / 2) ** 2 / area
    return whole * exp(-2 * sqrt(area) / diameter) * q("1 die/wafer")


@formula(
    "1",
    take("area reticle"),
    source="CATCH (Graening et al., 2023): exposures by whole dies",
    valid="0 < area <= reticle; the die fits the field; its shape aside",
    latex="f_r",
)
def reticle_utilisation(area: Expr, reticle: Expr) -> Expr:
    """Share of an exposure's field that whole dies fill."""
    return floor(reticle / area) * area / reticle


# Yield ----------------------------------------------------------------------------


@formula(
    "1",
    take("area defects"),
    source="Poisson statistics; Murphy 1964",
    valid=(
        "area >= 0; defects >= 0; independent defects, all layers together; "
        "pessimistic for large dies"
    ),
    latex="Y",
)
def yield_poisson(area: Expr, defects: Expr) -> Expr:
    """Yield without clustering: exp(-A D)."""
    return exp(-(area * defects))


@formula(
    "1",
    take("area defects"),
    source="Murphy, Cost-size optima of monolithic integrated circuits, 1964",
    valid=(
        "area >= 0; defects >= 0; density spread triangularly over wafers; "
        "all layers together"
    ),
    latex="Y",
)
def yield_murphy(area: Expr, defects: Expr) -> Expr:
    """Murphy's yield: ((1 - exp(-A D)) / (A D))^2."""
    faults = area * defects
    series = 1 - faults / 2 + faults**2 / 6
    return where(faults < _FEW, series, (1 - exp(-faults)) / faults) ** 2


@formula(
    "1",
    take("area defects"),
    source="Seeds 1967; Price 1970",
    valid="area >= 0; defects >= 0; strong clustering; all layers together",
    latex="Y",
)
def yield_seeds(area: Expr, defects: Expr) -> Expr:
    """Seeds' yield, exponential spread of the density: 1 / (1 + A D)."""
    return 1 / (1 + area * defects)


@formula(
    "1",
    take("area defects"),
    source="Seeds 1967, the form in some process texts",
    valid="area * defects > 1; all layers together",
    latex="Y",
)
def yield_seeds_root(area: Expr, defects: Expr) -> Expr:
    """The other formula that goes by Seeds' name: exp(-sqrt(A D))."""
    return exp(-sqrt(area * defects))


@formula(
    "1",
    take("area defects clustering"),
    source="Stapper 1973; Chiplet Actuary takes alpha = 10, many texts 2 to 3",
    valid=(
        "area >= 0; defects >= 0; clustering > 0; all layers together; "
        "clusters larger than a die"
    ),
    latex="Y",
)
def yield_negative_binomial(area: Expr, defects: Expr, clustering: Expr) -> Expr:
    """Yield with clustered defects: (1 + A D / alpha)^-alpha."""
    return (1 + area * defects / clustering) ** (-clustering)


@formula(
    "1",
    take("area layer_defects layers"),
    source=_HP + " (n = 13.5 for 28 nm, 12 at 0.047 /cm^2 in the 6th edition)",
    valid=(
        "area >= 0; layer_defects >= 0; layers > 0; density of ONE critical "
        "layer, the same on each"
    ),
    latex="Y",
)
def yield_bose_einstein(area: Expr, layer_defects: Expr, layers: Expr) -> Expr:
    """Yield over n critical layers: (1 + A D_l)^-n, D_l being by layer."""
    return (1 + area * layer_defects * _LAYER) ** (-layers / _LAYER)


@formula(
    "1",
    take("area layer_defects critical clustering layers"),
    source="CATCH (Graening et al., 2023): a negative binomial for each layer",
    valid=(
        "0 <= critical <= 1; clustering > 0; layers > 0; density of ONE "
        "critical layer, the same on each"
    ),
    latex="Y",
)
def yield_by_layer(
    area: Expr, layer_defects: Expr, critical: Expr, clustering: Expr, layers: Expr
) -> Expr:
    """Clustered yield of each layer by its critical area, to the power of layers."""
    faults = area * layer_defects * _LAYER * critical
    layer = (1 + faults / clustering) ** (-clustering)
    return layer ** (layers / _LAYER)


@formula(
    "/cm^2",
    take("layer_defects layers"),
    source="expected defects add over layers",
    valid="layers > 0; the same density on each critical layer",
    latex="D",
)
def defects_of_layers(layer_defects: Expr, layers: Expr) -> Expr:
    """Defect density of all layers together from that of one: n D_l."""
    return layer_defects * layers


@formula(
    "1",
    take("enough_cores uncore_yield"),
    source="binomial redundancy; Koren, Krishna: Fault-Tolerant Systems, chapter 8",
    valid=(
        "0 <= enough_cores <= 1; 0 <= uncore_yield <= 1; cores fail "
        "independently; `enough_cores` by the kernel at_least"
    ),
    latex=r"Y_{\mathrm{eff}}",
)
def yield_harvested(enough_cores: Expr, uncore_yield: Expr) -> Expr:
    """Yield of dies sold with some cores off: P(enough cores) Y_uncore."""
    return enough_cores * uncore_yield


@formula(
    "1",
    take("line_yield die_yield"),
    source="product of independent losses",
    valid="0 <= line_yield <= 1; 0 <= die_yield <= 1; losses independent",
    latex="Y",
)
def yield_of_line(line_yield: Expr, die_yield: Expr) -> Expr:
    """Good dies over dies started: wafers that survive times good dies on them."""
    return line_yield * die_yield


# Cost -----------------------------------------------------------------------------


@formula(
    "$/die",
    take("wafer_price dies_per_wafer"),
    source=_ACTUARY,
    valid="dies_per_wafer > 0; a full wafer of one die",
    latex="c_r",
)
def raw_die_cost(wafer_price: Expr, dies_per_wafer: Expr) -> Expr:
    """Cost of a die, good or bad: p_w / N."""
    return wafer_price / dies_per_wafer


@formula(
    "$/die",
    take("raw_die die_yield die_test"),
    source=_ACTUARY + "; every die is tested",
    valid="0 < die_yield <= 1; bad dies are worth nothing",
    latex="c_d",
)
def good_die_cost(raw_die: Expr, die_yield: Expr, die_test: Expr) -> Expr:
    """Cost of a known good die: (c_r + c_t) / Y; each good one bears the bad ones."""
    return (raw_die + die_test) / die_yield


@formula(
    "$/die",
    take("raw_die die_yield"),
    source=_ACTUARY,
    valid="0 < die_yield <= 1; bad dies are worth nothing",
    latex="c_x",
)
def die_defect_cost(raw_die: Expr, die_yield: Expr) -> Expr:
    """What defects add to a good die: c_r (1/Y - 1)."""
    return raw_die * (1 / die_yield - 1)


@formula(
    "$/die",
    take("test_time tester"),
    source="time times price",
    valid="test_time >= 0; one die on the tester at a time",
    latex="c_t",
)
def die_test_cost(test_time: Expr, tester: Expr) -> Expr:
    """Cost of testing a die: time times the tester's hourly price."""
    return test_time * tester


@formula(
    "1",
    take("die_yield coverage"),
    source="Williams, Brown: Defect level as a function of fault coverage, 1981",
    valid="0 < die_yield <= 1; 0 <= coverage <= 1; independent faults",
    latex="Y_t",
)
def share_passing_test(die_yield: Expr, coverage: Expr) -> Expr:
    """Dies that pass a test which finds the share T of faults: Y^T."""
    return die_yield**coverage


@formula(
    "1",
    take("die_yield coverage"),
    source="Williams, Brown: Defect level as a function of fault coverage, 1981",
    valid="0 < die_yield <= 1; 0 <= coverage <= 1; independent faults",
    latex=r"\mathrm{DL}",
)
def share_escaping_test(die_yield: Expr, coverage: Expr) -> Expr:
    """Bad dies among those that passed: 1 - Y^(1 - T)."""
    return 1 - die_yield ** (1 - coverage)
