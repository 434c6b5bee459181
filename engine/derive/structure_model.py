"""A model's parameters part by part: dense or of experts, by heads or latent.

A part that a model does not have (a dense MLP beside experts, shared experts,
leading dense layers) counts nothing where it is not stated.
"""

from isocost.engine.derive.inference_wires import (
    DENSE,
    EXPERTS,
    HEADS,
    LATENT,
    has_experts,
    is_latent,
    wired,
)
from isocost.engine.formulas import attention, plan, serving_plan, training_figures
from isocost.engine.formulas import transformer as shape
from isocost.engine.quantities import Build, quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]


def _flag(path: str) -> Build:
    def build(scope: Scope, _: Keys) -> int:
        return scope.builder.constant(float(scope.flag(path)))

    return build


def _or_none(path: str) -> Build:
    """What a path states; nothing where a model of experts does not state it."""

    def build(scope: Scope, _: Keys) -> int:
        if has_experts(scope) and not scope.has(path):
            return scope.builder.constant(0.0)
        return scope[path]

    return build


def _gate_width(scope: Scope, _: Keys) -> int:
    """The MLP in a layer's memory-bound operations: experts move tokens apart."""
    if has_experts(scope):
        return scope.builder.constant(0.0)
    return scope["model.ffn"]


def _head_width(scope: Scope, _: Keys) -> int:
    latent = is_latent(scope) and scope.has("model.mla.nope")
    return scope["model.mla.nope" if latent else "model.head_size"]


def _score_width(scope: Scope, _: Keys) -> int:
    if not is_latent(scope):
        return scope["model.head_size"]
    return scope.apply(
        attention.mla_score_size,
        head_size="model.head_width",
        rope_size="model.mla.rope",
        value_size="model.mla.value",
    )


_PARTS = {
    "layers": "model.layers",
    "attention": "model.params.attention",
    "mlp": "model.params.mlp",
    "embedding": "model.params.embedding",
    "head": "model.params.head",
    "norms": "model.params.norms",
}
_MATRICES = {
    "layers": "model.layers",
    "attention": "model.params.attention",
    "mlp": "model.params.mlp",
    "vocabulary": "model.vocabulary",
    "hidden": "model.hidden",
}
_EXPERTS = {
    "router": "model.params.router",
    "dense_layers": "model.dense_layers",
    "moe_layers": "model.moe_layers",
    "shared_experts": "model.shared_experts",
    "expert": "model.params.expert",
}
_TOTAL = ("model.params.total", "1", "Parameters in all.")
_ACTIVE = ("model.params.active", "1", "Parameters that a token meets.")
_MATRIX = ("model.params.matrix", "1", "Parameters that multiply each token.")
_ATTENTION = ("model.params.attention", "1", "Parameters of one attention layer.")
_CACHE = (
    "model.kv_per_token",
    "kB/token",
    "Cache that one token leaves in the whole model.",
)
_LATENT_CACHE = {"kv_rank": "model.mla.kv_rank", "rope_size": "model.mla.rope"}

SHAPE = (
    quantity(
        "model.head_size",
        "1",
        "Width of one head.",
        plan.head_width,
        hidden="model.hidden",
        heads="model.heads",
    ),
    quantity("model.is_gated", "1", "1 if the MLP is gated.", _flag("model.gated")),
    quantity("model.is_tied", "1", "1 if the head is tied.", _flag("model.tied")),
    quantity("model.head_width", "1", "Width of a head without rotation.", _head_width),
    quantity(
        "model.score_width",
        "1",
        "Numbers of a head in scores and weighted values, their mean.",
        _score_width,
    ),
    quantity("model.mlp_width", "1", "Width of the dense MLP.", _or_none("model.ffn")),
    quantity(
        "model.gate_width",
        "1",
        "Width of the MLP in a layer's memory-bound operations.",
        _gate_width,
    ),
    quantity(
        "model.dense_layers",
        "1",
        "Layers with a dense MLP in a model of experts.",
        _or_none("model.moe.dense_layers"),
        when=EXPERTS,
    ),
    quantity(
        "model.shared_experts",
        "1",
        "Experts that every token visits.",
        _or_none("model.moe.shared"),
        when=EXPERTS,
    ),
    quantity(
        "model.moe_layers",
        "1",
        "Layers with experts.",
        training_figures.expert_layers,
        when=EXPERTS,
        layers="model.layers",
        dense_layers="model.dense_layers",
    ),
)
PARTS = (
    quantity(
        *_ATTENTION,
        shape.attention_params,
        when=HEADS,
        hidden="model.hidden",
        heads="model.heads",
        kv_heads="model.kv_heads",
        head_size="model.head_size",
    ),
    quantity(
        *_ATTENTION,
        shape.mla_params,
        when=LATENT,
        hidden="model.hidden",
        heads="model.heads",
        query_rank="model.mla.q_rank",
        kv_rank="model.mla.kv_rank",
        head_size="model.head_width",
        rope_size="model.mla.rope",
        value_size="model.mla.value",
    ),
    *wired(w for w in serving_plan.PARTS if w.target == "mlp"),
    *wired(
        (w for w in serving_plan.MOE if w.target in {"expert", "shared_params"}),
        EXPERTS,
    ),
    quantity(
        "model.params.router",
        "1",
        "Parameters of one router.",
        training_figures.router_params,
        when=EXPERTS,
        hidden="model.hidden",
        experts="model.moe.experts",
    ),
    quantity(
        "model.params.embedding",
        "1",
        "Parameters of the embedding.",
        shape.embedding_params,
        vocabulary="model.vocabulary",
        hidden="model.hidden",
    ),
    quantity(
        "model.params.head",
        "1",
        "Parameters of the output head.",
        shape.head_params,
        vocabulary="model.vocabulary",
        hidden="model.hidden",
        tied="model.is_tied",
    ),
    quantity(
        "model.params.norms",
        "1",
        "Parameters of all norms.",
        shape.norm_params,
        layers="model.layers",
        hidden="model.hidden",
    ),
)
TOTALS = (
    quantity(*_TOTAL, shape.dense_total_params, when=DENSE, shared=_PARTS),
    quantity(
        *_TOTAL,
        shape.moe_total_params,
        when=EXPERTS,
        shared={**_PARTS, **_EXPERTS},
        experts="model.moe.experts",
    ),
    quantity(*_ACTIVE, lambda s, _: s["model.params.total"], when=DENSE),
    quantity(
        *_ACTIVE,
        shape.moe_active_params,
        when=EXPERTS,
        shared={**_PARTS, **_EXPERTS},
        top_k="model.moe.top_k",
    ),
    quantity(*_MATRIX, shape.dense_matrix_params, when=DENSE, shared=_MATRICES),
    quantity(
        *_MATRIX,
        shape.moe_matrix_params,
        when=EXPERTS,
        shared={**_MATRICES, **_EXPERTS},
        top_k="model.moe.top_k",
    ),
    quantity(
        *_CACHE,
        attention.kv_bytes_per_token,
        when=HEADS,
        layers="model.layers",
        kv_heads="model.kv_heads",
        head_size="model.head_size",
        cache_bytes="bytes.cache",
    ),
    quantity(
        *_CACHE,
        attention.mla_kv_bytes_per_token,
        when=LATENT,
        layers="model.layers",
        cache_bytes="bytes.cache",
        shared=_LATENT_CACHE,
    ),
)
QUANTITIES = (*SHAPE, *PARTS, *TOTALS)
