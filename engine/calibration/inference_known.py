"""Models of experts and of MLA whose shape a measurement's columns do not tell.

From their published configurations; checked against the table of architectures in
the tests. Scenarios take models from the catalogue, not from here.
"""

from isocost.engine.calibration.inference_models import Architecture


def _experts(
    shape: tuple[int, int, int, int, int, int],
    experts: tuple[int, int, int, int],
    *,
    dense: tuple[int, int] = (0, 0),
    window: tuple[float, float] = (0.0, 0.0),
) -> Architecture:
    """A model with layers, hidden, heads, kv heads, head size, vocabulary; experts.

    `experts` are routed, visited, shared and the width of one; `dense` the layers
    with a dense MLP and its width.
    """
    layers, hidden, heads, kv_heads, head_size, vocabulary = shape
    routed, visited, shared, width = experts
    return Architecture(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_size=head_size,
        ffn=dense[1],
        gated=1,
        vocabulary=vocabulary,
        tied=0,
        experts=routed,
        top_k=visited,
        shared_experts=shared,
        expert_ffn=width,
        dense_layers=dense[0],
        window=window[0],
        window_share=window[1],
    )


def _mla(
    shape: tuple[int, int, int, int],
    experts: tuple[int, int, int, int],
    dense: tuple[int, int],
    query_rank: int = 1536,
) -> Architecture:
    """A DeepSeek-like model: layers, hidden, heads, vocabulary; experts; dense part."""
    layers, hidden, heads, vocabulary = shape
    routed, visited, shared, width = experts
    return Architecture(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_size=128,
        ffn=dense[1],
        gated=1,
        vocabulary=vocabulary,
        tied=0,
        experts=routed,
        top_k=visited,
        shared_experts=shared,
        expert_ffn=width,
        dense_layers=dense[0],
        mla=True,
        query_rank=query_rank,
        kv_rank=512,
        rope_size=64,
        value_size=128,
    )


_DEEPSEEK_V3 = _mla((61, 7168, 128, 129_280), (256, 8, 1, 2048), (3, 18_432))
_CHUNK = (8192.0, 0.75)
KNOWN: dict[str, Architecture] = {
    "deepseek-v3": _DEEPSEEK_V3,
    "deepseek-r1": _DEEPSEEK_V3,
    "deepseek-v2": _mla((60, 5120, 128, 102_400), (160, 6, 2, 1536), (1, 12_288)),
    "kimi-k2": _mla((61, 7168, 64, 163_840), (384, 8, 1, 2048), (1, 18_432)),
    "mixtral-8x7b": _experts((32, 4096, 32, 8, 128, 32_000), (8, 2, 0, 14_336)),
    "mixtral-8x22b": _experts((56, 6144, 48, 8, 128, 32_768), (8, 2, 0, 16_384)),
    "dbrx": _experts((40, 6144, 48, 8, 128, 100_352), (16, 4, 0, 10_752)),
    "grok-1": _experts((64, 6144, 48, 8, 128, 131_072), (8, 2, 0, 32_768)),
    "qwen3-30b-a3b": _experts((48, 2048, 32, 4, 128, 151_936), (128, 8, 0, 768)),
    "qwen3-235b-a22b": _experts((94, 4096, 64, 4, 128, 151_936), (128, 8, 0, 1536)),
    "qwen3-coder-480b-a35b": _experts(
        (62, 6144, 96, 8, 128, 151_936), (160, 8, 0, 2560)
    ),
    "gpt-oss-20b": _experts(
        (24, 2880, 64, 8, 64, 201_088), (32, 4, 0, 2880), window=(128.0, 0.5)
    ),
    "gpt-oss-120b": _experts(
        (36, 2880, 64, 8, 64, 201_088), (128, 4, 0, 2880), window=(128.0, 0.5)
    ),
    "llama4-scout": _experts(
        (48, 5120, 40, 8, 128, 202_048), (16, 1, 1, 8192), window=_CHUNK
    ),
    "llama4-maverick": _experts(
        (48, 5120, 40, 8, 128, 202_048),
        (128, 1, 1, 8192),
        dense=(24, 16_384),
        window=_CHUNK,
    ),
}
