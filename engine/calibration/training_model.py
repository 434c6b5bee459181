"""Coefficients and runs, to the time of a step: the plan's formulas over arrays."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from isocost.engine.calibration import training_coefficients as table
from isocost.engine.calibration.inference_arrays import apply
from isocost.engine.calibration.training_rows import Run
from isocost.engine.formulas.training_plan import STEP

Array = NDArray[np.float64]
Values = dict[str, Any]
_STACKS = ("eager", "fsdp", "core", "xla")


@attrs.frozen(eq=False)
class Batch:
    """Runs side by side: inputs and flags as arrays, and what was measured."""

    runs: tuple[Run, ...]
    inputs: Mapping[str, Array]
    flags: Mapping[str, Array]
    measured: Array

    def take(self, chosen: NDArray[np.bool_]) -> "Batch":
        """The runs that are chosen."""
        return Batch(
            tuple(run for run, keep in zip(self.runs, chosen, strict=True) if keep),
            {name: value[chosen] for name, value in self.inputs.items()},
            {name: value[chosen] for name, value in self.flags.items()},
            self.measured[chosen],
        )


def batch_of(runs: Sequence[Run]) -> Batch:
    """Runs as arrays."""
    names = runs[0].inputs
    inputs = {k: np.array([run.inputs[k] for run in runs], float) for k in names}
    flags = {
        f"is_{name}": np.array([run.stack.name == name for run in runs], float)
        for name in _STACKS
    }
    for flag in ("balanced", "send_exposed", "reduce_bytes"):
        flags[flag] = np.array([getattr(run.stack, flag) for run in runs], float)
    flags["switched"] = np.array(
        [table.generation(run.chip) in {"hopper", "blackwell"} for run in runs], float
    )
    references = [table.REFERENCES.get(table.generation(run.chip), 0.0) for run in runs]
    flags["reference"] = np.array(references)
    laws = [table.shares(run.chip) for run in runs]
    for name in table.NAMES:
        if name.startswith("chip_"):
            flags[name] = np.array([law == name for law, _ in laws], float)
        elif name.startswith("attention_"):
            flags[name] = np.array([share == name for _, share in laws], float)
    low, high = table.MOE_SPAN
    years = np.array([run.year for run in runs]) - table.MOE_DATE
    flags["moe_age"] = np.clip(years, low, high)
    measured = np.array([run.measured for run in runs])
    return Batch(tuple(runs), inputs, flags, measured)


def _chosen(flags: Mapping[str, Array], c: Mapping[str, float], prefix: str) -> Any:
    """Product of the coefficients that a flag of the same name turns on."""
    out: Any = 1.0
    for name in table.NAMES:
        if name.startswith(prefix):
            out = out * np.where(flags[name] > 0, c[name], 1.0)
    return out


def _stack_values(f: Mapping[str, Array], c: Mapping[str, float]) -> Values:
    """What belongs to a family of stacks."""
    eager = f["is_eager"] > 0
    host = sum(f[f"is_{name}"] * c[f"layer_host_{name}"] for name in _STACKS)
    return {
        "layer_host": host,
        "step_host": f["is_core"] * c["step_host_core"]
        + f["is_eager"] * c["step_host_eager"],
        "tp_exposed": np.where(eager, c["tp_exposed_eager"], c["tp_exposed"]),
        "latency": np.where(eager, c["latency_eager"], c["latency"]),
        "loss_bytes": np.where(
            sum(f[f"is_{name}"] for name in table.UNFUSED_LOSS) > 0,
            c["loss_bytes_torch"],
            table.LOSS_BYTES,
        ),
        "unfused_host": np.where(eager, c["unfused_host"], 0.0),
        "reduce_overlap": np.where(eager, 0.0, c["reduce_overlap"]),
        "traffic": c["traffic"] * np.where(f["is_fsdp"] > 0, c["traffic_fsdp"], 1.0),
        "balanced": f["balanced"],
        "send_exposed": f["send_exposed"],
        "reduce_bytes": f["reduce_bytes"],
    }


def stack_inputs(batch: Batch, c: Mapping[str, float]) -> Values:
    """The stack's and the chip's figures of each run, from the coefficients.

    Args:
        batch: The runs.
        c: Coefficients by name.
    """
    f, x = batch.flags, batch.inputs
    aging = np.exp(-c["moe_decay"] * f["moe_age"])
    kept = np.where(x["low"] > 0, table.KEPT_LOW, 1.0)
    gain = np.where(f["switched"] > 0, table.REDUCE_GAIN, 1.0)
    return {
        **table.FIXED,
        **_stack_values(f, c),
        "matrix_base": c["matrix_base"],
        "power_slope": c["power_slope"],
        "generation_share": _chosen(f, c, "chip_"),
        "reference": np.where(f["reference"] > 0, f["reference"], 1.0) * 1e12,
        "variant": np.where(f["reference"] > 0, c["variant"], 0.0),
        "precision_share": np.where(x["fp4"] > 0, c["fp4_share"], 1.0),
        "attention_share": c["attention"] * _chosen(f, c, "attention_"),
        "reduce_share": x["link_share"] * gain,
        "matrix_traffic": c["matrix_traffic"],
        "gather_overlap": c["gather_overlap"],
        "nic_share": c["nic_share"],
        "ep_exposed": c["ep_exposed"],
        "slowdown": np.where(x["dropped"] > 0, 1.0, c["slowdown"]),
        "half_load": np.where(x["dropped"] > 0, 0.0, c["half_load"]),
        "moe_passes": np.where(x["dropped"] > 0, 0.0, c["moe_passes"] * aging),
        "expert_host": np.where(f["is_xla"] > 0, 0.0, c["expert_host"] * aging),
        "spill": c["spill"],
        "sharpness": c["sharpness"],
        "straggle": c["straggle"],
        "kept_share": kept * np.where(x["weight_gradient"] > 0, 1.0, table.KEPT_LORA),
    }


def walk(batch: Batch, c: Mapping[str, float]) -> Values:
    """Every node of the plan for each run.

    Args:
        batch: The runs.
        c: Coefficients by name.
    """
    values: Values = {**batch.inputs, **stack_inputs(batch, c)}
    for node in STEP:
        named = {
            parameter: values[source] if isinstance(source, str) else source
            for parameter, source in node.inputs()
        }
        values[node.name] = apply(node.formula, named)
    return values


def predict(batch: Batch, c: Mapping[str, float]) -> Array:
    """Time of a step of each run, in seconds."""
    out: Array = walk(batch, c)["step"]
    return out
