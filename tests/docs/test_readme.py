"""The README's blocks are run: commands in their order, scenario files checked."""

import re
import shlex
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.check import check_file
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

README = Path(__file__).parents[2] / "README.md"


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_every_command_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks("console") for line in block.splitlines()]
    assert len(lines) > 5
    for line in lines:
        assert line.startswith("$ isocost ")
        assert main(shlex.split(line)[2:]) == 0, line
        assert capsys.readouterr().err == "", line
    assert (tmp_path / "my.pdf").read_bytes().startswith(b"%PDF-")


def test_every_scenario_is_right(tmp_path: Path) -> None:
    found = blocks("scn")
    assert found
    for number, text in enumerate(found):
        path = tmp_path / f"block{number}.scn"
        path.write_text(text, encoding="utf-8")
        checked = check_file(str(path), table())
        assert checked.diagnostics == []
        evaluation = Evaluation(checked, 64)
        assert all(one.holds for one in evaluation.verdicts())
        assert evaluation.diagnostics == []
