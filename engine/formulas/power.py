"""The power chain: chip, system, fabric, provisioned, average, energy.

`provisioned` is IT power: it sizes colocation and the caps of a site. `average` is
power at the meter: it pays for energy. A switch's power excludes its transceivers,
which are counted where they are plugged in.
"""

from isocost.dsl.expr import Expr, floor
from isocost.engine.formula import formula
from isocost.engine.formulas.site_symbols import take

_CHAIN = "sum over what draws power"
_PUE = "The Green Grid, PUE: a comprehensive examination of the metric (2012)"
_PHASES = "mean over the time in each phase"


@formula(
    "W/system",
    take("chip_power chips_per_system host_power fan_share"),
    source=_CHAIN,
    valid="fan_share >= 0; rated power of every part at once",
    latex="p_s",
)
def system_power_of_parts(
    chip_power: Expr, chips_per_system: Expr, host_power: Expr, fan_share: Expr
) -> Expr:
    """Power of a system from its parts: (p_c n_c + p_h) (1 + f_f)."""
    return (chip_power * chips_per_system + host_power) * (1 + fan_share)


@formula(
    "W",
    take("switches switch_power transceivers transceiver_power"),
    source=_CHAIN + "; data sheets state switches without optics",
    valid=(
        "switches >= 0; transceivers >= 0; transceivers at both ends, those "
        "in the hosts too if not counted there"
    ),
    latex="P_f",
)
def tier_power(
    switches: Expr, switch_power: Expr, transceivers: Expr, transceiver_power: Expr
) -> Expr:
    """Power of one tier of a fabric: n_w p_w + n_t p_t."""
    return switches * switch_power + transceivers * transceiver_power


@formula(
    "W",
    take("system_power systems fabric_power other_power"),
    source=_CHAIN,
    valid="systems >= 0; IT power, before PUE",
    latex="P",
)
def power_provisioned(
    system_power: Expr, systems: Expr, fabric_power: Expr, other_power: Expr
) -> Expr:
    """IT power that the site must be able to deliver: p_s N_s + P_f + P_o."""
    return system_power * systems + fabric_power + other_power


@formula(
    "W",
    take("provisioned power_load pue"),
    source=_PUE,
    valid="0 <= power_load <= 1; pue >= 1; PUE at the mean load",
    latex=r"\bar{P}",
)
def power_average(provisioned: Expr, power_load: Expr, pue: Expr) -> Expr:
    """Mean power at the meter: provisioned x share drawn x PUE."""
    return provisioned * power_load * pue


@formula(
    "W",
    take("provisioned pue"),
    source=_PUE,
    valid="pue >= 1; PUE at full load as at the mean",
    latex="P_m",
)
def power_at_meter(provisioned: Expr, pue: Expr) -> Expr:
    """Power of the grid connection when all IT power is drawn: P x PUE."""
    return provisioned * pue


@formula(
    "W/chip",
    take("provisioned chips"),
    source="quotient",
    valid="chips > 0; all IT power shared by installed chips",
    latex="P/N",
)
def power_per_chip(provisioned: Expr, chips: Expr) -> Expr:
    """All-in provisioned power for each chip: P / N."""
    return provisioned / chips


@formula(
    "1",
    take("idle busy utilisation"),
    source="Barroso, Holzle: The Case for Energy-Proportional Computing, 2007",
    valid=(
        "0 <= utilisation <= 1; idle <= busy; power linear in the share of busy time"
    ),
    latex=r"\lambda_P",
)
def power_load_of_use(idle: Expr, busy: Expr, utilisation: Expr) -> Expr:
    """Share of provisioned power drawn: idle + (busy - idle) u."""
    return idle + (busy - idle) * utilisation


@formula(
    "1",
    take("prefill_load decode_load prefill_share"),
    source=_PHASES,
    valid="0 <= prefill_share <= 1; no idle time beside the two phases",
    latex=r"\lambda_P",
)
def power_load_of_phases(
    prefill_load: Expr, decode_load: Expr, prefill_share: Expr
) -> Expr:
    """Share of provisioned power drawn while prefill and decode take turns."""
    return prefill_load * prefill_share + decode_load * (1 - prefill_share)


@formula(
    "system",
    take("power_limit system_share_power"),
    source="whole systems within a limit",
    valid="system_share_power > 0; with the system's share of the fabric",
    latex="N_s",
)
def systems_within_power(power_limit: Expr, system_share_power: Expr) -> Expr:
    """Whole systems that a site's IT power admits: floor(P / p_a)."""
    return floor(power_limit / system_share_power)


@formula(
    "kWh",
    take("average_power time"),
    source="power times time",
    valid="time >= 0; the mean power of that time",
    latex="E",
)
def energy_used(average_power: Expr, time: Expr) -> Expr:
    """Energy at the meter over a time: P T."""
    return average_power * time


@formula(
    "J/token",
    take("average_power throughput"),
    source="SemiAnalysis, H100 vs GB200 NVL72 Training Benchmarks (J/token)",
    valid="throughput > 0; both means over the same time",
    latex="j",
)
def energy_of_token(average_power: Expr, throughput: Expr) -> Expr:
    """Energy at the meter for each token delivered: P / X."""
    return average_power / throughput


@formula(
    "kWh",
    take("energy_per_token tokens"),
    source="SemiAnalysis: J/token x tokens / 3.6e6",
    valid="tokens >= 0; tokens at one mean energy",
    latex="E",
)
def energy_of_tokens(energy_per_token: Expr, tokens: Expr) -> Expr:
    """Energy of a number of tokens: j D."""
    return energy_per_token * tokens


@formula(
    "token/s/MW",
    take("throughput provisioned"),
    source="throughput over provisioned IT power",
    valid="provisioned > 0; IT power, before PUE",
    latex="X/P",
)
def throughput_per_power(throughput: Expr, provisioned: Expr) -> Expr:
    """Tokens a second for each MW provisioned: X / P."""
    return throughput / provisioned


@formula(
    "kWh",
    take("chip_power chip_hours server_factor draw pue"),
    source="Epoch AI, arXiv:2405.21015, training-cost-trends",
    valid=("pue >= 1; server_factor >= 1; draw >= 0; a mean draw over the whole run"),
    latex="E",
)
def energy_of_run(
    chip_power: Expr, chip_hours: Expr, server_factor: Expr, draw: Expr, pue: Expr
) -> Expr:
    """Energy of a training run from rated chip power: TDP f_v f_d PUE H."""
    return chip_power * server_factor * draw * pue * chip_hours
