"""Write the catalogue's serving stacks from the shipped calibration.

python tools/stacks_inference.py MODELS.csv MEASUREMENTS.csv FOLDER

FOLDER is `scenarios/catalog`: `sources/serving.scn` and `software/{neuron,gpu,tpu,
serving}.scn` are written. The measurements say where each stack holds; the figures
are those of `engine/calibration/inference_fitted.py`.
"""

import csv
import sys
from collections.abc import Iterable
from pathlib import Path

import attrs

from isocost.engine.calibration import inference_fitted as kept
from isocost.engine.calibration.inference import Fitted, shipped
from isocost.engine.calibration.inference_blocks import shipped_stack, software_block
from isocost.engine.calibration.inference_chips import Chip
from isocost.engine.calibration.inference_fit import measurements
from isocost.engine.calibration.inference_reach import Reach, of_stack, range_lines
from isocost.engine.calibration.inference_reach import reaches as find_reaches
from isocost.engine.calibration.inference_stacks import COEFFICIENTS, Stack

SOURCE = "isocost_serving"
_HEAD = """edition 2026

import "isocost:sources/serving"
{imports}
# Written by tools/stacks_inference.py from the calibration; edit that, not this.
# An interval is that of one figure, given all others. `residual` is what is left
# unexplained on models without experts; experts and first tokens have a further
# factor, as has what lies outside the ranges that a block states.
"""
_SOURCES = """edition 2026

# Written by tools/stacks_inference.py from the calibration; edit that, not this.

source {key} "Isocost: calibration of serving stacks" {{
  publisher = "Isocost"
  date = 2026-12-01
  kind = model
  note = "calibrated on {rows} rows of {sources}; quoted: coefficient and scope"
}}
"""


@attrs.frozen
class Shipped:
    """One block: where its figures come from, and what people are told of it."""

    name: str
    file: str
    framework: str
    chip: str
    vendor: str
    version: str
    chips: str
    precisions: str
    doc: str
    title: str = ""
    ranks: str = ""
    links: float = 1.0


_GPU_FORMATS = "bf16, fp16, fp8, int8, fp4"
STACKS = (
    Shipped(
        "trtllm",
        "gpu",
        "TensorRT-LLM v1.0",
        "H100",
        "NVIDIA",
        "0.7 to 1.2, NIM 1.8",
        "ampere, ada, hopper, blackwell",
        _GPU_FORMATS,
        "TensorRT-LLM of 2024 and 2025 on Hopper and Blackwell.",
        "TensorRT-LLM",
    ),
    Shipped(
        "trtllm_2023",
        "gpu",
        "TensorRT-LLM 0.6",
        "H100",
        "NVIDIA",
        "0.5 to 0.6",
        "ampere, ada, hopper",
        "bf16, fp16, fp8, int8",
        "TensorRT-LLM of 2023 on Ampere and Hopper: it reads a group's cache twice.",
        "TensorRT-LLM of 2023",
    ),
    Shipped(
        "vllm_nvidia",
        "gpu",
        "vLLM",
        "H100",
        "NVIDIA",
        "none measured",
        "ampere, ada, hopper, blackwell",
        _GPU_FORMATS,
        "vLLM and SGLang on NVIDIA's chips: kernels as fitted on TensorRT-LLM, host\n"
        "work expected of Python; two rows agree.",
    ),
    Shipped(
        "sglang_wide",
        "gpu",
        "SGLang, two-batch overlap",
        "H100",
        "NVIDIA",
        "none measured",
        "hopper, blackwell",
        _GPU_FORMATS,
        "SGLang with experts over many servers and two micro-batches in turn: one\n"
        "hides the other's exchanges.",
        "SGLang, wide experts",
    ),
    Shipped(
        "vllm_amd",
        "gpu",
        "vLLM",
        "MI300X",
        "AMD",
        "none measured",
        "cdna3, cdna4",
        "bf16, fp16, fp8, fp4",
        "vLLM and SGLang on ROCm: no open row, figures expected of a new vendor.",
    ),
    Shipped(
        "neuron_trn2",
        "neuron",
        "NxD Inference, vLLM",
        "Trainium2",
        "Amazon Web Services",
        "2.21 to 2.26",
        "trn2",
        "bf16, fp16, fp8",
        "NxD Inference on Trainium2: five rows of dense models, none of experts.",
        "Neuron on Trainium2",
        "4 /chip",
        2.0,
    ),
    Shipped(
        "neuron_trn1",
        "neuron",
        "Transformers NeuronX, SDK 2.18.1",
        "Trainium1",
        "Amazon Web Services",
        "2.18.1 to 2.20",
        "trn1",
        "bf16, fp16, int8",
        "Transformers NeuronX on Trainium1; the rows are those of Inferentia2 as well.",
        "Neuron on Trainium1",
        "2 /chip",
        2.0,
    ),
    Shipped(
        "neuron_inf2",
        "neuron",
        "Transformers NeuronX, SDK 2.18.1",
        "Inferentia2",
        "Amazon Web Services",
        "2.18.1 to 2.20",
        "inf2",
        "bf16, fp16, int8",
        "Transformers NeuronX on Inferentia2; the rows are those of Trainium1 as well.",
        "Neuron on Inferentia2",
        "2 /chip",
    ),
    Shipped(
        "jetstream_tpu",
        "tpu",
        "JetStream",
        "TPU-v5e",
        "Google",
        "none measured",
        "tpu_v5e, tpu_v5p, tpu_v6e, tpu_v7",
        "bf16, fp8, int8",
        "JetStream and vLLM on TPUs: no open row, figures expected of a new vendor.",
        "JetStream on TPUs",
    ),
    Shipped(
        "datasheet_serving",
        "serving",
        "",
        "",
        "",
        "none measured",
        "",
        "",
        "For a chip whose serving nobody has measured: what stacks of other chips\n"
        "reach, each figure as wide as was expected before any measurement.",
        "Data sheets alone",
    ),
)
#: What each file imports besides.
_IMPORTS = {"neuron": 'import "isocost:sources/aws"\n'}


def datasheet(fitted: Fitted) -> tuple[Stack, Chip, Fitted]:
    """A stack of no chip: GPU figures with the spreads that were expected."""
    stack, chip = shipped_stack("vLLM", "MI300X")
    nobody = attrs.evolve(chip, fabric="", guessed=("power",))
    wide = {each.name: max(each.spread, 0.15) for each in COEFFICIENTS}
    made = attrs.evolve(stack, name="datasheet", scopes=("gpu_other",))
    return made, nobody, attrs.evolve(fitted, spreads=wide)


def _framework(each: Shipped) -> str:
    """The framework without the version that finds its figures."""
    name = each.framework.partition(" v")[0].partition(" 0.")[0].partition(", SDK")[0]
    return name or "any: data sheets alone"


def block(each: Shipped, fitted: Fitted, found: dict[str, Reach]) -> str:
    """The text of a block, what people are told first."""
    if each.framework:
        stack, chip = shipped_stack(each.framework, each.chip)
    else:
        stack, chip, fitted = datasheet(fitted)
    reach = of_stack(found, stack)
    seen = reach is None or reach.experts
    text = software_block(
        each.name, stack, chip, fitted, SOURCE, experts_seen=seen, links=each.links
    )
    first, *rest = text.splitlines()
    title = f' "{each.title}"' if each.title else ""
    doc = [f"/// {line}" for line in each.doc.splitlines()]
    told = [
        *(('vendor = "' + each.vendor + '"',) if each.vendor else ()),
        f'framework = "{_framework(each)}"',
        f'version = "{each.version}" @{SOURCE}',
        *((f"chips = [{each.chips}]",) if each.chips else ()),
        *((f"precisions = [{each.precisions}]",) if each.precisions else ()),
        *(
            (f'ranks_per_chip = {each.ranks} @{SOURCE} "its rows"',)
            if each.ranks
            else ()
        ),
    ]
    told += range_lines(reach, SOURCE) if reach else []
    head = first.replace(" {", f"{title} {{")
    return "\n".join([*doc, head, *(f"  {line}" for line in told), *rest, ""])


def read(path: str) -> list[dict[str, str]]:
    """The rows of a table."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def files(models: str, rows: str) -> Iterable[tuple[str, str]]:
    """Each file's name under the catalogue and its text."""
    fitted = shipped()
    data = measurements(read(rows), {row["model"]: row for row in read(models)})
    found = dict(find_reaches(data, fitted.theta()))
    sources = ", ".join(kept.SOURCES)
    yield (
        "sources/serving.scn",
        _SOURCES.format(key=SOURCE, rows=kept.ROWS, sources=sources),
    )
    for name in dict.fromkeys(each.file for each in STACKS):
        blocks = [block(e, fitted, found) for e in STACKS if e.file == name]
        head = _HEAD.format(imports=_IMPORTS.get(name, ""))
        yield f"software/{name}.scn", "\n".join([head, *blocks])


def main() -> int:
    """Write the files."""
    models, rows, folder = sys.argv[1:]
    for name, text in files(models, rows):
        (Path(folder) / name).write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
