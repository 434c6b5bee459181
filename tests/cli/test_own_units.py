"""A countable of the file's own (`unit seat`) works in every command."""

from pathlib import Path

import pytest

from isocost.__main__ import main

Capsys = pytest.CaptureFixture[str]
TEXT = """edition 2026

unit seat

chip c {
  power = 500 W @assumed "a"
  let per_seat := power / 4 seat
}

system s {
  chip = c
  chips = 4 chip @assumed "a"
}

let top = 30 seat @assumed "a"

scenario one {
  system = s
  let users = 40 seat @assumed "a"
  let per := chip.power / users in W/chip/seat
}

let wide := one.users * top in seat^2
check one.per < 100 W/chip/seat
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "own.scn"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["check", "--evaluate", "FILE"], "fine"),
        (["eval", "FILE", "-m", "per"], "W/chip/seat"),
        (["eval", "FILE", "-m", "users"], "40"),
        (["eval", "FILE", "-m", "wide"], "seat^2"),
        (["eval", "FILE", "-m", "per", "--set", "one.users=20 seat"], "25"),
        (["eval", "FILE", "-m", "wide", "--set", "top=10 seat"], "400"),
        (["explain", "FILE", "one.per"], "one.users = 40 seat"),
        (["explain", "FILE", "c.per_seat"], "125 W/seat"),
        (["sensitivity", "FILE", "per"], "users"),
        (["sample", "FILE", "per"], "12.5"),
        (
            ["breakeven", "FILE", "one.per = 25 W/chip/seat", "--vary", "one.users"],
            "20  seat",
        ),
        (["export", "FILE"], "40 seat"),
    ],
)
def test_a_command(file: str, arguments: list[str], shown: str, capsys: Capsys) -> None:
    assert main([file if a == "FILE" else a for a in arguments]) == 0
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize("ends", ["10:20:3", "10 seat:20 seat:3"])
def test_a_sweep(file: str, ends: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out.parquet")
    vary = f"one.users={ends}"
    assert main(["sweep", file, "--vary", vary, "-m", "per", "-o", out]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sweep", "FILE", "--vary", "one.users=1 sead:2 sead:3", "-m", "per"], "sead"),
        (["breakeven", "FILE", "one.per = 3 W/sead", "--vary", "one.users"], "sead"),
        (["diff", "FILE", "FILE", "--fail-on", "new(power.average) > 3 sead"], "sead"),
        (["eval", "FILE", "-m", "per", "--set", "one.users=3 sead"], "sead"),
    ],
)
def test_a_unit_that_nobody_knows_is_told(
    file: str, arguments: list[str], said: str, capsys: Capsys
) -> None:
    assert main([file if a == "FILE" else a for a in arguments]) in {1, 2}
    assert said in capsys.readouterr().err
