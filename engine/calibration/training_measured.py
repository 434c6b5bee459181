"""What training rows measured, as the time of a step in seconds.

A time stands as it is; a rate and a share of the peak are turned into one, with the
count of model FLOP that their name says.
"""

import re
from collections.abc import Mapping

from isocost.engine.calibration.inference_arrays import apply
from isocost.engine.formulas import training as formulas

Row = Mapping[str, str]

#: What is predicted, as a reader is told.
METRICS = (
    "step_time (s, ms), tokens_per_s, tokens_per_s_per_chip, samples_per_s, mfu, "
    "mfu_causal (%), tflops_per_chip"
)
#: Tokens a second of each chip; a share of the peak, or a rate, of model FLOP.
_EACH = re.compile(r"tokens_per_s(ec|econd)?_per_(chip|gpu|device|accelerator)")
_USE = re.compile(
    r"(?P<share>mfu(?P<causal>_causal|\[causal\])?(_pct|_percent)?)|"
    r"(model_)?tflops(_per_(chip|gpu|device|accelerator))?"
)
_TERA = 1e12


def number(row: Row, name: str) -> float | None:
    """A cell as a number, None if it is empty or no number."""
    try:
        return float(row.get(name, "") or "x")
    except ValueError:
        return None


def step_seconds(row: Row, tokens: float) -> float | None:
    """Measured time of a step: stated, or from tokens a second and chip."""
    value, metric = number(row, "value"), row.get("metric", "").lower()
    chips = number(row, "n_chips")
    if metric.startswith(("step_time", "iteration_time")) and value:
        small = metric.endswith("_ms") or row.get("unit", "").strip() == "ms"
        return value / 1e3 if small else value
    if value and re.fullmatch(r"tokens_per_s(ec|econd)?(_total)?", metric):
        return tokens / value
    if value and chips and _EACH.fullmatch(metric):
        return tokens / chips / value
    sequences = number(row, "global_batch_seqs")
    if value and sequences and re.fullmatch(r"(samples|sequences)_per_s\w*", metric):
        each = chips if "chip" in metric or "gpu" in metric else 1.0
        return sequences / value / (each or 1.0)
    rate = number(row, "tokens_per_s_per_chip")
    return tokens / chips / rate if rate and chips else None


def step_of_use(
    row: Row, shape: Mapping[str, float], peak: float, tokens: float, sequence: float
) -> float | None:
    """Measured time of a step from a share of the peak or a rate of model FLOP.

    `mfu` counts all of attention, as PaLM's does; `mfu_causal` half of it. A share
    above 1 is a percentage. `tflops_per_chip` is model FLOP, all of attention.

    Args:
        row: The measurement.
        shape: What the formulas need of its model.
        peak: Dense peak of a chip in the row's format, FLOP/s.
        tokens: Tokens of a step.
        sequence: Tokens of a sequence.
    """
    value, metric = number(row, "value"), row.get("metric", "").lower().strip()
    chips = number(row, "n_chips")
    found = _USE.fullmatch(metric)
    if found is None or not value or not chips:
        return None
    rate = value * _TERA
    if found["share"]:
        percent = "%" in row.get("unit", "") or "pct" in metric or value > 1
        rate = peak * (value / 100 if percent else value)
    visited = shape["top_k"] + shape["shared_experts"]
    matrices = (
        shape["layers"] * shape["attention"]
        + shape["dense_layers"] * shape["mlp"]
        + shape["moe_layers"] * visited * shape["expert"]
        + shape["hidden"] * shape["vocabulary"]
    )
    counted = {
        "matrix_params": matrices,
        "layers": shape["layers"],
        "score_width": shape["score_width"],
        "attended": sequence / (2 if found["causal"] else 1),
    }
    return float(apply(formulas.model_flops, counted)) * tokens / (chips * rate)
