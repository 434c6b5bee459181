"""What `workload` and `software` say about serving alone.

The two kinds take these fields over from here. The coefficients of a stack are the
inputs of the formulas of a serving step, one by one; a default is what was fitted
over all GPU stacks, and as wide as that left it.
"""

# ruff: noqa: RUF009 (fields are declared by calls, as in every kind)
from typing import Any

import attrs

from isocost.dsl.schema.base import count, flag, quantity, share, word
from isocost.dsl.schema.chip import FORMATS
from isocost.dsl.schema.training import TrainingStack, TrainingWork

_FITTED = "fitted on TensorRT-LLM's published tables, over all chips"
_ENDS = ("least", "most")


@attrs.frozen(init=False, repr=False, eq=False)
class ServingWork(TrainingWork):
    """A workload's serving, beside its training."""

    batching: Any = word(
        "Whether sequences join and leave step by step, or a batch starts and ends "
        "together.",
        "continuous",
        "static",
        default="continuous",
        source="edition 2026: how engines serve",
    )
    users: Any = quantity(
        "sequence",
        "Sequences that users offer to one instance at once; no end where left out.",
        decision=True,
        bare="sequence",
        positive=True,
    )
    precision__attention: Any = word(
        "Number format of attention's weights; that of all weights where left out.",
        *FORMATS,
        path="precision.attention",
    )
    precision__table: Any = word(
        "Number format of embedding and output head.",
        *FORMATS,
        default="bf16",
        source="left alone by every published recipe",
        path="precision.table",
    )
    precision__dispatch: Any = word(
        "Number format of tokens on their way to experts; that of the matrices where "
        "left out.",
        *FORMATS,
        path="precision.dispatch",
    )


@attrs.frozen(init=False, repr=False, eq=False)
class ServingStack(TrainingStack):
    """A stack's serving, beside its training."""

    prompt_gaps: Any = quantity(
        "1",
        "Launch and host time of a layer over prompts, over that of decoding.",
        default="1",
        source="one program for both: fitted 1.0 on GPUs",
    )
    batch__most: Any = quantity(
        "sequence",
        "Sequences that the engine takes at once in each group of attention.",
        default="4096 sequence",
        source="the largest that TensorRT-LLM's benchmark runs",
        path="batch.most",
        low=1.0,
    )
    tpot__cv: Any = quantity(
        "1",
        "Spread over requests of the mean time per output token.",
        default="0.043",
        source="the 99th percentile of MLPerf's runs lies 10% above the mean",
        path="tpot.cv",
    )
    cache__page: Any = quantity(
        "token",
        "Tokens of one page of the cache.",
        default="32 token",
        source="TensorRT-LLM's default; vLLM's is 16",
        path="cache.page",
        low=1.0,
    )
    cache__reread: Any = share(
        "Share of the cache that is read again for every query head of a group.",
        default="0",
        source="kernels read a group of query heads together",
        path="cache.reread",
    )
    cache__buckets: Any = flag(
        "Whether attention reads the next power of two of a sequence's length.",
        "false",
        "pages are read as they are filled",
        path="cache.buckets",
    )
    experts__half_width: Any = quantity(
        "1",
        "Side of the (square) expert whose grouped matrices reach half of the rate.",
        default="2530 to 3640",
        source=_FITTED,
        path="experts.half_width",
    )
    experts__tile: Any = quantity(
        "token",
        "Tokens lost to padding for each expert that a step touches.",
        default="51 token to 93 token",
        source=_FITTED,
        path="experts.tile",
    )
    experts__imbalance: Any = quantity(
        "1",
        "Busiest over mean rank of experts, at four of them.",
        default="1.25 to 1.54",
        source=_FITTED,
        path="experts.imbalance",
        low=1.0,
    )
    experts__traffic: Any = quantity(
        "1",
        "Times that tokens move on their way to experts and back.",
        default="0.78 to 3.22",
        source=_FITTED,
        path="experts.traffic",
    )
    experts__overlap: Any = share(
        "Share of a second micro-batch's arithmetic that hides exchanges.",
        default="0",
        source="none unless the stack overlaps two micro-batches",
        path="experts.overlap",
    )
    speculation__acceptance: Any = share(
        "Chance that a drafted token is accepted.",
        default="0.48 to 0.69",
        source="fitted on multi-token prediction of DeepSeek-R1",
        path="speculation.acceptance",
    )
    calibrated__ep: Any = count(
        "Expert-parallel ranks of the runs that it was calibrated on.",
        keys=_ENDS,
        path="calibrated.ep[]",
    )
    calibrated__sequences: Any = quantity(
        "sequence/chip",
        "Sequences of each chip that it was calibrated on, in serving.",
        keys=_ENDS,
        path="calibrated.sequences[]",
    )
    residual__ttft: Any = quantity(
        "1",
        "Further factor on the time to the first token.",
        path="residual.ttft",
        default="0.858 to 1.17",
        source="left-out rows of first tokens on GPUs",
    )
