"""Serving in scenarios: limits, load, pools, experts, and what lies outside a fit."""

import re
from collections.abc import Callable

import pytest

from isocost.engine.evaluate import Evaluation

Evaluate = Callable[[str], Evaluation]
BASE = """
workload chat {
  task = inference
  model = llama3_70b
  prompt = 1024 token
  output = 512 token
  precision.weights = fp8
  precision.cache = fp8
  parallel.tp = 2
  batch.instance = 64
}

software stack {
  memory.sustained = 0.9
  layer_overhead = 70 us
  residual = 1
  residual.ttft = 1
  residual.experts = 1
}

scenario s {
  system = hgx_h100
  systems = 8 system
  software = stack
  workload = chat
}
"""


def value(found: Evaluation, path: str, scenario: str = "s") -> float:
    node = found.node(scenario, path)
    assert node is not None, found.diagnostics
    return found.point((node,))[node]


def flags(found: Evaluation, path: str, scenario: str = "s") -> tuple[str, ...]:
    (result,) = found.results([(scenario, path)])
    return result.flags


def test_a_percentile_waits_longer_than_the_median(evaluate: Evaluate) -> None:
    found = evaluate(BASE)
    kinds = ("solo", "p50", "mean", "p90", "p95", "p99")
    times = [value(found, f"latency.ttft[{kind}]") for kind in kinds]
    assert times == sorted(times)
    mean, worst = (value(found, f"latency.tpot[{k}]") for k in ("mean", "p99"))
    assert worst == pytest.approx(1.1 * mean, rel=1e-3)


def test_throughput_within_limits(evaluate: Evaluate) -> None:
    free = evaluate(BASE)
    everything = value(free, "throughput.output")
    assert value(free, "throughput.within_slo") == pytest.approx(everything)

    def limited(limit: str) -> Evaluation:
        line = f"batch.instance = 64\n  slo.{limit}"
        return evaluate(BASE.replace("batch.instance = 64", line))

    late = limited("tpot[mean] = 1 ms")
    assert value(late, "throughput.within_slo") == 0
    tight = limited("ttft[p99] = 60 ms")
    assert 0 < value(tight, "throughput.within_slo") < everything
    loose = limited("ttft[p99] = 100 s")
    assert value(loose, "throughput.within_slo") == pytest.approx(everything, rel=0.05)


def test_more_arrivals_than_are_served_are_flagged(evaluate: Evaluate) -> None:
    calm, busy = (
        evaluate(
            BASE.replace("parallel.tp = 2", f"parallel.tp = 2\n  arrival = {rate}")
        )
        for rate in ("1 request/s", "10_000 request/s")
    )
    assert value(calm, "queue.use") < 1 < value(busy, "queue.use")
    assert value(calm, "latency.ttft[p99]") < value(busy, "latency.ttft[p99]")
    assert not any("grow without end" in f for f in flags(calm, "latency.ttft[p99]"))
    assert any("grow without end" in f for f in flags(busy, "latency.ttft[p99]"))


def test_a_bandwidth_that_cannot_be_is_flagged_and_not_cut(evaluate: Evaluate) -> None:
    false = BASE.replace("memory.sustained = 0.9", "memory.sustained = 1")
    false = false.replace("layer_overhead = 70 us", "layer_overhead = 0 us")
    fast = evaluate(false.replace("residual = 1\n", "residual = 0.3\n"))
    assert value(fast, "mbu") > 1
    assert any("stated bandwidth" in flag for flag in flags(fast, "mbu"))
    assert not any("stated bandwidth" in flag for flag in flags(evaluate(BASE), "mbu"))


def test_prefix_hits_and_speculation_help(evaluate: Evaluate) -> None:
    plain = value(evaluate(BASE), "throughput.output")
    for line in ("prefix.hits = 60%", "speculation.length = 3"):
        helped = evaluate(BASE.replace("parallel.tp = 2", f"parallel.tp = 2\n  {line}"))
        assert value(helped, "throughput.output") > plain


def test_users_beyond_the_cache_wait(evaluate: Evaluate) -> None:
    few, many = (
        evaluate(BASE.replace("batch.instance = 64", f"users = {n} sequence"))
        for n in (10, 100_000)
    )
    assert value(few, "workload.batch.instance") == 10
    assert value(many, "workload.batch.instance") == value(many, "memory.largest_batch")
    assert value(many, "latency.ttft[mean]") > 10 * value(few, "latency.ttft[mean]")


RANGES = """
  residual.unseen = 0.8 to 1.25
  calibrated.parameters[least] = {least}
  calibrated.parameters[most] = {most}
  calibrated.sequences[least] = 1 sequence/chip
  calibrated.sequences[most] = 256 sequence/chip
"""


def _width(found: Evaluation) -> float:
    (result,) = found.results([("s", "throughput.output")])
    return result.high / result.low


def test_outside_a_calibration_is_flagged_and_wider(evaluate: Evaluate) -> None:
    line = "  residual.experts = 1\n"
    inside, outside = (
        evaluate(BASE.replace(line, line + RANGES.format(least=least, most=most)))
        for least, most in (("8G", "400G"), ("1G", "8G"))
    )
    assert not flags(inside, "throughput.output")
    assert any("sizes of model" in flag for flag in flags(outside, "throughput.output"))
    assert _width(outside) > 1.2 * _width(inside)
    nothing = flags(evaluate(BASE), "throughput.output")
    assert any("calibrated on" in flag for flag in nothing)


POOLS = """
scenario split extends s {
  prefill.systems = 3 system
  decode.systems = 5 system
  prefill.batch.instance = 1
  decode.parallel.tp = {1, 2, 4, 8}
  decode.batch.instance = auto
  decode.chip.memory.bandwidth = 6 TB/s
  kv_transfer.bandwidth = 50 GB/s
}
"""


def test_two_pools_share_a_service(evaluate: Evaluate) -> None:
    found = evaluate(BASE + POOLS)
    assert value(found, "chips", "split") == 64
    rates = [
        value(found, "throughput.output", "split"),
        value(found, "decode.step.time", "split"),
    ]
    assert all(rate > 0 for rate in rates)
    solo = value(found, "latency.ttft[solo]", "split")
    assert solo > value(found, "prefill.step.time", "split")
    by_path = {
        found.graph.nodes[node].what.path: chosen  # type: ignore[union-attr]
        for node, chosen in found.settled("split").values.items()
    }
    assert set(by_path) == {"decode.parallel.tp", "decode.batch.instance"}


def test_an_override_of_a_pool_leaves_the_other_alone(evaluate: Evaluate) -> None:
    fast = evaluate(BASE + POOLS)
    plain = evaluate(BASE + re.sub(r".*decode\.chip.*\n", "", POOLS))
    same = [value(f, "prefill.step.time", "split") for f in (fast, plain)]
    assert same[0] == same[1]
    assert value(fast, "decode.chip.memory.bandwidth", "split") == 6e12
    steps = [value(f, "throughput.output", "split") for f in (fast, plain)]
    assert steps[0] >= steps[1]


EXPERTS = """
model experts {
  layers = 32
  hidden = 4096
  heads = 32
  kv_heads = 8
  vocabulary = 32_000
  moe.experts = 64
  moe.top_k = 4
  moe.ffn = 2048
}

scenario wide extends s {
  workload.model = experts
  workload.parallel.tp = {1, 2}
  workload.parallel.dp = auto
  workload.parallel.ep = auto
  workload.batch.instance = auto
}
"""


def test_auto_finds_ranks_of_experts_that_divide(evaluate: Evaluate) -> None:
    found = evaluate(BASE + EXPERTS)
    settled = found.settled("wide")
    assert "serving.divides" in settled.excluded
    tp, dp, ep = (
        value(found, f"workload.parallel.{name}", "wide") for name in ("tp", "dp", "ep")
    )
    assert (tp * dp) % ep == 0
    assert 64 % ep == 0
    assert value(found, "workload.batch.instance", "wide") >= dp


def test_parameters_of_experts(evaluate: Evaluate) -> None:
    found = evaluate(BASE + EXPERTS)
    total, active = (
        value(found, f"model.params.{what}", "wide") for what in ("total", "active")
    )
    expert = 3 * 4096 * 2048
    assert total - active == pytest.approx(32 * 60 * expert)
    assert value(found, "model.params.active") == value(found, "model.params.total")
