"""The command line's frame: dispatch, help, exit statuses, lazy imports."""

import argparse
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import isocost
from isocost import __main__ as cli
from isocost import __version__

HEAVY = ("jinja2", "lark", "numpy", "scipy", "sympy", "weasyprint")

GREET = '''
"""Greets."""

HELP = "say hello"


def configure(parser):
    parser.add_argument("name")
    parser.add_argument("--loud", action="store_true")


def run(args):
    if args.name == "ctrl-c":
        raise KeyboardInterrupt
    if args.name == "pipe":
        raise BrokenPipeError
    print("hello", args.name.upper() if args.loud else args.name)
    return 1 if args.name == "nobody" else 0
'''


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of commands of our own, in place of the real ones."""
    monkeypatch.setattr(cli, "_FOLDER", str(tmp_path))
    real = list(isocost.__path__)
    monkeypatch.setattr("isocost.__path__", [str(tmp_path), *real])
    (tmp_path / "_hidden.py").write_text("")
    (tmp_path / "greet.py").write_text(GREET)
    yield tmp_path
    sys.modules.pop("isocost.greet", None)


def python(code: str) -> str:
    """What a fresh interpreter prints for `code`."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([option]) == 0
    assert capsys.readouterr().out == f"isocost {__version__}\n"


@pytest.mark.usefixtures("commands")
def test_help_lists_each_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    assert "  greet  say hello\n" in capsys.readouterr().out
    assert "isocost.greet" not in sys.modules


@pytest.mark.usefixtures("commands")
def test_no_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "usage: isocost" in printed.err


@pytest.mark.usefixtures("commands")
@pytest.mark.parametrize(
    ("line", "status", "out", "err"),
    [
        (["greet", "ann"], 0, "hello ann\n", ""),
        (["greet", "ann", "--loud"], 0, "hello ANN\n", ""),
        (["greet", "nobody"], 1, "hello nobody\n", ""),
        (["greet", "--", "--loud"], 0, "hello --loud\n", ""),
        (["greet", "ctrl-c"], 130, "", ""),
        (["greet", "pipe"], 141, "", ""),
        (["greet"], 2, "", "arguments are required: name"),
        (["greet", "a", "b"], 2, "", "unexpected argument 'b'"),
        (["greet", "a", "--loudd"], 2, "", "'--loudd'; did you mean '--loud'?"),
        (["greet", "a", "--lou"], 2, "", "unknown option '--lou'"),
        (["gret"], 2, "", "unknown command 'gret'; did you mean 'greet'?"),
        (["xyzzy"], 2, "", "'isocost --help' lists them all"),
        (["_hidden"], 2, "", "unknown command '_hidden'"),
        (["../greet"], 2, "", "unknown command"),
        (["--versoin"], 2, "", "unknown option '--versoin'; did you mean '--version'?"),
    ],
)
def test_command_line(
    line: list[str],
    status: int,
    out: str,
    err: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(line) == status
    printed = capsys.readouterr()
    assert printed.out == out
    assert err in printed.err
    assert "Traceback" not in printed.err


@pytest.mark.usefixtures("commands")
def test_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["greet", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: isocost greet [-h] [--loud] name")


def test_a_reader_that_leaves_gets_no_traceback() -> None:
    """As in `isocost --help | head -1`: the pipe has gone before the text comes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "isocost", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141
    assert complaint == b""


@pytest.mark.parametrize("name", cli.command_names())
def test_each_command_keeps_the_contract(name: str) -> None:
    command = importlib.import_module(f"isocost.{name}")
    assert cli.command_help(name) == command.HELP, "HELP is one string on one line"
    assert 0 < len(command.HELP) <= 60
    command.configure(argparse.ArgumentParser(prog=name))
    assert callable(command.run)


def test_the_version_imports_next_to_nothing() -> None:
    loaded = python(
        "import sys; before = set(sys.modules)\n"
        "from isocost.__main__ import main\n"
        "main(['--version']); print(*sorted(set(sys.modules) - before))"
    )
    assert set(loaded.split()[2:]) == {"isocost", "isocost.__main__"}


def test_no_command_imports_heavy_libraries_before_it_runs() -> None:
    names = cli.command_names()
    loaded = python(
        "import importlib, sys\n"
        f"for name in {names}: importlib.import_module('isocost.' + name)\n"
        f"print(*set({HEAVY}).intersection(sys.modules))"
    )
    assert loaded.split() == []
