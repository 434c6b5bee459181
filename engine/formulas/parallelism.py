"""How ranks divide the work of a step, and what their communication costs.

The layout is Megatron's: tensor-parallel ranks are neighbours, then context and
data, stages outermost; `stride` says how far apart the ranks of a group lie. Every
formula is piecewise in the degrees, so that they may be arrays; none loops over
micro-batches, layers or ranks.
"""

from isocost.dsl.expr import Expr, ceil, floor, largest, log2, smallest, where
from isocost.engine.formula import formula, p
from isocost.engine.formulas.training_symbols import EACH, PER_TOKEN, take
from isocost.engine.kernels import LARGEST_DIVISOR, call

_MEGATRON = "Narayanan et al. 2021 (Megatron-LM), arXiv:2104.04473"
_RING = "Patarasuk and Yuan 2009, doi:10.1016/j.jpdc.2008.09.002"
_SEQUENCE = "Korthikanti et al. 2022, arXiv:2205.05198"


@formula(
    "token",
    take("micro_batch sequence cp"),
    source=_MEGATRON,
    valid="cp >= 1; sequences of equal length, cut evenly",
    latex="M",
)
def micro_tokens(micro_batch: Expr, sequence: Expr, cp: Expr) -> Expr:
    """Tokens of a micro-batch on one rank: `b * s / cp`."""
    return micro_batch * sequence * EACH / cp


@formula(
    "1",
    take("ranks tp pp cp ep batch micro_batch chunks"),
    source=_MEGATRON + "; Megatron core's checks of its arguments",
    valid=(
        "tp * pp * cp <= ranks; ep >= 1; micro_batch > 0; one run on all ranks, those "
        "left over stand idle"
    ),
    latex=r"\delta",
)
def replicas_that_divide(
    ranks: Expr,
    tp: Expr,
    pp: Expr,
    cp: Expr,
    ep: Expr,
    batch: Expr,
    micro_batch: Expr,
    chunks: Expr,
) -> Expr:
    """The most replicas that the ranks hold and over which the batch divides.

    The largest divisor of `B / b` up to `floor(R / (tp pp cp))` with which `ep` divides
    `tp cp dp`; an interleaved pipeline has a round of `pp` micro-batches as well.
    Where there is none, what the ranks hold: the plan does not divide, and says so.
    """
    most = floor(ranks / (tp * pp * cp))
    rounds = where(chunks > 1, pp, 1)
    found = call(LARGEST_DIVISOR, batch / (micro_batch * rounds), most, tp * cp, ep)
    return where(found > 0, found, most)


@formula(
    "1",
    take("batch micro_batch dp"),
    source=_MEGATRON,
    valid="micro_batch > 0; dp >= 1; the last micro-batches may be short",
    latex="m",
)
def micro_batches(batch: Expr, micro_batch: Expr, dp: Expr) -> Expr:
    """Micro-batches of a replica in one step: `ceil(B / (b * dp))`."""
    return ceil(batch / (micro_batch * dp))


@formula(
    "1",
    take("dp cp"),
    source=_MEGATRON,
    valid="dp >= 1; cp >= 1; context-parallel ranks hold whole weights",
)
def replica_group(dp: Expr, cp: Expr) -> Expr:
    """Ranks that hold the same dense weights: `dp * cp`."""
    return dp * cp


@formula(
    "1",
    take("dp cp tp ep"),
    source=_MEGATRON,
    valid="ep >= 1; ep divides the ranks that it is laid over",
)
def expert_replica_group(dp: Expr, cp: Expr, tp: Expr, ep: Expr) -> Expr:
    """Ranks that hold the same experts: `max(1, dp * cp * tp / ep)`."""
    return largest(one=1, share=dp * cp * tp / ep)


@formula(
    "1", take("ranks pp"), source=_MEGATRON, valid="1 <= pp <= ranks; stages outermost"
)
def stage_stride(ranks: Expr, pp: Expr) -> Expr:
    """Ranks between neighbouring stages, which lie outermost: `R / pp`."""
    return ranks / pp


@formula(
    "1",
    take("group stride domain"),
    source=_MEGATRON,
    valid="stride > 0; domain >= 1; neighbours fill a domain before the next",
)
def ranks_inside(group: Expr, stride: Expr, domain: Expr) -> Expr:
    """Ranks of a group that share a scale-up domain: `min(n, max(1, D / stride))`."""
    return smallest(group=group, domain=largest(one=1, share=domain / stride))


@formula(
    "B/s",
    take("group stride domain link nic link_share nic_share"),
    source=_RING + "; NCCL tests, PERFORMANCE.md (bus bandwidth)",
    valid=(
        "stride > 0; domain >= 1; one NIC a rank, rings that enter a domain "
        "once for each of its ranks"
    ),
    latex="W_g",
)
def ring_bandwidth(
    group: Expr,
    stride: Expr,
    domain: Expr,
    link: Expr,
    nic: Expr,
    link_share: Expr,
    nic_share: Expr,
) -> Expr:
    """Sustained bus bandwidth of a group's rings.

    Inside a domain the links bound it: `eta_l * W_l`. Across domains each of the
    group's ranks inside one brings its NIC, and the slower of both decides:
    `min(eta_l W_l, eta_n W_n n_inside)`.
    """
    inside = ranks_inside(group, stride, domain)
    across = smallest(link=link_share * link, nics=inside * nic_share * nic)
    return where(group * stride <= domain, link_share * link, across)


@formula(
    "s",
    take("layers pp tp tokens hidden element_bytes bandwidth latency recompute")
    | take("exposed"),
    source=_MEGATRON + "; " + _SEQUENCE,
    valid=(
        "tp >= 1; pp >= 1; bandwidth > 0; two collectives a layer forward "
        "and two backward, ring"
    ),
    latex="t_t",
)
def tensor_parallel_time(
    layers: Expr,
    pp: Expr,
    tp: Expr,
    tokens: Expr,
    hidden: Expr,
    element_bytes: Expr,
    bandwidth: Expr,
    latency: Expr,
    recompute: Expr,
    exposed: Expr,
) -> Expr:
    """Tensor-parallel communication of a micro-batch that does not hide.

    `(4 + 2 r) L / pp` all-reduces of `M h` numbers (or the gathers and scatters of
    sequence parallelism, which move as much): `2 (t - 1) / t * bytes / W_g` and a
    latency that grows with the doublings of the group.
    """
    size = tokens * PER_TOKEN * hidden * element_bytes
    one = 2 * (tp - 1) / tp * size / bandwidth + latency * log2(tp)
    return exposed * (4 + 2 * recompute) * layers / pp * one


@formula(
    "s",
    take("layers pp cp tokens kv_width tp element_bytes bandwidth recompute exposed"),
    source="Liu et al. 2023 (ring attention), arXiv:2310.01889",
    valid=(
        "cp >= 1; tp >= 1; pp >= 1; bandwidth > 0; a ring; the causal "
        "mask's work is balanced over it"
    ),
    latex="t_x",
)
def context_parallel_time(
    layers: Expr,
    pp: Expr,
    cp: Expr,
    tokens: Expr,
    kv_width: Expr,
    tp: Expr,
    element_bytes: Expr,
    bandwidth: Expr,
    recompute: Expr,
    exposed: Expr,
) -> Expr:
    """Keys and values that pass round a context-parallel ring and do not hide.

    `(3 + r) L / pp` rounds of `(cp - 1)` blocks: keys and values forward, they and
    their gradients backward.
    """
    block = tokens * PER_TOKEN * kv_width / tp * element_bytes
    return exposed * (3 + recompute) * layers / pp * (cp - 1) * block / bandwidth


@formula(
    "s",
    take("moe_layers pp ep domain tokens top_k hidden element_bytes link nic")
    | take("link_share nic_share exposed"),
    source="DeepSeek-AI 2024 (DeepSeek-V3), arXiv:2412.19437, section 3.2",
    valid=(
        "ep >= 1; pp >= 1; balanced routing; a token crosses to each other domain at "
        "most once"
    ),
    latex="t_d",
)
def expert_parallel_time(
    moe_layers: Expr,
    pp: Expr,
    ep: Expr,
    domain: Expr,
    tokens: Expr,
    top_k: Expr,
    hidden: Expr,
    element_bytes: Expr,
    link: Expr,
    nic: Expr,
    link_share: Expr,
    nic_share: Expr,
    exposed: Expr,
) -> Expr:
    """Dispatch to experts and return, forward and backward, that do not hide.

    Four all-to-alls a layer. Over the links of a domain `k (ep - 1) / ep` copies of a
    token pass. To another of the `d = ep / D` domains it crosses once, whichever of
    its experts are there: `(d - 1) (1 - (1 - 1 / d)^k)` copies take the NIC.
    """
    domains = largest(one=1, many=ep / domain)
    hit = 1 - (1 - 1 / domains) ** largest(one=1, experts=top_k)
    leaves = where(domains > 1, (domains - 1) * hit, 0)
    copies = top_k * (ep - 1) / ep
    sent = 4 * hidden * element_bytes * tokens * PER_TOKEN
    slow = largest(link=copies / (link_share * link), nic=leaves / (nic_share * nic))
    return exposed * moe_layers / pp * sent * slow


@formula(
    "s",
    take("pp tokens hidden tp element_bytes")
    | {
        "bandwidth": p("B/s", "W_p", "sustained bandwidth between stages, a rank"),
        "latency": p("s", r"\alpha_p", "latency of a message between stages"),
    },
    source=_MEGATRON + ", section 4.1 (scatter and gather)",
    valid="pp >= 1; tp >= 1; each tensor-parallel rank sends its part",
    latex="t_b",
)
def stage_send_time(
    pp: Expr,
    tokens: Expr,
    hidden: Expr,
    tp: Expr,
    element_bytes: Expr,
    bandwidth: Expr,
    latency: Expr,
) -> Expr:
    """Time to hand a micro-batch's activations to the next stage; 0 without one.

    Each tensor-parallel rank sends its part: `M h bytes / tp`.
    """
    size = tokens * PER_TOKEN * hidden / tp * element_bytes
    return where(pp > 1, latency + size / bandwidth, 0)


@formula(
    "s",
    take("micro_batches pp chunks stage last_stage balanced"),
    source=_MEGATRON + ", section 2.2",
    valid=(
        "micro_batches >= 1; pp >= 1; chunks >= 1; 0 <= balanced <= 1; "
        "1F1B, interleaved where chunks exceed 1"
    ),
    latex="T_p",
)
def pipeline_time(
    micro_batches: Expr,
    pp: Expr,
    chunks: Expr,
    stage: Expr,
    last_stage: Expr,
    balanced: Expr,
) -> Expr:
    """All micro-batches through all stages: `m t_max + (sum t - t_max) / v`.

    The slowest stage works without a break; filling and draining cost the others'
    time once, less with interleaving. Balanced stacks even the head out.
    """
    round_trip = (pp - 1) * stage + last_stage
    slowest = balanced * round_trip / pp + (1 - balanced) * last_stage
    return micro_batches * slowest + (round_trip - slowest) / chunks


@formula(
    "s",
    take("micro_batches pp chunks send exposed"),
    source=_MEGATRON + ", section 2.2",
    valid="micro_batches >= 1; pp >= 1; chunks >= 1; exposed >= 0; 1F1B",
    latex="T_b",
)
def pipeline_sends(
    micro_batches: Expr, pp: Expr, chunks: Expr, send: Expr, exposed: Expr
) -> Expr:
    """Sends that do not hide: two for each chunk and micro-batch, and the fill's."""
    return 2 * (exposed * micro_batches * chunks + pp - 1) * send


@formula(
    "1",
    take("micro_batches pp chunks"),
    source=_MEGATRON + ", section 2.2",
    valid=(
        "micro_batches >= 1; pp >= 1; chunks >= 1; stages of equal time, sends aside"
    ),
)
def bubble_share(micro_batches: Expr, pp: Expr, chunks: Expr) -> Expr:
    """Idle share of a balanced pipeline: `(pp - 1) / (v m + pp - 1)`."""
    return (pp - 1) / (chunks * micro_batches + pp - 1)


@formula(
    "s",
    take("micro_batches")
    | {
        "zero": p("1", "z", "ZeRO stage, 0 to 3"),
        "exposed": p("s", "t_x", "exposed gathers and scatters of a micro-batch"),
    },
    source="Zhao et al. 2023 (PyTorch FSDP), arXiv:2304.11277",
    valid="0 <= zero <= 3; weights gathered anew for each micro-batch",
    latex="T_f",
)
def sharded_exchange(micro_batches: Expr, zero: Expr, exposed: Expr) -> Expr:
    """Exchange of sharded weights, with every micro-batch; 0 below ZeRO 3."""
    return where(zero >= 3, micro_batches * exposed, 0)  # noqa: PLR2004 (ZeRO's name)


@formula(
    "s",
    {
        "zero": p("1", "z", "ZeRO stage, 0 to 3"),
        "weight_gradient": p("1", r"\omega", "1 if weights are trained, 0 for LoRA"),
        "exposed": p("s", "t_x", "exposed exchange of gradients"),
    },
    source="Rajbhandari et al. 2020 (ZeRO), arXiv:1910.02054",
    valid="0 <= zero <= 3; gradients summed over the micro-batches of a step",
    latex="T_d",
)
def replica_reduction(zero: Expr, weight_gradient: Expr, exposed: Expr) -> Expr:
    """Exchange of gradients once a step, up to ZeRO 2; LoRA's are too few to count."""
    return where(zero >= 3, 0, weight_gradient * exposed)  # noqa: PLR2004 (ZeRO's name)


@formula(
    "s",
    take("stage pp chunks"),
    source=_MEGATRON + "; Megatron core, overlap of gradient reduction",
    valid=("pp >= 1; chunks >= 1; gradients reduced as soon as they are complete"),
    latex="t_o",
)
def reduction_window(stage: Expr, pp: Expr, chunks: Expr) -> Expr:
    """Work beside which gradients can be reduced: `t_s max(1, pi (v - 1) / v)`.

    The last micro-batch; with interleaving the last `pp` of them, since the gradients
    of one chunk after the other are complete.
    """
    return stage * largest(last=1, chunks=pp * (chunks - 1) / chunks)


@formula(
    "s",
    take("communication window overlap"),
    source=_MEGATRON,
    valid=("0 <= overlap <= 1; work that takes none of what the communication needs"),
    latex="t_x",
)
def exposed_time(communication: Expr, window: Expr, overlap: Expr) -> Expr:
    """What is left of communication beside work that hides it: `t - o min(t, w)`."""
    return communication - overlap * smallest(all=communication, window=window)
