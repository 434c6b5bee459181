"""The catalogue's models: shapes as collected, parameters as they count up."""

import csv
from pathlib import Path

import pytest

from isocost.dsl.catalog import catalog_document
from isocost.dsl.check import check_file
from isocost.dsl.document import Block
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

TABLE = Path(__file__).parents[1] / "data" / "validation" / "models.csv"
COLUMNS = {
    "layers": "layers",
    "hidden": "hidden",
    "heads": "heads",
    "kv_heads": "kv_heads",
    "head_size": "head_dim",
    "ffn": "ffn",
    "vocabulary": "vocab",
    "moe.experts": "experts",
    "moe.top_k": "experts_topk",
    "moe.ffn": "moe_ffn",
    "moe.shared": "shared_experts",
}
RENAMED = {
    "qwen3_coder_480b": "qwen3-coder-480b-a35b",
    "llama3_8b": "llama3.1-8b",
    "llama3_70b": "llama3.1-70b",
    "llama3_405b": "llama3.1-405b",
}


def collected() -> dict[str, dict[str, str]]:
    with TABLE.open(encoding="utf-8") as file:
        return {row["model"]: row for row in csv.DictReader(file)}


DOCUMENT = catalog_document()
MODELS = sorted(DOCUMENT.of_kind("model"), key=lambda block: block.name)
ROWS = collected()


def row_of(model: Block) -> dict[str, str]:
    plain = RENAMED.get(model.name, "")
    return next(
        row
        for name, row in ROWS.items()
        if name == plain or name.replace("-", "_").replace(".", "p") == model.name
    )


def number(model: Block, path: str) -> float | None:
    fact = model.facts.get(path)
    return None if fact is None else float(fact.expr.value.base)


def test_every_collected_model_is_carried() -> None:
    assert {row_of(model)["model"] for model in MODELS} == set(ROWS)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
def test_a_shape_is_as_collected(model: Block) -> None:
    row = row_of(model)
    for path, column in COLUMNS.items():
        said = number(model, path)
        assert (said is None) == (row[column] == ""), path
        assert said is None or said == float(row[column]), path
    assert number(model, "parameters") == float(row["params_b"]) * 1e9


@pytest.mark.parametrize(
    "model", [m for m in MODELS if "moe.experts" not in m.facts], ids=lambda m: m.name
)
def test_parameters_count_up_from_the_shape(model: Block) -> None:
    """Learned positions and biases, which some counts include, are below 0.4%."""
    text = (
        f'edition 2026\nimport "{model.file}"\n'
        f"workload w {{\n  task = inference\n  model = {model.name}\n}}\n"
        "scenario s {\n  workload = w\n}\n"
    )
    evaluation = Evaluation(check_file("s.scn", table(), text), count=16)
    node = evaluation.node("s", "model.params.total")
    assert node is not None
    counted = evaluation.point((node,))[node]
    assert counted == pytest.approx(number(model, "parameters"), rel=4e-3)
