"""From a block and a table of measurements to a calibrated stack: the whole way."""

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from isocost.dsl.document import Block
from isocost.engine.calibration import stack_block, stack_fit
from isocost.engine.calibration.stack_block import Report, Stated
from isocost.engine.calibration.stack_fit import Figure, Rows
from isocost.engine.scope import Scope

Row = Mapping[str, str]


@attrs.frozen
class Fault:
    """Why nothing can be calibrated, in words."""

    message: str


@attrs.frozen
class Read:
    """Rows that count, the figures that are free, and what was refused and why."""

    rows: Rows
    used: tuple[Row, ...]
    refused: Mapping[str, str]
    ranges: Mapping[str, str] = attrs.field(factory=dict)


def of_block(block: Block, rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Rows on chips that the block lists, and the others; all if it lists none."""
    from isocost.engine.calibration.inference_chips import find_chip
    from isocost.engine.calibration.training_blocks import FAMILIES
    from isocost.engine.calibration.training_coefficients import generation

    fact = block.facts.get("chips")
    if fact is None:
        return list(rows), []
    known = {str(arg.value) for arg in fact.expr.args}
    inside: list[Row] = []
    outside: list[Row] = []
    for row in rows:
        chip = find_chip(row["chip"])
        families = FAMILIES[generation(chip.name if chip else row["chip"])]
        (inside if known & {*families, row["chip"]} else outside).append(row)
    return inside, outside


def _free(
    stated: Mapping[str, Stated], paths: Sequence[str], widen: float
) -> list[Figure]:
    """The figures stated as intervals, their doubt widened."""
    found = [stack_block.figure(stated[path]) for path in paths if path in stated]
    return [
        attrs.evolve(one, spread=one.spread * widen) for one in found if one is not None
    ]


def read_rows(
    family: str,
    rows: Sequence[Row],
    models: Mapping[str, Row],
    scope: Scope,
    block: Block,
    widen: float = 1.0,
) -> Read | Fault:
    """Measurements under a block's stack.

    Args:
        family: `training` or `inference`.
        rows: Rows of the measurements.
        models: Architectures by model.
        scope: The bare document's scope.
        block: The block.
        widen: A factor on the doubt that the block states.
    """
    if family == "training":
        found = _training(rows, models, scope, block, widen)
    elif family == "inference":
        found = _inference(rows, models, scope, block, widen)
    else:
        return Fault(f"measurements of {family} calibrate no block of software yet")
    if not isinstance(found, Fault) and not found.rows.figures:
        return Fault(
            f"{block.name} states no figure as an interval: an interval is what is "
            "fitted, a point is held"
        )
    return found


def _training(
    rows: Sequence[Row],
    models: Mapping[str, Row],
    scope: Scope,
    block: Block,
    widen: float,
) -> Read | Fault:
    from isocost.engine.calibration.stack_training import PATHS, TrainingRows
    from isocost.engine.calibration.training import load
    from isocost.engine.calibration.training_blocks import ranges
    from isocost.engine.calibration.training_scenario import STACK_LINES

    runs, refusals = load(rows, models.values())
    if not runs:
        return Fault("no row can be read as a training run")
    stated = stack_block.read(scope, block, PATHS)
    fitted = [path for path, _, _ in STACK_LINES.values()]
    made = TrainingRows(runs, stated, _free(stated, fitted, widen))
    by_id = {row["row_id"]: row for row in rows}
    used = tuple(by_id[run.row_id] for run in runs)
    refused = {one.row_id: one.reason for one in refusals}
    return Read(made, used, refused, ranges(runs))


def _inference(
    rows: Sequence[Row],
    models: Mapping[str, Row],
    scope: Scope,
    block: Block,
    widen: float,
) -> Read | Fault:
    from isocost.engine.calibration.inference_fit import measurements
    from isocost.engine.calibration.stack_inference import PATHS, InferenceRows

    data = measurements(rows, models)
    if not data.rows:
        return Fault("no row can be read as a measurement of inference")
    stated = stack_block.read(scope, block, PATHS)
    made = InferenceRows(data, stated, _free(stated, PATHS, widen))
    refused = {one.row_id: one.reason for one in data.refused}
    return Read(made, data.rows, refused)


def calibrated(found: Read) -> Report:
    """The fit of a block's figures, tested on rows left out.

    Args:
        found: Rows and figures.
    """
    rows = found.rows
    fold, names = stack_fit.folds(found.used)
    fitted = stack_fit.fit(rows)
    counts = rows.weights > 0
    errors, kinds = stack_fit.held_out(rows, names)
    if len(kinds) < 2:  # noqa: PLR2004 (one group cannot be left out)
        errors = rows.errors(fitted.values)[0]
    kept = [name for name, use in zip(names, counts, strict=True) if use]
    half = stack_fit.half_width(errors[counts], kept)
    still, together = stack_fit.untold(rows, fitted)
    sources = sorted({row.get("source_id", "") or "no source" for row in found.used})
    return Report(
        figures=tuple(rows.figures),
        fitted=fitted,
        rows=int(np.sum(counts)),
        sources=tuple(sources),
        fold=fold,
        errors=stack_block.mean_sizes(errors[counts], kept),
        half=half,
        residual=stack_fit.residual(rows, fitted, half),
        still=tuple(still),
        together=tuple(together),
        ranges=found.ranges,
    )
