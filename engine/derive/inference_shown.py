"""How the results of `serving_plan` are shown in a scenario: path, unit and words.

`{phase}` is the pass (`decode`, `prefill`, `mixed`).
"""

import attrs


@attrs.frozen
class Shown:
    """Where a wire's result stands, in which unit, and what it is."""

    path: str
    unit: str
    doc: str


def _rows(*rows: tuple[str, str, str, str]) -> dict[str, Shown]:
    return {name: Shown(path, unit, doc) for name, path, unit, doc in rows}


#: Results that do not depend on the pass.
COMMON = _rows(
    ("rank_low", "rank.matrix_rate", "TFLOP/s", "Arithmetic of a rank in matrices."),
    (
        "rank_mid",
        "rank.attention_matrix_rate",
        "TFLOP/s",
        "Arithmetic of a rank in attention's matrices.",
    ),
    (
        "rank_wide",
        "rank.head_rate",
        "TFLOP/s",
        "Arithmetic that a rank sustains in the output head.",
    ),
    (
        "rank_attention",
        "rank.attention_rate",
        "TFLOP/s",
        "Arithmetic that a rank sustains in attention over prompts.",
    ),
    (
        "rank_absorbed",
        "rank.absorbed_rate",
        "TFLOP/s",
        "Arithmetic that a rank sustains in absorbed attention.",
    ),
    (
        "rank_expert",
        "rank.expert_rate",
        "TFLOP/s",
        "Arithmetic that a rank sustains in grouped matrices of experts.",
    ),
    (
        "bandwidth",
        "rank.bandwidth",
        "TB/s",
        "Memory bandwidth that a rank sustains.",
    ),
    (
        "cache_bandwidth",
        "rank.cache_bandwidth",
        "TB/s",
        "Memory bandwidth that a rank sustains reading the cache.",
    ),
    ("rank_memory", "rank.memory", "GiB", "Memory of a rank."),
    ("mlp", "model.params.mlp", "1", "Parameters of one feed-forward layer."),
    ("mlp_rank", "rank.params.mlp", "1", "The same on one rank."),
    (
        "table",
        "rank.params.table",
        "1",
        "Embedding and head parameters on one rank.",
    ),
    (
        "attention_rank",
        "rank.params.attention",
        "1",
        "Attention parameters of a layer on one rank.",
    ),
    (
        "kv_bytes",
        "rank.kv_per_token",
        "B/token",
        "Cache of one token and layer on one rank.",
    ),
    ("experts_rank", "rank.experts", "1", "Routed experts of a layer on one rank."),
    ("slices", "rank.expert_slices", "1", "Ranks that an expert is cut over."),
    ("expert", "model.params.expert", "1", "Parameters of one expert."),
    (
        "shared_params",
        "model.params.shared",
        "1",
        "Parameters of a layer's shared experts.",
    ),
    ("shared_rank", "rank.params.shared", "1", "The same on one rank."),
    (
        "wait",
        "rank.expert_wait",
        "1",
        "Load of the busiest rank of experts over the mean.",
    ),
    (
        "grouped",
        "rank.grouped_share",
        "%",
        "Share of the matrix rate that grouped matrices reach.",
    ),
    ("expert_share", "rank.expert_share", "%", "Share of peak that experts reach."),
    ("weights", "memory.weights", "GB", "Weights on one rank."),
    (
        "kept",
        "memory.kept",
        "token",
        "Tokens that the cache reserves for a sequence.",
    ),
    (
        "sequence_cache",
        "memory.sequence",
        "MB/sequence",
        "Cache that one sequence reserves on a rank.",
    ),
    ("room", "memory.room", "GB", "Memory of a rank left to the cache."),
    (
        "largest",
        "memory.largest_batch",
        "sequence",
        "The most sequences that the cache of one instance admits.",
    ),
    (
        "context",
        "context.mean",
        "token",
        "Tokens in the cache of a sequence, mean over decoding.",
    ),
    (
        "attended",
        "context.attended",
        "token",
        "Tokens that a prompt token looks at, in the mean.",
    ),
    ("span", "context.span", "token", "Cached tokens of a sequence that are read."),
    (
        "computed",
        "context.computed",
        "token",
        "Tokens of a prompt that no cache holds.",
    ),
)
#: Results of one pass.
OF_PASS = _rows(
    (
        "sequence_tokens",
        "{phase}.sequence_tokens",
        "token",
        "One token of each decoding sequence of a pass.",
    ),
    (
        "decode_tokens",
        "{phase}.decode_tokens",
        "token",
        "Tokens of decoding sequences in one pass.",
    ),
    (
        "prefill_tokens",
        "{phase}.prefill_tokens",
        "token",
        "Prompt tokens in one pass.",
    ),
    ("cached", "{phase}.cached", "token", "Cached tokens that a pass reads."),
    ("tokens", "{phase}.tokens", "token", "Tokens that one pass works on."),
    (
        "sampled",
        "{phase}.sampled",
        "token",
        "Tokens of a pass that the output head is read for.",
    ),
    ("batch", "{phase}.batch", "sequence", "Sequences in flight."),
    ("in_flight", "{phase}.in_flight", "1", "Micro-batches in the pipeline."),
    (
        "stream",
        "{phase}.stream",
        "MB",
        "Bytes of the residual stream of one pass.",
    ),
    (
        "layer_overhead",
        "{phase}.layer_overhead",
        "us",
        "Launches and gaps of one layer.",
    ),
    (
        "attention_matrices",
        "{phase}.layer.attention_matrices",
        "us",
        "Attention's matrices of one layer.",
    ),
    (
        "mlp_matrices",
        "{phase}.layer.mlp_matrices",
        "us",
        "The feed-forward matrices of one layer.",
    ),
    ("head_matrix", "{phase}.head", "us", "The output head."),
    (
        "decode_attention",
        "{phase}.layer.decode_attention",
        "us",
        "Attention of decoding sequences, one layer.",
    ),
    (
        "prefill_attention",
        "{phase}.layer.prefill_attention",
        "us",
        "Attention over prompts, one layer.",
    ),
    (
        "elementwise",
        "{phase}.layer.elementwise",
        "us",
        "Memory-bound operations of one layer.",
    ),
    (
        "group_tokens",
        "{phase}.layer.group_tokens",
        "token",
        "Tokens of all ranks that share the experts.",
    ),
    (
        "distinct",
        "{phase}.layer.distinct",
        "1",
        "Experts of a rank that a pass touches.",
    ),
    ("rows", "{phase}.layer.rows", "token", "Tokens of each touched expert."),
    (
        "expert_time",
        "{phase}.layer.experts",
        "us",
        "Matrices of the routed experts, one layer.",
    ),
    (
        "shared",
        "{phase}.layer.shared",
        "us",
        "Matrices of the shared experts, one layer.",
    ),
    (
        "permute",
        "{phase}.layer.permute",
        "us",
        "Sorting tokens by expert and back, one layer.",
    ),
    (
        "work",
        "{phase}.layer.arithmetic",
        "us",
        "Arithmetic of a layer, behind which an exchange can hide.",
    ),
    (
        "exposed",
        "{phase}.layer.exposed",
        "us",
        "What nothing hides of the exchange between experts.",
    ),
    (
        "exchange",
        "{phase}.layer.exchange",
        "us",
        "What a layer's experts add to communication.",
    ),
    (
        "carried",
        "{phase}.layer.carried",
        "us",
        "Sending a layer's tokens to experts and back, nothing hidden.",
    ),
    (
        "all_reduce",
        "{phase}.all_reduce",
        "us",
        "One all-reduce over the tensor-parallel ranks.",
    ),
    ("send", "{phase}.send", "us", "Handing activations to the next stage."),
    ("matrix", "{phase}.step.matrix", "ms", "Matrices of a step."),
    ("attention_time", "{phase}.step.attention", "ms", "Attention of a step."),
    (
        "memory",
        "{phase}.step.memory",
        "ms",
        "Memory-bound operations of a step.",
    ),
    ("network", "{phase}.step.network", "ms", "Communication of a step."),
    (
        "host",
        "{phase}.step.host",
        "ms",
        "Launches, gaps and host work of a step.",
    ),
    (
        "step",
        "{phase}.step.ideal",
        "ms",
        "Time of a step by the formulas alone.",
    ),
)
