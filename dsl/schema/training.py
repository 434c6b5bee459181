"""What `workload` and `software` say about training alone.

The two kinds take these fields over from here. The coefficients of a stack are the
inputs of the formulas of a training step, one by one; a default is what was expected
of a stack before any was measured, and wide.
"""

from typing import Any

import attrs

from isocost.dsl.schema.base import count, flag, quantity, share
from isocost.dsl.schema.chip import FORMATS

_PRIOR = "expected of a stack before any was measured"
_DESIGN = "what current stacks do by design"
_ENDS = ("least", "most")
_fields = attrs.frozen(init=False, repr=False, eq=False)


@_fields
class TrainingWork:
    """A workload's training alone."""

    adapters: Any = flag(
        "Whether adapters are trained and the weights are frozen (LoRA).",
        "false",
        "training is of all weights unless stated",
    )
    recompute__share: Any = share(
        "Share of the forward pass done again, where it is between none and full.",
        path="recompute.share",
    )


@_fields
class TrainingStack:
    """A stack's training alone."""

    training__generation: Any = quantity(
        "1",
        "Share of the law of matrices that a generation of chips reaches.",
        path="training.generation",
        default="0.65 to 1.25",
        source=_PRIOR,
    )
    training__reference: Any = quantity(
        "TFLOP/J",
        "Peak in 16 bits over power of the chip that the generation's share is of.",
        path="training.reference",
        default="1 TFLOP/J",
        source="of no effect without `training.variant`",
    )
    training__variant: Any = quantity(
        "1",
        "Fall of the share with peak over power among variants of one silicon.",
        path="training.variant",
        default="0",
        source="a stack that was calibrated on one chip of a kind",
    )
    training__precision: Any = quantity(
        "1",
        "The same for one number format; 1 where left out.",
        keys=FORMATS,
        path="training.precision[]",
    )
    training__matrix_traffic: Any = share(
        "Share of a matrix's memory traffic that shows.",
        path="training.matrix_traffic",
        default="0.4",
        source=_PRIOR,
    )
    training__traffic: Any = quantity(
        "1",
        "Memory traffic of elementwise operations over the fused minimum.",
        path="training.traffic",
        default="1.05 to 2.45",
        source=_PRIOR,
    )
    training__fused_attention: Any = flag(
        "Whether attention runs in one kernel.",
        "true",
        _DESIGN,
        path="training.fused_attention",
    )
    training__causal: Any = flag(
        "Whether attention skips what a causal mask hides.",
        "true",
        _DESIGN,
        path="training.causal",
    )
    training__batched: Any = share(
        "Share of the peak that batched matrices of unfused attention reach.",
        path="training.batched",
        default="0.6",
        source=_PRIOR,
    )
    training__unfused_host: Any = quantity(
        "1",
        "Extra host time of an unfused softmax, over a layer's.",
        path="training.unfused_host",
        default="0",
        source="nothing where attention is fused",
    )
    training__loss_bytes: Any = quantity(
        "B",
        "Memory traffic of the loss for each logit.",
        path="training.loss_bytes",
        default="20 B",
        source="a fused loss in mixed precision",
    )
    training__sharpness: Any = quantity(
        "1",
        "How sharply the longer of host and chip decides; 1: they add up.",
        path="training.sharpness",
        default="2.4 to 6.5",
        source=_PRIOR,
    )
    training__link_share: Any = share(
        "Share of a scale-up link that collectives sustain.",
        path="training.link_share",
        default="0.6 to 0.85",
        source=_PRIOR,
    )
    training__all_reduce: Any = quantity(
        "1",
        "The same for all-reduces of tensor parallelism, above 1 where switches add.",
        path="training.all_reduce",
    )
    training__nic_share: Any = share(
        "Share of a NIC that collectives sustain.",
        path="training.nic_share",
        default="0.42 to 0.83",
        source=_PRIOR,
    )
    training__latency: Any = quantity(
        "us",
        "Latency of a collective for each doubling of its ranks.",
        path="training.latency",
        default="8 us to 30 us",
        source=_PRIOR,
    )
    training__send_latency: Any = quantity(
        "us",
        "Latency of a message between pipeline stages.",
        path="training.send_latency",
        default="60 us",
        source=_PRIOR,
    )
    training__exposed__tp: Any = share(
        "Share of tensor-parallel communication that nothing hides.",
        path="training.exposed.tp",
        default="0.25 to 0.75",
        source=_PRIOR,
    )
    training__exposed__cp: Any = share(
        "Share of context-parallel communication that nothing hides.",
        path="training.exposed.cp",
        default="0.5",
        source=_PRIOR,
    )
    training__exposed__ep: Any = share(
        "Share of dispatch to experts and return that nothing hides.",
        path="training.exposed.ep",
        default="0.2 to 0.64",
        source=_PRIOR,
    )
    training__exposed__send: Any = share(
        "Share of sends between stages that nothing hides.",
        path="training.exposed.send",
        default="0.3",
        source=_DESIGN,
    )
    training__overlap__gather: Any = share(
        "Share of a micro-batch that hides gathers of sharded weights.",
        path="training.overlap.gather",
        default="0.24 to 0.76",
        source=_PRIOR,
    )
    training__overlap__reduce: Any = share(
        "Share of the last micro-batches that hides the reduction of gradients.",
        path="training.overlap.reduce",
        default="0.33 to 0.82",
        source=_PRIOR,
    )
    training__bytes__gather: Any = quantity(
        "B",
        "Bytes moved for a sharded weight: two gathers and a scatter.",
        path="training.bytes.gather",
        default="8 B",
        source="gathers in 16 bits, gradients in 32",
    )
    training__bytes__reduce: Any = quantity(
        "B",
        "Bytes moved for a weight to exchange gradients and weights once a step.",
        path="training.bytes.reduce",
        default="4 B",
        source=_DESIGN,
    )
    training__balanced: Any = flag(
        "Whether pipeline stages are balanced for the output head.",
        "true",
        _DESIGN,
        path="training.balanced",
    )
    training__sequence_parallel: Any = flag(
        "Whether tensor parallelism divides norms and residuals too.",
        "true",
        _DESIGN,
        path="training.sequence_parallel",
    )
    training__accumulates: Any = flag(
        "Whether gradients are accumulated over micro-batches where none is stated.",
        "true",
        _DESIGN,
        path="training.accumulates",
    )
    training__experts__slowdown: Any = quantity(
        "1",
        "Time of grouped over plain matrices, where each expert has many tokens.",
        path="training.experts.slowdown",
        default="0.94 to 1.54",
        source=_PRIOR,
    )
    training__experts__half_load: Any = quantity(
        "token",
        "Tokens of an expert at which grouped matrices take twice that time.",
        path="training.experts.half_load",
        default="81 token to 810 token",
        source=_PRIOR,
    )
    training__experts__passes: Any = quantity(
        "1",
        "Passes over routed tokens on the chip, from dispatch to return.",
        path="training.experts.passes",
        default="4.5 to 32",
        source=_PRIOR,
    )
    training__experts__host: Any = quantity(
        "us",
        "Host time of one local expert in a layer's pass.",
        path="training.experts.host",
        default="60 us to 630 us",
        source=_PRIOR,
    )
    training__spill: Any = quantity(
        "1",
        "Work done again for each activation that memory does not keep.",
        path="training.spill",
        default="0.4",
        source=_PRIOR,
    )
    training__straggle: Any = quantity(
        "1",
        "Slowdown for each doubling of servers.",
        path="training.straggle",
        default="0.006",
        source=_PRIOR,
    )
    training__kept__low: Any = share(
        "Share of 16-bit activations kept where matrices run in 8 bits or fewer.",
        path="training.kept.low",
        default="0.65",
        source=_PRIOR,
    )
    training__kept__adapters: Any = share(
        "Share of 16-bit activations kept where only adapters are trained.",
        path="training.kept.adapters",
        default="0.55",
        source=_PRIOR,
    )
    training__reserve: Any = share(
        "Share of memory that buffers and fragments take, beside `memory.reserve`.",
        path="training.reserve",
        default="0.1",
        source=_PRIOR,
    )
    calibrated__chips: Any = count(
        "Chips of the runs that it was calibrated on.",
        "chip",
        keys=_ENDS,
        path="calibrated.chips[]",
    )
    calibrated__parameters: Any = quantity(
        "1",
        "Parameters of the models that it was calibrated on.",
        keys=_ENDS,
        path="calibrated.parameters[]",
    )
    calibrated__batch: Any = quantity(
        "token/chip",
        "Tokens of a step on each chip that it was calibrated on.",
        keys=_ENDS,
        path="calibrated.batch[]",
    )
    residual__experts: Any = quantity(
        "1",
        "Further factor on time for models of experts.",
        path="residual.experts",
        default="0.74 to 1.35",
        source="left-out rows of models of experts",
    )
    residual__unseen: Any = quantity(
        "1",
        "Further factor at a size, scale, batch or format never calibrated on.",
        path="residual.unseen",
        default="0.82 to 1.21",
        source="left-out sources of known stacks",
    )
    residual__foreign: Any = quantity(
        "1",
        "Further factor on a chip never calibrated on.",
        path="residual.foreign",
        default="0.72 to 1.39",
        source="left-out vendors, their chips named as nobody's",
    )
