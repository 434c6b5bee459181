"""`isocost sensitivity` as a reader meets it: steps, branches, turns and kinks."""

import json
from pathlib import Path

import pytest

from isocost.__main__ import main

TEXT = """\
edition 2026

chip slow {
  memory.bandwidth = 1 TB/s to 4 TB/s @assumed "a test"
  peak[bf16] = 1 PFLOP/s @assumed "a test"
}

system pod {
  chip = slow
  chips = 16 chip @assumed "a test"
}

scenario one {
  system = pod
  let read := 3 TB/chip / chip.memory.bandwidth
  let time := max(memory = read, compute = WORK PFLOP/chip / chip.peak[bf16])
  let total := time * system.chips
  let fixed := 3 $
  let spares = 0 % @assumed "a test"
  let racks := ceil(system.chips * (1 + spares) / 8 chip)
  let gone := 1 $ / (time - time)
}
"""


def told(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    metric: str,
    *more: str,
    work: str = "1",
) -> str:
    path = tmp_path / "made.scn"
    path.write_text(TEXT.replace("WORK", work))
    assert main(["sensitivity", str(path), f"one.{metric}", *more]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def rows(text: str, head: str) -> list[list[str]]:
    """The rows of the table whose head begins so, cell by cell."""
    _, _, after = text.partition(f"\n{head}")
    return [line.split() for line in after.split("\n\n")[0].splitlines()[1:]]


def test_the_nearest_branch_of_what_is_in_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Memory at 2 TB/s, the middle of 1 to 4, binds until 3 TB/s."""
    out = told(tmp_path, capsys, "total")
    (turn,) = rows(out, "turns first")
    assert turn == ["chip.memory.bandwidth", "3", "TB/s", "time", "memory", "compute"]
    assert rows(out, "active branch") == [["memory", "time"]]
    assert "kink" not in out


def test_what_has_no_doubt_turns_in_json_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sheet's peak is certain: 2/3 PFLOP/s is where it would bind."""
    text = told(tmp_path, capsys, "total")
    assert "chip.peak" not in text.partition("turns first")[2]
    found = json.loads(told(tmp_path, capsys, "total", "--format", "json"))
    (peak,) = [one for one in found["inputs"] if "peak" in one["path"]]
    assert peak["next_below"]["branch"] == "compute"
    assert peak["next_below"]["at"] * 1.5 == pytest.approx(peak["value"])
    assert peak["next_above"] is None


def test_a_kink_is_told_from_both_sides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At 1.5 s both bind: more bandwidth gives nothing, less costs 0.75 s by TB/s."""
    out = told(tmp_path, capsys, "time", work="1.5")
    assert "chip.memory.bandwidth stands at a kink: -0.75 below, 0 above" in out


def test_steps_say_what_they_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = rows(told(tmp_path, capsys, "total"), "one step of")
    assert [step[:3] for step in steps] == [
        ["system.chips", "16", "15"],
        ["system.chips", "16", "17"],
    ]
    assert [float(step[-1]) for step in steps] == pytest.approx([22.5, 25.5])


def test_the_edge_of_a_step_is_a_step_and_no_slope(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two racks are full: one spare, however small its share, takes a third."""
    out = told(tmp_path, capsys, "racks")
    assert ["spares", "0", "just", "above", "%", "3"] in rows(out, "one step of")
    (row,) = [line for line in rows(out, "input") if line[0] == "spares"]
    assert row[-1] == "jump"
    found = json.loads(told(tmp_path, capsys, "racks", "--format", "json"))
    (one,) = [one for one in found["inputs"] if one["path"] == "spares"]
    assert (one["just_below"], one["just_above"]) == (None, 3)
    assert one["derivative"] is one["elasticity"] is None


def test_what_nothing_moves_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "nothing that is stated moves it" in told(tmp_path, capsys, "fixed")


def test_what_has_no_value_is_undefined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = told(tmp_path, capsys, "gone")
    assert "undefined" in out
    assert "nan" not in out
    found = json.loads(told(tmp_path, capsys, "gone", "--format", "json"))
    assert found["value"] is None
