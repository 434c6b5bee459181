"""The VS Code client is well-formed: what its manifest names is there and agrees."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from isocost.__main__ import main

HOME = Path(__file__).resolve().parents[2] / "editors" / "vscode"


def read(name: str) -> Any:
    return json.loads((HOME / name).read_text(encoding="utf-8"))


def test_what_the_manifest_names_is_there() -> None:
    manifest = read("package.json")
    language, *others = manifest["contributes"]["languages"]
    (grammar,) = manifest["contributes"]["grammars"]
    assert others == []
    assert (language["id"], language["extensions"]) == ("isocost", [".scn"])
    assert grammar["language"] == language["id"]
    assert read(grammar["path"])["scopeName"] == grammar["scopeName"]
    assert read(language["configuration"])["comments"]["lineComment"] == "#"
    named = {manifest["main"], grammar["path"], language["configuration"]}
    assert all((HOME / path).is_file() for path in named)
    for key in ("name", "publisher", "version", "engines", "license"):
        assert manifest[key], key


def test_what_it_needs_is_locked() -> None:
    manifest, lock = read("package.json"), read("package-lock.json")
    assert lock["packages"][""]["dependencies"] == manifest["dependencies"]
    for name in manifest["dependencies"]:
        assert f"node_modules/{name}" in lock["packages"]


def test_it_starts_the_server_for_the_language(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = (HOME / "extension.js").read_text(encoding="utf-8")
    manifest = read("package.json")
    assert manifest["activationEvents"] == ["onLanguage:isocost"]
    assert re.search(r"(?:exports\.|module\.exports = \{.*?)activate", code, re.DOTALL)
    for name in re.findall(r'require\("([\w/-]+)"\)', code):
        known = {"vscode", *manifest["dependencies"]}
        assert name in known or name.rpartition("/")[0] in known
    settings = manifest["contributes"]["configuration"]["properties"]
    command = settings["isocost.command"]["default"]
    assert command[0] == "isocost"
    assert main([*command[1:], "--help"]) == 0
    assert "editor" in capsys.readouterr().out
