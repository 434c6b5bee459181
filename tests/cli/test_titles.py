"""A title does not outlive its result: `holds` decides whether a report is made."""

from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl import messages

Capsys = pytest.CaptureFixture[str]
EXAMPLE = messages.page("C004").examples["C004.scn"]


@pytest.mark.parametrize(("limit", "status"), [("10 kW", 1), ("1 MW", 0)])
def test_a_report_is_made_where_its_title_holds(
    limit: str, status: int, tmp_path: Path, capsys: Capsys
) -> None:
    file, out = tmp_path / "a.scn", tmp_path / "a.md"
    file.write_text(EXAMPLE.replace("10 kW", limit), encoding="utf-8")
    assert main(["report", str(file), "-o", str(out)]) == status
    assert out.exists() == (status == 0)
    told = capsys.readouterr().err
    assert ("error[C004]" in told) == (status == 1)
    assert main(["check", "--evaluate", str(file)]) == status


def test_only_the_report_that_is_asked_for_counts(tmp_path: Path) -> None:
    file, out = tmp_path / "a.scn", tmp_path / "a.md"
    other = 'report other {\n  title = "Power"\n  compare = first\n'
    other += "  metrics = [power.average]\n}\n"
    file.write_text(EXAMPLE + other, encoding="utf-8")
    assert main(["report", str(file), "--name", "other", "-o", str(out)]) == 0
    assert main(["report", str(file), "--name", "short", "-o", str(out)]) == 1


@pytest.mark.parametrize("wrong", ["first.power.average", "first.power.averag < 1 MW"])
def test_a_title_rests_on_a_comparison(wrong: str, tmp_path: Path) -> None:
    file = tmp_path / "a.scn"
    right = "first.power.average < 10 kW"
    file.write_text(EXAMPLE.replace(right, wrong), encoding="utf-8")
    assert main(["check", str(file)]) == 1
