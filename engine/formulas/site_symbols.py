"""The variables of power and carbon: one name, one unit, one meaning everywhere."""

from collections.abc import Mapping

from isocost.engine.formula import Param, p

POWER: Mapping[str, Param] = {
    "chip_power": p("W/chip", "p_c", "power of a chip"),
    "chips": p("chip", "N", "chips installed"),
    "chips_per_system": p("chip/system", "n_c", "chips in a system"),
    "host_power": p("W/system", "p_h", "hosts, memory and network cards of a system"),
    "fan_share": p("1", "f_f", "fans and power conversion over the rest"),
    "system_power": p("W/system", "p_s", "power of a system"),
    "systems": p("system", "N_s", "systems installed"),
    "fabric_power": p("W", "P_f", "switches and optics outside the systems"),
    "other_power": p("W", "P_o", "storage, management and spare power"),
    "provisioned": p("W", "P", "power provisioned for IT"),
    "power_load": p("1", r"\lambda_P", "power drawn over power provisioned"),
    "pue": p("1", r"\mathrm{PUE}", "power at the meter over IT power"),
    "average_power": p("W", r"\bar{P}", "power at the meter, on average"),
    "power_limit": p("W", r"\hat{P}", "power that a site may provision for IT"),
    "system_share_power": p("W/system", "p_a", "system with its share of the fabric"),
    "idle": p("1", r"\lambda_0", "power drawn when idle over power provisioned"),
    "busy": p("1", r"\lambda_1", "power drawn when busy over power provisioned"),
    "utilisation": p("1", "u", "share of the time that is busy"),
    "prefill_load": p("1", r"\lambda_p", "power drawn in prefill over provisioned"),
    "decode_load": p("1", r"\lambda_d", "power drawn in decode over provisioned"),
    "prefill_share": p("1", r"\phi", "share of the time in prefill"),
    "switches": p("part", "n_w", "switches"),
    "switch_power": p("W/part", "p_w", "power of a switch without transceivers"),
    "transceivers": p("part", "n_t", "transceivers"),
    "transceiver_power": p("W/part", "p_t", "power of a transceiver"),
    "throughput": p("token/s", "X", "tokens delivered"),
    "time": p("h", "T", "time"),
    "tokens": p("token", "D", "tokens in all"),
    "energy_per_token": p("J/token", "j", "energy of a token at the meter"),
    "chip_hours": p("chip-h", "H", "chips times time"),
    "server_factor": p("1", "f_v", "power of a server's share over its chip's"),
    "draw": p("1", "f_d", "power drawn over rated power"),
}

CARBON: Mapping[str, Param] = {
    "intensity": p("g/kWh", r"\kappa", "carbon intensity of the electricity"),
    "embodied": p("kg/chip", "e_c", "carbon to make a chip with its share of host"),
    "chip_embodied": p("kg", "E", "carbon to make all that is installed"),
    "facility_embodied": p("kg/W", "e_f", "carbon to build a facility by IT power"),
    "life": p("year", "n", "life of the asset"),
    "used": p("1", "u", "share of its life in which the asset is in use"),
    "emissions": p("kg/h", "G", "operational and embodied carbon"),
    "operational": p("kg/h", r"G_o", "carbon of operation"),
    "embodied_rate": p("kg/h", r"G_e", "embodied carbon spread over the life"),
    "work": p("FLOP/s", "F", "useful arithmetic"),
    "area": p("cm^2", "A", "area of the die"),
    "die_yield": p("1", "Y", "good dies over all dies"),
    "fab_intensity": p("g/kWh", r"\kappa_f", "carbon intensity of the fab's power"),
    "fab_energy": p("kWh/cm^2", "a_e", "fab energy by area"),
    "fab_gas": p("g/cm^2", "a_g", "direct emissions of the fab by area"),
    "fab_materials": p("g/cm^2", "a_m", "carbon of materials by area"),
    "packaging": p("g", "e_p", "carbon of packaging one circuit (150 g)"),
    "circuits": p("1", "n", "circuits packaged"),
    "memory_carbon": p("g/GB", "a_b", "carbon of memory or storage by capacity"),
    "memory": p("GB", "B", "memory or storage"),
    "accelerator_energy": p("kWh", "E_a", "energy of the active accelerators"),
    "machine_ratio": p("1", "f_m", "energy of whole machines over accelerators"),
}

SYMBOLS: Mapping[str, Param] = {**POWER, **CARBON}


def take(names: str) -> dict[str, Param]:
    """The parameters of these names, in this order."""
    return {name: SYMBOLS[name] for name in names.split()}
