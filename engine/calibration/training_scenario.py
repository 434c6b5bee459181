"""A measured run as a scenario that a person can read, edit and evaluate.

Every figure of the run is stated in the file: chip, system, model, workload and the
stack's coefficients, so that it stands on its own and gives the prediction of the
calibration to the last digits.
"""

from collections.abc import Iterator, Mapping

from isocost.engine.calibration.training import Calibration, shipped
from isocost.engine.calibration.training_coefficients import generation
from isocost.engine.calibration.training_model import batch_of, stack_inputs
from isocost.engine.calibration.training_rows import Run
from isocost.engine.calibration.training_spread import novelty_of

#: Paths in a `software` block, units in a file and their size, by input of the plan.
STACK_LINES: Mapping[str, tuple[str, str, float]] = {
    "matrix_base": ("matrix.base", "", 1.0),
    "power_slope": ("matrix.slope", "", 1.0),
    "generation_share": ("training.generation", "", 1.0),
    "reference": ("training.reference", "TFLOP/J", 1e12),
    "variant": ("training.variant", "", 1.0),
    "matrix_traffic": ("training.matrix_traffic", "", 1.0),
    "attention_share": ("attention.efficiency", "", 1.0),
    "traffic": ("training.traffic", "", 1.0),
    "memory_share": ("memory.sustained", "", 1.0),
    "layer_host": ("layer_overhead", "us", 1e-6),
    "step_host": ("step_overhead", "us", 1e-6),
    "sharpness": ("training.sharpness", "", 1.0),
    "loss_bytes": ("training.loss_bytes", "B", 1.0),
    "batched_share": ("training.batched", "", 1.0),
    "unfused_host": ("training.unfused_host", "", 1.0),
    "link_share": ("training.link_share", "", 1.0),
    "reduce_share": ("training.all_reduce", "", 1.0),
    "nic_share": ("training.nic_share", "", 1.0),
    "latency": ("training.latency", "us", 1e-6),
    "send_latency": ("training.send_latency", "us", 1e-6),
    "tp_exposed": ("training.exposed.tp", "", 1.0),
    "cp_exposed": ("training.exposed.cp", "", 1.0),
    "ep_exposed": ("training.exposed.ep", "", 1.0),
    "send_exposed": ("training.exposed.send", "", 1.0),
    "gather_overlap": ("training.overlap.gather", "", 1.0),
    "reduce_overlap": ("training.overlap.reduce", "", 1.0),
    "gather_bytes": ("training.bytes.gather", "B", 1.0),
    "reduce_bytes": ("training.bytes.reduce", "B", 1.0),
    "slowdown": ("training.experts.slowdown", "", 1.0),
    "half_load": ("training.experts.half_load", "token", 1.0),
    "moe_passes": ("training.experts.passes", "", 1.0),
    "expert_host": ("training.experts.host", "us", 1e-6),
    "spill": ("training.spill", "", 1.0),
    "straggle": ("training.straggle", "", 1.0),
}
#: Flags of a `software` block by input of the plan.
STACK_FLAGS = {
    "flash": "training.fused_attention",
    "causal": "training.causal",
    "balanced": "training.balanced",
    "sequence_parallel": "training.sequence_parallel",
}
_PRECISIONS = ("bf16", "fp8", "fp4", "int8")
_GIBI = 2**30


def _number(value: float, unit: str = "") -> str:
    """A literal that reads back as the same number."""
    text = f"{value:.0f}" if value == round(value) else f"{value:.15g}"
    if "e" in text:
        text = f"{value:.25f}".rstrip("0")
    return f"{text} {unit}".strip()


def _block(kind: str, name: str, lines: Mapping[str, str]) -> str:
    body = "".join(f"  {path} = {value}\n" for path, value in lines.items())
    return f"{kind} {name} {{\n{body}}}\n"


def _precision(run: Run) -> str:
    if run.inputs["fp4"]:
        return "fp4"
    if run.inputs["plain_gradient"]:
        return "int8"
    return "fp8" if run.inputs["low"] else "bf16"


def _chip(run: Run) -> dict[str, str]:
    x = run.inputs
    part = x["rank_chips"]
    low = _precision(run)
    peaks = {"peak[bf16]": _number(x["peak_plain"] / 1e12, "TFLOP/s")}
    if low != "bf16":
        peaks[f"peak[{low}]"] = _number(x["peak"] / 1e12, "TFLOP/s")
    return {
        "family": f'"{generation(run.chip)}"',
        **peaks,
        "memory.capacity": _number(x["capacity"] / part / _GIBI, "GiB"),
        "memory.bandwidth": _number(x["memory_bandwidth"] / 1e9, "GB/s"),
        "power": _number(x["power"], "W"),
        "scale_up.bandwidth": _number(x["link"] / part / 1e9, "GB/s"),
        "scale_out.bandwidth": _number(x["nic"] / part / 1e9, "GB/s"),
    }


def _system(run: Run) -> dict[str, str]:
    x = run.inputs
    chips = x["domain"] * x["rank_chips"]
    servers = x["domain"] / x["node_ranks"]
    return {
        "chip": "the_chip",
        "chips": _number(chips, "chip"),
        "servers": _number(servers, "server"),
    }


def _model(run: Run) -> dict[str, str]:
    x = run.inputs
    made = run.made
    lines = {
        "layers": _number(x["layers"]),
        "hidden": _number(x["hidden"]),
        "heads": _number(x["heads"]),
        "kv_heads": _number(made.kv_heads),
        "head_size": _number(made.head_size),
        "ffn": _number(x["ffn"]),
        "gated": str(bool(x["gated"])).lower(),
        "vocabulary": _number(x["vocabulary"]),
        "tied": str(bool(made.tied)).lower(),
    }
    if made.mla:
        lines |= {
            "attention": "mla",
            "mla.q_rank": _number(made.query_rank),
            "mla.kv_rank": _number(made.kv_rank),
            "mla.rope": _number(made.rope_size),
            "mla.nope": _number(made.head_size),
            "mla.value": _number(made.value_size),
        }
    if x["moe_layers"]:
        lines |= {
            "moe.experts": _number(x["experts"]),
            "moe.top_k": _number(x["top_k"]),
            "moe.shared": _number(x["shared_experts"]),
            "moe.ffn": _number(x["expert_ffn"]),
            "moe.dense_layers": _number(x["dense_layers"]),
        }
    if x["window_share"]:
        lines |= {
            "window.size": _number(x["window"], "token"),
            "window.share": _number(x["window_share"]),
        }
    return lines


def _workload(run: Run) -> dict[str, str]:
    x = run.inputs
    lines = {
        "task": "training",
        "model": "the_model",
        "sequence": _number(x["sequence"], "token"),
        "batch.global": _number(x["batch"], "sequence"),
        "batch.micro": _number(x["micro_batch"], "sequence"),
        **{
            f"parallel.{name}": _number(x[name])
            for name in ("tp", "pp", "cp", "dp", "ep")
        },
        "parallel.virtual": _number(x["chunks"]),
        "zero": _number(x["zero"]),
        "precision.compute": _precision(run),
        "adapters": str(not x["weight_gradient"]).lower(),
    }
    if x["selective"]:
        lines["recompute"] = "selective"
    elif x["recompute_known"]:
        lines["recompute.share"] = _number(x["recompute_stated"])
    return lines


def _software(run: Run, made: Calibration) -> dict[str, str]:
    values = {**run.inputs, **_single(run, made)}
    x = run.inputs
    half = made.widths.half(novelty_of(run, made.pairs, made.sources), run)
    factor = 2.718281828459045**half
    kept = values["kept_share"]
    lines = {
        path: _number(values[name] / size, unit)
        for name, (path, unit, size) in STACK_LINES.items()
    }
    flags = {path: str(bool(values[n])).lower() for n, path in STACK_FLAGS.items()}
    return {
        "framework": f'"{run.stack.name}"',
        "ranks_per_chip": _number(1 / x["rank_chips"], "/chip"),
        **lines,
        **flags,
        **(
            {
                f"training.precision[{_precision(run)}]": _number(
                    values["precision_share"]
                )
            }
            if values["precision_share"] != 1
            else {}
        ),
        "training.kept.low": _number(kept if x["weight_gradient"] else 0.65),
        "training.kept.adapters": _number(0.55),
        "training.reserve": _number(0.1),
        "memory.reserve": _number(4, "GB/chip"),
        "residual": f"{_number(1 / factor)} to {_number(factor)}",
        "residual.experts": _number(1),
        "residual.unseen": _number(1),
    }


def _single(run: Run, made: Calibration) -> dict[str, float]:
    """The stack's figures for one run as numbers."""
    found = stack_inputs(batch_of([run]), made.values)
    return {
        name: float(getattr(v, "item", lambda v=v: v)()) for name, v in found.items()
    }


def _blocks(run: Run, made: Calibration) -> Iterator[str]:
    yield "edition 2026\n"
    yield f"# {run.row_id}: {run.series}, {run.source}\n"
    if run.assumed:
        yield f"# assumed: {', '.join(run.assumed)}\n"
    yield _block("chip", "the_chip", _chip(run))
    yield _block("system", "the_system", _system(run))
    yield _block("model", "the_model", _model(run))
    yield _block("software", "the_stack", _software(run, made))
    yield _block("workload", "the_run", _workload(run))
    chips = run.inputs["ranks"] * run.inputs["rank_chips"]
    domain = run.inputs["domain"] * run.inputs["rank_chips"]
    size = max(chips, domain)
    yield _block(
        "scenario",
        "run",
        {
            "system": "the_system",
            "software": "the_stack",
            "workload": "the_run",
            "size": _number(-(-size // domain) * domain, "chip"),
        },
    )


def scenario_text(run: Run, made: Calibration | None = None) -> str:
    """The text of a scenario `run` that predicts a measured run.

    Args:
        run: A run.
        made: A calibration; the shipped one if left out.
    """
    return "\n".join(_blocks(run, made or shipped()))
