"""What a cluster costs: capital by class of asset, running cost, chip-hours.

Capital and running cost are sums for the whole cluster; a scenario adds its classes
up and divides once by what it installed, has up, or sells. Electricity follows
power drawn, colocation follows power provisioned: a cluster that idles still pays
for its space.
"""

from isocost.dsl.expr import Expr
from isocost.engine.formula import formula
from isocost.engine.formulas.money_symbols import take

_NEOCLOUD = "SemiAnalysis AI TCO model (H200, neocloud)"
_ACCOUNT = "count times price"
_WSC = "Barroso, Holzle: The Datacenter as a Computer, chapter 6"
_HAMILTON = "Hamilton, perspectives.mvdirona.com, 2008-11-28; "

# Capital --------------------------------------------------------------------------


@formula(
    "$",
    take("chip_price chips"),
    source=_ACCOUNT,
    valid="chips >= 0; one price for every chip",
    latex="C_c",
)
def capex_chips(chip_price: Expr, chips: Expr) -> Expr:
    """Capital in chips bought on their own: p_c N."""
    return chip_price * chips


@formula(
    "$",
    take("system_price systems"),
    source=_ACCOUNT,
    valid="systems >= 0; one price for every system",
    latex="C_s",
)
def capex_systems(system_price: Expr, systems: Expr) -> Expr:
    """Capital in systems bought whole: p_s N_s."""
    return system_price * systems


@formula(
    "$",
    take("server_price servers"),
    source=_ACCOUNT,
    valid="servers >= 0; one price for every server",
    latex="C_v",
)
def capex_servers(server_price: Expr, servers: Expr) -> Expr:
    """Capital in servers, or in what is priced by server: p_v N_v."""
    return server_price * servers


@formula(
    "$",
    take("part_price parts"),
    source=_ACCOUNT,
    valid="parts >= 0; one price for every part",
    latex="C_p",
)
def capex_parts(part_price: Expr, parts: Expr) -> Expr:
    """Capital in one line of a bill: p_p N_p."""
    return part_price * parts


@formula(
    "$",
    take("capex spare_share"),
    source=_ACCOUNT,
    valid="spare_share >= 0; spares at the price of what they stand by for",
    latex="C_x",
)
def capex_spares(capex: Expr, spare_share: Expr) -> Expr:
    """Capital in spares as a share of what is installed: C f_s."""
    return capex * spare_share


@formula(
    "$",
    take("facility_price provisioned"),
    source=_WSC,
    valid=(
        "provisioned >= 0; a facility of one's own; with colocation it "
        "would count twice"
    ),
    latex="C_f",
)
def capex_facility(facility_price: Expr, provisioned: Expr) -> Expr:
    """Capital in a data centre: price by IT power times power provisioned."""
    return facility_price * provisioned


@formula(
    "$/chip",
    take("capex chips"),
    source=_ACCOUNT,
    valid="chips > 0; all capital shared by installed chips",
    latex="C/N",
)
def capex_per_chip(capex: Expr, chips: Expr) -> Expr:
    """Capital for each installed chip: C / N."""
    return capex / chips


# Running cost ---------------------------------------------------------------------


@formula(
    "$/kW-month",
    take("electricity pue power_load"),
    source=_NEOCLOUD + ": 0.087 x 1.35 x 80% x 730 h = 68.59 $/kW-month",
    valid=(
        "pue >= 1; 0 <= power_load <= 1; one price of electricity, without "
        "demand charges"
    ),
    latex="e",
)
def electricity_by_power(electricity: Expr, pue: Expr, power_load: Expr) -> Expr:
    """Electricity for each kW provisioned: price x PUE x share drawn."""
    return electricity * pue * power_load


@formula(
    "$/kW-month",
    take("electricity_per_power colocation"),
    source=_NEOCLOUD,
    valid="both for the same provisioned power",
)
def power_and_space(electricity_per_power: Expr, colocation: Expr) -> Expr:
    """Electricity and colocation for each kW provisioned: e + c_c."""
    return electricity_per_power + colocation


@formula(
    "$/month",
    take("average_power electricity"),
    source=_WSC,
    valid="average_power >= 0; `average_power` at the meter, PUE included",
    latex="O_e",
)
def energy_cost(average_power: Expr, electricity: Expr) -> Expr:
    """Electricity: mean power at the meter times price."""
    return average_power * electricity


@formula(
    "$/month",
    take("provisioned colocation"),
    source=_NEOCLOUD,
    valid="provisioned >= 0; no facility capital beside it",
    latex="O_c",
)
def colocation_cost(provisioned: Expr, colocation: Expr) -> Expr:
    """Space, cooling and power delivery, paid for each kW provisioned."""
    return provisioned * colocation


@formula(
    "$/month",
    take("capex maintenance"),
    source=_WSC + " (repairs at 5% of the servers' price a year)",
    valid="maintenance >= 0; the same share at every age",
    latex="O_m",
)
def maintenance_cost(capex: Expr, maintenance: Expr) -> Expr:
    """Maintenance and repairs as a yearly share of the price: C m."""
    return capex * maintenance


@formula(
    "$/month",
    take("servers server_fee"),
    source=_NEOCLOUD + ": remote hands and internet by server",
    valid="servers >= 0; one fee for every server",
    latex="O_v",
)
def server_fees(servers: Expr, server_fee: Expr) -> Expr:
    """Fees by server: remote hands, internet, support."""
    return servers * server_fee


@formula(
    "$/month",
    take("staff_hour chips"),
    source=_NEOCLOUD + ": operators by chip-hour",
    valid="chips >= 0; staff in proportion to installed chips",
    latex="O_s",
)
def staff_by_chip(staff_hour: Expr, chips: Expr) -> Expr:
    """Staff charged by the chip-hour: h_s N."""
    return staff_hour * chips


# Chip-hours -----------------------------------------------------------------------


@formula(
    "$/chip-h",
    take("cost chips"),
    source=_NEOCLOUD + ": (capital + opex) / chips / 730 h",
    valid="chips > 0; no division by any utilisation",
    latex=r"h_{\mathrm{inst}}",
)
def chip_hour_installed(cost: Expr, chips: Expr) -> Expr:
    """All cost over chip-hours installed: c / N."""
    return cost / chips


@formula(
    "$/chip-h",
    take("chip_hour availability"),
    source="levelised cost over what is up",
    valid="0 < availability <= 1; `chip_hour` by installed chips",
    latex=r"h_{\mathrm{avail}}",
)
def chip_hour_available(chip_hour: Expr, availability: Expr) -> Expr:
    """All cost over chip-hours that are up: h / a."""
    return chip_hour / availability


@formula(
    "$/chip-h",
    take("chip_hour sold"),
    source="SemiAnalysis: break-even rent is cost over the share sold",
    valid="0 < sold <= 1; `chip_hour` by available chips",
    latex=r"h_{\mathrm{sold}}",
)
def chip_hour_sold(chip_hour: Expr, sold: Expr) -> Expr:
    """All cost over chip-hours paid for, which is the rent to break even: h / u."""
    return chip_hour / sold
