"""A group's place on the topology decides its links: each collective of each plan.

Every case changes the networks alone, names the part of a step that must move, and
which way. What the group does not use must leave it as it is.
"""

from collections.abc import Callable

import pytest

from isocost.engine.evaluate import Evaluation

Evaluate = Callable[[str], Evaluation]
TRAINING = """
import "isocost:systems/gpu"
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
  parallel.cp = 2
  parallel.pp = 4
}
workload sharded extends dense { zero = 3 }
workload sparse {
  task = training
  model = deepseek_v3
  tokens = 1T token
  sequence = 4096 token
  batch.global = 1024 sequence
  batch.micro = 1 sequence
  parallel.tp = 1
  parallel.pp = 8
  parallel.ep = 32
}
scenario base {
  system = hgx_h100
  size = 512 chip
  software = megatron_hopper
  workload = dense
}
scenario zero extends base { workload = sharded }
scenario experts extends base { workload = sparse }
"""
#: Leafs of few ports, so that groups of experts leave them.
FABRIC = """
fabric routed {
  topology = fat_tree(radix = 16, tiers = 3, rails = 8)
  load_balance = adaptive
}
fabric tapered extends routed {
  topology = fat_tree(radix = 16, tiers = 3, rails = 8, oversubscription = 3)
}
fabric hashed extends routed {
  load_balance = ecmp
}
scenario wide extends experts { workload.parallel.ep = 256
 fabric = routed }
scenario wide_tapered extends wide { fabric = tapered }
scenario wide_hashed extends wide { fabric = hashed }
"""
#: Networks that differ from the base, as lines of a scenario.
CHANGES = {
    "slow links": "system.topology.link[port] = nvlink3",
    "slow ports": "system.scale_out.bandwidth = 100 Gbit/s/chip",
    "small domain": "system.chips = 4 chip\n system.servers = 1 server",
    "large domain": "system = gb200_nvl72\n size = 576 chip",
}
#: What moves, up (1) or down (-1), or stays (0): part, scenario, by change.
TRAINED = {
    "TP and SP: gathers and scatters": ("tensor_parallel", "base",
        {"slow links": 1, "slow ports": 0, "small domain": 1}),
    "CP: blocks round a ring": ("context_parallel", "base",
        {"slow links": 0, "slow ports": 1, "large domain": -1}),
    "PP: stage to stage": ("send", "base",
        {"slow links": 0, "slow ports": 1}),
    "DP: reduce-scatter of gradients": ("exchange", "base",
        {"slow links": 0, "slow ports": 1}),
    "DP: all-gather of shards": ("gather", "zero",
        {"slow links": 0, "slow ports": 1}),
    "EP: all-to-all": ("expert_parallel", "experts",
        {"slow links": 0, "slow ports": 1, "large domain": -1}),
}  # fmt: skip


def value(evaluation: Evaluation, scenario: str, path: str) -> float:
    (found,) = evaluation.results([(scenario, path)])
    return found.value


def moved(before: float, after: float) -> int:
    """1 if it grew, -1 if it shrank, 0 if it stayed."""
    if after == pytest.approx(before, rel=1e-9):
        return 0
    return 1 if after > before else -1


@pytest.fixture
def trained(evaluate: Evaluate) -> Evaluation:
    text = TRAINING
    for name in ("base", "zero", "experts"):
        for number, lines in enumerate(CHANGES.values()):
            text += f"scenario {name}_{number} extends {name} {{\n {lines}\n}}\n"
    return evaluate(text)


@pytest.mark.parametrize("plan", TRAINED)
def test_training(trained: Evaluation, plan: str) -> None:
    part, scenario, changes = TRAINED[plan]
    before = value(trained, scenario, f"train.{part}")
    assert before > 0
    for change, way in changes.items():
        other = f"{scenario}_{list(CHANGES).index(change)}"
        assert moved(before, value(trained, other, f"train.{part}")) == way, change


def test_a_taper_and_a_hash_slow_experts(evaluate: Evaluate) -> None:
    """Exchanges of 256 experts and sends between stages leave their leafs."""
    found = evaluate(TRAINING + FABRIC)
    for path in ("train.expert_parallel", "time.step"):
        plain = value(found, "wide", path)
        for name in ("wide_tapered", "wide_hashed"):
            assert value(found, name, path) > plain, (name, path)
    send = value(found, "wide", "train.send")
    assert value(found, "wide_tapered", "train.send") > send


def test_the_step_follows_its_parts(trained: Evaluation) -> None:
    step = value(trained, "base", "time.step")
    for change in ("slow links", "slow ports", "small domain"):
        other = f"base_{list(CHANGES).index(change)}"
        assert value(trained, other, "time.step") > step, change


SERVING = """
import "isocost:systems/gpu"
import "isocost:models/llama"
import "isocost:models/deepseek"
workload chat {
  task = inference
  model = llama3_70b
  prompt = 1024 token @assumed "a turn"
  output = 512 token @assumed "an answer"
  parallel.tp = 8
  batch.instance = 32
}
workload piped extends chat { parallel.pp = 2 }
workload wide extends chat { parallel.tp = 16 }
workload sparse extends chat {
  model = deepseek_v3
  parallel.tp = 1
  parallel.dp = 256
  parallel.ep = 256
  batch.instance = 4096
}
fabric routed {
  topology = fat_tree(radix = 16, tiers = 3, rails = 8)
  load_balance = adaptive
}
fabric hashed extends routed { load_balance = ecmp }
fabric tapered extends routed {
  topology = fat_tree(radix = 16, tiers = 3, rails = 8, oversubscription = 3)
}
software stack { memory.sustained = 80% @assumed "" }
scenario tp {
  system = hgx_h100
  size = 512 chip
  fabric = routed
  software = stack
  workload = chat
}
scenario tp_mesh extends tp { system.topology = mesh(x = 8) }
scenario tp_ring extends tp { system.topology = torus(x = 8) }
scenario tp_slow extends tp { fabric.bandwidth = 100 Gbit/s/chip }
scenario pp extends tp { workload = piped }
scenario pp_slow extends pp { fabric.bandwidth = 100 Gbit/s/chip }
scenario wide_tp extends tp { workload = wide }
scenario wide_tp_slow extends wide_tp { fabric.bandwidth = 100 Gbit/s/chip }
scenario ep extends tp { workload = sparse }
scenario ep_hashed extends ep { fabric = hashed }
scenario ep_tapered extends ep { fabric = tapered }
"""
SERVED = [
    ("TP on a line: all-reduce", "all_reduce", "tp_ring", "tp_mesh", 1),
    ("TP inside a domain: no network", "all_reduce", "tp", "tp_slow", 0),
    ("TP across domains", "all_reduce", "tp", "wide_tp", 1),
    ("TP across a slow network", "all_reduce", "wide_tp", "wide_tp_slow", 1),
    ("PP: stage to stage", "send", "pp", "pp_slow", 1),
    ("EP: all-to-all over a taper", "layer.carried", "ep", "ep_tapered", 1),
    ("EP: all-to-all over hashed flows", "layer.carried", "ep", "ep_hashed", 1),
]


@pytest.mark.parametrize(("what", "part", "before", "after", "way"), SERVED)
@pytest.mark.parametrize("phase", ["prefill", "decode"])
def test_serving(
    evaluate: Evaluate,
    phase: str,
    what: str,
    part: str,
    before: str,
    after: str,
    way: int,
) -> None:
    found = evaluate(SERVING)
    times = [value(found, name, f"{phase}.{part}") for name in (before, after)]
    assert times[0] > 0, what
    assert moved(times[0], times[1]) == way, what
    steps = [value(found, name, f"{phase}.step.network") for name in (before, after)]
    assert moved(steps[0], steps[1]) == way, what
