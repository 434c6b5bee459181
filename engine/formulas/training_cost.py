"""What a training run cost whoever owned the chips, from public prices (Epoch AI).

Hardware loses a fixed factor of its value each year; a run bears the loss over its
chip-hours. The method's year has 365.25 days (8766 h), ours 8760 h: the constants
here are Epoch's, so that published figures come out.
"""

from isocost.dsl.expr import Expr
from isocost.engine.formula import formula, p, q

_EPOCH = "Epoch AI, arXiv:2405.21015; epoch-research/training-cost-trends"
#: Natural logarithm of 10.
_LN10 = 2.302585092994046

_VALUE = {
    "acquisition": p("$/chip", "p_a", "price of a chip with its share of server"),
    "owned": p("day", "t_a", "from acquisition to the start of the run"),
    "magnitudes": p("/year", "b", "decline in orders of magnitude a year (0.14)"),
}
_RUN = {
    "value": p("$/chip", "v", "value of a chip when the run starts"),
    "magnitudes": _VALUE["magnitudes"],
    "chip_hours": p("chip-h", "H", "chips times time"),
}
_SPLIT = {
    "amortised": p("$", "C_a", "amortised cost of chips in their servers"),
    "server_factor": p("1", "f_v", "price of a server's share over its chip's"),
}
_LINKS = {
    "amortised": _SPLIT["amortised"],
    "interconnect": p("1", "f_x", "interconnect over all hardware (0.19)"),
}


@formula(
    "$/chip",
    _VALUE,
    source=_EPOCH,
    valid=(
        "owned >= 0; start not before acquisition; GPUs 90 days after "
        "release at the earliest"
    ),
    latex="v",
)
def value_at_start(acquisition: Expr, owned: Expr, magnitudes: Expr) -> Expr:
    """Value of a chip when the run starts: p_a 10^(-b t_a), years of 365.25 days."""
    years = owned / q("365.25 day")
    return acquisition * 10 ** (-(magnitudes * q("1 year")) * years)


@formula(
    "$/chip-h",
    {key: _RUN[key] for key in ("value", "magnitudes")},
    source=_EPOCH,
    valid="magnitudes >= 0; runs that are short against a year",
    latex="h",
)
def depreciation_hourly(value: Expr, magnitudes: Expr) -> Expr:
    """Value lost in a chip-hour: v b ln(10) / 8766 h."""
    return value * (magnitudes * q("1 year")) * _LN10 / q("8766 h")


@formula(
    "$",
    _RUN,
    source=_EPOCH,
    valid="magnitudes >= 0; runs that are short against a year",
    latex="C_a",
)
def amortised_hardware(value: Expr, magnitudes: Expr, chip_hours: Expr) -> Expr:
    """Value that the run's chips and servers lost: hourly loss times chip-hours."""
    hourly: Expr = depreciation_hourly(value, magnitudes)
    return hourly * chip_hours


@formula(
    "$",
    _SPLIT,
    source=_EPOCH,
    valid="server_factor >= 1; one server's price over its chips'",
    latex="C_c",
)
def amortised_chips(amortised: Expr, server_factor: Expr) -> Expr:
    """The chips' part of the amortised cost: C_a / f_v."""
    return amortised / server_factor


@formula(
    "$",
    _SPLIT,
    source=_EPOCH,
    valid="server_factor >= 1; one server's price over its chips'",
    latex="C_v",
)
def amortised_servers(amortised: Expr, server_factor: Expr) -> Expr:
    """The rest of the servers in the amortised cost: C_a (1 - 1/f_v)."""
    return amortised * (1 - 1 / server_factor)


@formula(
    "$",
    _LINKS,
    source=_EPOCH,
    valid="0 <= interconnect < 1; a share of the whole cluster's price",
    latex="C_x",
)
def amortised_interconnect(amortised: Expr, interconnect: Expr) -> Expr:
    """Interconnect beside the servers: C_a f_x / (1 - f_x)."""
    return amortised * interconnect / (1 - interconnect)
