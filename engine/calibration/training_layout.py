"""The parallel plan of a measured run: as stated, else by the rules of `training_rows`.

Degrees that a row states are kept; the number of ranks is what they must multiply
to, a rank being a core where the vendor's layouts count cores.
"""

import math
from collections.abc import Mapping

import attrs

from isocost.engine.calibration.inference_models import Architecture
from isocost.engine.calibration.training_stacks import Stack

Row = Mapping[str, str]
_TOKENS, _ROUNDS, _NODE = 8192, 4, 8


@attrs.frozen
class Plan:
    """Degrees, batch and chunks of a run; `assumed` names the rules that were used."""

    ranks: float
    tp: float
    pp: float
    cp: float
    dp: float
    ep: float
    chunks: float
    batch: float
    micro_batch: float
    sequence: float
    zero: float
    gather_bytes: float
    assumed: tuple[str, ...] = ()

    def inputs(self) -> dict[str, float]:
        """The plan as inputs of the formulas."""
        return {k: float(v) for k, v in attrs.asdict(self).items() if k != "assumed"}


def _cell(row: Row, name: str) -> float | None:
    try:
        return float(row.get(name, "") or "x")
    except ValueError:
        return None


def zero_stage(row: Row, stack: Stack) -> int:
    """The ZeRO stage that a row's words state, else the stack's habit."""
    words = row.get("fsdp", "").lower()
    for stage in (3, 2, 1, 0):
        if f"zero-{stage}" in words or f"zero{stage}" in words:
            return 3 if "fsdp" in words else stage
    if words.startswith("fsdp"):
        return 3
    return 1 if "distributed optim" in words else stack.zero


def gather_bytes(row: Row, stack: Stack) -> float:
    """Bytes a sharded weight's two gathers and its gradient's scatter move.

    16 bits each in a compiled stack or in pure low precision; a mixed one scatters
    gradients in 32 bits.
    """
    pure = stack.name == "xla" or "pure" in row.get("fsdp", "").lower()
    return 6.0 if pure else 8.0


def _weights(made: Architecture) -> float:
    """Parameters, roughly: enough to see what fits."""
    heads = 2 * made.hidden * made.head_size * (made.heads + made.kv_heads)
    dense = (made.layers - made.moe_layers) * made.hidden * made.ffn
    experts = made.moe_layers * (made.experts + made.shared_experts)
    mlp = dense + experts * made.hidden * made.expert_ffn
    tables = 2 * made.vocabulary * made.hidden
    return made.layers * heads + (2 + made.gated) * mlp + tables


def _least_split(
    row: Row, made: Architecture, ranks: float, capacity: float, *, lora: bool
) -> float:
    """Least model parallelism that holds weights and state and feeds each replica."""
    held = _weights(made) * (2.0 if lora else 7.5)
    split = 2.0 ** math.ceil(math.log2(max(1.0, held / (0.7 * capacity))))
    steps = max(1.0, _cell(row, "grad_accum") or 1.0)
    batch = _cell(row, "global_batch_seqs") or 1.0
    while ranks / split > batch / steps and split < ranks:
        split *= 2
    return min(split, ranks)


def _degrees(
    row: Row,
    made: Architecture,
    stack: Stack,
    ranks: float,
    capacity: float,
    *,
    lora: bool,
) -> tuple[float, float, float, tuple[str, ...]]:
    """tp, pp, cp of a run, and whether they were assumed."""
    tp, pp, cp = (_cell(row, name) for name in ("tp", "pp", "cp"))
    if tp is not None or zero_stage(row, stack) >= 3:  # noqa: PLR2004 (ZeRO's name)
        return tp or 1.0, pp or 1.0, cp or 1.0, ()
    split = _least_split(row, made, ranks, capacity, lora=lora)
    if lora or _weights(made) < _SMALL:
        return 1.0, 1.0, split, ("layout",)
    tensor = min(_NODE, split)
    return tensor, max(1.0, split / tensor), 1.0, ("layout",)


#: Parameters below which a model is split over cp, above over tp and pp.
_SMALL = 2e10


def _micro_batch(
    row: Row, stack: Stack, share: float, sequence: float, pp: float
) -> tuple[float, tuple[str, ...]]:
    """Sequences of a micro-batch for a replica's share of the batch."""
    stated, steps = _cell(row, "micro_batch"), _cell(row, "grad_accum")
    if stated:
        return stated, ()
    if steps:
        return max(1.0, share / steps), ()
    if not stack.accumulates:
        return max(1.0, share), ()
    most = min(_TOKENS / sequence, share / (_ROUNDS * pp if pp > 1 else 1))
    return 2.0 ** max(0, math.floor(math.log2(max(1.0, most)))), ("micro-batch",)


def _chunks(
    row: Row, made: Architecture, stack: Stack, pp: float
) -> tuple[float, tuple[str, ...]]:
    """Model chunks of a stage."""
    stated = _cell(row, "vp")
    if stated or pp == 1 or stack.name != "core":
        return stated or 1.0, ()
    layers = 2 if row["source_id"].startswith("mlperf") else 4
    return float(max(1, round(made.layers / pp / layers))), ("chunks",)


def plan(
    row: Row,
    made: Architecture,
    stack: Stack,
    capacity: float,
    cores: int,
    *,
    lora: bool,
) -> Plan:
    """The plan of a run.

    Args:
        row: A row of measurements.
        made: Its model.
        stack: Its stack.
        capacity: Memory of a rank in bytes.
        cores: Ranks of a chip.
        lora: Whether only adapters are trained.
    """
    ranks = (_cell(row, "n_chips") or 1.0) * cores
    batch, sequence = _cell(row, "global_batch_seqs") or 1.0, _cell(row, "seq") or 1.0
    tp, pp, cp, open_layout = _degrees(row, made, stack, ranks, capacity, lora=lora)
    dp = max(1.0, ranks / (tp * pp * cp))
    if dp > batch:
        cp, dp = cp * dp / batch, batch
    micro, open_micro = _micro_batch(row, stack, batch / dp, sequence, pp)
    micro = min(micro, batch / dp)
    chunks, open_chunks = _chunks(row, made, stack, pp)
    return Plan(
        ranks=ranks,
        tp=tp,
        pp=pp,
        cp=cp,
        dp=dp,
        ep=_cell(row, "ep") or 1.0,
        chunks=chunks,
        batch=batch,
        micro_batch=micro,
        sequence=sequence,
        zero=zero_stage(row, stack),
        gather_bytes=gather_bytes(row, stack),
        assumed=(*open_layout, *open_micro, *open_chunks),
    )
