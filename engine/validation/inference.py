"""Measured serving: throughput and latencies of rows, by the stacks as fitted."""

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from isocost.engine.calibration.inference import predict_rows, shipped
from isocost.engine.calibration.inference_predict import predict as run_cases
from isocost.engine.calibration.inference_predict import stack
from isocost.engine.calibration.inference_rows import Case, Refused, cases
from isocost.engine.validation.frame import Prediction
from isocost.engine.validation.tables import Row, blank


def predict(rows: Sequence[Row], models: Mapping[str, Row]) -> list[Prediction]:
    """Each row's prediction, in order.

    Args:
        rows: Rows with the columns of the inference tables.
        models: Rows of the table of architectures, by model.
    """
    out = []
    for row, found in zip(rows, predict_rows(rows, models), strict=True):
        if found.refused:
            out.append(blank(row, found.refused))
            continue
        one = attrs.evolve(
            blank(row),
            predicted=found.predicted,
            low=found.low,
            high=found.high,
            flags=found.flags,
        )
        out.append(one)
    return out


def scenarios(rows: Sequence[Row], models: Mapping[str, Row]) -> dict[str, str]:
    """The text of each row's scenario by the row's name.

    Rows that are refused have none, nor have those of a phase alone, of pipelines, or
    of several domains. A run that ends or keeps limits is written as the steady state
    without them, which a comment says, and has no claim.

    Args:
        rows: Rows with the columns of the inference tables.
        models: Rows of the table of architectures, by model.
    """
    from isocost.engine.calibration.inference_scenario import (
        OPEN,
        beyond,
        scenario_text,
    )
    from isocost.engine.validation.scenarios import source_of, words

    out = {}
    for row, told in zip(rows, predict(rows, models), strict=True):
        case = None if told.refused else best_case(row, models)
        if case is None or (left := beyond(case)) in OPEN:
            continue
        lines = [f"# {words(row['row_id'])}: {words(row['series'])}"]
        lines += [f"# {words(flag)}" for flag in told.flags]
        lines += [f"# without {left}, which the row had" if left else ""]
        note = "\n".join(line for line in lines if line) + "\n"
        text = scenario_text(case, (told.width or 0.0) / 2, note)
        claim = "" if left else _claim(row, case)
        out[row["row_id"]] = f"{text}\n{source_of(row)}\n{claim}"
    return out


def best_case(row: Row, models: Mapping[str, Row]) -> Case | None:
    """The way to read a row that its prediction takes; None if there is none."""
    made = cases(row, models)
    if isinstance(made, Refused):
        return None
    values = run_cases(stack(made), np.exp(shipped().theta()), len(made))
    least = made[0].metric.endswith("_ms")
    order = np.nan_to_num(-values if least else values, nan=-np.inf)
    return made[int(np.argmax(order))]


def _claim(row: Row, case: Case) -> str:
    """The measurement as a claim; empty for a metric that scenarios do not state."""
    value = float(row["value"]) / case.numbers["factor"]
    first = "solo" if case.mode == "static" else "mean"
    made = {
        "output_tokens_per_s": (
            f"throughput.output / {value * case.numbers['of']:.12g} token/s"
        ),
        "tokens_per_s_per_user": f"latency.tpot[mean] / {1e3 / value:.12g} ms",
        "tpot_ms": f"latency.tpot[mean] / {value:.12g} ms",
        "ttft_ms": f"latency.ttft[{first}] / {value:.12g} ms",
    }.get(case.metric)
    if made is None:
        return ""
    said = f"within 25% of what {row['row_id']} measured".replace('"', "'")
    path, _, figure = made.partition(" / ")
    return f'\nclaim abs(measured_row.{path} / {figure} - 1) < 25% "{said}" @measured\n'
