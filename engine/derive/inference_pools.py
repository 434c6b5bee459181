"""Two pools of one service: prompts are taken in here, tokens made there.

Each pool is a scope of its own, in which everything is derived as for a whole
service; what belongs to the service is put together here. The cache of a prompt
travels from an instance of one pool to one of the other before the first token.
"""

import math

import attrs

from isocost.engine.derive.common import add_up
from isocost.engine.derive.inference_queue import SHARES
from isocost.engine.derive.inference_serving import by_token
from isocost.engine.formulas import plan, serving_load, serving_pass
from isocost.engine.quantities import Build, Quantity, When, quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]
PREFILL, DECODE = "prefill", "decode"
POOLED = When("in two pools", lambda s: s.pooled)
TAKES_IN = When("in a pool that takes prompts in", lambda s: s.pool_name == PREFILL)
MAKES = When("in a pool that decodes", lambda s: s.pool_name == DECODE)
#: What both pools add up to, with units; `[]` where there is a key.
_SUMS = {
    "chips": "chip",
    "systems": "system",
    "instances": "1",
    "cost.capex": "$",
    "cost.capex[]": "$",
    "cost.capital": "$/month",
    "cost.capital[]": "$/month",
    "cost.opex": "$/month",
    "cost.opex[]": "$/month",
    "cost.per_month": "$/month",
    "power.provisioned": "W",
    "power.average": "W",
    "memory.shortfall": "B",
}
_DOC = "Of both pools together."


def _path(pattern: str, keys: Keys) -> str:
    return pattern.replace("[]", f"[{', '.join(keys)}]") if keys else pattern


def _sum(pattern: str, shown: str) -> Build:
    def build(scope: Scope, keys: Keys) -> int:
        path = _path(pattern, keys)
        parts = [scope.pool(name)[path] for name in (PREFILL, DECODE)]
        return add_up(scope, parts, shown)

    return build


def _fits(path: str) -> Build:
    """1 where both pools have what is asked."""

    def build(scope: Scope, _: Keys) -> int:
        first, second = (Node(scope.pool(n)[path]) for n in (PREFILL, DECODE))
        return scope.apply(serving_pass.both_hold, first=first, second=second)

    return build


def _node(scope: Scope, pool: str, path: str) -> Node:
    return Node(scope.pool(pool)[path])


def _throughput(scope: Scope, _: Keys) -> int:
    return scope.apply(
        serving_load.split_throughput,
        prompt="workload.prompt",
        output="workload.output",
        prefill_pool=_node(scope, PREFILL, "instances"),
        prefill_rate=_node(scope, PREFILL, "throughput.prompts"),
        decode_pool=_node(scope, DECODE, "instances"),
        decode_rate=_node(scope, DECODE, "throughput.instance"),
    )


def _transfer(scope: Scope, _: Keys) -> int:
    if not scope.has("kv_transfer.bandwidth"):
        raise scope.fail("M001", path="kv_transfer.bandwidth", needed_by="latency.ttft")
    return scope.apply(
        serving_load.cache_transfer_time,
        prompt="workload.prompt",
        kv_token="model.kv_per_token",  # noqa: S106 (a parameter, no secret)
        link="kv_transfer.bandwidth",
    )


def _first(scope: Scope, keys: Keys) -> int:
    """A statistic of the time to the first token: wait, prompt, its cache's way."""
    prefill = _node(scope, PREFILL, "prefill.step.time")
    if keys[0] == "solo":
        time = prefill
    else:
        tail = 1.0 if keys[0] == "mean" else -math.log(1 - SHARES[keys[0]])
        made = scope.apply(
            serving_load.ttft_percentile,
            prefill=prefill,
            load="queue.load",
            step=0.0,
            tail=tail,
        )
        time = Node(made)
    residual = _node(scope, PREFILL, "software.residual.ttft")
    alone = scope.apply(plan.with_residual, time=time, residual=residual)
    return scope.apply(
        serving_pass.with_wait, time=Node(alone), waiting="kv_transfer.time"
    )


def _load(scope: Scope, _: Keys) -> int:
    """Share of its time that a prefill instance works, the service running full."""
    busy = scope.apply(
        serving_pass.prefill_pool_load,
        throughput="throughput.output",
        output="workload.output",
        prompt="workload.prompt",
        prefill_pool=_node(scope, PREFILL, "instances"),
        prefill_rate=_node(scope, PREFILL, "throughput.prompts"),
    )
    return scope.apply(serving_pass.stable_load, busy=Node(busy), beyond=0.0)


def _each(scope: Scope, keys: Keys) -> int:
    return scope.pool(DECODE)[f"latency.tpot[{keys[0]}]"]


def _share(scope: Scope, _: Keys) -> int:
    """What the pool that takes prompts in costs of the whole."""
    part = _node(scope, PREFILL, "cost.per_month")
    return scope.apply(serving_pass.part_of, part=part, whole="cost.per_month")


def _refused(scope: Scope, _: Keys) -> int:
    raise scope.fail("M004", what="utilisation of arithmetic over two pools")


def _pooled(path: str, shown: str, doc: str, build: Build, **more: object) -> Quantity:
    made = quantity(path, shown, doc, build, when=POOLED, **more)  # type: ignore[arg-type]
    return attrs.evolve(made, first=True)


def _of_one(when: When, path: str, shown: str, doc: str, build: Build) -> Quantity:
    return attrs.evolve(quantity(path, shown, doc, build, when=when), first=True)


_STATISTICS = ("solo", "mean", *SHARES)
QUANTITIES = (
    *(_pooled(p, unit, _DOC, _sum(p, unit)) for p, unit in _SUMS.items()),
    _pooled("share.prefill", "%", "Cost of prompts over all cost.", _share),
    _pooled("memory.fits", "1", "1 if both pools fit.", _fits("memory.fits")),
    _pooled("instances.both", "1", "1 if both pools have one.", _fits("instances")),
    _pooled("serving.divides", "1", "1 if both divide.", _fits("serving.divides")),
    _pooled(
        "throughput.output",
        "token/s",
        "Output tokens a second: what the slower pool admits.",
        _throughput,
    ),
    _pooled("latency.ttft[]", "ms", "Time to first token.", _first, keys=_STATISTICS),
    _pooled("latency.tpot[]", "ms", "Time per output token.", _each, keys=_STATISTICS),
    _pooled("queue.load", "%", "Share of its time that prefill works.", _load),
    _pooled("mfu[]", "%", "Of two pools: none.", _refused),
    _pooled(
        "kv_transfer.time",
        "ms",
        "Handing a prompt's cache from one pool to the other.",
        _transfer,
    ),
    _of_one(
        TAKES_IN,
        "throughput.prompts",
        "token/s",
        "Prompt tokens a second of an instance that only takes prompts in.",
        lambda s, _: s.apply(
            serving_pass.prompt_rate,
            batch="prefill.batch",
            prompt="workload.prompt",
            step="prefill.step.time",
        ),
    ),
    _of_one(
        MAKES,
        "serving.tpot",
        "ms",
        "Time per output token after the first, in the mean.",
        by_token("decode.step.time"),
    ),
)
