"""Attention of one layer on one rank: the cache it keeps, reads and fills.

The bytes that a decode step reads are the cache's size, by construction: both are
`cached * kv_bytes`. Key and value heads are divided by tensor parallelism and
copied where there are fewer heads than ranks.
"""

from isocost.dsl.expr import Expr, ceil, smallest
from isocost.engine.formula import formula, p, q
from isocost.engine.formulas.chip import joined
from isocost.engine.formulas.inference_symbols import EACH, PAIR, take

_GQA = "Ainslie et al. 2023 (GQA), arXiv:2305.13245"
_MLA = "DeepSeek-V2, arXiv:2405.04434, section 2.1"
_FLASH = "Dao 2023 (FlashAttention-2), arXiv:2307.08691"
_WINDOW = "Beltagy et al. 2020 (Longformer), arXiv:2004.05150"
_KV = {"kv_bytes": p("B/token", r"\beta", "cache of a token, one layer, on the rank")}


@formula(
    "B/token",
    take("layers kv_heads head_size cache_bytes"),
    source=_GQA,
    valid="kv_heads >= 1; a cache of its own in every layer",
)
def kv_bytes_per_token(
    layers: Expr, kv_heads: Expr, head_size: Expr, cache_bytes: Expr
) -> Expr:
    """Cache of one token in the whole model: a key and a value for each head."""
    return 2 * layers * kv_heads * head_size * cache_bytes / q("1 token")


@formula(
    "B/token",
    take("layers kv_rank rope_size cache_bytes"),
    source=_MLA,
    valid="kv_rank > 0; cached compressed, in every layer",
)
def mla_kv_bytes_per_token(
    layers: Expr, kv_rank: Expr, rope_size: Expr, cache_bytes: Expr
) -> Expr:
    """Cache of one token under MLA: the compressed vector and the rotary key."""
    return layers * (kv_rank + rope_size) * cache_bytes / q("1 token")


@formula(
    "B/token",
    take("kv_heads head_size cache_bytes tp"),
    source=_GQA,
    valid="tp >= 1; heads are copied where tp exceeds them",
    latex=r"\beta",
)
def kv_bytes_rank(kv_heads: Expr, head_size: Expr, cache_bytes: Expr, tp: Expr) -> Expr:
    """Cache of one token and layer on a rank: whole heads, copied past their count."""
    return 2 * ceil(kv_heads / tp) * head_size * cache_bytes / q("1 token")


@formula(
    "B/token",
    take("kv_rank rope_size cache_bytes"),
    source=_MLA,
    valid=(
        "kv_rank > 0; the compressed vector is copied to every tensor-parallel rank"
    ),
    latex=r"\beta",
)
def mla_kv_bytes_rank(kv_rank: Expr, rope_size: Expr, cache_bytes: Expr) -> Expr:
    """Cache of one token and MLA layer on one rank: tp does not divide it."""
    return (kv_rank + rope_size) * cache_bytes / q("1 token")


@formula(
    "1",
    take("head_size rope_size value_size"),
    source=_MLA,
    valid=("keys and values led up from the compressed vector: prompts, not decoding"),
)
def mla_score_size(head_size: Expr, rope_size: Expr, value_size: Expr) -> Expr:
    """Numbers of a head that attention works on: the mean of score and value."""
    return (head_size + rope_size + value_size) / 2


@formula(
    "token",
    take("context window window_share"),
    source=_WINDOW,
    valid=(
        "0 <= window_share <= 1; layers of one window each; a model without "
        "windows has a share of 0"
    ),
    latex=r"\bar s",
)
def decode_span(context: Expr, window: Expr, window_share: Expr) -> Expr:
    """Tokens of a sequence that a decode step reads, mean over the layers."""
    seen = smallest(context=context, window=window)
    return (1 - window_share) * context + window_share * seen


@formula(
    "token",
    take("prompt window window_share")
    | {"computed": p("token", "s_n", "tokens of the prompt that no cache holds")},
    source=_WINDOW,
    valid=(
        "0 < computed <= prompt; 0 <= window_share <= 1; causal attention "
        "over the last `computed` tokens of a prompt"
    ),
    latex=r"\bar s",
)
def prefill_span(
    prompt: Expr, window: Expr, window_share: Expr, computed: Expr
) -> Expr:
    """Tokens that a computed token looks at, mean over them and over the layers.

    Half the prompt where all is computed and nothing limits the view. A windowed
    token at position x sees the lesser of x and the window, so the sum is a
    triangle up to the window and a rectangle past it.
    """
    start = prompt - computed
    low, high = smallest(start, window), smallest(prompt, window)
    triangle = (high * high - low * low) / 2
    rectangle = window * (prompt - high - start + low)
    seen = (triangle + rectangle) / computed
    return (1 - window_share) * (prompt - computed / 2) + window_share * seen


@formula(
    "token",
    take("batch dp pp") | {"span": p("token", r"\bar s", "tokens read of each")},
    source="counted: every cached token of the rank's sequences is read once a step",
    valid="dp >= 1; pp >= 1; sequences spread evenly over groups and stages",
    latex="C",
)
def cached_tokens(batch: Expr, dp: Expr, pp: Expr, span: Expr) -> Expr:
    """Cached tokens that one decode pass reads on a rank: its sequences' spans."""
    return batch / (dp * pp) * span * EACH


@formula(
    "s",
    take("cached heads kv_heads tp reread bandwidth") | _KV,
    source="Kwon et al. 2023 (PagedAttention), arXiv:2309.06180: bound by reading",
    valid=(
        "tp >= 1; 0 <= reread <= 1; one token of each sequence; group of "
        "query heads read together"
    ),
    latex=r"t_{att}",
)
def decode_attention_time(
    cached: Expr,
    heads: Expr,
    kv_heads: Expr,
    tp: Expr,
    reread: Expr,
    bandwidth: Expr,
    kv_bytes: Expr,
) -> Expr:
    """Time of one layer's decode attention: its cache read once.

    A kernel that knows no groups reads a key for every query head that shares it:
    `reread` is the share of those further readings (0: none, 1: all).
    """
    readings = 1 + reread * (ceil(heads / tp) / ceil(kv_heads / tp) - 1)
    return readings * cached * kv_bytes / bandwidth


@formula(
    "s",
    take("cached heads kv_rank rope_size tp bandwidth rank_peak") | _KV,
    source=_MLA + "; absorbed form",
    valid="tp >= 1; key and value projections absorbed into query and output",
    latex=r"t_{att}",
)
def mla_decode_attention_time(
    cached: Expr,
    heads: Expr,
    kv_rank: Expr,
    rope_size: Expr,
    tp: Expr,
    bandwidth: Expr,
    rank_peak: Expr,
    kv_bytes: Expr,
) -> Expr:
    """Time of one MLA layer's decode attention: reading joined with arithmetic.

    All heads share one compressed key of kv_rank + rope_size numbers, whose first
    kv_rank are the value as well; so it is bound by arithmetic as often as not.
    """
    work = cached * ceil(heads / tp) * (2 * kv_rank + rope_size) * q("2 FLOP/token")
    time: Expr = joined(cached * kv_bytes / bandwidth, work / rank_peak)
    return time


@formula(
    "s",
    take("prefill_tokens attended heads head_size tp rank_peak"),
    source=_FLASH,
    valid=(
        "prefill_tokens == 0 or attended >= 128 token; causal, bound by "
        "arithmetic: prompts of 256 tokens and above"
    ),
    latex=r"t_{att}",
)
def prefill_attention_time(
    prefill_tokens: Expr,
    attended: Expr,
    heads: Expr,
    head_size: Expr,
    tp: Expr,
    rank_peak: Expr,
) -> Expr:
    """Time of one layer's attention over prompts: scores and weighted values.

    `rank_peak` is what attention sustains, not what matrices do.
    """
    pairs = prefill_tokens * attended
    return PAIR * pairs * ceil(heads / tp) * head_size / rank_peak
