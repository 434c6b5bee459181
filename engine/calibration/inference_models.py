"""Architectures that measurements name: from a table, else from the row's columns.

A dense model is known from the columns of a row. Of a model of experts the inner
width of an expert and the experts a token visits follow from its total and active
parameters, if no table knows it.
"""

from collections.abc import Mapping

import attrs

from isocost.engine.calibration.inference_spelling import known_as

Row = Mapping[str, str]


@attrs.frozen
class Architecture:
    """What the formulas need of a model; 0 where a part does not exist."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    ffn: int
    gated: int
    vocabulary: int
    tied: int
    experts: int = 0
    top_k: float = 0
    shared_experts: int = 0
    expert_ffn: float = 0
    dense_layers: int = 0
    mla: bool = False
    query_rank: int = 0
    kv_rank: int = 0
    rope_size: int = 0
    value_size: int = 0
    window: float = 0
    window_share: float = 0

    @property
    def moe_layers(self) -> int:
        """Layers with experts."""
        return self.layers - self.dense_layers if self.experts > 1 else 0


#: MLA ranks of the DeepSeek family and its like: query, key and value, rotary, value.
MLA_RANKS = (1536, 512, 64, 128)
#: Windows by the beginning of a model's name: tokens, and the share of layers.
WINDOWS = {
    "gpt-oss": (128.0, 0.5),
    "llama4": (8192.0, 0.75),
    "gemma2": (4096.0, 0.5),
    "gemma3": (1024.0, 5 / 6),
}


def _int(text: str | None) -> int:
    return int(float(text)) if text else 0


def from_table(row: Row) -> Architecture:
    """An architecture from a row of the table of models."""
    mla = row["attn_type"] == "MLA"
    experts = _int(row["experts"])
    ranks = MLA_RANKS if mla else (0, 0, 0, 0)
    window = next((w for k, w in WINDOWS.items() if row["model"].startswith(k)), (0, 0))
    return Architecture(
        layers=_int(row["layers"]),
        hidden=_int(row["hidden"]),
        heads=_int(row["heads"]),
        kv_heads=_int(row["kv_heads"]),
        head_size=_int(row["head_dim"]),
        ffn=_int(row["ffn"]),
        gated=_int(row["gated_mlp"]),
        vocabulary=_int(row["vocab"]),
        tied=_int(row["tied_embed"]),
        experts=experts if experts > 1 else 0,
        top_k=_int(row["experts_topk"]),
        shared_experts=_int(row["shared_experts"]),
        expert_ffn=_int(row["moe_ffn"]),
        dense_layers=_int(row["dense_layers"]),
        mla=mla,
        query_rank=ranks[0],
        kv_rank=ranks[1],
        rope_size=ranks[2],
        value_size=ranks[3],
        window=window[0],
        window_share=window[1],
    )


def from_columns(row: Row) -> Architecture | str:
    """An architecture from a measurement's own columns, or why there is none."""
    needed = ("layers", "hidden", "heads", "kv_heads", "vocab")
    missing = [name for name in needed if not row.get(name)]
    if missing:
        return f"the architecture is not known: no {', '.join(missing)}"
    layers, hidden, heads = (_int(row[name]) for name in ("layers", "hidden", "heads"))
    found = Architecture(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=_int(row["kv_heads"]),
        head_size=hidden // heads,
        ffn=_int(row.get("ffn")),
        gated=int(_int(row.get("ffn")) != 4 * hidden),  # GPT's MLP is plain and 4 h
        vocabulary=_int(row["vocab"]),
        tied=0,
    )
    if _int(row.get("experts")) > 1:
        return _experts_from_totals(attrs.evolve(found, head_size=128), row)
    if not found.ffn:
        return "the architecture is not known: no ffn"
    params = row.get("params_b")
    return _closest(found, float(params) * 1e9) if params else found


def _closest(found: Architecture, params: float) -> Architecture:
    """The variant of gate, tying and head size whose parameters come closest."""
    sizes = {found.head_size, 64, 96, 128, 256}
    variants = [
        attrs.evolve(found, gated=gated, tied=tied, head_size=size)
        for gated in (1, 0)
        for tied in (0, 1)
        for size in sorted(sizes, key=lambda size: size != found.head_size)
    ]
    return min(variants, key=lambda made: abs(_dense_params(made) - params))


def _dense_params(made: Architecture) -> float:
    heads = 2 * made.hidden * made.head_size * (made.heads + made.kv_heads)
    layer = heads + (2 + made.gated) * made.hidden * made.ffn
    return made.layers * layer + (2 - made.tied) * made.vocabulary * made.hidden


def _experts_from_totals(found: Architecture, row: Row) -> Architecture | str:
    if not row.get("params_b") or not row.get("active_params_b"):
        return "the experts are not known: no total and active parameters"
    total, active = float(row["params_b"]) * 1e9, float(row["active_params_b"]) * 1e9
    experts = _int(row["experts"])
    widths = 2 * found.hidden * found.head_size * (found.heads + found.kv_heads)
    rest = found.layers * widths + 2 * found.vocabulary * found.hidden
    one = (total - rest) / experts
    if one <= 0 or active <= rest:
        return "the experts do not follow from total and active parameters"
    return attrs.evolve(
        found,
        experts=experts,
        top_k=max(1, round((active - rest) / one)),
        expert_ffn=one / (3 * found.layers * found.hidden),
    )


def architecture(row: Row, models: Mapping[str, Row]) -> Architecture | str:
    """The architecture of a measurement's model, or why it is not known.

    Looked for in the table that is handed in, among the models of experts that are
    known by name, and in the row's own columns. A name may say more than a known one
    (`-Instruct`, a date); what layers and width contradict is not it.
    """
    from isocost.engine.calibration.inference_known import KNOWN

    name = row.get("model", "")
    if name in models:
        return from_table(models[name])
    found = known_as(name, {**models, **KNOWN})
    if found:
        made = from_table(models[found]) if found in models else KNOWN[found]
        if _agrees(made, row):
            return made
    return from_columns(row)


#: Layers and width of a row's columns tell whether a name means the known shape.
def _agrees(made: Architecture, row: Row) -> bool:
    stated = (_int(row.get("layers")), _int(row.get("hidden")))
    return all(
        not mine or mine == theirs
        for mine, theirs in zip(stated, (made.layers, made.hidden), strict=True)
    )
