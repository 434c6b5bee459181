"""Money: capital by class of asset, recovery, running cost, chip-hours, tokens."""

from isocost.engine.derive.common import INFERENCE, OWNED, RENTED, add_up
from isocost.engine.formulas import bill, finance, power, tco, tenure, tokens
from isocost.engine.quantities import Build, quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]
#: Classes of asset, each with its own life; the life of another stands in for none.
CLASSES = ("server", "network", "storage", "installation", "facility")
_LIFE = {
    "server": ("server", "chip"),
    "network": ("network", "server"),
    "storage": ("storage", "network", "server"),
    "installation": ("server",),
    "facility": ("facility",),
}


def _items(scope: Scope) -> list[str]:
    return scope.keys("system", "item[].price")


def _item(scope: Scope, keys: Keys) -> int:
    name = keys[0]
    if name == "chip":
        return scope.apply(bill.chips_on_bill, count="system.chips", price="chip.price")
    price = f"system.item[{name}].price"
    if not scope.has(price) and scope.has(f"system.item[{name}].part"):
        price = f"system.item[{name}].part.price"
    count = f"system.item[{name}].count"
    return scope.apply(bill.item_on_bill, count=count, price=price)


def _system_price(scope: Scope, _: Keys) -> int:
    """The sum of the bill, chips included."""
    lines = [scope["bill.item[chip]"]]
    lines += [scope[f"bill.item[{name}]"] for name in _items(scope)]
    return add_up(scope, lines, "$/system")


def _booked_price(scope: Scope, _: Keys) -> int:
    """The price book's figure if it has one, else the system's own."""
    block = scope.block("system")
    if block is not None and scope.has(f"finance.price[{block.name}]"):
        return scope[f"finance.price[{block.name}]"]
    return scope["system.price"]


def _fabric(scope: Scope, _: Keys) -> int:
    if not scope.has("fabric.price"):
        return scope.builder.constant(0.0)
    return scope.apply(tco.capex_chips, chip_price="fabric.price", chips="chips")


def _facility(scope: Scope, _: Keys) -> int:
    if not scope.has("site.facility"):
        return scope.builder.constant(0.0)
    if scope.has("site.colocation"):
        reason = "site states colocation, which has the facility's capital in it"
        raise scope.fail("M003", reason=reason)
    return scope.apply(
        tco.capex_facility,
        facility_price="site.facility",
        provisioned="power.provisioned",
    )


def _capex(scope: Scope, keys: Keys) -> int:
    return {"server": _servers, "network": _fabric, "facility": _facility}.get(
        keys[0], _by_chip(f"finance.{keys[0]}")
    )(scope, keys)


def _servers(scope: Scope, _: Keys) -> int:
    return scope.apply(
        tco.capex_systems, system_price="price.system", systems="systems"
    )


def _by_chip(path: str) -> Build:
    def build(scope: Scope, _: Keys) -> int:
        return scope.apply(tco.capex_chips, chip_price=path, chips="chips")

    return build


def _total_capex(scope: Scope, _: Keys) -> int:
    return add_up(scope, [scope[f"cost.capex[{c}]"] for c in CLASSES], "$")


def _recovery(scope: Scope, keys: Keys) -> int:
    """The recovery factor of a class, by the stated life, residual and convention."""
    named = next(
        (c for c in _LIFE[keys[0]] if scope.has(f"finance.life[{c}]")),
        _LIFE[keys[0]][0],
    )
    annual = scope.word("finance.compounding") == "annual"
    formula = (
        finance.capital_recovery_annual if annual else finance.capital_recovery_monthly
    )
    residual = f"finance.residual[{named}]"
    return scope.apply(
        formula,
        rate="finance.cost_of_capital",
        life=f"finance.life[{named}]",
        residual=residual if scope.has(residual) else 0.0,
    )


def _capital(scope: Scope, keys: Keys) -> int:
    return scope.apply(
        finance.capital_charge,
        capex=f"cost.capex[{keys[0]}]",
        recovery=f"cost.recovery[{keys[0]}]",
    )


def _all_capital(scope: Scope, _: Keys) -> int:
    parts = []
    for name in CLASSES:
        node = scope[f"cost.capex[{name}]"]
        what = scope.builder.nodes[node].what
        if getattr(what, "value", None) != 0.0:
            parts.append(scope[f"cost.capital[{name}]"])
    return add_up(scope, parts, "$/month")


def _opex(scope: Scope, keys: Keys) -> int:
    match keys[0]:
        case "energy":
            return scope.apply(
                tco.energy_cost,
                average_power="power.average",
                electricity="site.electricity",
            )
        case "colocation" if scope.has("site.colocation"):
            return scope.apply(
                tco.colocation_cost,
                provisioned="power.provisioned",
                colocation="site.colocation",
            )
        case "maintenance":
            return scope.apply(
                tco.maintenance_cost,
                capex="cost.capex",
                maintenance="finance.maintenance",
            )
        case "staff":
            return scope.apply(
                tenure.rent_on_demand, rental="finance.staff", needed="chips"
            )
        case _:
            return scope.builder.constant(0.0)


OPEX = ("energy", "colocation", "maintenance", "staff")


def _all_opex(scope: Scope, _: Keys) -> int:
    return add_up(scope, [scope[f"cost.opex[{c}]"] for c in OPEX], "$/month")


def _owned(scope: Scope, _: Keys) -> int:
    return add_up(scope, (scope["cost.capital"], scope["cost.opex"]), "$/month")


def _rent(scope: Scope, _: Keys) -> int:
    chip = scope.block("chip")
    term = scope.word("finance.term") or _only_term(scope, chip.name if chip else "")
    path = f"finance.rental[{chip.name if chip else ''}, {term}]"
    return scope.apply(tenure.rent_on_demand, rental=path, needed="chips")


def _only_term(scope: Scope, chip: str) -> str:
    block = scope.block("finance")
    facts = block.facts.values() if block else ()
    terms = [
        fact.path.keys[1]
        for fact in facts
        if fact.path.pattern == "rental[]" and fact.path.keys[0] == chip
    ]
    if len(terms) != 1:
        path = f"finance.rental[{chip}, …]" if not terms else "finance.term"
        raise scope.fail("M001", path=path, needed_by="cost.rent")
    return terms[0]


def _rented(scope: Scope, _: Keys) -> int:
    parts = (scope["cost.rent"], scope["cost.opex[staff]"])
    return add_up(scope, parts, "$/month")


def _fabric_power(scope: Scope, _: Keys) -> int:
    if not scope.has("fabric.power"):
        return scope.builder.constant(0.0)
    return scope.apply(bill.fabric_power, chips="chips", by_chip="fabric.power")


def _load(scope: Scope, _: Keys) -> int:
    task = scope.word("workload.task") or "inference"
    if scope.has(f"site.power.load[{task}]"):
        return scope[f"site.power.load[{task}]"]
    why = "hyperscale fleets report 60% to 80% of provisioned power"
    return scope.assume("site.power.load", "70% to 90%", why)


QUANTITIES = (
    quantity("bill.item[]", "$/system", "One line of a system's bill.", _item),
    quantity(
        "system.price",
        "$/system",
        "Price of one system by its bill, where none is stated.",
        _system_price,
    ),
    quantity(
        "price.system", "$/system", "Price of one system as booked.", _booked_price
    ),
    quantity(
        "cost.capex[]",
        "$",
        "Capital by class of asset.",
        _capex,
        when=OWNED,
        keys=CLASSES,
    ),
    quantity(
        "cost.capex", "$", "Capital in all.", _total_capex, when=OWNED, headline=True
    ),
    quantity(
        "cost.recovery[]",
        "%/year",
        "Capital recovery factor of a class of asset.",
        _recovery,
        when=OWNED,
        keys=CLASSES,
    ),
    quantity(
        "cost.capital[]",
        "$/month",
        "What the capital of a class costs.",
        _capital,
        when=OWNED,
        keys=CLASSES,
    ),
    quantity(
        "cost.capital",
        "$/month",
        "What all capital costs.",
        _all_capital,
        when=OWNED,
    ),
    quantity("cost.opex[]", "$/month", "Running cost by class.", _opex, keys=OPEX),
    quantity("cost.opex", "$/month", "Running cost in all.", _all_opex, when=OWNED),
    quantity("cost.rent", "$/month", "Rent of all chips.", _rent, when=RENTED),
    quantity(
        "cost.per_month",
        "$/month",
        "All cost: capital and running.",
        _owned,
        when=OWNED,
    ),
    quantity(
        "cost.per_month", "$/month", "All cost: rent, staff.", _rented, when=RENTED
    ),
    quantity(
        "cost.installed_hour",
        "$/chip-h",
        "All cost over chip-hours installed.",
        tco.chip_hour_installed,
        cost="cost.per_month",
        chips="chips",
    ),
    quantity(
        "cost.available_hour",
        "$/chip-h",
        "All cost over chip-hours that are up.",
        tco.chip_hour_available,
        chip_hour="cost.installed_hour",
        availability="finance.availability",
    ),
    quantity(
        "cost.sold_hour",
        "$/chip-h",
        "All cost over chip-hours paid for: the rent to break even.",
        tco.chip_hour_sold,
        chip_hour="cost.available_hour",
        sold="finance.sold",
    ),
    quantity(
        "cost.per_chip_hour[]",
        "$/chip-h",
        "All cost of a chip-hour: installed, up (available), or paid for (sold).",
        lambda s, keys: s[f"cost.{keys[0]}_hour"],
        keys=("installed", "available", "sold"),
        bare="installed",
        headline=True,
    ),
    quantity(
        "throughput.delivered",
        "token/s",
        "Output tokens delivered: capacity up, sold and loaded.",
        tokens.delivered_throughput,
        when=INFERENCE,
        peak_throughput="throughput.output",
        availability="finance.availability",
        sold="finance.sold",
        load="load",
    ),
    quantity(
        "throughput.delivered_input",
        "token/s",
        "Prompt tokens delivered, beside the output.",
        tokens.delivered_throughput,
        when=INFERENCE,
        peak_throughput="throughput.input",
        availability="finance.availability",
        sold="finance.sold",
        load="load",
    ),
    quantity(
        "cost.of_output",
        "$/Mtoken",
        "All cost over output tokens.",
        tokens.cost_per_token,
        when=INFERENCE,
        cost="cost.per_month",
        throughput="throughput.delivered",
    ),
    quantity(
        "cost.of_all",
        "$/Mtoken",
        "All cost over input and output tokens together.",
        lambda s, _: s.apply(
            tokens.cost_per_token,
            cost="cost.per_month",
            throughput=Node(
                add_up(
                    s,
                    (s["throughput.delivered"], s["throughput.delivered_input"]),
                    "token/s",
                )
            ),
        ),
        when=INFERENCE,
    ),
    quantity(
        "share.prefill",
        "%",
        "Share of a machine's time that prefill takes.",
        bill.prefill_share,
        when=INFERENCE,
        mixed="mixed.step.time",
        decode="decode.step.time",
    ),
    quantity(
        "cost.of_input_by_time",
        "$/Mtoken",
        "Cost of an input token that bears the time of prefill.",
        tokens.input_cost_by_time,
        when=INFERENCE,
        cost="cost.per_month",
        input_tokens="throughput.delivered_input",
        prefill_share="share.prefill",
    ),
    quantity(
        "cost.of_output_by_time",
        "$/Mtoken",
        "Cost of an output token that bears the time of decode.",
        tokens.output_cost_by_time,
        when=INFERENCE,
        cost="cost.per_month",
        output_tokens="throughput.delivered",
        prefill_share="share.prefill",
    ),
    quantity(
        "cost.per_Mtoken[]",
        "$/Mtoken",
        "Cost of a million tokens; bare: all cost over output tokens.",
        lambda s, keys: s[_TOKEN_COSTS[keys[0]]],
        when=INFERENCE,
        keys=("output_only", "total", "input", "output"),
        bare="output_only",
        headline=True,
    ),
    quantity("power.fabric", "W", "Power of the scale-out network.", _fabric_power),
    quantity(
        "power.provisioned",
        "kW",
        "IT power that the site must be able to deliver.",
        power.power_provisioned,
        headline=True,
        system_power="system.power",
        systems="systems",
        fabric_power="power.fabric",
        other_power=0.0,
    ),
    quantity("power.load", "%", "Power drawn over power provisioned.", _load),
    quantity(
        "power.average",
        "kW",
        "Mean power at the meter.",
        power.power_average,
        provisioned="power.provisioned",
        power_load="power.load",
        pue="site.pue",
    ),
    quantity(
        "energy.per_token",
        "J/token",
        "Energy at the meter of one output token.",
        power.energy_of_token,
        when=INFERENCE,
        headline=True,
        average_power="power.average",
        throughput="throughput.delivered",
    ),
    quantity(
        "throughput.per_MW",
        "token/s/MW",
        "Output tokens a second for each MW provisioned.",
        power.throughput_per_power,
        when=INFERENCE,
        headline=True,
        throughput="throughput.output",
        provisioned="power.provisioned",
    ),
)
_TOKEN_COSTS = {
    "output_only": "cost.of_output",
    "total": "cost.of_all",
    "input": "cost.of_input_by_time",
    "output": "cost.of_output_by_time",
}
