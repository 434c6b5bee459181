"""What a training step takes from model, chip and system, each as one small formula.

Widths of attention, figures of a rank, sizes of groups, and what is left open: the
micro-batch where none is stated.
"""

from isocost.dsl.expr import Expr, floor, largest, log2, smallest, where
from isocost.engine.formula import formula, p, q
from isocost.engine.formulas.training_symbols import EACH, take
from isocost.engine.kernels import LARGEST_DIVISOR, call

_COUNT = "counted"
_MLA = "DeepSeek-V2, arXiv:2405.04434, section 2.1"
_HEADS = {
    "heads": p("1", "a", "query heads"),
    "kv_heads": p("1", "a_{kv}", "key and value heads"),
    "head_size": p("1", "d", "numbers in a head"),
}
_LATENT = {
    "heads": _HEADS["heads"],
    "head_size": p("1", "d", "numbers of a head without the rotary ones"),
    "rope_size": p("1", "d_r", "rotary numbers of a head"),
    "value_size": p("1", "d_v", "numbers of a head's value"),
}
_BY_SYSTEM = p("chip/system", "n", "chips of one system")
_RANK_CHIPS = p("chip", "c_r", "chips of one rank")
_SHARES = {
    "low": p("1", r"\mu_8", "share kept where matrices run in 8 bits"),
    "adapters": p("1", r"\mu_a", "share kept where only adapters are trained"),
}


@formula(
    "1",
    take("layers dense_layers"),
    source=_COUNT,
    valid="0 <= dense_layers <= layers",
    latex="L_e",
)
def expert_layers(layers: Expr, dense_layers: Expr) -> Expr:
    """Layers with experts: all but the dense ones."""
    return layers - dense_layers


@formula(
    "1",
    take("layers moe_layers"),
    source=_COUNT,
    valid="0 <= moe_layers <= layers",
    latex="L_d",
)
def plain_layers(layers: Expr, moe_layers: Expr) -> Expr:
    """Layers with a dense MLP: all but those with experts."""
    return layers - moe_layers


@formula(
    "1",
    take("hidden experts"),
    source=_COUNT,
    valid="experts >= 0; one linear layer without a bias",
    latex="N_r",
)
def router_params(hidden: Expr, experts: Expr) -> Expr:
    """Parameters of one router: a score for each expert."""
    return hidden * experts


@formula(
    "1",
    {k: _HEADS[k] for k in ("heads", "head_size")},
    source=_COUNT,
    valid="heads of one size",
    latex="w_s",
)
def score_numbers(heads: Expr, head_size: Expr) -> Expr:
    """Numbers of a token in scores, and in weighted values: all heads."""
    return heads * head_size


@formula(
    "1",
    {k: _HEADS[k] for k in ("kv_heads", "head_size")},
    source=_COUNT,
    valid="keys and values of one size",
    latex="w_k",
)
def kv_numbers(kv_heads: Expr, head_size: Expr) -> Expr:
    """Numbers of a token's keys and values."""
    return 2 * kv_heads * head_size


@formula("1", _HEADS, source=_COUNT, valid="heads of one size", latex="w_q")
def qkv_numbers(heads: Expr, kv_heads: Expr, head_size: Expr) -> Expr:
    """Numbers of a token's queries, keys and values."""
    return heads * head_size + 2 * kv_heads * head_size


@formula(
    "1",
    _LATENT,
    source=_MLA,
    valid="keys and values led up from the latent, as in training",
    latex="w_s",
)
def mla_score_numbers(
    heads: Expr, head_size: Expr, rope_size: Expr, value_size: Expr
) -> Expr:
    """Numbers of a token in scores and in weighted values, mean of the two."""
    return heads * (head_size + rope_size + value_size) / 2


@formula(
    "1",
    _LATENT,
    source=_MLA,
    valid="keys and values led up from the latent, as in training",
    latex="w_k",
)
def mla_kv_numbers(
    heads: Expr, head_size: Expr, rope_size: Expr, value_size: Expr
) -> Expr:
    """Numbers of a token's keys and values, led up from the latent."""
    return heads * (head_size + rope_size + value_size)


@formula(
    "1",
    _LATENT,
    source=_MLA,
    valid="keys and values led up from the latent, as in training",
    latex="w_q",
)
def mla_qkv_numbers(
    heads: Expr, head_size: Expr, rope_size: Expr, value_size: Expr
) -> Expr:
    """Numbers of a token's queries, keys and values."""
    return heads * (2 * (head_size + rope_size) + value_size)


@formula(
    "B/s/chip",
    {
        "neighbours": p("/chip", r"\nu", "links of the axis at each chip"),
        "bandwidth": p("B/s", "W", "bandwidth of one link, one way"),
    },
    source="topology",
    valid="neighbours >= 0; links of an axis alike, all in use",
    latex="W_a",
)
def axis_bandwidth(neighbours: Expr, bandwidth: Expr) -> Expr:
    """Bandwidth of a chip along one axis of its domain, one way: `nu W`."""
    return neighbours * bandwidth


@formula(
    "B/s",
    {
        "bandwidth": p("B/s/chip", "W_c", "bandwidth of a chip, one way"),
        "rank_chips": _RANK_CHIPS,
    },
    source=_COUNT,
    valid="rank_chips > 0; ranks of a chip share it evenly",
    latex="W_r",
)
def bandwidth_of_rank(bandwidth: Expr, rank_chips: Expr) -> Expr:
    """A rank's part of its chip's bandwidth."""
    return bandwidth * rank_chips


@formula(
    "1",
    {"chips_per_system": _BY_SYSTEM, "rank_chips": _RANK_CHIPS},
    source=_COUNT,
    valid="rank_chips > 0; one system is one scale-up domain",
    latex="D",
)
def ranks_of_domain(chips_per_system: Expr, rank_chips: Expr) -> Expr:
    """Ranks of a scale-up domain, which is a system."""
    return chips_per_system * q("1 system") / rank_chips


@formula(
    "1",
    {
        "chips_per_system": _BY_SYSTEM,
        "servers": p("server/system", r"n_s", "servers of one system"),
        "rank_chips": _RANK_CHIPS,
    },
    source=_COUNT,
    valid="servers > 0; rank_chips > 0; chips spread evenly over servers",
    latex="R_n",
)
def ranks_of_server(chips_per_system: Expr, servers: Expr, rank_chips: Expr) -> Expr:
    """Ranks of a server."""
    return chips_per_system / servers * q("1 server") / rank_chips


@formula(
    "1",
    {"chips": p("chip", "N", "chips installed"), "rank_chips": _RANK_CHIPS},
    source=_COUNT,
    valid="rank_chips > 0; a rank in part is none",
    latex="R_0",
)
def ranks_installed(chips: Expr, rank_chips: Expr) -> Expr:
    """Whole ranks of all chips."""
    return floor(chips / rank_chips)


@formula(
    "1",
    _SHARES,
    source="docs: accuracy of training",
    valid=(
        "0 <= low <= 1; 0 <= adapters <= 1; each drops its part of what the other keeps"
    ),
    latex=r"\mu",
)
def kept_of_both(low: Expr, adapters: Expr) -> Expr:
    """Share of 16-bit activations kept where both hold."""
    return low * adapters


@formula(
    "B",
    {
        "share": p("1", r"\phi", "share of memory for buffers and fragments"),
        "capacity": p("B/chip", "C_c", "memory of a chip"),
        "fixed": p("B/chip", "M_r", "memory of the runtime on a chip"),
        "rank_chips": _RANK_CHIPS,
    },
    source="docs: accuracy of training",
    valid="0 <= share < 1; fixed >= 0; the same on every rank",
    latex="M_0",
)
def training_reserve(
    share: Expr, capacity: Expr, fixed: Expr, rank_chips: Expr
) -> Expr:
    """Memory of a rank for buffers, runtime and fragments."""
    return (share * capacity + fixed) * rank_chips


@formula(
    "sequence",
    take("batch dp"),
    source="docs: accuracy of training",
    valid="dp >= 1; a step of one micro-batch",
    latex="b",
)
def whole_share(batch: Expr, dp: Expr) -> Expr:
    """A replica's whole share of the batch as one micro-batch, at least a sequence."""
    return largest(one=q("1 sequence"), share=batch / dp)


@formula(
    "sequence",
    take("batch dp pp sequence"),
    source="docs: accuracy of training",
    valid="dp >= 1; pp >= 1; sequence > 0; where no micro-batch is stated",
    latex="b",
)
def micro_batch_by_rule(batch: Expr, dp: Expr, pp: Expr, sequence: Expr) -> Expr:
    """The largest power of two with up to 8192 tokens and four rounds of a pipeline.

    Never more than a replica's share of the batch, and what divides the share where it
    is whole: the largest divisor that is not beyond that power.
    """
    share = batch / dp
    rounds = where(pp > 1, 4 * pp, 1)
    tokens = q("8192 token") / (sequence * EACH)
    most = largest(
        one=1, most=smallest(tokens=tokens, rounds=share / rounds) / q("1 sequence")
    )
    power = 2 ** floor(log2(most))
    whole = call(LARGEST_DIVISOR, share / q("1 sequence"), power, 1, 1)
    rest = smallest(power=power * q("1 sequence"), share=share)
    return where(whole > 0, whole * q("1 sequence"), rest)
