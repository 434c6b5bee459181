"""Coefficients of inference stacks: what each means, its prior, whom it is bound to.

A coefficient is shared by everything in its scope and by nothing else: `vendor`
scopes hold for all chips and precisions of a vendor, `engine` scopes for a version
family of a framework. None belongs to a row, a model or a single chip. A stack that
no measurement has fitted keeps its priors and their wide spread.
"""

import re

import attrs

from isocost.engine.calibration.inference_chips import Chip


@attrs.frozen
class Coefficient:
    """One variable of the formulas that is fitted: prior median and sd of its log."""

    name: str
    variable: str
    scope: str
    prior: float
    spread: float
    unit: str
    doc: str


_US, _GB = 1e-6, 1e9


def _c(
    variable: str, scope: str, prior: float, spread: float, unit: str, doc: str
) -> Coefficient:
    return Coefficient(f"{variable}@{scope}", variable, scope, prior, spread, unit, doc)


#: (variable, unit, what it is).
_DOCS = {
    "memory_share": ("1", "share of the rated memory bandwidth, weights"),
    "cache_memory_share": ("1", "share of the rated memory bandwidth, cache"),
    "base": ("1", "share of the peak that matrices reach at 1 TFLOP/J"),
    "slope": ("1", "power by which that share falls with peak over power"),
    "attention_share": (
        "1",
        "share of the bf16 peak that attention over prompts reaches",
    ),
    "layer_overhead": ("s", "launches and gaps of a layer"),
    "prompt_gaps": ("1", "launches and gaps of a layer over prompts, over decoding"),
    "step_overhead": ("s", "scheduling of a step"),
    "sequence_overhead": ("s", "host work for each sequence and step"),
    "traffic": ("1", "times the activations move"),
    "half_width": ("1", "side of the expert whose matrices reach half of the rate"),
    "tile": ("1", "tokens of padding for each touched expert"),
    "imbalance": ("1", "busiest over mean expert-parallel rank at ep = 4"),
    "permute_traffic": ("1", "times tokens move on their way to experts and back"),
    "exchange_share": ("1", "share of a link's rate in an all-to-all"),
    "rate_share": ("1", "share of a link's rate in an all-reduce"),
    "cache_share": ("1", "share of the free memory given to the cache"),
    "reserve": ("B", "memory that the runtime keeps"),
    "reread": ("1", "share of the cache read again for every query head"),
    "acceptance": ("1", "chance that a drafted token is accepted"),
}
#: Scope, variable, prior median, prior sd of the log.
_PRIORS = (
    ("gpu", "memory_share", 0.88, 0.10),
    ("gpu", "cache_memory_share", 0.85, 0.12),
    ("gpu", "base", 0.78, 0.15),
    ("gpu", "slope", 0.20, 0.30),
    ("gpu", "attention_share", 0.55, 0.25),
    ("gpu", "traffic", 1.0, 0.30),
    ("gpu", "half_width", 2500.0, 0.50),
    # Half of a tile of 128 rows, which the matrix units of GPUs take at a time.
    ("gpu", "tile", 64.0, 0.30),
    ("gpu", "imbalance", 1.30, 0.15),
    ("gpu", "permute_traffic", 1.5, 0.50),
    ("gpu", "exchange_share", 0.60, 0.30),
    ("gpu", "rate_share", 0.80, 0.10),
    ("gpu", "cache_share", 0.925, 0.03),
    ("gpu", "reserve", 3.3 * _GB, 0.30),
    ("gpu", "step_overhead", 200 * _US, 0.50),
    ("gpu", "prompt_gaps", 1.0, 0.05),
    ("gpu", "acceptance", 0.62, 0.15),
    ("trtllm_2023", "layer_overhead", 90 * _US, 0.40),
    ("trtllm_2023", "sequence_overhead", 4 * _US, 0.60),
    ("trtllm_2023", "reread", 0.55, 0.40),
    ("trtllm_2025", "layer_overhead", 65 * _US, 0.40),
    ("trtllm_2025", "sequence_overhead", 4 * _US, 0.60),
    ("gpu_other", "layer_overhead", 75 * _US, 0.50),
    ("gpu_other", "sequence_overhead", 8 * _US, 0.70),
    ("gpu_other", "step_overhead", 1500 * _US, 0.70),
    ("rocm", "step_overhead", 2000 * _US, 0.70),
    ("rocm", "layer_overhead", 110 * _US, 0.50),
    ("rocm", "sequence_overhead", 8 * _US, 0.70),
    ("amd", "base", 0.60, 0.25),
    ("amd", "memory_share", 0.80, 0.15),
    ("amd", "cache_memory_share", 0.70, 0.20),
    ("amd", "attention_share", 0.35, 0.40),
    ("tpu", "layer_overhead", 15 * _US, 0.70),
    ("tpu", "sequence_overhead", 4 * _US, 0.70),
    ("google", "base", 0.90, 0.15),
    ("google", "memory_share", 0.85, 0.12),
    ("google", "cache_memory_share", 0.65, 0.25),
    ("google", "attention_share", 0.40, 0.40),
    ("gaudi", "layer_overhead", 80 * _US, 0.60),
    ("gaudi", "step_overhead", 1500 * _US, 0.70),
    ("gaudi", "sequence_overhead", 8 * _US, 0.70),
    ("neuron", "memory_share", 0.78, 0.12),
    ("neuron", "cache_memory_share", 0.65, 0.25),
    ("neuron", "base", 0.70, 0.25),
    ("neuron", "rate_share", 0.25, 0.50),
    ("neuron", "prompt_gaps", 1.5, 0.60),
    ("neuron_2_18_0", "attention_share", 0.012, 0.80),
    ("neuron_2_18_1", "attention_share", 0.30, 0.60),
    ("neuron_tnx", "layer_overhead", 100 * _US, 0.40),
    ("neuron_nxd", "layer_overhead", 100 * _US, 0.40),
    ("neuron", "sequence_overhead", 4 * _US, 0.60),
)
COEFFICIENTS = tuple(
    _c(variable, scope, prior, spread, *_DOCS[variable])
    for scope, variable, prior, spread in _PRIORS
)
INDEX = {each.name: position for position, each in enumerate(COEFFICIENTS)}
#: Figures that no open measurement tells apart: kept as they are.
FIXED = {
    "activation_bytes": 2.0,
    "page": 32.0,
    "table_bytes": 2.0,
    "redundant": 0.0,
    "combine_bytes": 2.0,
    "cross": 1.38,
    "damping": 0.37,
    "zero": 0.0,
    "node_alpha": 15e-6,
}


@attrs.frozen
class Stack:
    """A framework's version family on a vendor's chips.

    `scopes` are looked through in order for each variable. `bucketed`: attention
    reads the next power of two. `overlap`: a second micro-batch hides exchanges.
    `thin`: measured, but by few rows.
    """

    name: str
    scopes: tuple[str, ...]
    measured: bool
    bucketed: bool = False
    reread: float | None = 0.0
    overlap: float = 0.0
    bench: bool = False
    thin: bool = False

    def coefficient(self, variable: str) -> str:
        """The name of the coefficient that the variable takes."""
        for scope in (*self.scopes, "gpu"):
            if f"{variable}@{scope}" in INDEX:
                return f"{variable}@{scope}"
        raise KeyError(variable)


def as_unknown(made: Stack) -> Stack:
    """A stack as if nobody had measured it: what data sheets and priors say of one.

    How its runs are made (`bench`: a queue of so many requests) stays, as that is
    documented and no figure.
    """
    return Stack("gpu_other", ("gpu_other",), measured=False, bench=made.bench)


_OLD_TRT = re.compile(r"TensorRT-LLM\s+v?0\.[0-6]\b")


def find_stack(framework: str, chip: Chip) -> Stack:
    """The stack of a measurement; an unknown one falls back on data sheets."""
    text = framework.lower()
    overlap = 1.0 if "overlap" in text or "tbo" in text else 0.0
    if chip.vendor == "aws":
        kit = "neuron_nxd" if "nxd" in text or "vllm" in text else "neuron_tnx"
        old = "2.18.0" in text
        scopes = (kit, "neuron_2_18_0" if old else "neuron_2_18_1", "neuron")
        known = chip.name in {"Inferentia2", "Trainium1", "Trainium2"}
        transformers = kit == "neuron_tnx"
        return Stack(kit, scopes, known, transformers, 1.0, thin=not transformers)
    if chip.vendor == "amd":
        return Stack("rocm", ("rocm", "amd"), measured=False)
    if chip.vendor == "google":
        return Stack("tpu", ("tpu", "google"), measured=False)
    if chip.vendor == "intel":
        return Stack("gaudi", ("gaudi", "google"), measured=False)
    if _OLD_TRT.search(framework):
        return Stack("trtllm_2023", ("trtllm_2023",), measured=True, reread=None)
    if "tensorrt" in text or "nim" in text or "trt" in text:
        bench = "v1." in text or "v0." in text
        return Stack("trtllm_2025", ("trtllm_2025",), measured=True, bench=bench)
    return Stack("gpu_other", ("gpu_other",), measured=False, overlap=overlap)
