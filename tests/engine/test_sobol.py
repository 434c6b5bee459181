"""Sobol indices, quantiles and the worth of knowing, against closed forms."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from isocost.engine.doubt import (
    batches,
    conditional_means,
    information,
    sample,
)
from isocost.engine.evaluate import Evaluation
from isocost.engine.ranks import quantiles
from isocost.engine.sampling import BATCH
from isocost.engine.sobol import indices

Evaluated = Callable[..., Evaluation]

#: Sobol's g-function: a product of factors of falling weight.
WEIGHTS = (0.0, 1.0, 4.5, 9.0)
NAMES = "abcd"
FACTORS = " * ".join(
    f"(abs(4 * {n} - 2) + {w}) / (1 + {w})" for n, w in zip(NAMES, WEIGHTS, strict=True)
)
LETS = "\n".join(f'  let {n} = uniform(0, 1) @assumed "a test"' for n in NAMES)
G = f"scenario one {{\n{LETS}\n  let g := {FACTORS}\n  let fixed := 3\n}}\n"

PARTS = [1 / (3 * (1 + w) ** 2) for w in WEIGHTS]
VARIANCE = math.prod(1 + part for part in PARTS) - 1


def node_of(evaluation: Evaluation, scenario: str, path: str) -> int:
    node = evaluation.node(scenario, path)
    assert node is not None, evaluation.diagnostics
    return node


def test_indices_of_a_product_are_known(evaluated: Evaluated) -> None:
    evaluation = evaluated(G)
    found = {i.origin: i for i in indices(evaluation, node_of(evaluation, "one", "g"))}
    for name, part in zip(NAMES, PARTS, strict=True):
        one = found[f"one.{name}"]
        total = part * (VARIANCE + 1) / (1 + part) / VARIANCE
        assert one.first == pytest.approx(part / VARIANCE, abs=6 * one.first_error)
        assert one.total == pytest.approx(total, abs=6 * one.total_error)
        assert one.first_error < 0.01
        assert one.total_error < 0.01


def test_the_largest_comes_first(evaluated: Evaluated) -> None:
    evaluation = evaluated(G)
    found = indices(evaluation, node_of(evaluation, "one", "g"))
    assert [one.origin for one in found] == [f"one.{n}" for n in NAMES]


def test_indices_of_a_sum_are_shares_of_variance(evaluated: Evaluated) -> None:
    text = f"scenario one {{\n{LETS}\n  let sum_ := 3 * a + 2 * b + c\n}}\n"
    evaluation = evaluated(text)
    found = indices(evaluation, node_of(evaluation, "one", "sum_"))
    for one, share in zip(found, (9 / 14, 4 / 14, 1 / 14), strict=True):
        assert one.first == pytest.approx(share, abs=2e-3)
        assert one.total == pytest.approx(share, abs=2e-3)


def test_what_is_not_in_doubt_has_no_indices(evaluated: Evaluated) -> None:
    evaluation = evaluated(G)
    assert indices(evaluation, node_of(evaluation, "one", "fixed")) == ()


#: First-order and total indices of the g-function by SALib 1.6.0, 2^15 Sobol points,
#: seed 1: kept, since SALib brings pandas and matplotlib along.
SALIB = (
    (0.7165, 0.1791, 0.0237, 0.0072),
    (0.7874, 0.2422, 0.0343, 0.0105),
)


def test_salib_agrees(evaluated: Evaluated) -> None:
    evaluation = evaluated(G)
    found = {i.origin: i for i in indices(evaluation, node_of(evaluation, "one", "g"))}
    for name, first, total in zip(NAMES, *SALIB, strict=True):
        one = found[f"one.{name}"]
        assert one.first == pytest.approx(first, abs=max(4 * one.first_error, 2e-3))
        assert one.total == pytest.approx(total, abs=max(4 * one.total_error, 2e-3))


def test_quantiles_cover_the_truth() -> None:
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(200):
        (one,) = quantiles(rng.uniform(size=1000), (0.9,))
        assert one.error == pytest.approx(math.sqrt(0.09 / 1000), rel=0.9)
        hits += abs(one.value - 0.9) < one.error
    assert 0.55 < hits / 200 < 0.8  # one standard error: 68%


def test_quantiles_pass_over_what_is_undefined() -> None:
    (one,) = quantiles(np.array([1.0, 2.0, 3.0, np.nan, np.inf]), (0.5,))
    assert one.value == 2.0
    (none,) = quantiles(np.array([np.nan]), (0.5,))
    assert math.isnan(none.value)


def test_too_few_draws_have_no_error() -> None:
    """At the edge of the draws the interval of a quantile is not known."""
    errors = [one.error for one in quantiles(np.array([1.0, 2.0]))]
    assert [math.isnan(error) for error in errors] == [False, False, False, True, True]
    assert all(math.isnan(one.error) for one in quantiles(np.array([1.0])))
    many = quantiles(np.linspace(0, 1, 1000))
    assert not any(math.isnan(one.error) for one in many)


def test_small_samples_are_the_draws_of_the_evaluation(evaluated: Evaluated) -> None:
    evaluation = evaluated(G, count=512)
    node = node_of(evaluation, "one", "g")
    (here,) = evaluation.columns([node])
    (there,) = sample(evaluation, [node], 512)
    assert here.tolist() == there.tolist()


def test_large_samples_come_in_batches(evaluated: Evaluated) -> None:
    evaluation = evaluated(G)
    nodes = [node_of(evaluation, "one", name) for name in ("g", "fixed")]
    sizes = [len(columns[0]) for columns in batches(evaluation, nodes, BATCH + 7)]
    assert sizes == [BATCH, 7]
    g, fixed = sample(evaluation, nodes, BATCH + 7)
    assert g.mean() == pytest.approx(1.0, abs=0.01)
    assert set(fixed.tolist()) == {3.0}
    assert g[:100].tolist() != g[BATCH:].tolist()


def test_conditional_means_follow_the_curve() -> None:
    x = np.random.default_rng(1).uniform(size=20_000)
    noise = np.random.default_rng(2).normal(size=20_000)
    means = conditional_means(np.stack([x**2 + noise * 0.1, x]), x)
    for curve, at in means:
        assert curve == pytest.approx(at**2, abs=0.03)


def test_what_decides_is_worth_knowing(evaluated: Evaluated) -> None:
    text = f"""
scenario one {{
{LETS}
  let cost := 1 + a + c
}}
scenario two {{
  let cost := 1.5 + one.c
}}
"""
    evaluation = evaluated(text)
    nodes = [node_of(evaluation, name, "cost") for name in ("one", "two")]
    found = {one.origin: one for one in information(evaluation, nodes)}
    # Both cost 1.5 + c in the mean; knowing `a` saves E[max(a - 1/2, 0)] = 1/8.
    assert found["one.a"].value == pytest.approx(1 / 8, rel=0.02)
    assert found["one.a"].flips == pytest.approx(0.5, abs=0.05)
    assert found["one.c"].value < 2e-3


def test_without_a_choice_nothing_is_worth_knowing(evaluated: Evaluated) -> None:
    evaluation = evaluated(G)
    found = information(evaluation, [node_of(evaluation, "one", "g")])
    assert all(one.value == 0 for one in found)
