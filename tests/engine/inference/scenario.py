"""A measurement written as a scenario, coefficient by coefficient.

Everything that calibration takes from a table of chips, a stack or a rule is stated,
so that a scenario and a prediction differ in nothing but the road to the numbers.
"""

from pathlib import Path

from isocost.dsl.check import check
from isocost.dsl.diagnostics import failed
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.calibration.inference import shipped
from isocost.engine.calibration.inference_blocks import PLACES
from isocost.engine.calibration.inference_rows import Case
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table


def _n(value: float) -> str:
    return f"{value:.17f}".rstrip("0").rstrip(".")


def _software(case: Case) -> list[str]:
    values, numbers = shipped().values, case.numbers
    lines = []
    for variable, place in PLACES.items():
        value = values[case.stack.coefficient(variable)] / place.scale
        lines.append(f"{place.path} = {_n(value)} {place.unit}".rstrip())
    reread = case.stack.reread
    if reread is None:
        reread = values[case.stack.coefficient("reread")]
    scale = 1e6
    return [
        *lines,
        f"cache.reread = {_n(reread)}",
        f"cache.buckets = {'true' if case.stack.bucketed else 'false'}",
        f"experts.overlap = {_n(case.stack.overlap)}",
        f"ranks_per_chip = {_n(1 / numbers['rank_chips'])} /chip",
        f"collective.launch = {_n(numbers['launch'] * scale)} us",
        "collective.own = 0",
        f"collective.cross = {_n(numbers['cross'])}",
        f"collective.damping = {_n(numbers['damping'])}",
        f"collective.reduction = {_n(numbers['reduction'] or 0.5)}",
        f"collective.reduction_latency = {_n(numbers['reduction_latency'] * scale)} us",
        "collectives = [ring, in_network, direct]",
        "residual = 1",
        "residual.experts = 1",
        "residual.ttft = 1",
        "residual.unseen = 1",
    ]


def _model(case: Case) -> list[str]:
    n = case.numbers
    names = ("layers", "hidden", "heads", "kv_heads", "head_size", "vocabulary")
    lines = [f"{name} = {_n(n[name])}" for name in names]
    lines += [
        f"gated = {'true' if n['gated'] else 'false'}",
        f"tied = {'true' if n['tied'] else 'false'}",
    ]
    if n["ffn"]:
        lines.append(f"ffn = {_n(n['ffn'])}")
    if case.mla:
        lines += [
            "attention = mla",
            f"mla.q_rank = {_n(n['query_rank'])}",
            f"mla.kv_rank = {_n(n['kv_rank'])}",
            f"mla.rope = {_n(n['rope_size'])}",
            f"mla.nope = {_n(n['head_size'])}",
            f"mla.value = {_n(n['value_size'])}",
        ]
    if case.experts:
        lines += [
            f"moe.experts = {_n(n['experts'])}",
            f"moe.top_k = {_n(n['top_k'])}",
            f"moe.shared = {_n(n['shared_experts'])}",
            f"moe.ffn = {_n(n['expert_ffn'])}",
            f"moe.dense_layers = {_n(n['dense_layers'])}",
        ]
    if n["window_share"]:
        lines += [
            f"window.size = {_n(n['window'])} token",
            f"window.share = {_n(n['window_share'])}",
        ]
    return lines


def _workload(case: Case) -> list[str]:
    n = case.numbers
    lines = [
        "task = inference",
        "model = m",
        f"prompt = {_n(n['prompt'])} token",
        f"output = {_n(n['output'])} token",
        f"batching = {'static' if case.mode == 'static' else 'continuous'}",
        *(f"parallel.{name} = {_n(n[name])}" for name in ("tp", "pp", "dp", "ep")),
    ]
    if n["batch"]:
        told = "batch.instance" if case.mode == "static" else "users"
        lines.append(f"{told} = {_n(n['batch'])} sequence")
    if n["draft"]:
        lines.append(f"speculation.length = {_n(n['draft'])}")
    return lines


def _rates(case: Case) -> list[str]:
    """What words of precision would say, in the numbers of the measurement."""
    n, tera = case.numbers, 1e12
    return [
        f"bytes.weights = {_n(n['weight_bytes'])} B",
        f"bytes.attention = {_n(n['attention_bytes'])} B",
        f"bytes.cache = {_n(n['cache_bytes'])} B",
        f"bytes.dispatch = {_n(n['dispatch_bytes'])} B",
        f"rank.peak = {_n(n['peak_low'] / tera)} TFLOP/s/chip",
        f"rank.peak_attention = {_n(n['peak_mid'] / tera)} TFLOP/s/chip",
        f"rank.peak_absorbed = {_n(n['peak_absorbed'] / tera)} TFLOP/s/chip",
        f"rank.reserve = {_n(n['reserve_rank'] / 1e9)} GB",
    ]


def text_of(case: Case) -> str:
    """A scenario file whose one scenario, `s`, is the case."""
    n = dict(case.numbers)
    reserve = shipped().values[case.stack.coefficient("reserve")]
    n["reserve_rank"] = reserve
    chips = max(n["chips"], n["ranks"] * n["rank_chips"])
    domain = max(chips, 1)
    reduces = int(n["reduction"] > 0)
    blocks = {
        "chip c": [
            f"peak[bf16] = {_n(n['peak_wide'] / 1e12)} TFLOP/s",
            f"memory.capacity = {_n(n['capacity'] / 2**30)} GiB",
            f"memory.bandwidth = {_n(n['memory_bandwidth'] / 1e12)} TB/s",
            f"power = {_n(n['power'])} W",
        ],
        "link l": [
            f"bandwidth = {_n(n['link'] / 1e9)} GB/s",
            f"latency = {_n(n['latency'] * 1e6)} us",
        ],
        "system y": [
            "chip = c",
            f"chips = {_n(domain)} chip",
            f"topology = switch(reduces = {reduces})",
            "topology.link[port] = l",
        ],
        "model m": _model(case),
        "software w": _software(case),
        "workload d": _workload(case),
        "scenario s": [
            "system = y",
            "workload = d",
            "software = w",
            *_rates(attrs_with(case, n)),
        ],
    }
    parts = [f"{h} {{\n  " + "\n  ".join(x) + "\n}\n" for h, x in blocks.items()]
    return "\n".join(["edition 2026\n", *parts])


def attrs_with(case: Case, numbers: dict[str, float]) -> Case:
    """The case with further numbers."""
    import attrs

    return attrs.evolve(case, numbers=numbers)


def evaluated(case: Case, folder: Path) -> Evaluation:
    """The scenario of a case, checked and opened."""
    path = folder / "row.scn"
    path.write_text(text_of(case), encoding="utf-8")
    checked = check(resolve(load(str(path))), table())
    assert not failed(checked.diagnostics), checked.diagnostics
    return Evaluation(checked, 16)
