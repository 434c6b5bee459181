"""How a training step is composed: which formula feeds which, as one table.

The graph builds its nodes from it and the calibration walks it over arrays, so the
two cannot disagree. A `Use` names a node, its formula and where each parameter
comes from: a node above it, an input, or a plain number; a parameter that is not
mentioned has the name of its source. Whatever no node makes is an input.
"""

from collections.abc import Iterable, Iterator, Mapping

import attrs

from isocost.engine.formula import Formula
from isocost.engine.formulas import (
    chip,
    parallelism,
    training,
    training_kernels,
    training_memory,
    training_overheads,
    training_parts,
)

Source = str | float


@attrs.frozen
class Use:
    """One node: a formula applied to sources, by parameter."""

    name: str
    formula: Formula
    sources: Mapping[str, Source]

    def inputs(self) -> Iterator[tuple[str, Source]]:
        """Each parameter with its source."""
        for parameter in self.formula.params:
            yield parameter, self.sources.get(parameter, parameter)


def use(name: str, formula: Formula, **sources: Source) -> Use:
    """A node of the table.

    Args:
        name: The node.
        formula: What makes it.
        **sources: Parameters whose source has another name.

    Raises:
        ValueError: A parameter that the formula does not have.
    """
    unknown = set(sources) - set(formula.params)
    if unknown:
        message = f"{name}: {formula.name} has no {', '.join(sorted(unknown))}"
        raise ValueError(message)
    return Use(name, formula, sources)


#: Bytes that a 16-bit weight, its 32-bit gradient and Adam's state take.
_WEIGHT, _GRADIENT, _STATE = 2.0, 4.0, 12.0

_LAYOUT = (
    use("tokens", parallelism.micro_tokens),
    use("micro_batches", parallelism.micro_batches),
    use("group", parallelism.replica_group),
    use("expert_group", parallelism.expert_replica_group),
    use("stage_stride", parallelism.stage_stride),
    use("attended", training.attended_tokens),
    use("params_rank", training_kernels.stage_params),
    use("active_rank", training_kernels.routed_params),
    use("experts_rank", training_memory.expert_params_rank),
    use("table_rank", training_memory.tables_rank),
    use("held", training_memory.dense_held),
)
_MEMORY = (
    use(
        "weights_memory",
        training_memory.weights_memory,
        params_rank="held",
        element_bytes=_WEIGHT,
    ),
    use(
        "gradients_memory",
        training_memory.gradients_memory,
        params_rank="held",
        gradient_bytes=_GRADIENT,
    ),
    use(
        "state_memory",
        training_memory.state_memory,
        params_rank="held",
        state_bytes=_STATE,
    ),
    use("activations_memory", training_memory.activations_memory),
    use("room", training_memory.activation_room),
    use("recompute_needed", training_memory.recompute_needed),
    use(
        "recompute",
        training_memory.recompute_share,
        stated="recompute_stated",
        known="recompute_known",
        needed="recompute_needed",
    ),
    use(
        "dropped",
        training_memory.dropped_share,
        stated="recompute_stated",
        known="recompute_known",
    ),
    use("memory_used", training_memory.training_memory_used),
    use("memory_fits", training_memory.training_fits, used="memory_used"),
    use("memory_shortfall", training_memory.training_shortfall, used="memory_used"),
)
_CHIP = (
    use("memory", chip.rank_bandwidth),
    use("share", chip.matrix_share, base="matrix_base", slope="power_slope"),
    use(
        "plain_share",
        chip.matrix_share,
        peak="peak_plain",
        base="matrix_base",
        slope="power_slope",
    ),
    use("chip_share", training_kernels.variant_share, peak="peak_plain"),
    use("arithmetic", training_kernels.training_arithmetic, matrix_share="share"),
    use(
        "plain_arithmetic",
        training_kernels.training_arithmetic,
        peak="peak_plain",
        matrix_share="plain_share",
        precision_share=1.0,
    ),
)
_KERNELS = (
    use("forward", training_kernels.pass_time),
    use("matrices", training_kernels.matrix_passes),
    use("expert_forward", training_kernels.pass_time, params_rank="active_rank"),
    use(
        "expert_plain",
        training_kernels.matrix_passes,
        forward="expert_forward",
        plain_gradient=0.0,
    ),
    use("expert_matrices", training_kernels.grouped_time, plain="expert_plain"),
    use("routing", training_overheads.routing_time),
    use("matrix_bytes", training_kernels.matrix_traffic_time),
    use("fused", training_kernels.flash_attention_time),
    use("attention_recompute", training_memory.attention_recompute),
    use(
        "unfused",
        training_kernels.unfused_attention_time,
        recompute="attention_recompute",
    ),
    use("attention_time", training_kernels.attention_pass_time),
    use("elementwise", training_kernels.training_elementwise_time),
    use("casts", training_overheads.cast_time),
    use("head_time", training_overheads.training_head_time),
)


def _ring(name: str, group: str, stride: Source, share: str = "link_share") -> Use:
    return use(
        f"{name}_bandwidth",
        parallelism.ring_bandwidth,
        group=group,
        stride=stride,
        link_share=share,
        nic="nic" if name == "tp" else f"{name}_nic",
    )


_NETWORK = (
    _ring("tp", "tp", 1.0, "reduce_share"),
    _ring("cp", "cp", "tp"),
    _ring("dp", "group", "tp"),
    _ring("expert", "expert_group", "ep"),
    _ring("send", "pp", "stage_stride"),
    use(
        "tensor_parallel",
        parallelism.tensor_parallel_time,
        bandwidth="tp_bandwidth",
        exposed="tp_exposed",
    ),
    use(
        "context_parallel",
        parallelism.context_parallel_time,
        bandwidth="cp_bandwidth",
        exposed="cp_exposed",
    ),
    use(
        "expert_parallel",
        parallelism.expert_parallel_time,
        exposed="ep_exposed",
        nic="exchange_nic",
    ),
    use(
        "send",
        parallelism.stage_send_time,
        bandwidth="send_bandwidth",
        latency="send_latency",
    ),
)
_STAGE = (
    use("chip_time", training.stage_work),
    use("last_chip_time", training.last_stage_work),
    use("host_time", training_overheads.host_time),
    use("last_host_time", training.last_stage_host),
    use("stage", training_overheads.stage_time),
    use(
        "last_stage",
        training_overheads.stage_time,
        chip_time="last_chip_time",
        host_time="last_host_time",
    ),
)
_REPLICAS = (
    use(
        "gather",
        training_overheads.replica_exchange_time,
        params_rank="held",
        gradient_bytes="gather_bytes",
        bandwidth="dp_bandwidth",
    ),
    use(
        "gather_exposed",
        parallelism.exposed_time,
        communication="gather",
        window="stage",
        overlap="gather_overlap",
    ),
    use("gathers", parallelism.sharded_exchange, exposed="gather_exposed"),
    use(
        "exchange",
        training_overheads.replica_exchange_time,
        params_rank="held",
        gradient_bytes="reduce_bytes",
        bandwidth="dp_bandwidth",
    ),
    use("reduction_window", parallelism.reduction_window),
    use(
        "exchange_exposed",
        parallelism.exposed_time,
        communication="exchange",
        window="reduction_window",
        overlap="reduce_overlap",
    ),
    use("reduction", parallelism.replica_reduction, exposed="exchange_exposed"),
    use("optimizer", training_overheads.optimizer_time, params_rank="held"),
)
_STEP = (
    use("pipeline", parallelism.pipeline_time),
    use("sends", parallelism.pipeline_sends, exposed="send_exposed"),
    use("step", training.training_step_time),
    use("step_tokens", training.step_tokens),
    use("throughput", training.training_throughput),
)
#: Where the time of a step goes; `waiting` is what the others leave.
PARTS: tuple[Use, ...] = (
    use("step_matrix", training_parts.training_step_matrix),
    use("step_attention", training_parts.training_step_attention),
    use("step_memory", training_parts.training_step_memory),
    use("step_network", training_parts.training_step_network),
    use("step_launch", training_parts.training_step_launch),
    use("step_waiting", training_parts.training_step_waiting),
)

#: A training step from shape, plan, chip and stack to its time, in order.
STEP: tuple[Use, ...] = (
    *_LAYOUT,
    *_CHIP,
    *_MEMORY,
    *_KERNELS,
    *_NETWORK,
    *_STAGE,
    *_REPLICAS,
    *_STEP,
)


def inputs_of(table: Iterable[Use]) -> dict[str, str]:
    """What a table takes from outside: each input's name with its unit."""
    made: set[str] = set()
    found: dict[str, str] = {}
    for node in table:
        for parameter, source in node.inputs():
            if isinstance(source, str) and source not in made:
                found.setdefault(source, node.formula.params[parameter].unit)
        made.add(node.name)
    return found
