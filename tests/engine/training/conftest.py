"""Rows of the open measurements, read once."""

import csv
from pathlib import Path

import pytest

from isocost.engine.calibration.training import load
from isocost.engine.calibration.training_rows import Run

DATA = Path(__file__).parents[2] / "data" / "validation"
FILES = ("training_open.csv", "training_small_a100_open.csv")


def read(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def models() -> list[dict[str, str]]:
    return read("models.csv")


@pytest.fixture(scope="session")
def rows() -> list[dict[str, str]]:
    return [row for name in FILES for row in read(name)]


@pytest.fixture(scope="session")
def runs(rows: list[dict[str, str]], models: list[dict[str, str]]) -> list[Run]:
    found, refused = load(rows, models)
    assert not refused
    return found
