"""What a step costs beside its large kernels: head, casts, experts, host, update.

Small chips of a model run into the host: a layer of an eager stack takes longer to
launch than to compute, and then the launches are the step time.
"""

from isocost.dsl.expr import Expr, total, where
from isocost.engine.formula import formula, p, q
from isocost.engine.formulas.training_symbols import (
    MULTIPLY_ADD,
    PER_TOKEN,
    take,
)

_FIT = "form chosen on the training measurements (docs: accuracy)"
_MIXED = "Micikevicius et al. 2018 (mixed precision), arXiv:1710.03740"
_ADAM = "Rajbhandari et al. 2020 (ZeRO), arXiv:1910.02054, section 3.1"
_GROUPED = "Gale et al. 2022 (MegaBlocks), arXiv:2211.15841"
#: Bytes an Adam update reads and writes for each weight: 32-bit weight, two
#: moments (each both ways), gradient, and the 16-bit copy.
_UPDATE_BYTES = 28


@formula(
    "s",
    take("tokens hidden vocabulary tp weight_gradient plain_arithmetic loss_bytes")
    | take("memory"),
    source="Kaplan et al. 2020, arXiv:2001.08361; " + _FIT,
    valid=(
        "tp >= 1; plain_arithmetic > 0; memory > 0; 16-bit head, loss over "
        "a vocabulary split by tp"
    ),
    latex="t_l",
)
def training_head_time(
    tokens: Expr,
    hidden: Expr,
    vocabulary: Expr,
    tp: Expr,
    weight_gradient: Expr,
    plain_arithmetic: Expr,
    loss_bytes: Expr,
    memory: Expr,
) -> Expr:
    """Output head, forward and backward, and the loss over its logits."""
    matrices = tokens * MULTIPLY_ADD * hidden * vocabulary / tp
    logits = tokens * PER_TOKEN * vocabulary / tp
    return (
        2 + weight_gradient
    ) * matrices / plain_arithmetic + logits * loss_bytes / memory


@formula(
    "s",
    take("layers pp tp tokens hidden score_width dense_layers ffn moe_layers top_k")
    | take("expert_ffn memory")
    | {"low": p("1", r"\ell", "1 if matrices run in 8 bits or less, else 0")},
    source=_FIT,
    valid=(
        "0 <= low <= 1; tp >= 1; pp >= 1; memory > 0; 8-bit formats, cast "
        "outside of the matrix kernels"
    ),
    latex="t_c",
)
def cast_time(
    layers: Expr,
    pp: Expr,
    tp: Expr,
    tokens: Expr,
    hidden: Expr,
    score_width: Expr,
    dense_layers: Expr,
    ffn: Expr,
    moe_layers: Expr,
    top_k: Expr,
    expert_ffn: Expr,
    memory: Expr,
    low: Expr,
) -> Expr:
    """Conversion of matrix inputs to a low precision, forward and backward.

    Three bytes (two read, one written) for each input, in both directions.
    """
    numbers = total(
        layers * (4 * hidden + score_width / tp),
        dense_layers * ffn / tp,
        moe_layers * top_k * (hidden + expert_ffn),
    )
    return low * 2 * q("3 B") * tokens * PER_TOKEN * numbers / pp / memory


@formula(
    "s",
    take("moe_layers pp tokens top_k hidden element_bytes memory moe_passes recompute"),
    source=_GROUPED + "; " + _FIT,
    valid=(
        "pp >= 1; memory > 0; dropless routing; 0 passes where capacity is "
        "fixed and tokens are dropped"
    ),
    latex="t_p",
)
def routing_time(
    moe_layers: Expr,
    pp: Expr,
    tokens: Expr,
    top_k: Expr,
    hidden: Expr,
    element_bytes: Expr,
    memory: Expr,
    moe_passes: Expr,
    recompute: Expr,
) -> Expr:
    """Sorting, padding and gathering routed tokens on the chip.

    `moe_passes` reads or writes of `k h` numbers for each token, layer and pass.
    """
    moved = tokens * PER_TOKEN * top_k * hidden * element_bytes
    return moe_passes * (3 + recompute) * moe_layers / pp * moved / memory


@formula(
    "s",
    take("layers moe_layers pp recompute layer_host expert_host experts ep")
    | take("micro_batch heads tp unfused_host"),
    source=_FIT,
    valid=(
        "ep >= 1; pp >= 1; one stream of launches; 0 where a whole step is "
        "compiled or captured"
    ),
    latex="t_h",
)
def host_time(
    layers: Expr,
    moe_layers: Expr,
    pp: Expr,
    recompute: Expr,
    layer_host: Expr,
    expert_host: Expr,
    experts: Expr,
    ep: Expr,
    micro_batch: Expr,
    heads: Expr,
    tp: Expr,
    unfused_host: Expr,
) -> Expr:
    """Host time to launch a micro-batch on one stage.

    `(3 + r)` passes over the stage's layers; each local expert adds launches of its
    own. Megatron's fused softmax wants the
    micro-batch times a rank's heads to be 4 or more; below that separate kernels
    cost the share `unfused_host` more.
    """
    fused = micro_batch / q("1 sequence") * heads / tp >= 4  # noqa: PLR2004 (its rule)
    layer = layer_host * where(fused, 1, 1 + unfused_host)
    return (
        (3 + recompute)
        * (layers * layer + moe_layers * experts / ep * expert_host)
        / pp
    )


@formula(
    "s",
    take("chip_time host_time sharpness"),
    source=_FIT,
    valid="chip_time > 0; sharpness > 0; the longer of two, joined smoothly",
    latex="t_s",
)
def stage_time(chip_time: Expr, host_time: Expr, sharpness: Expr) -> Expr:
    """A micro-batch on one stage: the longer of chip and host, joined smoothly.

    `(t_g^q + t_h^q)^(1/q)`: launches run ahead of the chip until it catches up.
    """
    ratio = host_time / chip_time
    return chip_time * (1 + ratio**sharpness) ** (1 / sharpness)


@formula(
    "s",
    take("params_rank experts_rank weight_gradient memory")
    | {
        "zero": p("1", "z", "ZeRO stage, 0 to 3"),
        "group": p("1", "n", "ranks that hold the same dense weights"),
        "expert_group": p("1", "n_e", "ranks that hold the same experts"),
    },
    source=_ADAM,
    valid=(
        "0 <= zero <= 3; group >= 1; expert_group >= 1; memory > 0; Adam in "
        "mixed precision"
    ),
    latex="T_o",
)
def optimizer_time(
    params_rank: Expr,
    experts_rank: Expr,
    weight_gradient: Expr,
    memory: Expr,
    zero: Expr,
    group: Expr,
    expert_group: Expr,
) -> Expr:
    """Update of the weights once a step: 28 bytes of traffic for each weight.

    Sharded state (ZeRO 1 and above) divides it over the replicas.
    """
    whole = params_rank + experts_rank
    shared = params_rank / group + experts_rank / expert_group
    weights = where(zero >= 1, shared, whole)
    return weight_gradient * _UPDATE_BYTES * q("1 B") * weights / memory


@formula(
    "s",
    take("params_rank experts_rank")
    | {
        "gradient_bytes": p("B", r"\beta_g", "bytes moved for each weight and pass"),
        "group": p("1", "n", "ranks that hold the same dense weights"),
        "expert_group": p("1", "n_e", "ranks that hold the same experts"),
        "bandwidth": p("B/s", "W_g", "bus bandwidth of the dense group"),
        "expert_bandwidth": p("B/s", "W_e", "bus bandwidth of the experts' group"),
    },
    source=_ADAM + "; " + _MIXED,
    valid=(
        "group >= 1; expert_group >= 1; bandwidth > 0; params_rank with the "
        "tables; scatter and gather, or an all-reduce of both"
    ),
    latex="T_d",
)
def replica_exchange_time(
    params_rank: Expr,
    experts_rank: Expr,
    gradient_bytes: Expr,
    group: Expr,
    expert_group: Expr,
    bandwidth: Expr,
    expert_bandwidth: Expr,
) -> Expr:
    """Exchange of gradients and weights among replicas: `(n - 1) / n * bytes / W`."""
    dense = params_rank * (group - 1) / group / bandwidth
    experts = experts_rank * (expert_group - 1) / expert_group / expert_bandwidth
    return gradient_bytes * (dense + experts)
