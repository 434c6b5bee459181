"""Replicas that are left out: the most that fit and divide, one run on all chips."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from isocost.engine.evaluate import Evaluation
from isocost.engine.kernels import LARGEST_DIVISOR, largest_divisor

Evaluated = Callable[..., Evaluation]
RUN = """
import "isocost:systems/gpu"
import "isocost:models/llama"
import "isocost:software/training"
import "isocost:sites/us"
import "isocost:finance/books"
workload run {
  task = training
  model = llama3_70b
  tokens = 1T token
  sequence = 4096 token
  batch.global = 1536 sequence
  batch.micro = 1 sequence
  parallel.tp = {4, 8}
  parallel.pp = {2, 4, 5}
}
scenario base {
  system = hgx_h100
  size = 768 chip
  software = megatron_hopper
  workload = run
  site = us_hyperscale
  finance = hyperscaler_captive
  objective = cost.train
}
"""


def value(evaluation: Evaluation, path: str, scenario: str = "base") -> float:
    (found,) = evaluation.results([(scenario, path)])
    return found.central


def flags(evaluation: Evaluation, scenario: str = "base") -> tuple[str, ...]:
    (found,) = evaluation.results([(scenario, "cost.train")])
    return tuple(flag for flag in found.flags if "no fabric" not in flag)


def test_more_chips_never_make_the_best_plan_slower(evaluated: Evaluated) -> None:
    sizes = range(256, 1100, 56)
    times = [
        value(evaluated(RUN.replace("768 chip", f"{n} chip")), "time.train")
        for n in sizes
    ]
    for fewer, more in itertools.pairwise(times):
        assert more <= fewer * 1.001
    assert times[-1] < 0.5 * times[0]


@pytest.mark.parametrize("size", [520, 768, 1000])
def test_no_stated_number_of_replicas_is_cheaper(
    evaluated: Evaluated, size: int
) -> None:
    text = RUN.replace("768 chip", f"{size} chip")
    best = value(evaluated(text), "cost.train")
    every = ", ".join(str(dp) for dp in range(1, size // 8 + 1))
    listed = text.replace(
        "  parallel.tp", f"  parallel.dp = {{{every}}}\n  parallel.tp"
    )
    evaluation = evaluated(listed)
    assert evaluation.settled("base").admissible > 10
    assert best <= value(evaluation, "cost.train") * (1 + 1e-9)


def test_idle_chips_are_paid_for_and_told(evaluated: Evaluated) -> None:
    text = RUN.replace("{4, 8}", "8").replace("{2, 4, 5}", "4")
    whole, part = (evaluated(text.replace("768", n)) for n in ("512", "736"))
    assert value(part, "workload.parallel.dp") == 16
    assert value(part, "time.train") == value(whole, "time.train")
    assert value(part, "chip_hours") == pytest.approx(
        value(whole, "chip_hours") * 736 / 512
    )
    assert not flags(whole)
    (said,) = flags(part)
    assert said.startswith("512 of 736 chips work; 224 idle, and paid for")
    assert said.endswith("the plan divides over 16 replicas, not over 23")


def test_a_stated_number_of_replicas_means_runs_side_by_side(
    evaluated: Evaluated,
) -> None:
    text = RUN.replace("{4, 8}", "8").replace("{2, 4, 5}", "4")
    stated = text.replace("  parallel.tp", "  parallel.dp = 4\n  parallel.tp")
    evaluation = evaluated(stated)
    assert value(evaluation, "instances") == 6
    (said,) = flags(evaluation)
    assert said.startswith("6 runs side by side, each on 128 of the 768 chips")
    chosen = evaluated(stated.replace("dp = 4", "dp = auto"))
    assert value(chosen, "instances") == 1
    assert value(chosen, "workload.parallel.dp") == 24
    assert not flags(chosen)


def test_the_largest_divisor_is_the_same_for_numbers_and_arrays() -> None:
    draw = np.random.default_rng(7)
    columns = [draw.integers(1, most, 400) for most in (5000, 700, 9, 65)]
    columns[0] = columns[0] // 8 * 8
    found = LARGEST_DIVISOR.over(*columns)
    for got, (whole, most, times, over) in zip(
        found.tolist(), zip(*(c.tolist() for c in columns), strict=True), strict=True
    ):
        tried = [
            d
            for d in range(1, most + 1)
            if whole and whole % d == 0 and times * d % over == 0
        ]
        assert got == max(tried, default=0) == largest_divisor(whole, most, times, over)
