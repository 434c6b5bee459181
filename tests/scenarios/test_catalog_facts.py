"""The catalogue carries the collected facts: which row, where, and why some are not.

`tests/data/facts` holds the facts, one row a figure. `carried/carried.csv` says at
which path of the catalogue each stands and how to read it there; `left_out.csv` says
which are not carried, and why. A figure that changes on either side fails here.
"""

import csv
import functools
import math
import re
from pathlib import Path
from typing import Any

import pytest

from isocost.dsl.catalog import Entry, catalog_document, entries, stated
from isocost.dsl.check import check
from isocost.dsl.document import Fact
from isocost.dsl.units import unit
from isocost.dsl.values import number_of
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

FACTS = Path(__file__).parents[1] / "data" / "facts"
#: The facts' spelling of units that ours do not know.
UNITS = {
    "TOP/s": "TFLOP/s", "Gbit/s per chip": "Gbit/s", "mm2": "mm^2", "USD": "$",
    "USD/h": "$/h", "USD/GPU-h": "$/h", "USD/TPU-h": "$/h", "USD/chip-h": "$/h",
    "USD/kW-month": "$/kW-month", "USD/kWh": "$/kWh", "% BF16": "%",
    "FLOP/byte": "FLOP/B", "minutes": "min", "USD million/MW": "$/W",
    "tok/s": "token/s", "seq/s": "sequence/s", "USD/Mtoken": "$/Mtoken",
    "USD/GB": "$/GB", "per cm2": "/cm^2", "USD/unit": "$", "years": "year",
    "USD/GPU/yr": "$/year", "% of backplane": "%",
}  # fmt: skip
SCALES = {"million hours": 3.6e9, "USD billion": 1e9, "billion": 1e9}
SCALES["USD billion/yr"] = 1e9 / (8760 * 3600)
PLAIN = re.compile(r"cores|stacks|chips|ports|PEs|x\b|per |trays|racks|drives|RU|DDR5")
#: Readings that name the end of an interval, and factors on what the fact prints.
FACTORS = {"one way": 0.5, "one of 2": 0.5, "negative": -1.0}


def rows(name: str) -> list[dict[str, str]]:
    with (FACTS / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@functools.cache
def facts() -> dict[tuple[str, int], dict[str, str]]:
    return {
        (path.stem, number): row
        for path in sorted(FACTS.glob("*.csv"))
        for number, row in enumerate(rows(path.name), 2)
    }


CARRIED = rows("carried/carried.csv")
LEFT_OUT = rows("carried/left_out.csv")


def key(row: dict[str, str]) -> tuple[str, int]:
    return row["file"], int(row["row"])


@functools.cache
def catalogue() -> tuple[dict[str, tuple[Entry, Fact]], Evaluation]:
    document = catalog_document()
    places = {}
    for entry in entries(document):
        for fact in entry.facts:
            name = f"{entry.name}.{fact.path}" if entry.block else entry.name
            places[name] = (entry, fact)
    return places, Evaluation(check(document, table()), count=16)


def value(path: str) -> float:
    places, evaluation = catalogue()
    entry, fact = places[path]
    bare = evaluation.bare
    if entry.block is None:
        node = bare.lowering.fact(fact, None, None, path)
    else:
        node = bare.of_block(entry.block, str(fact.path))
    return evaluation.point((node,))[node]


def scale(text: str) -> float:
    if text in SCALES:
        return SCALES[text]
    known = UNITS.get(text, text)
    counted = known == text and PLAIN.search(text)
    if not text or counted or text in {"GPUs", "accelerators", "hours"}:
        return 1.0
    try:
        return unit(known).factor
    except ValueError:  # a phrase, as in "Intel Xeon Sapphire Rapids"
        return 1.0


def numbers(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"\d+(?:\.\d+)?", text.replace(",", ""))]


def printed_step(text: str) -> float:
    """One unit of the last place of a printed number."""
    _, _, decimals = text.partition(".")
    return float(10.0 ** -len(decimals))


def test_every_row_is_carried_or_left_out_once() -> None:
    listed = [key(row) for row in (*CARRIED, *LEFT_OUT)]
    assert len(listed) == len(set(listed))
    assert set(listed) == set(facts())


def test_few_are_left_out_and_each_for_a_reason() -> None:
    assert len(LEFT_OUT) < len(facts()) // 50
    for row in LEFT_OUT:
        fact = facts()[key(row)]
        assert (row["entity"], row["attribute"]) == (fact["entity"], fact["attribute"])
        assert len(row["reason"]) > 20, row


@pytest.mark.parametrize("row", CARRIED, ids=lambda r: f"{r['file']}-{r['row']}")
def test_a_row_stands_where_it_is_said_to(row: dict[str, str]) -> None:
    fact = facts()[key(row)]
    places, _ = catalogue()
    assert row["path"] in places
    said = places[row["path"]][1]
    _same_source(row, fact, said)
    reading = row["reading"]
    if reading == "text":
        assert said.expr.value.startswith(fact["value"].strip())
    elif reading.startswith("lists "):
        listed = [str(arg.value) for arg in said.expr.args]
        assert reading.removeprefix("lists ") in listed
        assert fact["value"] in {"not supported", "not listed"}
    elif reading == "topology":
        sides = [int(n) for n in re.findall(r"= (\d+)", stated(catalog(), said))]
        assert [int(n) for n in numbers(fact["value"])][: len(sides)] == sides
    elif reading == "none":
        assert value(row["path"]) == 0
    elif reading == "in words":
        _in_words(row, fact)
    else:
        _same_number(row, fact, said)


def catalog() -> Any:
    return catalogue()[1].document


def _same_source(row: dict[str, str], fact: dict[str, str], said: Fact) -> None:
    cited = [cite.key for cite in said.cites]
    if not row["source"]:  # derived from other rows, or recalled
        recalled = fact["confidence"] == "unverified recall"
        assert said.formula or "assumed" in cited or not recalled
        return
    assert row["source"] in cited
    source = catalog().sources[row["source"]]
    url = fact["source_url"]
    if url.startswith("http") and " " not in url:
        assert source.facts["url"].expr.value == url
    else:
        assert "note" in source.facts


def _in_words(row: dict[str, str], fact: dict[str, str]) -> None:
    """A figure inside a phrase; ends of intervals count as well as the middle."""
    places, _ = catalogue()
    said = places[row["path"]][1]
    ends = [n for arg in said.expr.args if (n := number_of(arg)) is not None]
    shown = scale(fact["unit"]) if fact["unit"] else 1.0
    wanted = [value(row["path"]), *ends]
    wanted += [100 * number for number in wanted]
    wanted += [number / 2**20 for number in wanted]
    wanted += [number / shown for number in wanted]
    printed = numbers(fact["value"])
    assert any(math.isclose(a, b, rel_tol=1e-6) for a in wanted for b in printed)


def _same_number(row: dict[str, str], fact: dict[str, str], said: Fact) -> None:
    printed = fact["value"].replace(",", "")
    factor = FACTORS.get(row["reading"], 1.0) * scale(fact["unit"])
    expected = float(printed) * factor
    if row["reading"] in {"low", "high"}:
        arg = said.expr.args[0 if row["reading"] == "low" else 1]
        found = number_of(arg)
        assert found is not None
    else:
        found = value(row["path"])
    derived = fact["confidence"] == "derived" or not row["source"]
    slack = 1.001 * printed_step(printed) * abs(factor) if derived else 0.0
    assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=slack + 1e-30)
