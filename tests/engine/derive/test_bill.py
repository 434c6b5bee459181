"""Bills of scenarios: the fabric from its parts, networks by chip, refusals."""

from collections.abc import Callable

import pytest

from isocost.engine.evaluate import Evaluation

Evaluate = Callable[[str], Evaluation]
#: About 4,000 GPUs on three tiers of 64-port switches, optics everywhere.
TREE = """
link optics {
  medium = optical
  ends = transceiver_400g
}
link copper {
  medium = dac
  cable = dac_400g
}
link twin {
  medium = optical
  ends = transceiver_800g_dr8
  links_per_cable = 2 @assumed "two ports of 400G in one"
}
fabric tree {
  topology = fat_tree(tiers = 3, rails = 8)
  tier[leaf].switch = quantum2_qm9700
  tier[spine].switch = quantum2_qm9700
  tier[core].switch = quantum2_qm9700
  tier[port].link = optics
  tier[leaf].link = optics
  tier[spine].link = optics
}
scenario optical {
  system = hgx_h100
  size = 4096 chip
  fabric = tree
}
"""


def value(found: Evaluation, scenario: str, path: str) -> float:
    node = found.node(scenario, path)
    assert node is not None, found.diagnostics
    return found.point((node,))[node]


def refused(found: Evaluation, scenario: str, path: str) -> str:
    assert found.node(scenario, path) is None
    last = found.diagnostics[-1]
    return f"{last.code} {' '.join(map(str, dict(last.args).values()))}"


def test_counts_of_a_cluster_of_four_thousand(evaluate: Evaluate) -> None:
    found = evaluate(TREE)
    for keys, count in {
        "switch": 320,
        "switch, leaf": 128,
        "switch, spine": 128,
        "switch, core": 64,
        "link": 3 * 4096,
        "transceiver": 2 * 3 * 4096,
        "transceiver, port": 2 * 4096,
        "cable": 0,
        "nic": 0,
    }.items():
        assert value(found, "optical", f"network.count[{keys}]") == count
    assert value(found, "optical", "network.free") == 0


def test_the_radix_is_that_of_the_switch(evaluate: Evaluate) -> None:
    found = evaluate(
        TREE
        + """
part small_switch extends quantum2_qm9700 { radix = 32 @assumed "half" }
scenario halved extends optical {
  fabric.tier[leaf].switch = small_switch
}
"""
    )
    assert value(found, "halved", "network.count[switch, leaf]") == 256


def test_price_and_power_follow_from_the_parts(evaluate: Evaluate) -> None:
    found = evaluate(TREE)
    switch = value(found, "optical", "fabric.tier[leaf].switch.price")
    module = value(found, "optical", "fabric.tier[leaf].link.ends.price")
    cost = 320 * switch + 24576 * module
    assert value(found, "optical", "network.cost") == pytest.approx(cost)
    assert value(found, "optical", "network.cost[switch, core]") == 64 * switch
    assert value(found, "optical", "fabric.price") == pytest.approx(cost / 4096)
    watts = 320 * 747 + 24576 * 80**0.5
    assert value(found, "optical", "fabric.power") == pytest.approx(watts / 4096)


def test_money_takes_the_bill(evaluate: Evaluate) -> None:
    found = evaluate(
        TREE
        + """
finance owner { tenure = own
 cost_of_capital = 9% @assumed ""
 life[server] = 5 year @assumed "" }
scenario owned extends optical { finance = owner }
"""
    )
    capex = value(found, "owned", "cost.capex[network]")
    assert capex == pytest.approx(value(found, "owned", "network.cost"))
    drawn = value(found, "owned", "power.fabric")
    assert drawn == pytest.approx(value(found, "owned", "network.power"))


def test_a_stated_total_wins_over_the_parts(evaluate: Evaluate) -> None:
    found = evaluate(
        TREE
        + """
fabric bought extends tree { price = 3_000 $/chip @assumed "an offer" }
scenario offered extends optical { fabric = bought }
"""
    )
    assert value(found, "offered", "fabric.price") == 3000
    assert value(found, "offered", "network.cost") > 4096 * 3000


def test_copper_in_the_rack_instead_of_optics(evaluate: Evaluate) -> None:
    found = evaluate(
        TREE
        + """
fabric short extends tree {
  tier[port].link = copper
  tier[port].length = 2 m
}
scenario mixed extends optical { fabric = short }
"""
    )
    assert value(found, "mixed", "network.count[cable]") == 4096
    assert value(found, "mixed", "network.count[transceiver]") == 2 * 2 * 4096
    saved = value(found, "optical", "fabric.price") - value(
        found, "mixed", "fabric.price"
    )
    module = value(found, "optical", "fabric.tier[leaf].link.ends.price")
    assert saved == pytest.approx(2 * module - 209)
    optics = value(found, "optical", "network.failures[transceiver, port]")
    copper = value(found, "mixed", "network.failures[cable, port]")
    assert 20 <= optics / copper <= 200


def test_optics_against_copper_by_bandwidth(evaluate: Evaluate) -> None:
    """About ten times the cost of passive copper, in volume still six and more."""
    found = evaluate(
        TREE
        + """
fabric short extends tree { tier[port].link = copper }
scenario mixed extends optical { fabric = short }
"""
    )
    optics = value(found, "optical", "network.cost[transceiver, port]")
    copper = value(found, "mixed", "network.cost[cable, port]")
    assert 5 <= optics / copper <= 12


def test_two_links_in_one_cable(evaluate: Evaluate) -> None:
    found = evaluate(
        TREE
        + """
fabric paired extends tree { tier[spine].link = twin }
scenario twins extends optical { fabric = paired }
"""
    )
    assert value(found, "twins", "network.count[transceiver, spine]") == 4096


def test_what_a_third_tier_costs(evaluate: Evaluate) -> None:
    found = evaluate(
        TREE
        + """
fabric two extends tree { topology = fat_tree(tiers = 2, rails = 8) }
scenario shallow extends optical { fabric = two
 size = 2048 chip }
scenario deep extends optical { size = 2048 chip }
"""
    )
    shallow, deep = (value(found, s, "fabric.price") for s in ("shallow", "deep"))
    assert deep > 1.4 * shallow


def test_nics_of_the_fabric_unless_the_system_has_them(evaluate: Evaluate) -> None:
    found = evaluate(
        TREE
        + """
fabric with_nics extends tree { nic = connectx7 }
scenario carded extends optical { fabric = with_nics }
scenario trainium extends optical { fabric = with_nics
 system = trn2_ultra }
"""
    )
    assert value(found, "carded", "network.count[nic]") == 4096
    assert value(found, "trainium", "network.count[nic]") == 0


@pytest.mark.parametrize(
    ("system", "low", "high"),
    [("trn2_ultra", 900, 1000), ("trn2", 1199, 1201)],
)
def test_connectors_and_cables_of_a_chip(
    evaluate: Evaluate, system: str, low: float, high: float
) -> None:
    found = evaluate(f"scenario trainium {{ system = {system} }}")
    path = "network.cost_per_chip[scale_up]"
    (one,) = found.results([("trainium", path)])
    assert low <= one.low <= one.central < high
    parts = ("scale_up", "back_end", "fabric")
    total = sum(value(found, "trainium", f"network.cost_per_chip[{p}]") for p in parts)
    assert value(found, "trainium", "network.cost_per_chip") == pytest.approx(total)


def test_classes_of_a_bill_add_up_to_the_system(evaluate: Evaluate) -> None:
    found = evaluate("""
scenario trainium { system = trn2
 chip.price = 5_000 $ @assumed "" }
""")
    classes = ("chip", "server", "scale_up", "back_end", "other")
    total = sum(value(found, "trainium", f"bill[{name}]") for name in classes)
    assert value(found, "trainium", "system.price") == pytest.approx(total)


def test_the_rest_of_a_stated_price_is_not_itemised(evaluate: Evaluate) -> None:
    found = evaluate("""
scenario bought { system = trn2
 chip.price = 5_000 $ @assumed ""
 system.price = 200k $ @assumed "an offer" }
scenario cheap extends bought { system.price = 50k $ @assumed "too good" }
scenario built { system = trn2
 chip.price = 5_000 $ @assumed "" }
""")
    listed = ("chip", "server", "scale_up", "back_end")
    total = sum(value(found, "bought", f"bill[{name}]") for name in listed)
    rest = value(found, "bought", "bill[not_itemised]")
    assert rest == pytest.approx(200e3 - total)
    assert value(found, "built", "bill[not_itemised]") == 0
    words = refused(found, "cheap", "bill[not_itemised]")
    assert (
        words == "M003 the lines of the system's bill cost more than its stated price"
    )


def test_a_design_that_does_not_fit_is_refused(evaluate: Evaluate) -> None:
    found = evaluate(
        TREE
        + """
fabric flat extends tree { topology = fat_tree(tiers = 2) }
fabric far extends tree { tier[port].link = copper
 tier[port].length = 5 m }
scenario too_flat extends optical { fabric = flat }
scenario too_far extends optical { fabric = far }
"""
    )
    words = refused(found, "too_flat", "fabric.price")
    assert words.startswith("M003")
    assert "the nearest that fits: endpoints = 2,048 or tiers = 3" in words
    words = refused(found, "too_far", "fabric.price")
    assert "dac reaches 3 m, and this run is 5 m" in words


def test_a_part_that_is_not_stated_is_missed(evaluate: Evaluate) -> None:
    found = evaluate("""
fabric half {
  topology = fat_tree(radix = 64)
  tier[leaf].switch = quantum2_qm9700
}
scenario gpus { system = hgx_h100
 size = 512 chip
 fabric = half }
scenario plain { system = hgx_h100 }
""")
    assert refused(found, "gpus", "fabric.price").startswith(
        "M001 fabric.tier[spine].switch"
    )
    assert value(found, "gpus", "network.count[switch]") == 24
    assert refused(found, "plain", "fabric.price").startswith("M005")


def test_what_each_tier_adds_makes_up_the_whole(evaluate: Evaluate) -> None:
    found = evaluate(TREE)
    for metric in ("network.cost", "network.power"):
        tiers = [value(found, "optical", f"{metric}[tier, {t}]")
                 for t in ("leaf", "spine", "core")]  # fmt: skip
        assert sum(tiers) == pytest.approx(value(found, "optical", metric))
    switches = value(found, "optical", "network.cost[switch, core]")
    optics = value(found, "optical", "network.cost[transceiver, spine]")
    core = value(found, "optical", "network.cost[tier, core]")
    assert core == pytest.approx(switches + optics)
    assert "core" in refused(found, "optical", "network.cost[tier, cor]")
