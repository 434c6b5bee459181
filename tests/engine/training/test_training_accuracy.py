"""Errors on the open measurements must not get worse, seen or left out."""

import numpy as np
import pytest

from isocost.engine.calibration.training import (
    calibrate,
    predict_runs,
    shipped,
    stack_figures,
)
from isocost.engine.calibration.training_accuracy import line, nested, table_text
from isocost.engine.calibration.training_coefficients import COEFFICIENTS, FREE
from isocost.engine.calibration.training_fit import fit, left_out, logs_of
from isocost.engine.calibration.training_model import batch_of
from isocost.engine.calibration.training_rows import Run
from isocost.engine.calibration.training_spread import unseen_cases


def trusted(runs: list[Run], *sources: str) -> list[Run]:
    return [r for r in runs if r.trusted and (not sources or r.source in sources)]


@pytest.mark.parametrize(
    ("source", "most"),
    [
        ("vtrain_single", 0.055),
        ("mosaic_llmfoundry", 0.036),
        ("mlperf_training", 0.080),
        ("nemo_megatron_bridge", 0.112),
        ("tpu_recipes_v5p_v6e", 0.055),
    ],
)
def test_shipped_errors_by_source(runs: list[Run], source: str, most: float) -> None:
    found = predict_runs(trusted(runs, source), shipped())
    assert np.mean([abs(one.error) for one in found]) < most


def test_intervals_hold_on_nine_of_ten(runs: list[Run]) -> None:
    found = predict_runs(trusted(runs), shipped())
    inside = np.mean([one.low <= one.measured <= one.high for one in found])
    assert 0.88 < inside < 0.96


def test_shipped_values_are_those_of_a_fit(runs: list[Run]) -> None:
    made = fit(batch_of(trusted(runs)))
    kept = shipped().values
    for name in FREE:
        assert made.values[name] == pytest.approx(kept[name], rel=0.02), name


def test_fitted_values_stay_near_their_priors() -> None:
    for name in FREE:
        prior = COEFFICIENTS[name]
        moved = abs(np.log(shipped().values[name] / prior.prior)) / prior.spread
        assert moved < 2.5, name


def test_small_runs_left_out_by_shape(runs: list[Run]) -> None:
    """Every shape of the small models predicted from the others: at most 6%."""
    small = batch_of(trusted(runs))
    shape = [
        run.series if run.source != "vtrain_single" else f"{x['hidden']}-{x['layers']}"
        for run in small.runs
        if (x := run.inputs)
    ]
    names = sorted({s for s in shape if s[0].isdigit()})
    groups = [(name, np.array([s == name for s in shape])) for name in names]
    errors = left_out(small, groups, shipped().values)
    assert np.nanmean(np.abs(errors)) < 0.06


def test_a_source_left_out(runs: list[Run]) -> None:
    batch = batch_of(trusted(runs))
    cases = unseen_cases(batch, shipped().values, "source")
    found = line("all", nested(cases))
    assert found.mean < 0.103
    assert found.median < 0.074
    assert found.covered > 0.85


def test_the_fit_forgets_where_it_started(runs: list[Run]) -> None:
    batch = batch_of(trusted(runs, "tpu_recipes_v5p_v6e", "mlperf_training"))
    cold, warm = fit(batch), fit(batch, logs_of(shipped().values))
    for name in FREE:
        assert cold.values[name] == pytest.approx(warm.values[name], rel=0.05), name


def test_rows_of_low_quality_or_from_memory_tune_nothing(runs: list[Run]) -> None:
    some = [run for run in runs if run.source != "vtrain_single"]
    assert sum(not run.trusted for run in some) == 23
    with_them, without = fit(batch_of(some)), fit(batch_of(trusted(some)))
    for name in FREE:
        assert with_them.values[name] == pytest.approx(without.values[name], rel=1e-3)


def test_new_and_foreign_runs_get_wider_intervals(runs: list[Run]) -> None:
    import attrs

    run = next(r for r in runs if r.row_id == "T0001")
    made = shipped()
    new = attrs.evolve(run, source="elsewhere")
    foreign = attrs.evolve(run, chip="unseen")
    halves = [
        np.log(one.high / one.predicted)
        for one in predict_runs([run, new, foreign], made)
    ]
    assert halves == sorted(halves)
    assert halves[0] < halves[1] < halves[2]


def test_figures_of_a_stack_name_every_input() -> None:
    eager = stack_figures("eager", "A100-SXM-80GB", 2022)
    core = stack_figures("core", "GB300", 2026)
    assert eager.keys() == core.keys()
    assert eager["layer_host"][0] > 2 * core["layer_host"][0]
    assert all(value >= 0 for value, _ in core.values())


@pytest.mark.slow
def test_calibration_with_all_its_folds(runs: list[Run]) -> None:
    made, tested = calibrate(runs)
    series = line("series", tested["series"])
    assert series.mean < 0.065
    assert 0.85 < series.covered < 0.95
    assert made.widths.new < made.widths.foreign
    assert "rows" in table_text([series])
