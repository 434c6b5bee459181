"""Units: what they mean, and the spellings that are refused."""

from fractions import Fraction

import pytest

from isocost.dsl.schema import KINDS
from isocost.dsl.units import PLAIN, Dim, Unit, UnitProblem, dim, parse_unit, unit
from isocost.engine.quantities import table


def problem(text: str) -> UnitProblem:
    found = parse_unit(text)
    assert isinstance(found, UnitProblem), text
    return found


@pytest.mark.parametrize(
    ("text", "scale", "shown"),
    [
        ("GB", 10**9, "information"),
        ("GiB", 2**30, "information"),
        ("Gbit/s", Fraction(10**9, 8), "information / time"),
        ("kWh", 3_600_000, "energy"),
        ("W", 1, "power"),
        ("$/kW-month", Fraction(1, 1000 * 730 * 3600), "money / energy"),
        ("$/Mtoken", Fraction(1, 10**6), "money / token"),
        ("TFLOP/s", 10**12, "compute / time"),
        ("TOP/s", 10**12, "compute / time"),
        ("/cm^2", 10_000, "1 / length^2"),
        ("1/s", 1, "1 / time"),
        ("mm^2", Fraction(1, 10**6), "length^2"),
        ("GPU", 1, "chip"),
        ("superchip", 2, "chip"),
        ("%", Fraction(1, 100), "plain number"),
        ("pp", Fraction(1, 100), "plain number"),
        ("cent", Fraction(1, 100), "money"),
        ("month", 730 * 3600, "time"),
        ("GB/s/chip", 10**9, "information / chip / time"),
        ("kW·h", 3_600_000, "energy"),
    ],
)
def test_meaning(text: str, scale: Fraction | int, shown: str) -> None:
    found = unit(text)
    assert found.scale == scale
    assert str(found.dim) == shown


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("Gb", ("Gbit", "GB")),
        ("Gbps", ("Gbit/s", "GB/s")),
        ("GBps", ("GB/s", "Gbit/s")),
        ("TFLOPs", ("TFLOP", "TFLOP/s")),
        ("TFLOPS", ("TFLOP/s", "TFLOP")),
        ("TOPS", ("TOP/s", "TOP")),
        ("KB", ("kB", "KiB")),
        ("Kb", ("kbit", "Kibit")),
        ("Gib", ("Gibit", "GiB")),
        ("Mbits", ("Mbit", "Mbit/s")),
    ],
)
@pytest.mark.parametrize("around", ["{}", "{}/chip", "$/{}"])
def test_two_readings_are_both_offered(
    text: str, readings: tuple[str, ...], around: str
) -> None:
    found = problem(around.format(text))
    assert found == UnitProblem("ambiguous", text, readings)
    for reading in readings:
        assert isinstance(parse_unit(reading), Unit)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("hours", "h"),
        ("hr", "h"),
        ("sec", "s"),
        ("chips", "chip"),
        ("GPUs", "GPU"),
        ("tok", "token"),
        ("tokens", "token"),
        ("gb", "GB"),
        ("Gflop", "GFLOP"),
        ("dollars", "$"),
        ("yr", "year"),
        ("flops", "FLOP/s"),
    ],
)
def test_unknown_spellings_have_a_neighbour(text: str, near: str) -> None:
    found = problem(text)
    assert found.kind == "unknown"
    assert near in found.readings
    assert all(isinstance(parse_unit(one), Unit) for one in found.readings)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "//",
        "GB//s",
        "GB/",
        "furlong",
        "m^99",
        "m^99999999",
        "m^" + "9" * 10_000,
        "ZB^9-ZB^9",
        "B-" * 1000 + "B",
        "a" * 100_000,
        "µ",
    ],
)
def test_what_is_no_unit(text: str) -> None:
    if text:
        assert problem(text).kind == "unknown"
    else:
        assert parse_unit(text) == Unit("", PLAIN, Fraction(1))


def test_prefixes_only_where_they_make_sense() -> None:
    for text in ("khour", "mtoken", "MiW", "kmonth", "MUSD"):
        assert isinstance(parse_unit(text), UnitProblem), text


def test_units_of_the_file() -> None:
    seat = {"seat": dim({"seat": 1})}
    found = parse_unit("$/seat", seat)
    assert isinstance(found, Unit)
    assert found.dim == dim({"money": 1, "seat": -1})
    assert isinstance(parse_unit("$/seat"), UnitProblem)


def test_our_own_units_are_a_bug_when_wrong() -> None:
    with pytest.raises(ValueError, match="no unit"):
        unit("Gbps")


def test_dimensions_drop_zeros_and_sort() -> None:
    assert dim({"time": 1, "chip": 0}) == dim({"time": 1})
    assert dim({"time": 1, "chip": 1}) == dim({"chip": 1, "time": 1})
    assert (dim({"time": 1}) / dim({"time": 1})).plain
    assert Dim() == PLAIN


def test_the_units_of_the_schema_and_of_the_table_are_the_language_s_own() -> None:
    """`unit` takes the unknown for a countable, so slips are looked for here."""
    written = {a.unit for kind in KINDS.values() for a in kind.attributes.values()}
    written |= {a.bare for k in KINDS.values() for a in k.attributes.values() if a.bare}
    written |= {entry.unit for entry in table().values()}
    assert [text for text in written if not isinstance(parse_unit(text), Unit)] == []
