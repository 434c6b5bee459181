"""Where the time of a step goes: matrices, attention, memory, network, host, waiting.

Each part is that of one rank of a mean stage, over all micro-batches; what is left of
the step, pipeline bubbles, uneven stages and stragglers, is waiting. The six add up
to the step.
"""

from isocost.dsl.expr import Expr, total
from isocost.engine.formula import Param, formula, p
from isocost.engine.formulas.training_symbols import take

_SUM = "docs: accuracy of training"
_PARTS: dict[str, Param] = {
    "step_matrix": p("s", "T_m", "matrices in a step"),
    "step_attention": p("s", "T_a", "attention in a step"),
    "step_memory": p("s", "T_w", "memory-bound operations in a step"),
    "step_network": p("s", "T_n", "communication that shows in a step"),
    "step_launch": p("s", "T_h", "what the host adds to a step"),
}


@formula(
    "s",
    take("micro_batches matrices matrix_bytes expert_matrices head_time pp"),
    source=_SUM,
    valid=("micro_batches >= 1; pp >= 1; a mean stage, so that the six parts add up"),
)
def training_step_matrix(
    micro_batches: Expr,
    matrices: Expr,
    matrix_bytes: Expr,
    expert_matrices: Expr,
    head_time: Expr,
    pp: Expr,
) -> Expr:
    """Matrices of a step, head and loss included, on a mean stage."""
    each = total(matrices, matrix_bytes, expert_matrices, head_time / pp)
    return micro_batches * each


@formula(
    "s",
    take("micro_batches attention_time"),
    source=_SUM,
    valid="micro_batches >= 1; a mean stage, so that the six parts add up",
)
def training_step_attention(micro_batches: Expr, attention_time: Expr) -> Expr:
    """Scores and values of a step."""
    return micro_batches * attention_time


@formula(
    "s",
    take("micro_batches elementwise casts routing optimizer"),
    source=_SUM,
    valid="micro_batches >= 1; a mean stage, so that the six parts add up",
)
def training_step_memory(
    micro_batches: Expr,
    elementwise: Expr,
    casts: Expr,
    routing: Expr,
    optimizer: Expr,
) -> Expr:
    """Memory-bound operations of a step, and the update of the weights."""
    return micro_batches * total(elementwise, casts, routing) + optimizer


@formula(
    "s",
    take("micro_batches tensor_parallel context_parallel expert_parallel sends")
    | take("gathers reduction"),
    source=_SUM,
    valid="micro_batches >= 1; a mean stage, so that the six parts add up",
)
def training_step_network(
    micro_batches: Expr,
    tensor_parallel: Expr,
    context_parallel: Expr,
    expert_parallel: Expr,
    sends: Expr,
    gathers: Expr,
    reduction: Expr,
) -> Expr:
    """Communication of a step that nothing hides."""
    each = total(tensor_parallel, context_parallel, expert_parallel)
    return micro_batches * each + total(sends, gathers, reduction)


@formula(
    "s",
    take("micro_batches pp stage last_stage chip_time head_time step_host"),
    source=_SUM,
    valid=("micro_batches >= 1; pp >= 1; a mean stage, so that the six parts add up"),
)
def training_step_launch(
    micro_batches: Expr,
    pp: Expr,
    stage: Expr,
    last_stage: Expr,
    chip_time: Expr,
    head_time: Expr,
    step_host: Expr,
) -> Expr:
    """What the host adds to the chip's time in a step, on a mean stage."""
    added = (pp - 1) * (stage - chip_time) + last_stage - chip_time - head_time
    return micro_batches * added / pp + step_host


@formula(
    "s",
    take("step") | _PARTS,
    source=_SUM,
    valid=("the other five on a mean stage; bubbles are not told from stragglers"),
)
def training_step_waiting(
    step: Expr,
    step_matrix: Expr,
    step_attention: Expr,
    step_memory: Expr,
    step_network: Expr,
    step_launch: Expr,
) -> Expr:
    """Bubbles, uneven stages and stragglers: what is left of a step."""
    return step - total(
        step_matrix, step_attention, step_memory, step_network, step_launch
    )
