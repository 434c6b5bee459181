"""Write the catalogue's training stacks from the shipped calibration.

python tools/stacks.py MODELS.csv MEASUREMENTS.csv… writes `software/training.scn` and
`sources/calibration.scn` of the catalogue. The measurements say where each stack holds;
the figures are those of `engine/calibration/training_fitted.py`, which
`training_table` fits.
"""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

from isocost.engine.calibration.training import load, shipped
from isocost.engine.calibration.training_blocks import Shipped, software_block
from isocost.engine.calibration.training_rows import Run

SOURCE = "isocost_training"
CATALOGUE = Path(__file__).parents[1] / "scenarios" / "catalog"
_HEAD = """edition 2026

import "isocost:sources/calibration"

# Written by tools/stacks.py from the calibration; edit that, not this.
# Where a stack was never measured on a chip its residual is that of a new vendor.
"""
_SOURCE = """edition 2026

# Written by tools/stacks.py.

source {key} "Isocost: calibration of training stacks" {{
  publisher = "Isocost"
  date = 2026-12-01
  kind = model
  note = "calibrated on {rows} runs of {sources}"
}}
"""
_VENDORS = {
    "ampere": "NVIDIA",
    "hopper": "NVIDIA",
    "blackwell": "NVIDIA",
    "amd": "AMD",
    "tpu": "Google",
    "aws": "Amazon Web Services",
    "other": "",
}
_NEMO = "Megatron core: NeMo, Megatron-Bridge, MLPerf's entries"
_FSDP = "PyTorch FSDP: llm-foundry, Composer, torchtitan"
STACKS = (
    Shipped(
        "megatron_ampere",
        "core",
        "ampere",
        _NEMO,
        "2023 to 2025",
        2025.0,
        "Megatron core on A100: no open run of it is measured.",
    ),
    Shipped(
        "megatron_hopper",
        "core",
        "hopper",
        _NEMO,
        "2024 to 2026",
        2025.9,
        "Megatron core on H100 and H200.",
    ),
    Shipped(
        "megatron_blackwell",
        "core",
        "blackwell",
        _NEMO,
        "2025 to 2026",
        2025.9,
        "Megatron core on B200, B300, GB200 and GB300.",
    ),
    Shipped(
        "megatron_amd",
        "core",
        "amd",
        _NEMO,
        "2025",
        2025.9,
        "MLPerf's entries on MI300 and MI350: one server, adapters on Llama 2 70B.",
    ),
    Shipped(
        "fsdp_ampere",
        "fsdp",
        "ampere",
        _FSDP,
        "2023 to 2024",
        2024.0,
        "PyTorch FSDP on A100.",
    ),
    Shipped(
        "fsdp_hopper",
        "fsdp",
        "hopper",
        _FSDP,
        "2023 to 2024",
        2024.0,
        "PyTorch FSDP on H100.",
    ),
    Shipped(
        "megatron_2021_ampere",
        "eager",
        "ampere",
        "Megatron-LM, Megatron-DeepSpeed",
        "2021 to 2022",
        2022.0,
        "Kernels one by one, nothing overlapped: one server of small GPTs.",
    ),
    Shipped(
        "maxtext_tpu",
        "xla",
        "tpu",
        "MaxText on JAX",
        "2024 to 2025",
        2025.5,
        "One compiled program a step, on TPU v5p and v6e.",
    ),
    Shipped(
        "neuron_training_trn1",
        "xla",
        "aws",
        "NeuronX Distributed, NeMo Megatron for Neuron",
        "2.13 to 2.24",
        2025.0,
        "Neuron on Trainium1, whose ranks are cores: no open run is calibrated on;\n"
        "the share of the law is from the utilisation that AWS publishes.",
        2.0,
    ),
    Shipped(
        "neuron_training_trn2",
        "xla",
        "aws",
        "NeuronX Distributed",
        "2.21 on",
        2025.9,
        "Neuron on Trainium2 and 3, whose ranks are pairs of cores: as on Trainium1.",
        4.0,
    ),
    Shipped(
        "datasheet_training",
        "core",
        "other",
        "any: data sheets alone",
        "none measured",
        2025.9,
        "For a chip whose training nobody has measured: what stacks of other chips\n"
        "reach, with the errors made on a vendor left out.",
    ),
)


def read(path: str) -> list[dict[str, str]]:
    """The rows of a table."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def catalogue(runs: Sequence[Run]) -> dict[str, str]:
    """The texts of the catalogue's files by their place in it.

    Args:
        runs: The runs that the shipped calibration was made on.
    """
    made = shipped()
    used = [run for run in runs if run.trusted]
    sources = ", ".join(sorted({run.source for run in used}))
    parts = [_HEAD]
    for block in STACKS:
        vendor = _VENDORS[block.generation]
        parts.append(software_block(block, used, made, SOURCE, vendor))
    return {
        "software/training.scn": "\n".join(parts),
        "sources/calibration.scn": _SOURCE.format(
            key=SOURCE, rows=len(used), sources=sources
        ),
    }


def main(paths: Sequence[str]) -> None:
    """Write the files for the models of `paths[0]` and the measurements of the rest."""
    rows = [row for path in paths[1:] for row in read(path)]
    runs, _ = load(rows, read(paths[0]))
    for place, text in catalogue(runs).items():
        (CATALOGUE / place).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
