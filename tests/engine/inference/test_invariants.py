"""What must hold whatever the numbers: properties of the steps and of memory.

The numbers in comments are the reports on other tools that each test keeps out.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.engine.calibration import inference_fit, inference_predict
from isocost.engine.calibration.inference import shipped
from isocost.engine.calibration.inference_rows import cases
from isocost.engine.formulas import (
    attention,
    chip,
    inference,
    memory,
    moe,
    serving,
    serving_load,
    transformer,
)

from .measured import models, rows

count = st.integers(1, 128).map(float)
size = st.floats(1.0, 1e6)
LLAMA_70B = {"heads": 64.0, "kv_heads": 8.0, "head_size": 128.0}


@given(count, size, st.sampled_from([1.0, 2.0, 4.0, 8.0]))
def test_a_decode_step_reads_the_cache_once(
    batch: float, span: float, tp: float
) -> None:
    """Cache bytes read a step equal the cache's size (22: key heads, not heads)."""
    kv_bytes = attention.kv_bytes_rank(8.0, 128.0, 2.0, tp)
    cached = attention.cached_tokens(batch, 1.0, 1.0, span)
    time = attention.decode_attention_time(cached, 64.0, 8.0, tp, 0.0, 1e12, kv_bytes)
    whole = attention.kv_bytes_per_token(1.0, 8.0, 128.0, 2.0) * batch * span
    assert time * 1e12 * tp == pytest.approx(whole)


@given(st.sampled_from([16.0, 32.0, 64.0]))
def test_key_heads_are_copied_past_their_count(tp: float) -> None:
    assert attention.kv_bytes_rank(8.0, 128.0, 2.0, tp) == 2 * 128 * 2


@given(size, size, size)
def test_a_matrix_beats_neither_memory_nor_arithmetic(
    params: float, tokens: float, rate: float
) -> None:
    time = chip.matrix_time(params, 2.0, tokens, rate, 100 * rate)
    memory_bound, compute_bound = params * 2 / rate, 2 * params * tokens / rate / 100
    longer = max(memory_bound, compute_bound)
    assert longer * (1 - 1e-12) <= time <= longer * 2**0.5 * (1 + 1e-12)


def test_norms_are_counted_by_layer_and_not_divided() -> None:
    """21: norms counted once, and divided by tp though they are replicated."""
    assert transformer.norm_params(80.0, 8192.0) == 161 * 8192
    whole, shared = (
        chip.elementwise_time(8192.0, 0.0, 0.0, 128.0, tp, 1.0, 2.0, 1.0, 1e12)
        for tp in (1.0, 8.0)
    )
    assert whole == shared


@given(
    st.floats(1e9, 2e11),
    st.floats(1e9, 2e11),
    st.floats(1e5, 1e10),
    st.sampled_from([1.0, 2.0, 8.0]),
)
def test_the_largest_batch_fits_and_one_more_does_not(
    weights: float, rank: float, each: float, dp: float
) -> None:
    room = memory.cache_room(0.9, 1e9, rank, weights)
    most = memory.largest_batch(dp, room, each)
    assert most >= 0
    if most:
        assert memory.memory_fits(room, memory.cache_bytes_used(most, dp, each)) == 1
        shortfall = memory.memory_shortfall(
            0.9, 1e9, rank, weights, memory.cache_bytes_used(most, dp, each)
        )
        assert shortfall <= 1e-6 * rank
    more = memory.cache_bytes_used(most + dp, dp, each)
    assert memory.memory_fits(room, more) == 0
    assert memory.memory_shortfall(0.9, 1e9, rank, weights, more) > 0


@given(count, st.floats(1, 8), st.floats(1, 1e5))
def test_touched_experts_lie_between_one_token_and_all(
    held: float, visited: float, tokens: float
) -> None:
    touched = moe.distinct_experts(128.0, held, visited, tokens)
    assert held * visited / 128 * (1 - 1e-9) <= touched <= held
    rows_each = moe.expert_rows(held, 128.0, visited, tokens, touched)
    assert touched * rows_each == pytest.approx(tokens * visited / 128 * held)


@given(st.floats(1, 1e5), st.floats(1, 1e5), st.floats(0, 1))
def test_windows_never_lengthen_a_view(
    prompt: float, window: float, hits: float
) -> None:
    computed = prompt * (1 - hits * 0.99)
    full = attention.prefill_span(prompt, window, 0.0, computed)
    cut = attention.prefill_span(prompt, window, 1.0, computed)
    assert full == pytest.approx(prompt - computed / 2)
    assert 0 < cut <= min(full, window) * (1 + 1e-6)


def test_prefix_hits_cut_the_pairs_that_a_prompt_costs() -> None:
    spans = [attention.prefill_span(1000.0, 1.0, 0.0, c) * c for c in (1000.0, 500.0)]
    assert spans == [1000 * 500, 500 * 750]


@given(count, size, size)
def test_a_mixed_step_reads_weights_once(
    batch: float, prompt: float, output: float
) -> None:
    """4: mixed steps are one pass; tokens add up, weights are not read twice."""
    decode = inference.decode_pass_tokens(batch, 1.0, 1.0)
    prompts = inference.mixed_prefill_tokens(batch, prompt, output, 1.0, 1.0, 1.0)
    rest = (2.0, 1e12, 1e15)
    mixed = chip.matrix_time(1e9, rest[0], decode + prompts, *rest[1:])
    apart = chip.matrix_time(1e9, rest[0], decode, *rest[1:])
    apart += chip.matrix_time(1e9, rest[0], prompts, *rest[1:])
    assert mixed < apart


@given(st.floats(1e-3, 10), st.floats(0, 0.96), st.floats(1e-3, 1))
def test_waiting_grows_with_load(prefill: float, load: float, step: float) -> None:
    """5: solo and loaded time to first token apart, and monotone."""
    alone = serving.ttft_solo(prefill)
    now = serving_load.ttft_loaded(prefill, load, step)
    later = serving_load.ttft_loaded(prefill, load + 0.01, step)
    assert alone < now < later


def test_speculation_without_acceptance_changes_nothing() -> None:
    assert serving_load.speculative_tokens(3.0, 0.0) == 1
    assert serving_load.speculative_tokens(1.0, 0.5) == pytest.approx(1.5)
    assert serving_load.speculative_tokens(0.0, 0.7) == pytest.approx(1.0)


def test_a_finite_run_is_waves_and_a_rest() -> None:
    assert serving_load.finite_run_time(100.0, 300.0, 2.0, 1.0) == 6
    assert serving_load.finite_run_time(100.0, 301.0, 2.0, 1.0) == 7
    assert serving_load.finite_run_time(100.0, 50.0, 2.0, 1.0) == 1


def test_a_bucket_is_the_next_power_of_two() -> None:
    assert serving_load.bucket_length(2048.0, 2048.0) == 4096
    assert serving_load.bucket_length(2048.0, 2049.0) == 8192


def changed(row: dict[str, str], **columns: str) -> float:
    """The prediction for a row with other columns, at the shipped coefficients."""
    made = cases({**row, **columns}, models())
    assert isinstance(made, list)
    groups = inference_predict.stack(made)
    theta = shipped().theta()
    return float(np.nanmax(inference_predict.predict(groups, np.exp(theta), len(made))))


STATIC = next(
    row
    for row in rows()
    if row["model"] == "llama2-70b" and row["batch_kind"][:6] == "static"
)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("batch", ("1", "2", "8", "64", "256")),
        ("isl", ("128", "512", "2048", "8192")),
        ("osl", ("128", "1024", "8192")),
    ],
)
def test_time_rises_with_work(column: str, values: tuple[str, ...]) -> None:
    found = [changed(STATIC, metric="tpot_ms", **{column: value}) for value in values]
    assert found == sorted(found)


def test_more_ranks_change_the_result() -> None:
    """18: a wider plan that changes nothing."""
    narrow, wide = (changed(STATIC, tp=tp, n_chips=tp, metric="tpot_ms") for tp in "28")
    assert wide < narrow


def test_no_decode_step_beats_its_roofline() -> None:
    """27: weights and cache at the rated bandwidth bound every step from below."""
    data = inference_fit.measurements(rows(), models())
    theta = np.exp(shipped().theta())
    for group in data.groups:
        if group.experts or group.mode not in {"static", "continuous"}:
            continue
        step = inference_predict.decode_step(group, theta)
        layer = step["attention_rank"] * step["attention_bytes"]
        layer = layer + step["mlp_rank"] * step["weight_bytes"]
        layer = layer + step["cached"] * step["kv_bytes"]
        rated = step["memory_bandwidth"] * step["rank_chips"]
        assert np.all(step["step"] > step["layers"] * layer / rated)
        compute = 2 * step["layers"] * step["tokens"] / step["rank_chips"]
        compute = compute * (step["attention_rank"] + step["mlp_rank"])
        assert np.all(step["step"] > compute / step["peak_low"])


def test_batch_and_layers_cost_no_time_to_predict() -> None:
    """15: nothing loops over micro-batches, layers or tokens."""
    found = changed(STATIC, batch="1000000", isl="1000000", osl="1000000")
    assert np.isfinite(found)
