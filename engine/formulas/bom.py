"""Bills of materials: what counts of switches, links and lanes come to.

Counts by tier are structure and come from the topology objects; here stand the
closed forms that texts use, and cost and power of an item.
"""

from isocost.dsl.expr import ceil
from isocost.engine.formula import formula, p
from isocost.engine.formulas.network_symbols import E

AL_FARES = "Al-Fares, Loukissas, Vahdat 2008, doi:10.1145/1402958.1402967"
_COUNT = {"count": p("1", "n", "pieces of the item")}
_TREE = {
    "endpoints": p("1", "N", "network ports of the chips"),
    "tiers": p("1", "L", "tiers of switches"),
    "radix": p("1", "k", "ports of a switch"),
}


@formula(
    "1",
    _TREE,
    source=AL_FARES,
    latex="n_{sw}",
    valid="tiers >= 1; radix >= 2; a full, untapered tree",
)
def fat_tree_switches(endpoints: E, tiers: E, radix: E) -> E:
    """Switches of a full fat-tree: `(2 L - 1) N / k`.

    Every tier but the top has as many ports up as down. A tree that is partly filled
    or tapered has other counts; the topology gives them.
    """
    return (2 * tiers - 1) * endpoints / radix


@formula(
    "1",
    {"radix": _TREE["radix"], "tiers": _TREE["tiers"]},
    source=AL_FARES,
    valid="tiers >= 1; radix >= 2; full bisection, switches of one radix",
    latex="N",
)
def fat_tree_capacity(radix: E, tiers: E) -> E:
    """Endpoints of a full fat-tree: `2 (k / 2)^L`, a quarter of k^3 for three tiers."""
    return 2 * (radix / 2) ** tiers


@formula(
    "1",
    {
        "endpoints": _TREE["endpoints"],
        "bandwidth": p("bit/s", "b", "rate of an endpoint, one way"),
        "capacity": p("bit/s", "C", "switching capacity, one way"),
        "oversubscription": p("1", "o", "rate down over rate up"),
    },
    source="definition",
    valid=(
        "capacity > 0; oversubscription > 0; capacity binds before the number of ports"
    ),
    latex="n_{ToR}",
)
def rack_switches(endpoints: E, bandwidth: E, capacity: E, oversubscription: E) -> E:
    """Top-of-rack switches of a rack, by capacity: the rate down and the rate up."""
    return ceil(endpoints * bandwidth * (1 + 1 / oversubscription) / capacity)


@formula(
    "1",
    {
        "endpoints": _TREE["endpoints"],
        "bandwidth": p("bit/s", "b", "rate of an endpoint, one way"),
        "lane": p("bit/s", "b_l", "rate of a lane, one way"),
    },
    source="definition",
    valid="lane > 0; lanes of one rate",
    latex="n_l",
)
def lanes(endpoints: E, bandwidth: E, lane: E) -> E:
    """Differential pairs (or fibres): a lane for each direction.

    Both ways, so twice the rate over the rate of a lane.
    """
    return endpoints * 2 * (bandwidth / lane)


@formula(
    "1",
    {
        "links": p("1", "n", "links of one class"),
        "together": p("1", "m", "links that one cable carries"),
    },
    source="definition",
    valid="together >= 1; links of one class between the same two places",
    latex="n_c",
)
def cables(links: E, together: E) -> E:
    """Cables of links that share them: a twin-port cable carries two."""
    return ceil(links / together)


@formula(
    "$",
    _COUNT | {"price": p("$", "c", "price of one")},
    source="definition",
    valid="count >= 0; one price for every piece",
)
def item_cost(count: E, price: E) -> E:
    """Cost of an item."""
    return count * price


@formula(
    "W",
    _COUNT | {"power": p("W", "P", "power of one")},
    source="definition",
    valid="count >= 0; every piece at its rated power",
)
def item_power(count: E, power: E) -> E:
    """Power of an item; a switch's power excludes its transceivers."""
    return count * power


@formula(
    "/s",
    _COUNT | {"rate": p("/s", r"\lambda", "failures of one in a time")},
    source="competing exponential lives",
    valid="count >= 0; rate >= 0; constant failure rates",
)
def item_failures(count: E, rate: E) -> E:
    """Failures of an item in a time: those of one, as many times as there are."""
    return count * rate


@formula(
    "$",
    {
        "endpoints": _TREE["endpoints"],
        "tiers": _TREE["tiers"],
        "host": p("$", "c_h", "cost at the endpoint, whatever the tiers"),
        "tier": p("$", "c_t", "cost of an endpoint's links for each tier"),
    },
    source="definition",
    valid="tiers >= 1; a full, untapered tree",
)
def connection_cost(endpoints: E, tiers: E, host: E, tier: E) -> E:
    """Cables and transceivers of a full tree: an endpoint's links in every tier."""
    return endpoints * (host + tier * tiers)
