"""`isocost sample`: quantiles with errors, shares, indices, and what to measure."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from isocost.__main__ import main

TEXT = """\
edition 2026

site here {
  electricity = 0.05 $/kWh @assumed "a test"
}

scenario one {
  site = here
  let big = uniform(0 $, 4 $) @assumed "a test"
  let small = uniform(0 $, 2 $) @assumed "a test"
  let cost := big + small
  let fixed := 3 $
}

scenario two {
  site = here
  let level = 2.5 $ to 3.5 $ @assumed "a test"
  let cost := level
}
"""


EXAMPLE = Path(__file__).parents[2] / "scenarios/examples/training_run.scn"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "made.scn"
    path.write_text(TEXT)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = main(["sample", *args])
    out, err = capsys.readouterr()
    return status, out, err


def data(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    status, out, err = run(capsys, *args, "--format", "json")
    assert status == 0, err
    return json.loads(out)


def test_quantiles_of_a_sum_of_uniforms(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = data(capsys, file, "one.cost")
    (metric,) = found["metrics"]
    # The sum of U(0, 4) and U(0, 2): the distribution function is x²/16 up to 2.
    by_share = {q["share"]: q for q in metric["quantiles"]}
    for share, exact in ((0.05, math.sqrt(0.8)), (0.25, 2), (0.5, 3), (0.75, 4)):
        one = by_share[share]
        assert one["value"] == pytest.approx(exact, abs=4 * one["error"])
        assert 0 < one["error"] < 0.03
    assert metric["mean"] == pytest.approx(3, abs=4 * metric["mean_error"])
    assert metric["deviation"] == pytest.approx(math.sqrt(16 / 12 + 4 / 12), rel=0.01)
    assert metric["defined"] == 1


def test_inputs_are_ranked_by_their_share(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (metric,) = data(capsys, file, "one.cost")["metrics"]
    big, small = metric["inputs"]
    assert (big["origin"], small["origin"]) == ("one.big", "one.small")
    assert big["share"] == pytest.approx(0.8, abs=0.02)
    assert small["share"] == pytest.approx(0.2, abs=0.02)
    # Means in fifths of the larger: its own mean there, and 1 $ for the other.
    assert big["means"] == pytest.approx([1.4, 2.2, 3, 3.8, 4.6], abs=0.05)


def test_sobol_indices_have_errors(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (metric,) = data(capsys, file, "one.cost", "--sobol", "-n", "256")["metrics"]
    big, small = metric["inputs"]
    for one, share in ((big, 0.8), (small, 0.2)):
        for kind in ("first", "total"):
            assert one[kind]["value"] == pytest.approx(share, abs=2e-3)
            assert 0 < one[kind]["error"] < 0.01


def test_a_choice_is_told_what_to_measure(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    args = (file, "cost", "-s", "one", "-s", "two", "-n", "65536")
    decision = data(capsys, *args)["decision"]
    worth = {one["origin"]: one for one in decision["inputs"]}
    # To know the larger is worth E[max(0, 2 - its value - …)]; it flips about half.
    assert decision["inputs"][0]["origin"] == "one.big"
    assert worth["one.big"]["worth"] == pytest.approx(0.5, abs=0.05)
    assert worth["one.big"]["flips"] == pytest.approx(0.5, abs=0.1)
    assert worth["two.level"]["worth"] < worth["one.small"]["worth"]
    status, out, _ = run(capsys, *args)
    assert status == 0
    assert "to measure next" in out
    assert "has the least expected cost" in out


def test_all_headlines_over_the_same_draws(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    path = tmp_path / "run.scn"
    path.write_text(text, encoding="utf-8")
    args = (str(path), "all", "-s", "h100_as_published", "-n", "70000")
    found = data(capsys, *args)
    rows = {row["metric"]: row for row in found["metrics"]}
    alone = data(capsys, *args[:1], "time.step", *args[2:])["metrics"][0]
    assert rows["time.step"]["mean"] == pytest.approx(alone["mean"], rel=1e-9)
    for one, other in zip(
        rows["time.step"]["quantiles"], alone["quantiles"], strict=True
    ):
        assert one["value"] == pytest.approx(other["value"], rel=1e-9)
        assert one["error"] == pytest.approx(other["error"], rel=1e-6)
    assert rows["chips"]["quantiles"][0]["error"] == 0
    status, out, _ = run(capsys, *args[:-1], "50")
    assert status == 0
    assert f"through {found['nodes']:,} nodes" in out
    assert "time.step" in out
    fast = data(capsys, *args, "--compiled")["metrics"]
    for row in fast:
        same = rows[row["metric"]]["mean"]
        assert row["mean"] == pytest.approx(same, rel=1e-9)


def test_without_a_compiler_the_numbers_come_all_the_same(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    args = (file, "one.cost", "-n", "40000")
    status, out, err = run(capsys, *args, "--compiled")
    assert status == 0
    assert "isocost[compiled]" in err
    assert run(capsys, *args)[1] == out


def test_more_may_be_better(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    args = (file, "max:cost", "-s", "one", "-s", "two")
    assert data(capsys, *args)["decision"]["better"] == "more"


def test_what_is_not_in_doubt_says_so(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (metric,) = data(capsys, file, "one.fixed", "--sobol")["metrics"]
    assert metric["inputs"] == []
    assert {q["value"] for q in metric["quantiles"]} == {3}
    assert {q["error"] for q in metric["quantiles"]} == {0}
    status, out, _ = run(capsys, file, "one.fixed")
    assert status == 0
    assert "of 0 inputs" in out


def test_what_is_never_defined_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "never.scn"
    never = "scenario never extends one {\n  let odd := big / (fixed - 3 $)\n}\n"
    path.write_text(f"{TEXT}\n{never}")
    status, out, err = run(capsys, str(path), "never.odd", "--sobol", "-n", "64")
    assert (status, err) == (0, "")
    assert "undefined in 100.0% of draws" in out
    found = data(capsys, str(path), "never.odd", "--sobol", "-n", "64")["metrics"][0]
    assert found["defined"] == 0
    assert {one["first"]["value"] for one in found["inputs"]} == {None}


def test_few_draws_are_enough_to_run(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(capsys, file, "cost", "-s", "one", "-s", "two", "-n", "1")
    assert status == 0
    assert "1 draw of 2 inputs" in out
    found = data(capsys, file, "cost", "-s", "one", "-n", "1")["metrics"][0]
    assert found["mean_error"] is None
    assert {one["error"] for one in found["quantiles"]} == {None}


@pytest.mark.parametrize(
    ("args", "status", "word"),
    [
        (("one.cots",), 2, "cost"),
        (("cost", "-s", "three"), 2, "three"),
        (("one.cost", "-n", "0"), 2, "--draws"),
        (("all", "--sobol"), 2, "--sobol"),
    ],
)
def test_a_mistake_is_explained(
    args: tuple[str, ...],
    status: int,
    word: str,
    file: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    got, _, err = run(capsys, file, *args)
    assert got == status
    assert word in err
