"""What no cluster can have run: one rule for each family, on a row's own cells.

A row that states more ranks than its chips have, more sequences than its batch, a rate
of tokens where none is written, a format that does not exist, or a value in a unit of
something else, is refused with what contradicts what. What a row leaves open
contradicts nothing.
"""

import math
from collections.abc import Callable, Mapping

from isocost.engine.calibration.inference_chips import find_chip
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
    written = metric not in {"", "ttft_ms", "input_tokens_per_s"}
    return (
        (
            f"`osl` is {row['osl'] or 'blank'}: no token is written"
            if written and not _number(row, "osl")
            else ""
        )
        or _ranks(row, degrees)
        or _layers(row)
        or _formats(row, ("weight_precision", "kv_precision", "compute_precision"))
        or (found if isinstance(found, str) else "")
    )


def training(row: Row) -> str:
    """Why no cluster can have trained as a row says; empty if one can."""
    from isocost.engine.calibration import training_measured as measured

    metric = measured.metric(row)
    found = measured.unit(row) if metric and row["value"] else ""
    return (
        _ranks(row, ("tp", "pp", "cp", "dp"))
        or _layers(row)
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
