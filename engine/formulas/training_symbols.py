"""The variables of the training formulas: one name, one unit, one symbol.

A name means the same in every formula that takes it; `take` picks the parameters
of one formula. Conventions: a rank is one position of the parallel layout (a chip,
unless the stack counts cores; then every hardware figure is that of the core). A
*pass* is one forward traversal: the backward costs two of them (gradients of inputs
and of weights), recomputation adds up to one. `sequence` is the tokens of each
sequence, so `EACH` turns `micro_batch * sequence` into tokens.
"""

from isocost.dsl.expr import Expr
from isocost.engine.formula import Param, p, q

#: A length is that of each sequence.
EACH: Expr = q("1 /sequence")
#: Numbers of an activation are counted for each token.
PER_TOKEN: Expr = q("1 /token")
#: A multiplication and an addition for each weight and token.
MULTIPLY_ADD: Expr = q("2 FLOP/token")
#: Score and weighted value of one number of a head and one pair of tokens.
PAIR: Expr = q("4 FLOP/token^2")

_SHAPE = {
    "layers": p("1", "L", "transformer layers"),
    "dense_layers": p("1", "L_d", "layers with a dense MLP"),
    "moe_layers": p("1", "L_e", "layers with experts"),
    "hidden": p("1", "h", "width of the residual stream"),
    "heads": p("1", "a", "query heads"),
    "ffn": p("1", "f", "inner width of the dense MLP"),
    "gated": p("1", "g", "1 if the MLP has a gate matrix, else 0"),
    "vocabulary": p("1", "V", "entries of the vocabulary"),
    "experts": p("1", "E", "routed experts of a layer"),
    "top_k": p("1", "k", "routed experts that a token visits"),
    "shared_experts": p("1", "E_s", "experts that every token visits"),
    "expert_ffn": p("1", "f_e", "inner width of one expert"),
    "attention": p("1", "N_a", "parameters of one attention layer"),
    "mlp": p("1", "N_m", "parameters of one dense MLP"),
    "expert": p("1", "N_e", "parameters of one expert"),
    "score_width": p("1", "w_s", "numbers of a token in scores and values, mean"),
    "qkv_width": p("1", "w_q", "numbers of a token's queries, keys and values"),
    "kv_width": p("1", "w_k", "numbers of a token's keys and values"),
    "attended": p("token", r"\bar s", "tokens that a token looks at, mean"),
    "active_params": p("1", "N_{act}", "parameters that one token meets"),
    "matrix_params": p("1", "N_{mm}", "parameters that multiply each token"),
}
_PLAN = {
    "ranks": p("1", "R", "ranks at work"),
    "tp": p("1", "t", "tensor-parallel ranks"),
    "pp": p("1", r"\pi", "pipeline stages"),
    "cp": p("1", r"\kappa", "context-parallel ranks"),
    "dp": p("1", r"\delta", "data-parallel replicas"),
    "ep": p("1", r"\epsilon", "expert-parallel ranks"),
    "chunks": p("1", "v", "model chunks of a stage (interleaving; 1: none)"),
    "group": p("1", "n", "ranks of the group"),
    "stride": p("1", r"\sigma", "ranks between neighbours of the group"),
    "domain": p("1", "D", "ranks of a scale-up domain"),
    "batch": p("sequence", "B", "sequences of one step"),
    "micro_batch": p("sequence", "b", "sequences of one micro-batch and replica"),
    "sequence": p("token", "s", "tokens of each sequence"),
    "micro_batches": p("1", "m", "micro-batches of a replica in one step"),
    "tokens": p("token", "M", "tokens of a micro-batch on the rank"),
    "recompute": p("1", "r", "share of the forward pass done again in the backward"),
    "weight_gradient": p("1", r"\omega", "1 if weights are trained, 0 for LoRA"),
    "sequence_parallel": p("1", r"\zeta", "1 if tp divides norms and residuals too"),
}
_RANK = {
    "table_rank": p("1", "N_V^r", "embedding and head parameters on the rank"),
    "params_rank": p("1", "N^r", "dense parameters of the rank's stage"),
    "experts_rank": p("1", "N_E^r", "expert parameters of the rank's stage"),
    "active_rank": p("1", "N_A^r", "expert parameters that a token meets on the rank"),
    "arithmetic": p("FLOP/s", "P", "sustained arithmetic of matrices"),
    "plain_arithmetic": p("FLOP/s", "P_{16}", "sustained arithmetic in 16 bits"),
    "peak": p("FLOP/s", r"\hat P", "dense peak of the chip in the precision"),
    "memory": p("B/s", "W", "sustained memory bandwidth"),
    "capacity": p("B", "C", "memory of the rank"),
    "element_bytes": p("B", r"\beta", "bytes of one number"),
    "link": p("B/s", "W_l", "scale-up bandwidth of a rank, one way"),
    "nic": p("B/s", "W_n", "scale-out bandwidth of a rank, one way"),
    "bandwidth": p("B/s", "W_g", "sustained bus bandwidth of the group"),
    "latency": p("s", r"\alpha", "latency of one step of a collective"),
}
_STACK = {
    "traffic": p("1", "c_m", "memory traffic over that of fully fused operations"),
    "matrix_traffic": p("1", "c_k", "share of a matrix's own traffic that shows"),
    "attention_share": p("1", r"\eta_a", "share of the 16-bit peak in attention"),
    "loss_bytes": p("B", "c_l", "memory traffic of the loss for each logit"),
    "slowdown": p("1", "c_e", "time of grouped over plain matrices, many tokens"),
    "half_load": p("token", "M_0", "tokens of an expert that double that time"),
    "moe_passes": p("1", "c_p", "passes over routed tokens, dispatch to return"),
    "layer_host": p("s", r"\tau", "host time of a layer's forward pass"),
    "expert_host": p("s", r"\tau_e", "host time of one local expert, a layer's pass"),
    "unfused_host": p("1", r"\upsilon", "extra host time of an unfused softmax"),
    "sharpness": p("1", "q", "how sharply the longer of host and chip decides"),
    "step_host": p("s", r"\tau_s", "fixed time of a step"),
    "link_share": p("1", r"\eta_l", "share of a link that collectives sustain"),
    "nic_share": p("1", r"\eta_n", "share of a NIC that collectives sustain"),
    "exposed": p("1", "x", "share of the communication that does not hide"),
    "overlap": p("1", "o", "share of the window that hides communication"),
    "straggle": p("1", r"\lambda", "slowdown for each doubling of nodes"),
    "balanced": p("1", "u", "1 if stages are balanced, 0 if the head adds to the last"),
}
_TIMES = {
    "matrices": p("s", "t_m", "matrices of a micro-batch"),
    "matrix_bytes": p("s", "t_k", "memory traffic of matrices, as far as it shows"),
    "expert_matrices": p("s", "t_e", "experts' matrices of a micro-batch"),
    "routing": p("s", "t_p", "moving tokens to experts and back, on the chip"),
    "attention_time": p("s", "t_a", "scores and values of a micro-batch"),
    "elementwise": p("s", "t_w", "memory-bound operations of a micro-batch"),
    "casts": p("s", "t_c", "conversions to a low precision"),
    "head_time": p("s", "t_l", "output head and loss of a micro-batch"),
    "tensor_parallel": p("s", "t_t", "exposed tensor-parallel communication"),
    "context_parallel": p("s", "t_x", "exposed context-parallel communication"),
    "expert_parallel": p("s", "t_d", "exposed dispatch to experts and return"),
    "forward": p("s", "t_1", "one pass"),
    "chip_time": p("s", "t_g", "chip's time of a micro-batch on one stage"),
    "host_time": p("s", "t_h", "host's time of a micro-batch on one stage"),
    "stage": p("s", "t_s", "time of a micro-batch on one stage"),
    "last_stage": p("s", "t_z", "time of a micro-batch on the stage with the head"),
    "send": p("s", "t_b", "handing a micro-batch to the next stage"),
    "pipeline": p("s", "T_p", "all micro-batches through all stages"),
    "sends": p("s", "T_b", "exposed sends between stages"),
    "gathers": p("s", "T_f", "exposed weight gathers and gradient scatters"),
    "reduction": p("s", "T_d", "exposed reduction of gradients"),
    "optimizer": p("s", "T_o", "update of the weights"),
    "step": p("s", "T", "one step"),
    "communication": p("s", "t_n", "communication before overlap"),
    "window": p("s", "t_o", "work that can hide it"),
}
_ALL: dict[str, Param] = {**_SHAPE, **_PLAN, **_RANK, **_STACK, **_TIMES}


def take(names: str) -> dict[str, Param]:
    """The parameters of a formula by their names, in this order.

    Args:
        names: Names of this module, with spaces between them.
    """
    return {name: _ALL[name] for name in names.split()}
