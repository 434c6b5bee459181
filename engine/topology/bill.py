"""The bill of materials of a topology: items by class, as counts and as formulas.

Counts are structure. Prices and powers are needs (`price[switch.leaf]`), so that a
bill is a sum of applications of `item_cost` and `item_power`.
"""

import functools
from collections.abc import Mapping

import attrs

from isocost.dsl.expr import total
from isocost.engine.formula import Formula, Param
from isocost.engine.formulas.bom import item_cost, item_failures, item_power
from isocost.engine.topology.base import Apply, Need, Refusal, Topology
from isocost.engine.topology.fabric import Fabric
from isocost.engine.topology.stack import OUTER, Stack

#: The longest run of each medium in metres, at 100 Gbit/s a lane; the cheapest first.
REACH = {"dac": 3.0, "aec": 7.0, "aoc": 30.0, "optics": 2000.0}
#: Media with a pluggable transceiver at each end.
PLUGGED = ("optics",)


@attrs.frozen
class Item:
    """Pieces of one kind; `name` is `class.tier` (`switch.leaf`, `dac.port`)."""

    name: str
    count: int


def medium(length: float) -> str | Refusal:
    """The cheapest medium that reaches `length` metres."""
    for name, reach in REACH.items():
        if length <= reach:
            return name
    name, reach = next(reversed(REACH.items()))
    args = {"length": f"{length:g}", "reach": f"{reach:g}", "medium": name}
    return Refusal("reach", args, {"length": f"{reach:g}"})


def bill(
    topology: Topology,
    lengths: Mapping[str, float],
    together: Mapping[str, int] | None = None,
) -> tuple[Item, ...] | Refusal:
    """Every item of a topology.

    Args:
        topology: What is bought.
        lengths: Metres of the cables of each class of links; 0 for traces on a board.
        together: Links that share one cable, by class; 1 if not given.

    Returns:
        The items, network cards first, or why a cable does not reach.
    """
    shared = together or {}
    found = [Item(f"switch.{tier}", n) for tier, n in topology.switches.items()]
    if topology.switches:
        ports = sum(topology.ports.values())
        found.insert(0, Item("nic.port", topology.endpoints * ports))
    for name, links in topology.links.items():
        length = lengths.get(name, 0.0)
        if not length or not links:
            continue
        chosen = medium(length)
        if isinstance(chosen, Refusal):
            return chosen
        number = -(-links // shared.get(name, 1))
        found.append(Item(f"{chosen}.{name}", number))
        if chosen in PLUGGED:
            found.append(Item(f"transceiver.{name}", 2 * number))
    return tuple(found)


@functools.cache
def _sum(unit: str, names: tuple[str, ...]) -> Formula:
    """The sum of items; one object for each list of names."""
    params = {
        name: Param(unit, rf"x_{{{index + 1}}}", f"item {index + 1}")
        for index, name in enumerate(names)
    }
    return Formula(
        "bill_total",
        unit,
        params,
        lambda **items: total(*items.values()),
        valid="identity: a sum",
        source="definition",
        doc="The sum over the items of a bill of materials.",
    )


def _summed(items: tuple[Item, ...], what: str, unit: str, each: Formula) -> Apply:
    found: dict[str, Need] = {
        item.name.replace(".", "_"): Apply(
            each, {"count": item.count, what: f"{what}[{item.name}]"}
        )
        for item in items
    }
    return Apply(_sum(unit, tuple(found)), found)


def bill_cost(items: tuple[Item, ...]) -> Apply:
    """The cost of a bill; its needs are `price[ITEM]`."""
    return _summed(items, "price", "$", item_cost)


def bill_power(items: tuple[Item, ...]) -> Apply:
    """The power of a bill; its needs are `power[ITEM]`."""
    return _summed(items, "power", "W", item_power)


def bill_failures(items: tuple[Item, ...]) -> Apply:
    """Failures of a bill in a time; its needs are `rate[ITEM]`."""
    return _summed(items, "rate", "/s", item_failures)


def blast_radius(topology: Topology) -> dict[str, int]:
    """Endpoints that lose their full rate when one switch of a tier fails."""
    if isinstance(topology, Stack):
        inside = blast_radius(topology.scale_up)
        outside = blast_radius(topology.scale_out)
        return inside | {f"{OUTER}.{name}": n for name, n in outside.items()}
    if isinstance(topology, Fabric):
        names = zip(topology.switches, topology.tiers, strict=False)
        return {name: min(tier.under, topology.endpoints) for name, tier in names}
    return {}


def added_tier(now: Topology, deeper: Topology) -> dict[str, int]:
    """What a deeper network has more of, by `switch.TIER` and `link.CLASS`."""
    out: dict[str, int] = {}
    for kind, old, new in (
        ("switch", now.switches, deeper.switches),
        ("link", now.links, deeper.links),
    ):
        for name in {**old, **new}:
            more = new.get(name, 0) - old.get(name, 0)
            if more:
                out[f"{kind}.{name}"] = more
    return out
