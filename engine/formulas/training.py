"""A training step put together, and the figures that people quote about it.

A micro-batch on a stage is the sum of what its chip does one after the other, or
the host's time if that is longer; a step is all micro-batches through the pipeline,
what communication does not hide, the update and a fixed cost.
"""

from isocost.dsl.expr import Expr, largest, log2, smallest, total
from isocost.engine.formula import formula, p
from isocost.engine.formulas.training_symbols import (
    EACH,
    MULTIPLY_ADD,
    PAIR,
    take,
)

_KAPLAN = "Kaplan et al. 2020, arXiv:2001.08361, section 2.1"
_PALM = "Chowdhery et al. 2022 (PaLM), arXiv:2204.02311, appendix B"
_SUM = "docs: accuracy of training"


@formula(
    "s",
    take("matrices matrix_bytes expert_matrices routing attention_time elementwise")
    | take("casts tensor_parallel context_parallel expert_parallel"),
    source=_SUM,
    valid="one after the other; of communication what does not hide",
    latex="t_g",
)
def stage_work(
    matrices: Expr,
    matrix_bytes: Expr,
    expert_matrices: Expr,
    routing: Expr,
    attention_time: Expr,
    elementwise: Expr,
    casts: Expr,
    tensor_parallel: Expr,
    context_parallel: Expr,
    expert_parallel: Expr,
) -> Expr:
    """The chip's time of a micro-batch on one stage, forward and backward."""
    return total(
        matrices,
        matrix_bytes,
        expert_matrices,
        routing,
        attention_time,
        elementwise,
        casts,
        tensor_parallel,
        context_parallel,
        expert_parallel,
    )


@formula(
    "s",
    take("chip_time head_time"),
    source=_SUM,
    valid="the head is on the last stage",
    latex="t_z",
)
def last_stage_work(chip_time: Expr, head_time: Expr) -> Expr:
    """The chip's time of a micro-batch on the stage that holds the head."""
    return chip_time + head_time


@formula(
    "s",
    take("host_time layer_host"),
    source=_SUM,
    valid="head and loss launch as many kernels as four layer passes",
)
def last_stage_host(host_time: Expr, layer_host: Expr) -> Expr:
    """The host's time on the stage with the head, which costs four layer passes."""
    return host_time + 4 * layer_host


@formula(
    "s",
    take("pipeline sends gathers reduction optimizer straggle ranks step_host")
    | {"node_ranks": p("1", "R_n", "ranks of a node")},
    source=_SUM,
    valid="ranks >= 1; node_ranks > 0; straggle >= 0; synchronous steps",
    latex="T",
)
def training_step_time(
    pipeline: Expr,
    sends: Expr,
    gathers: Expr,
    reduction: Expr,
    optimizer: Expr,
    straggle: Expr,
    ranks: Expr,
    step_host: Expr,
    node_ranks: Expr,
) -> Expr:
    """Time of a step: its parts, a little more for each doubling of nodes.

    `(T_p + T_b + T_f + T_d + T_o) (1 + lambda log2(nodes)) + tau_s`: a synchronous
    step waits for its slowest node.
    """
    nodes = largest(one=1, nodes=ranks / node_ranks)
    parts = total(pipeline, sends, gathers, reduction, optimizer)
    return parts * (1 + straggle * log2(nodes)) + step_host


@formula(
    "token",
    take("batch sequence"),
    source="definition",
    valid="sequences of equal length, or packed to it",
    latex="B s",
)
def step_tokens(batch: Expr, sequence: Expr) -> Expr:
    """Tokens of one step."""
    return batch * sequence * EACH


@formula(
    "token/s",
    take("step") | {"step_tokens": p("token", "B s", "tokens of one step")},
    source="definition",
    valid="step > 0; every step alike",
)
def training_throughput(step: Expr, step_tokens: Expr) -> Expr:
    """Tokens trained on in a second: `B s / T`."""
    return step_tokens / step


@formula(
    "FLOP/token",
    take("active_params"),
    source=_KAPLAN,
    valid=(
        "active_params > 0; a yardstick: embeddings count, attention's scores do not"
    ),
    latex="F_6",
)
def model_flops_6nd(active_params: Expr) -> Expr:
    """Training arithmetic of a token by the rule of six: `6 N`."""
    return 3 * MULTIPLY_ADD * active_params


@formula(
    "FLOP/token",
    take("matrix_params layers score_width attended"),
    source=_PALM,
    valid="attended > 0; norms, softmax and look-ups left out",
    latex="F",
)
def model_flops(
    matrix_params: Expr, layers: Expr, score_width: Expr, attended: Expr
) -> Expr:
    """Training arithmetic of a token: three passes of matrices and of scores.

    `attended` at half the sequence gives the causal count, at all of it the full
    one; recomputation never counts.
    """
    scores = layers * score_width * attended * PAIR
    return 3 * (matrix_params * MULTIPLY_ADD + scores)


@formula(
    "FLOP/token",
    take("matrix_params layers score_width attended recompute weight_gradient"),
    source=_PALM,
    valid=(
        "0 <= recompute <= 1; 0 <= weight_gradient <= 1; norms, softmax and "
        "look-ups left out"
    ),
    latex="F_h",
)
def hardware_flops(
    matrix_params: Expr,
    layers: Expr,
    score_width: Expr,
    attended: Expr,
    recompute: Expr,
    weight_gradient: Expr,
) -> Expr:
    """Arithmetic that the chips do for a token, recomputation included.

    Frozen weights have no gradient (`2 + r` passes of matrices); the head is
    counted with the matrices.
    """
    scores = layers * score_width * attended * PAIR
    passes = 2 + weight_gradient + recompute
    return passes * matrix_params * MULTIPLY_ADD + (3 + recompute) * scores


@formula(
    "1",
    {
        "flops": p("FLOP/token", "F", "arithmetic of a token"),
        "throughput": p("token/s", r"\theta", "tokens in a second"),
        "chips": p("chip", "n", "chips at work"),
        "peak": p("FLOP/s/chip", r"\hat P", "dense peak that the share refers to"),
    },
    source=_PALM,
    valid=(
        "chips > 0; peak > 0; model FLOP: MFU; hardware FLOP: HFU; always "
        "with the peak's precision"
    ),
    latex=r"\mathrm{MFU}",
)
def flops_utilization(flops: Expr, throughput: Expr, chips: Expr, peak: Expr) -> Expr:
    """Share of the chips' peak that the counted arithmetic makes up."""
    return flops * throughput / (chips * peak)


@formula(
    "s",
    {
        "tokens_total": p("token", "D", "tokens to train on"),
        "throughput": p("token/s", r"\theta", "tokens in a second"),
        "ettr": p("1", r"\epsilon", "productive over wall time"),
    },
    source="definition",
    valid="throughput > 0; 0 < ettr <= 1; one pace from start to end",
    latex="T_{train}",
)
def training_time(tokens_total: Expr, throughput: Expr, ettr: Expr) -> Expr:
    """Wall time of a run: `D / (theta * ettr)`."""
    return tokens_total / (throughput * ettr)


@formula(
    "token",
    take("sequence")
    | {
        "window": p("token", "w", "tokens that a windowed layer looks back"),
        "window_share": p("1", r"\omega", "share of layers with a window"),
        "causal": p("1", r"\chi", "1 if the kernel skips what the mask hides, else 0"),
    },
    source="Beltagy et al. 2020 (Longformer), arXiv:2004.05150",
    valid=(
        "sequence > 0; 0 <= window_share <= 1; 0 <= causal <= 1; one "
        "document a sequence, windowed layers alike"
    ),
    latex=r"\bar s",
)
def attended_tokens(
    sequence: Expr, window: Expr, window_share: Expr, causal: Expr
) -> Expr:
    """Tokens that a token looks at, mean over tokens and layers.

    `r - chi r^2 / (2 s)`, where `r` is the whole sequence, and in windowed layers
    `min(s, w)`: half the sequence under a causal mask that the kernel skips, all of it
    under one that is only added. A window longer than the sequence hides nothing.
    """
    reach = smallest(whole=sequence, window=window)
    plain = sequence * (1 - causal / 2)
    inside = reach - causal * reach * reach / (2 * sequence)
    return (1 - window_share) * plain + window_share * inside
