"""The table that is kept between runs is the one that the modules make."""

import json
from pathlib import Path

import pytest

from isocost.dsl.table import Derived
from isocost.engine import kept_table
from isocost.engine.quantities import _table


def test_what_is_kept_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert kept_table.kept_table() is None
    made = _table()
    kept_table.keep_table(made)
    kept = kept_table.kept_table()
    assert kept is not None
    assert (kept, kept.topologies) == (made, made.topologies)
    assert len(kept.topologies) > 10
    (file,) = (tmp_path / "isocost").glob("table-*.json")
    file.write_text(json.dumps([["half"]]), encoding="utf-8")
    assert kept_table.kept_table() is None
    file.write_text("{", encoding="utf-8")
    assert kept_table.kept_table() is None


def test_another_file_is_another_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept_table.keep_table(Derived({}))
    monkeypatch.setattr(kept_table, "_FOLDERS", ("",))
    assert kept_table.kept_table() is None


def test_nothing_is_kept_where_nothing_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "isocost").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept_table.keep_table(_table())
    assert kept_table.kept_table() is None
