"""The parameter inventory reconciles with every published count, within 1%."""

import csv
from pathlib import Path

import pytest

from isocost.engine.calibration.inference_models import from_table
from isocost.engine.formulas import attention, transformer

TABLE = Path(__file__).parents[2] / "data" / "validation" / "models.csv"
ROWS = list(csv.DictReader(TABLE.read_text().splitlines()))


def parts(row: dict[str, str]) -> dict[str, float]:
    made = from_table(row)
    if made.mla:
        attention_params = transformer.mla_params(
            made.hidden,
            made.heads,
            made.query_rank,
            made.kv_rank,
            made.head_size,
            made.rope_size,
            made.value_size,
        )
    else:
        attention_params = transformer.attention_params(
            made.hidden, made.heads, made.kv_heads, made.head_size
        )
    return {
        "layers": made.layers,
        "attention": attention_params,
        "mlp": transformer.mlp_params(made.hidden, made.ffn, made.gated),
        "embedding": transformer.embedding_params(made.vocabulary, made.hidden),
        "head": transformer.head_params(made.vocabulary, made.hidden, made.tied),
        "norms": transformer.norm_params(made.layers, made.hidden),
        "router": made.hidden * made.experts,
        "dense_layers": made.dense_layers,
        "moe_layers": made.moe_layers,
        "experts": made.experts,
        "top_k": made.top_k,
        "shared_experts": made.shared_experts,
        "expert": transformer.mlp_params(made.hidden, made.expert_ffn, made.gated),
    }


def applied(made: object, values: dict[str, float]) -> float:
    return float(made(**{name: values[name] for name in made.params}))  # type: ignore[attr-defined,operator]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["model"])
def test_totals_reconcile(row: dict[str, str]) -> None:
    values = parts(row)
    moe = values["experts"] > 1
    total = transformer.moe_total_params if moe else transformer.dense_total_params
    active = transformer.moe_active_params if moe else transformer.dense_total_params
    assert applied(total, values) == pytest.approx(
        float(row["params_b"]) * 1e9, rel=0.01
    )
    assert applied(active, values) == pytest.approx(
        float(row["active_params_b"]) * 1e9, rel=0.01
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["model"])
def test_cache_bytes_reconcile(row: dict[str, str]) -> None:
    made = from_table(row)
    if made.mla:
        found = attention.mla_kv_bytes_per_token(
            made.layers, made.kv_rank, made.rope_size, 2.0
        )
    else:
        found = attention.kv_bytes_per_token(
            made.layers, made.kv_heads, made.head_size, 2.0
        )
    assert found == pytest.approx(float(row["kv_bytes_per_tok_16b"]), rel=0.01)
