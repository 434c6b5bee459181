"""A published training run as inputs of the formulas, by stated rules.

What a row leaves open is filled by a rule, never by "one micro-batch", and every
rule that was used is named in `Run.assumed`, which widens the interval:

* micro-batch: batch over replicas and accumulation steps where those are stated;
  the whole share of a replica in a stack that does not accumulate; else the largest
  power of two with at most 8192 tokens and four micro-batches for each stage.
* more replicas than sequences: each sequence is split over ranks (context parallel).
* chunks of a stage: 1 in an eager stack, else chunks of 2 layers (MLPerf) or 4.
* layout: the least model parallelism that holds weights and state and leaves no
  replica without a sequence; split over tp to a node, then pp (over cp for LoRA).
* recomputation: from memory.
* key heads: as many as query heads; vocabulary: GPT-2's; an unknown format: 16 bits.

Models named MPT add their mask to the scores (ALiBi): their attention is counted in
full, which is inferred from their speed. Attention sinks: see `is_fused`.
"""

import math
import re
from collections.abc import Mapping

import attrs

from isocost.engine.calibration import training_layout as layout
from isocost.engine.calibration.inference_chips import Chip, find_chip
from isocost.engine.calibration.inference_models import Architecture, architecture
from isocost.engine.calibration.training_coefficients import LINK_SHARE, PCIE_SHARE
from isocost.engine.calibration.training_measured import (
    METRICS,
    number,
    step_of_use,
    step_seconds,
)
from isocost.engine.calibration.training_stacks import Stack, stack_of

Row = Mapping[str, str]

#: Dense 8-bit integer peaks in TFLOP/s (vendor's documentation of each TPU).
INT8 = {"TPU-v5e": 393.0, "TPU-v5p": 918.0, "TPU-v6e": 1836.0}
#: Chips of a slice, all joined by the torus: the scale-up domain of a TPU.
SLICES = {"TPU-v4": 4096, "TPU-v5e": 256, "TPU-v5p": 8960, "TPU-v6e": 256}
#: Ranks of a chip where the vendor's layouts count cores.
CORES = {"Trainium1": 2, "Inferentia2": 2, "Trainium2": 4, "Trainium3": 4}
#: GB/s of scale-out for each chip where servers usually differ from the table.
NICS = {"A100-SXM-80GB": 25.0, "A100-SXM-40GB": 25.0, "L40S": 25.0}
#: Of two published peaks the one that measurements bear out: GB200 runs like B200.
PEAK_CHOICE = {"GB200": 0.9}
#: Models whose attention has learned sinks, and from when Megatron core fuses it.
SINKS, SINKS_FUSED = ("gpt-oss", "gptoss", "gpt_oss"), 2026.5
#: Formats of fewer than 8 bits.
_NARROW = re.compile(r"(?:int|fp|float|nf|mxfp)[1-7]\b")
#: Spellings of 16-bit formats.
_SIXTEEN = ("bf16", "bfloat16", "fp16", "float16", "half", "mixed")
#: A vocabulary where nobody states one: GPT-2's, of which the head is a few percent.
_VOCABULARY = "50257"
_GIGA, _TERA, _GIBI = 1e9, 1e12, 2**30
#: Rates out of a domain by what takes them; no row tells of a tapered network.
_NICS = ("nic", *(f"{name}_nic" for name in ("exchange", "cp", "dp", "expert", "send")))


@attrs.frozen
class Run:
    """One measured run: inputs by name, what was assumed, and what it belongs to.

    `measured` is the time of a step in seconds, `made` the model's architecture.
    """

    row_id: str
    source: str
    series: str
    model: str
    chip: str
    vendor: str
    stack: Stack
    quality: str
    trusted: bool
    measured: float
    inputs: Mapping[str, float]
    assumed: tuple[str, ...]
    year: float
    made: Architecture

    @property
    def experts(self) -> bool:
        """Whether the model is one of experts."""
        return self.inputs["moe_layers"] > 0


@attrs.frozen
class Refusal:
    """A row that is not predicted, and why."""

    row_id: str
    reason: str


def nic_bandwidth(text: str, node_chips: float, default: float) -> float:
    """Scale-out GB/s of a chip from a row's words.

    Args:
        text: Like `CX7 400Gbps/GPU`, `1600Gbps/node RoCE`, `4x200Gbps HDR IB/node`.
        node_chips: Chips of a node.
        default: What the chip's servers usually have.
    """
    compute = re.search(r"Compute: ([^,]*)", text)
    words = compute[1] if compute else text
    several = re.search(r"(\d+) ?x(?![a-z]).*?(\d+) ?Gb", words, re.IGNORECASE)
    single = re.search(r"(\d+)\s*Gb(?:ps|/s|it/s)", words, re.IGNORECASE)
    if several and int(several[1]) <= 2 * node_chips and "BCM" not in words:
        return float(several[1]) * float(several[2]) / 8 / node_chips
    if single and re.search(r"/ ?(GPU|chip)", words):
        return float(single[1]) / 8
    if single and float(single[1]) >= 800:  # noqa: PLR2004 (no NIC of a chip has more)
        return float(single[1]) / 8 / node_chips
    return default


def _peak(chip: Chip, precision: str) -> float | None:
    """Dense peak of the type in TFLOP/s, or None if the chip has none of its own."""
    if precision == "int8":
        return INT8.get(chip.name, chip.fp8)
    return {"fp8": chip.fp8, "fp4": chip.fp4}.get(precision, chip.bf16)


def precision_of(text: str) -> tuple[str, bool]:
    """The matrices' type from a row's words, and whether they leave it open."""
    words = text.lower()
    if words.startswith(("int8", "aqt int8")):
        return "int8", "likely" in words
    if words.startswith(("nvfp4", "mxfp4", "fp4")):
        return "fp4", False
    if any(name in words for name in ("fp8", "float8", "e4m3", "e5m2")):
        return "fp8", "not verified" in words
    return "bf16", not any(name in words for name in _SIXTEEN)


def without_peak(text: str) -> bool:
    """Whether a row states a format of matrices for which no peaks are at hand.

    32 bits and more, and narrow ones that no published run multiplied in (int4, fp6).
    Words that name no format leave it open: they are read as 16 bits, and widen.
    """
    words = text.lower().strip()
    if words.startswith(("fp32", "tf32", "float32", "fp64")):
        return True
    return bool(_NARROW.search(words)) and precision_of(text) == ("bf16", True)


def recompute_of(text: str) -> float | None:
    """Share of the forward pass done again, None where a row does not say."""
    words = text.lower()
    if not words or "not stated" in words or words.startswith(("per ", "unknown")):
        return None
    if words.startswith("qkv"):
        return 0.6
    if words.startswith(("full", "custom", "yes")):
        return 1.0
    return 0.0 if words.startswith(("none", "selective", "no")) else None


def _hardware(row: Row, chip: Chip, precision: str, ranks: float) -> dict[str, float]:
    """Figures of one rank, which is a core where the vendor counts cores."""
    chips = number(row, "n_chips") or 1.0
    part = chips / ranks
    node_chips = min(number(row, "chips_per_node") or 8.0, chips)
    domain = SLICES.get(chip.name, chip.domain)
    if domain <= 16:  # noqa: PLR2004 (a server, not a rack or a slice)
        domain = int(min(domain, number(row, "chips_per_node") or domain))
    words = row.get("interconnect_inter", "")
    usual = NICS.get(chip.name, chip.node_link)
    nic = nic_bandwidth(words, number(row, "chips_per_node") or 8.0, usual)
    nic = usual if nic < usual / 4 else nic  # a network of management
    low = precision != "bf16"
    derate = PEAK_CHOICE.get(chip.name, 1.0)
    peak = (_peak(chip, precision) or chip.bf16) * derate
    return {
        "rank_chips": part,
        "peak": peak * _TERA,
        "peak_plain": chip.bf16 * derate * _TERA,
        "power": chip.power,
        "memory_bandwidth": chip.bandwidth * _TERA,
        "capacity": chip.visible * _GIBI * part,
        "reserve": (0.1 * chip.visible * _GIBI + 4e9) * part,
        "link": chip.link * _GIGA * part,
        **dict.fromkeys(_NICS, nic * _GIGA * part),
        "domain": domain / part,
        "link_share": PCIE_SHARE if chip.fabric.startswith("pcie") else LINK_SHARE,
        "node_ranks": node_chips / part,
        "low": float(low),
        "plain_gradient": float(precision == "int8"),
    }


def _shape(made: Architecture, causal: bool) -> dict[str, float]:
    """What the formulas need of a model."""
    heads = made.heads * made.head_size
    kv = 2 * made.kv_heads * made.head_size
    attention = made.hidden * (2 * heads + kv)
    score, qkv = float(heads), float(heads + kv)
    if made.mla:
        keys = made.heads * (made.head_size + made.rope_size)
        values = made.heads * made.value_size
        attention = (
            made.query_rank * (made.hidden + keys)
            + made.hidden * (made.kv_rank + made.rope_size)
            + made.kv_rank * made.heads * (made.head_size + made.value_size)
            + values * made.hidden
        )
        score, qkv, kv = (keys + values) / 2, float(2 * keys + values), keys + values
    return {
        "layers": made.layers,
        "dense_layers": made.layers - made.moe_layers,
        "moe_layers": made.moe_layers,
        "hidden": made.hidden,
        "heads": made.heads,
        "ffn": made.ffn,
        "gated": made.gated,
        "vocabulary": made.vocabulary,
        "experts": made.experts,
        "top_k": made.top_k,
        "shared_experts": made.shared_experts,
        "expert_ffn": made.expert_ffn,
        "attention": attention,
        "mlp": (2 + made.gated) * made.hidden * made.ffn,
        "expert": (2 + made.gated) * made.hidden * made.expert_ffn,
        "score_width": score,
        "qkv_width": qkv,
        "kv_width": kv,
        "window": made.window or 1.0,
        "window_share": made.window_share,
        "causal": float(causal),
    }


def _date(row: Row) -> float:
    """Year of the stack's release: from its name (`NeMo 25.11`), else the source's."""
    release = re.search(r"\b(2\d)\.(\d\d)\b", row.get("framework", ""))
    if release and "MLPerf" not in row.get("framework", ""):
        return 2000 + float(release[1]) + (float(release[2]) - 1) / 12
    stated = re.match(r"(\d{4})(?:-(\d\d))?", row.get("source_date", ""))
    return float(stated[1]) + (float(stated[2] or 6) - 1) / 12 if stated else 2024.0


def is_fused(row: Row, stack: Stack, year: float) -> bool:
    """Whether attention runs in one kernel: the stack's habit, or as the note says.

    Attention with learned sinks fell back to separate kernels in Transformer Engine
    until its fused ones were complete (its issues 2318 and 2483) and in releases;
    that runs before mid-2026 used them is inferred from their speed.
    """
    if "flash" in row.get("note", "").lower():
        return True
    sinks = row.get("model", "").lower().startswith(SINKS)
    return stack.flash and not (sinks and stack.name == "core" and year < SINKS_FUSED)


def _completed(row: Row, models: Mapping[str, Row]) -> tuple[Row, tuple[str, ...]]:
    """A row of a model that no table knows, with what matters little filled in.

    Key heads are as many as query heads, the vocabulary is GPT-2's; what was filled in
    is named.
    """
    if row.get("model", "") in models or not row.get("heads"):
        return row, ()
    usual = {"kv_heads": row["heads"], "vocab": _VOCABULARY}
    lacking = {name: value for name, value in usual.items() if not row.get(name)}
    words = {"kv_heads": "key heads", "vocab": "vocabulary"}
    return {**row, **lacking}, tuple(words[name] for name in lacking)


def read_run(row: Row, models: Mapping[str, Row]) -> Run | Refusal:
    """A row as a run, or why it cannot be predicted.

    Args:
        row: A row with the columns of the training measurements.
        models: Rows of the table of architectures, by model.
    """
    row_id = row["row_id"]
    chip = find_chip(row["chip"])
    if chip is None:
        return Refusal(row_id, f"the catalogue has no chip {row['chip']}")
    row, open_shape = _completed(row, models)
    made = architecture(row, models)
    if isinstance(made, str):
        return Refusal(row_id, made)
    missing = [k for k in ("n_chips", "seq", "global_batch_seqs") if not number(row, k)]
    if missing:
        return Refusal(row_id, f"no {', '.join(missing)}")
    if without_peak(row.get("precision", "")):
        return Refusal(row_id, f"no peak of {chip.name} in {row['precision']} is known")
    precision, open_precision = precision_of(row.get("precision", ""))
    if _peak(chip, precision) is None:
        precision, open_precision = "bf16", True
    stack = stack_of(row, chip.vendor, _date(row))
    lora = any(word in row.get("task", "").lower() for word in ("lora", "adapter"))
    cores = CORES.get(chip.name, 1)
    plan = layout.plan(row, made, stack, chip.visible * _GIBI / cores, cores, lora=lora)
    hardware = _hardware(row, chip, precision, plan.ranks)
    stated = recompute_of(row.get("recompute", ""))
    tokens = plan.batch * plan.sequence
    shape = _shape(made, causal=not row["model"].startswith("mpt"))
    peak = (_peak(chip, precision) or chip.bf16) * _TERA
    measured = step_seconds(row, tokens)
    measured = measured or step_of_use(row, shape, peak, tokens, plan.sequence)
    if not measured or not math.isfinite(measured):
        return Refusal(row_id, f"no time and no rate; what is predicted: {METRICS}")
    note = row.get("note", "")
    inputs = {
        **shape,
        **hardware,
        **plan.inputs(),
        "weight_gradient": float(not lora),
        "recompute_known": float(stated is not None),
        "recompute_stated": stated or 0.0,
        "selective": float("selective" in row.get("recompute", "").lower()),
        "sequence_parallel": float(
            stack.sequence_parallel or "sequence parallel" in note.lower()
        ),
        "flash": float(is_fused(row, stack, _date(row))),
        "dropped": float("dropped" in note),
        "fp4": float(precision == "fp4"),
    }
    assumed = (
        *plan.assumed,
        *open_shape,
        *(("precision",) if open_precision else ()),
        *(("chip",) if chip.guessed else ()),
    )
    return Run(
        row_id=row_id,
        source=row["source_id"],
        series=row.get("series", row_id),
        model=row.get("model", ""),
        chip=chip.name,
        vendor=chip.vendor,
        stack=stack,
        quality=row.get("quality", "B"),
        trusted=row.get("from_memory", "no") != "yes" and row.get("quality") != "C",
        measured=measured,
        inputs=inputs,
        assumed=assumed,
        year=_date(row),
        made=made,
    )
