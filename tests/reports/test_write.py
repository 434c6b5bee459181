"""Files appear whole or not at all."""

import os
from pathlib import Path

import pytest

from isocost.reports.write import write_atomic


def test_text_and_bytes(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a", "−")
    write_atomic(tmp_path / "b", b"\xff")
    assert (tmp_path / "a").read_text(encoding="utf-8") == "−"
    assert (tmp_path / "b").read_bytes() == b"\xff"


def test_a_failure_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no"):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_mode_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o640)
    write_atomic(path, "new")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "goal").write_text("old")
    (tmp_path / "link").symlink_to("goal")
    write_atomic(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "goal").read_text() == "new"


def test_no_folder_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomic(tmp_path / "none" / "a", "x")
