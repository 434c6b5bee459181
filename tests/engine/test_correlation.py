"""Rank correlation: as stated, in order only, shared, and with nothing else moved."""

import itertools
import textwrap
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import spearmanr

from isocost.dsl import correlate
from isocost.dsl.check import check_file
from isocost.engine.doubt import sample, summaries
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Input
from isocost.engine.quantities import table
from isocost.engine.sampling import BATCH, draws, uniform
from isocost.engine.sobol import indices

Evaluated = Callable[..., Evaluation]

TEXT = """
chip a {{
  power = 400 W to 600 W @assumed "a test"
  sram = 150 MB to 250 MB @assumed "a test"
  memory.bandwidth = uniform(2 TB/s, 3 TB/s) @assumed "a test"
  memory.capacity = 90 GB ± 10% @assumed "a test"
}}
chip b extends a {{
  power = 700 W to 800 W @assumed "a test"
}}
{stated}
scenario s {{
  let all := a.power / 1 W + a.sram / 1 MB + c + a.memory.capacity / 1 GB
  let c := a.memory.bandwidth / 1 TB/s
  let two := a.power / 1 W * a.sram / 1 MB
  let b_power := b.power
  let b_sram := b.sram
}}
"""
PATHS = ("a.power", "a.sram", "a.memory.bandwidth", "a.memory.capacity")


def correlated(*stated: tuple[str, float]) -> str:
    blocks = [
        f"correlation c{i} {{\n  between = [{paths}]\n"
        f'  rank = {r} @assumed "a test"\n}}'
        for i, (paths, r) in enumerate(stated)
    ]
    return TEXT.format(stated="\n".join(blocks))


def columns(evaluation: Evaluation, count: int = 4096) -> dict[str, np.ndarray]:
    graph = evaluation.graph
    found = draws(graph, range(len(graph.nodes)), count)
    out = {}
    for node, column in found.items():
        what = graph.nodes[node].what
        assert isinstance(what, Input)
        out[what.origin] = column
    return out


def drawn(evaluated: Evaluated, *stated: tuple[str, float]) -> dict[str, np.ndarray]:
    evaluation = evaluated(correlated(*stated))
    for name in ("all", "b_power", "b_sram"):
        assert evaluation.node("s", name) is not None
    return columns(evaluation)


@pytest.mark.parametrize("rank", [-0.95, -0.4, 0.3, 0.8, 0.99])
def test_ranks_go_together_as_stated(evaluated: Evaluated, rank: float) -> None:
    found = drawn(evaluated, ("a.power, a.memory.bandwidth", rank))
    reached = spearmanr(found["a.power"], found["a.memory.bandwidth"]).statistic
    assert reached == pytest.approx(rank, abs=0.01)


def test_columns_keep_their_values_and_the_others_their_order(
    evaluated: Evaluated,
) -> None:
    before = drawn(evaluated)
    after = drawn(evaluated, ("a.power, a.sram", 0.7))
    assert before.keys() == after.keys()
    for origin, column in before.items():
        assert np.sort(column).tolist() == np.sort(after[origin]).tolist()
    moved = {o for o in before if before[o].tolist() != after[o].tolist()}
    assert moved == {"a.sram"}  # the first of a group stays


def test_three_together_and_the_fourth_by_another_statement(
    evaluated: Evaluated,
) -> None:
    found = drawn(
        evaluated,
        ("a.power, a.sram, a.memory.bandwidth", 0.5),
        ("a.memory.capacity, a.power", -0.3),
    )
    wanted = {frozenset(p): 0.5 for p in itertools.combinations(PATHS[:3], 2)}
    wanted[frozenset({"a.power", "a.memory.capacity"})] = -0.3
    for one, other in itertools.combinations(PATHS, 2):
        reached = spearmanr(found[one], found[other]).statistic
        rank = wanted.get(frozenset({one, other}), 0.0)
        assert reached == pytest.approx(rank, abs=0.015)


def test_the_order_of_statements_does_not_matter(evaluated: Evaluated) -> None:
    one = drawn(
        evaluated, ("a.power, a.sram", 0.5), ("a.sram, a.memory.bandwidth", 0.2)
    )
    two = drawn(
        evaluated, ("a.memory.bandwidth, a.sram", 0.2), ("a.sram, a.power", 0.5)
    )
    assert {k: v.tolist() for k, v in one.items()} == {
        k: v.tolist() for k, v in two.items()
    }


def test_a_copy_shares_it_and_a_restated_line_does_not(evaluated: Evaluated) -> None:
    found = drawn(evaluated, ("a.power, a.sram", 0.9))
    assert set(found) == {*PATHS, "b.power"}  # b's sram is a's
    assert abs(spearmanr(found["b.power"], found["a.sram"]).statistic) < 0.05


def test_an_edit_of_one_interval_moves_no_order(evaluated: Evaluated) -> None:
    text = correlated(("a.power, a.sram", 0.6))
    other = text.replace("400 W to 600 W", "300 W to 900 W")
    ranks = []
    for one in (text, other):
        evaluation = evaluated(one)
        assert evaluation.node("s", "all") is not None
        found = columns(evaluation)
        ranks.append([found[path].argsort().tolist() for path in PATHS])
    assert ranks[0] == ranks[1]


def test_batches_keep_it(evaluated: Evaluated) -> None:
    evaluation = evaluated(correlated(("a.power, a.sram", 0.8)))
    nodes = [evaluation.node("s", name) for name in ("two", "all")]
    node = nodes[0]
    assert node is not None
    count = 2 * BATCH + 500
    (column,) = sample(evaluation, [node], count)
    spread = [np.log(part).std() for part in np.split(column, [BATCH, 2 * BATCH])]
    assert spread[1] == pytest.approx(spread[0], rel=0.01)
    assert spread[2] == pytest.approx(spread[0], rel=0.1)
    (told,) = summaries(evaluation, [node], count)
    assert told.mean == pytest.approx(column.mean(), rel=1e-9)
    found = told.quantiles()
    assert found is not None
    for one in found:
        assert one.value == pytest.approx(np.quantile(column, one.share), rel=1e-9)
    apart = evaluated(correlated())
    loose = apart.node("s", "two")
    assert loose is not None
    (other,) = sample(apart, [loose], BATCH)
    assert spread[0] > 1.2 * np.log(other).std()


def test_a_group_has_one_index(evaluated: Evaluated) -> None:
    evaluation = evaluated(correlated(("a.power, a.sram", 0.8)))
    node = evaluation.node("s", "all")
    assert node is not None
    found = {one.origins: one for one in indices(evaluation, node)}
    assert len(found) == 3
    group = found["a.power", "a.sram"]
    column, (whole,) = columns(evaluation), sample(evaluation, [node], 4096)
    part = (column["a.power"] + column["a.sram"] / 1e6).var() / whole.var()
    assert group.first == pytest.approx(part, abs=0.02)
    assert group.total == pytest.approx(part, abs=0.02)


def test_few_draws_still_go_together(evaluated: Evaluated) -> None:
    evaluation = evaluated(correlated(("a.power, a.sram", 0.9)), 3)
    assert evaluation.node("s", "all") is not None
    found = columns(evaluation, 3)
    lows = sorted(uniform("a.power", 3))
    assert len(lows) == len(set(found["a.sram"]))


# What can be, and what cannot.


@pytest.mark.parametrize("size", [2, 3, 5])
def test_what_is_possible_is_what_has_a_cholesky_factor(size: int) -> None:
    rng = np.random.default_rng(size)
    seen = set()
    for _ in range(200):
        ranks = np.eye(size)
        above = np.triu_indices(size, 1)
        ranks[above] = rng.uniform(-1, 1, len(above[0]))
        ranks = np.minimum(ranks, 1) + np.triu(ranks, 1).T
        matrix = tuple(map(tuple, ranks.tolist()))
        least = np.linalg.eigvalsh(np.array(correlate.scores(matrix))).min()
        seen.add(correlate.possible(matrix))
        assert correlate.possible(matrix) == (least > 1e-9)
        factor = correlate.nearest_factor(matrix)
        assert correlate.possible(correlate.times(matrix, factor))
    assert seen == ({True} if size == 2 else {True, False})


def codes(*stated: tuple[str, float]) -> list[tuple[str, str]]:
    body = "edition 2026\n" + textwrap.dedent(correlated(*stated))
    found = check_file("made.scn", table(), body).diagnostics
    return [(d.code, d.help or "") for d in found if d.severity == "error"]


def test_mistakes_are_told() -> None:
    assert codes(("a.power, a.sram", 0.5)) == []
    assert codes(("a.power, a.sram", 1.5))[0][0] == "V001"
    assert codes(("a.power, a.sran", 0.5))[0][0] == "N003"
    assert codes(("a.power, s.two", 0.5))[0][0] == "V008"
    assert codes(("a.power", 0.5))[0][0] == "V003"
    assert codes(("a.power, a.sram", 0.5), ("a.sram, a.power", 0.4))[0][0] == "V009"
    ((code, advice),) = codes(("a.power, a.sram, a.memory.bandwidth", -0.7))
    assert (code, advice) == ("V010", "the most that can be is -0.47")
    ((code, advice),) = codes(
        ("a.power, a.sram", 0.9), ("a.sram, a.memory.bandwidth", 0.9)
    )
    assert code == "V010"
    assert "a.memory.bandwidth and a.power count as uncorrelated" in advice
    ((code, advice),) = codes(("a.power, a.sram", -1))
    assert code == "V010"
    assert "a formula of it" in advice
    ((code, advice),) = codes(("a.power, a.sram, a.power", 0.5))
    assert code == "V003"
    assert "goes with itself" in advice


@pytest.mark.parametrize(
    ("rank", "found"),
    [
        ("= 0.2 to 0.5", "an interval"),
        ("= 0.3 ± 0.1", "an interval"),
        ("= uniform(0, 0.5)", "an interval"),
        ("= {0.1, 0.2}", "a choice"),
        (":= 0.1 * 3", "a formula"),
    ],
)
def test_a_rank_that_is_no_number_is_not_passed_over(rank: str, found: str) -> None:
    body = "edition 2026\n" + textwrap.dedent(correlated(("a.power, a.sram", 0.5)))
    assert body.count("rank = 0.5") == 1
    text = body.replace("rank = 0.5", f"rank {rank}")
    told = check_file("made.scn", table(), text).diagnostics
    (one,) = (d for d in told if d.severity == "error")
    assert (one.code, one.args["found"]) == ("V003", found)
