"""What users of a scenario see: latencies, throughput, use of the hardware.

Continuous batching is one mixed step, again and again; a static batch takes its
prompts in and decodes to the end. Load, percentiles and limits stand in
`inference_queue`.
"""

from isocost.engine.derive.common import INFERENCE
from isocost.engine.derive.inference import is_static
from isocost.engine.derive.inference_wires import DENSE, EXPERTS, serving
from isocost.engine.formulas import moe_step, plan, serving_load, serving_pass
from isocost.engine.formulas import serving as use
from isocost.engine.formulas import transformer as shape
from isocost.engine.quantities import Build, When, quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]
STATIC = When("with static batches", is_static)
STEADY = When("with continuous batching", lambda s: not is_static(s))


def _flops(context: str) -> Build:
    def build(scope: Scope, _: Keys) -> int:
        return scope.apply(
            shape.forward_flops_per_token,
            matrix_params="model.params.matrix",
            layers="model.layers",
            heads="model.heads",
            head_size="model.score_width",
            attended=context,
        )

    return build


def by_token(step: str) -> Build:
    """A step's time over the tokens that a sequence gains in it."""

    def build(scope: Scope, _: Keys) -> int:
        if scope["decode.accepted"] == scope.builder.constant(1.0):
            return scope[step]
        return scope.apply(
            serving_load.speculative_tpot, step=step, accepted="decode.accepted"
        )

    return build


_TPOT = ("serving.tpot", "ms", "Time per output token after the first, in the mean.")
_RATE = ("throughput.instance", "token/s", "Output tokens a second of one instance.")
_BATCH = {"batch": "workload.batch.instance"}

THROUGHPUT = (
    quantity(*_TPOT, by_token("decode.step.time"), when=serving(STATIC)),
    quantity(*_TPOT, by_token("mixed.step.time"), when=serving(STEADY)),
    quantity(
        "serving.request",
        "s",
        "Time of a static batch: its prompts, then a step for each token.",
        use.static_request_time,
        when=serving(STATIC),
        output="workload.output",
        prefill="prefill.step.time",
        decode="serving.tpot",
    ),
    quantity(
        *_RATE,
        use.static_throughput,
        when=serving(STATIC),
        output="workload.output",
        request="serving.request",
        shared=_BATCH,
    ),
    quantity(
        *_RATE,
        use.continuous_throughput,
        when=serving(STEADY),
        step="serving.tpot",
        shared=_BATCH,
    ),
    quantity(
        "throughput.output",
        "token/s",
        "Output tokens a second of all instances, running full.",
        use.fleet_throughput,
        when=INFERENCE,
        headline=True,
        instances="instances",
        throughput="throughput.instance",
    ),
    quantity(
        "throughput.input",
        "token/s",
        "Prompt tokens a second of all instances, beside their output.",
        use.input_throughput,
        when=INFERENCE,
        prompt="workload.prompt",
        output="workload.output",
        throughput="throughput.output",
    ),
    quantity(
        "throughput.per_chip",
        "token/s/chip",
        "Output tokens a second for each installed chip.",
        plan.throughput_by_chip,
        when=INFERENCE,
        headline=True,
        throughput="throughput.output",
        chips="chips",
    ),
)
_READ = (
    "decode.weights_read",
    "GB",
    "Weights of a rank that a decode pass reads.",
)
USE = (
    quantity(*_READ, lambda s, _: s["memory.weights"], when=serving(DENSE)),
    quantity(
        *_READ,
        moe_step.touched_weight_bytes,
        when=serving(EXPERTS),
        moe_layers="model.moe_layers",
        pp="workload.parallel.pp",
        experts_rank="rank.experts",
        expert="model.params.expert",
        weight_bytes="bytes.weights",
        slices="rank.expert_slices",
        weights="memory.weights",
        distinct="decode.layer.distinct",
    ),
    quantity(
        "flops.output",
        "GFLOP/token",
        "Arithmetic of one output token.",
        _flops("context.mean"),
        when=INFERENCE,
    ),
    quantity(
        "flops.prompt",
        "GFLOP/token",
        "Arithmetic of one prompt token.",
        _flops("context.attended"),
        when=INFERENCE,
    ),
    quantity(
        "mbu.share",
        "%",
        "Bytes that a decode step must read, over what the data sheet allows.",
        use.memory_bandwidth_utilisation,
        when=INFERENCE,
        layers="model.layers",
        pp="workload.parallel.pp",
        cached="decode.cached",
        memory_bandwidth="chip.memory.bandwidth",
        rank_chips="rank.chips",
        weights="decode.weights_read",
        kv_bytes="rank.kv_per_token",
        step="decode.step.time",
    ),
    quantity(
        "mbu.excess",
        "%",
        "By how much it exceeds what the data sheet allows.",
        serving_pass.bandwidth_excess,
        when=INFERENCE,
        share="mbu.share",
    ),
    quantity(
        "mbu",
        "%",
        "Bytes that a decode step must read, over what the data sheet allows.",
        serving_pass.reported_share,
        when=INFERENCE,
        headline=True,
        share="mbu.share",
        excess="mbu.excess",
    ),
    quantity(
        "mfu[]",
        "%",
        "Arithmetic that the tokens need, over the data-sheet peak of the ranks.",
        use.inference_flops_utilisation,
        when=INFERENCE,
        keys=("causal",),
        bare="causal",
        headline=True,
        prompt="workload.prompt",
        output="workload.output",
        ranks="ranks",
        peak="rank.peak",
        rank_chips="rank.chips",
        throughput="throughput.instance",
        flops="flops.output",
        prompt_flops="flops.prompt",
    ),
)
QUANTITIES = (*THROUGHPUT, *USE)
