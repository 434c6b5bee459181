"""Published bills of materials, each row of the table once.

`BUILT` rows come out exactly: switches by tier and links by class of a topology
object. `FORMULAS` rows are closed forms. `ELSEWHERE` says why a row gives nothing to
compute, and `DIVERGING` where a published count is irregular, with what we get.
"""

import csv
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
import pytest

from isocost.engine.formulas import bom
from isocost.engine.formulas.chip_price import price_of_chip
from isocost.engine.topology import Refusal, Topology, build, stack
from isocost.engine.topology.bill import (
    added_tier,
    bill,
    bill_cost,
    bill_failures,
    bill_power,
    blast_radius,
    medium,
)

TABLE = Path(__file__).parents[2] / "data" / "network" / "bom_cases.csv"
ROWS = [row["case_id"] for row in csv.DictReader(TABLE.read_text("utf-8").splitlines())]


def made(kind: str, **params: int) -> Topology:
    found = build(kind, **params)
    assert not isinstance(found, Refusal), found
    return found


@attrs.frozen
class Case:
    """A topology with the counts that the row states; `cost` in dollars."""

    kind: str
    params: Mapping[str, int]
    switches: Mapping[str, int]
    links: Mapping[str, int] = attrs.field(factory=dict)
    cost: float = 0.0


def rails(endpoints: int, *counts: int, **params: int) -> Case:
    """A rail-optimised tree of 64 ports with leaves, spines and cores as stated."""
    names = ("leaf", "spine", "core")[: len(counts)]
    shape = {"endpoints": endpoints, "radix": 64, "tiers": len(counts), "rails": 8}
    cables = dict.fromkeys(("port", "leaf", "spine")[: len(counts)], endpoints)
    return Case(
        "fat_tree", shape | params, dict(zip(names, counts, strict=True)), cables
    )


def two_planes(endpoints: int, leaf: int, spine: int) -> Case:
    """800G a chip as two planes of 400G; a cable of 800G carries two links."""
    shape = {"endpoints": endpoints, "radix": 128, "planes": 2}
    cables = {"port": 2 * endpoints, "leaf": 2 * endpoints}
    return Case("fat_tree", shape, {"leaf": leaf, "spine": spine}, cables)


def with_manager(endpoints: int, spines: int) -> Case:
    """Nodes of 8 with one slot lost to the fabric manager, which has 4 ports."""
    shape = {"endpoints": endpoints + 4, "radix": 64, "rails": 8}
    leaves = -(-(endpoints + 8) // 32)
    cables = {"port": endpoints + 4, "leaf": 32 * leaves}
    return Case("fat_tree", shape, {"leaf": leaves, "spine": spines}, cables)


def tapered(tiers: int, endpoints: int, **params: int) -> dict[str, int]:
    return {"endpoints": endpoints, "radix": 64, "tiers": tiers, "planes": 16, **params}


#: The prices of the HammingMesh paper.
SWITCH, SHORT, LONG = 14280.0, 272.0, 603.0
HALF = {"down": 42, "up": 22, "even": 0}
BUILT: dict[str, Case] = {
    "nv_b200_su2": rails(512, 16, 8),
    "nv_b200_su4": rails(1024, 32, 16),
    "nv_b200_su8": rails(2048, 64, 32),
    "nv_b200_su32": rails(8192, 256, 256, 128),
    "nv_b200_su64": rails(16384, 512, 512, 256),
    "nv_b300eth_su1": two_planes(512, 16, 8),
    "nv_b300eth_su2": two_planes(1024, 32, 16),
    "nv_b300eth_su4": two_planes(2048, 64, 32),
    "nv_b300eth_su8": two_planes(4096, 128, 64),
    "nv_b300eth_su16": two_planes(8192, 256, 128),
    "nv_h100_su1": with_manager(248, 4),
    "nv_h100_su2": with_manager(504, 8),
    "nv_h100_su3": with_manager(760, 16),
    "nv_h100_su4": with_manager(1016, 16),
    "nv_h100_1024": rails(1024, 32, 16),
    "nv_h100_4096": rails(4096, 128, 128, 64),
    "nv_gb200_cx7_leaf": Case(
        "fat_tree", {"endpoints": 288, "radix": 64}, {"leaf": 9, "spine": 8}
    ),
    "sa_h100_1024_ref": rails(1024, 32, 16),
    "sa_h100_1024_2to1": Case(
        "fat_tree",
        {"endpoints": 1024, "radix": 64, "rails": 8, "down": 32, "up": 16},
        {"leaf": 32, "spine": 8},
        {"port": 1024, "leaf": 512},
    ),
    "eth_3tier_128": Case(
        "fat_tree",
        {"endpoints": 524288, "radix": 128, "tiers": 3},
        {"leaf": 8192, "spine": 8192, "core": 4096},
    ),
    "kary_fat_tree": Case(
        "fat_tree",
        {"endpoints": 27648, "radix": 48, "tiers": 3},
        {"leaf": 1152, "spine": 1152, "core": 576},
        {"port": 27648, "leaf": 27648, "spine": 27648},
    ),
    "deepseek_ff2": Case(
        # One of two zones; two switches join them.
        "fat_tree",
        {"endpoints": 800, "radix": 40},
        {"leaf": 40, "spine": 20},
    ),
    "ms_fairwater2": Case(
        "fat_tree",
        {"endpoints": 524288, "radix": 512, "rails": 4, "planes": 8, "rail_only": 1},
        {"leaf": 16384, "spine": 8192},
    ),
    "tpu_v5e": Case("torus", {"x": 16, "y": 16}, {}, {"x": 256, "y": 256}),
    "tpu_v7": Case(
        # 144 cubes of 64 chips; every switch has two ports for each cube.
        "optical_torus",
        {"x": 16, "y": 24, "z": 24, "ports": 288},
        {"circuit": 48},
    ),
    "trn2_server": Case("torus", {"x": 4, "y": 4}, {}, {"x": 16, "y": 16}),
    "trn2_ultra": Case(
        "torus", {"x": 4, "y": 4, "z": 4}, {}, {"x": 64, "y": 64, "z": 64}
    ),
    "hm_ft_1k": Case(
        "fat_tree",
        tapered(2, 1024),
        {"leaf": 32 * 16, "spine": 16 * 16},
        {"port": 1024 * 16, "leaf": 1024 * 16},
        25.303e6,
    ),
    "hm_ft_16k": Case(
        "fat_tree",
        tapered(3, 16384),
        {"leaf": 512 * 16, "spine": 512 * 16, "core": 256 * 16},
        {"port": 16384 * 16, "leaf": 16384 * 16, "spine": 16384 * 16},
        679.90e6,
    ),
    "hm_ft50_16k": Case(
        "fat_tree",
        tapered(3, 16384, **HALF),
        {"leaf": 391 * 16, "spine": 269 * 16, "core": 135 * 16},
        {"port": 16384 * 16, "leaf": 8602 * 16, "spine": 8602 * 16},
        418.93e6,
    ),
    "hm_ft50_1k": Case(
        "fat_tree",
        tapered(2, 1024, **HALF),
        {"leaf": 25 * 16, "spine": 9 * 16},
        {"port": 1024 * 16, "leaf": 550 * 16},
        17.53e6,
    ),
    "hm_ft75_1k": Case(
        "fat_tree",
        tapered(2, 1024, down=51, up=13, even=0),
        {"leaf": 21 * 16, "spine": 5 * 16},
        {"port": 1024 * 16, "leaf": 273 * 16},
        13.03e6,
    ),
    "hm_hyperx_1k": Case(
        "hammingmesh",
        {"boards_x": 32, "boards_y": 32, "board": 1},
        {"line": 64 * 4},
        {"port": 4096 * 4, "line": 0},
        10.824e6,
    ),
    "hm_hx2_1k": Case(
        "hammingmesh",
        {"boards_x": 16, "boards_y": 16, "board": 2},
        {"line": 32 * 4},
        {"port": 2048 * 4, "line": 0},
        5.412e6,
    ),
    "hm_hyperx_16k": Case(
        "hammingmesh",
        {"boards_x": 128, "boards_y": 128, "board": 1},
        {"line": 3072 * 4},
        {"port": 65536 * 4, "line": 65536 * 4},
        448.23e6,
    ),
    "hm_hx4_16k": Case(
        "hammingmesh",
        {"boards_x": 32, "boards_y": 32, "board": 4},
        {"line": 256 * 4},
        {"port": 16384 * 4, "line": 0},
        43.29e6,
    ),
    "slimfly_q5": Case(
        "slim_fly", {"q": 5}, {"router": 50}, {"port": 200, "link": 175}
    ),
    "dragonfly_72": Case(
        "dragonfly",
        {"endpoints_per_router": 2, "routers": 4, "global_links": 2},
        {"router": 36},
        {"port": 72, "local": 54, "global": 36},
    ),
}


def torus_cost() -> float:
    """A torus of 32 x 32 chips on boards of 2 x 2, of which cables leave the board."""
    off_board = sum(made("torus", x=32, y=32).links.values()) - 16 * 16 * 4
    assert off_board == 1024
    return float(bom.item_cost(count=4 * off_board, price=LONG))


def connections(endpoints: int, tiers: int) -> tuple[float, float]:
    """Switches and cost of connections of the public spreadsheet."""
    return (
        bom.fat_tree_switches(endpoints, tiers, 64),
        bom.connection_cost(endpoints, tiers, 80, 1240),
    )


def nvl72_optics() -> tuple[float, ...]:
    """Two transceivers for each link of 1.6 Tbit/s, their cost, price and power."""
    number = bom.cables(72 * 7200, 1600) * 2
    cost = bom.item_cost(number, 850)
    price = price_of_chip(cost, 0.75)
    return (number, cost, price, bom.item_power(number, 30) / 1e3)


def servers_of_two_by_eight() -> tuple[float, ...]:
    """Trn2: links on the backplane, cables of 32 lanes each way, connectors."""
    torus = made("torus", x=4, y=4)
    on_board = 16 // 2
    backplane = sum(torus.links.values()) - on_board
    return (backplane, bom.item_cost(backplane, 32 * 2), 8 * 6)


FORMULAS: dict[str, tuple[Callable[[], float | tuple[float, ...]], object]] = {
    "nv_nvl72": (lambda: bom.lanes(72, 7200, 200), 5184),
    "nv_nvl72_optics": (nvl72_optics, (648, 550_800, 2_203_200, 19.44)),
    "nv_nvl36x2": (lambda: bom.cables(2 * 9 * 18, 2), 162),
    "ttcto_512": (lambda: connections(512, 1), (8, 675_840)),
    "ttcto_1024": (lambda: connections(1024, 2), (48, 2_621_440)),
    "ttcto_2048": (lambda: connections(2048, 2), (96, 5_242_880)),
    "ttcto_4096": (lambda: connections(4096, 2), (192, 10_485_760)),
    "ttcto_16384": (lambda: connections(16384, 2), (768, 41_943_040)),
    "ttcto_32768": (lambda: connections(32768, 3), (2560, 124_518_400)),
    "ttcto_131072": (lambda: connections(131072, 3), (10240, 498_073_600)),
    "trn2_efav3_rack": (lambda: bom.rack_switches(32, 0.8e12, 12.8e12, 1), 4),
    "trn2u_efav3_rack": (lambda: bom.rack_switches(32, 0.2e12, 12.8e12, 1), 1),
    "hm_torus_1k": (torus_cost, 2_469_888),
}
DIVERGING = {
    "nv_a100_140": "80 spines: each of 8 rails has 10, for 7 leaves; counts of a plain "
    "tree (56 spines, 28 cores) leave no spine half used",
    "sa_100k_ib4": "1,536 cores are those of pods that end there; a core with links up "
    "to a fourth tier at 1:7 has 56 ports left for links down, hence 1,756",
}
ELSEWHERE = {
    "aws_10p10u": "the row states no counts",
}


def counted(case: str) -> Case:
    """A case as our topology counts it."""
    stated = BUILT[case]
    found = made(stated.kind, **stated.params)
    return attrs.evolve(stated, switches=found.switches, links=found.links)


def test_every_row_is_computed_or_explained() -> None:
    tables = (BUILT, FORMULAS, DIVERGING, ELSEWHERE)
    named = [name for table in tables for name in table]
    assert sorted(named) == sorted(ROWS)


@pytest.mark.parametrize("case", BUILT)
def test_counts_are_those_published(case: str) -> None:
    stated, found = BUILT[case], counted(case)
    assert found.switches == stated.switches
    assert {name: found.links[name] for name in stated.links} == stated.links


@pytest.mark.parametrize("case", [name for name in BUILT if BUILT[name].cost])
def test_costs_are_those_published(case: str) -> None:
    found = counted(case)
    if BUILT[case].kind == "fat_tree":
        # Endpoints on short copper, all else on long optical cables.
        short = found.links["port"]
        long = sum(found.links.values()) - short
    else:
        short = found.links["port"] // 2
        long = found.links["port"] // 2 + found.links["line"]
    cost = SWITCH * sum(found.switches.values()) + SHORT * short + LONG * long
    assert cost == pytest.approx(BUILT[case].cost, rel=1e-3)


@pytest.mark.parametrize("case", FORMULAS)
def test_closed_forms_are_those_published(case: str) -> None:
    compute, stated = FORMULAS[case]
    assert compute() == pytest.approx(stated, rel=1e-9)


def test_backplane_of_a_server() -> None:
    assert servers_of_two_by_eight() == (24, 1536, 48)


def test_active_cables_of_an_ultraserver() -> None:
    assert made("torus", x=4, y=4, z=4).links["z"] == bom.cables(64 * 2, 2)


def test_irregular_rows_differ_as_explained() -> None:
    a100 = made("fat_tree", endpoints=1120, radix=40, tiers=3, rails=8)
    assert a100.switches == {"leaf": 56, "spine": 56, "core": 28}
    pods = build("fat_tree", endpoints=98304, radix=64, tiers=4, top_oversubscription=7)
    assert not isinstance(pods, Refusal)
    assert pods.switches["leaf"] == pods.switches["spine"] == 3072
    assert pods.switches["core"] == 1756


def test_a_spreadsheet_goes_beyond_two_tiers() -> None:
    """The published rows of 4,096 and 16,384 with two tiers cannot be built."""
    for endpoints in (4096, 16384):
        refused = build("fat_tree", endpoints=endpoints, radix=64)
        assert isinstance(refused, Refusal)
        assert refused.nearest == {"endpoints": 2048, "tiers": 3}
    assert bom.fat_tree_capacity(64, 2) == 2048
    assert bom.fat_tree_capacity(64, 3) == 64**3 / 4


def test_a_bill_has_every_item() -> None:
    tree = made("fat_tree", endpoints=512, radix=64, rails=8)
    items = bill(tree, {"port": 2.5, "leaf": 40.0}, {"leaf": 2})
    assert not isinstance(items, Refusal)
    assert {item.name: item.count for item in items} == {
        "nic.port": 512,
        "switch.leaf": 16,
        "switch.spine": 8,
        "dac.port": 512,
        "optics.leaf": 256,
        "transceiver.leaf": 512,
    }
    prices = dict.fromkeys((f"price[{item.name}]" for item in items), 10.0)
    assert bill_cost(items).bind(prices) == 10 * sum(item.count for item in items)
    powers = dict.fromkeys((f"power[{item.name}]" for item in items), 0.0)
    rates = dict.fromkeys((f"rate[{item.name}]" for item in items), 1e-9)
    assert bill_failures(items).bind(rates) == pytest.approx(1816e-9)
    assert bill_power(items).bind(powers | {"power[switch.leaf]": 500.0}) == 8000


def test_a_failed_switch_reaches_the_endpoints_below_it() -> None:
    tree = made("fat_tree", endpoints=2048, radix=64, rails=8)
    assert blast_radius(tree) == {"leaf": 32, "spine": 2048}
    pod = stack(made("switch", endpoints=72), tree)
    assert blast_radius(pod)["switch"] == 72
    assert blast_radius(pod)["scale_out.leaf"] == 32
    assert blast_radius(made("torus", x=4)) == {}


def test_a_cable_that_does_not_reach_is_refused() -> None:
    tree = made("fat_tree", endpoints=512, radix=64)
    refused = bill(tree, {"port": 1.0, "leaf": 5000.0})
    assert isinstance(refused, Refusal)
    assert refused.code == "reach"
    assert [medium(m) for m in (1, 5, 20, 500)] == ["dac", "aec", "aoc", "optics"]


def test_what_a_third_tier_adds() -> None:
    two = made("fat_tree", endpoints=2048, radix=64)
    three = made("fat_tree", endpoints=2048, radix=64, tiers=3)
    assert added_tier(two, three) == {
        "switch.spine": 32,
        "switch.core": 32,
        "link.spine": 2048,
    }
