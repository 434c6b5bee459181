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


LINKS = """
link wire {
  bandwidth = 50 GB/s @assumed "x"
  latency = 1 us @assumed "x"
  failure_rate = 0.01 /year @assumed "x"
}
system cube extends server {
  chips = 64 chip @assumed "x"
  topology = torus(x = 4, y = 4, z = 4) @assumed "x"
  topology.link[x] = wire
  topology.link[y] = wire
  topology.link[z] = wire
  repair_time = 24 h @assumed "x"
}
link optics {
  bandwidth = 50 GB/s @assumed "x"
  failure_rate = 0.2 /year @assumed "5 years"
}
fabric tree {
  bandwidth = 50 GB/s/chip @assumed "x"
  latency = 5 us @assumed "x"
  topology = fat_tree(radix = 64) @assumed "x"
  tier[port].link = optics
}
scenario wired extends base {
  system = cube
  size = 256 chip
}
scenario joined extends wired {
  fabric = tree
}
scenario both extends wired {
  part.failure_rate = 0.1729 /year @assumed "x"
}
"""


def test_links_fail_too(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + LINKS)
    year = 365 * 24 * 3600
    inside = 4 * 3 * 64 * 0.01  # four cubes of 64 chips, three links of each chip
    of_links = value(found, "wired.failures.links") * year
    assert of_links == pytest.approx(inside, rel=1e-3)
    rate = value(found, "wired.failures.rate")
    assert rate == pytest.approx(value(found, "wired.failures.links"))
    chips = value(found, "both.failures.rate") - rate
    assert chips * year == pytest.approx(256 * 0.1729, rel=1e-3)
    mtbf = 8760 / (3 * 64 * 0.01)
    domain = value(found, "wired.availability.domain")
    assert domain == pytest.approx(mtbf / (mtbf + 24), rel=1e-3)


def test_links_of_the_first_tier_stop_a_job(evaluate: Evaluate) -> None:
    found = evaluate(CLUSTER + LINKS)
    more = value(found, "joined.failures.rate") - value(found, "wired.failures.rate")
    assert more * 365 * 24 * 3600 == pytest.approx(256 * 0.2, rel=1e-3)
    domain = value(found, "joined.availability.domain")
    assert domain == pytest.approx(value(found, "wired.availability.domain"))
