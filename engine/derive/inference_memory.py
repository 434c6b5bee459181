"""Weights and cache of a serving rank, and whether they fit."""

from isocost.engine.derive.common import INFERENCE
from isocost.engine.derive.inference_wires import (
    DENSE,
    EXPERTS,
    HEADS,
    LATENT,
    serving,
    wired,
)
from isocost.engine.formulas import memory, serving_plan
from isocost.engine.quantities import quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]
_PARTS = tuple(w for w in serving_plan.PARTS if w.target != "mlp")
_EXPERTS = tuple(
    w for w in serving_plan.MOE if w.target not in {"expert", "shared_params"}
)


def _spare(scope: Scope, _: Keys) -> int:
    """Copies of experts on a rank, of those that are kept for balance."""
    from isocost.engine.formulas import moe

    if not scope.has("model.moe.redundancy"):
        return scope.builder.constant(0.0)
    return scope.apply(
        moe.spare_on_rank, spare="model.moe.redundancy", ep="workload.parallel.ep"
    )


QUANTITIES = (
    *wired(_PARTS, INFERENCE),
    *wired(serving_plan.GQA, serving(HEADS)),
    *wired(serving_plan.MLA, serving(LATENT)),
    *wired(serving_plan.DENSE, serving(DENSE)),
    *wired(_EXPERTS, serving(EXPERTS)),
    *wired(serving_plan.ROOM, INFERENCE),
    quantity(
        "rank.spare_experts",
        "1",
        "Copies of experts on a rank that are kept for balance.",
        _spare,
        when=serving(EXPERTS),
    ),
    quantity(
        "memory.cache",
        "GB",
        "Cache of the batch on one rank.",
        memory.cache_bytes_used,
        when=INFERENCE,
        batch="workload.batch.instance",
        dp="workload.parallel.dp",
        sequence_cache="memory.sequence",
    ),
    quantity(
        "memory.used",
        "GB",
        "Memory of a rank in use.",
        memory.memory_used,
        when=INFERENCE,
        reserve="rank.reserve",
        weights="memory.weights",
        cache="memory.cache",
    ),
    quantity(
        "memory.fits",
        "1",
        "1 if weights and cache fit into the memory of a rank.",
        memory.memory_fits,
        when=INFERENCE,
        room="memory.room",
        cache="memory.cache",
        headline=True,
    ),
    quantity(
        "memory.shortfall",
        "GB",
        "Memory that a rank lacks.",
        memory.memory_shortfall,
        when=INFERENCE,
        cache_share="software.memory.usable",
        reserve="rank.reserve",
        rank_memory="rank.memory",
        weights="memory.weights",
        cache="memory.cache",
    ),
)
