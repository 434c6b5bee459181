"""`isocost breakeven`: crossings, thresholds, curves, maps, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from isocost.__main__ import main

TWO = """\
edition 2026

chip slow {
  power = 500 W @assumed "a test"
  price = 5_000 $ @assumed "a test"
}

chip quick {
  power = 1_500 W @assumed "a test"
  price = 2_000 $ @assumed "a test"
}

system pod {
  chip = slow
}

system pod_2 {
  chip = quick
}

site here {
  electricity = 0.05 $/kWh @assumed "a test"
}

scenario one {
  system = pod
  site = here
  let cost := chip.price + chip.power * 4 year * site.electricity
}

scenario two extends one {
  system = pod_2
}
"""
#: What a kilowatt costs over four years at a dollar a kilowatt-hour.
HOURS = 4 * 365 * 24
#: 3,000 $ against 1 kW of four years.
EQUAL = 3000 / HOURS


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "two.scn"
    path.write_text(TWO)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = main(["breakeven", *args])
    out, err = capsys.readouterr()
    return status, out, err


def data(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    status, out, err = run(capsys, *args, "--format", "json")
    assert status == 0, err
    return json.loads(out)


def test_two_options_cost_the_same_at_a_price(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = data(capsys, file, "one.cost = two.cost", "--vary", "site.electricity")
    (vary,) = found["vary"]
    assert (vary["unit"], vary["value"]) == ("$/kWh", pytest.approx(0.05))
    (crossing,) = found["crossings"]
    assert crossing["value"] == pytest.approx(EQUAL, rel=1e-9)
    assert crossing["kind"] == "root"
    assert crossing["less_above"] == "left"
    assert found["left"] > found["right"]


def test_text_names_the_side_that_is_less_above(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(
        capsys, file, "one.cost = two.cost", "--vary", "site.electricity"
    )
    assert status == 0
    assert out.splitlines()[-1].endswith("one.cost")
    assert "0.0856" in out
    assert "$/kWh" in out


def test_a_threshold_with_its_closed_form(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    args = (file, "two.cost = 3_000 $/chip", "--vary", "site.electricity=0.01:0.5")
    found = data(capsys, *args, "--closed-form")
    (crossing,) = found["crossings"]
    assert crossing["value"] == pytest.approx(1000 / 1.5 / HOURS)
    (form,) = found["closed"]
    assert form["crossing"] == pytest.approx(crossing["value"])
    assert "quick.power" in {one["name"] for one in form["values"]}
    _, out, _ = run(capsys, *args, "--closed-form")
    assert "site.electricity = " in out


def test_a_range_may_have_units(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    vary = "site.electricity=100 $/MWh:0.5 $/kWh"
    found = data(capsys, file, "one.cost = two.cost", "--vary", vary)
    assert found["vary"][0]["low"] == pytest.approx(0.1)
    assert found["crossings"] == []
    status, out, _ = run(capsys, file, "one.cost = two.cost", "--vary", vary)
    assert status == 0
    assert "never equal from 0.1 to 0.5 $/kWh" in out


def test_two_inputs_give_a_curve(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    args = [file, "one.cost = two.cost", "--vary", "two.chip.price=100:5000"]
    args += ["--vary", "site.electricity=0.01:0.1"]
    found = data(capsys, *args)
    assert len(found["points"]) > 50
    for price, electricity in found["points"]:
        assert price == pytest.approx(5000 - HOURS * electricity)
    status, out, _ = run(capsys, *args)
    assert status == 0
    assert len(out.splitlines()) < 25


def test_three_inputs_give_a_map(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    args = [file, "one.cost = two.cost", "--vary", "two.chip.price=100:5000"]
    args += ["--vary", "site.electricity=0.01:0.1", "--vary", "slow.power=400:600"]
    found = data(capsys, *args)
    assert [one["at"] for one in found["curves"]][::4] == pytest.approx([400, 600])
    for one in found["curves"]:
        gap = 1.5 - one["at"] / 1000
        for price, electricity in one["points"]:
            assert price == pytest.approx(5000 - gap * HOURS * electricity)
    assert run(capsys, *args)[0] == 0


def test_an_input_that_both_sides_share_says_so(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    args = (file, "one.cost = two.cost", "--vary")
    _, out, _ = run(capsys, *args, "one.site.electricity")
    assert "one.site.electricity moves in two as well" in out
    assert data(capsys, *args, "one.site.electricity")["vary"][0]["shared"] == ["two"]
    assert "as well" not in run(capsys, *args, "site.electricity")[1]


def test_what_is_equal_all_over_says_so(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    args = (file, "one.cost = one.cost", "--vary", "site.electricity")
    _, out, _ = run(capsys, *args)
    assert "equal all the way from 0.005 to 0.5 $/kWh" in out
    assert data(capsys, *args)["throughout"]


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (("--vary", "here.electricity"), "same input"),
        (("--vary", "slow.price", "--closed-form"), "--closed-form"),
    ],
)
def test_inputs_that_cannot_go_together(
    more: tuple[str, ...], word: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    equation = "one.cost = two.cost"
    got, _, err = run(capsys, file, equation, "--vary", "site.electricity", *more)
    assert got == 2
    assert word in err


@pytest.mark.parametrize(
    ("equation", "vary", "status", "word"),
    [
        ("one.cost = two.cost", "site.electricty", 2, "here.electricity"),
        ("one.cost = two.cost", "chip.price", 2, "slow.price, quick.price"),
        ("one.cost = one.cost", "quick.power", 2, "neither side rests on"),
        ("one.cost = two.cost", "site..pue", 2, "no path"),
        ("one.cost = two.cots", "site.electricity", 2, "`cost`"),
        ("one.cost", "site.electricity", 2, "two sides"),
        ("one.cost = 3 s", "site.electricity", 2, "dimension"),
        ("one.cost = ", "site.electricity", 2, "expected a value"),
        ("one.cost = two.cost", "site.electricity=0:1e999", 2, "more than a number"),
        ("one.cost = two.cost", "site.electricity=3 s:4 s", 2, "$/kWh"),
        ("one.cost = two.cost", "site.electricity=2:1", 2, "not below"),
        ("one.cost = two.cost", "site.electricity=1:2:3", 2, "low:high"),
        ("one.cost = two.cost", "site.electricity=1", 2, "low:high"),
        ("one.cost = two.cost", "=1:2", 2, "low:high"),
    ],
)
def test_a_mistake_is_explained(
    equation: str,
    vary: str,
    status: int,
    word: str,
    file: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    got, _, err = run(capsys, file, equation, "--vary", vary)
    assert got == status
    assert word in err
    assert "Traceback" not in err


def test_a_curve_tells_all_arms(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "arms.scn"
    lets = ['let x = 2 @assumed "a test"', 'let y = 1 @assumed "a test"']
    lets.append("let curve := x * x - 5 * x + 5")
    path.write_text("edition 2026\n\nscenario one {\n  " + "\n  ".join(lets) + "\n}\n")
    args = (str(path), "one.curve = one.y", "--vary", "one.x=0:6")
    _, out, _ = run(capsys, *args, "--vary", "one.y=1:5")
    first, *_, last = [line.split() for line in out.splitlines()[2:]]
    assert first == ["1", "1", "and", "4"]
    assert last == ["5", "0", "and", "5"]
