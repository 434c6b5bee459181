"""Families of training stacks: what they do by design, before any number is fitted.

A family is told by the framework's name. What it does (attention in one kernel,
an even pipeline, sharded state) is stated here; what it reaches (host time, traffic)
is fitted.
"""

from collections.abc import Mapping

import attrs

Row = Mapping[str, str]


@attrs.frozen
class Stack:
    """A family of stacks: its habits, as flags of the formulas.

    Attributes:
        name: The family.
        flash: Attention runs in one kernel.
        balanced: Stages are balanced for the head.
        sequence_parallel: Tensor parallelism divides norms and residuals.
        zero: ZeRO stage by habit, where a row does not state one.
        accumulates: Gradients are accumulated over micro-batches.
        send_exposed: Share of sends between stages that does not hide.
        reduce_bytes: Bytes moved for each weight to exchange gradients and weights.
        known: Whether the name was recognised.
    """

    name: str
    flash: bool = True
    balanced: bool = True
    sequence_parallel: bool = True
    zero: int = 1
    accumulates: bool = True
    send_exposed: float = 0.3
    reduce_bytes: float = 4.0
    known: bool = True


#: Megatron-DeepSpeed and Megatron-LM up to 2022: kernels one by one, no overlap.
EAGER = Stack(
    "eager",
    flash=False,
    balanced=False,
    sequence_parallel=False,
    zero=0,
    send_exposed=1.0,
)
#: PyTorch FSDP: llm-foundry, Composer, torchtitan and their like.
FSDP = Stack("fsdp", zero=3)
#: Megatron core and what is built on it: NeMo, Megatron-Bridge, MLPerf's entries.
CORE = Stack("core")
#: One compiled program a step: JAX on TPU (MaxText), Neuron.
XLA = Stack("xla", zero=3, accumulates=False)

_WORDS = (
    (XLA, ("maxtext", "jax", "pax", "t5x", "xla", "neuron", "google")),
    (EAGER, ("megatron-deepspeed", "metaseq", "gpt-neox", "colossal")),
    (FSDP, ("fsdp", "foundry", "composer", "titan", "torchtune", "litgpt")),
    (FSDP, ("hugging", "deepspeed")),
    (CORE, ("nemo", "bridge", "core", "mlperf", "transformerengine")),
)
_EAGER_UNTIL = 2023.0


def stack_of(row: Row, vendor: str, year: float) -> Stack:
    """The family of a row's framework; Megatron core, marked unknown, for no name.

    Args:
        row: A row of measurements.
        vendor: Who makes the chip.
        year: When the stack was released.
    """
    words = row.get("framework", "").lower()
    for family, names in _WORDS:
        if any(name in words for name in names):
            found = family
            break
    else:
        found = attrs.evolve(CORE, known=False)
        if "megatron" in words:
            found = EAGER if year < _EAGER_UNTIL else CORE
    if vendor in {"google", "aws"} and found is not XLA:
        found = attrs.evolve(XLA, known=False)
    if found.name == "xla" and vendor == "aws":
        found = attrs.evolve(found, zero=1, accumulates=True)
    return found
