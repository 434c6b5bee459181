"""The catalogue's training stacks are what the calibration says, to the last line."""

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import attrs
import pytest

from isocost.dsl.check import check_file
from isocost.engine.calibration.training import shipped
from isocost.engine.calibration.training_blocks import (
    Shipped,
    behind,
    coefficient_width,
    digits,
    figures,
    interval,
    runs_of,
)
from isocost.engine.calibration.training_rows import Run
from isocost.engine.calibration.training_scenario import STACK_LINES
from isocost.engine.evaluate import Evaluation
from isocost.engine.formulas.training_plan import STEP, inputs_of
from isocost.engine.quantities import table

ROOT = Path(__file__).parents[3]
CATALOGUE = ROOT / "scenarios" / "catalog"
FILE = CATALOGUE / "software" / "training.scn"


def tool() -> ModuleType:
    path = ROOT / "tools" / "stacks.py"
    spec = importlib.util.spec_from_file_location("stacks_tool", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STACKS: tuple[Shipped, ...] = tool().STACKS


def test_the_shipped_files_are_what_the_tool_writes(runs: list[Run]) -> None:
    for place, text in tool().catalogue(runs).items():
        assert (CATALOGUE / place).read_text(encoding="utf-8") == text, place


@pytest.mark.parametrize("block", STACKS, ids=lambda block: block.name)
def test_a_block_s_medians_are_the_calibration_s(block: Shipped) -> None:
    checked = check_file("catalog.scn", table(), FILE.read_text(encoding="utf-8"))
    evaluation = Evaluation(checked, 16)
    wanted = figures(block, shipped())
    for name, (path, _, _) in STACK_LINES.items():
        node = evaluation.bare.of_block(checked.document.blocks[block.name], path)
        found = evaluation.point([node])[node]
        assert found == pytest.approx(wanted[name], rel=2e-3), name


@pytest.mark.parametrize("block", STACKS, ids=lambda block: block.name)
def test_what_a_figure_is_made_of_moves_it(block: Shipped) -> None:
    made = shipped()
    for name in STACK_LINES:
        for coefficient in behind(name, block.stack, block.generation):
            moved = {**made.values, coefficient: made.values[coefficient] * 1.5}
            other = figures(block, attrs.evolve(made, values=moved))
            same = other[name] == figures(block, made)[name]
            fixed = figures(block, made)[name] == 0 or coefficient == "moe_decay"
            assert fixed or not same, (name, coefficient)


def test_every_input_of_a_stack_has_a_line() -> None:
    found = set(figures(STACKS[0], shipped())) & set(inputs_of(STEP))
    elsewhere = {"element_bytes", "flash", "causal", "balanced", "sequence_parallel"}
    assert found - elsewhere == set(STACK_LINES)


def test_a_nobody_s_chip_has_no_runs(runs: list[Run]) -> None:
    sizes = {block.name: len(runs_of(block, runs)) for block in STACKS}
    assert sizes["datasheet_training"] == 0
    assert sizes["neuron_training_trn2"] == 0
    assert sizes["megatron_blackwell"] > 90


def test_coefficients_doubt_is_a_part_of_the_whole(runs: list[Run]) -> None:
    made = shipped()
    for block in STACKS:
        own = runs_of(block, runs)
        if own:
            assert 0.01 < coefficient_width(own, made) < made.widths.new


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.123456, "0.1235"), (1234567.0, "1235000"), (2e-5, "0.00002"), (8.0, "8")],
)
def test_digits_have_no_exponent(value: float, text: str) -> None:
    assert digits(value) == text


def test_an_interval_has_the_value_in_the_middle() -> None:
    low, high = map(float, interval("residual", 2.0, 0.1).split(" to "))
    assert math.sqrt(low * high) == pytest.approx(2.0, rel=1e-3)
    low, high = map(float, interval("overlap", 0.8, 0.1).split(" to "))
    odds = low / (1 - low) * high / (1 - high)
    assert math.sqrt(odds) == pytest.approx(4.0, rel=5e-3)
    assert interval("overlap", 0.8, 0.0) == "0.8"
