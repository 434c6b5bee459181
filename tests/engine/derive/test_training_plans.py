"""Plans of training: what is filled in, what does not fit, where figures hold."""

from collections.abc import Callable

import pytest

from isocost.engine.evaluate import Evaluation
from isocost.engine.gradient import gradient
from isocost.engine.program import point

Evaluated = Callable[..., Evaluation]
PLAN = """
import "isocost:systems/gpu"
import "isocost:systems/trn2"
import "isocost:systems/tpu"
import "isocost:systems/amd"
import "isocost:models/llama"
import "isocost:models/deepseek"
import "isocost:software/training"
workload dense {
  task = training
  model = llama3_70b
  tokens = 1T token
  sequence = 8192 token
  batch.global = 1024 sequence
  batch.micro = 1 sequence
  parallel.tp = 8
  parallel.pp = 4
}
scenario base {
  system = hgx_h100
  size = 512 chip
  software = megatron_hopper
  workload = dense
}
"""


def value(evaluation: Evaluation, scenario: str, path: str) -> float:
    (found,) = evaluation.results([(scenario, path)])
    return found.value


def variant(lines: str, name: str = "case") -> str:
    body = "".join(f"  {line}\n" for line in lines.split("; "))
    return f"{PLAN}\nscenario {name} extends base {{\n{body}}}\n"


def flags(evaluation: Evaluation, scenario: str = "case") -> tuple[str, ...]:
    (found,) = evaluation.results([(scenario, "time.step")])
    return found.flags


@pytest.mark.parametrize(("chips", "replicas"), [(512, 16), (500, 8), (32, 1)])
def test_replicas_fill_the_system_as_far_as_the_batch_divides(
    evaluated: Evaluated, chips: int, replicas: int
) -> None:
    evaluation = evaluated(variant(f"size = {chips} chip"))
    assert value(evaluation, "case", "workload.parallel.dp") == replicas
    assert value(evaluation, "case", "instances") == 1
    whole = chips // 8 * 8
    assert value(evaluation, "case", "idle") == pytest.approx(
        100 * (1 - replicas * 32 / whole)
    )


def test_too_few_ranks_are_named_with_the_least_that_would_do(
    evaluated: Evaluated,
) -> None:
    evaluation = evaluated(variant("size = 24 chip"))
    assert evaluation.node("case", "time.step") is None
    reason = evaluation.diagnostics[-1].args["reason"]
    assert "32 ranks, of which 8 are missing" in str(reason)
    assert "size = 32 chip" in str(reason)


def test_stated_replicas_are_counted_too(evaluated: Evaluated) -> None:
    evaluation = evaluated(variant("workload.parallel.dp = 32"))
    assert evaluation.node("case", "time.step") is None
    assert "size = 1024 chip" in str(evaluation.diagnostics[-1].args["reason"])


def test_a_plan_that_memory_does_not_hold_says_what_would(
    evaluated: Evaluated,
) -> None:
    evaluation = evaluated(
        variant("workload.parallel.pp = 1; workload.parallel.tp = 2")
    )
    assert value(evaluation, "case", "memory.fits") == 0
    assert value(evaluation, "case", "memory.shortfall") > 0
    (remark,) = [f for f in flags(evaluation) if "short of" in f]
    assert "would fit" in remark


def test_what_would_fit_does(evaluated: Evaluated) -> None:
    evaluation = evaluated(
        variant("workload.parallel.pp = 1; workload.parallel.tp = 2")
    )
    (remark,) = [f for f in flags(evaluation) if "short of" in f]
    words = remark.replace(" would fit", "").rpartition("; ")[2].split(" · ")
    degrees = {w.split()[0]: w.split()[1] for w in words}
    lines = "; ".join(f"workload.parallel.{d} = {n}" for d, n in degrees.items())
    assert value(evaluated(variant(lines)), "case", "memory.fits") == 1


def test_a_batch_that_does_not_divide_is_said(evaluated: Evaluated) -> None:
    stated = "size = 480 chip; workload.parallel.dp = 15"
    evaluation = evaluated(variant(stated))
    (remark,) = flags(evaluation)
    assert remark.startswith("1.1% of the places")
    assert value(evaluation, "case", "train.divides") == 0
    assert not flags(evaluation, "base")


def test_the_micro_batch_left_out_follows_a_rule(evaluated: Evaluated) -> None:
    text = PLAN.replace("  batch.micro = 1 sequence\n", "")
    assert value(evaluated(text), "base", "workload.batch.micro") == 1
    short = text.replace("8192 token", "1024 token")
    assert value(evaluated(short), "base", "workload.batch.micro") == 4
    alone = text.replace("1024 token", "512 token").replace("pp = 4", "pp = 1")
    assert value(evaluated(alone), "base", "workload.batch.micro") == 1


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("system = gb200_nvl72; size = 576 chip", "a chip that"),
        ("size = 65536 chip; workload.batch.global = 8192", "number of chips"),
        ("workload.sequence = 1M token", "batches"),
        ("workload.precision.compute = int8", "number format"),
        ("software.chips = [ampere]", "a chip that"),
        ("software = datasheet_training", "no runs"),
    ],
)
def test_outside_the_calibration_results_say_so_and_widen(
    evaluated: Evaluated, lines: str, words: str
) -> None:
    evaluation = evaluated(variant(lines))
    inside, outside = evaluation.results([("base", "time.step"), ("case", "time.step")])
    assert not inside.flags
    assert any(words in flag for flag in outside.flags)
    assert outside.high / outside.low > 1.1 * inside.high / inside.low


def test_a_small_model_is_outside_too(evaluated: Evaluated) -> None:
    evaluation = evaluated(variant("model.layers = 1; workload.parallel.pp = 1"))
    assert any("sizes of model" in flag for flag in flags(evaluation))


def test_experts_widen_the_interval(evaluated: Evaluated) -> None:
    lines = "workload.model = deepseek_v3; workload.parallel.ep = 8; size = 2048 chip"
    evaluation = evaluated(variant(lines))
    dense, experts = evaluation.results([("base", "time.step"), ("case", "time.step")])
    assert experts.high / experts.low > 1.2 * dense.high / dense.low


def test_a_stack_s_doubt_is_shared_by_its_scenarios(evaluated: Evaluated) -> None:
    evaluation = evaluated(variant("size = 1024 chip"))
    nodes = [evaluation.node(name, "time.step") for name in ("base", "case")]
    one, two = evaluation.columns([node for node in nodes if node is not None])
    ratio = one / two
    assert ratio.std() / ratio.mean() < 0.01


@pytest.mark.parametrize(
    ("line", "sign"),
    [
        ("workload.batch.global = 2048 sequence", 1),
        ("workload.sequence = 16384 token", 1),
        ("model.layers = 120", 1),
        ("chip.memory.bandwidth = 1 TB/s", 1),
        ("chip.peak[bf16] = 2000 TFLOP/s", -1),
        ("system.scale_out.bandwidth = 100 Gbit/s/chip", 1),
        ("workload.recompute = full", 1),
        ("software.residual = 1.2", 1),
    ],
)
def test_time_moves_the_right_way(evaluated: Evaluated, line: str, sign: int) -> None:
    evaluation = evaluated(variant(line))
    base, case = (value(evaluation, name, "time.step") for name in ("base", "case"))
    assert (case - base) * sign > 0


@pytest.mark.parametrize("path", ["chip.power", "chip.memory.bandwidth", "ettr"])
def test_derivatives_are_those_of_the_numbers(evaluated: Evaluated, path: str) -> None:
    evaluation = evaluated(variant("ettr = 0.9"))
    target, node = evaluation.node("case", "time.train"), evaluation.node("case", path)
    assert target is not None
    assert node is not None
    graph = evaluation.graph
    here = evaluation.point([target, node])
    slope = gradient(graph, target, here)[node]
    step = here[node] * 1e-6
    moved = [
        point(graph, (target,), {node: here[node] + s * step})[target] for s in (1, -1)
    ]
    assert slope == pytest.approx((moved[0] - moved[1]) / (2 * step), rel=1e-4)


def test_the_tool_chooses_a_plan_that_divides_and_fits(evaluated: Evaluated) -> None:
    free = ["tp", "pp", "cp", "virtual"]
    lines = "; ".join(f"workload.parallel.{d} = auto" for d in free)
    evaluation = evaluated(variant(f"{lines}; workload.batch.micro = auto"))
    base, case = (value(evaluation, n, "throughput.per_chip") for n in ("base", "case"))
    assert case >= base
    assert value(evaluation, "case", "train.divides") == 1
    assert value(evaluation, "case", "memory.fits") == 1
    assert value(evaluation, "case", "idle") < 1e-9
    assert evaluation.settled("case").tried > 1000


def test_nothing_beats_the_peak(evaluated: Evaluated) -> None:
    for lines in ("size = 512 chip", "workload.sequence = 131072 token"):
        evaluation = evaluated(variant(lines))
        assert 0 < value(evaluation, "case", "hfu") < 100


@pytest.mark.parametrize(
    ("system", "software", "link"),
    [
        ("hgx_h100", "megatron_hopper", 450),
        ("gb200_nvl72", "megatron_blackwell", 900),
        ("mi300x_8", "megatron_amd", 448),
        ("tpu_v5p_cube", "maxtext_tpu", 600),
        ("trn2", "neuron_training_trn2", 4 * 128 / 4),
        ("trn2_ultra", "neuron_training_trn2", (4 * 128 + 2 * 64) / 4),
    ],
)
def test_links_of_a_rank_come_from_the_topology(
    evaluated: Evaluated, system: str, software: str, link: float
) -> None:
    lines = f"system = {system}; software = {software}; size = 576 chip"
    evaluation = evaluated(variant(lines))
    assert value(evaluation, "case", "train.link") == pytest.approx(link)
    assert value(evaluation, "case", "time.step") > 0
