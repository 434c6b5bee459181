"""A measurement of serving as a scenario that a person can read, edit and evaluate.

Everything that calibration takes from a table of chips, a stack or a rule is stated:
chip, link, system, model, the stack's coefficients and the workload, so that the file
stands on its own and gives the prediction of the calibration. A scenario is a steady
state on one scale-up domain: `beyond` names what of a row is not.
"""

import math

from isocost.engine.calibration.inference import shipped
from isocost.engine.calibration.inference_blocks import PLACES
from isocost.engine.calibration.inference_rows import Case

#: Numbers above this are no limits.
_NEVER = 1e9


#: What no scenario of one instance on one domain can be: such rows have none.
OPEN = ("a phase alone", "pipelines", "several domains")


def beyond(case: Case) -> str:
    """What of a case no steady state on one domain has; empty if nothing."""
    n = case.numbers
    several = n["ranks"] * n["rank_chips"] > n["domain"]
    found = {
        OPEN[0]: case.mode not in {"static", "continuous"},
        OPEN[1]: n["pp"] > 1,
        OPEN[2]: several,
        f"the end of a run of {n['requests']:.0f} requests": n["requests"] < _NEVER,
        "limits on latency": min(n["limit"], n["step_limit"]) < _NEVER,
    }
    return next((name for name, is_so in found.items() if is_so), "")


#: Where the figures of a block are from.
_FROM = {
    "chip": '@assumed "its data sheet"',
    "link": '@assumed "its data sheet, one way; steps as fitted on collectives"',
    "system": '@assumed "the row"',
    "model": '@assumed "the row, or the published configuration"',
    "software": '@assumed "fitted to open measurements; docs: accuracy"',
    "workload": '@assumed "the row"',
    "scenario": '@assumed "the row\'s formats"',
}


def _n(value: float) -> str:
    """A literal that reads back as the same number, to 15 digits."""
    text = f"{value:.15g}"
    return f"{value:.25f}".rstrip("0").rstrip(".") if "e" in text else text


def _sourced(kind: str, line: str) -> str:
    """A line with its source, if what it states is a figure."""
    figure = line.partition(" = ")[2]
    return f"{line} {_FROM[kind]}" if figure[:1].isdigit() else line


def _software(case: Case, half: float) -> list[str]:
    values, numbers = shipped().values, case.numbers
    lines = []
    for variable, place in PLACES.items():
        if not _is_used(place.path, case):
            continue
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
        *([f"experts.overlap = {_n(case.stack.overlap)}"] if case.experts else []),
        f"ranks_per_chip = {_n(1 / numbers['rank_chips'])} /chip",
        f"collective.launch = {_n(numbers['launch'] * scale)} us",
        "collective.own = 0",
        f"collective.cross = {_n(numbers['cross'])}",
        f"collective.damping = {_n(numbers['damping'])}",
        f"collective.reduction = {_n(numbers['reduction'] or 0.5)}",
        f"collective.reduction_latency = {_n(numbers['reduction_latency'] * scale)} us",
        "collectives = [ring, in_network, direct]",
        f"residual = {_within(half)}",
        "residual.experts = 1",
        "residual.ttft = 1",
        "residual.unseen = 1",
    ]


def _is_used(path: str, case: Case) -> bool:
    """Whether a figure of a stack plays a part in a case."""
    if path.startswith("experts."):
        return case.experts
    return bool(case.numbers["draft"]) or not path.startswith("speculation.")


def _within(half: float) -> str:
    """A factor around 1 whose 90% interval is half as wide, in logarithms."""
    if not half:
        return "1"
    return f"{math.exp(-half):.6g} to {math.exp(half):.6g}"


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
        "model = the_model",
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
    reserve = shipped().values[case.stack.coefficient("reserve")]
    apart = case.experts and n["dp"] > 1
    return [
        f"bytes.weights = {_n(n['weight_bytes'])} B",
        f"bytes.attention = {_n(n['attention_bytes'])} B",
        f"bytes.cache = {_n(n['cache_bytes'])} B",
        *([f"bytes.dispatch = {_n(n['dispatch_bytes'])} B"] if apart else []),
        f"rank.peak = {_n(n['peak_low'] / tera)} TFLOP/s/chip",
        f"rank.peak_attention = {_n(n['peak_mid'] / tera)} TFLOP/s/chip",
        *(
            [f"rank.peak_absorbed = {_n(n['peak_absorbed'] / tera)} TFLOP/s/chip"]
            if case.mla
            else []
        ),
        f"rank.reserve = {_n(reserve / 1e9)} GB",
    ]


def scenario_text(case: Case, half: float = 0.0, note: str = "") -> str:
    """A scenario file whose one scenario, `measured_row`, is the case.

    Args:
        case: One way to read a row.
        half: Half the width of the 90% interval of ln(predicted / measured); the
            scenario's own doubt is put into its stack's residual.
        note: Lines of comment at the top.
    """
    n = case.numbers
    chips = max(n["chips"], n["ranks"] * n["rank_chips"], 1.0)
    blocks = {
        "chip the_chip": [
            f"peak[bf16] = {_n(n['peak_wide'] / 1e12)} TFLOP/s",
            f"memory.capacity = {_n(n['capacity'] / 2**30)} GiB",
            f"memory.bandwidth = {_n(n['memory_bandwidth'] / 1e12)} TB/s",
            f"power = {_n(n['power'])} W",
        ],
        "link the_link": [
            f"bandwidth = {_n(n['link'] / 1e9)} GB/s",
            f"latency = {_n(n['latency'] * 1e6)} us",
        ],
        "system the_system": [
            "chip = the_chip",
            f"chips = {_n(chips)} chip",
            f"topology = switch(reduces = {int(n['reduction'] > 0)})",
            "topology.link[port] = the_link",
        ],
        "model the_model": _model(case),
        "software the_stack": _software(case, half),
        "workload the_workload": _workload(case),
        "scenario measured_row": [
            "system = the_system",
            "workload = the_workload",
            "software = the_stack",
            *_rates(case),
        ],
    }
    parts = [
        f"{head} {{\n  "
        + "\n  ".join(_sourced(head.split()[0], line) for line in lines)
        + "\n}\n"
        for head, lines in blocks.items()
    ]
    return "\n".join([f"edition 2026\n{note}", *parts])
