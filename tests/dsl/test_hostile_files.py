"""Files that are no files, that lead to themselves, or that are far too large."""

import os
import time
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.check import check
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.quantities import table


@pytest.mark.parametrize("command", ["check", "eval", "fmt", "report"])
def test_what_is_no_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """A ring of links, a pipe and a device end with a message, at once."""
    ring, pipe = tmp_path / "ring.scn", tmp_path / "pipe.scn"
    ring.symlink_to("ring.scn")
    os.mkfifo(pipe)
    for path, words in (
        (ring, "leads back to itself"),
        (pipe, "no regular file"),
        (Path("/dev/zero"), "no regular file"),
    ):
        assert main([command, str(path)]) == 1
        told = capsys.readouterr()
        assert words in told.err


def test_a_ring_of_links_is_no_import(tmp_path: Path) -> None:
    (tmp_path / "ring.scn").symlink_to("ring.scn")
    main_file = tmp_path / "main.scn"
    main_file.write_text('edition 2026\nimport "ring.scn"\n', "utf-8")
    assert {d.code for d in load(str(main_file)).diagnostics} <= {"R001", "R005"}


@pytest.mark.parametrize("name", ["a" * 300, "a/" * 3000, "x\ud800", "\0", "../" * 500])
@pytest.mark.parametrize("shipped", ["", "isocost:"])
def test_what_is_no_name_of_a_file_is_not_there(name: str, shipped: str) -> None:
    text = f'edition 2026\nimport "{shipped}{name}.scn"\n'
    assert {d.code for d in load("f.scn", text).diagnostics} <= {"R001", "R005", "S001"}


def test_a_file_of_many_megabytes_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.scn"
    path.write_text("#" * 4_200_000, "utf-8")
    assert main(["check", str(path)]) == 1
    assert "at most 4 MB" in capsys.readouterr().err


@pytest.mark.parametrize(
    "lines",
    [
        ["let a0 := 2", *(f"let a{i} := a{i - 1} * a{i - 1}" for i in range(1, 60))],
        ["let a0 := 2", *(f"let a{i} := a{i - 1} + 1" for i in range(1, 1500))],
        ["let a := " + " + ".join(["1"] * 150_000)],
        ["let a := " + "(" * 9_000 + "1" + ")" * 9_000],
    ],
    ids=["doubling", "chain", "long", "deep"],
)
def test_a_small_file_is_checked_fast(tmp_path: Path, lines: list[str]) -> None:
    """What doubles, chains, or goes on for a line of 600 kB ends in seconds."""
    path = tmp_path / "file.scn"
    path.write_text("edition 2026\n" + "\n".join(lines) + "\n", "utf-8")
    began = time.process_time()
    check(resolve(load(str(path))), table())
    assert time.process_time() - began < 10
