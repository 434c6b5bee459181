"""How many: chips installed, ranks, instances, and what a figure is by chip."""

from isocost.dsl.expr import Expr, floor, where
from isocost.engine.formula import formula, p, q

_COUNT = "counted"
_CHIPS = p("chip", "N", "chips installed")
_RANKS = p("1", "R", "ranks of one instance")
_BY_SYSTEM = p("chip/system", "n", "chips of one system")
_SYSTEMS = p("system", r"N_s", "systems installed")


@formula(
    "1",
    {
        "hidden": p("1", "h", "width of the residual stream"),
        "heads": p("1", "a", "query heads"),
    },
    source="Vaswani et al. 2017, arXiv:1706.03762",
    valid="heads >= 1; models that state no head size of their own",
    latex="d",
)
def head_width(hidden: Expr, heads: Expr) -> Expr:
    """Numbers in a head: the stream divided by the query heads, d = h / a."""
    return hidden / heads


@formula(
    "chip",
    {"ranks_per_chip": p("/chip", "r", "ranks that one chip appears as")},
    source=_COUNT,
    valid="ranks_per_chip > 0; ranks of one chip alike",
    latex=r"c_r",
)
def chips_of_rank(ranks_per_chip: Expr) -> Expr:
    """Chips of one rank: c_r = 1 / r; below one where a chip is several ranks."""
    return 1 / ranks_per_chip


@formula(
    "1",
    {
        "tp": p("1", "t", "tensor-parallel ranks"),
        "pp": p("1", r"\pi", "pipeline stages"),
        "cp": p("1", "c", "context-parallel ranks"),
        "dp": p("1", r"\delta", "data-parallel groups"),
    },
    source="Narayanan et al. 2021 (Megatron-LM), arXiv:2104.04473",
    valid="ep divides tp and dp between them and adds no ranks",
    latex="R",
)
def ranks_of_instance(tp: Expr, pp: Expr, cp: Expr, dp: Expr) -> Expr:
    """Ranks that hold one copy of the model: R = t pi c delta."""
    return tp * pp * cp * dp


@formula(
    "chip",
    {"systems": _SYSTEMS, "chips_per_system": _BY_SYSTEM},
    source=_COUNT,
    valid="systems >= 0; systems alike",
    latex="N",
)
def chips_installed(systems: Expr, chips_per_system: Expr) -> Expr:
    """Chips of all systems: N = N_s n."""
    return systems * chips_per_system


@formula(
    "system",
    {"size": p("chip", "N", "chips asked for"), "chips_per_system": _BY_SYSTEM},
    source="whole systems within a number of chips",
    valid="chips_per_system > 0; chips are bought in whole systems",
    latex=r"N_s",
)
def systems_within_chips(size: Expr, chips_per_system: Expr) -> Expr:
    """Whole systems within a number of chips: N_s = floor(N / n)."""
    return floor(size / chips_per_system / q("1 system")) * q("1 system")


@formula(
    "system",
    {"size": p("system", "n", "systems asked for")},
    source="whole systems of a number of them",
    valid="size >= 0; a system in part is none",
    latex=r"N_s",
)
def whole_systems(size: Expr) -> Expr:
    """Whole systems: N_s = floor(n)."""
    return floor(size / q("1 system")) * q("1 system")


@formula(
    "system",
    {
        "budget": p("W", "P", "power asked for"),
        "by_system": p("W/system", r"p_s", "power provisioned for one system"),
    },
    source="whole systems within a power",
    valid="by_system > 0; the power of the network is in that of a system",
    latex=r"N_s",
)
def systems_within_watts(budget: Expr, by_system: Expr) -> Expr:
    """Whole systems within a power: N_s = floor(P / p_s)."""
    return floor(budget / by_system / q("1 system")) * q("1 system")


@formula(
    "system",
    {
        "budget": p("$", "C", "money to spend"),
        "by_system": p("$/system", r"p_s", "price of one system"),
    },
    source="whole systems within a sum",
    valid="by_system > 0; a price without discounts for volume",
    latex=r"N_s",
)
def systems_within_money(budget: Expr, by_system: Expr) -> Expr:
    """Whole systems within a sum of money: N_s = floor(C / p_s)."""
    return floor(budget / by_system / q("1 system")) * q("1 system")


@formula(
    "1",
    {
        "systems": _SYSTEMS,
        "chips_per_system": _BY_SYSTEM,
        "rank_chips": p("chip", r"c_r", "chips of one rank"),
        "ranks": _RANKS,
    },
    source=_COUNT,
    valid=(
        "ranks >= 1; rank_chips > 0; an instance that fits into a system "
        "does not straddle two"
    ),
    latex="I",
)
def instances_that_fit(
    systems: Expr, chips_per_system: Expr, rank_chips: Expr, ranks: Expr
) -> Expr:
    """Copies of the model: whole ones in each system, or across systems if larger.

    I = N_s floor(n / (c_r R)) where one fits into a system, else floor of the whole.
    """
    of_system = chips_per_system * q("1 system") / rank_chips
    count = systems / q("1 system")
    inside = count * floor(of_system / ranks)
    return where(ranks <= of_system, inside, floor(count * of_system / ranks))


@formula(
    "1",
    {
        "systems": _SYSTEMS,
        "chips_per_system": _BY_SYSTEM,
        "rank_chips": p("chip", r"c_r", "chips of one rank"),
        "ranks": p("1", "R", "ranks of the run"),
    },
    source=_COUNT,
    valid="ranks >= 1; rank_chips > 0; one run holds all that is installed",
    latex="I",
)
def run_that_fits(
    systems: Expr, chips_per_system: Expr, rank_chips: Expr, ranks: Expr
) -> Expr:
    """1 if the whole holds a run whose replicas are left to be filled in, else 0.

    What it leaves idle is the run's all the same: no second one is put beside it.
    """
    return where(ranks <= systems * chips_per_system / rank_chips, 1, 0)


@formula(
    "1",
    {
        "instances": p("1", "I", "copies of the model"),
        "ranks": _RANKS,
        "rank_chips": p("chip", r"c_r", "chips of one rank"),
        "chips": _CHIPS,
    },
    source=_COUNT,
    valid="chips > 0; instances alike",
    latex=r"\iota",
)
def idle_share(instances: Expr, ranks: Expr, rank_chips: Expr, chips: Expr) -> Expr:
    """Share of the chips that no instance uses; they are paid for all the same."""
    return 1 - instances * ranks * rank_chips / chips


@formula(
    "s",
    {
        "time": p("s", "t", "time by the formulas"),
        "residual": p("1", r"\epsilon", "factor that a stack leaves unexplained"),
    },
    source="spread of left-out rows of the stack's calibration (docs: accuracy)",
    valid=(
        "residual > 0; one variable for a stack and regime: all times of a "
        "stack move together"
    ),
    latex="T",
)
def with_residual(time: Expr, residual: Expr) -> Expr:
    """A time with what the model leaves unexplained: T = t epsilon, epsilon near 1."""
    return time * residual


@formula(
    "1",
    {
        "domains": p("1", "k", "domains that the group reaches into"),
        "inside": p("1", r"\epsilon_i", "factor left unexplained inside a domain"),
        "across": p("1", r"\epsilon_o", "factor left unexplained across domains"),
    },
    source="definition",
    valid="domains >= 1; inside > 0; across > 0",
    latex=r"\epsilon",
)
def residual_by_reach(domains: Expr, inside: Expr, across: Expr) -> Expr:
    """What is left unexplained where one algorithm runs over both networks."""
    return where(domains > 1, across, inside)


@formula(
    "token/s/chip",
    {"throughput": p("token/s", "X", "tokens of all chips"), "chips": _CHIPS},
    source=_COUNT,
    valid="chips > 0; idle chips counted",
    latex="x",
)
def throughput_by_chip(throughput: Expr, chips: Expr) -> Expr:
    """Tokens a second for each installed chip: x = X / N."""
    return throughput / chips
