"""A row as a scenario: readable, without a fault, and predicted alike."""

import csv
from pathlib import Path

import pytest

from isocost.dsl.check import check
from isocost.dsl.diagnostics import ERROR
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.engine.validation import collective_cases, collectives
from isocost.engine.validation.scenarios import file_name, metric, scenario
from isocost.engine.validation.tables import Row, Table, read

OPEN = Path(__file__).parents[2] / "data" / "network" / "collectives_open.csv"


def rows() -> list[Row]:
    found = read(OPEN)
    assert isinstance(found, Table)
    return list(found.rows)


def sample() -> list[Row]:
    """One row for each fabric, operation and number of ranks and nodes."""
    chosen: dict[tuple[object, ...], Row] = {}
    for row in rows():
        case = collective_cases.read(row)
        if not isinstance(case, str):
            key = (case.fabric, case.operation, case.ranks, case.network_rate)
            chosen.setdefault(key, row)
    return list(chosen.values())


@pytest.mark.parametrize("row", sample(), ids=lambda row: row["row_id"])
def test_a_scenario_gives_what_validation_gives(row: Row, tmp_path: Path) -> None:
    case = collective_cases.read(row)
    text = scenario(row)
    assert text is not None
    assert not isinstance(case, str)
    path = tmp_path / file_name(row)
    path.write_text(text, encoding="utf-8")
    checked = check(resolve(load(str(path))), table())
    assert [d for d in checked.diagnostics if d.severity == ERROR] == []
    evaluation = Evaluation(checked, 512)
    (one,) = evaluation.results([("measured_row", metric(case))])
    assert evaluation.diagnostics == []
    (told,) = collectives.predict([row], {})
    assert told.predicted is not None
    measured = collectives.measured_time(case)
    is_rate = row["metric"] == "logical_bandwidth"
    ratio = told.predicted / told.measured
    expected = measured * (1 / ratio if is_rate else ratio)
    assert one.central == pytest.approx(expected, rel=1e-6)
    (verdict,) = evaluation.verdicts()
    assert verdict.holds == (abs(expected / measured - 1) < 0.25)


def test_a_refused_row_is_not_written() -> None:
    refused = [row for row in rows() if scenario(row) is None]
    assert len(refused) == 8


def test_names_of_files() -> None:
    (row,) = csv.DictReader(["row_id", "own/line 2?"])
    assert file_name(row) == "own_line_2.scn"
