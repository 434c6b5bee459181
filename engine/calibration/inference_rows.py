"""Measurements as cases: the inputs of the formulas for one row, or why not.

Rules for what a row leaves out, all of them stated here:

- no batch: the largest that fits, at most 4096 a data-parallel group (and the
  requests of the run); of a pass over prompts alone, 16384 tokens a group;
- no parallel plan: the one that serves best, of those that `inference_plans` names;
- no number of chips: those of the plan;
- no cache precision: two bytes; a batch "per device" counts for each of them, one of
  several instances is shared among them;
- the benchmark of TensorRT-LLM queues 30000 requests of up to 256 tokens, 3000 up
  to 2500, 1500 up to 10000, else 1000 (its documentation);
- MLPerf's latency limits by model and scenario (its rules) bound the step.
"""

import re
from collections.abc import Collection, Mapping

import attrs

from isocost.engine.calibration.inference_chips import CHIPS, Chip, find_chip
from isocost.engine.calibration.inference_models import Architecture, architecture
from isocost.engine.calibration.inference_plans import (
    cores_of_chip,
    notes,
    plans,
)
from isocost.engine.calibration.inference_rules import (
    draft,
    limits,
    number,
    precisions,
    requests,
)
from isocost.engine.calibration.inference_spelling import factor, is_tail, metric, per
from isocost.engine.calibration.inference_stacks import (
    FIXED,
    Stack,
    as_unknown,
    find_stack,
)

Row = Mapping[str, str]


@attrs.frozen
class Refused:
    """A row that is not predicted, and why."""

    row_id: str
    reason: str


@attrs.frozen
class Case:
    """One way to read one row: numbers in base units and what to compute.

    `mode` is static, continuous, prefill or decode; `of` is how many parts (chips,
    nodes) the metric's value is divided among, `factor` what is predicted in its own
    unit, `instances` how many copies of the model there are. `notes` say what the row
    left open and was assumed.
    """

    row_id: str
    mode: str
    metric: str
    mla: bool
    experts: bool
    stack: Stack
    chip: Chip
    numbers: Mapping[str, float]
    notes: tuple[str, ...] = ()


_SHAPE = (
    *("layers", "hidden", "heads", "kv_heads", "head_size", "ffn", "gated"),
    *("vocabulary", "tied", "experts", "top_k", "shared_experts", "expert_ffn"),
    *("dense_layers", "moe_layers", "query_rank", "kv_rank", "rope_size"),
    *("value_size", "window", "window_share"),
)


def _shape(made: Architecture) -> dict[str, float]:
    numbers = {name: float(getattr(made, name)) for name in _SHAPE}
    numbers["window"] = numbers["window"] or 1.0
    mean = (made.head_size + made.rope_size + made.value_size) / 2
    numbers["score_size"] = mean if made.mla else float(made.head_size)
    numbers["dense_ffn"] = 0.0 if made.experts else float(made.ffn)
    numbers["router"] = float(made.hidden * made.experts)
    return numbers


#: Latency multiplier and share of the link that switches reduce at, by fabric.
_FABRICS = {
    "nvlink3": (1.18, 0.0, 1.0),
    "nvlink4": (0.76, 0.68, 1.0),
    "nvlink5": (1.12, 0.68, 1.0),
    "xgmi": (1.5, 0.0, 0.9),
    "pcie4": (1.5, 0.0, 0.7),
    "pcie5": (1.5, 0.0, 0.7),
    "roce": (2.0, 0.0, 0.9),
    "ici": (0.3, 0.0, 1.0),
    "neuron": (0.0, 0.0, 1.0),
}


def _hardware(chip: Chip, rank_chips: float) -> dict[str, float]:
    pace, reduction, derate = _FABRICS[chip.fabric]
    giga = 1e9
    return {
        "memory_bandwidth": chip.bandwidth * 1e12,
        "capacity": chip.visible * 2**30,
        "power": chip.power,
        "rank_chips": rank_chips,
        "link": chip.link * giga * derate,
        "node_link": 0.85 * chip.node_link * giga,
        "domain": float(chip.domain),
        "launch": pace * 8.7e-6,
        "latency": pace * 1.07e-6,
        "send_alpha": 10e-6,
        "reduction": reduction,
        "reduction_latency": pace * 1.07e-6,
    }


def _mode(row: Row) -> str:
    kind = row.get("batch_kind", "").lower()
    phase = row.get("phase", "").lower()
    alone = row.get("disagg", "").lower()
    if metric(row) == "input_tokens_per_s" and (
        phase.startswith("prefill") or alone.startswith("prefill-only")
    ):
        return "prefill"
    if phase.startswith("decode") or alone.startswith("decode-only"):
        return "decode"
    return "static" if "static" in kind else "continuous"


#: Tokens of a pass over prompts where a row does not say.
_PASS = 16_384.0


def _batch(row: Row, plan: Mapping[str, float], instances: float) -> float:
    """Sequences of one instance; 0 where the largest that fits runs."""
    batch, kind = number(row.get("batch")), row.get("batch_kind", "").lower()
    if batch and re.search(r"per[- ](device|gpu|chip|rank)", kind):
        return batch * plan["tp"] * plan["pp"] * plan["dp"]
    if batch and "static" not in kind:
        return max(batch / instances, 1.0)
    if not batch and _mode(row) == "prefill":
        return plan["dp"] * max(_PASS // number(row["isl"], 1.0), 1.0)
    return batch


def _load(
    row: Row, stack: Stack, plan: Mapping[str, float], instances: float
) -> dict[str, float]:
    return {
        "prompt": number(row["isl"]),
        "output": max(number(row["osl"], 1.0), 1.0),
        "batch": _batch(row, plan, instances),
        "requests": requests(row, stack),
        "limit": limits(row)[0],
        "step_limit": limits(row)[1],
        "tail": 4.6,
        "spread": 1.0,
        "draft": draft(row),
        "bucketed": float(stack.bucketed),
        "overlap": stack.overlap,
        "factor": factor(row),
    }


def _missing(row: Row) -> str:
    missing = [f"`{name}`" for name in ("isl", "metric", "model") if not row.get(name)]
    if missing:
        return f"blank: {', '.join(missing)}"
    if not row.get("value"):
        return "nothing was measured: `value` is blank"
    if not metric(row):
        more = " (of latencies, means and medians are)" if is_tail(row) else ""
        return f"metric {row['metric']} is not predicted{more}"
    kind = row.get("batch_kind", "").lower()
    if "rate" in kind and not row.get("batch"):
        return "at a request rate: state the sequences that run at once as `batch`"
    if number(row["isl"]) <= 0:
        return "a prompt of no token"
    return ""


def _unknown(name: str) -> str:
    """Why a chip's rows are refused, with the names that come close."""
    from isocost.dsl.suggest import nearest

    near = nearest(name, [chip.name for chip in CHIPS])
    hint = f": is it {' or '.join(near)}?" if near else ""
    return f"unknown chip {name}{hint}"


def cases(
    row: Row, models: Mapping[str, Row], hidden: Collection[str] = ()
) -> list[Case] | Refused:
    """The ways to read a row: one where its plan is stated, else one for each plan.

    Args:
        row: A measurement with the columns of the validation tables.
        models: Rows of the table of architectures by model.
        hidden: Names of stacks that are taken as ones that nobody has measured.
    """
    chip = find_chip(row["chip"])
    reason = _missing(row) or ("" if chip else _unknown(row["chip"]))
    if reason or chip is None:
        return Refused(row["row_id"], reason)
    made = architecture(row, models)
    if isinstance(made, str):
        return Refused(row["row_id"], made)
    stack = find_stack(row.get("framework", ""), chip)
    stack = as_unknown(stack) if stack.name in hidden else stack
    try:
        found = plans(row, chip, experts=made.experts > 1)
        return [_case(row, chip, made, stack, plan) for plan in found]
    except ValueError as problem:
        return Refused(row["row_id"], f"a column is no number: {problem}")


def _of(row: Row, chips: float) -> float:
    """How many parts a rate is divided among."""
    nodes = chips / number(row.get("chips_per_node"), 8.0)
    return {"chip": chips, "node": max(nodes, 1.0)}.get(per(row), 1.0)


def _case(
    row: Row, chip: Chip, made: Architecture, stack: Stack, plan: dict[str, float]
) -> Case:
    ranks = plan["tp"] * plan["pp"] * plan["dp"]
    rank_chips = 1 / cores_of_chip(chip, ranks, number(row["n_chips"]))
    chips = max(number(row["n_chips"]), ranks * rank_chips)
    instances = max(1.0, chips // (ranks * rank_chips))
    numbers = {
        **FIXED,
        **precisions(row, chip),
        **_shape(made),
        **_hardware(chip, rank_chips),
        **_load(row, stack, plan, instances),
        **plan,
        "chips": chips,
        "of": _of(row, chips),
        "ranks": ranks,
        "instances": instances,
    }
    return Case(
        row_id=row["row_id"],
        mode=_mode(row),
        metric=metric(row),
        mla=made.mla,
        experts=made.experts > 1,
        stack=stack,
        chip=chip,
        numbers=numbers,
        notes=notes(row, chip),
    )
