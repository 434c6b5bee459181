"""The golden runner itself: compares, updates, and finds what nobody uses."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
def test_text(golden):
    golden("area/text.out", "one\\r\\ntwo\\n")

def test_bytes(golden):
    golden("area/raw.bin", b"\\xff\\x00")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two golden tests, its goldens written."""
    (tmp_path / "tests").mkdir()
    shutil.copy(Path(__file__).parent / "conftest.py", tmp_path / "tests")
    (tmp_path / "tests" / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\ntestpaths = tests\naddopts = --import-mode=importlib\n"
    )
    assert run(project=tmp_path, options=["--update-golden"])[0] == 0
    return tmp_path


def run(project: Path, options: list[str]) -> tuple[int, str]:
    """Exit status and output of pytest in `project`."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
        cwd=project,
        check=False,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout


def test_goldens_are_written_and_compared(project: Path) -> None:
    folder = project / "tests" / "golden" / "area"
    assert (folder / "text.out").read_bytes() == b"one\ntwo\n"
    assert (folder / "raw.bin").read_bytes() == b"\xff\x00"
    assert run(project, [])[0] == 0
    (folder / "text.out").write_bytes(b"one\r\ntwo\r\n")
    assert run(project, [])[0] == 0, "a checkout with other line ends is the same"


def test_a_difference_is_shown(project: Path) -> None:
    folder = project / "tests" / "golden" / "area"
    (folder / "text.out").write_text("one\n2\n")
    (folder / "raw.bin").write_bytes(b"\xff\x01\x02")
    status, output = run(project, [])
    assert status == 1
    assert "--- golden/area/text.out" in output
    assert "\n-2\n+two\n" in output
    assert "area/raw.bin: 3 bytes, now 2; they part at byte 1" in output


def test_a_missing_golden_fails(project: Path) -> None:
    (project / "tests" / "golden" / "area" / "text.out").unlink()
    status, output = run(project, [])
    assert status == 1
    assert "no golden area/text.out; `make golden` writes it" in output
    assert not (project / "tests" / "golden" / "area" / "text.out").exists()


@pytest.mark.parametrize("workers", ["0", "2"])
def test_an_unused_golden_fails_a_full_run(project: Path, workers: str) -> None:
    folder = project / "tests" / "golden" / "area"
    (folder / "input.scn").write_text("")
    assert run(project, ["-n", workers])[0] == 0
    (folder / "old.out").write_text("")
    status, output = run(project, ["-n", workers])
    assert status == 1
    assert "tests/golden/area/old.out: no test uses it" in output


@pytest.mark.parametrize("options", [["-k", "text"], ["tests/test_it.py::test_text"]])
def test_part_of_a_run_judges_no_goldens(project: Path, options: list[str]) -> None:
    (project / "tests" / "golden" / "area" / "old.out").write_text("")
    assert run(project, options)[0] == 0
