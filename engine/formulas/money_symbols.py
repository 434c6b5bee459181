"""The variables of the money formulas: one name, one unit, one meaning everywhere.

A module takes what it needs by name, in the order of its function's arguments.
Interest is a share a year (`10%/year`); a month's rate at monthly compounding is the
rate times one month. Money is for the whole cluster unless a name says per what.
"""

from collections.abc import Mapping

from isocost.engine.formula import Param, p

FINANCE: Mapping[str, Param] = {
    "rate": p("/year", "i", "nominal cost of capital"),
    "effective": p("/year", r"i_{\mathrm{eff}}", "effective rate"),
    "inflation": p("/year", r"\pi", "inflation"),
    "life": p("year", "n", "life of the asset, or term of the payments"),
    "residual": p("1", "s", "value left at the end of life over the price"),
    "elapsed": p("year", "t", "time since the price or the payment was fixed"),
    "debt_share": p("1", "w_d", "debt over all capital"),
    "debt_rate": p("/year", "k_d", "interest on debt"),
    "equity_rate": p("/year", "k_e", "return that equity asks for"),
    "tax": p("1", r"\tau", "tax rate on profit"),
    "amount": p("$", "X", "a sum of money"),
    "payment": p("$/month", "p", "a monthly payment, the first one if they change"),
    "decline": p("/year", "d", "share by which a price falls in a year"),
    "recovery": p("/month", "k", "capital recovery factor"),
    "monthly_return": p("/month", "r_m", "rate of return a month"),
    "salvage": p("$", "R", "value left at the end of life"),
    "age": p("1", "j", "year of the asset's life, counted from 1"),
    "years": p("1", "n", "life in whole years"),
}

INCOME: Mapping[str, Param] = {
    "revenue": p("$/month", "V", "what customers pay"),
    "net_income": p("$/month", "y", "revenue less running cost"),
    "debt_service": p("$/month", "S", "interest and repayment"),
    "depreciation": p("$/month", "D", "depreciation that lowers the taxed profit"),
    "interest": p("$/month", "I", "interest paid"),
    "price": p("$/chip-h", "p", "price of a chip-hour"),
    "margin": p("1", "g", "gross margin: profit over price"),
}

CAPITAL: Mapping[str, Param] = {
    "capex": p("$", "C", "capital spent"),
    "capital": p("$/month", "K", "capital charge"),
    "chip_price": p("$/chip", "p_c", "price of a chip"),
    "system_price": p("$/system", "p_s", "price of a system"),
    "server_price": p("$/server", "p_v", "price of a server"),
    "part_price": p("$/part", "p_p", "price of a part"),
    "storage_price": p("$/GB", "p_b", "price of storage by capacity"),
    "facility_price": p("$/W", "p_f", "price of a facility by IT power"),
    "capacity": p("GB", "B", "storage bought"),
    "installation": p("1", "f_i", "installation over the price of the hardware"),
    "spare_share": p("1", "f_s", "spares over installed units"),
    "budget": p("$", "C", "money that may be spent"),
    "chips": p("chip", "N", "chips installed"),
    "systems": p("system", "N_s", "systems installed"),
    "servers": p("server", "N_v", "servers installed"),
    "parts": p("part", "N_p", "parts installed"),
}

RUNNING: Mapping[str, Param] = {
    "opex": p("$/month", "O", "running cost"),
    "average_power": p("W", r"\bar{P}", "power at the meter, on average"),
    "provisioned": p("W", "P", "power provisioned for IT"),
    "electricity": p("$/kWh", "c_e", "price of electricity"),
    "electricity_per_power": p("$/kW-month", "e", "electricity by IT power"),
    "colocation": p("$/kW-month", "c_c", "colocation by provisioned power"),
    "pue": p("1", r"\mathrm{PUE}", "power at the meter over IT power"),
    "power_load": p("1", r"\lambda_P", "power drawn over power provisioned"),
    "maintenance": p("/year", "m", "maintenance a year over the price"),
    "people": p("person", "h", "staff"),
    "wage": p("$/person-year", "w", "cost of a person"),
    "server_fee": p("$/server-month", "c_v", "fee for each server"),
    "licence": p("$/chip-year", "c_l", "software licence"),
    "porting": p("$", "C_p", "cost of porting the workload"),
    "egress": p("GB/s", "x", "traffic out of the cloud"),
    "egress_price": p("$/GB", "c_x", "price of traffic out"),
}

FRACTIONS: Mapping[str, Param] = {
    "availability": p("1", "a", "capacity that is up over capacity installed"),
    "sold": p("1", "u", "capacity paid for over capacity available"),
    "load": p("1", r"\ell", "mean demand over capacity within the SLO"),
    "ettr": p("1", r"\eta", "productive time over wall time of a training run"),
}

OUTPUT: Mapping[str, Param] = {
    "cost": p("$/month", "c", "all cost: capital, rent and running"),
    "chip_hour": p("$/chip-h", "h", "cost of a chip-hour"),
    "throughput": p("token/s", "X", "tokens delivered"),
    "peak_throughput": p("token/s", r"\hat{X}", "tokens at full load"),
    "input_tokens": p("token/s", r"X_{\mathrm{in}}", "input tokens delivered"),
    "output_tokens": p("token/s", r"X_{\mathrm{out}}", "output tokens delivered"),
    "chip_throughput": p("token/s/chip", "x", "tokens from one chip"),
    "output_weight": p("1", "r", "price of an output token over an input token's"),
    "prefill_share": p("1", r"\phi", "share of the machine's time in prefill"),
    "tokens": p("token", "D", "tokens in all"),
    "time": p("h", "T", "wall time"),
    "ideal_time": p("h", "T_0", "time without failures"),
    "chip_hours": p("chip-h", "H", "chips times time"),
}

TENURE: Mapping[str, Param] = {
    "rental": p("$/chip-h", "h_r", "rent of a chip on demand"),
    "reserved_price": p("$/chip-h", "h_c", "rent of a chip under commitment"),
    "committed": p("chip", "N_c", "chips under commitment"),
    "needed": p("chip", "N_d", "chips needed"),
    "owned_cost": p("$/chip-h", "h_o", "cost of an installed chip of one's own"),
    "used": p("1", "u", "share of the hours in which a chip is needed"),
    "staff": p("$/month", "S", "staff"),
    "staff_hour": p("$/chip-h", "h_s", "staff by chip-hour"),
    "rent": p("$/month", "R", "rent paid"),
}

SYMBOLS: Mapping[str, Param] = {
    **FINANCE,
    **INCOME,
    **CAPITAL,
    **RUNNING,
    **FRACTIONS,
    **OUTPUT,
    **TENURE,
}


def take(names: str) -> dict[str, Param]:
    """The parameters of these names, in this order."""
    return {name: SYMBOLS[name] for name in names.split()}
