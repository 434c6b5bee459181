"""Bills of materials: a system's lines by class, and the network between systems.

What a fabric takes follows from its topology; what a piece costs and draws from the
parts that its tiers name. A fabric that states its price or power states a total,
and its parts are then not added up. `bill.item[]` stands with the money, in `cost`.
"""

from typing import TYPE_CHECKING

import attrs

from isocost.dsl.schema.system import CLASSES
from isocost.dsl.suggest import nearest
from isocost.engine.derive.common import add_up
from isocost.engine.derive.topologies import (
    network_of,
    point_value,
    tier_path,
    unfit,
)
from isocost.engine.quantities import When, quantity
from isocost.engine.scope import Node, Scope

if TYPE_CHECKING:
    from isocost.engine.topology.base import Topology

Keys = tuple[str, ...]
ROLES = ("switch", "nic", "cable", "transceiver")
#: Classes of a system's bill that carry data between chips.
NETWORKS = ("scale_up", "back_end", "front_end", "storage", "management")
#: Media that are no part of their own: traces of a board or a backplane.
_TRACES = ("pcb", "backplane")


@attrs.frozen
class Line:
    """Pieces of one part: what it is, its tier, how many, and the part's path."""

    role: str
    tier: str
    count: int
    part: str


def has_bill(scope: Scope) -> bool:
    """Whether the fabric states its design and the parts of a tier."""
    parts = ("tier[].switch", "tier[].link")
    stated = any(scope.keys("fabric", pattern) for pattern in parts)
    return stated and scope.has("fabric.topology")


BILLED = When("where the fabric states its design and its parts", has_bill)


def _needed(scope: Scope, path: str) -> str:
    """A path that must be stated."""
    if not scope.has(path):
        raise scope.fail("M001", path=path, needed_by="the fabric's bill")
    return path


def _tier(scope: Scope, tier: str, field: str) -> str:
    found = tier_path(scope, tier, field)
    return found or _needed(scope, f"fabric.tier[{tier}].{field}")


def _nics(scope: Scope, network: "Topology") -> list[Line]:
    """The cards of the endpoints, unless they are on the bill of the system."""
    if not scope.has("fabric.nic") or "nic" in _names(scope):
        return []
    ports = sum(network.ports.values())
    return [Line("nic", "port", network.endpoints * ports, "fabric.nic")]


def _cables(scope: Scope, tier: str, links: int) -> list[Line]:
    """The cables of a class of links and what is plugged in at their ends."""
    link = _tier(scope, tier, "link")
    _reaches(scope, tier, link)
    together = f"{link}.links_per_cable"
    shared = int(point_value(scope, together)) if scope.has(together) else 1
    number = -(-links // shared)
    out = []
    if scope.has(f"{link}.cable"):
        out.append(Line("cable", tier, number, f"{link}.cable"))
    if scope.has(f"{link}.ends"):
        out.append(Line("transceiver", tier, 2 * number, f"{link}.ends"))
    if not out and scope.word(f"{link}.medium") not in _TRACES:
        _needed(scope, f"{link}.cable")
    return out


def _reaches(scope: Scope, tier: str, link: str) -> None:
    """Refuse a run that is longer than its medium allows."""
    from isocost.engine.topology.base import Refusal

    length = tier_path(scope, tier, "length")
    found = [f"{link}.{r}" for r in ("cable.reach", "ends.reach", "reach")]
    limit = next((path for path in found if scope.has(path)), None)
    if length is None or limit is None:
        return
    run, most = point_value(scope, length), point_value(scope, limit)
    if run > most:
        medium = scope.word(f"{link}.medium") or "the cable"
        args = {"length": f"{run:g}", "reach": f"{most:g}", "medium": medium}
        raise unfit(scope, Refusal("reach", args, {"length": f"{most:g} m"}))


def lines(scope: Scope) -> list[Line]:
    """Every piece of the network between systems.

    Raises:
        MissingInputError: A part is not stated, or the design does not fit.
    """
    network = network_of(scope)[1]
    found = _nics(scope, network)
    found += [
        Line("switch", tier, count, _tier(scope, tier, "switch"))
        for tier, count in network.switches.items()
    ]
    for tier, links in network.links.items():
        found += _cables(scope, tier, links) if links else []
    return found


def _risen(scope: Scope, tier: str) -> list[Line]:
    """What a tier adds: its switches, and all that hangs on the links up to it.

    Raises:
        MissingInputError: There is no such tier.
    """
    network = network_of(scope)[1]
    pairs = dict(zip(network.switches, network.links, strict=False))
    if tier not in pairs:
        near = ", ".join(nearest(tier, list(pairs)) or pairs)
        raise scope.fail("N003", name=tier, near=near)
    return [
        line
        for line in lines(scope)
        if line.tier == (tier if line.role == "switch" else pairs[tier])
        and line.role != "nic"
    ]


def _chosen(scope: Scope, keys: Keys) -> list[Line]:
    """The lines of a role, of a role and a tier, of a whole tier, or (`total`) all."""
    role, tier = (*keys, "")[:2]
    if role == "tier":
        return _risen(scope, tier)
    return [
        line
        for line in lines(scope)
        if role in {line.role, "total"} and tier in {line.tier, ""}
    ]


def _count(scope: Scope, keys: Keys) -> int:
    """Pieces by role and tier; switches and cards need no parts to be counted."""
    network = network_of(scope)[1]
    role, tier = (*keys, "")[:2]
    if role == "switch":
        chosen = [n for name, n in network.switches.items() if tier in {name, ""}]
        return scope.builder.constant(float(sum(chosen)))
    if role == "link":
        chosen = [n for name, n in network.links.items() if tier in {name, ""}]
        return scope.builder.constant(float(sum(chosen)))
    return scope.builder.constant(float(sum(x.count for x in _chosen(scope, keys))))


def _free(scope: Scope, keys: Keys) -> int:
    left = getattr(network_of(scope)[1], "free", {})
    chosen = sum(left.values()) if keys[0] == "total" else left.get(keys[0], 0)
    return scope.builder.constant(float(chosen))


def _cost(scope: Scope, keys: Keys) -> int:
    from isocost.engine.formulas.bom import item_cost

    nodes = [
        scope.apply(item_cost, count=float(x.count), price=f"{x.part}.price")
        for x in _chosen(scope, keys)
    ]
    return add_up(scope, nodes, "$")


def _drawn(scope: Scope, keys: Keys) -> int:
    """Power of switches, cards, transceivers and cables with electronics in them."""
    from isocost.engine.formulas.bom import item_power

    nodes = [
        scope.apply(item_power, count=float(x.count), power=f"{x.part}.power")
        for x in _chosen(scope, keys)
        if x.role != "cable" or scope.has(f"{x.part}.power")
    ]
    return add_up(scope, nodes, "W")


def _failures(scope: Scope, keys: Keys) -> int:
    from isocost.engine.formulas.bom import item_failures

    nodes = [
        scope.apply(item_failures, count=float(x.count), rate=f"{x.part}.failure_rate")
        for x in _chosen(scope, keys)
    ]
    return add_up(scope, nodes, "/s")


def _price(scope: Scope, _: Keys) -> int:
    from isocost.engine.formulas.bill import network_cost_by_chip

    return scope.apply(network_cost_by_chip, cost="network.cost[total]", chips="chips")


def _power(scope: Scope, _: Keys) -> int:
    from isocost.engine.formulas.bill import network_power_by_chip

    drawn = "network.power[total]"
    return scope.apply(network_power_by_chip, power=drawn, chips="chips")


def booked_path(scope: Scope) -> str:
    """The line of the price book for the scenario's system; empty without one."""
    block = scope.block("system")
    if block is None:
        return ""
    return f"finance.price[{scope.key_of('finance', 'price[]', block)}]"


def _rest(scope: Scope) -> int:
    """What a stated price of a system holds beside its lines: nil where none is."""
    from isocost.engine.formulas.bill import rest_of_bill
    from isocost.engine.program import point

    path = booked_path(scope)
    booked = bool(path) and scope.has(path)
    if not booked and not scope.has("system.price"):
        return scope.builder.constant(0.0)
    names = [*(["chip"] if scope.has("chip.price") else []), *_names(scope)]
    listed = add_up(scope, [scope[f"bill.item[{n}]"] for n in names], "$/system")
    rest = scope.apply(rest_of_bill, total="price.system", listed=Node(listed))
    if point(scope.builder.freeze(), (rest,))[rest] < 0:
        reason = "the lines of the system's bill cost more than its stated price"
        raise scope.fail("M003", reason=reason)
    return rest


def _names(scope: Scope) -> list[str]:
    return scope.keys("system", "item[].count")


def _class(scope: Scope, keys: Keys) -> int:
    """The lines of one class of a system's bill; what names none is the server's."""
    if keys[0] == "not_itemised":
        return _rest(scope)
    if keys[0] == "chip":
        return scope["bill.item[chip]"]
    names = [
        name
        for name in _names(scope)
        if (scope.word(f"system.item[{name}].class") or "server") == keys[0]
    ]
    return add_up(scope, [scope[f"bill.item[{n}]"] for n in names], "$/system")


def _by_chip(scope: Scope, keys: Keys) -> int:
    """A network's cost by chip: of one class of the system's bill, or of the fabric."""
    from isocost.engine.formulas.bill import line_by_chip

    if keys[0] == "total":
        parts = [f"network.cost_per_chip[{name}]" for name in (*NETWORKS, "fabric")]
        return add_up(scope, [scope[path] for path in parts], "$/chip")
    if keys[0] == "fabric":
        known = scope.has("fabric.price") or has_bill(scope)
        return scope["fabric.price"] if known else scope.builder.constant(0.0)
    line = Node(scope[f"bill[{keys[0]}]"])
    return scope.apply(line_by_chip, line=line, count="system.chips")


QUANTITIES = (
    quantity(
        "bill[]",
        "$/system",
        "Lines of one system's bill by class of asset, and what is in none of them.",
        _class,
        keys=(*CLASSES, "not_itemised"),
    ),
    quantity(
        "network.count[]",
        "1",
        "Pieces of the network between systems by role (switch, nic, link, cable, "
        "transceiver) and, as a second key, tier.",
        _count,
    ),
    quantity(
        "network.free[]",
        "1",
        "Ports that no cable uses, by tier.",
        _free,
        bare="total",
    ),
    quantity(
        "network.cost[]",
        "$",
        "Cost of the network between systems, in all, by role and tier, or of all "
        "that a tier adds (`tier, spine`).",
        _cost,
        when=BILLED,
        bare="total",
    ),
    quantity(
        "network.power[]",
        "W",
        "Power of the network between systems, in all, by role and tier, or of all "
        "that a tier adds (`tier, spine`).",
        _drawn,
        when=BILLED,
        bare="total",
    ),
    quantity(
        "network.failures[]",
        "/year",
        "Failures of the network's parts, in all, by role and tier, or of a tier.",
        _failures,
        when=BILLED,
        bare="total",
    ),
    quantity(
        "fabric.price",
        "$/chip",
        "Price of the network by chip that it joins, from its bill.",
        _price,
        when=BILLED,
    ),
    quantity(
        "fabric.power",
        "W/chip",
        "Power of the network by chip that it joins, from its bill.",
        _power,
        when=BILLED,
    ),
    quantity(
        "network.cost_per_chip[]",
        "$/chip",
        "Cost of all networks of a chip: by class of its system's bill, or the fabric.",
        _by_chip,
        keys=(*NETWORKS, "fabric", "total"),
        bare="total",
    ),
)
