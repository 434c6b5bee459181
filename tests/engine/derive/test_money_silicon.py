"""A chip's price from its silicon, in scenarios: published cases and derivatives."""

from collections.abc import Callable

import pytest

from isocost.engine.evaluate import Evaluation
from isocost.engine.gradient import gradient
from isocost.engine.program import point
from tests.engine.derive.money_cases import value

Evaluate = Callable[[str], Evaluation]

BARE = """
chip bare {{
  silicon = made
}}
system one {{
  chip = bare
  chips = 1 chip @assumed "one"
}}
scenario s {{
  system = one
}}
silicon made {{
  die[logic].area = {area} mm^2 @assumed "case"
  die[logic].wafer = 16_988 $/wafer @assumed "case"
  yield.clustering = 10 @assumed "case"
{more}
}}
"""


def bare(area: float, more: list[str]) -> str:
    return BARE.format(area=area, more="\n".join(f"  {line}" for line in more))


def lines(*more: str) -> list[str]:
    return [f'{line} @assumed "case"' for line in more]


@pytest.mark.parametrize(
    ("area", "count", "kind", "cost"),
    [
        (800, 1, "organic", 698.578),
        (440, 2, "organic", 516.236),
        (440, 2, "fan_out", 578.894),
        (440, 2, "interposer", 641.455),
    ],
)
def test_ways_to_build_800_square_millimetres(
    evaluate: Evaluate, area: int, count: int, kind: str, cost: float
) -> None:
    """Chiplet Actuary, as published: `chip_cost_cases.csv`, 5 nm, 800 mm^2."""
    more = lines(
        f"die[logic].count = {count}",
        "die[logic].defects = 0.11 /cm^2",
        f"package.kind = {kind}",
    )
    got = value(evaluate(bare(area, more)), "s.silicon.cost")
    assert got == pytest.approx(cost, abs=5e-4)


def test_dies_of_a_published_case(evaluate: Evaluate) -> None:
    more = lines("die[logic].defects = 0.11 /cm^2", "package.price = 0 $")
    found = evaluate(bare(100, more))
    assert value(found, "s.silicon.dies_per_wafer[logic]") == pytest.approx(571.7124)
    assert value(found, "s.silicon.yield[logic]") == pytest.approx(0.896372, abs=1e-6)
    assert value(found, "s.silicon.good_die[logic]") == pytest.approx(33.1494, abs=1e-4)


def test_layers_and_the_whole_are_two_densities(evaluate: Evaluate) -> None:
    """0.011 on each of ten layers is 0.11 in all; Bose-Einstein takes the former."""
    by_layer = lines(
        "die[logic].layer_defects = 0.011 /cm^2/layer",
        "die[logic].layers = 10 layer",
        "package.price = 0 $",
    )
    summed = evaluate(bare(400, by_layer))
    whole = evaluate(
        bare(400, lines("die[logic].defects = 0.11 /cm^2", "package.price = 0 $"))
    )
    path = "s.silicon.yield[logic]"
    assert value(summed, path) == pytest.approx(value(whole, path))
    bose = evaluate(bare(400, [*by_layer, *lines("yield.model = bose_einstein")]))
    assert value(bose, path) == pytest.approx((1 + 4 * 0.011) ** -10)


def test_a_density_by_layer_is_not_one_of_the_whole(evaluate: Evaluate) -> None:
    with pytest.raises(AssertionError, match="U004"):
        evaluate(bare(400, lines("die[logic].defects = 0.011 /cm^2/layer")))


@pytest.mark.parametrize("model", ["poisson", "murphy", "seeds"])
def test_every_model_of_yield(evaluate: Evaluate, model: str) -> None:
    more = lines(
        "die[logic].defects = 0.1 /cm^2",
        f"yield.model = {model}",
        "package.price = 0 $",
    )
    wanted = {"poisson": 0.670320, "murphy": 0.678975, "seeds": 1 / 1.4}[model]
    got = value(evaluate(bare(400, more)), "s.silicon.yield[logic]")
    assert got == pytest.approx(wanted, rel=2e-3)


def test_spare_cores_raise_the_yield(evaluate: Evaluate) -> None:
    stated = lines("die[logic].defects = 0.1 /cm^2", "package.price = 0 $")
    spare = lines(
        "die[logic].cores = 144",
        "die[logic].cores_needed = 132",
        "die[logic].core_share = 70%",
    )
    plain = value(evaluate(bare(814, stated)), "s.silicon.yield[logic]")
    harvested = value(evaluate(bare(814, [*stated, *spare])), "s.silicon.yield[logic]")
    assert harvested > 1.5 * plain


def test_margins_stack_and_design_is_spread(evaluate: Evaluate) -> None:
    more = lines(
        "die[logic].defects = 0.1 /cm^2",
        "package.price = 100 $",
        "package.yield = 80%",
        "hbm.price = 10 $/GB",
        "hbm.capacity = 96 GB",
        "test = 40 $",
        "nre = 200M $",
        "volume = 1M chip",
        "margin[partner] = 20%",
        "margin[seller] = 50%",
    )
    found = evaluate(bare(400, more))
    parts = value(found, "s.silicon.dies") + 960 + 100 + 40
    assert value(found, "s.silicon.cost") == pytest.approx(parts / 0.8 + 200)
    price = value(found, "s.chip.price")
    assert price == pytest.approx(value(found, "s.silicon.cost") / 0.8 / 0.5)
    assert value(found, "s.silicon.margin") == pytest.approx(0.6)


TOKEN = """
site hall {
  electricity = 0.08 $/kWh @assumed "x"
  pue = 1.2 @assumed "x"
}
finance terms {
  cost_of_capital = 10%/year @assumed "x"
  life[server] = 5 year @assumed "x"
}
software stack {
  chips = [trn2]
}
workload chat {
  task = inference
  model = llama3_70b
  prompt = 1024 token @assumed "x"
  output = 512 token @assumed "x"
  precision.weights = fp8
  precision.cache = fp8
  parallel.tp = 4
  batch.instance = 32
}
scenario token {
  system = trn2_ultra
  software = stack
  workload = chat
  site = hall
  finance = terms
  chip.price := derived(chip.price)
}
"""


def test_the_slope_of_a_token_by_the_defects(evaluate: Evaluate) -> None:
    """d($/Mtoken)/d(defect density): exact, and equal to a difference."""
    found = evaluate(TOKEN)
    node = found.node("token", "chip.silicon.die[compute].defects")
    assert node is not None
    metric = found.node("token", "cost.per_Mtoken")
    assert metric is not None
    exact = gradient(found.graph, metric, found.point((metric,)))[node]
    at = found.point((node,))[node]
    step = 1e-5 * at
    ends = [
        point(found.graph, (metric,), {node: moved})[metric]
        for moved in (at - step, at + step)
    ]
    assert exact == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-6)
    assert exact > 0
