"""A fit of one stack's figures: exact slopes, known answers, what cannot be told."""

from collections.abc import Sequence

import attrs
import numpy as np
import pytest

from isocost.dsl.check import check_file
from isocost.dsl.document import Block, Fact
from isocost.engine.calibration import stack_block, stack_fit
from isocost.engine.calibration.stack_fit import Array, Figure
from isocost.engine.calibration.stack_training import PATHS, TrainingRows
from isocost.engine.calibration.training_rows import Run
from isocost.engine.calibration.training_scenario import STACK_LINES
from isocost.engine.graph import GraphBuilder, Spread
from isocost.engine.quantities import table
from isocost.engine.scope import Scope


def opened(name: str) -> tuple[Scope, Block]:
    text = 'edition 2026\nimport "isocost:software/training"\n'
    checked = check_file("made.scn", table(), text)
    return Scope(checked.lookup, GraphBuilder()), checked.document.blocks[name]


def rows_of(runs: Sequence[Run], name: str, widen: float = 1.0) -> TrainingRows:
    stated = stack_block.read(*opened(name), PATHS)
    fitted = {path for path, _, _ in STACK_LINES.values()}
    figures = [stack_block.figure(s) for p, s in stated.items() if p in fitted]
    free = [attrs.evolve(f, spread=f.spread * widen) for f in figures if f is not None]
    return TrainingRows(runs, stated, free)


def of_stack(runs: list[Run], stack: str) -> list[Run]:
    return [run for run in runs if run.stack.name == stack and run.trusted]


@pytest.mark.parametrize(
    ("stack", "name"),
    [
        ("core", "megatron_blackwell"),
        ("fsdp", "fsdp_hopper"),
        ("eager", "megatron_2021_ampere"),
        ("xla", "maxtext_tpu"),
    ],
)
def test_slopes_are_exact(runs: list[Run], stack: str, name: str) -> None:
    rows = rows_of(of_stack(runs, stack)[::5], name)
    values = [figure.median * 1.01 for figure in rows.figures]
    _, slopes = rows.errors(values)
    for index, value in enumerate(values):
        step = 1e-6 * value
        ends = [
            rows.errors([v + s * step * (i == index) for i, v in enumerate(values)])[0]
            for s in (1, -1)
        ]
        difference = (ends[0] - ends[1]) / (2 * step)
        scale = np.abs(slopes[:, index]).max()
        assert np.abs(difference - slopes[:, index]).max() <= 1e-5 * scale + 1e-9


def test_what_was_put_in_comes_out(runs: list[Run]) -> None:
    chosen = of_stack(runs, "eager")
    rows = rows_of(chosen, "megatron_2021_ampere", widen=10.0)
    truth = [f.median for f in rows.figures]
    names = [f.path for f in rows.figures]
    truth[names.index("matrix.base")] *= 0.8
    truth[names.index("layer_overhead")] *= 1.5
    errors, _ = rows.errors(truth)
    made = [
        attrs.evolve(run, measured=run.measured * float(np.exp(e)))
        for run, e in zip(chosen, errors, strict=True)
    ]
    again = rows_of(made, "megatron_2021_ampere", widen=10.0)
    found = stack_fit.fit(again)
    host = names.index("layer_overhead")
    assert found.values[host] == pytest.approx(truth[host], rel=0.03)
    assert np.abs(again.errors(found.values)[0]).mean() < 0.01


def test_an_outlier_pulls_little(runs: list[Run]) -> None:
    chosen = of_stack(runs, "eager")[:120]
    plain = stack_fit.fit(rows_of(chosen, "megatron_2021_ampere"))
    wild = [attrs.evolve(chosen[0], measured=chosen[0].measured * 50), *chosen[1:]]
    robust = stack_fit.fit(rows_of(wild, "megatron_2021_ampere"))
    assert np.allclose(plain.values, robust.values, rtol=0.05)


@attrs.frozen(eq=False)
class Line:
    """Two figures of which the rows see the product alone."""

    figures: Sequence[Figure]
    weights: Array
    target: float

    def errors(self, values: Sequence[float]) -> tuple[Array, Array]:
        a, b = values[0], values[1]
        size = len(self.weights)
        error = np.full(size, np.log(a * b / self.target))
        slope = np.tile([1 / a, 1 / b, *[0.0] * (len(values) - 2)], (size, 1))
        return error, slope


def test_what_moves_as_one_is_named() -> None:
    figures = [Figure("a", 1.0, 1.0), Figure("b", 1.0, 1.0), Figure("c", 1.0, 0.3)]
    rows = Line(figures, np.ones(200), 4.0)
    found = stack_fit.fit(rows)
    assert found.values[0] * found.values[1] == pytest.approx(4.0, rel=1e-2)
    assert found.values[0] == pytest.approx(2.0, rel=1e-2)
    still, together = stack_fit.untold(rows, found)
    assert still == ["c"]
    assert [(a, b) for a, b, _ in together] == [("b", "a")]


def test_bounds_hold() -> None:
    figures = [
        Figure("a", 0.5, 1.0, share=True, high=1.0),
        Figure("b", 1.0, 0.1, low=0.9, high=1.1),
    ]
    found = stack_fit.fit(Line(figures, np.ones(50), 100.0))
    assert 0.5 < found.values[0] < 1
    assert found.values[1] <= 1.1


def test_groups_are_left_out_by_the_first_column_that_parts_them() -> None:
    rows = [{"source_id": "a", "series": s, "model": "m"} for s in "xxy"]
    assert stack_fit.folds(rows) == ("series", ["x", "x", "y"])
    assert stack_fit.folds([{"model": "m"}, {"model": "n"}])[0] == "model"
    assert stack_fit.folds([{}, {}]) == ("row", ["0", "1"])


def test_a_group_is_not_seen_by_its_own_fit(runs: list[Run]) -> None:
    chosen = of_stack(runs, "fsdp")[::4]
    rows = rows_of(chosen, "fsdp_ampere", widen=5.0)
    names = [run.series for run in chosen]
    errors, kinds = stack_fit.held_out(rows, names)
    assert len(kinds) > 2
    inside = np.array(names) == kinds[0]
    alone = stack_fit.fit(rows, ~inside, 12)
    assert np.allclose(errors[inside], rows.errors(alone.values)[0][inside])


@pytest.mark.parametrize(
    ("spread", "sigma"),
    [
        (Spread("lognormal", (0.5, 2.0), 0.0, None), 0.4214),
        (Spread("logitnormal", (0.2, 0.8), 0.0, 1.0), 0.8428),
        (Spread("normal", (1.0, 0.1), 0.0, None), 0.1),
        (Spread("uniform", (0.8, 1.2), 0.0, None), 0.1216),
    ],
)
def test_an_interval_is_a_prior(spread: Spread, sigma: float) -> None:
    value = 0.5 if spread.shape == "logitnormal" else 1.0
    stated = stack_block.Stated("residual", value, spread, _fact())
    made = stack_block.figure(stated)
    assert made is not None
    assert made.spread == pytest.approx(sigma, rel=1e-3)


def _fact() -> Fact:
    _, block = opened("fsdp_hopper")
    return block.facts["residual"]
