"""How a step is composed of formulas: the wiring, as tables that can be read.

The same tables are what a graph of nodes is built from. A `Wire` names its result,
the formula, and which value feeds a parameter where that is not the value of the
same name. Dense and MoE, GQA and MLA differ in a few wires.
"""

from collections.abc import Iterable, Mapping

import attrs
import numpy as np

from isocost.engine.calibration.inference_arrays import Values, apply
from isocost.engine.formula import Formula
from isocost.engine.formulas import attention, chip, inference, memory, moe, moe_step
from isocost.engine.formulas import transformer as shape
from isocost.engine.formulas.collectives import transfer
from isocost.engine.formulas.collectives_flat import ring_all_reduce
from isocost.engine.formulas.collectives_in_network import in_network_all_reduce


@attrs.frozen
class Wire:
    """One application of a formula: `target = formula(param=source, …)`."""

    target: str
    formula: Formula
    sources: Mapping[str, str] = attrs.field(factory=dict)


def wire(target: str, formula: Formula, **sources: str) -> Wire:
    """A `Wire`; parameters that are not named take the value of their own name."""
    return Wire(target, formula, sources)


#: What the rank sustains; `_low` is the precision of MLP and experts, `_mid` that of
#: attention's matrices, `_wide` that of embedding and head.
RANK = (
    wire("share_low", chip.matrix_share, peak="peak_low"),
    wire("share_mid", chip.matrix_share, peak="peak_mid"),
    wire("share_wide", chip.matrix_share, peak="peak_wide"),
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
)
DENSE = (wire("weights", memory.dense_weight_bytes),)
MOE = (
    wire("experts_rank", moe.experts_on_rank),
    wire("slices", moe.expert_slices),
    wire("expert", shape.mlp_params, ffn="expert_ffn"),
    wire("shared_rank", chip.mlp_params_rank, mlp="shared_params"),
    wire("weights", moe_step.moe_weight_bytes),
    wire("wait", moe.expert_wait),
    wire("expert_share", moe.grouped_share),
    wire(
        "rank_expert",
        chip.rank_arithmetic,
        peak="rank_low_chip",
        matrix_share="expert_share",
    ),
)
ROOM = (
    wire("kept", memory.kept_tokens),
    wire("sequence_cache", memory.sequence_cache_bytes),
    wire("room", memory.cache_room),
    wire("largest", memory.largest_batch),
)
#: One pass, given tokens, cached, sampled, attended, batch and in_flight.
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
    wire("stream", inference.stream_bytes),
    wire("send", transfer, alpha="send_alpha", wire="send_wire", cross="zero"),
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


def run(wires: Iterable[Wire], values: Values) -> Values:
    """Apply wires in their order; results are added to `values`."""
    for each in wires:
        values[each.target] = apply(each.formula, values, **each.sources)
    return values


def rank_values(values: Values, *, mla: bool, experts: bool) -> Values:
    """What does not depend on the batch: the rank, its weights, its largest batch."""
    run(RANK, values)
    values["rank_absorbed"] = (
        values["attention_share"] * values["peak_absorbed"] * values["rank_chips"]
    )
    run(MLA if mla else GQA, values)
    if experts:
        values["rank_low_chip"] = values["share_low"] * values["peak_low"]
        values["shared_params"] = (
            values["shared_experts"] * run(MOE[2:3], values)["expert"]
        )
    run(MOE if experts else DENSE, values)
    return run(ROOM, values)


def step_values(values: Values, *, mla: bool, experts: bool) -> Values:
    """The parts of one step and their sum, for the tokens that `values` names."""
    values["tokens"] = values["decode_tokens"] + values["prefill_tokens"]
    values["send_wire"] = 0.0
    run(PASS, values)
    values["send_wire"] = values["stream"] / values["rate"]
    run(PASS[-1:], values)
    run(READ_MLA if mla else READ_GQA, values)
    values["all_reduce"] = _all_reduce(values)
    if experts:
        run(PASS_MOE, values)
        values["exchange"] = _exchange(values)
    run(STEP_MOE if experts else STEP_DENSE, values)
    return run(STEP, values)


def _all_reduce(values: Values) -> object:
    """The quicker of a ring and the switch's own reduction, where it has one."""
    named = {**values, "size": values["stream"], "ranks": values["tp"]}
    ring = apply(ring_all_reduce, named)
    switch = apply(in_network_all_reduce, named, bandwidth="link")
    return np.where(values["reduction"] > 0, np.minimum(ring, switch), ring)


def _exchange(values: Values) -> object:
    """Tokens to experts and back: over the domain's links, and between domains."""
    named = dict(values)
    named["alpha"] = 2 * (values["launch"] + 2 * values["latency"])
    inside = np.minimum(values["ep"], values["domain"])
    named["ep"], named["destinations"] = inside, inside
    size = apply(moe_step.expert_exchange_bytes, named)
    named["wire"] = size / (values["exchange_share"] * values["link"])
    near = apply(transfer, named)
    domains = np.maximum(values["ep"] / values["domain"], 1)
    named["ep"] = domains
    named["destinations"] = apply(moe_step.expert_destinations, named)
    size = apply(moe_step.expert_exchange_bytes, named)
    named["wire"] = size / values["node_link"]
    named["alpha"] = 2 * values["node_alpha"]
    far = np.where(domains > 1, apply(transfer, named), 0.0)
    named["exchange"] = np.maximum(near, far)
    named["work"] = (
        values["expert_time"] + values["shared"] + values["attention_matrices"]
    )
    spread = apply(moe_step.exposed_exchange, named)
    replicated = np.where(values["tp"] > 1, values["all_reduce"], 0.0)
    return np.where(values["dp"] > 1, spread, replicated)
