"""One rank: what memory and arithmetic sustain, and how long a matrix takes.

No efficiency is a constant of a chip. Matrices reach a share of the data-sheet
peak that falls with peak over power (a chip with more arithmetic for each watt
throttles sooner): one law for every chip and precision. Memory sustains a share
of its rated bandwidth. The two are joined smoothly, since kernels overlap reading
and computing but never wholly.
"""

from isocost.dsl.expr import Expr, ceil, smallest, sqrt
from isocost.engine.formula import formula, p, q
from isocost.engine.formulas.inference_symbols import MULTIPLY_ADD, take

_ROOFLINE = (
    "Williams, Waterman and Patterson 2009 (roofline), doi:10.1145/1498765.1498785"
)
_LAW = "power law fitted on TensorRT-LLM and Neuron measurements (docs: accuracy)"


@formula(
    "1",
    take("peak power")
    | {
        "base": p("1", r"\eta_0", "share reached at 1 TFLOP/J"),
        "slope": p("1", r"s_\eta", "fall of the share with arithmetic for each joule"),
    },
    source=_LAW,
    valid=(
        "0.3 TFLOP/J <= peak / power <= 10 TFLOP/J; matrices with all "
        "dimensions of 1024 and above"
    ),
    latex=r"\eta_F",
)
def matrix_share(peak: Expr, power: Expr, base: Expr, slope: Expr) -> Expr:
    """Share of the data-sheet peak that large matrices reach on a chip.

    Falls as a power of peak over power (FLOP for each joule), and is cut at 95%.
    """
    law = base * (peak / power / q("1 TFLOP/J")) ** (-slope)
    return smallest(limit=0.95, law=law)


@formula(
    "FLOP/s",
    take("peak rank_chips matrix_share"),
    source=_ROOFLINE,
    valid="0 < matrix_share <= 1; matrices large enough to fill the rank",
)
def rank_arithmetic(peak: Expr, rank_chips: Expr, matrix_share: Expr) -> Expr:
    """Sustained arithmetic of a rank: its part of the peak, as matrices reach."""
    return matrix_share * peak * rank_chips


@formula(
    "B/s",
    take("memory_bandwidth rank_chips memory_share"),
    source=_ROOFLINE,
    valid="0 < memory_share <= 1; long reads in a row",
)
def rank_bandwidth(
    memory_bandwidth: Expr, rank_chips: Expr, memory_share: Expr
) -> Expr:
    """Sustained memory bandwidth of a rank: its part of the chip's, less losses."""
    return memory_share * memory_bandwidth * rank_chips


@formula(
    "B",
    take("capacity rank_chips"),
    source="data sheet",
    valid="rank_chips > 0; ranks of a chip share its memory evenly",
)
def rank_capacity(capacity: Expr, rank_chips: Expr) -> Expr:
    """Memory of a rank: its part of what a program sees of the chip's."""
    return capacity * rank_chips


@formula(
    "s",
    {"x": p("s", "x", "one time"), "y": p("s", "y", "the other")},
    source="smooth roofline, p = 2 (docs: accuracy)",
    valid="x >= 0; y >= 0; two activities of one kernel that overlap in part",
)
def joined(x: Expr, y: Expr) -> Expr:
    """Two activities that overlap in part: the root of the sum of squares.

    At most 1.41 times the longer one, and that one where the other is short.
    """
    return sqrt(x**2 + y**2)


@formula(
    "s",
    take("params weight_bytes tokens bandwidth rank_peak"),
    source=_ROOFLINE,
    valid=(
        "tokens >= 0; bandwidth > 0; rank_peak > 0; the rank's share of one "
        "or several matrices of one precision"
    ),
    latex=r"t_{mm}",
)
def matrix_time(
    params: Expr, weight_bytes: Expr, tokens: Expr, bandwidth: Expr, rank_peak: Expr
) -> Expr:
    """Time of matrices over `tokens` rows: weights read once, joined with compute."""
    memory = params * weight_bytes / bandwidth
    compute = MULTIPLY_ADD * params * tokens / rank_peak
    time: Expr = joined(memory, compute)
    return time


@formula(
    "s",
    take("hidden ffn heads head_size tp tokens activation_bytes traffic bandwidth"),
    source="Korthikanti et al. 2022, arXiv:2205.05198, section 4 (what tp divides)",
    valid=(
        "tp >= 1; bandwidth > 0; a layer with a dense MLP; norms and "
        "residuals are not divided by tp"
    ),
    latex=r"t_{ew}",
)
def elementwise_time(
    hidden: Expr,
    ffn: Expr,
    heads: Expr,
    head_size: Expr,
    tp: Expr,
    tokens: Expr,
    activation_bytes: Expr,
    traffic: Expr,
    bandwidth: Expr,
) -> Expr:
    """Time of a layer's memory-bound operations: norms, residuals, gate, rotation.

    Numbers moved a token: 12 widths of the stream, 4 of the MLP and 2 of all heads,
    the last two divided by tensor parallelism.
    """
    numbers = 12 * hidden + (4 * ffn + 2 * heads * head_size) / tp
    moved = traffic * numbers * activation_bytes * tokens / q("1 token")
    return moved / bandwidth


@formula(
    "1",
    take("hidden heads kv_heads head_size tp"),
    source="Shoeybi et al. 2019 (Megatron-LM), arXiv:1909.08053, section 3",
    valid=(
        "tp >= 1; heads >= kv_heads; heads are padded to whole heads a "
        "rank; key and value heads are copied"
    ),
    latex=r"N_a^r",
)
def attention_params_rank(
    hidden: Expr, heads: Expr, kv_heads: Expr, head_size: Expr, tp: Expr
) -> Expr:
    """Attention parameters of a layer on one rank, whole heads at a time."""
    return 2 * hidden * head_size * (ceil(heads / tp) + ceil(kv_heads / tp))


@formula(
    "1",
    take("mlp tp"),
    source="Shoeybi et al. 2019 (Megatron-LM), arXiv:1909.08053, section 3",
    valid="tp >= 1; tp divides the inner width",
    latex=r"N_m^r",
)
def mlp_params_rank(mlp: Expr, tp: Expr) -> Expr:
    """MLP parameters of a layer on one rank: columns, then rows, divided by tp."""
    return mlp / tp


@formula(
    "1",
    take("hidden heads query_rank kv_rank head_size rope_size value_size tp"),
    source="DeepSeek-V2, arXiv:2405.04434, section 2.1",
    valid=(
        "tp >= 1; what leads down is copied to every rank, what leads up "
        "and out is divided"
    ),
    latex=r"N_a^r",
)
def mla_params_rank(
    hidden: Expr,
    heads: Expr,
    query_rank: Expr,
    kv_rank: Expr,
    head_size: Expr,
    rope_size: Expr,
    value_size: Expr,
    tp: Expr,
) -> Expr:
    """MLA parameters of a layer on one rank."""
    query = query_rank * (head_size + rope_size)
    each_head = query + kv_rank * (head_size + value_size) + value_size * hidden
    return hidden * (query_rank + kv_rank + rope_size) + ceil(heads / tp) * each_head
