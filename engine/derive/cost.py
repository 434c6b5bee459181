"""Money: capital by class of asset, recovery, running cost, chip-hours."""

from isocost.engine.derive.bill import booked_path, has_bill
from isocost.engine.derive.common import OWNED, RENTED, add_up
from isocost.engine.derive.tenure import PAID as RENTED_PAID
from isocost.engine.formulas import assets, bill, finance, tco, tenure
from isocost.engine.quantities import Build, quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]
#: Classes of asset, each with its own life; the life of another stands in for none.
CLASSES = (
    "server",
    "network",
    "storage",
    "installation",
    "facility",
    "spares",
    "other",
)
_LIFE = {
    "server": ("server", "chip"),
    "network": ("network", "server"),
    "storage": ("storage", "network", "server"),
    "installation": ("installation", "server"),
    "facility": ("facility",),
    "spares": ("server", "chip"),
    "other": ("other", "server", "chip"),
    "porting": ("porting",),
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
    path = booked_path(scope)
    return scope[path if path and scope.has(path) else "system.price"]


def _fabric(scope: Scope, _: Keys) -> int:
    if not scope.has("fabric.price") and not has_bill(scope):
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
    build = {
        "server": _servers,
        "network": _fabric,
        "facility": _facility,
        "spares": _spares,
        "other": _other,
    }
    return build.get(keys[0], _by_chip(f"finance.{keys[0]}"))(scope, keys)


def _spares(scope: Scope, _: Keys) -> int:
    if not scope.has("finance.spares"):
        return scope.builder.constant(0.0)
    return scope.apply(
        tco.capex_spares, capex="cost.capex[server]", spare_share="finance.spares"
    )


def _other(scope: Scope, _: Keys) -> int:
    """What the terms state by chip under a name: service contracts, software."""
    parts = [
        scope.apply(
            assets.capex_by_chip, by_chip=f"finance.capex[{name}]", chips="chips"
        )
        for name in scope.keys("finance", "capex[]")
    ]
    return add_up(scope, parts, "$")


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


def life_of(scope: Scope, name: str) -> str:
    """The path of the life of a class of asset: its own, or one that stands in."""
    known = [c for c in _LIFE[name] if scope.has(f"finance.life[{c}]")]
    if name == "porting" and not known:
        return "finance.horizon"
    return f"finance.life[{known[0] if known else _LIFE[name][0]}]"


def residual_of(scope: Scope, name: str) -> "str | float":
    """The path of a class's residual value, 0 where none is stated."""
    path = life_of(scope, name).replace("life", "residual")
    return path if path.startswith("finance.residual") and scope.has(path) else 0.0


def _recovery(scope: Scope, keys: Keys) -> int:
    """The recovery factor of a class, by the stated life, residual and convention."""
    annual = scope.word("finance.compounding") == "annual"
    formula = (
        finance.capital_recovery_annual if annual else finance.capital_recovery_monthly
    )
    return scope.apply(
        formula,
        rate="finance.cost_of_capital",
        life=life_of(scope, keys[0]),
        residual=residual_of(scope, keys[0]),
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
                tco.staff_by_chip, staff_hour="finance.staff", chips="chips"
            )
        case "fees":
            return _fees(scope)
        case "porting" if scope.has("finance.porting"):
            recovery = Node(_recovery(scope, keys))
            return scope.apply(
                tenure.porting_charge, porting="finance.porting", recovery=recovery
            )
        case "egress" if scope.has("finance.egress.rate"):
            return scope.apply(
                tenure.egress_cost,
                egress="finance.egress.rate",
                egress_price="finance.egress.price",
            )
        case _:
            return scope.builder.constant(0.0)


def _fees(scope: Scope) -> int:
    names = scope.keys("finance", "fee[]")
    if not names:
        return scope.builder.constant(0.0)
    servers = scope.apply(
        assets.servers_installed,
        systems="systems",
        servers_per_system="system.servers",
    )
    parts = [
        scope.apply(
            tco.server_fees, servers=Node(servers), server_fee=f"finance.fee[{name}]"
        )
        for name in names
    ]
    return add_up(scope, parts, "$/month")


OPEX = (
    "energy",
    "colocation",
    "maintenance",
    "staff",
    "fees",
    "porting",
    "egress",
)


def _all_opex(scope: Scope, _: Keys) -> int:
    return add_up(scope, [scope[f"cost.opex[{c}]"] for c in OPEX], "$/month")


def _owned(scope: Scope, _: Keys) -> int:
    return add_up(scope, (scope["cost.capital"], scope["cost.opex"]), "$/month")


#: What a month of an owned cluster is the sum of.
PAID = (
    *(f"cost.capital[{name}]" for name in CLASSES),
    *(f"cost.opex[{name}]" for name in OPEX),
)


def paid(scope: Scope) -> tuple[str, ...]:
    """The paths that `cost.per_month` of a scenario sums, by its tenure."""
    return RENTED_PAID if RENTED.holds(scope) else PAID


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
    quantity(
        "cost.opex[]",
        "$/month",
        "Running cost by class; a tenant pays staff, porting, egress, the owner all.",
        _opex,
        keys=OPEX,
    ),
    quantity("cost.opex", "$/month", "Running cost in all.", _all_opex, when=OWNED),
    quantity(
        "cost.per_month",
        "$/month",
        "All cost: capital and running.",
        _owned,
        when=OWNED,
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
)
