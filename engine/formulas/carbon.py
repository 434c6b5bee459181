"""Carbon: of operation, of manufacture, and of a token.

Operation follows power at the meter and the grid's intensity (location-based, or
market-based where contracts are counted: state which). Manufacture is spread over
the life of the asset, by the time in which it is used.
"""

from isocost.dsl.expr import Expr
from isocost.engine.formula import formula
from isocost.engine.formulas.site_symbols import take

_ACT = "Gupta et al., ACT, ISCA 2022; facebookresearch/ACT"
_TPU = "Schneider et al., Life-cycle emissions of AI hardware, 2025, arXiv:2502.01671"


@formula(
    "kg/h",
    take("average_power intensity"),
    source="GHG Protocol, scope 2: energy times intensity",
    valid="intensity >= 0; mean intensity over the year; power at the meter",
    latex="G_o",
)
def operational_carbon(average_power: Expr, intensity: Expr) -> Expr:
    """Carbon of the electricity: mean power at the meter times intensity."""
    return average_power * intensity


@formula(
    "kg",
    take("embodied chips"),
    source=_TPU,
    valid="chips >= 0; made once: repairs and spares are not in it",
    latex="E",
)
def embodied_carbon(embodied: Expr, chips: Expr) -> Expr:
    """Carbon to make what is installed: e_c N."""
    return embodied * chips


@formula(
    "kg",
    take("facility_embodied provisioned"),
    source=_TPU,
    valid=(
        "provisioned >= 0; in proportion to power, whatever the climate and the design"
    ),
    latex="E_f",
)
def facility_carbon(facility_embodied: Expr, provisioned: Expr) -> Expr:
    """Carbon to build the data centre: by provisioned IT power."""
    return facility_embodied * provisioned


@formula(
    "kg/h",
    take("chip_embodied life used"),
    source=_ACT + ": embodied carbon times time over lifetime",
    valid="life > 0; 0 < used <= 1; spread evenly over the hours of use",
    latex="G_e",
)
def embodied_carbon_rate(chip_embodied: Expr, life: Expr, used: Expr) -> Expr:
    """Embodied carbon for each hour of use: E / (n u)."""
    return chip_embodied / (life * used)


@formula(
    "kg/h",
    take("operational embodied_rate"),
    source="sum of both",
    valid="both of the same machines and hours",
    latex="G",
)
def carbon_rate(operational: Expr, embodied_rate: Expr) -> Expr:
    """Operational and embodied carbon of an hour: G_o + G_e."""
    return operational + embodied_rate


@formula(
    "g/Mtoken",
    take("emissions throughput"),
    source="emissions over tokens delivered",
    valid="throughput > 0; both means over the same time",
    latex="g_t",
)
def carbon_of_token(emissions: Expr, throughput: Expr) -> Expr:
    """Carbon of a token delivered: G / X."""
    return emissions / throughput


@formula(
    "g/EFLOP",
    take("emissions work"),
    source=_TPU + " (compute carbon intensity)",
    valid="work > 0; useful arithmetic, not peak",
    latex=r"\mathrm{CCI}",
)
def compute_carbon_intensity(emissions: Expr, work: Expr) -> Expr:
    """Carbon of useful arithmetic: G / F."""
    return emissions / work


@formula(
    "g",
    take("area die_yield fab_intensity fab_energy fab_gas fab_materials"),
    source=_ACT,
    valid=("area > 0; 0 < die_yield <= 1; one die; area and figures of one process"),
    latex=r"E_{\mathrm{die}}",
)
def die_carbon(
    area: Expr,
    die_yield: Expr,
    fab_intensity: Expr,
    fab_energy: Expr,
    fab_gas: Expr,
    fab_materials: Expr,
) -> Expr:
    """Carbon to make a good die: A (kappa a_e + a_g + a_m) / Y."""
    by_area = fab_energy * fab_intensity + fab_gas + fab_materials
    return area * by_area / die_yield


@formula(
    "g",
    take("memory memory_carbon die_yield"),
    source=_ACT,
    valid="0 < die_yield <= 1; DRAM, flash or disks by their own figure",
    latex=r"E_{\mathrm{mem}}",
)
def memory_embodied_carbon(memory: Expr, memory_carbon: Expr, die_yield: Expr) -> Expr:
    """Carbon to make memory: B a_b / Y."""
    return memory * memory_carbon / die_yield


@formula(
    "g",
    take("packaging circuits"),
    source=_ACT,
    valid=("circuits >= 0; plain packages; interposers and stacks are not in it"),
    latex=r"E_{\mathrm{pkg}}",
)
def packaging_carbon(packaging: Expr, circuits: Expr) -> Expr:
    """Carbon of packaging circuits, 150 g each: e_p n."""
    return packaging * circuits


@formula(
    "kWh",
    take("accelerator_energy machine_ratio pue"),
    source=_TPU + "; Google fleet multiplier 1.72 on active accelerator energy",
    valid="machine_ratio >= 1; pue >= 1; a ratio of the same machines",
    latex="E",
)
def fleet_energy(accelerator_energy: Expr, machine_ratio: Expr, pue: Expr) -> Expr:
    """Energy at the meter from that of the active accelerators: E_a f_m PUE."""
    return accelerator_energy * machine_ratio * pue
