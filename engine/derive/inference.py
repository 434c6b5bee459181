"""Serving: three passes of one engine (decode, prefill, mixed), latency, throughput.

The passes are the same wires over other numbers of tokens. `mixed` is the mean step
of continuous batching, which is what throughput and TPOT come from; `decode` and
`prefill` stand alone, as solo latencies and for attribution.
"""

from isocost.engine.derive.common import INFERENCE, add_up
from isocost.engine.formulas import attention, chip, inference, memory, plan, serving
from isocost.engine.formulas import transformer as shape
from isocost.engine.quantities import Build, Quantity, quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]
PHASES = ("decode", "prefill", "mixed")
_BATCH = {"decode": "workload.batch.instance", "mixed": "workload.batch.instance"}


def _zero(scope: Scope, _: Keys) -> int:
    return scope.builder.constant(0.0)


def _one(scope: Scope, _: Keys) -> int:
    return scope.builder.constant(1.0)


def _prompt(scope: Scope, _: Keys) -> int:
    return scope["workload.prompt"]


def _tokens(phase: str) -> Build:
    def build(scope: Scope, _: Keys) -> int:
        parts = (scope[f"{phase}.decode_tokens"], scope[f"{phase}.prefill_tokens"])
        return add_up(scope, parts, "token")

    return build


_DECODING: dict[str, str | float] = {
    "batch": "workload.batch.instance",
    "dp": "workload.parallel.dp",
    "pp": "workload.parallel.pp",
}


def _loads() -> tuple[Quantity, ...]:
    """How many tokens each pass carries: decoding, prompt, sampled, cached."""
    decoding = "Tokens of decoding sequences in one pass."
    prompts = "Prompt tokens in one pass."
    cached = "Cached tokens that one pass reads on a rank."
    out = [
        quantity("prefill.decode_tokens", "token", decoding, _zero, when=INFERENCE),
        quantity("decode.prefill_tokens", "token", prompts, _zero, when=INFERENCE),
        quantity("prefill.prefill_tokens", "token", prompts, _prompt, when=INFERENCE),
        quantity("prefill.cached", "token", cached, _zero, when=INFERENCE),
        quantity("prefill.sampled", "token", "Sampled tokens.", _one, when=INFERENCE),
        quantity("prefill.batch", "sequence", "Sequences.", _one, when=INFERENCE),
        quantity(
            "mixed.prefill_tokens",
            "token",
            prompts,
            inference.mixed_prefill_tokens,
            when=INFERENCE,
            prompt="workload.prompt",
            output="workload.output",
            shared=_DECODING,
        ),
    ]
    for phase in ("decode", "mixed"):
        out += [
            quantity(
                f"{phase}.decode_tokens",
                "token",
                decoding,
                inference.decode_pass_tokens,
                when=INFERENCE,
                shared=_DECODING,
            ),
            quantity(
                f"{phase}.cached",
                "token",
                cached,
                attention.cached_tokens,
                when=INFERENCE,
                span="context.mean",
                shared=_DECODING,
            ),
            quantity(
                f"{phase}.sampled",
                "token",
                "Tokens of a pass that the output head is read for.",
                lambda s, _, phase=phase: s[f"{phase}.decode_tokens"],
                when=INFERENCE,
            ),
            quantity(
                f"{phase}.batch",
                "sequence",
                "Sequences in flight.",
                lambda s, _: s["workload.batch.instance"],
                when=INFERENCE,
            ),
        ]
    return tuple(out)


def _pass(phase: str) -> tuple[Quantity, ...]:
    """The wires of one pass, from its tokens to the time of the step."""
    rank: dict[str, str | float] = {"bandwidth": "rank.bandwidth"}
    layer = f"{phase}.layer"
    return (
        quantity(
            f"{phase}.tokens",
            "token",
            "Tokens that one pass works on.",
            _tokens(phase),
            when=INFERENCE,
        ),
        quantity(
            f"{phase}.stream",
            "MB",
            "Bytes of the residual stream of one pass.",
            inference.stream_bytes,
            when=INFERENCE,
            tokens=f"{phase}.tokens",
            hidden="model.hidden",
            activation_bytes="bytes.activation",
        ),
        quantity(
            f"{layer}.attention_matrices",
            "us",
            "Attention's matrices of one layer.",
            chip.matrix_time,
            when=INFERENCE,
            params="rank.params.attention",
            weight_bytes="bytes.weights",
            tokens=f"{phase}.tokens",
            rank_peak="rank.matrix_rate",
            shared=rank,
        ),
        quantity(
            f"{layer}.mlp_matrices",
            "us",
            "The feed-forward matrices of one layer.",
            chip.matrix_time,
            when=INFERENCE,
            params="rank.params.mlp",
            weight_bytes="bytes.weights",
            tokens=f"{phase}.tokens",
            rank_peak="rank.matrix_rate",
            shared=rank,
        ),
        quantity(
            f"{phase}.head",
            "us",
            "The output head.",
            inference.head_time,
            when=INFERENCE,
            vocabulary="model.vocabulary",
            hidden="model.hidden",
            tp="workload.parallel.tp",
            table_bytes="bytes.table",
            sampled=f"{phase}.sampled",
            rank_peak="rank.head_rate",
            shared=rank,
        ),
        quantity(
            f"{layer}.decode_attention",
            "us",
            "Attention of decoding sequences, one layer.",
            attention.decode_attention_time,
            when=INFERENCE,
            cached=f"{phase}.cached",
            heads="model.heads",
            kv_heads="model.kv_heads",
            tp="workload.parallel.tp",
            reread=0.0,
            bandwidth="rank.cache_bandwidth",
            kv_bytes="rank.kv_per_token",
        ),
        quantity(
            f"{layer}.prefill_attention",
            "us",
            "Attention over prompts, one layer.",
            attention.prefill_attention_time,
            when=INFERENCE,
            prefill_tokens=f"{phase}.prefill_tokens",
            attended="context.attended",
            heads="model.heads",
            head_size="model.head_size",
            tp="workload.parallel.tp",
            rank_peak="rank.attention_rate",
        ),
        quantity(
            f"{layer}.elementwise",
            "us",
            "Memory-bound operations of one layer.",
            chip.elementwise_time,
            when=INFERENCE,
            hidden="model.hidden",
            ffn="model.ffn",
            heads="model.heads",
            head_size="model.head_size",
            tp="workload.parallel.tp",
            tokens=f"{phase}.tokens",
            activation_bytes="bytes.activation",
            traffic="software.elementwise.traffic",
            shared=rank,
        ),
        quantity(
            f"{phase}.in_flight",
            "1",
            "Micro-batches in the pipeline.",
            inference.in_flight,
            when=INFERENCE,
            batch=f"{phase}.batch",
            dp="workload.parallel.dp",
            pp="workload.parallel.pp",
        ),
        quantity(
            f"{phase}.step.matrix",
            "ms",
            "Matrices of a step.",
            inference.dense_step_matrix,
            when=INFERENCE,
            layers="model.layers",
            attention_matrices=f"{layer}.attention_matrices",
            mlp_matrices=f"{layer}.mlp_matrices",
            head_matrix=f"{phase}.head",
            in_flight=f"{phase}.in_flight",
        ),
        quantity(
            f"{phase}.step.attention",
            "ms",
            "Attention of a step.",
            inference.step_attention,
            when=INFERENCE,
            layers="model.layers",
            decode_attention=f"{layer}.decode_attention",
            prefill_attention=f"{layer}.prefill_attention",
        ),
        quantity(
            f"{phase}.step.memory",
            "ms",
            "Memory-bound operations of a step.",
            inference.dense_step_memory,
            when=INFERENCE,
            layers="model.layers",
            elementwise=f"{layer}.elementwise",
        ),
        quantity(
            f"{phase}.step.network",
            "ms",
            "Communication of a step.",
            inference.dense_step_network,
            when=INFERENCE,
            layers="model.layers",
            pp="workload.parallel.pp",
            all_reduce=f"{phase}.all_reduce",
            send=f"{phase}.send",
        ),
        quantity(
            f"{phase}.step.host",
            "ms",
            "Launches, gaps and host work of a step.",
            inference.step_host,
            when=INFERENCE,
            layers="model.layers",
            layer_overhead="software.layer_overhead",
            step_overhead="software.step_overhead",
            sequence_overhead="software.sequence_overhead",
            batch=f"{phase}.batch",
            dp="workload.parallel.dp",
            in_flight=f"{phase}.in_flight",
        ),
        quantity(
            f"{phase}.step.ideal",
            "ms",
            "Time of a step by the formulas alone.",
            inference.step_time,
            when=INFERENCE,
            matrix=f"{phase}.step.matrix",
            attention_time=f"{phase}.step.attention",
            memory=f"{phase}.step.memory",
            network=f"{phase}.step.network",
            host=f"{phase}.step.host",
        ),
        quantity(
            f"{phase}.step.time",
            "ms",
            "Time of a step, with what the stack leaves unexplained.",
            plan.with_residual,
            when=INFERENCE,
            time=f"{phase}.step.ideal",
            residual="software.residual",
        ),
    )


def _attended(scope: Scope, _: Keys) -> int:
    return scope.apply(
        attention.prefill_span,
        prompt="workload.prompt",
        window="context.window",
        window_share="context.window_share",
        computed="workload.prompt",
    )


def _window(scope: Scope, _: Keys) -> int:
    if scope.has("model.window.size"):
        return scope["model.window.size"]
    return scope.builder.constant(1e12)


def _window_share(scope: Scope, _: Keys) -> int:
    if scope.has("model.window.share"):
        return scope["model.window.share"]
    return scope.builder.constant(0.0)


def _largest(scope: Scope, _: Keys) -> int:
    return scope["memory.largest_batch"]


def _flops(context: str) -> Build:
    def build(scope: Scope, _: Keys) -> int:
        return scope.apply(
            shape.forward_flops_per_token,
            matrix_params="model.params.matrix",
            layers="model.layers",
            heads="model.heads",
            head_size="model.head_size",
            attended=context,
        )

    return build


MEMORY = (
    quantity(
        "rank.params.attention",
        "1",
        "Attention parameters of a layer on one rank.",
        chip.attention_params_rank,
        when=INFERENCE,
        hidden="model.hidden",
        heads="model.heads",
        kv_heads="model.kv_heads",
        head_size="model.head_size",
        tp="workload.parallel.tp",
    ),
    quantity(
        "rank.params.mlp",
        "1",
        "Feed-forward parameters of a layer on one rank.",
        chip.mlp_params_rank,
        when=INFERENCE,
        mlp="model.params.mlp",
        tp="workload.parallel.tp",
    ),
    quantity(
        "rank.params.table",
        "1",
        "Embedding and head parameters on one rank.",
        shape.table_params_rank,
        when=INFERENCE,
        vocabulary="model.vocabulary",
        hidden="model.hidden",
        tied="model.is_tied",
        tp="workload.parallel.tp",
        pp="workload.parallel.pp",
    ),
    quantity(
        "rank.kv_per_token",
        "B/token",
        "Cache of one token and layer on one rank.",
        attention.kv_bytes_rank,
        when=INFERENCE,
        kv_heads="model.kv_heads",
        head_size="model.head_size",
        cache_bytes="bytes.cache",
        tp="workload.parallel.tp",
    ),
    quantity(
        "memory.weights",
        "GB",
        "Weights on one rank.",
        memory.dense_weight_bytes,
        when=INFERENCE,
        layers="model.layers",
        pp="workload.parallel.pp",
        attention_rank="rank.params.attention",
        attention_bytes="bytes.weights",
        mlp_rank="rank.params.mlp",
        weight_bytes="bytes.weights",
        table_bytes="bytes.table",
        table="rank.params.table",
    ),
    quantity(
        "memory.kept",
        "token",
        "Tokens that the cache reserves for a sequence.",
        memory.kept_tokens,
        when=INFERENCE,
        prompt="workload.prompt",
        output="workload.output",
        window="context.window",
        window_share="context.window_share",
        page=32.0,
    ),
    quantity(
        "memory.sequence",
        "MB/sequence",
        "Cache that one sequence reserves on a rank.",
        memory.sequence_cache_bytes,
        when=INFERENCE,
        layers="model.layers",
        pp="workload.parallel.pp",
        kv_bytes="rank.kv_per_token",
        kept="memory.kept",
    ),
    quantity(
        "memory.room",
        "GB",
        "Memory of a rank left to the cache.",
        memory.cache_room,
        when=INFERENCE,
        cache_share="software.memory.usable",
        reserve="rank.reserve",
        rank_memory="rank.memory",
        weights="memory.weights",
    ),
    quantity(
        "memory.largest_batch",
        "sequence",
        "The most sequences that the cache of one instance admits.",
        memory.largest_batch,
        when=INFERENCE,
        dp="workload.parallel.dp",
        room="memory.room",
        sequence_cache="memory.sequence",
    ),
    quantity(
        "workload.batch.instance",
        "sequence",
        "Sequences that one instance decodes, where none is stated: what fits.",
        _largest,
        when=INFERENCE,
    ),
    quantity(
        "memory.cache",
        "GB",
        "Cache of the batch on one rank.",
        memory.cache_bytes_used,
        when=INFERENCE,
        batch="workload.batch.instance",
        dp="workload.parallel.dp",
        sequence_cache="memory.sequence",
    ),
    quantity(
        "memory.used",
        "GB",
        "Memory of a rank in use.",
        memory.memory_used,
        when=INFERENCE,
        reserve="rank.reserve",
        weights="memory.weights",
        cache="memory.cache",
    ),
    quantity(
        "memory.fits",
        "1",
        "1 if weights and cache fit into the memory of a rank.",
        memory.memory_fits,
        when=INFERENCE,
        room="memory.room",
        cache="memory.cache",
        headline=True,
    ),
    quantity(
        "memory.shortfall",
        "GB",
        "Memory that a rank lacks.",
        memory.memory_shortfall,
        when=INFERENCE,
        cache_share="software.memory.usable",
        reserve="rank.reserve",
        rank_memory="rank.memory",
        weights="memory.weights",
        cache="memory.cache",
    ),
)

SERVING = (
    quantity(
        "context.mean",
        "token",
        "Tokens in the cache of a sequence, mean over decoding.",
        serving.mean_context,
        when=INFERENCE,
        prompt="workload.prompt",
        output="workload.output",
    ),
    quantity("context.window", "token", "Reach of windowed layers.", _window),
    quantity("context.window_share", "%", "Share of windowed layers.", _window_share),
    quantity(
        "context.attended",
        "token",
        "Tokens that a prompt token looks at, in the mean.",
        _attended,
        when=INFERENCE,
    ),
    quantity(
        "latency.ttft[]",
        "ms",
        "Time to first token; solo: the prompt's pass alone, nothing else running.",
        serving.ttft_solo,
        when=INFERENCE,
        keys=("solo",),
        bare="solo",
        headline=True,
        prefill="prefill.step.time",
    ),
    quantity(
        "latency.tpot[]",
        "ms",
        "Time per output token after the first: one mixed step.",
        serving.time_per_output_token,
        when=INFERENCE,
        keys=("mean",),
        bare="mean",
        headline=True,
        step="mixed.step.time",
    ),
    quantity(
        "throughput.instance",
        "token/s",
        "Output tokens a second of one instance.",
        serving.continuous_throughput,
        when=INFERENCE,
        batch="workload.batch.instance",
        step="mixed.step.time",
    ),
    quantity(
        "throughput.output",
        "token/s",
        "Output tokens a second of all instances, running full.",
        serving.fleet_throughput,
        when=INFERENCE,
        headline=True,
        instances="instances",
        throughput="throughput.instance",
    ),
    quantity(
        "throughput.input",
        "token/s",
        "Prompt tokens a second of all instances, beside their output.",
        serving.input_throughput,
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
        "mbu",
        "%",
        "Bytes that a decode step must read, over what the data sheet allows.",
        serving.memory_bandwidth_utilisation,
        when=INFERENCE,
        headline=True,
        layers="model.layers",
        pp="workload.parallel.pp",
        cached="decode.cached",
        memory_bandwidth="chip.memory.bandwidth",
        rank_chips="rank.chips",
        weights="memory.weights",
        kv_bytes="rank.kv_per_token",
        step="decode.step.time",
    ),
    quantity(
        "mfu[]",
        "%",
        "Arithmetic that the tokens need, over the data-sheet peak of the ranks.",
        serving.inference_flops_utilisation,
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

QUANTITIES = (
    *_loads(),
    *(one for phase in PHASES for one in _pass(phase)),
    *MEMORY,
    *SERVING,
)
