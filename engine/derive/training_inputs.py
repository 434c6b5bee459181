"""What a training step takes from a scenario: the plan's inputs, by name.

`SOURCES` says under which path each input of `training_plan` is found. What is
stated or derived elsewhere has its path there; the rest is derived under `train.…`
by `training_model`, `training_hardware` and `training_work`, with the helpers here.
"""

from collections.abc import Callable

from isocost.engine.derive.common import TRAINING
from isocost.engine.quantities import Build, Quantity, quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]

_STACK = {
    "causal": "causal",
    "generation_share": "generation",
    "reference": "reference",
    "variant": "variant",
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
    "half_load": "experts.half_load",
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


def structural(name: str, doc: str, test: Callable[[Scope], bool]) -> Quantity:
    """A yes or no of the plan's structure, as `train.NAME`."""
    return quantity(f"train.{name}", "1", doc, _is(test), when=TRAINING)


def number(name: str, doc: str, build: Build, unit: str = "1") -> Quantity:
    """An input of the plan that a function builds, as `train.NAME`."""
    return quantity(f"train.{name}", unit, doc, build, when=TRAINING)
