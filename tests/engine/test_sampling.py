"""Draws: named by their statement, stratified, true to the stated interval."""

import math
import textwrap
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import GraphBuilder, Input, Spread
from isocost.engine.sampling import draws, quantile, uniform

Evaluated = Callable[..., Evaluation]

POD = """
chip slow {{
  power = 500 W ± 10% @assumed "a test"
  memory.bandwidth = {bandwidth} @assumed "a test"
  price = 4_000 $ to 6_000 $ @assumed "a test"
  let weight := memory.bandwidth / power
}}
system pod {{
  chip = slow
  chips = 16 chip @assumed "a test"
}}
scenario one {{
  system = pod
  let cost := chip.price * system.chips / chip.memory.bandwidth
}}
scenario two extends one {{
  chip.power = 700 W ± 10% @assumed "a test"
  let cost := chip.price * system.chips / chip.memory.bandwidth * chip.power
}}
"""


def columns(evaluation: Evaluation) -> dict[str, list[float]]:
    """Every uncertain input's draws, by origin."""
    graph = evaluation.graph
    found = draws(graph, range(len(graph.nodes)), 512)
    return {graph.nodes[n].what.origin: c.tolist() for n, c in found.items()}  # type: ignore[union-attr]


def built(evaluated: Evaluated, bandwidth: str) -> Evaluation:
    evaluation = evaluated(POD.format(bandwidth=bandwidth))
    for scenario in ("one", "two"):
        assert evaluation.node(scenario, "cost") is not None
    return evaluation


@given(st.text(max_size=20), st.integers(1, 300))
def test_a_column_has_one_draw_in_each_cell(origin: str, count: int) -> None:
    u = uniform(origin, count)
    assert sorted(np.floor(u * count).astype(int)) == list(range(count))
    assert (u > 0).all()
    assert (u < 1).all()


def test_a_column_depends_on_the_origin_and_the_count_alone() -> None:
    assert uniform("chip.power", 64).tolist() == uniform("chip.power", 64).tolist()
    a, b = uniform("chip.power", 4096), uniform("chip.price", 4096)
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.05


@pytest.mark.parametrize(
    ("spread", "low", "high"),
    [
        (Spread("lognormal", (2.0, 8.0)), 2.0, 8.0),
        (Spread("logitnormal", (0.2, 0.9)), 0.2, 0.9),
        (Spread("normal", (0.0, 1.0)), -1.6448536, 1.6448536),
        (Spread("uniform", (0.0, 10.0)), 0.5, 9.5),
        (
            Spread("triangular", (0.0, 5.0, 10.0)),
            math.sqrt(2.5),
            10 - math.sqrt(2.5),
        ),
    ],
)
def test_the_stated_interval_comes_out(spread: Spread, low: float, high: float) -> None:
    column = quantile(spread, uniform("x", 20_000), 1.0)
    assert np.quantile(column, 0.05) == pytest.approx(low, rel=5e-3)
    assert np.quantile(column, 0.95) == pytest.approx(high, rel=5e-3)


def test_draws_are_cut_at_the_bounds() -> None:
    column = quantile(Spread("normal", (0.9, 0.3), 0.0, 1.0), uniform("x", 4096), 0.9)
    assert column.min() >= 0.0
    assert column.max() == 1.0


def test_one_of_draws_each_value_equally_often() -> None:
    column = quantile(Spread("one_of", (1.0, 2.0, 4.0)), uniform("x", 3000), 2.0)
    _, counts = np.unique(column, return_counts=True)
    assert counts.tolist() == [1000, 1000, 1000]


def test_points_have_no_draws() -> None:
    builder = GraphBuilder()
    node = builder.add(Input("x", 1.0, "1", 1.0))
    assert draws(builder.freeze(), [node]) == {}


def test_editing_a_line_leaves_all_other_draws_as_they_were(
    evaluated: Evaluated,
) -> None:
    before = columns(built(evaluated, "2 TB/s to 4 TB/s"))
    after = columns(built(evaluated, "3 TB/s to 9 TB/s"))
    changed = {name for name in before if before[name] != after[name]}
    assert before.keys() == after.keys()
    assert changed == {"slow.memory.bandwidth"}


def test_an_edited_line_keeps_its_place_in_the_draws(evaluated: Evaluated) -> None:
    before = columns(built(evaluated, "2 TB/s to 4 TB/s"))["slow.memory.bandwidth"]
    after = columns(built(evaluated, "3 TB/s to 9 TB/s"))["slow.memory.bandwidth"]
    assert np.argsort(before).tolist() == np.argsort(after).tolist()


def test_scenarios_share_the_draws_of_a_shared_input(evaluated: Evaluated) -> None:
    evaluation = built(evaluated, "2 TB/s to 4 TB/s")
    nodes = [evaluation.node(name, "cost") for name in ("one", "two")]
    one, two = evaluation.columns([n for n in nodes if n is not None])
    shared = np.quantile(np.log(two / one), (0.05, 0.95))
    rng = np.random.default_rng(1)
    apart = np.quantile(np.log(two / rng.permutation(one)), (0.05, 0.95))
    assert np.ptp(shared) < 0.4 * np.ptp(apart)


def test_a_restated_line_is_a_variable_of_its_own(evaluated: Evaluated) -> None:
    found = columns(built(evaluated, "2 TB/s to 4 TB/s"))
    assert {"two.chip.power"} <= found.keys()


def test_the_order_of_lines_does_not_matter(evaluated: Evaluated) -> None:
    text = textwrap.dedent(POD.format(bandwidth="2 TB/s to 4 TB/s")).strip()
    lines = text.splitlines()
    lines[1], lines[3] = lines[3], lines[1]
    moved = evaluated("\n".join(lines))
    for scenario in ("one", "two"):
        moved.node(scenario, "cost")
    assert columns(moved) == columns(built(evaluated, "2 TB/s to 4 TB/s"))
