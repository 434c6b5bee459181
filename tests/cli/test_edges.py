"""Numbers at the ends of what floats hold, in every command that computes."""

import warnings
from pathlib import Path

import pytest

from isocost.__main__ import main

Capsys = pytest.CaptureFixture[str]
TEXT = """
edition 2026
let x = 3 ± 10% @assumed "a test"
let y = 2 @assumed "a test"
let f := {formula}
let g := f * 2 + x
"""
#: Past the range of floats, at its lower end, outside domains, at kinks and poles.
FORMULAS = (
    "(x)^400",
    "sum(1e308 * x, 1e308 * x)",
    "1e308 * x * 1e308",
    "(1e200 * x)^2",
    "ceil(x^400)",
    "max(x / (x - x), 1)",
    "1 / (x - x)",
    "log(-x)",
    "sqrt(x - 3)",
    "(x - 3)^(-2)",
    "exp(x * 1e3) - exp(x * 1e3)",
    "(0 * x)^(0 * y)",
    "1 / (1e-320 * x)",
    "10^(x * 1e2)",
)
COMMANDS = (
    ("check", "--evaluate"),
    ("sensitivity", "g"),
    ("sensitivity", "g", "--format", "json"),
    ("breakeven", "g = 7", "--vary", "x", "--closed-form"),
    ("sample", "g", "-n", "64", "--sobol"),
    ("sweep", "-m", "g", "--vary", "x=1:5:3"),
    ("explain", "g", "--closed-form"),
)


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_number_is_too_large_for_a_command(
    formula: str, tmp_path: Path, capsys: Capsys
) -> None:
    file = tmp_path / "a.scn"
    file.write_text(TEXT.format(formula=formula), encoding="utf-8")
    for command, *words in COMMANDS:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            status = main([command, str(file), *words])
        out, err = capsys.readouterr()
        assert status in {0, 1, 2}, command
        assert "Traceback" not in err
        assert [one for one in told if one.category is RuntimeWarning] == [], command
        assert status or out or err


def test_closed_forms_have_no_more_digits_than_floats(
    tmp_path: Path, capsys: Capsys
) -> None:
    file = tmp_path / "a.scn"
    file.write_text(TEXT.format(formula="x * y * 1e200"), encoding="utf-8")
    for amount in ("7e299", "0.3", "5.5555555555"):
        words = ("--vary", "y=1e-300:1e300", "--closed-form")
        assert main(["breakeven", str(file), f"f = {amount}", *words]) == 0
        for line in capsys.readouterr().out.splitlines():
            assert "0" * 20 not in line
            assert not line.rstrip(":").endswith(" 1"), line


def test_a_closed_form_shows_the_number_that_was_stated(capsys: Capsys) -> None:
    file = "scenarios/examples/own_or_rent.scn"
    equation = "own.cost.per_chip_hour[sold] = 2 $/chip/h"
    words = ("--vary", "own.finance.sold", "--closed-form")
    assert main(["breakeven", file, equation, *words]) == 0
    out = capsys.readouterr().out
    assert "from 10 to 100 %" in out  # a share is at most all
    assert "own.finance.sold = 1800 * own.cost.available_hour" in out
