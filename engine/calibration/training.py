"""Training measurements in, fitted stacks and judged predictions out.

`load` reads rows, `calibrate` fits and tests, `predict_rows` uses the shipped fit. The
formulas are those of `engine.formulas.training_plan`; the coefficients shipped are in
`training_fitted`, which `training_table` writes.
"""

from collections.abc import Iterable, Mapping, Sequence

import attrs
import numpy as np

from isocost.engine.calibration import training_coefficients as table
from isocost.engine.calibration.training_accuracy import Judged, nested
from isocost.engine.calibration.training_fit import Coefficients, Fit, fit
from isocost.engine.calibration.training_model import batch_of, predict
from isocost.engine.calibration.training_rows import Refusal, Run, read_run
from isocost.engine.calibration.training_spread import (
    Case,
    Pair,
    Widths,
    novelty_of,
    pairs_of,
    unseen_cases,
    widths_of,
)

Row = Mapping[str, str]
#: Ways to leave runs out from which the widths of intervals are learned.
_LEARN = ("series", "source", "vendor")
#: Further ways to leave runs out that only test.
_TEST = ("official", "model", "chip")


@attrs.frozen(eq=False)
class Calibration:
    """A fit with what it was made on and how far it may be off."""

    values: Coefficients
    errors: Coefficients
    widths: Widths
    pairs: frozenset[Pair]
    sources: frozenset[str]


@attrs.frozen
class Prediction:
    """A step's time in seconds with its 90% interval, and how new the run is.

    `novelty` is `known`, `new` or `foreign`; `assumed` names what the row left open.
    """

    row_id: str
    measured: float
    predicted: float
    low: float
    high: float
    novelty: str
    assumed: tuple[str, ...]

    @property
    def error(self) -> float:
        """ln(predicted / measured)."""
        return float(np.log(self.predicted / self.measured))


def load(rows: Iterable[Row], models: Iterable[Row]) -> tuple[list[Run], list[Refusal]]:
    """Runs that can be predicted, and rows that cannot, with the reason.

    Args:
        rows: Rows with the columns of the training measurements.
        models: Rows of the table of architectures.
    """
    known = {row["model"]: row for row in models}
    found = [read_run(row, known) for row in rows]
    runs = [one for one in found if isinstance(one, Run)]
    return runs, [one for one in found if isinstance(one, Refusal)]


def calibrate(runs: Sequence[Run]) -> tuple[Calibration, dict[str, list[Judged]]]:
    """Fit the coefficients and test them on runs left out.

    Args:
        runs: Runs; those that nobody measured for certain tune nothing.

    Returns:
        The calibration, and errors on unseen runs by the kind of fold (`series`,
        `source`, `vendor`, `official`, `model`, `chip`), each beside an interval
        from other folds.
    """
    batch = batch_of([run for run in runs if run.trusted])
    found: Fit = fit(batch)
    kinds = (*_LEARN, *_TEST)
    cases = {kind: unseen_cases(batch, found.values, kind) for kind in kinds}
    learned = [case for kind in _LEARN for case in cases[kind]]
    tested = {kind: nested(cases[kind], others=_others(cases, kind)) for kind in kinds}
    made = Calibration(
        found.values,
        found.errors,
        widths_of(learned),
        frozenset(pairs_of(batch.runs)),
        frozenset(run.source for run in batch.runs),
    )
    return made, tested


def _others(cases: Mapping[str, list[Case]], kind: str) -> list[Case]:
    return [case for name in _LEARN if name != kind for case in cases[name]]


def predict_runs(runs: Sequence[Run], made: Calibration) -> list[Prediction]:
    """Each run's step time with its interval.

    Args:
        runs: Runs, at least one.
        made: A calibration.
    """
    times = predict(batch_of(runs), made.values)
    out = []
    for run, time in zip(runs, times.tolist(), strict=True):
        novelty = novelty_of(run, made.pairs, made.sources)
        half = made.widths.half(novelty, run)
        low, high = time * np.exp(-half), time * np.exp(half)
        bounds = float(low), float(high)
        out.append(
            Prediction(
                run.row_id, run.measured, time, *bounds, novelty, tuple(run.assumed)
            )
        )
    return out


def shipped() -> Calibration:
    """The calibration that is shipped."""
    from isocost.engine.calibration import training_fitted as kept

    return Calibration(
        kept.VALUES,
        kept.ERRORS,
        Widths(**kept.WIDTHS),
        frozenset(kept.PAIRS),
        frozenset(kept.SOURCES),
    )


def stack_figures(
    stack: str, chip: str, year: float, made: Calibration | None = None
) -> dict[str, tuple[float, str]]:
    """What a family of stacks reaches on a chip: inputs of the plan, with units.

    These make a `software` block: values by the plan's input names.

    Args:
        stack: `eager`, `fsdp`, `core` or `xla`.
        chip: A chip's name.
        year: Date of the stack, for the experts' overheads.
        made: A calibration; the shipped one if left out.
    """
    c = (made or shipped()).values
    law, attention = table.shares(chip)
    reference = table.REFERENCES.get(table.generation(chip))
    eager = stack == "eager"
    unfused = stack in table.UNFUSED_LOSS
    low, high = table.MOE_SPAN
    age = min(max(year - table.MOE_DATE, low), high)
    aging = float(np.exp(-c["moe_decay"] * age))
    traffic = c["traffic"] * (c["traffic_fsdp"] if stack == "fsdp" else 1.0)
    return {
        "matrix_base": (c["matrix_base"], "1"),
        "power_slope": (c["power_slope"], "1"),
        "generation_share": (c[law] if law else 1.0, "1"),
        "reference": ((reference or 1.0) * 1e12, "FLOP/J"),
        "variant": (c["variant"] if reference else 0.0, "1"),
        "attention_share": (
            c["attention"] * (c[attention] if attention else 1.0),
            "1",
        ),
        "traffic": (traffic, "1"),
        "matrix_traffic": (c["matrix_traffic"], "1"),
        "nic_share": (c["nic_share"], "1"),
        "layer_host": (c[f"layer_host_{stack}"], "s"),
        "step_host": (c.get(f"step_host_{stack}", 0.0), "s"),
        "tp_exposed": (c["tp_exposed_eager" if eager else "tp_exposed"], "1"),
        "ep_exposed": (c["ep_exposed"], "1"),
        "latency": (c["latency_eager" if eager else "latency"], "s"),
        "loss_bytes": (c["loss_bytes_torch"] if unfused else table.LOSS_BYTES, "B"),
        "unfused_host": (c["unfused_host"] if eager else 0.0, "1"),
        "gather_overlap": (c["gather_overlap"], "1"),
        "reduce_overlap": (0.0 if eager else c["reduce_overlap"], "1"),
        "slowdown": (c["slowdown"], "1"),
        "half_load": (c["half_load"], "token"),
        "moe_passes": (c["moe_passes"] * aging, "1"),
        "expert_host": (0.0 if stack == "xla" else c["expert_host"] * aging, "s"),
        "spill": (c["spill"], "1"),
        "sharpness": (c["sharpness"], "1"),
        "straggle": (c["straggle"], "1"),
    }
