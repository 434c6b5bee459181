"""The variables of the inference formulas: one name, one unit, one symbol.

A name means the same in every formula that takes it, so that a table of wiring
can be read without looking a formula up. `take` picks the parameters of one
formula; what is special to a single formula stands beside it.

Conventions. A length (`prompt`, `context`) is in `token` and is meant for each
sequence: `EACH` turns `batch * context` into tokens. A rank is `rank_chips` of a
chip (a half for a NeuronCore of Inferentia2). A figure "of the rank" is already
divided by tensor, pipeline and expert parallelism.
"""

from isocost.dsl.expr import Expr
from isocost.engine.formula import Param, p, q

#: A length is that of each sequence.
EACH: Expr = q("1 /sequence")
#: A decode step makes one token of each sequence.
ONE: Expr = q("1 token/sequence")
#: A multiplication and an addition for each weight and token.
MULTIPLY_ADD: Expr = q("2 FLOP/token")
#: Score and weighted value: two of them for each number of a head and pair of tokens.
PAIR: Expr = q("4 FLOP/token^2")

_SHAPE = {
    "layers": p("1", "L", "transformer layers"),
    "dense_layers": p("1", r"L_d", "layers with a dense MLP in a model of experts"),
    "moe_layers": p("1", r"L_e", "layers with experts"),
    "hidden": p("1", "h", "width of the residual stream"),
    "heads": p("1", "a", "query heads"),
    "kv_heads": p("1", "a_{kv}", "key and value heads"),
    "head_size": p("1", "d", "numbers in a head"),
    "ffn": p("1", "f", "inner width of the dense MLP"),
    "gated": p("1", "g", "1 if the MLP has a gate matrix, else 0"),
    "vocabulary": p("1", "V", "entries of the vocabulary"),
    "tied": p("1", r"\tau", "1 if the head shares the embedding's weights, else 0"),
    "experts": p("1", "E", "routed experts of a layer"),
    "top_k": p("1", "k", "routed experts that a token visits"),
    "shared_experts": p("1", "E_s", "experts that every token visits"),
    "expert_ffn": p("1", "f_e", "inner width of one expert"),
    "query_rank": p("1", "r_q", "MLA: width of the compressed query (0: none)"),
    "kv_rank": p("1", "r_{kv}", "MLA: width of the compressed key and value"),
    "rope_size": p("1", "d_r", "MLA: rotary numbers of a head"),
    "value_size": p("1", "d_v", "MLA: numbers of a head's value"),
    "window": p("token", "w", "tokens that a windowed layer looks back"),
    "window_share": p("1", r"\omega", "share of layers with a window"),
}
_PARTS = {
    "attention": p("1", "N_a", "parameters of one attention layer"),
    "mlp": p("1", "N_m", "parameters of one dense MLP"),
    "expert": p("1", "N_e", "parameters of one expert"),
    "router": p("1", "N_r", "parameters of one router"),
    "embedding": p("1", "N_V", "parameters of the embedding table"),
    "head": p("1", r"N_{head}", "parameters of the output head, if of its own"),
    "norms": p("1", "N_n", "parameters of all norms"),
    "params": p("1", "N", "parameters"),
    "attention_rank": p("1", r"N_a^r", "attention parameters of a layer on the rank"),
    "mlp_rank": p("1", r"N_m^r", "parameters of a layer's MLP on the rank"),
    "experts_rank": p("1", r"E^r", "routed experts of a layer on the rank"),
}
_PLAN = {
    "tp": p("1", "t", "tensor-parallel ranks"),
    "pp": p("1", r"\pi", "pipeline stages"),
    "dp": p("1", r"\delta", "attention data-parallel groups of one instance"),
    "ep": p("1", r"\epsilon", "expert-parallel ranks"),
    "ranks": p("1", "R", "ranks of one instance"),
    "instances": p("1", "I", "copies of the model that serve"),
    "rank_chips": p("chip", "c_r", "chips of a rank"),
}
_LOAD = {
    "batch": p("sequence", "B", "sequences in flight in one instance"),
    "prompt": p("token", "s_p", "prompt length"),
    "output": p("token", "s_o", "output length"),
    "context": p("token", "s", "tokens in the cache of a sequence"),
    "tokens": p("token", "M", "tokens that the rank's matrices see in one pass"),
    "decode_tokens": p("token", "M_d", "tokens of decoding sequences in one pass"),
    "prefill_tokens": p("token", "M_p", "prompt tokens in one pass"),
    "sampled": p("token", "M_s", "tokens of a pass that the output head is read for"),
    "cached": p("token", "C", "cached tokens that one pass reads on the rank"),
    "attended": p("token", r"\bar s", "mean number of tokens that a token looks at"),
}
_CHIP = {
    "peak": p("FLOP/s/chip", "F", "dense peak of the chip at this precision"),
    "memory_bandwidth": p("B/s/chip", "W", "memory bandwidth of the chip"),
    "capacity": p("B/chip", r"C_{mem}", "memory of the chip that a program can see"),
    "power": p("W/chip", "P", "power of the chip"),
    "rank_peak": p("FLOP/s", r"\hat F", "sustained arithmetic of the rank"),
    "bandwidth": p("B/s", r"\hat W", "sustained memory bandwidth of the rank"),
}
_STACK = {
    "weight_bytes": p("B", "b_w", "bytes of one weight"),
    "attention_bytes": p("B", "b_a", "bytes of one weight of attention"),
    "table_bytes": p("B", "b_t", "bytes of one weight of embedding and head"),
    "cache_bytes": p("B", "b_c", "bytes of one number in the cache"),
    "activation_bytes": p("B", "b_x", "bytes of one activation"),
    "memory_share": p(
        "1", r"\eta_W", "share of the memory bandwidth that is sustained"
    ),
    "matrix_share": p("1", r"\eta_F", "share of the peak that matrices reach"),
    "attention_share": p("1", r"\eta_A", "share of the peak that attention reaches"),
    "layer_overhead": p("s", r"t_\ell", "launches and gaps of one layer"),
    "step_overhead": p("s", r"t_0", "scheduling of one step"),
    "sequence_overhead": p("s/sequence", r"t_b", "host work for a sequence and step"),
    "traffic": p("1", r"c_x", "times the activations are read or written"),
    "reread": p("1", r"\rho", "share of the cache read again for every query head"),
    "reserve": p("B", r"M_0", "memory that the runtime keeps on a rank"),
    "cache_share": p("1", r"\phi", "share of the free memory given to the cache"),
}
VARIABLES: dict[str, Param] = {
    **_SHAPE,
    **_PARTS,
    **_PLAN,
    **_LOAD,
    **_CHIP,
    **_STACK,
}


def take(names: str, **special: Param) -> dict[str, Param]:
    """The parameters of a formula: shared ones by name, then its own.

    Args:
        names: Names of `VARIABLES`, separated by blanks.
        **special: Parameters of this formula alone.
    """
    return {**{name: VARIABLES[name] for name in names.split()}, **special}
