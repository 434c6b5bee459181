"""The shipped coefficients of collective libraries against published measurements.

These bounds are what a change must not make worse. Left-out errors are of rows that
the fit did not see: of a chip, of a source, of a generation, across nodes.
"""

from pathlib import Path

import numpy as np
import pytest

from isocost.engine.calibration.collective_predict import Predictor
from isocost.engine.calibration.collective_rows import (
    RATES,
    Row,
    many_nodes,
    read_rows,
    single_node,
)
from isocost.engine.calibration.collectives import (
    accuracy,
    across_errors,
    coefficients,
    errors,
    fit,
    half_width,
    left_out,
    nested_widths,
    shipped_widths,
)
from isocost.engine.topology.fabrics import DATASHEET, FABRICS, fabric_coefficients

TABLE = Path(__file__).parents[2] / "data" / "network" / "collectives_open.csv"
ROWS = read_rows(TABLE)
INSIDE = single_node(ROWS)
NVLINK = [row for row in INSIDE if row.fabric.startswith("nvlink")]
#: All-reduce on four P6-B200: in no fit. Size in bytes, bus bandwidth in GB/s.
UNSEEN = {
    2**18: 1.33,
    2**20: 5.37,
    2**26: 156.74,
    2**28: 229.09,
    2**32: 377.34,
    2**34: 381.8,
}
HELD = [
    Row("", "all_reduce", "nvlink5", "B200", "", "b200", 32, 4, float(size),
        2 * 31 / 32 * size / (bus * 1e9), 50e9)
    for size, bus in UNSEEN.items()
]  # fmt: skip
FACTOR_OF_TWO = float(np.log(2))


def shipped(rows: list[Row]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """ln(predicted / measured) with the coefficients that ship."""
    values = {fabric: FABRICS[fabric].needs() for fabric in RATES if fabric in FABRICS}
    measured = np.array([row.time for row in rows])
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = np.log(
        Predictor(rows).times(values) / measured
    )
    return found


def test_all_rows_with_a_stated_fabric_are_used() -> None:
    # 220 of 228: Trainium of an unnamed generation has no rate to divide by.
    assert (len(ROWS), len(INSIDE), len(many_nodes(ROWS))) == (220, 208, 12)


def test_the_shipped_table_is_what_the_fit_gives() -> None:
    free = fit(ROWS)
    for fabric in RATES:
        if fabric not in FABRICS:
            continue
        fitted, kept = coefficients(free, fabric).needs(), FABRICS[fabric].needs()
        for need, value in kept.items():
            assert value == pytest.approx(fitted[need], rel=0.02, abs=1e-9), need


def test_in_sample() -> None:
    found = accuracy(INSIDE, shipped(INSIDE))
    assert found.median <= 0.067
    assert found.mean <= 0.100
    assert found.by_series <= 0.063


def test_an_unseen_chip() -> None:
    error = left_out(INSIDE, lambda row: row.chip)
    found = accuracy(INSIDE, error)
    assert found.median <= 0.076
    assert found.by_series <= 0.073
    widths = nested_widths(INSIDE, error, lambda row: row.chip)
    assert 0.85 <= np.mean(np.abs(error) <= widths) <= 0.95
    switched = np.array([row in NVLINK for row in INSIDE])
    assert accuracy(NVLINK, error[switched]).by_series <= 0.070
    assert half_width(error[switched]) <= FABRICS["nvlink4"].spread
    assert half_width(error[~switched]) <= FABRICS["pcie5"].spread


def test_an_unseen_generation() -> None:
    error = left_out(NVLINK, lambda row: row.fabric)
    assert accuracy(NVLINK, error).by_series <= 0.120
    widths = nested_widths(NVLINK, error, lambda row: row.fabric)
    assert 0.85 <= np.mean(np.abs(error) <= widths) <= 0.95
    assert half_width(error) <= DATASHEET.spread


def test_an_unseen_source() -> None:
    error = left_out(INSIDE, lambda row: row.source)
    assert accuracy(INSIDE, error).median <= 0.109
    aws = np.array([row.source == "aws_nccl_singlenode" for row in INSIDE])
    rows = [row for row in INSIDE if row.source == "aws_nccl_singlenode"]
    assert accuracy(rows, error[aws]).median <= 0.030


def test_across_nodes_every_row_is_within_a_factor_of_two() -> None:
    assert np.max(np.abs(shipped(many_nodes(ROWS)))) <= 0.25
    assert np.max(np.abs(shipped(HELD))) <= 0.20 <= FACTOR_OF_TWO
    assert np.all(np.abs(shipped(HELD)) <= shipped_widths(HELD))


def test_across_nodes_rows_that_the_fit_did_not_see() -> None:
    no_efa = across_errors([*ROWS, *HELD], lambda row: row.source == "deepep")
    assert np.max(np.abs(no_efa)) <= 0.50 <= FACTOR_OF_TWO
    half = {"N0001", "N0003", "N0005", "N0007"}
    error = across_errors([*ROWS, *HELD], lambda row: row.row in half)
    assert np.max(np.abs(error)) <= 0.40
    assert np.mean(np.abs(error) <= FABRICS["nvlink5"].across_spread) >= 0.85


def cluster_time(fabric: str, nodes: int, size: float, operation: str) -> float:
    """Seconds on 8-GPU nodes with 400 Gbit/s for each GPU."""
    row = Row("", operation, fabric, "", "", "", 8 * nodes, nodes, size, 1.0, 50e9)
    return float(Predictor([row]).times({fabric: FABRICS[fabric].needs()})[0])


@pytest.mark.parametrize("operation", ["all_reduce", "all_gather"])
def test_hundreds_of_nodes_keep_the_rate_of_their_ports(operation: str) -> None:
    # Rings and trees move about a port's rate for each rank at any scale.
    factor = 2.0 if operation == "all_reduce" else 1.0
    for nodes in (8, 64, 256):
        ranks = 8 * nodes
        size = 2.0**34
        time = cluster_time("nvlink4", nodes, size, operation)
        bus = factor * (ranks - 1) / ranks * size / time
        assert 0.5 * 400e9 < bus < 400e9, nodes
    # A short message pays for its steps alone, more of them among more nodes.
    few, many = (cluster_time("nvlink4", n, 1e5, operation) for n in (8, 64))
    assert few < many < 64 * few


def test_short_messages_between_nodes_are_in_wider_doubt() -> None:
    rows = many_nodes(ROWS)
    widths = shipped_widths(rows)
    by_size = sorted(zip((row.size for row in rows), widths, strict=True))
    assert by_size[0][1] > 2 * by_size[-1][1]
    assert by_size[-1][1] == pytest.approx(FABRICS["nvlink4"].across_spread, rel=0.05)


def test_one_generation_is_no_other() -> None:
    assert fabric_coefficients("nvlink9") is DATASHEET
    assert DATASHEET.spread > FABRICS["nvlink4"].spread
    speeds = [FABRICS[f"nvlink{n}"].launch for n in (3, 4, 5)]
    assert len(set(speeds)) == 3


def test_errors_of_a_fit_are_those_of_its_coefficients() -> None:
    free = fit(NVLINK)
    assert accuracy(NVLINK, errors(NVLINK, free)).by_series < 0.07
