"""What users of an instance see: latencies, throughput, use of the hardware.

A static batch takes its prompts in, then decodes to the end. Continuous batching
is one mixed step, again and again: in the mean each step decodes one token of
every sequence and takes in `prompt / output` prompt tokens for each. Every metric's
definition stands in its docstring.
"""

from isocost.dsl.expr import Expr
from isocost.engine.formula import Param, formula, p, q
from isocost.engine.formulas.inference_symbols import EACH, ONE, take

_ORCA = "Yu et al. 2022 (Orca), OSDI: iteration-level batching"
_DEFINED = "definition"
_OWN = {
    "prefill": p("s", "T_p", "time to take a batch of prompts in"),
    "step": p("s", "T", "time of one step"),
    "decode": p("s", "T_d", "time of one decode step"),
    "throughput": p("token/s", r"\Theta", "output tokens of one instance"),
    "weights": p("B", r"M_w", "weights on the rank that a step reads"),
    "kv_bytes": p("B/token", r"\beta", "cache of a token, one layer, on the rank"),
    "flops": p("FLOP/token", r"F_{tok}", "arithmetic of one output token forward"),
    "prompt_flops": p("FLOP/token", r"F_{pr}", "arithmetic of one prompt token"),
}


def _own(names: str) -> dict[str, Param]:
    return {name: _OWN[name] for name in names.split()}


@formula(
    "token",
    take("prompt output"),
    source=_DEFINED,
    valid="output > 0; requests of equal length; off by half a token at most",
    latex=r"\bar s",
)
def mean_context(prompt: Expr, output: Expr) -> Expr:
    """Tokens in the cache of a sequence, mean over the steps that decode it."""
    return prompt + output / 2


@formula(
    "s",
    _own("prefill"),
    source=_DEFINED,
    valid="nothing queued and nothing else in the batch",
    latex=r"\mathrm{TTFT}",
)
def ttft_solo(prefill: Expr) -> Expr:
    """Time to the first token where nothing else runs: the prompts' pass alone."""
    return prefill


@formula(
    "s",
    take("output") | _own("prefill decode"),
    source=_DEFINED,
    valid="output >= 1 token; a batch that starts and ends together",
    latex=r"T_{req}",
)
def static_request_time(output: Expr, prefill: Expr, decode: Expr) -> Expr:
    """Time of a request in a static batch: its prefill, then a step for each token.

    The prefill yields the first token.
    """
    return prefill + (output / q("1 token") - 1) * decode


@formula(
    "token/s",
    take("batch output") | {"request": p("s", r"T_{req}", "time of the batch")},
    source=_DEFINED,
    valid="request > 0; batches of equal requests, one after the other",
    latex=r"\Theta",
)
def static_throughput(batch: Expr, output: Expr, request: Expr) -> Expr:
    """Output tokens a second of one instance that runs static batches end to end."""
    return batch * EACH * output / request


@formula(
    "token/s",
    take("batch") | _own("step"),
    source=_ORCA,
    valid=("step > 0; the batch is always full, one token of each sequence a step"),
    latex=r"\Theta",
)
def continuous_throughput(batch: Expr, step: Expr) -> Expr:
    """Output tokens a second of one instance: one for each sequence and mixed step."""
    return batch * ONE / step


@formula(
    "token/s",
    take("prompt output") | _own("throughput"),
    source=_DEFINED,
    valid="output > 0; as many requests enter as leave",
)
def input_throughput(prompt: Expr, output: Expr, throughput: Expr) -> Expr:
    """Prompt tokens a second of one instance, beside its output tokens."""
    return throughput * prompt / output


@formula(
    "token/s",
    take("instances") | _own("throughput"),
    source=_DEFINED,
    valid="instances >= 0; instances alike and loaded alike",
)
def fleet_throughput(instances: Expr, throughput: Expr) -> Expr:
    """Tokens a second of all instances."""
    return instances * throughput


@formula(
    "1",
    take("layers pp cached memory_bandwidth rank_chips")
    | _own("weights kv_bytes step"),
    source="Databricks 2023 (LLM inference performance engineering): MBU",
    valid=("step > 0; pp >= 1; decode; weights counted once a pass, the cache once"),
    latex=r"\mathrm{MBU}",
)
def memory_bandwidth_utilisation(
    layers: Expr,
    pp: Expr,
    cached: Expr,
    memory_bandwidth: Expr,
    rank_chips: Expr,
    weights: Expr,
    kv_bytes: Expr,
    step: Expr,
) -> Expr:
    """MBU: bytes that a decode step must read, over what the data sheet allows.

    With stages, a rank reads its own once in each of pp passes of a step.
    """
    read = pp * (weights + layers / pp * cached * kv_bytes)
    return read / (memory_bandwidth * rank_chips * step)


@formula(
    "1",
    take("prompt output ranks peak rank_chips") | _own("throughput flops prompt_flops"),
    source="Chowdhery et al. 2022 (PaLM), arXiv:2204.02311: MFU",
    valid=(
        "ranks >= 1; output > 0; prompt and output tokens both counted, "
        "causal attention once"
    ),
    latex=r"\mathrm{MFU}",
)
def inference_flops_utilisation(
    prompt: Expr,
    output: Expr,
    ranks: Expr,
    peak: Expr,
    rank_chips: Expr,
    throughput: Expr,
    flops: Expr,
    prompt_flops: Expr,
) -> Expr:
    """MFU: arithmetic that the tokens need, over the data-sheet peak of the ranks."""
    needed = throughput * (flops + prompt / output * prompt_flops)
    return needed / (ranks * peak * rank_chips)
