"""One step of an inference engine on one instance, by what the time goes to.

Decode, prefill and a mixed step are the same composition over two numbers: the
tokens of decoding sequences and the prompt tokens that one pass takes in. Weights
are read once a pass, whatever is in it. All layers' times are one layer's times
their number, so nothing depends on the size of the model or of the batch.

With pipeline stages, as many micro-batches are in flight; a step is one token of
every sequence, and takes as many turns of the slowest stage, the one with the head.
"""

from isocost.dsl.expr import Expr, largest, smallest, total
from isocost.engine.formula import Param, formula, p, q
from isocost.engine.formulas.chip import joined
from isocost.engine.formulas.inference_symbols import EACH, MULTIPLY_ADD, ONE, take

_ORCA = "Yu et al. 2022 (Orca), OSDI: iteration-level batching"
_SARATHI = "Agrawal et al. 2024 (Sarathi-Serve), arXiv:2403.02310: mixed steps"
_SUM = "sum over the parts of a step; each kernel starts when the last has ended"
_FLIGHT = {"in_flight": p("1", "n_f", "micro-batches in the pipeline, at most pp")}
_TIMES = {
    "attention_matrices": p("s", r"t_a", "attention's matrices, one layer"),
    "mlp_matrices": p("s", r"t_m", "the MLP's matrices, one layer"),
    "head_matrix": p("s", r"t_{head}", "the output head"),
    "decode_attention": p("s", r"t_{ad}", "attention of decoding sequences, one layer"),
    "prefill_attention": p("s", r"t_{ap}", "attention over prompts, one layer"),
    "elementwise": p("s", r"t_{ew}", "memory-bound operations, one layer"),
    "all_reduce": p("s", r"t_{ar}", "one all-reduce over the tensor-parallel ranks"),
    "send": p("s", r"t_{pp}", "handing activations to the next stage"),
    "matrix": p("s", "T_m", "matrices of the step"),
    "attention_time": p("s", "T_a", "attention of the step"),
    "memory": p("s", "T_x", "memory-bound operations of the step"),
    "network": p("s", "T_n", "communication of the step"),
    "host": p("s", "T_h", "launches, gaps and host work of the step"),
}


def times(names: str) -> dict[str, Param]:
    """Parameters that are times of parts of a step, by name."""
    return {name: _TIMES[name] for name in names.split()}


@formula(
    "token",
    take("batch dp pp"),
    source=_ORCA,
    valid=(
        "dp >= 1; pp >= 1; one token of each sequence, spread evenly over "
        "groups and stages"
    ),
    latex="M_d",
)
def decode_pass_tokens(batch: Expr, dp: Expr, pp: Expr) -> Expr:
    """Tokens of decoding sequences in one pass: one each, at least one in all."""
    return largest(share=batch * ONE / (dp * pp), one=q("1 token"))


@formula(
    "token",
    take("batch prompt dp pp"),
    source=_ORCA,
    valid=(
        "dp >= 1; pp >= 1; prompts of equal length, spread evenly over "
        "groups and stages"
    ),
    latex="M_p",
)
def prefill_pass_tokens(batch: Expr, prompt: Expr, dp: Expr, pp: Expr) -> Expr:
    """Prompt tokens of one pass when the prompts of a whole batch are taken in."""
    share = batch * EACH * prompt / (dp * pp)
    return largest(share=share, one=prompt / pp)


@formula(
    "token",
    take("batch prompt output dp pp")
    | {"accepted": p("1", r"\bar n", "tokens that a sequence gains in a step")},
    source=_SARATHI,
    valid=(
        "output > 0; accepted >= 1; steady state: a sequence that leaves is "
        "replaced at once"
    ),
    latex="M_p",
)
def mixed_prefill_tokens(
    batch: Expr, prompt: Expr, output: Expr, dp: Expr, pp: Expr, accepted: Expr
) -> Expr:
    """Prompt tokens in a mean step of continuous batching, beside what is decoded.

    Each sequence brings prompt tokens once in `output / accepted` steps.
    """
    return batch * ONE / (dp * pp) * accepted * prompt / output


@formula(
    "B",
    take("tokens hidden activation_bytes"),
    source="counted",
    valid="tokens >= 0; activations of one format",
)
def stream_bytes(tokens: Expr, hidden: Expr, activation_bytes: Expr) -> Expr:
    """Bytes of the residual stream of one pass: what a collective of a layer moves."""
    return tokens / q("1 token") * hidden * activation_bytes


@formula(
    "s",
    take("vocabulary hidden tp table_bytes sampled bandwidth rank_peak"),
    source="roofline over the output head",
    valid=(
        "tp >= 1; bandwidth > 0; rank_peak > 0; read for the tokens that "
        "sample: decoding ones and the last of each prompt"
    ),
    latex=r"t_{head}",
)
def head_time(
    vocabulary: Expr,
    hidden: Expr,
    tp: Expr,
    table_bytes: Expr,
    sampled: Expr,
    bandwidth: Expr,
    rank_peak: Expr,
) -> Expr:
    """Time of the output head: its weights read once, joined with arithmetic."""
    params = vocabulary * hidden / tp
    compute = MULTIPLY_ADD * params * sampled / rank_peak
    time: Expr = joined(params * table_bytes / bandwidth, compute)
    return time


@formula(
    "1",
    take("batch dp pp"),
    source="Narayanan et al. 2021 (Megatron-LM), arXiv:2104.04473",
    valid="dp >= 1; pp >= 1; micro-batches of equal size",
    latex="n_f",
)
def in_flight(batch: Expr, dp: Expr, pp: Expr) -> Expr:
    """Micro-batches in the pipeline: one a stage, if there are as many sequences."""
    sequences = batch / dp / q("1 sequence")
    return largest(one=1, some=smallest(stages=pp, sequences=sequences))


@formula(
    "s",
    take("layers") | times("attention_matrices mlp_matrices head_matrix") | _FLIGHT,
    source=_SUM,
    valid=(
        "in_flight >= 1; the last stage holds the head as well: every "
        "micro-batch waits for it"
    ),
    latex="T_m",
)
def dense_step_matrix(
    layers: Expr,
    attention_matrices: Expr,
    mlp_matrices: Expr,
    head_matrix: Expr,
    in_flight: Expr,
) -> Expr:
    """Matrices of a step of a dense model: all layers, the head for each micro-batch.

    Without stages that is the head once.
    """
    return layers * (attention_matrices + mlp_matrices) + in_flight * head_matrix


@formula(
    "s",
    take("layers") | times("decode_attention prefill_attention"),
    source=_SUM,
    valid="layers >= 1; every layer at the mean of all",
    latex="T_a",
)
def step_attention(
    layers: Expr, decode_attention: Expr, prefill_attention: Expr
) -> Expr:
    """Attention of a step: cached tokens read and prompts worked through."""
    return layers * (decode_attention + prefill_attention)


@formula(
    "s",
    take("layers") | times("elementwise"),
    source=_SUM,
    valid="layers >= 1; every layer alike",
    latex="T_x",
)
def dense_step_memory(layers: Expr, elementwise: Expr) -> Expr:
    """Memory-bound operations of a step of a dense model."""
    return layers * elementwise


@formula(
    "s",
    take("layers pp") | times("all_reduce send"),
    source="Shoeybi et al. 2019 (Megatron-LM), arXiv:1909.08053: two a layer",
    valid="pp >= 1; no overlap with arithmetic",
    latex="T_n",
)
def dense_step_network(layers: Expr, pp: Expr, all_reduce: Expr, send: Expr) -> Expr:
    """Communication of a step: two all-reduces a layer, a send between stages."""
    return 2 * layers * all_reduce + (pp - 1) * send


@formula(
    "s",
    take("layer_overhead") | {"prompt_gaps": p("1", r"\gamma_p", "gaps over prompts")},
    source="fitted with the software stack (docs: accuracy)",
    valid="prompt_gaps > 0; Neuron programs of a prompt bucket; 1 elsewhere",
)
def prompt_layer_overhead(layer_overhead: Expr, prompt_gaps: Expr) -> Expr:
    """Launches and gaps of a layer in a pass over prompts, over those of decoding."""
    return prompt_gaps * layer_overhead


@formula(
    "s",
    take("layers layer_overhead step_overhead sequence_overhead batch dp") | _FLIGHT,
    source="fitted with the software stack (docs: accuracy)",
    valid="dp >= 1; in_flight >= 1; host work that arithmetic does not hide",
    latex="T_h",
)
def step_host(
    layers: Expr,
    layer_overhead: Expr,
    step_overhead: Expr,
    sequence_overhead: Expr,
    batch: Expr,
    dp: Expr,
    in_flight: Expr,
) -> Expr:
    """Launches and gaps of every layer, scheduling, and work for each sequence."""
    scheduling = in_flight * step_overhead + sequence_overhead * batch / dp
    return layers * layer_overhead + scheduling


@formula(
    "s",
    times("matrix attention_time memory network host"),
    source=_SUM,
    valid="one part after the other; what overlaps is taken off its part",
    latex="T",
)
def step_time(
    matrix: Expr, attention_time: Expr, memory: Expr, network: Expr, host: Expr
) -> Expr:
    """Time of one step of an inference engine, the sum of its parts."""
    return total(matrix, attention_time, memory, network, host)
