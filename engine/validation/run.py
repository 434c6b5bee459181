"""A table of measurements to predictions: each family by its own adapter.

An adapter is a module with `predict(rows, models)`, imported when its family is met.
A row that breaks it is refused alone: the rows are then tried one by one.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

from isocost.engine.validation.feasible import RULES, known
from isocost.engine.validation.frame import Prediction, Summary, groups, summary
from isocost.engine.validation.tables import Family, Row, Table, blank, fault

Adapter = Callable[[Sequence[Row], Mapping[str, Row]], list[Prediction]]
#: What a row that no rule foresaw may raise.
_BROKEN = (ValueError, KeyError, TypeError, ZeroDivisionError, OverflowError)
#: How predictions are put together, and by what.
GROUPINGS: dict[str, Callable[[Prediction], str]] = {
    "series": lambda one: one.series,
    "sources": lambda one: one.source,
    "chips": lambda one: one.chip,
    "metrics": lambda one: one.metric,
}


def adapter(family: str) -> Adapter:
    """The function that predicts rows of a family."""
    module = importlib.import_module(f"isocost.engine.validation.{family}")
    found: Adapter = module.predict
    return found


def predict(
    table: Table, models: Mapping[str, Row], use: Adapter | None = None
) -> list[Prediction]:
    """Every row of a table, in its order.

    Args:
        table: Measurements.
        models: Rows of the table of architectures, by model; may be empty.
        use: The adapter; that of the table's family if left out.
    """
    run = use or adapter(table.family.name)
    faults = faults_of(table.rows, table.family, models)
    good = [row for row in table.rows if row["row_id"] not in faults]
    made = {one.row_id: _possible(one) for one in _guarded(run, good, models)}
    return [
        made.get(row["row_id"]) or blank(row, faults[row["row_id"]])
        for row in table.rows
    ]


def faults_of(
    rows: Iterable[Row], family: Family, models: Mapping[str, Row]
) -> dict[str, str]:
    """Why rows are refused before anything is predicted, by the row's name.

    Cells that are no numbers, and what no cluster can have run.

    Args:
        rows: Measurements.
        family: What they are of.
        models: Rows of the table of architectures, by model; may be empty.
    """
    rule = RULES[family.name]
    found = {
        row["row_id"]: fault(row, family) or rule(known(row, models)) for row in rows
    }
    return {name: why for name, why in found.items() if why}


def _guarded(
    run: Adapter, rows: Sequence[Row], models: Mapping[str, Row]
) -> list[Prediction]:
    if not rows:
        return []
    try:
        return run(rows, models)
    except _BROKEN as problem:
        if len(rows) == 1:
            return [blank(rows[0], f"it cannot be read: {problem}")]
    middle = len(rows) // 2
    halves = rows[:middle], rows[middle:]
    return [one for half in halves for one in _guarded(run, half, models)]


def _possible(one: Prediction) -> Prediction:
    """A prediction, refused where it is no number above 0."""
    numbers = (one.predicted, one.low, one.high)
    if one.predicted is None or all(n is not None and 0 < n < 1e30 for n in numbers):  # noqa: PLR2004
        return one
    bare = attrs.evolve(one, predicted=None, low=None, high=None)
    return attrs.evolve(bare, refused="no finite prediction: outside the formulas")


def shape(found: Sequence[Prediction], **more: object) -> dict[str, object]:
    """The report as plain data, in the shape that scripts rely on."""
    out: dict[str, object] = {**more, "summary": _numbers(summary(found))}
    for name, key in GROUPINGS.items():
        one = name if name == "series" else name.removesuffix("s")
        parts = groups(found, key).items()
        out[name] = [{one: part, **_numbers(summary(m))} for part, m in parts]
    out["rows"] = [_row(one) for one in found]
    return out


def _numbers(found: Summary) -> dict[str, float]:
    return attrs.asdict(found)


def _row(one: Prediction) -> dict[str, object]:
    return {
        "row_id": one.row_id,
        "series": one.series,
        "source": one.source,
        "chip": one.chip,
        "metric": one.metric,
        "unit": one.unit,
        "measured": one.measured,
        "predicted": one.predicted,
        "low": one.low,
        "high": one.high,
        "error": one.error,
        "inside": one.inside if one.predicted is not None else None,
        "refused": one.refused or None,
        "counts": one.counts,
        "flags": list(one.flags),
    }


def by_model(rows: Iterable[Row]) -> dict[str, Row]:
    """A table of architectures by model."""
    return {row["model"]: row for row in rows if row.get("model")}
