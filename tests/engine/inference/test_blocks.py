"""Fitted stacks as `software` blocks."""

import re

import pytest

from isocost.dsl.units import unit
from isocost.engine.calibration.inference import shipped
from isocost.engine.calibration.inference_blocks import (
    PLACES,
    shipped_stack,
    software_block,
)

LINE = re.compile(r"  (\S+) = (\S+)(?: (\S+))? to (\S+)(?: (\S+))? @fit \"(.+)\"")
STACKS = {
    "trtllm_2023": ("TensorRT-LLM 0.6", "H100"),
    "trtllm": ("TensorRT-LLM v1.0", "H100"),
    "vllm_nvidia": ("vLLM", "H100"),
    "vllm_amd": ("vLLM", "MI300X"),
    "jetstream_tpu": ("JetStream", "TPU-v5e"),
    "neuron_trn1": ("Transformers NeuronX, SDK 2.18.1", "Trainium1"),
    "neuron_trn2": ("NxD Inference", "Trainium2"),
}


def block(name: str, *, experts_seen: bool = True) -> str:
    stack, chip = shipped_stack(*STACKS[name])
    return software_block(
        name, stack, chip, shipped(), "fit", experts_seen=experts_seen
    )


@pytest.mark.parametrize("name", STACKS)
def test_every_coefficient_is_an_interval_with_its_unit_and_source(name: str) -> None:
    first, *lines, last = block(name).splitlines()
    assert first == f"software {name} {{"
    assert last == "}"
    found = {m[1]: m for line in lines if (m := LINE.fullmatch(line))}
    assert {place.path for place in PLACES.values()} <= set(found)
    for match in found.values():
        assert float(match[2]) < float(match[4])
        assert match[3] == match[5]
        if match[3]:
            unit(match[3])


def test_unmeasured_stacks_are_the_wider() -> None:
    known, unseen = block("trtllm"), block("vllm_nvidia")
    assert residual(unseen) > 1.2 * residual(known)
    assert "layer_overhead@gpu_other" in unseen


def residual(text: str, path: str = "residual") -> float:
    (line,) = (x for x in text.splitlines() if x.startswith(f"  {path} ="))
    return float(line.split()[4])


def test_experts_that_no_row_had_are_in_wider_doubt() -> None:
    known, blind = (block("neuron_trn2", experts_seen=seen) for seen in (True, False))
    assert residual(blind, "residual.experts") > 1.3 * residual(
        known, "residual.experts"
    )
    assert residual(blind) == residual(known)


def test_what_a_stack_does_by_design_is_stated() -> None:
    assert "cache.buckets = true" in block("neuron_trn1")
    assert "cache.reread = 1 @fit" in block("neuron_trn1")
    assert "cache.reread = uniform(0, 1) @assumed" in block("neuron_trn2")
    assert re.search(r"cache.reread = [\d.]+ to [\d.]+ @fit", block("trtllm_2023"))
    assert "cache.reread" not in block("trtllm")
