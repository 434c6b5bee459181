"""Worked values of the formulas, and what must hold of a step whatever the numbers."""

from collections.abc import Mapping

import attrs
import numpy as np
import pytest

from isocost.engine.calibration.inference_arrays import apply
from isocost.engine.calibration.training import predict_runs, shipped, stack_figures
from isocost.engine.calibration.training_coefficients import FIXED, LINK_SHARE
from isocost.engine.calibration.training_model import batch_of, predict, walk
from isocost.engine.calibration.training_rows import Run
from isocost.engine.formulas import (
    parallelism,
    training,
    training_memory,
    training_overheads,
    training_plan,
)


def changed(run: Run, **inputs: float) -> Run:
    return attrs.evolve(run, inputs={**run.inputs, **inputs})


def step(run: Run, **inputs: float) -> float:
    return float(predict(batch_of([changed(run, **inputs)]), shipped().values)[0])


@pytest.fixture(scope="session")
def megatron(runs: list[Run]) -> Run:
    """Llama 3.1 405B on 1024 H100: tp 8, pp 8, cp 2, dp 8."""
    return next(run for run in runs if run.row_id == "T0174")


def test_bubble_of_a_pipeline() -> None:
    assert parallelism.bubble_share(8, 4, 1) == pytest.approx(3 / 11)
    assert parallelism.bubble_share(8, 4, 3) == pytest.approx(3 / 27)


def test_pipeline_is_slots_times_the_slowest_stage() -> None:
    assert parallelism.pipeline_time(8, 4, 1, 2.0, 2.0, 0) == pytest.approx(22)
    assert parallelism.pipeline_time(8, 4, 2, 2.0, 2.0, 0) == pytest.approx(19)
    assert parallelism.pipeline_time(8, 1, 1, 2.0, 3.0, 1) == pytest.approx(24)


def test_a_group_across_domains_is_bound_by_its_nics() -> None:
    args = {"link": 450e9, "nic": 50e9, "link_share": 0.75, "nic_share": 0.5}
    inside = parallelism.ring_bandwidth(group=8, stride=1, domain=8, **args)
    across = parallelism.ring_bandwidth(group=16, stride=8, domain=8, **args)
    wide = parallelism.ring_bandwidth(group=16, stride=1, domain=8, **args)
    assert (inside, across, wide) == pytest.approx((337.5e9, 25e9, 200e9))


def test_rule_of_six() -> None:
    assert training.model_flops_6nd(8e9) == pytest.approx(48e9)


def test_causal_and_full_utilization_differ_by_attention() -> None:
    causal = training.model_flops(1e9, 10, 1000, 4096)
    full = training.model_flops(1e9, 10, 1000, 8192)
    assert full - causal == pytest.approx(3 * 4 * 10 * 1000 * 4096)


def test_recomputation_counts_in_hardware_flops_only() -> None:
    plain = training.hardware_flops(1e9, 10, 1000, 4096, 0, 1)
    again = training.hardware_flops(1e9, 10, 1000, 4096, 1, 1)
    assert plain == pytest.approx(training.model_flops(1e9, 10, 1000, 4096))
    assert again == pytest.approx(plain * 4 / 3)


def test_zero_stages_shard_one_thing_more_each() -> None:
    def held(stage: float) -> tuple[float, ...]:
        common = {"params_rank": 8e9, "experts_rank": 0, "zero": stage}
        group = {"group": 8, "expert_group": 1}
        return (
            training_memory.weights_memory(element_bytes=2, **common, **group),
            training_memory.gradients_memory(
                weight_gradient=1, gradient_bytes=4, **common, **group
            ),
            training_memory.state_memory(
                weight_gradient=1, state_bytes=12, **common, **group
            ),
        )

    assert held(0) == pytest.approx((16e9, 32e9, 96e9))
    assert held(1) == pytest.approx((16e9, 32e9, 12e9))
    assert held(2) == pytest.approx((16e9, 4e9, 12e9))
    assert held(3) == pytest.approx((2e9, 4e9, 12e9))


def test_what_does_not_fit_says_by_how_much() -> None:
    assert training_memory.training_shortfall(80e9, 100e9) == pytest.approx(20e9)
    assert training_memory.training_shortfall(80e9, 60e9) == 0
    assert training_memory.training_fits(80e9, 100e9) == 0


def test_recomputation_is_only_what_memory_asks_for() -> None:
    assert training_memory.recompute_needed(10.0, 20.0, 0.4) == 0
    assert training_memory.recompute_needed(10.0, 5.0, 0.4) == pytest.approx(0.2)
    assert training_memory.recompute_needed(10.0, -5.0, 0.4) == pytest.approx(0.4)


def test_the_longer_of_host_and_chip_decides() -> None:
    assert training_overheads.stage_time(1.0, 0.0, 4.0) == pytest.approx(1)
    assert training_overheads.stage_time(1.0, 10.0, 4.0) == pytest.approx(10, rel=1e-4)


@pytest.mark.parametrize(
    "more",
    [
        {"batch": 3072.0},
        {"sequence": 16384.0},
        {"layers": 160.0, "dense_layers": 160.0},
        {"vocabulary": 512e3},
        {"recompute_known": 1.0, "recompute_stated": 1.0},
    ],
)
def test_time_rises_with_work(megatron: Run, more: Mapping[str, float]) -> None:
    assert step(megatron, **more) > step(megatron)


@pytest.mark.parametrize(
    "better",
    [{"peak": 4e15, "peak_plain": 2e15}, {"memory_bandwidth": 8e12}, {"link": 9e11}],
)
def test_time_falls_with_a_better_chip(
    megatron: Run, better: Mapping[str, float]
) -> None:
    assert step(megatron, **better) < step(megatron)


def test_no_run_beats_its_peak(runs: list[Run]) -> None:
    batch = batch_of(runs)
    values = walk(batch, shipped().values)
    x = batch.inputs
    passes = 2 + values["recompute"] + x["weight_gradient"]
    work = 2 * (values["params_rank"] + values["active_rank"]) * values["tokens"]
    least = passes * work * values["micro_batches"] / (x["peak"] * x["rank_chips"])
    assert np.all(values["step"] > least)


def test_interleaving_shrinks_the_bubble(megatron: Run) -> None:
    assert step(megatron, chunks=1, batch=64) > step(megatron, chunks=8, batch=64)


def test_adapters_cost_less_than_all_weights(megatron: Run) -> None:
    assert step(megatron, weight_gradient=0) < 0.8 * step(megatron)


def test_degrees_may_be_arrays(megatron: Run) -> None:
    plans = [{"tp": t, "dp": 1024 / (t * 16)} for t in (1.0, 2.0, 4.0, 8.0)]
    batch = batch_of([changed(megatron, **plan) for plan in plans])
    times = predict(batch, shipped().values)
    alone = [step(megatron, **plan) for plan in plans]
    assert times == pytest.approx(alone)
    assert np.all(np.isfinite(times))


def test_cost_does_not_grow_with_micro_batches(megatron: Run) -> None:
    many = step(megatron, batch=1536e6)
    assert many == pytest.approx(1e6 * step(megatron), rel=0.1)


def test_parts_add_up_to_the_step(runs: list[Run]) -> None:
    batch = batch_of(runs)
    values = walk(batch, shipped().values)
    for node in training_plan.PARTS:
        named = {parameter: values[str(source)] for parameter, source in node.inputs()}
        values[node.name] = apply(node.formula, named)
    parts = sum(values[node.name] for node in training_plan.PARTS)
    assert parts == pytest.approx(values["step"])
    assert np.all(values["step_waiting"] > -1e-9 * values["step"])


def test_selective_recomputation_repeats_attention_alone(runs: list[Run]) -> None:
    run = next(run for run in runs if run.source == "vtrain_single")
    none = step(run, recompute_stated=0)
    selective = step(run, recompute_stated=0, selective=1)
    assert none < selective < step(run)


def test_a_data_sheet_is_never_taken_at_its_word(megatron: Run) -> None:
    """Memory and links sustain a share, launches take time, and a band is left.

    A roofline at peak bandwidth, with the rest called irreducible, is what another
    tool's users complain of.
    """
    made = shipped()
    for stack in ("eager", "fsdp", "core", "xla"):
        figures = stack_figures(stack, "unseen", 2026.0)
        assert 0 < figures["matrix_base"][0] < 1
        assert figures["layer_host"][0] > 0
        assert figures["latency"][0] > 0
        assert 0 < figures["nic_share"][0] < 1
    assert 0 < FIXED["memory_share"] < 1
    assert LINK_SHARE < 1
    assert made.widths.foreign >= 0.4 > made.widths.new
    stranger = attrs.evolve(megatron, chip="unseen")
    band = predict_runs([stranger], made)[0]
    assert band.high / band.low > 2


def test_tensor_parallelism_beyond_a_node_takes_the_nic(megatron: Run) -> None:
    """The topology decides the tier of each group, never a count of eight."""
    inside = step(megatron, tp=8, dp=8, domain=8, link_share=0.75)
    across = step(megatron, tp=8, dp=8, domain=4, node_ranks=4, link_share=0.75)
    assert across > 1.2 * inside


@pytest.mark.parametrize("ep", [8.0, 16.0, 64.0])
def test_a_token_crosses_to_each_domain_once(ep: float) -> None:
    """Whatever of its experts are there; inside one domain nothing takes the NIC."""

    def time(top_k: float, nic: float) -> float:
        return float(
            parallelism.expert_parallel_time(
                moe_layers=1,
                pp=1,
                ep=ep,
                domain=8,
                tokens=4096,
                top_k=top_k,
                hidden=4096,
                element_bytes=2,
                link=1e15,
                nic=nic,
                link_share=0.75,
                nic_share=0.5,
                exposed=1,
            )
        )

    one, many = time(1.0, 5e10), time(64.0, 5e10)
    domains = ep / 8
    if domains == 1:
        assert one == time(1.0, 1e9)
    else:
        assert many / one == pytest.approx(
            domains * (1 - (1 - 1 / domains) ** 64), rel=1e-6
        )


def test_a_clock_rises_no_further_than_its_ceiling(runs: list[Run]) -> None:
    run = next(run for run in runs if run.chip == "H100-SXM-80GB")
    usual, more = step(run, power=700.0), step(run, power=7000.0)
    less = step(run, power=350.0)
    assert usual / 1.15 / 1.5 < more < usual < less
