"""Fitted stacks as `software` blocks."""

import re

import pytest

from isocost.dsl.units import unit
from isocost.engine.calibration.inference import shipped
from isocost.engine.calibration.inference_blocks import (
    PLACES,
    SHIPPED,
    shipped_stack,
    software_block,
    unplaced,
)

LINE = re.compile(r"  (\S+) = (\S+)(?: (\S+))? to (\S+)(?: (\S+))? @fit \"(.+)\"")


@pytest.mark.parametrize("name", SHIPPED)
def test_every_line_is_an_interval_with_its_unit_and_source(name: str) -> None:
    text = software_block(name, *shipped_stack(name), shipped(), "fit")
    first, *lines, last = text.splitlines()
    assert first == f"software {name} {{"
    assert last == "}"
    assert len(lines) == len(PLACES) + 1
    for line in lines:
        found = LINE.fullmatch(line)
        assert found, line
        assert float(found[2]) < float(found[4])
        assert found[3] == found[5]
        if found[3]:
            unit(found[3])


def test_unmeasured_stacks_are_the_wider() -> None:
    known, unseen = (
        software_block("x", *shipped_stack(name), shipped(), "fit")
        for name in ("trtllm_2025", "gpu_unmeasured")
    )
    assert residual(unseen) > 1.2 * residual(known)
    assert "layer_overhead@gpu_other" in unseen


def residual(text: str) -> float:
    (line,) = (line for line in text.splitlines() if "residual" in line)
    return float(line.split()[4])


def test_what_has_no_attribute_is_named() -> None:
    left = unplaced(shipped_stack("trtllm_2023")[0], shipped())
    assert {"tile", "half_width", "imbalance", "acceptance", "reread"} <= set(left)
    assert "reread" not in unplaced(shipped_stack("trtllm_2025")[0], shipped())
