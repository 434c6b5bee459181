"""A step of a model of experts: its weights, its exchanges and the sums of its parts.

The counterparts of the dense formulas in `memory` and `inference`; what one layer of
experts takes stands in `moe`.
"""

from isocost.dsl.expr import Expr, ceil, largest, total
from isocost.engine.formula import Param, formula, p, q
from isocost.engine.formulas.inference import times
from isocost.engine.formulas.inference_symbols import take

_DEEPEP = "DeepSeek-AI 2025 (DeepEP, EPLB); DeepSeek-V3, arXiv:2412.19437, section 3.4"
_OWN = {
    "shared": p("s", r"t_{sh}", "matrices of the shared experts, one layer"),
    "expert_time": p("s", r"t_e", "matrices of the routed experts, one layer"),
    "permute": p("s", r"t_\sigma", "sorting tokens by expert and back, one layer"),
    "exchange": p("s", r"t_{a2a}", "sending tokens to experts and back, one layer"),
    "slices": p("1", r"t_e^p", "ranks that an expert is cut over"),
    "in_flight": p("1", "n_f", "micro-batches in the pipeline, at most pp"),
    "work": p("s", "T_w", "arithmetic of another micro-batch meanwhile"),
    "overlap": p("1", r"\chi", "share of that arithmetic that hides the exchange"),
    "table": p("1", r"N_V^r", "embedding and head parameters on the rank"),
    "shared_rank": p("1", r"N_s^r", "parameters of shared experts on the rank"),
    "dispatch_bytes": p("B", "b_d", "bytes of a number on its way to an expert"),
    "combine_bytes": p("B", "b_k", "bytes of a number on its way back"),
    "destinations": p("1", r"n_d", "ranks that a token is sent to"),
}


def _own(names: str) -> dict[str, Param]:
    return {name: _OWN[name] for name in names.split()}


@formula(
    "1",
    take("ep top_k"),
    source=_DEEPEP,
    valid=("ep >= 1; top_k >= 1; a token's experts placed apart from one another"),
    latex="n_d",
)
def expert_destinations(ep: Expr, top_k: Expr) -> Expr:
    """Distinct ranks that a token's experts sit on, in expectation."""
    return ep * (1 - (1 - 1 / ep) ** top_k)


@formula(
    "B",
    take("tokens hidden ep") | _own("destinations dispatch_bytes combine_bytes"),
    source=_DEEPEP,
    valid="ep >= 1; of what a rank sends, its own share stays",
)
def expert_exchange_bytes(
    tokens: Expr,
    hidden: Expr,
    ep: Expr,
    destinations: Expr,
    dispatch_bytes: Expr,
    combine_bytes: Expr,
) -> Expr:
    """Bytes that a rank sends in one layer: tokens out to experts and back."""
    numbers = tokens / q("1 token") * hidden * destinations * (ep - 1) / ep
    return numbers * (dispatch_bytes + combine_bytes)


@formula(
    "B",
    take("layers pp attention_rank attention_bytes dense_layers mlp_rank moe_layers")
    | take("experts_rank expert router weight_bytes table_bytes")
    | _own("slices shared_rank table"),
    source="counted from the layout of the model over its ranks",
    valid=("pp >= 1; slices >= 1; stages alike; routers in the bytes of embeddings"),
    latex="M_w",
)
def moe_weight_bytes(
    layers: Expr,
    pp: Expr,
    attention_rank: Expr,
    attention_bytes: Expr,
    dense_layers: Expr,
    mlp_rank: Expr,
    moe_layers: Expr,
    experts_rank: Expr,
    expert: Expr,
    router: Expr,
    weight_bytes: Expr,
    table_bytes: Expr,
    slices: Expr,
    shared_rank: Expr,
    table: Expr,
) -> Expr:
    """Weights of a model of experts on one rank."""
    experts = moe_layers * (experts_rank * expert / slices + shared_rank)
    low = (dense_layers * mlp_rank + experts) * weight_bytes
    wide = layers * attention_rank * attention_bytes
    stage = ceil(layers / pp) / layers
    return (
        stage * (low + wide + moe_layers * router * table_bytes) + table * table_bytes
    )


@formula(
    "B",
    take("moe_layers pp experts_rank expert weight_bytes")
    | _own("slices")
    | {
        "weights": p("B", r"M_w", "weights on the rank"),
        "distinct": p("1", "E_t", "experts of the rank that a step touches"),
    },
    source="counted: experts that no token visits are not read",
    valid=("distinct <= experts_rank; pp >= 1; slices >= 1; layers touched alike"),
)
def touched_weight_bytes(
    moe_layers: Expr,
    pp: Expr,
    experts_rank: Expr,
    expert: Expr,
    weight_bytes: Expr,
    slices: Expr,
    weights: Expr,
    distinct: Expr,
) -> Expr:
    """Weights of a rank that one pass reads: all but the experts passed by."""
    passed = moe_layers / pp * (experts_rank - distinct) * expert / slices
    return weights - passed * weight_bytes


@formula(
    "s",
    take("layers dense_layers moe_layers")
    | times("attention_matrices mlp_matrices head_matrix")
    | _own("shared expert_time in_flight"),
    source="sum over the parts of a step",
    valid=(
        "dense_layers + moe_layers == layers; in_flight >= 1; the head "
        "waits as in a dense model"
    ),
    latex="T_m",
)
def moe_step_matrix(
    layers: Expr,
    dense_layers: Expr,
    moe_layers: Expr,
    attention_matrices: Expr,
    mlp_matrices: Expr,
    head_matrix: Expr,
    shared: Expr,
    expert_time: Expr,
    in_flight: Expr,
) -> Expr:
    """Matrices of a step of a model of experts."""
    return total(
        layers * attention_matrices,
        dense_layers * mlp_matrices,
        moe_layers * (shared + expert_time),
        in_flight * head_matrix,
    )


@formula(
    "s",
    take("layers moe_layers") | times("elementwise") | _own("permute"),
    source="sum over the parts of a step",
    valid="moe_layers <= layers; layers alike",
    latex="T_x",
)
def moe_step_memory(
    layers: Expr, moe_layers: Expr, elementwise: Expr, permute: Expr
) -> Expr:
    """Memory-bound operations of a step of a model of experts."""
    return layers * elementwise + moe_layers * permute


@formula(
    "s",
    take("layers dense_layers moe_layers pp")
    | times("all_reduce send")
    | _own("exchange"),
    source=_DEEPEP,
    valid=(
        "pp >= 1; all_reduce is nil where attention is data parallel, "
        "exchange where ep is 1"
    ),
    latex="T_n",
)
def moe_step_network(
    layers: Expr,
    dense_layers: Expr,
    moe_layers: Expr,
    pp: Expr,
    all_reduce: Expr,
    send: Expr,
    exchange: Expr,
) -> Expr:
    """Communication of a step: all-reduce after attention and MLP, or the exchange."""
    reduces = (layers + dense_layers) * all_reduce
    return reduces + moe_layers * exchange + (pp - 1) * send


@formula(
    "s",
    _own("exchange work overlap"),
    source="SGLang 2025, two-batch overlap; DeepSeek-V3, arXiv:2412.19437, section 3.2",
    valid=(
        "0 <= overlap <= 1; nothing hidden, or only what exceeds the arithmetic is seen"
    ),
)
def exposed_exchange(exchange: Expr, work: Expr, overlap: Expr) -> Expr:
    """What is left of an exchange beside the arithmetic of a second micro-batch."""
    return largest(exposed=exchange - overlap * work, hidden=0)
