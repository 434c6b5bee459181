"""The tables that the tests of this folder share."""

import csv
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parents[2] / "data" / "validation"


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((_DATA / name).read_text().splitlines()))


@cache
def rows() -> tuple[dict[str, str], ...]:
    return tuple(table("inference_open.csv"))


@cache
def models() -> dict[str, dict[str, str]]:
    return {row["model"]: row for row in table("models.csv")}
