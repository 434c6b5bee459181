"""The coefficients of the training model, each with a meaning and a prior.

None belongs to a row or a model. Those of all chips are shared by all; a chip's
generation has a share of the power law and of attention; a family of stacks has its
host time, its memory traffic and what it hides. Priors are log-normal (a value and
the spread of its logarithm) and were set with the open data in sight, except where
`meaning` names a source.
"""

from collections.abc import Mapping

import attrs


@attrs.frozen
class Coefficient:
    """One number: its prior, the spread of its logarithm, its meaning.

    A spread of 0 fixes it: the measurements cannot tell it from the others.
    """

    prior: float
    spread: float
    unit: str
    meaning: str


def _c(prior: float, spread: float, unit: str, meaning: str) -> Coefficient:
    return Coefficient(prior, spread, unit, meaning)


COEFFICIENTS: Mapping[str, Coefficient] = {
    "matrix_base": _c(0.83, 0.1, "1", "share of the peak at 1 TFLOP/J, large matrices"),
    "power_slope": _c(0.18, 0.3, "1", "fall of the share with peak over power"),
    "variant": _c(0.5, 0.3, "1", "the same among variants of one silicon, beside it"),
    "chip_blackwell": _c(0.93, 0.1, "1", "share of the law: B200, B300, GB200, GB300"),
    "chip_tpu": _c(1.07, 0.1, "1", "share of the law: TPU"),
    "chip_amd": _c(0.7, 0.2, "1", "share of the law: MI300 and MI350 (software)"),
    "chip_aws": _c(
        0.55, 0.0, "1", "share of the law: Trainium (from the MFU that AWS publishes)"
    ),
    "chip_other": _c(0.9, 0.2, "1", "share of the law: a chip that few have measured"),
    "fp4_share": _c(0.87, 0.0, "1", "share of the law in 4 bits"),
    "attention": _c(0.5, 0.25, "1", "fused attention's share of the 16-bit peak"),
    "attention_ampere": _c(1.2, 0.0, "1", "the same on A100, relative"),
    "attention_hopper": _c(0.75, 0.2, "1", "the same on H100 and H200, relative"),
    "attention_blackwell": _c(1.2, 0.25, "1", "the same on Blackwell, relative"),
    "traffic": _c(1.6, 0.25, "1", "memory traffic over perfectly fused operations"),
    "traffic_fsdp": _c(1.4, 0.2, "1", "the same in PyTorch FSDP, relative"),
    "matrix_traffic": _c(0.4, 0.0, "1", "share of matrices' traffic that shows"),
    "gather_overlap": _c(0.5, 0.4, "1", "share of a micro-batch that hides gathers"),
    "reduce_overlap": _c(0.6, 0.3, "1", "share of a micro-batch that hides reduction"),
    "nic_share": _c(0.65, 0.25, "1", "share of a NIC that collectives sustain"),
    "ep_exposed": _c(0.4, 0.4, "1", "share of dispatch and return that shows"),
    "tp_exposed": _c(0.5, 0.4, "1", "share of tp communication that shows"),
    "tp_exposed_eager": _c(1.0, 0.2, "1", "the same in an eager stack"),
    "layer_host_eager": _c(7e-4, 0.5, "s", "host time of a layer's pass, eager"),
    "layer_host_fsdp": _c(2e-4, 0.0, "s", "host time of a layer's pass, FSDP"),
    "layer_host_core": _c(2e-4, 0.0, "s", "host time of a layer's pass, Megatron"),
    "layer_host_xla": _c(2e-5, 0.0, "s", "host time of a layer's pass, compiled"),
    "step_host_core": _c(0.02, 0.4, "s", "fixed time of a step, Megatron core"),
    "step_host_eager": _c(5e-3, 0.5, "s", "fixed time of a step, eager"),
    "slowdown": _c(1.2, 0.15, "1", "grouped over plain matrices, many tokens each"),
    "half_load": _c(256.0, 0.7, "token", "tokens of an expert that double it"),
    "moe_passes": _c(12.0, 0.6, "1", "passes over routed tokens, at the end of 2025"),
    "expert_host": _c(2e-4, 0.7, "s", "host time of a local expert, end of 2025"),
    "moe_decay": _c(0.85, 0.0, "1/year", "fall of both with the stack's release date"),
    "spill": _c(0.4, 0.0, "1", "work done again for each activation not kept"),
    "latency_eager": _c(4e-5, 0.7, "s", "a collective's latency, eager, each doubling"),
    "latency": _c(1.5e-5, 0.0, "s", "a collective's latency, each doubling of ranks"),
    "sharpness": _c(4.0, 0.3, "1", "how sharply the longer of host and chip decides"),
    "loss_bytes_torch": _c(120.0, 0.5, "B", "loss's traffic for each logit, unfused"),
    "unfused_host": _c(0.4, 0.4, "1", "extra host time of an unfused softmax"),
    "straggle": _c(0.006, 0.0, "1", "slowdown for each doubling of nodes"),
}
NAMES = tuple(COEFFICIENTS)
#: Those that are fitted.
FREE = tuple(name for name in NAMES if COEFFICIENTS[name].spread)
#: What a generation of chips is called in the names above.
GENERATIONS = {
    "A100": "ampere",
    "H100": "hopper",
    "H200": "hopper",
    "H800": "hopper",
    "GH200": "hopper",
    "B200": "blackwell",
    "B300": "blackwell",
    "GB200": "blackwell",
    "GB300": "blackwell",
    "TPU": "tpu",
    "Trainium1": "aws",
    "Trainium2": "aws",
    "Trainium3": "aws",
    "MI300X": "amd",
    "MI325X": "amd",
    "MI350X": "amd",
    "MI355X": "amd",
}
#: Peak over power, TFLOP/J, of the chip that a generation's share is quoted for. Only
#: generations of one silicon under several power limits have one.
REFERENCES: Mapping[str, float] = {"ampere": 0.78, "hopper": 1.413, "blackwell": 2.0}
#: Stacks whose loss is PyTorch's own, kernel by kernel.
UNFUSED_LOSS = ("eager", "fsdp")
#: Values that the measurements cannot tell, stated once.
FIXED: Mapping[str, float] = {
    "memory_share": 0.9,
    "batched_share": 0.6,
    "cp_exposed": 0.5,
    "element_bytes": 2.0,
    "send_latency": 6e-5,
}
#: Share of a link that collectives sustain; PCIe's host bridges share both ways.
LINK_SHARE, PCIE_SHARE = 0.75, 0.5
#: In-network reduction speeds up all-reduces on NVSwitch from Hopper on.
REDUCE_GAIN = 1.35
#: Bytes a logit costs in a fused loss.
LOSS_BYTES = 20.0
#: Share of 16-bit activations kept where matrices run in 8 bits, and for adapters.
KEPT_LOW, KEPT_LORA = 0.65, 0.55
#: The date at which the experts' coefficients are quoted, and the dates it spans.
MOE_DATE, MOE_SPAN = 2025.9, (-1.5, 1.0)


def generation(chip: str) -> str:
    """The generation of a chip by its name; `other` for one that few have measured."""
    name = chip.split("-", maxsplit=1)[0]
    return GENERATIONS.get(name, "other")


def shares(chip: str) -> tuple[str | None, str | None]:
    """Names of a chip's share of the law and of attention; None: 1 (the reference)."""
    kind = generation(chip)
    law, attention = f"chip_{kind}", f"attention_{kind}"
    return (
        law if law in COEFFICIENTS else None,
        attention if attention in COEFFICIENTS else None,
    )
