"""A whole training run: one job's part of chips, cost and power, tokens delivered.

Where several copies train side by side, each bears its part of everything that is
installed, idle chips included.
"""

from isocost.dsl.expr import Expr
from isocost.engine.formula import formula, p
from isocost.engine.formulas.money_symbols import take

_PART = "what is installed, divided among jobs that train side by side"
_JOBS = {"instances": p("1", "I", "copies of the model that train")}


@formula(
    "chip",
    take("chips") | _JOBS,
    source=_PART,
    valid="instances >= 1; jobs of equal size side by side",
    latex="N_j",
)
def chips_of_job(chips: Expr, instances: Expr) -> Expr:
    """Chips that one job holds, idle ones included: `N / I`."""
    return chips / instances


@formula(
    "$/month",
    take("cost") | _JOBS,
    source=_PART,
    valid="instances >= 1; jobs of equal size side by side",
    latex="c_j",
)
def cost_of_job(cost: Expr, instances: Expr) -> Expr:
    """Cost of the cluster that one job bears: `c / I`."""
    return cost / instances


@formula(
    "W",
    take("average_power") | _JOBS,
    source=_PART,
    valid="instances >= 1; jobs of equal size side by side",
    latex="P_j",
)
def power_of_job(average_power: Expr, instances: Expr) -> Expr:
    """Mean power at the meter that one job bears: `P / I`."""
    return average_power / instances


@formula(
    "token/s",
    take("throughput ettr"),
    source="definition",
    valid="0 < ettr <= 1; steps lost are done again",
    latex="X",
)
def tokens_kept(throughput: Expr, ettr: Expr) -> Expr:
    """Tokens trained on in a second of wall time, failures and restarts included."""
    return throughput * ettr


@formula(
    "chip",
    {
        "ranks": p("1", "R", "ranks of one job"),
        "rank_chips": p("chip", "c_r", "chips of one rank"),
    },
    source="counted",
    valid="ranks >= 0; rank_chips > 0; every rank computes",
    latex="n",
)
def chips_at_work(ranks: Expr, rank_chips: Expr) -> Expr:
    """Chips of one job that compute: `R c_r`."""
    return ranks * rank_chips
