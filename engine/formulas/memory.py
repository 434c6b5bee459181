"""Memory of one rank: weights, cache, what the runtime keeps; the largest batch.

Nothing here is NaN or negative where a plan does not fit: the batch is 0, `fits`
is 0 and the shortfall says by how much.
"""

from isocost.dsl.expr import (
    Expr,
    both,
    ceil,
    floor,
    largest,
    lift,
    smallest,
    total,
    where,
)
from isocost.engine.formula import Param, formula, p, q
from isocost.engine.formulas.inference_symbols import take

_PAGED = "Kwon et al. 2023 (PagedAttention), arXiv:2309.06180"
_COUNT = "counted from the layout of the model over its ranks"
_BYTES = {
    "weights": p("B", r"M_w", "weights on the rank"),
    "cache": p("B", r"M_c", "cache on the rank"),
    "room": p("B", r"M_\phi", "memory of the rank left to the cache"),
    "rank_memory": p("B", r"M_r", "memory of the rank"),
    "kv_bytes": p("B/token", r"\beta", "cache of a token, one layer, on the rank"),
    "table": p("1", r"N_V^r", "embedding and head parameters on the rank"),
    "kept": p("token", "s_k", "tokens that the cache reserves for a sequence"),
    "sequence_cache": p("B/sequence", r"M_s", "cache of one sequence on the rank"),
}


def _bytes(names: str) -> dict[str, Param]:
    return {name: _BYTES[name] for name in names.split()}


@formula(
    "B",
    take("layers pp attention_rank attention_bytes mlp_rank weight_bytes table_bytes")
    | _bytes("table"),
    source=_COUNT,
    valid="pp >= 1; every layer alike; the fullest stage",
    latex=r"M_w",
)
def dense_weight_bytes(
    layers: Expr,
    pp: Expr,
    attention_rank: Expr,
    attention_bytes: Expr,
    mlp_rank: Expr,
    weight_bytes: Expr,
    table_bytes: Expr,
    table: Expr,
) -> Expr:
    """Weights of a dense model on one rank: its layers, and embedding or head."""
    layer = attention_rank * attention_bytes + mlp_rank * weight_bytes
    return ceil(layers / pp) * layer + table * table_bytes


@formula(
    "token",
    take("prompt output window window_share")
    | {"page": p("token", "s_b", "tokens of one page of the cache")},
    source=_PAGED,
    valid=(
        "page > 0; 0 <= window_share <= 1; no eviction: a sequence reserves "
        "its whole length when it is admitted"
    ),
    latex="s_k",
)
def kept_tokens(
    prompt: Expr, output: Expr, window: Expr, window_share: Expr, page: Expr
) -> Expr:
    """Tokens that the cache reserves for a sequence, in whole pages, mean over layers.

    A windowed layer keeps no more than its window.
    """
    length = ceil((prompt + output) / page) * page
    inside = smallest(length=length, window=window)
    return (1 - window_share) * length + window_share * inside


@formula(
    "B/sequence",
    take("layers pp") | _bytes("kv_bytes kept"),
    source=_PAGED,
    valid="pp >= 1; layers alike; the fullest stage",
    latex=r"M_s",
)
def sequence_cache_bytes(layers: Expr, pp: Expr, kv_bytes: Expr, kept: Expr) -> Expr:
    """Cache that one sequence reserves on a rank: the layers of its stage."""
    return ceil(layers / pp) * kv_bytes * kept * q("1 /sequence")


@formula(
    "B",
    take("cache_share reserve") | _bytes("rank_memory weights"),
    source=_PAGED,
    valid=(
        "0 < cache_share <= 1; the share of free memory that the engine "
        "hands to its cache"
    ),
    latex=r"M_\phi",
)
def cache_room(
    cache_share: Expr, reserve: Expr, rank_memory: Expr, weights: Expr
) -> Expr:
    """Memory left to the cache: a share of what weights and the runtime leave."""
    return cache_share * largest(free=rank_memory - weights - reserve, none=0)


@formula(
    "sequence",
    take("dp") | _bytes("room sequence_cache"),
    source=_PAGED,
    valid=(
        "dp >= 1; sequence_cache > 0; sequences of equal length, groups filled alike"
    ),
    latex=r"B_{max}",
)
def largest_batch(dp: Expr, room: Expr, sequence_cache: Expr) -> Expr:
    """The most sequences that the cache of one instance admits (0: not one)."""
    count = floor(room / sequence_cache / q("1 sequence"))
    return dp * count * q("1 sequence")


@formula(
    "B",
    take("batch dp") | _bytes("sequence_cache"),
    source=_PAGED,
    valid="dp >= 1; sequences spread evenly over groups",
    latex="M_c",
)
def cache_bytes_used(batch: Expr, dp: Expr, sequence_cache: Expr) -> Expr:
    """Cache that a batch reserves on one rank of one data-parallel group."""
    return batch / dp * sequence_cache


@formula(
    "B",
    take("reserve") | _bytes("weights cache"),
    source=_COUNT,
    valid="activations and fragments are in the reserve",
)
def memory_used(reserve: Expr, weights: Expr, cache: Expr) -> Expr:
    """Memory of a rank in use: weights, cache and what the runtime keeps."""
    return total(weights, cache, reserve)


@formula("1", _bytes("room cache"), source=_PAGED, valid="cache >= 0; both of one rank")
def memory_fits(room: Expr, cache: Expr) -> Expr:
    """1 if the cache of the batch has room and there is room at all, else 0."""
    return where(both(cache <= room, room > lift(0)), 1, 0)


@formula(
    "B",
    take("cache_share reserve") | _bytes("rank_memory weights cache"),
    source=_PAGED,
    valid=("0 < cache_share <= 1; the cache may take its share of free memory only"),
)
def memory_shortfall(
    cache_share: Expr, reserve: Expr, rank_memory: Expr, weights: Expr, cache: Expr
) -> Expr:
    """Memory that a rank lacks for weights, runtime and the cache of the batch."""
    needed = weights + reserve + cache / cache_share
    return largest(missing=needed - rank_memory, none=0)
