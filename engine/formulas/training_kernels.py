"""What the chip computes in a micro-batch: matrices, attention, everything else.

One pass is a forward traversal of the rank's stage. Training takes three: forward,
gradients of the inputs, gradients of the weights (none for LoRA's frozen weights);
recomputation adds its share of a fourth. No efficiency is a constant of a chip: the
matrices' share of the peak is the power law of `chip.matrix_share`.
"""

from isocost.dsl.expr import Expr, largest, smallest, total, where
from isocost.engine.formula import formula, p, q
from isocost.engine.formulas.training_symbols import (
    MULTIPLY_ADD,
    PAIR,
    PER_TOKEN,
    take,
)

_KAPLAN = "Kaplan et al. 2020, arXiv:2001.08361, table 1"
_FLASH = "Dao 2023 (FlashAttention-2), arXiv:2307.08691"
_SEQUENCE = "Korthikanti et al. 2022, arXiv:2205.05198"
_FIT = "form chosen on the training measurements (docs: accuracy)"
#: No power limit lifts clocks by more: a chip's clock has a ceiling of its own.
_FASTEST = 1.15
#: A score of an attention that is not fused is read or written this many times.
_SCORE_PASSES = 8


@formula(
    "FLOP/s",
    {
        "peak": p("FLOP/s/chip", r"\hat P", "dense peak in the precision"),
        "rank_chips": p("chip", "c_r", "chips of a rank"),
        "matrix_share": p("1", r"\eta_F", "share of the peak by the power law"),
        "chip_share": p("1", r"\eta_c", "share of the law that the generation reaches"),
        "precision_share": p("1", r"\eta_b", "share of the law in this precision"),
    },
    source=_FIT,
    valid=(
        "0 < matrix_share <= 1; chip_share > 0; precision_share > 0; large matrices"
    ),
    latex="P",
)
def training_arithmetic(
    peak: Expr,
    rank_chips: Expr,
    matrix_share: Expr,
    chip_share: Expr,
    precision_share: Expr,
) -> Expr:
    """Arithmetic that large matrices sustain on a rank in one precision."""
    return peak * rank_chips * matrix_share * chip_share * precision_share


@formula(
    "1",
    {
        "generation_share": p("1", r"\eta_g", "share of the law on the reference chip"),
        "peak": p("FLOP/s/chip", r"\hat P_{16}", "16-bit dense peak"),
        "power": p("W/chip", "w", "power limit of the chip"),
        "reference": p("TFLOP/J", r"\hat\eta", "peak over power of the reference chip"),
        "variant": p("1", r"s_v", "fall of the share within one kind of silicon"),
    },
    source=_FIT + "; clocks of one silicon follow about the root of its power",
    valid="reference > 0; variants of one silicon under other power limits",
    latex=r"\eta_c",
)
def variant_share(
    generation_share: Expr, peak: Expr, power: Expr, reference: Expr, variant: Expr
) -> Expr:
    """Share of the law that a variant of a generation's silicon reaches.

    `eta_g ((P / w) / eta_ref)^(-s_v)`: the law is that of one generation after the
    other, each more frugal; the same silicon under another power limit has no such
    gain, so that its clock pays for more of it. No clock rises by more than 15%.
    """
    dense = peak / power / reference
    return generation_share * smallest(clock=_FASTEST, power=dense ** (-variant))


@formula(
    "1",
    take("layers attention dense_layers mlp moe_layers shared_experts expert tp pp"),
    source=_KAPLAN,
    valid="tp >= 1; pp >= 1; stages of equal size",
    latex="N^r",
)
def stage_params(
    layers: Expr,
    attention: Expr,
    dense_layers: Expr,
    mlp: Expr,
    moe_layers: Expr,
    shared_experts: Expr,
    expert: Expr,
    tp: Expr,
    pp: Expr,
) -> Expr:
    """Parameters of a rank's stage that every token meets, without the tables."""
    whole = total(
        layers * attention, dense_layers * mlp, moe_layers * shared_experts * expert
    )
    return whole / (tp * pp)


@formula(
    "1",
    take("moe_layers top_k expert tp pp"),
    source=_KAPLAN,
    valid="tp >= 1; pp >= 1; balanced routing",
    latex="N_A^r",
)
def routed_params(
    moe_layers: Expr, top_k: Expr, expert: Expr, tp: Expr, pp: Expr
) -> Expr:
    """Expert parameters that one token of the rank multiplies, on balance."""
    return moe_layers * top_k * expert / (tp * pp)


@formula(
    "s",
    take("params_rank tokens arithmetic"),
    source=_KAPLAN,
    valid="arithmetic > 0; matrices alone, without scores",
    latex="t_1",
)
def pass_time(params_rank: Expr, tokens: Expr, arithmetic: Expr) -> Expr:
    """One pass of matrices: two FLOP for each weight and token."""
    return params_rank * tokens * MULTIPLY_ADD / arithmetic


@formula(
    "s",
    take("forward recompute weight_gradient arithmetic plain_arithmetic")
    | {"plain_gradient": p("1", "u_w", "1 if weight gradients stay in 16 bits")},
    source=_KAPLAN,
    valid=(
        "recompute >= 0; arithmetic > 0; plain_arithmetic > 0; each pass as "
        "long as another"
    ),
    latex="t_m",
)
def matrix_passes(
    forward: Expr,
    recompute: Expr,
    weight_gradient: Expr,
    arithmetic: Expr,
    plain_arithmetic: Expr,
    plain_gradient: Expr,
) -> Expr:
    """Forward, input gradients, recomputation and weight gradients of a micro-batch."""
    ratio = where(plain_gradient > 0, arithmetic / plain_arithmetic, 1)
    return forward * (2 + recompute + weight_gradient * ratio)


@formula(
    "s",
    take("params_rank experts_rank layers pp tp tokens hidden qkv_width gated")
    | take("dense_layers ffn moe_layers top_k shared_experts expert_ffn")
    | take("element_bytes memory matrix_traffic recompute weight_gradient"),
    source=_FIT,
    valid=("tp >= 1; pp >= 1; memory > 0; matrices read and written once a pass"),
    latex="t_k",
)
def matrix_traffic_time(
    params_rank: Expr,
    experts_rank: Expr,
    layers: Expr,
    pp: Expr,
    tp: Expr,
    tokens: Expr,
    hidden: Expr,
    qkv_width: Expr,
    gated: Expr,
    dense_layers: Expr,
    ffn: Expr,
    moe_layers: Expr,
    top_k: Expr,
    shared_experts: Expr,
    expert_ffn: Expr,
    element_bytes: Expr,
    memory: Expr,
    matrix_traffic: Expr,
    recompute: Expr,
    weight_gradient: Expr,
) -> Expr:
    """Memory traffic of the matrices: weights, inputs and outputs of each pass.

    Weight gradients are added to 32-bit sums in memory, which reads and writes 4
    bytes for each weight. A share `c_k` of all that shows beside the arithmetic.
    """
    dense = layers * (4 * hidden + qkv_width / tp) + dense_layers * (
        2 * hidden + (2 + gated) * ffn / tp
    )
    routed = moe_layers * (
        top_k * (2 * hidden + (2 + gated) * expert_ffn / tp)
        + shared_experts * (2 + gated) * expert_ffn / tp
    )
    numbers = params_rank + experts_rank + tokens * PER_TOKEN * (dense + routed) / pp
    passes = 2 + recompute + weight_gradient
    sums = weight_gradient * q("8 B") * (params_rank + experts_rank)
    return matrix_traffic * (passes * element_bytes * numbers + sums) / memory


@formula(
    "s",
    take("layers pp tp tokens score_width attended recompute attention_share")
    | {
        "peak_plain": p("FLOP/s/chip", r"\hat P_{16}", "16-bit dense peak"),
        "rank_chips": p("chip", "c_r", "chips of a rank"),
    },
    source=_FLASH,
    valid=(
        "tp >= 1; attention_share > 0; fused attention; 3.5 passes, since "
        "the backward computes scores again"
    ),
    latex="t_a",
)
def flash_attention_time(
    layers: Expr,
    pp: Expr,
    tp: Expr,
    tokens: Expr,
    score_width: Expr,
    attended: Expr,
    recompute: Expr,
    attention_share: Expr,
    peak_plain: Expr,
    rank_chips: Expr,
) -> Expr:
    """Fused attention, forward and backward: `4 M w s` FLOP a pass and layer.

    `attended` is half the sequence under a causal mask that the kernel skips.
    """
    one = tokens * attended * PAIR * score_width / tp
    rate = attention_share * peak_plain * rank_chips
    return (3.5 + recompute) * layers / pp * one / rate


@formula(
    "s",
    take("layers pp tp tokens score_width heads sequence recompute plain_arithmetic")
    | take("element_bytes memory")
    | {"batched_share": p("1", r"\eta_b", "share of large matrices' rate in scores")},
    source=_SEQUENCE,
    valid=(
        "tp >= 1; batched_share > 0; scores held in memory, no part of the mask skipped"
    ),
    latex="t_a",
)
def unfused_attention_time(
    layers: Expr,
    pp: Expr,
    tp: Expr,
    tokens: Expr,
    score_width: Expr,
    heads: Expr,
    sequence: Expr,
    recompute: Expr,
    plain_arithmetic: Expr,
    element_bytes: Expr,
    memory: Expr,
    batched_share: Expr,
) -> Expr:
    """Attention in separate kernels: batched matrices, and scores in memory."""
    matrices = tokens * sequence * PAIR * score_width / tp
    scores = tokens * sequence * PER_TOKEN * PER_TOKEN * heads / tp
    moved = _SCORE_PASSES / 4 * scores * element_bytes / memory
    one = matrices / (batched_share * plain_arithmetic) + moved
    return (3 + recompute) * layers / pp * one


@formula(
    "s",
    {
        "flash": p("1", r"\iota", "1 if attention is fused, else 0"),
        "fused": p("s", "t_{af}", "attention in one kernel"),
        "unfused": p("s", "t_{au}", "attention in separate kernels"),
    },
    source=_FLASH,
    valid="0 <= flash <= 1; one kernel for every layer",
    latex="t_a",
)
def attention_pass_time(flash: Expr, fused: Expr, unfused: Expr) -> Expr:
    """Attention of a micro-batch, by the kernel that the stack has."""
    return where(flash > 0, fused, unfused)


@formula(
    "s",
    take("slowdown half_load tokens top_k experts ep")
    | {"plain": p("s", "t", "the same arithmetic in one matrix")},
    source="Gale et al. 2022 (MegaBlocks), arXiv:2211.15841; " + _FIT,
    valid="slowdown > 0; tokens > 0; balanced routing",
    latex="t_e",
)
def grouped_time(
    slowdown: Expr,
    half_load: Expr,
    tokens: Expr,
    top_k: Expr,
    experts: Expr,
    ep: Expr,
    plain: Expr,
) -> Expr:
    """Experts' matrices: many small ones take longer than a large one.

    `c_e (1 + M_0 / M_e)` times as long, `M_e = M k epsilon / E` being the tokens of
    one expert: tiles are filled and weights are read however few tokens there are.
    """
    load = tokens * largest(one=1, experts=top_k) * ep / largest(one=1, experts=experts)
    return slowdown * (1 + half_load / load) * plain


@formula(
    "s",
    take("layers pp tp sequence_parallel tokens hidden qkv_width gated dense_layers")
    | take("ffn moe_layers top_k shared_experts expert_ffn element_bytes memory")
    | take("traffic recompute"),
    source=_SEQUENCE + "; " + _FIT,
    valid=("tp >= 1; pp >= 1; memory > 0; bound by memory, fused as `traffic` says"),
    latex="t_w",
)
def training_elementwise_time(
    layers: Expr,
    pp: Expr,
    tp: Expr,
    sequence_parallel: Expr,
    tokens: Expr,
    hidden: Expr,
    qkv_width: Expr,
    gated: Expr,
    dense_layers: Expr,
    ffn: Expr,
    moe_layers: Expr,
    top_k: Expr,
    shared_experts: Expr,
    expert_ffn: Expr,
    element_bytes: Expr,
    memory: Expr,
    traffic: Expr,
    recompute: Expr,
) -> Expr:
    """Norms, residuals, activations and rotations: bound by memory.

    Ten numbers of the residual stream, two of queries, keys and values, two or
    three of the MLP for each token, layer and pass, if perfectly fused; `traffic`
    times that in practice. Without sequence parallelism tp does not divide norms.
    """
    stream = 10 * hidden * where(sequence_parallel > 0, 1 / tp, 1)
    inner = (2 + gated) / tp
    numbers = total(
        layers * (stream + 2 * qkv_width / tp),
        dense_layers * inner * ffn,
        moe_layers * shared_experts * inner * expert_ffn,
        moe_layers * top_k * (inner * expert_ffn + 4 * hidden / tp),
    )
    bytes_moved = tokens * PER_TOKEN * numbers / pp * element_bytes
    return traffic * (3 + recompute) * bytes_moved / memory
