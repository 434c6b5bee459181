"""`isocost watch`: acts again when a file or an import changes, and stops cleanly."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.watch import sources, watch

PART = """\
edition 2026

chip slow {
  power = 500 W @assumed "a test"
}

system pod {
  chip = slow
}
"""
MAIN = """\
edition 2026

import "part.scn"

scenario one {
  system = pod
  let heat := 2 * chip.power in W/chip
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "part.scn").write_text(PART)
    path = tmp_path / "main.scn"
    path.write_text(MAIN)
    return path


def test_imports_are_watched_even_if_they_are_missing(file: Path) -> None:
    part = file.with_name("part.scn")
    assert sources(str(file)) == [str(file), str(part)]
    part.unlink()
    assert sources(str(file)) == [str(file), str(part)]
    file.write_text("nonsense {")
    assert sources(str(file)) == [str(file)]
    file.unlink()
    assert sources(str(file)) == [str(file)]


class StopError(Exception):
    """Ends a watch from inside."""


def looks(*changes: Callable[[], object]) -> Callable[[float], None]:
    """A sleep that makes one change at each look, and then ends the watch."""
    left = iter(changes)

    def sleep(_: float) -> None:
        change = next(left, None)
        if change is None:
            raise StopError
        change()

    return sleep


def nothing() -> None:
    """A look at which nothing has changed."""


def test_a_change_of_an_import_acts_once(file: Path) -> None:
    part = file.with_name("part.scn")
    rounds: list[int] = []

    def write(text: str) -> Callable[[], object]:
        return lambda: part.write_text(text)

    # Written in two goes: the watch waits until the file rests.
    sleep = looks(nothing, write(PART[:40]), write(PART + "\n"), nothing, nothing)
    with pytest.raises(StopError):
        watch(str(file), lambda: rounds.append(1), sleep=sleep)
    assert len(rounds) == 2


def test_a_change_while_acting_is_not_missed(file: Path) -> None:
    rounds: list[int] = []

    def act() -> None:
        rounds.append(1)
        if len(rounds) == 1:
            file.write_text(MAIN + "# more\n")

    with pytest.raises(StopError):
        watch(str(file), act, sleep=looks(nothing, nothing))
    assert len(rounds) == 2


def test_ctrl_c_ends_it_cleanly(file: Path) -> None:
    line = [sys.executable, "-m", "isocost", "watch", str(file), "-m", "heat"]
    process = subprocess.Popen(
        [*line, "--every", "0.05"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    shown = ""
    for line_ in process.stdout:
        shown += line_
        if "watching" in line_:
            break
    assert "1,000" in shown
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert err.strip() == ""


def test_a_report_is_rebuilt(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def one_round(_: str, act: Callable[[], None], **__: object) -> None:
        act()
        raise KeyboardInterrupt

    monkeypatch.setattr("isocost.watch.watch", one_round)
    file, out = tmp_path / "new.scn", tmp_path / "out.md"
    assert main(["new", str(file)]) == 0
    assert main(["watch", str(file), "-o", str(out)]) == 0
    assert out.exists()
    assert f"wrote {out}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "status", "word"),
    [(("nowhere.scn",), 1, "no such file"), (("x.scn", "--every", "0"), 2, "--every")],
)
def test_a_mistake_is_explained(
    args: tuple[str, ...], status: int, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", *args]) == status
    assert word in capsys.readouterr().err
