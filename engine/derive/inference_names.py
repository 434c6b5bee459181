"""What the values of `serving_plan` are called in a scenario.

Names of the plan are short and belong to formulas; paths belong to readers.
"""

from isocost.engine.derive.inference_shown import COMMON, OF_PASS, Shown

#: Inputs that are stated or derived elsewhere, by their name in the plan.
SOURCES = {
    "layers": "model.layers",
    "dense_layers": "model.dense_layers",
    "moe_layers": "model.moe_layers",
    "hidden": "model.hidden",
    "heads": "model.heads",
    "kv_heads": "model.kv_heads",
    "head_size": "model.head_width",
    "score_size": "model.score_width",
    "ffn": "model.mlp_width",
    "dense_ffn": "model.gate_width",
    "gated": "model.is_gated",
    "vocabulary": "model.vocabulary",
    "tied": "model.is_tied",
    "experts": "model.moe.experts",
    "top_k": "model.moe.top_k",
    "shared_experts": "model.shared_experts",
    "expert_ffn": "model.moe.ffn",
    "router": "model.params.router",
    "redundant": "rank.spare_experts",
    "query_rank": "model.mla.q_rank",
    "kv_rank": "model.mla.kv_rank",
    "rope_size": "model.mla.rope",
    "value_size": "model.mla.value",
    "window": "context.window",
    "window_share": "context.window_share",
    "tp": "workload.parallel.tp",
    "pp": "workload.parallel.pp",
    "dp": "workload.parallel.dp",
    "ep": "workload.parallel.ep",
    "prompt": "workload.prompt",
    "output": "workload.output",
    "batch": "workload.batch.instance",
    "peak_low": "rank.peak",
    "peak_mid": "rank.peak_attention",
    "peak_wide": "chip.peak[bf16]",
    "peak_attention": "chip.peak[bf16]",
    "peak_absorbed": "rank.peak_absorbed",
    "power": "chip.power",
    "memory_bandwidth": "chip.memory.bandwidth",
    "capacity": "chip.memory.usable",
    "rank_chips": "rank.chips",
    "reserve": "rank.reserve",
    "weight_bytes": "bytes.weights",
    "attention_bytes": "bytes.attention",
    "table_bytes": "bytes.table",
    "cache_bytes": "bytes.cache",
    "activation_bytes": "bytes.activation",
    "dispatch_bytes": "bytes.dispatch",
    "combine_bytes": "bytes.activation",
    "share_low": "rank.matrix_share",
    "share_mid": "rank.matrix_share_attention",
    "share_wide": "rank.matrix_share_wide",
    "attention_share": "software.attention.efficiency",
    "memory_share": "software.memory.sustained",
    "cache_memory_share": "software.memory.cache_sustained",
    "cache_share": "software.memory.usable",
    "traffic": "software.elementwise.traffic",
    "permute_traffic": "software.experts.traffic",
    "half_width": "software.experts.half_width",
    "tile": "software.experts.tile",
    "imbalance": "software.experts.imbalance",
    "overlap": "software.experts.overlap",
    "reread": "software.cache.reread",
    "page": "software.cache.page",
    "layer_overhead": "software.layer_overhead",
    "step_overhead": "software.step_overhead",
    "sequence_overhead": "software.sequence_overhead",
    "prompt_gaps": "software.prompt_gaps",
    "draft": "decode.draft",
    "accepted": "decode.accepted",
    "hits": "workload.prefix.hits",
    "read": "context.read",
}


def shown(name: str) -> Shown:
    """How a result of the plan is shown."""
    return OF_PASS[name] if name in OF_PASS else COMMON[name]


def path_of(name: str, phase: str = "") -> str:
    """The path of a value of the plan, seen from a pass."""
    if phase and name in OF_PASS:
        return OF_PASS[name].path.format(phase=phase)
    return COMMON[name].path if name in COMMON else SOURCES[name]
