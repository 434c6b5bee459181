"""What a training step takes from a scenario: the plan's inputs, by name.

`SOURCES` says under which path each input of `training_plan` is found. Some are
stated or derived elsewhere; those that this module derives are below, from words
(precision, ZeRO, recomputation), from the model's structure, and from topologies.
"""

import functools
from collections.abc import Callable

from isocost.engine.derive.common import TRAINING, add_up, compute_format
from isocost.engine.formula import Formula
from isocost.engine.formulas import parallelism, training_figures, transformer
from isocost.engine.quantities import Build, Quantity, quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]

_STACK = {
    "causal": "causal",
    "chip_share": "generation",
    "matrix_traffic": "matrix_traffic",
    "traffic": "traffic",
    "flash": "fused_attention",
    "batched_share": "batched",
    "unfused_host": "unfused_host",
    "loss_bytes": "loss_bytes",
    "sharpness": "sharpness",
    "link_share": "link_share",
    "nic_share": "nic_share",
    "latency": "latency",
    "send_latency": "send_latency",
    "tp_exposed": "exposed.tp",
    "cp_exposed": "exposed.cp",
    "ep_exposed": "exposed.ep",
    "send_exposed": "exposed.send",
    "gather_overlap": "overlap.gather",
    "reduce_overlap": "overlap.reduce",
    "gather_bytes": "bytes.gather",
    "reduce_bytes": "bytes.reduce",
    "balanced": "balanced",
    "sequence_parallel": "sequence_parallel",
    "slowdown": "experts.slowdown",
    "moe_passes": "experts.passes",
    "expert_host": "experts.host",
    "spill": "spill",
    "straggle": "straggle",
}
#: Inputs of the plan by name, and the path of each.
SOURCES = {
    **{name: f"software.training.{path}" for name, path in _STACK.items()},
    "matrix_base": "software.matrix.base",
    "power_slope": "software.matrix.slope",
    "attention_share": "software.attention.efficiency",
    "memory_share": "software.memory.sustained",
    "layer_host": "software.layer_overhead",
    "step_host": "software.step_overhead",
    "batch": "workload.batch.global",
    "micro_batch": "workload.batch.micro",
    "sequence": "workload.sequence",
    **{d: f"workload.parallel.{d}" for d in ("tp", "pp", "cp", "dp", "ep")},
    "chunks": "workload.parallel.virtual",
    "ranks": "ranks",
    "layers": "model.layers",
    "hidden": "model.hidden",
    "heads": "model.heads",
    "vocabulary": "model.vocabulary",
    "gated": "model.is_gated",
    "memory_bandwidth": "chip.memory.bandwidth",
    "power": "chip.power",
    "peak": "rank.peak",
    "peak_plain": "chip.peak[bf16]",
    "rank_chips": "rank.chips",
    "capacity": "rank.memory",
    "element_bytes": "bytes.activation",
}


def source_of(name: str) -> str:
    """The path of an input of the plan."""
    return SOURCES.get(name, f"train.{name}")


def _is(test: Callable[[Scope], bool]) -> Build:
    """A structural yes or no as the number 1 or 0."""

    def build(scope: Scope, _: Keys) -> int:
        return scope.builder.constant(float(test(scope)))

    return build


def stated_or(path: str, otherwise: float) -> Build:
    """What a path states, else a number."""

    def build(scope: Scope, _: Keys) -> int:
        if scope.has(path):
            return scope[path]
        return scope.builder.constant(otherwise)

    return build


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


def _of_precision(scope: Scope, _: Keys) -> int:
    path = f"software.training.precision[{compute_format(scope)}]"
    return stated_or(path, 1.0)(scope, ())


def is_low(scope: Scope) -> bool:
    """Whether matrices run in 8 bits or fewer."""
    return compute_format(scope) in {"fp8", "fp6", "fp4", "int8", "int4"}


def _kept(scope: Scope, _: Keys) -> int:
    low, adapters = is_low(scope), scope.flag("workload.adapters")
    shares = [
        f"software.training.kept.{name}"
        for name, holds in (("low", low), ("adapters", adapters))
        if holds
    ]
    if len(shares) == 2:  # noqa: PLR2004 (both)
        names = zip(("low", "adapters"), shares, strict=True)
        return scope.apply(training_figures.kept_of_both, **dict(names))
    return scope[shares[0]] if shares else scope.builder.constant(1.0)


_RECOMPUTED = {"none": 0.0, "selective": 0.0, "full": 1.0}


def _recompute(scope: Scope, _: Keys) -> int:
    if scope.has("workload.recompute.share"):
        return scope["workload.recompute.share"]
    word = scope.word("workload.recompute") or "none"
    return scope.builder.constant(_RECOMPUTED[word])


def _recompute_known(scope: Scope) -> bool:
    stated = ("workload.recompute.share", "workload.recompute")
    return any(scope.has(path) for path in stated)


def _reduce_share(scope: Scope, _: Keys) -> int:
    own = scope.has("software.training.all_reduce")
    return scope[f"software.training.{'all_reduce' if own else 'link_share'}"]


def _one_link(_: int) -> int:
    return 1


#: Links of a chip along an axis of `n` chips, by kind of topology; 1 for others.
_NEIGHBOURS: dict[str, Callable[[int], int]] = {
    "torus": lambda n: min(2, n - 1),
    "mesh": lambda n: min(2, n - 1),
    "hyperx": lambda n: n - 1,
}


def _link(scope: Scope, _: Keys) -> int:
    """Links of a chip into its domain: all axes, one way."""
    axes = scope.keys("system", "topology.link[]")
    if not axes:
        path = "chip.scale_up.bandwidth"
        return _of_rank(scope, path)
    kind, args = scope.call("system.topology") or ("switch", {})
    if len(axes) == 1 and kind in _NEIGHBOURS:
        axes = [name for name, n in args.items() if not isinstance(n, str)] or axes
    parts = [_axis(scope, kind, axis, args.get(axis)) for axis in axes]
    return _of_rank(scope, Node(add_up(scope, parts, "B/s/chip")))


def _axis(scope: Scope, kind: str, axis: str, size: "float | str | None") -> int:
    keys = scope.keys("system", "topology.link[]")
    key = axis if axis in keys else keys[0]
    count = int(size) if size is not None and not isinstance(size, str) else 2
    return scope.apply(
        training_figures.axis_bandwidth,
        neighbours=float(_NEIGHBOURS.get(kind, _one_link)(count)),
        bandwidth=f"system.topology.link[{key}].bandwidth",
    )


def _of_rank(scope: Scope, bandwidth: "str | Node") -> int:
    return scope.apply(
        training_figures.bandwidth_of_rank, bandwidth=bandwidth, rank_chips="rank.chips"
    )


def _nic(scope: Scope, _: Keys) -> int:
    """The scale-out network of a chip: as the fabric, the system or the chip says."""
    paths = ("fabric.bandwidth", "system.scale_out.bandwidth")
    stated = [path for path in paths if scope.has(path)]
    return _of_rank(scope, (*stated, "chip.scale_out.bandwidth")[0])


def _micro(scope: Scope, _: Keys) -> int:
    paths = {
        "batch": "workload.batch.global",
        "dp": "workload.parallel.dp",
        "pp": "workload.parallel.pp",
        "sequence": "workload.sequence",
    }
    rule = training_figures.micro_batch_by_rule
    if not scope.flag("software.training.accumulates"):
        rule = training_figures.whole_share
    return scope.apply(rule, **{name: paths[name] for name in rule.params})


def fill(scope: Scope, _: Keys) -> int:
    """Replicas that fill the system, where none are stated.

    Raises:
        MissingInputError: Not one fits.
    """
    node = scope.apply(
        parallelism.data_parallel,
        ranks="ranks.installed",
        tp="workload.parallel.tp",
        pp="workload.parallel.pp",
        cp="workload.parallel.cp",
    )
    need_ranks(scope, "dp", node)
    return node


def need_ranks(scope: Scope, what: str, replicas: int) -> None:
    """Refuse a plan of more ranks than there are, unless it is still to be chosen.

    Raises:
        MissingInputError: It names the shortfall and the least that would do.
    """
    from isocost.engine.choices import open_inputs
    from isocost.engine.program import point

    graph = scope.builder.freeze()
    if open_inputs(graph, [replicas]):
        return
    degrees = {d: scope[f"workload.parallel.{d}"] for d in ("tp", "pp", "cp")}
    if what == "ranks":
        degrees["dp"] = scope["workload.parallel.dp"]
    there = scope["ranks.installed"]
    by_chip = scope["rank.chips"]
    wanted = (replicas, there, by_chip, *degrees.values())
    values = point(scope.builder.freeze(), wanted)
    if values[replicas] >= 1:
        return
    asked = functools.reduce(lambda a, d: a * values[d], degrees.values(), 1.0)
    words = " · ".join(f"{d} {values[n]:g}" for d, n in degrees.items())
    reason = (
        f"{words} = {asked:g} ranks, of which {asked - values[there]:g} are missing: "
        f"the least that would do is size = {asked * values[by_chip]:g} chip"
    )
    raise scope.fail("M003", reason=reason)


def _structural(name: str, doc: str, test: Callable[[Scope], bool]) -> Quantity:
    return quantity(f"train.{name}", "1", doc, _is(test), when=TRAINING)


def _number(name: str, doc: str, build: Build, unit: str = "1") -> Quantity:
    return quantity(f"train.{name}", unit, doc, build, when=TRAINING)


def _zero(scope: Scope, _: Keys) -> int:
    return scope.builder.constant(float(scope.word("workload.zero") or 1))


MODEL = (
    _number("moe_layers", "Layers with experts.", _moe_layers),
    quantity(
        "train.dense_layers",
        "1",
        "Layers with a dense MLP.",
        training_figures.plain_layers,
        when=TRAINING,
        layers="model.layers",
        moe_layers="train.moe_layers",
    ),
    _number(
        "experts", "Routed experts of a layer.", stated_or("model.moe.experts", 0.0)
    ),
    _number("top_k", "Experts that a token visits.", stated_or("model.moe.top_k", 0.0)),
    _number("shared_experts", "Shared experts.", stated_or("model.moe.shared", 0.0)),
    _number("expert_ffn", "Width of one expert.", stated_or("model.moe.ffn", 0.0)),
    _number("ffn", "Width of the dense MLP.", stated_or("model.ffn", 0.0)),
    _number(
        "window",
        "Reach of windowed layers.",
        stated_or("model.window.size", 1.0),
        "token",
    ),
    _number(
        "window_share",
        "Share of windowed layers.",
        stated_or("model.window.share", 0.0),
    ),
    _number(
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
    _number(
        "score_width",
        "Numbers of a token in scores and in weighted values.",
        _by_attention(
            training_figures.score_numbers, training_figures.mla_score_numbers
        ),
    ),
    _number(
        "kv_width",
        "Numbers of a token's keys and values.",
        _by_attention(training_figures.kv_numbers, training_figures.mla_kv_numbers),
    ),
    _number(
        "qkv_width",
        "Numbers of a token's queries, keys and values.",
        _by_attention(training_figures.qkv_numbers, training_figures.mla_qkv_numbers),
    ),
)
_BY_CHIP = {"chips_per_system": "system.chips", "rank_chips": "rank.chips"}
HARDWARE = (
    _number("link", "Scale-up bandwidth of a rank, one way.", _link, "GB/s"),
    _number("nic", "Scale-out bandwidth of a rank, one way.", _nic, "GB/s"),
    quantity(
        "train.domain",
        "1",
        "Ranks of a scale-up domain.",
        training_figures.ranks_of_domain,
        when=TRAINING,
        shared=_BY_CHIP,
    ),
    quantity(
        "train.node_ranks",
        "1",
        "Ranks of a server.",
        training_figures.ranks_of_server,
        when=TRAINING,
        servers="system.servers",
        shared=_BY_CHIP,
    ),
    quantity(
        "ranks.installed",
        "1",
        "Whole ranks of all chips.",
        training_figures.ranks_installed,
        chips="chips",
        rank_chips="rank.chips",
    ),
    quantity(
        "train.reserve",
        "GB",
        "Memory of a rank for buffers, runtime and fragments.",
        training_figures.training_reserve,
        when=TRAINING,
        share="software.training.reserve",
        capacity="chip.memory.usable",
        fixed="software.memory.reserve",
        rank_chips="rank.chips",
    ),
)
CHOSEN = (
    quantity(
        "workload.parallel.dp",
        "1",
        "Data parallelism, where none is stated: what fills the system.",
        fill,
        when=TRAINING,
    ),
    quantity(
        "workload.batch.micro",
        "sequence",
        "Sequences of a micro-batch, where none are stated: by a rule.",
        _micro,
        when=TRAINING,
    ),
    _number("zero", "Stage of ZeRO.", _zero),
    _structural(
        "weight_gradient",
        "1 if weights are trained, 0 for adapters.",
        lambda s: not s.flag("workload.adapters"),
    ),
    _structural("low", "1 if matrices run in 8 bits or fewer.", is_low),
    _structural(
        "plain_gradient",
        "1 if gradients of weights run in 16 bits all the same.",
        lambda s: compute_format(s) == "int8",
    ),
    _number(
        "precision_share", "Share of the law in the operands' format.", _of_precision
    ),
    _number("kept_share", "Share of 16-bit activations that is kept.", _kept),
    _number("reduce_share", "Share of a link in all-reduces.", _reduce_share),
    _number("recompute_stated", "Recomputation that the workload states.", _recompute),
    _structural(
        "recompute_known",
        "1 if the workload states its recomputation.",
        _recompute_known,
    ),
    _structural(
        "selective",
        "1 if attention alone is recomputed by plan.",
        lambda s: s.word("workload.recompute") == "selective",
    ),
)
QUANTITIES = (*MODEL, *HARDWARE, *CHOSEN)
