"""The page on analysis: its file is right, its commands print what it shows."""

import re
import shlex
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.check import check_file
from isocost.engine.quantities import table

PAGE = Path(__file__).parents[2] / "docs" / "analysis.md"


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (text,) = blocks("scn")
    (tmp_path / "options.scn").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_file_is_right(folder: Path) -> None:
    checked = check_file(str(folder / "options.scn"), table())
    assert checked.diagnostics == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("block", blocks("console"))
def test_a_command_prints_what_is_shown(
    block: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line, _, shown = block.partition("\n")
    assert line.startswith("$ isocost ")
    assert main(shlex.split(line)[2:]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    if shown:
        assert out == shown
