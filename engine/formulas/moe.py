"""Layers of experts: which are touched, and how long a rank works on them.

A step reads only the experts that at least one of its tokens visits, and pads each
one's tokens to tiles of the matrix unit. Expert-parallel ranks wait for the busiest
of them. The tokens of all data-parallel attention groups meet at the experts.
"""

from isocost.dsl.expr import Expr, log2, smallest
from isocost.engine.formula import Param, formula, p, q
from isocost.engine.formulas.chip import joined
from isocost.engine.formulas.inference_symbols import MULTIPLY_ADD, take

_SWITCH = "Fedus et al. 2022 (Switch), arXiv:2101.03961"
_OCCUPANCY = "expected occupancy of bins, uniform routing"
_MEGABLOCKS = "Gale et al. 2022 (MegaBlocks), arXiv:2211.15841: blocks of tokens"
_FITTED = "fitted on TensorRT-LLM measurements (docs: accuracy)"
_DEEPEP = "DeepSeek-AI 2025 (DeepEP, EPLB); DeepSeek-V3, arXiv:2412.19437, section 3.4"
_OWN = {
    "group_tokens": p("token", "M_g", "tokens of all ranks that share the experts"),
    "distinct": p("1", "E_t", "experts of the rank that a step touches"),
    "rows": p("token", "m", "tokens of each touched expert"),
    "tile": p("token", "m_0", "tokens lost to padding for each touched expert"),
    "imbalance": p("1", r"\iota", "load of the busiest rank over the mean at ep = 4"),
    "wait": p("1", r"\kappa", "load of the busiest rank over the mean"),
    "half_width": p("1", "f_0", "side of the expert that reaches half of the rate"),
    "slices": p("1", r"t_e^p", "ranks that an expert is cut over"),
    "redundant": p("1", r"E_+", "copies of experts kept on a rank for balance"),
}


def _own(names: str) -> dict[str, Param]:
    return {name: _OWN[name] for name in names.split()}


@formula(
    "1",
    take("experts ep") | _own("redundant"),
    source=_DEEPEP,
    valid="ep >= 1; ep divides the experts",
    latex="E^r",
)
def experts_on_rank(experts: Expr, ep: Expr, redundant: Expr) -> Expr:
    """Routed experts of a layer held by one rank, spare copies included."""
    return experts / ep + redundant


@formula(
    "1",
    take("ep") | {"spare": p("1", "E_x", "copies of experts kept for balance")},
    source=_DEEPEP,
    valid="ep >= 1; copies spread evenly over ranks",
)
def spare_on_rank(ep: Expr, spare: Expr) -> Expr:
    """Copies of experts that a rank holds for balance."""
    return spare / ep


@formula(
    "1",
    take("tp dp ep"),
    source=_SWITCH,
    valid="1 <= ep <= tp * dp; ep divides the ranks of attention",
    latex=r"t_e^p",
)
def expert_slices(tp: Expr, dp: Expr, ep: Expr) -> Expr:
    """Ranks that share each expert by columns: those that ep does not tell apart."""
    return tp * dp / ep


@formula(
    "token",
    take("tokens dp"),
    source=_SWITCH,
    valid="dp >= 1; attention groups with as many tokens each",
    latex="M_g",
)
def expert_group_tokens(tokens: Expr, dp: Expr) -> Expr:
    """Tokens of one pass in all attention groups, which meet at the experts."""
    return tokens * dp


@formula(
    "1",
    take("experts experts_rank top_k") | _own("group_tokens"),
    source=_OCCUPANCY,
    valid=("0 < top_k <= experts; tokens choose alike and apart from one another"),
    latex="E_t",
)
def distinct_experts(
    experts: Expr, experts_rank: Expr, top_k: Expr, group_tokens: Expr
) -> Expr:
    """Experts of a rank that at least one token visits, in expectation.

    Each of M tokens passes an expert by with a chance of 1 - k / E.
    """
    missed = (1 - top_k / experts) ** (group_tokens / q("1 token"))
    return experts_rank * (1 - missed)


@formula(
    "token",
    take("experts_rank experts top_k") | _own("group_tokens distinct"),
    source=_OCCUPANCY,
    valid="distinct > 0; the mean over touched experts",
    latex="m",
)
def expert_rows(
    experts_rank: Expr, experts: Expr, top_k: Expr, group_tokens: Expr, distinct: Expr
) -> Expr:
    """Tokens that each touched expert works on, in the mean."""
    return group_tokens * top_k / experts * experts_rank / distinct


@formula(
    "1",
    take("ep") | _own("imbalance"),
    source=_FITTED,
    valid=(
        "imbalance >= 1; ep >= 1; no data beyond 8 ranks, where the "
        "exponent stays; balancers lower it"
    ),
    latex=r"\kappa",
)
def expert_wait(ep: Expr, imbalance: Expr) -> Expr:
    """Load of the busiest of the expert-parallel ranks over the mean.

    Grows with their number, by the stated factor for each fourfold, to 8.
    """
    return imbalance ** (log2(smallest(measured=8, ep=ep)) / 2)


@formula(
    "1",
    take("hidden expert_ffn") | _own("half_width"),
    source=_FITTED,
    valid=(
        "768 <= expert_ffn <= 14336; 2048 <= hidden <= 7168; grouped matrices; "
        "experts whole or cut in few"
    ),
    latex=r"\eta_g",
)
def grouped_share(hidden: Expr, expert_ffn: Expr, half_width: Expr) -> Expr:
    """Share of the matrix rate that grouped matrices reach: small experts lose.

    A tile of tokens costs an expert as much again as a square matrix of side
    `half_width`: its problem is set up, its pipeline filled and drained.
    """
    area = hidden * expert_ffn
    return area / (area + half_width * half_width)


@formula(
    "1",
    {
        "matrix_share": p("1", r"\eta_F", "share of the peak that matrices reach"),
        "grouped": p("1", r"\eta_g", "share of that which grouped matrices reach"),
    },
    source=_FITTED,
    valid="0 < matrix_share <= 1; 0 < grouped <= 1; losses independent",
)
def expert_peak_share(matrix_share: Expr, grouped: Expr) -> Expr:
    """Share of the peak that grouped matrices reach."""
    return matrix_share * grouped


@formula(
    "1",
    take("shared_experts expert"),
    source=_SWITCH,
    valid="shared_experts >= 0; shared experts of a routed one's size",
    latex="N_s",
)
def shared_expert_params(shared_experts: Expr, expert: Expr) -> Expr:
    """Parameters of a layer's shared experts."""
    return shared_experts * expert


@formula(
    "s",
    take("expert weight_bytes bandwidth rank_peak")
    | _own("slices distinct rows tile wait"),
    source=_MEGABLOCKS,
    valid=(
        "slices >= 1; distinct >= 0; bandwidth > 0; rank_peak > 0; grouped "
        "matrix kernel; `rank_peak` is what grouped matrices reach"
    ),
    latex="t_e",
)
def expert_matrix_time(
    expert: Expr,
    weight_bytes: Expr,
    bandwidth: Expr,
    rank_peak: Expr,
    slices: Expr,
    distinct: Expr,
    rows: Expr,
    tile: Expr,
    wait: Expr,
) -> Expr:
    """Time of the routed experts of one layer: touched ones read, rows padded."""
    params = distinct * expert / slices
    compute = MULTIPLY_ADD * params * (rows + tile) / rank_peak
    mean: Expr = joined(params * weight_bytes / bandwidth, compute)
    return wait * mean


@formula(
    "s",
    take("hidden expert_ffn top_k ep activation_bytes traffic bandwidth")
    | _own("group_tokens slices"),
    source=_FITTED,
    valid=(
        "ep >= 1; slices >= 1; bandwidth > 0; tokens copied in the order of "
        "experts, gate applied, sums taken back"
    ),
    latex=r"t_\sigma",
)
def permute_time(
    hidden: Expr,
    expert_ffn: Expr,
    top_k: Expr,
    ep: Expr,
    activation_bytes: Expr,
    traffic: Expr,
    bandwidth: Expr,
    group_tokens: Expr,
    slices: Expr,
) -> Expr:
    """Time of moving tokens to their experts' rows and back within the rank.

    Numbers moved a visit: 4 widths of the stream and 3 of the expert.
    """
    visits = group_tokens * top_k / ep / q("1 token")
    numbers = 4 * hidden + 3 * expert_ffn / slices
    return traffic * visits * numbers * activation_bytes / bandwidth
