"""How a step of serving is composed of formulas: the wiring, as tables.

Calibration runs the tables over arrays of measurements, `derive.inference_wires`
makes a quantity of each wire, so that graph and calibration cannot disagree. A
`Wire` names its result, the formula, and which value feeds a parameter where that is
not the value of the same name. Dense and MoE, GQA and MLA differ in a few wires.

Three values come from outside, since a fit knows fabrics and a scenario topologies:
`all_reduce`, `send` and `carried` (an exchange between experts, nothing hidden).
"""

from collections.abc import Mapping

import attrs

from isocost.engine.formula import Formula
from isocost.engine.formulas import (
    attention,
    chip,
    inference,
    memory,
    moe,
    moe_exchange,
    moe_step,
    serving,
    serving_pass,
)
from isocost.engine.formulas import serving_load as load
from isocost.engine.formulas import transformer as shape


@attrs.frozen
class Wire:
    """One application of a formula: `target = formula(param=source, …)`."""

    target: str
    formula: Formula
    sources: Mapping[str, str] = attrs.field(factory=dict)

    def feeds(self) -> dict[str, str]:
        """The value that feeds each parameter of the formula."""
        return {name: self.sources.get(name, name) for name in self.formula.params}


def wire(target: str, formula: Formula, **sources: str) -> Wire:
    """A `Wire`; parameters that are not named take the value of their own name."""
    return Wire(target, formula, sources)


#: Shares of the peak by the law; `_low` is the precision of MLP and experts, `_mid`
#: that of attention's matrices, `_wide` that of embedding and head.
SHARES = (
    wire("share_low", chip.matrix_share, peak="peak_low"),
    wire("share_mid", chip.matrix_share, peak="peak_mid"),
    wire("share_wide", chip.matrix_share, peak="peak_wide"),
)
#: What a rank sustains.
RANK = (
    wire("rank_low", chip.rank_arithmetic, peak="peak_low", matrix_share="share_low"),
    wire("rank_mid", chip.rank_arithmetic, peak="peak_mid", matrix_share="share_mid"),
    wire(
        "rank_wide", chip.rank_arithmetic, peak="peak_wide", matrix_share="share_wide"
    ),
    wire(
        "rank_attention",
        chip.rank_arithmetic,
        peak="peak_attention",
        matrix_share="attention_share",
    ),
    wire("bandwidth", chip.rank_bandwidth),
    wire("cache_bandwidth", chip.rank_bandwidth, memory_share="cache_memory_share"),
    wire("rank_memory", chip.rank_capacity),
)
PARTS = (
    wire("mlp", shape.mlp_params),
    wire("mlp_rank", chip.mlp_params_rank),
    wire("table", shape.table_params_rank),
)
GQA = (
    wire("attention_rank", chip.attention_params_rank),
    wire("kv_bytes", attention.kv_bytes_rank),
)
MLA = (
    wire("attention_rank", chip.mla_params_rank),
    wire("kv_bytes", attention.mla_kv_bytes_rank),
    wire(
        "rank_absorbed",
        chip.rank_arithmetic,
        peak="peak_absorbed",
        matrix_share="attention_share",
    ),
)
DENSE = (wire("weights", memory.dense_weight_bytes),)
MOE = (
    wire("experts_rank", moe.experts_on_rank),
    wire("slices", moe.expert_slices),
    wire("expert", shape.mlp_params, ffn="expert_ffn"),
    wire("shared_params", moe.shared_expert_params),
    wire("shared_rank", chip.mlp_params_rank, mlp="shared_params"),
    wire("weights", moe_step.moe_weight_bytes),
    wire("wait", moe.expert_wait),
    wire("grouped", moe.grouped_share),
    wire("expert_share", moe.expert_peak_share, matrix_share="share_low"),
    wire(
        "rank_expert",
        chip.rank_arithmetic,
        peak="peak_low",
        matrix_share="expert_share",
    ),
)
ROOM = (
    wire("kept", memory.kept_tokens),
    wire("sequence_cache", memory.sequence_cache_bytes),
    wire("room", memory.cache_room),
    wire("largest", memory.largest_batch),
)
#: How many tokens a pass carries. Of a decode pass the prompts are none, of a
#: prefill pass the decoding sequences.
DECODING = (
    wire("sequence_tokens", inference.decode_pass_tokens),
    wire("decode_tokens", serving_pass.drafted_tokens),
    wire("span", attention.decode_span, context="read"),
    wire("cached", attention.cached_tokens),
)
PROMPTS = (wire("prefill_tokens", inference.prefill_pass_tokens, prompt="computed"),)
MIXED_PROMPTS = (
    wire("prefill_tokens", inference.mixed_prefill_tokens, prompt="computed"),
)
#: What is the same for every pass of one workload.
LENGTHS = (
    wire("context", serving.mean_context),
    wire("computed", load.computed_prompt),
    wire("attended", attention.prefill_span),
    wire("accepted", load.speculative_tokens),
)
CARRIED = (
    wire("tokens", serving_pass.pass_tokens),
    wire("sampled", serving_pass.sampled_tokens),
    wire("in_flight", inference.in_flight),
    wire("stream", inference.stream_bytes),
)
#: One pass, given decode_tokens, prefill_tokens, cached, attended and batch.
PASS = (
    wire(
        "attention_matrices",
        chip.matrix_time,
        params="attention_rank",
        weight_bytes="attention_bytes",
        rank_peak="rank_mid",
    ),
    wire("mlp_matrices", chip.matrix_time, params="mlp_rank", rank_peak="rank_low"),
    wire("head_matrix", inference.head_time, rank_peak="rank_wide"),
    wire(
        "prefill_attention",
        attention.prefill_attention_time,
        head_size="score_size",
        rank_peak="rank_attention",
    ),
    wire("elementwise", chip.elementwise_time, ffn="dense_ffn"),
)
READ_GQA = (
    wire(
        "decode_attention",
        attention.decode_attention_time,
        bandwidth="cache_bandwidth",
    ),
)
READ_MLA = (
    wire(
        "decode_attention",
        attention.mla_decode_attention_time,
        bandwidth="cache_bandwidth",
        rank_peak="rank_absorbed",
    ),
)
STEP_DENSE = (
    wire("matrix", inference.dense_step_matrix),
    wire("memory", inference.dense_step_memory),
    wire("network", inference.dense_step_network),
)
PASS_MOE = (
    wire("group_tokens", moe.expert_group_tokens),
    wire("distinct", moe.distinct_experts),
    wire("rows", moe.expert_rows),
    wire("expert_time", moe.expert_matrix_time, rank_peak="rank_expert"),
    wire("shared", chip.matrix_time, params="shared_rank", rank_peak="rank_low"),
    wire("permute", moe.permute_time, traffic="permute_traffic"),
    wire("work", moe_exchange.layer_arithmetic),
    wire("exposed", moe_step.exposed_exchange, exchange="carried"),
    wire("exchange", moe_exchange.layer_exchange),
)
STEP_MOE = (
    wire("matrix", moe_step.moe_step_matrix),
    wire("memory", moe_step.moe_step_memory),
    wire("network", moe_step.moe_step_network),
)
STEP = (
    wire("attention_time", inference.step_attention),
    wire("host", inference.step_host),
    wire("step", inference.step_time),
)
#: A layer's overhead in a pass over prompts.
PROMPT_GAPS = (wire("layer_overhead", inference.prompt_layer_overhead),)


def rank_wires(*, mla: bool, experts: bool) -> tuple[Wire, ...]:
    """What does not depend on the batch: parameters, weights, the largest batch."""
    structure = (*(MLA if mla else GQA), *(MOE if experts else DENSE))
    return (*RANK, *PARTS, *structure, *ROOM)


def pass_wires(*, mla: bool, experts: bool) -> tuple[Wire, ...]:
    """One pass from its tokens to the time of the step."""
    read = READ_MLA if mla else READ_GQA
    if experts:
        return (*PASS, *read, *PASS_MOE, *STEP_MOE, *STEP)
    return (*PASS, *read, *STEP_DENSE, *STEP)
