"""Properties of a whole decode step, over models, chips, plans and loads at random.

Heads of every kind (MHA, GQA, MQA, latent), windows, experts, speculation; on chips of
every vendor. The numbers in docstrings are the reports on other tools that each keeps
out.
"""

from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from isocost.engine.calibration.inference import shipped
from isocost.engine.calibration.inference_predict import (
    decode_step,
    predict,
    running_batch,
    stack,
)
from isocost.engine.calibration.inference_rows import Case, cases

from .measured import models

THETA = np.exp(shipped().theta())
#: Multi-head, grouped, one key head, latent with experts, windows, few experts.
MODELS = (
    *("llama2-7b", "llama3.1-70b", "falcon-180b", "gptj-6b", "one-key-head"),
    *("deepseek-v3", "gpt-oss-120b", "llama4-maverick", "mixtral-8x7b", "kimi-k2"),
)
CHIPS = (
    *("H100", "B200", "GB200", "A100", "L40S", "MI300X", "MI355X", "TPU v6e"),
    *("Gaudi3", "Inferentia2", "Trainium2"),
)
#: A model with one key head, known by its columns alone.
ONE_KEY_HEAD = {
    "layers": "52",
    "hidden": "6144",
    "heads": "48",
    "kv_heads": "1",
    "ffn": "24576",
    "vocab": "49152",
    "params_b": "20.1",
}
loads = st.fixed_dictionaries(
    {
        "model": st.sampled_from(MODELS),
        "chip": st.sampled_from(CHIPS),
        "batch": st.integers(1, 2048).map(str),
        "isl": st.integers(16, 65_536).map(str),
        "osl": st.integers(2, 4096).map(str),
        "tp": st.sampled_from(["1", "2", "4", "8"]),
        "weight_precision": st.sampled_from(["bf16", "fp8", "nvfp4", "int8", "int4"]),
        "kv_precision": st.sampled_from(["bf16", "fp8"]),
        "spec_decode": st.sampled_from(["none", "MTP-1", "MTP-3"]),
        "framework": st.sampled_from(
            ["TensorRT-LLM v1.0", "vLLM 0.9", "Neuron 2.18.1"]
        ),
    }
)


def case_of(load: dict[str, str], **columns: str) -> Case:
    row = {
        "row_id": "x",
        "series": "x",
        "n_chips": load["tp"],
        "dp": "1",
        "pp": "1",
        "metric": "tpot_ms",
        "value": "1",
        "unit": "ms",
        "batch_kind": "static",
        **(ONE_KEY_HEAD if load["model"] == "one-key-head" else {}),
        **load,
        **columns,
    }
    made = cases(row, models())
    assert isinstance(made, list), made
    return made[0]


def with_numbers(case: Case, **factors: float) -> Case:
    numbers = {n: v * factors.get(n, 1.0) for n, v in case.numbers.items()}
    return attrs.evolve(case, numbers=numbers)


def tpot(case: Case) -> float:
    return float(predict(stack([case]), THETA, 1)[0])


def step_of(case: Case) -> dict[str, Any]:
    (group,) = stack([case])
    made = decode_step(attrs.evolve(group, mode="static"), THETA)
    return {name: float(np.ravel(value)[0]) for name, value in made.items()}


def fits(case: Case) -> bool:
    (group,) = stack([case])
    return bool(np.ravel(running_batch(group, THETA))[0] >= case.numbers["batch"])


def read_bytes(step: dict[str, Any], *, experts: bool) -> float:
    """Bytes of weights that a decode step cannot avoid, of one rank."""
    layer = step["attention_rank"] * step["attention_bytes"]
    if not experts:
        mlp = step["mlp_rank"] * step["weight_bytes"]
        return float(step["layers"] * (layer + mlp))
    touched = step["distinct"] * step["expert"] / step["slices"]
    mlp = step["dense_layers"] * step["mlp_rank"] + step["moe_layers"] * touched
    return float(step["layers"] * layer + mlp * step["weight_bytes"])


@settings(max_examples=30, deadline=None)
@given(loads)
def test_no_step_beats_what_it_must_read_or_compute(load: dict[str, str]) -> None:
    """2, 27: never above the roofline at the rated bandwidth and the peak."""
    case = case_of(load)
    assume(fits(case))
    step = step_of(case)
    rated = step["memory_bandwidth"] * step["rank_chips"]
    cache = step["layers"] * step["cached"] * step["kv_bytes"]
    assert step["step"] > (read_bytes(step, experts=case.experts) + cache) / rated
    each = step["attention_rank"] + (0 if case.experts else step["mlp_rank"])
    compute = 2 * step["layers"] * step["tokens"] * each / step["rank_chips"]
    assert step["step"] > compute / max(step["peak_low"], step["peak_mid"])


@settings(max_examples=30, deadline=None)
@given(loads)
def test_a_step_reads_the_cache_that_is_kept(load: dict[str, str]) -> None:
    """22: heads of keys and values are read, each once, whatever heads there are."""
    case = case_of(load)
    step, shape = step_of(case), case.numbers
    ranks = shape["tp"]
    width = shape["kv_heads"] * shape["head_size"] * 2
    if case.mla:
        width = (shape["kv_rank"] + shape["rope_size"]) * ranks
    elif shape["kv_heads"] < ranks:
        width = ranks * shape["head_size"] * 2
    whole = -(-shape["kv_heads"] // ranks) * ranks
    if not case.mla and shape["kv_heads"] >= ranks:
        width = whole * shape["head_size"] * 2
    kept = width * shape["cache_bytes"] * step["batch"] * step["span"]
    assert step["cached"] * step["kv_bytes"] * ranks == pytest.approx(kept)
    assert step["span"] <= step["read"] * (1 + 1e-9)


@settings(max_examples=30, deadline=None)
@given(loads, st.sampled_from(["batch", "isl", "osl"]))
def test_time_rises_with_work(load: dict[str, str], column: str) -> None:
    more = {column: str(2 * int(load[column]))}
    assert tpot(case_of(load)) <= tpot(case_of(load, **more)) * (1 + 1e-9)


@settings(max_examples=30, deadline=None)
@given(loads, st.sampled_from(["memory_bandwidth", "link", "peak_attention"]))
def test_a_better_chip_is_never_slower(load: dict[str, str], what: str) -> None:
    case = case_of(load)
    better = with_numbers(case, **{what: 1.5})
    assert tpot(better) <= tpot(case) * (1 + 1e-9)


@settings(max_examples=20, deadline=None)
@given(loads)
def test_checking_drafts_is_work(load: dict[str, str]) -> None:
    """A step of drafts is no shorter, and no token comes for less than its share."""
    plain = case_of(load, spec_decode="none")
    drafted = case_of(load, spec_decode="MTP-3")
    assert step_of(drafted)["step"] >= step_of(plain)["step"] * (1 - 1e-9)
    assert tpot(drafted) >= tpot(plain) / 4 * (1 - 1e-9)


@settings(max_examples=20, deadline=None)
@given(loads)
def test_the_plan_and_its_links_decide(load: dict[str, str]) -> None:
    """18: what a plan sends has an effect, and only where something is sent."""
    case = case_of(load)
    slow = with_numbers(case, link=0.1)
    if case.numbers["tp"] * case.numbers["rank_chips"] > 1:
        assert tpot(slow) > tpot(case)
    else:
        assert tpot(slow) == pytest.approx(tpot(case))


@settings(max_examples=20, deadline=None)
@given(loads)
def test_ranks_beyond_a_domain_pay_the_way_between(load: dict[str, str]) -> None:
    """19: tensor parallelism across nodes priced at the speed inside one."""
    case = case_of(load, tp="16", n_chips="16", chip="H100")
    inside = with_numbers(case, domain=2.0)
    slower = with_numbers(case, node_link=0.1)
    assert tpot(case) > tpot(inside)
    assert tpot(slower) > tpot(case)
    assert tpot(with_numbers(inside, node_link=0.1)) == pytest.approx(tpot(inside))
