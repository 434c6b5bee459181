"""The model as a training step takes it: layers, experts, widths of attention."""

from isocost.engine.derive.common import TRAINING
from isocost.engine.derive.training_inputs import Keys, number, stated_or
from isocost.engine.formula import Formula
from isocost.engine.formulas import training_figures, transformer
from isocost.engine.quantities import Build, quantity
from isocost.engine.scope import Node, Scope


def has_experts(scope: Scope) -> bool:
    """Whether the model is one of experts."""
    return scope.has("model.moe.experts")


def _latent(scope: Scope) -> bool:
    return scope.word("model.attention") == "mla"


def _moe_layers(scope: Scope, _: Keys) -> int:
    if not has_experts(scope):
        return scope.builder.constant(0.0)
    return scope.apply(
        training_figures.expert_layers,
        layers="model.layers",
        dense_layers=Node(stated_or("model.moe.dense_layers", 0.0)(scope, ())),
    )


def _by_attention(plain: Formula, latent: Formula) -> Build:
    """A formula for heads of their own, another for those led up from a latent."""
    paths = {
        "hidden": "model.hidden",
        "heads": "model.heads",
        "kv_heads": "model.kv_heads",
        "head_size": "model.head_size",
        "query_rank": "model.mla.q_rank",
        "kv_rank": "model.mla.kv_rank",
        "rope_size": "model.mla.rope",
        "value_size": "model.mla.value",
    }

    def build(scope: Scope, _: Keys) -> int:
        chosen, found = plain, paths
        if _latent(scope):
            chosen = latent
            nope = "model.mla.nope"
            found = {
                **paths,
                "head_size": nope if scope.has(nope) else paths["head_size"],
            }
        return scope.apply(chosen, **{name: found[name] for name in chosen.params})

    return build


QUANTITIES = (
    number("moe_layers", "Layers with experts.", _moe_layers),
    quantity(
        "train.dense_layers",
        "1",
        "Layers with a dense MLP.",
        training_figures.plain_layers,
        when=TRAINING,
        layers="model.layers",
        moe_layers="train.moe_layers",
    ),
    number(
        "experts", "Routed experts of a layer.", stated_or("model.moe.experts", 0.0)
    ),
    number("top_k", "Experts that a token visits.", stated_or("model.moe.top_k", 0.0)),
    number("shared_experts", "Shared experts.", stated_or("model.moe.shared", 0.0)),
    number("expert_ffn", "Width of one expert.", stated_or("model.moe.ffn", 0.0)),
    number("ffn", "Width of the dense MLP.", stated_or("model.ffn", 0.0)),
    number(
        "window",
        "Reach of windowed layers.",
        stated_or("model.window.size", 1.0),
        "token",
    ),
    number(
        "window_share",
        "Share of windowed layers.",
        stated_or("model.window.share", 0.0),
    ),
    number(
        "attention",
        "Parameters of one attention layer.",
        _by_attention(transformer.attention_params, transformer.mla_params),
    ),
    *(
        quantity(
            f"train.{name}",
            "1",
            doc,
            transformer.mlp_params,
            when=TRAINING,
            hidden="model.hidden",
            ffn=width,
            gated="model.is_gated",
        )
        for name, doc, width in (
            ("mlp", "Parameters of one dense MLP.", "train.ffn"),
            ("expert", "Parameters of one expert.", "train.expert_ffn"),
        )
    ),
    number(
        "score_width",
        "Numbers of a token in scores and in weighted values.",
        _by_attention(
            training_figures.score_numbers, training_figures.mla_score_numbers
        ),
    ),
    number(
        "kv_width",
        "Numbers of a token's keys and values.",
        _by_attention(training_figures.kv_numbers, training_figures.mla_kv_numbers),
    ),
    number(
        "qkv_width",
        "Numbers of a token's queries, keys and values.",
        _by_attention(training_figures.qkv_numbers, training_figures.mla_qkv_numbers),
    ),
)
