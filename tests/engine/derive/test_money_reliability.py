"""Failures in scenarios: published rates, blast radius, spares, productive time."""

import math
from collections.abc import Callable

import pytest

from isocost.engine.evaluate import Evaluation
from isocost.engine.formulas.reliability import goodput_exact
from isocost.engine.kernels import at_least
from tests.engine.derive.money_cases import CLUSTER, elasticity, value

Evaluate = Callable[[str], Evaluation]

FAILING = """
scenario f extends base {
  size = 16384 chip
  part.failure_rate = 0.1729 /year @assumed "Llama 3: 419 in 54 days of 16,384"
  server.repair_time = 24 h @assumed "x"
}
"""
TRAINING = """
workload run {
  task = training
  checkpoint.time = 30 s @assumed "x"
  restart_time = 10 min @assumed "x"
}
scenario t extends f {
  workload = run
}
scenario often extends t {
  workload.checkpoint.interval = 5 min @assumed "x"
}
"""


def test_time_between_failures_of_a_published_run(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + FAILING)
    assert value(found, "f.failures.mtbf") / 3600 == pytest.approx(3.09, abs=0.01)
    assert value(found, "f.failures.replacements") * 31_536_000 == pytest.approx(
        2833, rel=1e-3
    )


def test_a_domain_goes_down_as_a_whole(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + FAILING)
    assert value(found, "f.failures.blast_radius") / 3600 == pytest.approx(192)
    mtbf = 8760 / (8 * 0.1729)
    domain = value(found, "f.availability.domain")
    assert domain == pytest.approx(mtbf / (mtbf + 24))
    assert value(found, "f.finance.availability") == pytest.approx(domain)
    installed = value(found, "f.cost.per_chip_hour[installed]")
    available = value(found, "f.cost.per_chip_hour[available]")
    assert available == pytest.approx(installed / domain)


def test_a_stated_availability_stays(evaluate: Evaluate) -> None:
    more = 'scenario g extends f {\n  finance.availability = 90% @assumed "x"\n}\n'
    found = evaluate(CLUSTER + FAILING + more)
    assert value(found, "g.finance.availability") == pytest.approx(0.9)


def test_spares_keep_the_whole_up(evaluate: Evaluate) -> None:
    spare = 'scenario g extends f {\n  finance.spares = 2% @assumed "x"\n}\n'
    found = evaluate(CLUSTER + FAILING + spare)
    up = value(found, "f.availability.domain")
    assert value(found, "f.availability.whole") == pytest.approx(up**2048, rel=1e-9)
    wanted = at_least(2048, 2048 * 1.02, up)
    assert value(found, "g.availability.whole") == pytest.approx(wanted)
    slope = elasticity(found, "g.availability.whole", "system.repair_time")
    assert slope < 0


def test_productive_time_by_checkpoints(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + FAILING + TRAINING)
    mtbf = value(found, "t.failures.mtbf")
    best = value(found, "t.checkpoint.best")
    assert best == pytest.approx(math.sqrt(2 * 30 * mtbf), rel=0.05)
    ettr = value(found, "t.ettr")
    assert ettr == pytest.approx(goodput_exact(best, 30.0, 600.0, mtbf))
    assert value(found, "often.ettr") < ettr < 1
    assert value(found, "base.ettr") == 1
