"""Dies sold with some cores off, and memory bought by capacity."""

from isocost.dsl.expr import Expr
from isocost.engine.formula import formula, p
from isocost.engine.formulas.silicon_symbols import SYMBOLS
from isocost.engine.kernels import AT_LEAST, call

_REDUNDANT = "binomial redundancy; Koren, Krishna: Fault-Tolerant Systems, chapter 8"
_CORES = {
    "area": SYMBOLS["area"],
    "core_share": p("1", "f_c", "share of the die's area in its cores"),
    "cores": p("1", "m", "cores built on a die"),
}
_SPARE = {
    "cores_needed": p("1", "k", "cores that must work"),
    "cores": _CORES["cores"],
    "core_yield": p("1", "Y_c", "yield of one core"),
    "uncore_yield": SYMBOLS["uncore_yield"],
}
_MEMORY = {
    "memory_price": SYMBOLS["memory_price"],
    "capacity": p("GB/package", "B", "stacked memory of a package"),
}


@formula(
    "mm^2",
    _CORES,
    source=_REDUNDANT,
    valid="cores >= 1; 0 <= core_share <= 1; equal cores",
    latex="A_c",
)
def core_area(area: Expr, core_share: Expr, cores: Expr) -> Expr:
    """Area of one core: A f_c / m."""
    return area * core_share / cores


@formula(
    "mm^2",
    {key: _CORES[key] for key in ("area", "core_share")},
    source=_REDUNDANT,
    valid="0 <= core_share <= 1; a defect outside of the cores kills the die",
    latex="A_u",
)
def uncore_area(area: Expr, core_share: Expr) -> Expr:
    """Area of a die without spares: A (1 - f_c)."""
    return area * (1 - core_share)


@formula(
    "1",
    _SPARE,
    source=_REDUNDANT,
    valid=(
        "0 <= cores_needed <= cores; 0 <= core_yield <= 1; cores fail "
        "independently of each other and of the rest"
    ),
    latex=r"Y_{\mathrm{eff}}",
)
def yield_with_spare_cores(
    cores_needed: Expr, cores: Expr, core_yield: Expr, uncore_yield: Expr
) -> Expr:
    """Yield of dies sold with some cores off: P(k of m cores work) Y_u."""
    return call(AT_LEAST, cores_needed, cores, core_yield) * uncore_yield


@formula(
    "$/package",
    _MEMORY,
    source="capacity times price",
    valid="capacity >= 0; bought as good stacks, priced by capacity",
    latex="c_m",
)
def memory_by_capacity(memory_price: Expr, capacity: Expr) -> Expr:
    """Cost of a package's memory: p_g B."""
    return memory_price * capacity
