"""The command line's entrance: finds the command, parses its options, runs it.

A command is one module of this package whose name has no leading underscore; to
add one, add the file. It states `HELP` (one string on one line), `configure(parser)`
and `run(args) -> int`, and imports what is heavy inside `run`. The list of commands
and their help is read from the files, so that `--help` imports none of them and
`--version` does not even import argparse.

Exit status: 0 fine, 1 the file or a check is at fault, 2 wrong usage.
"""

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone would double the time of `--version`
    import argparse
    from collections.abc import Sequence
    from typing import Protocol

    class Command(Protocol):
        """What a command's module offers."""

        HELP: str

        def configure(self, parser: argparse.ArgumentParser) -> None:
            """Add the command's options to its parser."""

        def run(self, args: argparse.Namespace) -> int:
            """Do the work; the result is the exit status."""


__all__ = ["command_help", "command_names", "main"]

FINE = 0
FAULT = 1
WRONG_USAGE = 2
INTERRUPTED = 128 + 2  # as a shell reports SIGINT
READER_GONE = 128 + 13  # and SIGPIPE
#: A full disk or quota, a device that fails, a stream that is closed.
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run one command line and return its exit status; never raises `SystemExit`."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not _streams():
        return FAULT
    try:
        status = _dispatch(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
        return READER_GONE
    except OSError as error:
        if error.filename is not None or error.errno not in _UNWRITABLE:
            raise
        _forget_stdout()
        print(f"isocost: standard output: {error.strerror}", file=sys.stderr)
        return FAULT
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _streams() -> bool:
    """Make the streams take any text; False, told, where there is no output."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        print("isocost: standard output is closed", file=sys.stderr)
        return False
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
    return True


def command_names() -> list[str]:
    """The names of all commands, sorted."""
    with os.scandir(_FOLDER) as entries:
        return sorted(
            entry.name[:-3]
            for entry in entries
            if entry.name.endswith(".py") and not entry.name.startswith("_")
        )


def command_help(name: str) -> str:
    """The one-line help of a command, read from its file without importing it."""
    with open(os.path.join(_FOLDER, name + ".py"), encoding="utf-8") as source:
        for line in source:
            if line.startswith("HELP = "):
                return line.removeprefix("HELP = ").strip().strip('"')
    return ""


def _dispatch(arguments: list[str]) -> int:
    first = arguments[0] if arguments else None
    if first in ("--version", "-V"):
        from isocost import __version__

        print(f"isocost {__version__}")
        return FINE
    if first in ("--help", "-h"):
        print(_overview())
        return FINE
    if first is None:
        print(_overview(), file=sys.stderr)
        return WRONG_USAGE
    if first not in command_names():
        return _refuse(first)
    return _run(first, arguments[1:])


def _run(name: str, arguments: list[str]) -> int:
    from importlib import import_module

    command: Command = import_module("isocost." + name)
    import argparse

    parser = argparse.ArgumentParser(
        prog="isocost " + name, description=command.HELP, allow_abbrev=False
    )
    command.configure(parser)
    try:
        args, unknown = parser.parse_known_args(arguments)
        if unknown:
            parser.error(_unknown_arguments(unknown, parser.format_usage()))
    except SystemExit as stop:  # argparse has printed its help or its error
        return stop.code if isinstance(stop.code, int) else WRONG_USAGE
    import warnings

    from isocost._shared import UsageError, complain

    try:
        with warnings.catch_warnings():
            # What leaves the range of floats is told as undefined, of each result.
            warnings.simplefilter("ignore", RuntimeWarning)
            return command.run(args)
    except UsageError as error:
        if str(error):
            complain(str(error))
        return WRONG_USAGE


def _overview() -> str:
    names = command_names()
    width = max(map(len, names), default=0)
    rows = [f"  {name:<{width}}  {command_help(name)}".rstrip() for name in names]
    return "\n".join(
        [
            "usage: isocost COMMAND [OPTION]...",
            "",
            "The performance and cost of AI clusters, from scenario files.",
            "",
            "commands:",
            *rows,
            "",
            "options:",
            "  -h, --help     this text; after a command, its options",
            "  -V, --version  the version",
        ]
    )


def _refuse(word: str) -> int:
    kind = "option" if word.startswith("-") else "command"
    known = ["--help", "--version"] if kind == "option" else command_names()
    hint = _did_you_mean(word, known) or "; 'isocost --help' lists them all"
    print(f"isocost: unknown {kind} '{word}'{hint}", file=sys.stderr)
    return WRONG_USAGE


def _unknown_arguments(unknown: list[str], usage: str) -> str:
    import re

    word = unknown[0].partition("=")[0]
    if not word.startswith("-"):
        return f"unexpected argument '{word}'"
    hint = _did_you_mean(word, re.findall(r"--[\w-]+", usage))
    return f"unknown option '{word}'{hint}"


def _did_you_mean(word: str, known: list[str]) -> str:
    from difflib import get_close_matches

    matches = get_close_matches(word, known, n=1)
    return f"; did you mean '{matches[0]}'?" if matches else ""


def _forget_stdout() -> None:
    """Point stdout at nothing, or the interpreter complains again when it exits."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


if __name__ == "__main__":
    sys.exit(main())
