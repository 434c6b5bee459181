"""Memory of a rank in training: weights, gradients, state, activations, buffers.

Nothing here is NaN or negative where a plan does not fit: `used` is what it would
take, `shortfall` what is missing.
"""

from isocost.dsl.expr import Expr, largest, smallest, total, where
from isocost.engine.formula import formula, p
from isocost.engine.formulas.training_symbols import PER_TOKEN, take

_ZERO = "Rajbhandari et al. 2020 (ZeRO), arXiv:1910.02054, section 3"
_SEQUENCE = "Korthikanti et al. 2022, arXiv:2205.05198, table 2"
_PARTS = {
    "weights_memory": p("B", "M_w", "weights on the rank"),
    "gradients_memory": p("B", "M_g", "gradients on the rank"),
    "state_memory": p("B", "M_o", "optimizer state on the rank"),
    "activations_memory": p("B", "M_a", "activations on the rank"),
    "reserve": p("B", "M_0", "buffers, runtime and fragments"),
}
_ZERO_PARAMS = {
    "zero": p("1", "z", "ZeRO stage, 0 to 3"),
    "group": p("1", "n", "ranks that hold the same dense weights"),
    "expert_group": p("1", "n_e", "ranks that hold the same experts"),
}


@formula(
    "1",
    take("moe_layers experts expert tp pp ep"),
    source=_ZERO,
    valid="pp >= 1; ep >= 1; tp >= 1; experts cut by ep or by tp, not by both",
    latex="N_E^r",
)
def expert_params_rank(
    moe_layers: Expr, experts: Expr, expert: Expr, tp: Expr, pp: Expr, ep: Expr
) -> Expr:
    """Routed expert parameters that a rank holds: split by stage and by experts.

    Where ep is below tp the rest of tp splits each expert.
    """
    return moe_layers * experts * expert / (pp * largest(experts=ep, tensor=tp))


@formula(
    "1",
    take("vocabulary hidden tp pp"),
    source=_ZERO,
    valid=(
        "tp >= 1; pp >= 1; a head of its own, or tied across stages; where pp is 1 a "
        "tied one is held once"
    ),
    latex="N_V^r",
)
def tables_rank(vocabulary: Expr, hidden: Expr, tp: Expr, pp: Expr) -> Expr:
    """Embedding and head on a rank, mean over stages: `2 V h / (t pi)`."""
    return 2 * vocabulary * hidden / (tp * pp)


def _split(
    params: Expr, experts: Expr, zero: Expr, stage: int, group: Expr, expert_group: Expr
) -> Expr:
    """Numbers a rank holds of something that ZeRO shards from a stage on."""
    sharded = params / group + experts / expert_group
    return where(zero >= stage, sharded, params + experts)


@formula(
    "B",
    take("params_rank experts_rank element_bytes") | _ZERO_PARAMS,
    source=_ZERO,
    valid=(
        "0 <= zero <= 3; group >= 1; expert_group >= 1; params_rank with the tables"
    ),
    latex="M_w",
)
def weights_memory(
    params_rank: Expr,
    experts_rank: Expr,
    element_bytes: Expr,
    zero: Expr,
    group: Expr,
    expert_group: Expr,
) -> Expr:
    """Weights of a rank: whole up to ZeRO 2, a replica's share under ZeRO 3."""
    held = _split(params_rank, experts_rank, zero, 3, group, expert_group)
    return element_bytes * held


@formula(
    "B",
    take("params_rank experts_rank weight_gradient")
    | {"gradient_bytes": p("B", r"\beta_g", "bytes of a gradient")}
    | _ZERO_PARAMS,
    source=_ZERO,
    valid=(
        "0 <= zero <= 3; group >= 1; expert_group >= 1; params_rank with the tables"
    ),
    latex="M_g",
)
def gradients_memory(
    params_rank: Expr,
    experts_rank: Expr,
    weight_gradient: Expr,
    gradient_bytes: Expr,
    zero: Expr,
    group: Expr,
    expert_group: Expr,
) -> Expr:
    """Gradients of a rank: whole up to ZeRO 1, a share from ZeRO 2; LoRA has none."""
    held = _split(params_rank, experts_rank, zero, 2, group, expert_group)
    return weight_gradient * gradient_bytes * held


@formula(
    "B",
    take("params_rank experts_rank weight_gradient")
    | {"state_bytes": p("B", r"\beta_o", "bytes of optimizer state for each weight")}
    | _ZERO_PARAMS,
    source=_ZERO,
    valid=(
        "0 <= zero <= 3; group >= 1; expert_group >= 1; params_rank with "
        "the tables; Adam in mixed precision takes 12 bytes"
    ),
    latex="M_o",
)
def state_memory(
    params_rank: Expr,
    experts_rank: Expr,
    weight_gradient: Expr,
    state_bytes: Expr,
    zero: Expr,
    group: Expr,
    expert_group: Expr,
) -> Expr:
    """Optimizer state of a rank: whole under ZeRO 0, a share from ZeRO 1 on."""
    held = _split(params_rank, experts_rank, zero, 1, group, expert_group)
    return weight_gradient * state_bytes * held


@formula(
    "B",
    take("layers tp tokens hidden qkv_width gated dense_layers ffn moe_layers top_k")
    | take("shared_experts expert_ffn element_bytes")
    | {
        "kept_share": p(
            "1", r"\mu", "of 16-bit activations, kept (8 bits, LoRA: less)"
        ),
    },
    source=_SEQUENCE,
    valid=(
        "tp >= 1; fused attention; 1F1B keeps `pp` micro-batches on the first stage"
    ),
    latex="M_a",
)
def activations_memory(
    layers: Expr,
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
    kept_share: Expr,
) -> Expr:
    """Activations of the first stage without recomputation.

    `L / pi` layers of `pi` micro-batches in flight are `L` layers of one.
    """
    inner = (2 + gated) * total(
        dense_layers * ffn, moe_layers * (top_k + shared_experts) * expert_ffn
    )
    numbers = layers * (5 * hidden + qkv_width) + inner
    return kept_share * element_bytes * tokens * PER_TOKEN * numbers / tp


@formula(
    "1",
    {
        "activations_memory": p("B", "M_a", "activations without recomputation"),
        "room": p("B", r"M_\phi", "memory left to activations"),
        "spill": p("1", r"\rho", "work done again for each activation not kept"),
    },
    source=_SEQUENCE + "; docs: accuracy of training",
    valid=("activations_memory > 0; where a recipe does not state its recomputation"),
    latex="r",
)
def recompute_needed(activations_memory: Expr, room: Expr, spill: Expr) -> Expr:
    """Share of the forward pass to do again so that activations fit: `rho (1 - M / A)`.

    Layers are recomputed until the rest fits, the cheap ones first.
    """
    missing = 1 - room / activations_memory
    return spill * smallest(all=1, missing=largest(none=0, missing=missing))


@formula(
    "1",
    {
        "stated": p("1", "r_0", "recomputation that the recipe states"),
        "known": p("1", "k_r", "1 if it states one, else 0"),
        "needed": p("1", "r_1", "recomputation that memory asks for"),
    },
    source=_SEQUENCE,
    valid="none 0, selective 0 with fused attention, full 1",
    latex="r",
)
def recompute_share(stated: Expr, known: Expr, needed: Expr) -> Expr:
    """Share of the forward pass done again: as stated, else as memory asks for."""
    return where(known > 0, stated, needed)


@formula(
    "1",
    {
        "stated": p("1", "r_0", "recomputation that the recipe states"),
        "known": p("1", "k_r", "1 if it states one, else 0"),
        "activations_memory": p("B", "M_a", "activations without recomputation"),
        "room": p("B", r"M_\phi", "memory left to activations"),
    }
    | take("layers tp tokens hidden element_bytes"),
    source=_SEQUENCE,
    valid=(
        "tp >= 1; the cheap ones to redo are dropped first, so that work grows less"
    ),
    latex=r"\bar r",
)
def dropped_share(
    stated: Expr,
    known: Expr,
    activations_memory: Expr,
    room: Expr,
    layers: Expr,
    tp: Expr,
    tokens: Expr,
    hidden: Expr,
    element_bytes: Expr,
) -> Expr:
    """Share of the activations that is not kept: as stated, else until the rest fits.

    Of what is dropped the inputs of layers stay: `(M_a - M) / (M_a - M_in)`.
    """
    inputs = layers * tokens * PER_TOKEN * hidden * element_bytes / tp
    missing = (activations_memory - room) / (activations_memory - inputs)
    needed = smallest(all=1, missing=largest(none=0, missing=missing))
    return where(known > 0, stated, needed)


@formula(
    "1",
    take("recompute")
    | {
        "selective": p("1", "k_s", "1 if attention alone is recomputed by plan, else 0")
    },
    source=_SEQUENCE + ", section 5",
    valid=(
        "recompute >= 0; attention that is not fused; a fused kernel "
        "computes scores again anyway"
    ),
    latex="r_a",
)
def attention_recompute(recompute: Expr, selective: Expr) -> Expr:
    """Share of attention done again: all of it under selective recomputation."""
    return largest(layer=recompute, selective=selective)


@formula(
    "1",
    take("params_rank table_rank"),
    source=_ZERO,
    valid="both on the mean stage",
    latex="N^r",
)
def dense_held(params_rank: Expr, table_rank: Expr) -> Expr:
    """Dense parameters that a rank holds: its stage's and its part of the tables."""
    return params_rank + table_rank


@formula(
    "B",
    {
        k: _PARTS[k]
        for k in ("weights_memory", "gradients_memory", "state_memory", "reserve")
    }
    | take("capacity"),
    source=_ZERO,
    valid="negative where nothing fits",
)
def activation_room(
    weights_memory: Expr,
    gradients_memory: Expr,
    state_memory: Expr,
    reserve: Expr,
    capacity: Expr,
) -> Expr:
    """Memory of a rank that is left to activations; negative: nothing fits."""
    return capacity - total(weights_memory, gradients_memory, state_memory, reserve)


@formula(
    "B",
    {"dropped": p("1", r"\bar r", "share of the activations that is not kept")}
    | take("layers tp tokens hidden element_bytes")
    | _PARTS,
    source=_SEQUENCE,
    valid=(
        "0 <= dropped <= 1; tp >= 1; a layer's input is kept where the rest is dropped"
    ),
)
def training_memory_used(
    dropped: Expr,
    layers: Expr,
    tp: Expr,
    tokens: Expr,
    hidden: Expr,
    element_bytes: Expr,
    weights_memory: Expr,
    gradients_memory: Expr,
    state_memory: Expr,
    activations_memory: Expr,
    reserve: Expr,
) -> Expr:
    """Memory of a rank in use.

    Of a layer that is recomputed only its input of `h` numbers a token stays.
    """
    inputs = layers * tokens * PER_TOKEN * hidden * element_bytes / tp
    kept = (1 - dropped) * activations_memory + dropped * inputs
    return total(weights_memory, gradients_memory, state_memory, kept, reserve)


@formula(
    "B",
    take("capacity") | {"used": p("B", "M", "memory in use")},
    source="definition",
    valid="capacity > 0; both of one rank",
)
def training_shortfall(capacity: Expr, used: Expr) -> Expr:
    """Memory that a plan lacks: `max(0, M - C)`."""
    return largest(fits=0, missing=used - capacity)


@formula(
    "1",
    take("capacity") | {"used": p("B", "M", "memory in use")},
    source="definition",
    valid="capacity > 0; both of one rank",
)
def training_fits(capacity: Expr, used: Expr) -> Expr:
    """1 if the plan fits into the rank's memory, else 0."""
    return where(used <= capacity * (1 + 1e-9), 1, 0)
