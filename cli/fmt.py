"""`isocost fmt`: scenario files in their canonical form."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

HELP = "put scenario files into their canonical form"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_file

    add_file(parser, several=True)
    parser.add_argument(
        "--check",
        action="store_true",
        help="change nothing; name the files that would change, and exit with 1",
    )
    parser.add_argument(
        "--diff",
        action="store_true",
        help="change nothing; print what would change, and exit with 1",
    )


def run(args: "argparse.Namespace") -> int:
    """Format the files; 1 if one cannot be read or, when asked, would change."""
    from isocost._files import read_exactly

    changed, faulty = 0, 0
    for path in args.files:
        old = read_exactly(path)
        new = None if old is None else _formatted(old, path)
        if old is None or new is None:
            faulty += 1
        elif new != old:
            changed += 1
            faulty += not _settle(path, old, new, args)
    asked = args.check or args.diff
    _report(changed, len(args.files) - faulty - changed, asked=asked)
    return 1 if faulty or (asked and changed) else 0


def _formatted(text: str, path: str) -> str | None:
    """The canonical form; None, with its diagnostics shown, if there is none."""
    from isocost._shared import color, width
    from isocost.dsl.diagnostics import ordered
    from isocost.dsl.format import format_text
    from isocost.dsl.render import render

    text = text.removeprefix("\ufeff")
    found = format_text(text, path)
    if isinstance(found, str):
        return found
    wide, coloured = width(), color(sys.stderr)
    shown = render(ordered(found), {path: text}, color=coloured, width=wide)
    sys.stderr.write(f"{shown}\n{path} is left as it is\n")
    return None


def _settle(path: str, old: str, new: str, args: "argparse.Namespace") -> bool:
    """Write a changed file, or show what would change; False if that fails."""
    from isocost._files import replace
    from isocost._shared import complain

    if args.diff:
        sys.stdout.write(_difference(path, old, new))
    elif args.check:
        sys.stdout.write(f"{path} would change\n")
    else:
        try:
            replace(path, new)
        except OSError as error:
            complain(f"{path}: {error.strerror or error}")
            return False
    return True


def _difference(path: str, old: str, new: str) -> str:
    import difflib

    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    lines = list(difflib.unified_diff(before, after, path, f"{path} (formatted)"))
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def _report(changed: int, same: int, *, asked: bool) -> None:
    verb = "would be formatted" if asked else "formatted"
    parts = [f"{_files(changed)} {verb}"] if changed else []
    parts += [f"{_files(same)} left unchanged"] if same or not changed else []
    sys.stderr.write(", ".join(parts) + "\n")


def _files(number: int) -> str:
    return f"{number} file{'s' * (number != 1)}"
