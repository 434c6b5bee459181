"""The dimension of expressions, and how a clash is shown and mended."""

from fractions import Fraction
from typing import Any

import pytest

from isocost.dsl.dimensions import Clash, infer
from isocost.dsl.expr import Expr
from isocost.dsl.mending import dimension_notes, spelled
from isocost.dsl.parser import parse
from isocost.dsl.syntax import Member
from isocost.dsl.units import PLAIN, Dim, unit

KNOWN = {
    "power": unit("W/chip").dim,
    "chips": unit("chip").dim,
    "money": unit("$").dim,
    "rate": unit("GB/s").dim,
    "n": PLAIN,
}


def infer_text(text: str) -> tuple[Dim | None, list[Clash]]:
    (member,) = parse(f"let x := {text}", "f").items
    assert isinstance(member, Member)
    clashes: list[Clash] = []

    def leaf(expr: Expr) -> Dim | None:
        path: Any = expr.value
        return KNOWN[str(path)]

    return infer(member.value, leaf, clashes.append), clashes


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("power * chips", "power"),
        ("power * (3 chip) * 2 h", "energy"),
        ("money / (power * chips) / (1 month)", "money / energy"),
        ("rate * (8 s)", "information"),
        ("(rate * rate) ^ 0.5", "information / time"),
        ("n ^ n", "plain number"),
        ("-power", "power / chip"),
        ("power + 0", "power / chip"),
        ("n < 3", "plain number"),
        ("if n < 3 then power else 5 W/chip", "power / chip"),
        ("not (n < 3 and n > 1)", "plain number"),
        ("power * 50%", "power / chip"),
    ],
)
def test_what_adds_up(text: str, shown: str) -> None:
    found, clashes = infer_text(text)
    assert clashes == []
    assert str(found) == shown


@pytest.mark.parametrize(
    ("text", "op", "culprit"),
    [
        ("power + money", "+", "money"),
        ("power - 5 W", "-", "5 W"),
        ("power < money", "<", "money"),
        ("n ^ chips", "^", "chips"),
        ("chips ^ n", "^", "chips"),
        ("if n < 1 then power else money", "if", "money"),
        ("n * (power + money) + chips", "+", "money"),
    ],
)
def test_what_does_not(text: str, op: str, culprit: str) -> None:
    _, clashes = infer_text(text)
    assert clashes
    first = clashes[0]
    assert first.op == op
    span = first.culprit.span
    assert span is not None
    assert f"let x := {text}"[span.start : span.end] == culprit


@pytest.mark.parametrize(
    ("expected", "found", "lines", "mend"),
    [
        (
            "$/token",
            "$-chip/token",
            ("expected:  money        / token", "   found:  money · chip / token"),
            "divide by a quantity in `chip`",
        ),
        (
            "GB/s",
            "GB/s/chip",
            (
                "expected:  information        / time",
                "   found:  information / chip / time",
            ),
            "multiply by a quantity in `chip`",
        ),
        (
            "W",
            "1",
            ("expected:  power", "   found:  plain number"),
            "a unit is missing: write it in `W` or a multiple of that",
        ),
        (
            "s",
            "Hz",
            ("expected:  time", "   found:  1    / time"),
            "the fraction stands on its head: divide the other way round",
        ),
        (
            "GB/s",
            "GB/J",
            (
                "expected:  information          / time",
                "   found:  information / energy",
            ),
            "multiply by a quantity in `W`",
        ),
        ("$", "W", ("expected:          money", "   found:  power"), None),
        (
            "$",
            "EUR",
            ("expected:  money", "   found:          EUR"),
            "state the rate: `exchange eur_usd { rate[DATE] = … $/EUR }`",
        ),
        (
            "1",
            "W",
            ("expected:  plain number", "   found:  power"),
            "divide by a quantity in `W`",
        ),
    ],
)
def test_notes(
    expected: str, found: str, lines: tuple[str, str], mend: str | None
) -> None:
    notes, help_ = dimension_notes(unit(expected).dim, unit(found).dim)
    assert notes == lines
    assert help_ == mend


def test_exponents_stand_in_the_notes() -> None:
    notes, help_ = dimension_notes(unit("m^2").dim, unit("m^3").dim)
    assert notes == ("expected:  length^2", "   found:  length^3")
    assert help_ == "divide by a quantity in `m`"


@pytest.mark.parametrize(
    "text", ["W", "$/chip", "GB/s/chip", "m^2", "/m^2", "$/kWh", "token/s"]
)
def test_a_dimension_is_spelled_as_a_unit_of_it(text: str) -> None:
    written = spelled(unit(text).dim)
    assert written is not None
    assert unit(written).dim == unit(text).dim


def test_a_root_has_no_spelling() -> None:
    assert spelled(unit("m").dim ** Fraction(1, 2)) is None
