"""What commands share: opening a file, showing diagnostics, writing JSON."""

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from isocost.dsl.check import Checked
    from isocost.dsl.diagnostics import Diagnostic
    from isocost.engine.evaluate import Evaluation

SCHEMA = 1
FAULT = 1
_MOST_OFFERED = 12
MOST_DRAWS = 10_000_000


class UsageError(Exception):
    """Something on the command line is wrong: exit status 2, with this message."""


def add_file(parser: "argparse.ArgumentParser", *, several: bool = False) -> None:
    """The file argument."""
    parser.add_argument(
        "file" if not several else "files",
        metavar="FILE",
        nargs="+" if several else None,
        help="a scenario file (.scn)",
    )


def add_format(
    parser: "argparse.ArgumentParser", *more: str, default: str = "text"
) -> None:
    """`--format text|json|…`."""
    parser.add_argument(
        "--format",
        choices=("text", "json", *more),
        default=default,
        help=f"what to print (default: {default})",
    )


def add_set(parser: "argparse.ArgumentParser") -> None:
    """`--set PATH=VALUE`, as often as wanted."""
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="override one quantity, as a line of every scenario would",
    )


def whole(low: int, high: int | None = None) -> "Callable[[str], int]":
    """The type of an option that takes a whole number between two bounds."""
    import argparse

    wanted = f"at least {low:,}" if high is None else f"between {low:,} and {high:,}"

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if value < low or (high is not None and value > high):
            message = f"must be a whole number, {wanted}, and not {text!r}"
            raise argparse.ArgumentTypeError(message)
        return value

    return read


def add_draws(parser: "argparse.ArgumentParser", default: int = 4096) -> None:
    """`-n`, the number of draws."""
    parser.add_argument(
        "-n",
        "--draws",
        type=whole(1, MOST_DRAWS),
        default=default,
        help=f"draws of the uncertain inputs (default: {default})",
    )


def add_compiled(parser: "argparse.ArgumentParser") -> None:
    """`--compiled`, for very many points."""
    parser.add_argument(
        "--compiled",
        action="store_true",
        help="run as machine code, which pays from some million points on",
    )


def compiled(args: "argparse.Namespace") -> bool:
    """Whether to run as machine code; says so where it is asked for and not there."""
    from importlib.util import find_spec

    if args.compiled and find_spec("llvmlite") is None:
        complain(
            "--compiled needs llvmlite, pip install 'isocost[compiled]'; "
            "the same numbers come without it, later"
        )
        return False
    return bool(args.compiled)


def writable(path: "str | os.PathLike[str]") -> None:
    """Ask whether a file can be written, before anything is computed for it.

    Raises:
        UsageError: It cannot, with the reason.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        reason = "this is a folder"
    elif not os.path.isdir(folder):
        reason = "there is no such folder"
    elif not os.access(folder, os.W_OK):
        reason = "the folder cannot be written to"
    elif os.path.exists(path) and not os.access(path, os.W_OK):
        reason = "the file cannot be written to"
    else:
        return
    message = f"{os.fspath(path)}: {reason}"
    raise UsageError(message)


def color(stream: Any) -> bool:
    """Whether colours are welcome on a stream."""
    return bool(stream.isatty()) and "NO_COLOR" not in os.environ


def width(default: int = 100) -> int:
    """The terminal's width, or a fixed one where there is none."""
    import shutil

    return min(shutil.get_terminal_size((default, 24)).columns, 120)


def open_file(path: str, settings: Sequence[str] = ()) -> "Checked | None":
    """Load and check a file; None, with a message printed, where it cannot be read."""
    from isocost._files import unreadable
    from isocost.dsl.check import check
    from isocost.dsl.edits import with_settings
    from isocost.dsl.load import load
    from isocost.dsl.resolve import resolve
    from isocost.engine.quantities import table

    try:
        loaded = load(path)
    except (OSError, UnicodeDecodeError) as error:
        complain(unreadable(path, error))
    else:
        return check(with_settings(resolve(loaded), settings), table())
    return None


def complain(message: str) -> None:
    """One line on standard error."""
    sys.stderr.write(f"isocost: {message}\n")


def show(
    diagnostics: "Iterable[Diagnostic]", checked: "Checked", form: str = "text"
) -> str:
    """Diagnostics as text in one of the renderings."""
    from isocost.dsl.render import render

    return render(
        list(diagnostics),
        checked.document.sources_text,
        form,
        color=form == "text" and color(sys.stderr),
        width=width(),
    )


def ready(path: str, settings: Sequence[str] = ()) -> "Checked | None":
    """Open a file for computing: its errors are shown and stop it, warnings do not.

    Raises:
        UsageError: Nothing but the settings is at fault.
    """
    from isocost.dsl.diagnostics import ERROR, failed

    checked = open_file(path, settings)
    if checked is None:
        return None
    if failed(checked.diagnostics):
        sys.stderr.write(show(checked.diagnostics, checked) + "\n")
        _blame_settings(d for d in checked.diagnostics if d.severity == ERROR)
        return None
    return checked


def pick_scenarios(checked: "Checked", wanted: Sequence[str]) -> list[str]:
    """The scenarios asked for, else all of the main file.

    Raises:
        UsageError: One of them is not known.
    """
    from isocost.dsl.suggest import nearest

    known = [b.name for b in checked.document.of_kind("scenario")]
    if not wanted:
        return [b.name for b in checked.document.scenarios]
    out: list[str] = []
    for name in wanted:
        found = [k for k in known if k == name or k.startswith(f"{name}[")]
        if not found:
            near = nearest(name, known)
            more = f"; did you mean {near[0]}?" if near else ""
            if not near and known:
                more = f"; there is {', '.join(known[:_MOST_OFFERED])}"
            message = f"there is no scenario {name}{more}"
            raise UsageError(message)
        out += found
    return list(dict.fromkeys(out))


def evaluation_failed(evaluation: "Evaluation", before: int = 0) -> bool:
    """Show what an evaluation could not build; whether there was anything.

    Raises:
        UsageError: Nothing but the settings is at fault.
    """
    from isocost.dsl.diagnostics import ordered

    problems = ordered(evaluation.diagnostics[before:])
    if problems:
        sys.stderr.write(show(problems, evaluation.checked) + "\n")
        _blame_settings(problems)
    return bool(problems)


def warn_broken(evaluation: "Evaluation") -> None:
    """What the results rest on and cannot be: a size that holds no system, memory."""
    for words in evaluation.broken():
        complain(words)


def _blame_settings(errors: "Iterable[Diagnostic]") -> None:
    """Raise a `UsageError` if every error lies in what `--set` says."""
    from isocost.dsl.edits import NAME

    if all(d.labels and d.labels[0].span.file == NAME for d in errors):
        raise UsageError


def write_json(data: Mapping[str, Any]) -> None:
    """JSON on standard output: numbers to 12 digits, not-a-number as null."""
    from isocost.engine.results import plain

    text = json.dumps(plain(data), indent=2, ensure_ascii=False)
    sys.stdout.write(text + "\n")


def write_table(rows: Sequence[Sequence[str]], align: str) -> str:
    """Rows in columns; `align` has `<` or `>` for each."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(align))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(size) if side == "<" else cell.rjust(size)
            for cell, size, side in zip(row, widths, align, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def digits(value: float, figures: int = 3) -> str:
    """A number to some significant figures, without an exponent where it can."""
    if math.isnan(value):
        return "undefined"
    if value == 0 or math.isinf(value):
        return "0" if value == 0 else "infinite"
    size = abs(value)
    if value == round(value) and size < 1e7:  # noqa: PLR2004 (a count is shown in full)
        return f"{value:,.0f}"
    text = f"{value:.{figures}g}"
    if "e" in text and 1e-4 <= size < 1e15:  # noqa: PLR2004 (the range that reads well)
        return f"{float(text):,.0f}"
    if 10 ** (figures - 1) <= size < 1e15:  # noqa: PLR2004
        return f"{float(text):,.0f}"
    return text
