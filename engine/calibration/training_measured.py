"""What training rows measured, as the time of a step in seconds.

A time stands as it is; a rate and a share of the peak are turned into one, with the
count of model FLOP that their name says.
"""

import re
from collections.abc import Mapping

from isocost.engine.calibration.inference_arrays import apply
from isocost.engine.calibration.measured_units import METRICS as KINDS
from isocost.engine.calibration.measured_units import Unit, stated
from isocost.engine.formulas import training as formulas

Row = Mapping[str, str]

#: What is predicted, as a reader is told.
METRICS = (
    "step_time (s, ms), tokens_per_s, tokens_per_s_per_chip, samples_per_s, mfu, "
    "mfu_causal (%), tflops_per_chip"
)
_CHIP = r"_per_(?:chip|gpu|device|accelerator)"
_SECOND = "_per_s(?:ec|econd)?"
#: The metric of each spelling.
_NAMES: Mapping[str, str] = {
    r"(?:step_time|iteration_time)(?:_\w+)?": "step_time",
    f"tokens{_SECOND}(?:_total)?": "tokens_per_s",
    f"tokens{_SECOND}{_CHIP}": "tokens_per_s_per_chip",
    f"(?:samples|sequences){_SECOND}": "samples_per_s",
    f"(?:samples|sequences){_SECOND}{_CHIP}": "samples_per_s_per_chip",
    r"mfu(?:_pct|_percent)?": "mfu",
    r"mfu(?:_causal|\[causal\])(?:_pct|_percent)?": "mfu_causal",
    rf"(?:model_)?tflops(?:{_CHIP})?": "tflops_per_chip",
}


def metric(row: Row) -> str:
    """The metric that a row states, in the words of `METRICS`; empty if none."""
    name = row.get("metric", "").lower().strip()
    found = (made for words, made in _NAMES.items() if re.fullmatch(words, name))
    return next(found, "")


def unit(row: Row) -> Unit | str:
    """The unit of a row's value, or why it cannot be told; its metric is known."""
    return stated(row, KINDS["training"][metric(row)])


def number(row: Row, name: str) -> float | None:
    """A cell as a number, None if it is empty or no number."""
    try:
        return float(row.get(name, "") or "x")
    except ValueError:
        return None


def step_seconds(row: Row, tokens: float) -> float | None:
    """Measured time of a step: stated, or from tokens a second and chip."""
    value, chips = number(row, "value"), number(row, "n_chips")
    name, found = metric(row), unit(row) if metric(row) else ""
    if value and not isinstance(found, str):
        size = value * found.size
        each = chips if name.endswith("_per_chip") or found.of == "chip" else 1.0
        if name == "step_time":
            return size
        if name.startswith("tokens"):
            return tokens / each / size if each else None
        sequences = number(row, "global_batch_seqs")
        if name.startswith("samples") and sequences:
            return sequences / size / each if each else None
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
    value, name = number(row, "value"), metric(row)
    chips, found = number(row, "n_chips"), unit(row) if name else ""
    if not name.startswith(("mfu", "tflops")) or not value or not chips:
        return None
    if isinstance(found, str):
        return None
    rate = value * found.size
    if name.startswith("mfu"):
        percent = found.size < 1 or "pct" in row["metric"].lower() or value > 1
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
        "attended": sequence / (2 if name == "mfu_causal" else 1),
    }
    return float(apply(formulas.model_flops, counted)) * tokens / (chips * rate)
