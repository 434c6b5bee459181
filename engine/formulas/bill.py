"""Lines of a system's bill, the fabric's power, and time's split between phases."""

from isocost.dsl.expr import Expr, largest
from isocost.engine.formula import formula, p

_BILL = "count times price"


@formula(
    "$/system",
    {
        "count": p("chip/system", "n", "chips of one system"),
        "price": p("$/chip", r"p_c", "price of a chip"),
    },
    source=_BILL,
    valid="count >= 0; one price for every chip",
    latex=r"b_c",
)
def chips_on_bill(count: Expr, price: Expr) -> Expr:
    """Chips on the bill of one system: b_c = n p_c."""
    return count * price


@formula(
    "$/system",
    {
        "count": p("1/system", "n", "items of one system"),
        "price": p("$", "p", "price of one item"),
    },
    source=_BILL,
    valid="count >= 0; one price for every item",
    latex="b",
)
def item_on_bill(count: Expr, price: Expr) -> Expr:
    """One line of the bill of one system: b = n p."""
    return count * price


@formula(
    "W",
    {
        "chips": p("chip", "N", "chips installed"),
        "by_chip": p("W/chip", "p", "power of the network by chip"),
    },
    source="count times power",
    valid="chips >= 0; a network that grows with the chips",
    latex=r"P_f",
)
def fabric_power(chips: Expr, by_chip: Expr) -> Expr:
    """Power of the scale-out network: P_f = N p."""
    return chips * by_chip


@formula(
    "1",
    {
        "mixed": p("s", "T", "time of a step that takes prompts in as well"),
        "decode": p("s", r"T_d", "time of a step that only decodes"),
    },
    source="what prompts add to a step, over the step",
    valid="mixed > 0; continuous batching; both steps with the same batch",
    latex=r"\phi",
)
def prefill_share(mixed: Expr, decode: Expr) -> Expr:
    """Share of the time that prefill takes: phi = (T - T_d) / T, at least 0."""
    return largest(some=(mixed - decode) / mixed, none=0)


@formula(
    "$/system",
    {
        "total": p("$/system", "p_s", "price of one system, as stated"),
        "listed": p("$/system", "b", "lines of its bill together"),
    },
    source=_BILL,
    valid="listed <= total; the stated total holds every listed line",
    latex=r"b_r",
)
def rest_of_bill(total: Expr, listed: Expr) -> Expr:
    """What a stated price holds beside the lines that are listed."""
    return total - listed


@formula(
    "$/chip",
    {
        "line": p("$/system", "b", "lines of the bill of one system"),
        "count": p("chip/system", "n", "chips of one system"),
    },
    source=_BILL,
    valid="count > 0; shared evenly by the chips",
    latex=r"b_c",
)
def line_by_chip(line: Expr, count: Expr) -> Expr:
    """What a part of a system's bill is for each of its chips."""
    return line / count


@formula(
    "$/chip",
    {
        "cost": p("$", "C", "cost of the whole network"),
        "chips": p("chip", "N", "chips that it joins"),
    },
    source=_BILL,
    valid="chips > 0; shared evenly by the chips",
    latex=r"c_c",
)
def network_cost_by_chip(cost: Expr, chips: Expr) -> Expr:
    """Cost of a network for each chip that it joins."""
    return cost / chips


@formula(
    "W/chip",
    {
        "power": p("W", "P", "power of the whole network"),
        "chips": p("chip", "N", "chips that it joins"),
    },
    source="count times power",
    valid="chips > 0; shared evenly by the chips",
    latex=r"p_c",
)
def network_power_by_chip(power: Expr, chips: Expr) -> Expr:
    """Power of a network for each chip that it joins."""
    return power / chips
