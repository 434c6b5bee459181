"""Write `training_fitted.py`: fit, test, and keep what was found as plain data.

python -m isocost.engine.calibration.training_table MODELS.csv MEASUREMENTS.csv…
"""

import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from isocost.engine.calibration.training import Calibration, calibrate, load
from isocost.engine.calibration.training_accuracy import Judged, table, table_text

_HEAD = '''"""Fitted coefficients of training stacks; `training_table` writes this file.

Calibrated on {rows} runs of {sources} sources: {names}.
Errors on runs left out of the fit, and the intervals that were learned without them:

{tables}
"""
# ruff: noqa: E501
'''
_TABLES = (
    ("series", "source", "one series left out"),
    ("source", "source", "one source left out"),
    ("chip", "chip", "one chip left out"),
    ("vendor", "vendor", "one vendor left out, its chips named as nobody's"),
)


def _read(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _mapping(name: str, kind: str, values: Mapping[str, Any]) -> str:
    lines = [f"    {key!r}: {_show(value)}," for key, value in values.items()]
    return "\n".join([f"{name}: {kind} = {{", *lines, "}"])


def _show(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_show(v)}" for k, v in value.items()) + "}"
    return repr(value)


def _tables(tested: Mapping[str, Sequence[Judged]]) -> str:
    parts = [
        f"{title}\n{table_text(table(tested[kind], by))}" for kind, by, title in _TABLES
    ]
    return "\n\n".join(parts)


def fitted_text(made: Calibration, tested: Mapping[str, Sequence[Judged]]) -> str:
    """The module's text.

    Args:
        made: A calibration.
        tested: Its errors on unseen runs, by kind of fold.
    """
    names = sorted(made.sources)
    head = _HEAD.format(
        rows=len(tested["series"]),
        sources=len(names),
        names=", ".join(names),
        tables=_tables(tested),
    )
    parts = [
        _mapping("VALUES", "dict[str, float]", made.values),
        "#: Standard errors of the logarithms, of those that were fitted.",
        _mapping("ERRORS", "dict[str, float]", made.errors),
        "#: Half-widths of 90% intervals of ln(predicted / measured).",
        _mapping("WIDTHS", "dict[str, Any]", attrs.asdict(made.widths)),
        "#: Stacks, generations and scale (several servers) that were calibrated.",
        f"PAIRS: tuple[tuple[str, str, bool], ...] = {tuple(sorted(made.pairs))!r}",
        f"SOURCES: tuple[str, ...] = {tuple(names)!r}",
    ]
    return head + "\nfrom typing import Any\n\n" + "\n".join(parts) + "\n"


def main(paths: Sequence[str]) -> None:
    """Fit on the measurements of `paths[1:]` with the models of `paths[0]`.

    Args:
        paths: The table of models, then tables of measurements.
    """
    rows = [row for path in paths[1:] for row in _read(path)]
    runs, _ = load(rows, _read(paths[0]))
    text = fitted_text(*calibrate(runs))
    Path(__file__).with_name("training_fitted.py").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
