"""Single kernels against the training model's parts: matrices and memory bandwidth.

Errors of parts may cancel in a step's time; here each part stands alone. No fit sees
these rows.
"""

import re
from collections.abc import Iterable, Mapping

import attrs
import numpy as np

from isocost.engine.calibration.inference_chips import find_chip
from isocost.engine.calibration.training import Calibration, stack_figures
from isocost.engine.calibration.training_coefficients import FIXED, generation
from isocost.engine.calibration.training_rows import PEAK_CHOICE, precision_of
from isocost.engine.formulas.chip import matrix_share
from isocost.engine.formulas.training_kernels import variant_share

#: The law of matrices holds for dimensions from here on, memory's share for sizes.
_LARGE, _BYTES = 4096, 2**26
_STACKS = {"tpu": "xla", "aws": "xla"}


@attrs.frozen
class Kernel:
    """A measured kernel: its part of the model, and both rates in SI units."""

    part: str
    chip: str
    series: str
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        """ln(predicted / measured) of the time, which is the inverse of the rate."""
        return float(np.log(self.measured / self.predicted))


def matrix_rate(chip_name: str, precision: str, made: Calibration) -> float:
    """FLOP/s that the model expects of large matrices on a chip.

    Args:
        chip_name: A chip that the calibration knows.
        precision: As measurements spell it.
        made: A calibration.
    """
    chip = find_chip(chip_name)
    if chip is None:
        message = f"no chip {chip_name}"
        raise ValueError(message)
    stack = _STACKS.get(generation(chip.name), "core")
    found = {k: v for k, (v, _) in stack_figures(stack, chip.name, 2026, made).items()}
    derate = PEAK_CHOICE.get(chip.name, 1.0) * 1e12
    plain, peak = chip.bf16 * derate, chip.peak(precision_of(precision)[0]) * derate
    law = matrix_share(
        peak=peak,
        power=chip.power,
        base=found["matrix_base"],
        slope=found["power_slope"],
    )
    share = variant_share(
        generation_share=found["generation_share"],
        peak=plain,
        power=chip.power,
        reference=found["reference"],
        variant=found["variant"],
    )
    return float(peak * law * share)


def kernels(rows: Iterable[Mapping[str, str]], made: Calibration) -> list[Kernel]:
    """The rows that the model has a part for: large matrices, streams through memory.

    Args:
        rows: Rows with the columns of the table of kernels.
        made: A calibration.
    """
    return [one for row in rows if (one := _kernel(row, made)) is not None]


def _kernel(row: Mapping[str, str], made: Calibration) -> Kernel | None:
    chip = find_chip(row["chip"].split(" (")[0])
    sizes = [int(text) for text in re.findall(r"\d+", row["size"])]
    if chip is None:
        return None
    devices = 2 if "per TensorCore" in row["chip"] else 1
    value = float(row["value"]) * devices
    if row["kernel"].startswith("gemm"):
        if sizes and min(sizes) < _LARGE:
            return None
        precision = row["kernel"].removeprefix("gemm_")
        rate = matrix_rate(chip.name, precision, made)
        return Kernel("matrices", chip.name, row["source_id"], value * 1e12, rate)
    if row["kernel"].startswith("hbm") and not (sizes and min(sizes) < _BYTES):
        rate = FIXED["memory_share"] * chip.bandwidth * 1e12
        return Kernel("memory", chip.name, row["source_id"], value * 1e9, rate)
    return None
