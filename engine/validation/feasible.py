"""What no cluster can have run: one rule for each family, on a row's own cells.

A row that states more ranks than its chips have, heads that do not divide among its
ranks, more sequences than its batch, a rate of tokens where none is written, a format
that does not exist, or a value in a unit of something else, is refused with what
contradicts what. What a row leaves open contradicts nothing.

A pipeline need not divide the layers: Megatron's layouts, DeepSpeed, vLLM and
TensorRT-LLM give stages unlike shares, and open rows do (126 layers in 8 stages).
"""

import math
from collections.abc import Callable, Mapping

from isocost.engine.calibration.inference_chips import find_chip
from isocost.engine.calibration.inference_models import architecture
from isocost.engine.calibration.inference_plans import most_ranks, shares_ranks
from isocost.engine.calibration.precision_names import strange
from isocost.engine.validation.tables import Row

Rule = Callable[[Row], str]


def _number(row: Row, name: str) -> float | None:
    """A cell as a number above 0, None if it is empty, or words."""
    try:
        found = float(row.get(name) or "x")
    except ValueError:
        return None
    return found if found > 0 else None


def _ranks(row: Row, degrees: tuple[str, ...]) -> str:
    """Degrees that multiply to more ranks than the row's chips have."""
    chip, chips = find_chip(row["chip"]), _number(row, "n_chips")
    if chip is None or chips is None:
        return ""
    most = chips * most_ranks(chip)
    stated = {name: n for name in degrees if (n := _number(row, name) or 1.0) > 1}
    have = f"{chips:g} chip{'s' * (chips > 1)}"
    have += "" if most == chips else f" of {most / chips:g} ranks each"
    if math.prod(stated.values()) > most:
        product = " x ".join(f"{name} {n:g}" for name, n in stated.items())
        return f"{product} takes more ranks than {have}"
    if (_number(row, "ep") or 1.0) > most:
        return f"ep {row['ep']} takes more ranks than {have}"
    return ""


def _layers(row: Row) -> str:
    layers, stages = _number(row, "layers"), _number(row, "pp")
    if layers and stages and stages > layers:
        return f"pp {row['pp']} takes more stages than {row['layers']} layers"
    return ""


#: Stacks that pad heads, or give ranks unlike shares, by what their names contain.
_UNEVEN = ("neuron", "nxd", "llama.cpp", "llamacpp", "ollama", "exllama", "auto-tp")
_UNEVEN_VENDORS = ("aws", "google")


def _heads(row: Row) -> str:
    """Tensor parallelism that leaves ranks unlike shares of the attention's heads."""
    chip, heads, tp = find_chip(row["chip"]), _number(row, "heads"), _number(row, "tp")
    name = row.get("framework", "").lower()
    padded = any(word in name for word in _UNEVEN)
    if not heads or not tp or chip is None or chip.vendor in _UNEVEN_VENDORS or padded:
        return ""
    if shares_ranks(row, chip):
        tp /= _number(row, "dp") or 1.0
    return f"{heads:g} heads do not divide among tp {tp:g}" if heads % tp else ""


def known(row: Row, models: Mapping[str, Row]) -> Row:
    """A row with the layers and heads of its model, where it leaves them open."""
    if not row.get("model") or (row.get("layers") and row.get("heads")):
        return row
    try:
        made = architecture(row, models)
    except (ValueError, ZeroDivisionError):
        return row
    if isinstance(made, str):
        return row
    shape = {"layers": str(made.layers), "heads": str(made.heads)}
    return {**row, **{name: row.get(name) or n for name, n in shape.items()}}


def _formats(row: Row, columns: tuple[str, ...]) -> str:
    found = (name for name in columns if strange(row.get(name, "")))
    name = next(found, "")
    return (
        f"`{name}` is no format of numbers that is known: {row[name]}" if name else ""
    )


def collectives(row: Row) -> str:
    """Why no cluster can have run a collective; empty if one can."""
    from isocost.engine.validation import collectives as family

    chips, nodes = _number(row, "n_chips"), _number(row, "nodes")
    if chips and nodes and nodes > chips:
        return f"{row['nodes']} nodes have more than {row['n_chips']} chips"
    found = family.unit(row) if family.metric(row) and _measured(row) else ""
    return found if isinstance(found, str) else ""


def _measured(row: Row) -> bool:
    return bool(row["value"] or row.get("time_us"))


def inference(row: Row) -> str:
    """Why no cluster can have served as a row says; empty if one can."""
    from isocost.engine.calibration import inference_spelling as spelling

    metric = spelling.metric(row)
    found = spelling.unit(row) if metric else ""
    chip = find_chip(row["chip"])
    shared = chip is not None and shares_ranks(row, chip)
    degrees = ("tp", "pp") if shared else ("tp", "pp", "dp")
    return (
        _written(row, metric)
        or _ranks(row, degrees)
        or _layers(row)
        or _heads(row)
        or _formats(row, ("weight_precision", "kv_precision", "compute_precision"))
        or (found if isinstance(found, str) else "")
    )


def _written(row: Row, metric: str) -> str:
    """A figure of tokens that are not written."""
    tokens = _number(row, "osl")
    if metric in {"", "ttft_ms", "input_tokens_per_s"}:
        return ""
    if tokens is None:
        return f"`osl` is {row['osl'] or 'blank'}: no token is written"
    if metric in {"tpot_ms", "tokens_per_s_per_user"} and tokens <= 1:
        return f"`osl` is {row['osl']}: no token is written after the first"
    return ""


def training(row: Row) -> str:
    """Why no cluster can have trained as a row says; empty if one can."""
    from isocost.engine.calibration import training_measured as measured

    metric = measured.metric(row)
    found = measured.unit(row) if metric and row["value"] else ""
    return (
        _ranks(row, ("tp", "pp", "cp", "dp"))
        or _layers(row)
        or _heads(row)
        or _sequences(row)
        or _formats(row, ("precision",))
        or (found if isinstance(found, str) else "")
        or (_share(row) if metric.startswith("mfu") else "")
    )


def _sequences(row: Row) -> str:
    """A micro-batch, or those of all replicas, above the batch of a step."""
    batch, micro = _number(row, "global_batch_seqs"), _number(row, "micro_batch")
    replicas = _number(row, "dp") or 1.0
    if not batch or not micro or micro * replicas <= batch:
        return ""
    each = f" on {replicas:g} replicas" if replicas > 1 else ""
    return (
        f"micro-batches of {micro:g} sequences{each} are more than the batch, {batch:g}"
    )


def _share(row: Row) -> str:
    return "" if float(row["value"] or 0) <= 100 else f"an MFU of {row['value']}%"  # noqa: PLR2004 (all of the peak)


#: The rule of each family.
RULES: Mapping[str, Rule] = {
    "collectives": collectives,
    "inference": inference,
    "training": training,
}
