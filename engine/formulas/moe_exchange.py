"""Tokens on their way to experts and back: what is sent, and what of it is seen.

Attention that is data parallel sends tokens to the ranks of their experts; where it
is tensor parallel every rank has all tokens, and the experts end in an all-reduce
like any MLP. A domain's ranks are sent to one by one, another domain once.
"""

from isocost.dsl.expr import Expr, largest, smallest, total, where
from isocost.engine.formula import Param, formula, p, q
from isocost.engine.formulas.inference_symbols import take

_DEEPEP = "DeepSeek-AI 2025 (DeepEP, EPLB); DeepSeek-V3, arXiv:2412.19437, section 3.4"
_OWN = {
    "domain": p("1", "D", "ranks of a scale-up domain"),
    "group": p("1", "g", "ranks that the tokens of a layer meet on"),
    "near": p("s", r"t_i", "the exchange inside domains"),
    "far": p("s", r"t_o", "the exchange between domains"),
    "shared": p("s", r"t_{sh}", "matrices of the shared experts, one layer"),
    "expert_time": p("s", r"t_e", "matrices of the routed experts, one layer"),
    "attention_matrices": p("s", r"t_a", "attention's matrices, one layer"),
    "exposed": p("s", r"t_x", "what nothing hides of the exchange"),
    "all_reduce": p("s", r"t_{ar}", "one all-reduce over the tensor-parallel ranks"),
    "dispatch_bytes": p("B", "b_d", "bytes of a number on its way to an expert"),
    "combine_bytes": p("B", "b_k", "bytes of a number on its way back"),
}


def _own(names: str) -> dict[str, Param]:
    return {name: _OWN[name] for name in names.split()}


@formula(
    "token",
    take("tokens tp"),
    source=_DEEPEP,
    valid="tp >= 1; ranks of a group hold its tokens together",
    latex="M_x",
)
def sent_tokens(tokens: Expr, tp: Expr) -> Expr:
    """Tokens that a rank sends to experts: its part of those of its group."""
    return tokens / tp


@formula(
    "1",
    take("ep dp"),
    source=_DEEPEP,
    valid="ep >= 1; dp >= 1; experts and attention on the same ranks",
    latex="g",
)
def exchange_group(ep: Expr, dp: Expr) -> Expr:
    """Ranks that the tokens of a layer meet on: experts' ranks, attention's groups."""
    return largest(experts=ep, attention=dp)


@formula(
    "1",
    _own("group domain"),
    source=_DEEPEP,
    valid="group >= 1; domain >= 1; a group fills one domain before the next",
)
def group_inside(group: Expr, domain: Expr) -> Expr:
    """Ranks of the group inside one domain."""
    return smallest(domain=domain, group=group)


@formula(
    "1",
    _own("group domain"),
    source=_DEEPEP,
    valid="group >= 1; domain >= 1; a domain filled in part counts in part",
)
def domains_of_group(group: Expr, domain: Expr) -> Expr:
    """Domains that the group extends over."""
    return largest(one=1, many=group / domain)


@formula(
    "B",
    take("tokens hidden") | _own("group dispatch_bytes combine_bytes"),
    source="fitted so on TensorRT-LLM, which gathers tokens at all ranks of a domain",
    valid="group >= 1; the mean of both ways; a rank's own share is in it",
)
def exchange_buffer(
    tokens: Expr, hidden: Expr, group: Expr, dispatch_bytes: Expr, combine_bytes: Expr
) -> Expr:
    """Bytes that a rank sends one way in the exchange of a layer: to each rank."""
    numbers = tokens / q("1 token") * hidden * group
    return numbers * (dispatch_bytes + combine_bytes) / 2


@formula(
    "s",
    {"once": p("s", "t_1", "one way")},
    source="to experts and back",
    valid="as many bytes back as there",
)
def there_and_back(once: Expr) -> Expr:
    """An exchange and its return."""
    return 2 * once


@formula(
    "s",
    {
        "size": p("B", "S", "bytes that a rank sends to other domains"),
        "rate": p("B/s", "B", "what a rank reaches between domains"),
    },
    source="definition",
    valid="rate > 0; latency aside",
)
def wire_time(size: Expr, rate: Expr) -> Expr:
    """Bytes over a rate."""
    return size / rate


@formula(
    "B/s",
    {
        "bandwidth": p("B/s/chip", "W_o", "rate of a chip between domains"),
        "efficiency": p("1", r"\eta_o", "share of it that is sustained"),
        "rank_chips": p("chip", "c_r", "chips of a rank"),
    },
    source="definition",
    valid="efficiency > 0; rank_chips > 0; messages that fill the link",
)
def rate_between(bandwidth: Expr, efficiency: Expr, rank_chips: Expr) -> Expr:
    """What a rank reaches between domains."""
    return bandwidth * efficiency * rank_chips


@formula(
    "s",
    {
        "domains": p("1", r"n_D", "domains that the group extends over"),
        "time": p("s", "t", "the exchange between them"),
    },
    source="definition",
    valid="domains >= 1; the exchange inside a domain is counted apart",
)
def between_domains(domains: Expr, time: Expr) -> Expr:
    """The exchange between domains, nothing where there is one."""
    return where(domains > 1, time, q("0 s"))


@formula("s", _own("near far"), source=_DEEPEP, valid="both at once, on unlike links")
def slower_exchange(near: Expr, far: Expr) -> Expr:
    """The exchange of a layer: the slower of the two ways."""
    return largest(inside=near, across=far)


@formula(
    "s",
    _own("expert_time shared attention_matrices"),
    source="sum over the parts of a layer",
    valid="one after the other on the same rank",
    latex="T_w",
)
def layer_arithmetic(expert_time: Expr, shared: Expr, attention_matrices: Expr) -> Expr:
    """Arithmetic of a layer, behind which another micro-batch's exchange can hide."""
    return total(expert_time, shared, attention_matrices)


@formula(
    "s",
    take("dp tp") | _own("exposed all_reduce"),
    source=_DEEPEP,
    valid=(
        "dp >= 1; tp >= 1; attention data parallel: an exchange; tensor "
        "parallel: an all-reduce"
    ),
    latex=r"t_{a2a}",
)
def layer_exchange(dp: Expr, tp: Expr, exposed: Expr, all_reduce: Expr) -> Expr:
    """What a layer's experts add to communication."""
    return where(dp > 1, exposed, where(tp > 1, all_reduce, q("0 s")))
