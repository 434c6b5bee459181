"""Parameters and arithmetic of a transformer, part by part.

Every part is a formula of its own, so that an inventory reconciles with a
checkpoint: norms counted for each layer, the head only where it is not tied, a
gate matrix only where the MLP has one. Biases (below 0.1%) are left out.
"""

from isocost.dsl.expr import Expr, largest, total
from isocost.engine.formula import formula, p
from isocost.engine.formulas.inference_symbols import MULTIPLY_ADD, PAIR, take

_COUNT = "counted from the architecture (Vaswani et al. 2017, arXiv:1706.03762)"
_MOE = "Fedus et al. 2022, arXiv:2101.03961; DeepSeekMoE, arXiv:2401.06066"
_MLA = "DeepSeek-V2, arXiv:2405.04434, section 2.1"


@formula(
    "1",
    take("vocabulary hidden"),
    source=_COUNT,
    valid="one table; positions rotary, without parameters",
    latex=r"N_V",
)
def embedding_params(vocabulary: Expr, hidden: Expr) -> Expr:
    """Parameters of the embedding table: one row for each entry."""
    return vocabulary * hidden


@formula(
    "1",
    take("vocabulary hidden tied"),
    source=_COUNT,
    valid="0 <= tied <= 1; no bias",
    latex=r"N_{head}",
)
def head_params(vocabulary: Expr, hidden: Expr, tied: Expr) -> Expr:
    """Parameters of the output head that the embedding does not already hold."""
    return (1 - tied) * vocabulary * hidden


@formula(
    "1",
    take("hidden heads kv_heads head_size"),
    source="Ainslie et al. 2023 (GQA), arXiv:2305.13245",
    valid=(
        "heads >= kv_heads; multi-head, grouped and multi-query attention, no biases"
    ),
    latex="N_a",
)
def attention_params(
    hidden: Expr, heads: Expr, kv_heads: Expr, head_size: Expr
) -> Expr:
    """Parameters of one attention layer: query, output, key and value matrices."""
    return 2 * hidden * heads * head_size + 2 * hidden * kv_heads * head_size


@formula(
    "1",
    take("hidden heads query_rank kv_rank head_size rope_size value_size"),
    source=_MLA,
    valid=("query_rank > 0; a plain query matrix is attention_params' first term"),
    latex="N_a",
)
def mla_params(
    hidden: Expr,
    heads: Expr,
    query_rank: Expr,
    kv_rank: Expr,
    head_size: Expr,
    rope_size: Expr,
    value_size: Expr,
) -> Expr:
    """Parameters of one MLA layer: projections down, up, and out.

    Query down and up, key and value down with the shared rotary key, key and value
    up, output. `head_size` is the part of a head without rotary numbers.
    """
    return total(
        hidden * query_rank,
        query_rank * heads * (head_size + rope_size),
        hidden * (kv_rank + rope_size),
        kv_rank * heads * (head_size + value_size),
        heads * value_size * hidden,
    )


@formula(
    "1",
    take("hidden ffn gated"),
    source=_COUNT,
    valid="0 <= gated <= 1; no biases",
    latex="N_m",
)
def mlp_params(hidden: Expr, ffn: Expr, gated: Expr) -> Expr:
    """Parameters of one dense MLP: up and down, and a gate where there is one."""
    return (2 + gated) * hidden * ffn


@formula(
    "1",
    take("layers hidden"),
    source=_COUNT,
    valid="layers >= 1; norms with a weight and no bias",
    latex="N_n",
)
def norm_params(layers: Expr, hidden: Expr) -> Expr:
    """Parameters of all norms: two a layer and one before the head."""
    return (2 * layers + 1) * hidden


@formula(
    "1",
    take("layers attention mlp embedding head norms"),
    source=_COUNT,
    valid="layers >= 1; every layer alike",
    latex="N",
)
def dense_total_params(
    layers: Expr, attention: Expr, mlp: Expr, embedding: Expr, head: Expr, norms: Expr
) -> Expr:
    """Parameters of a dense model: its layers, norms, embedding and head."""
    return total(layers * (attention + mlp), norms, embedding, head)


@formula(
    "1",
    take("layers attention mlp vocabulary hidden"),
    source=_COUNT,
    valid="layers >= 1; every layer alike",
    latex=r"N_{mm}",
)
def dense_matrix_params(
    layers: Expr, attention: Expr, mlp: Expr, vocabulary: Expr, hidden: Expr
) -> Expr:
    """Parameters that multiply each token: layers and head, not the look-up table."""
    return layers * (attention + mlp) + vocabulary * hidden


@formula(
    "1",
    take("layers attention router dense_layers mlp moe_layers experts")
    | take("shared_experts expert embedding head norms"),
    source=_MOE,
    valid=(
        "dense_layers + moe_layers == layers; shared experts of a routed one's size"
    ),
    latex="N",
)
def moe_total_params(
    layers: Expr,
    attention: Expr,
    router: Expr,
    dense_layers: Expr,
    mlp: Expr,
    moe_layers: Expr,
    experts: Expr,
    shared_experts: Expr,
    expert: Expr,
    embedding: Expr,
    head: Expr,
    norms: Expr,
) -> Expr:
    """All parameters of a model of experts, with its dense layers and routers."""
    return total(
        layers * attention,
        dense_layers * mlp,
        moe_layers * (router + (experts + shared_experts) * expert),
        norms,
        embedding,
        head,
    )


@formula(
    "1",
    take("layers attention router dense_layers mlp moe_layers top_k")
    | take("shared_experts expert embedding head norms"),
    source=_MOE,
    valid=(
        "dense_layers + moe_layers == layers; shared experts of a routed one's size"
    ),
    latex=r"N_{act}",
)
def moe_active_params(
    layers: Expr,
    attention: Expr,
    router: Expr,
    dense_layers: Expr,
    mlp: Expr,
    moe_layers: Expr,
    top_k: Expr,
    shared_experts: Expr,
    expert: Expr,
    embedding: Expr,
    head: Expr,
    norms: Expr,
) -> Expr:
    """Parameters that one token meets: the experts that it visits, all the rest."""
    return total(
        layers * attention,
        dense_layers * mlp,
        moe_layers * (router + (top_k + shared_experts) * expert),
        norms,
        embedding,
        head,
    )


@formula(
    "1",
    take("layers attention router dense_layers mlp moe_layers top_k")
    | take("shared_experts expert vocabulary hidden"),
    source=_MOE,
    valid=(
        "dense_layers + moe_layers == layers; shared experts of a routed one's size"
    ),
    latex=r"N_{mm}",
)
def moe_matrix_params(
    layers: Expr,
    attention: Expr,
    router: Expr,
    dense_layers: Expr,
    mlp: Expr,
    moe_layers: Expr,
    top_k: Expr,
    shared_experts: Expr,
    expert: Expr,
    vocabulary: Expr,
    hidden: Expr,
) -> Expr:
    """Parameters that multiply each token in a model of experts, head included."""
    return total(
        layers * attention,
        dense_layers * mlp,
        moe_layers * (router + (top_k + shared_experts) * expert),
        vocabulary * hidden,
    )


@formula(
    "FLOP/token",
    take("layers heads head_size attended")
    | {"matrix_params": p("1", r"N_{mm}", "parameters that multiply each token")},
    source="Kaplan et al. 2020, arXiv:2001.08361, table 1; causal attention once",
    valid="attended > 0; norms, softmax and activations left out",
    latex=r"F_{tok}",
)
def forward_flops_per_token(
    layers: Expr, heads: Expr, head_size: Expr, attended: Expr, matrix_params: Expr
) -> Expr:
    """Arithmetic of one token forward: its matrices, scores and weighted values.

    `attended` is half the sequence where attention is causal, so nothing that a
    mask hides is counted.
    """
    return matrix_params * MULTIPLY_ADD + layers * heads * head_size * attended * PAIR


@formula(
    "1",
    take("vocabulary hidden tied tp pp"),
    source="Shoeybi et al. 2019 (Megatron-LM), arXiv:1909.08053, section 3",
    valid=(
        "tp >= 1; pp >= 1; embedding on the first stage, head on the last, "
        "both split by tp"
    ),
    latex=r"N_V^r",
)
def table_params_rank(
    vocabulary: Expr, hidden: Expr, tied: Expr, tp: Expr, pp: Expr
) -> Expr:
    """Parameters of embedding and head on the rank that holds most of them."""
    tables = largest(one=1, share=(2 - tied) / pp)
    return tables * vocabulary * hidden / tp
