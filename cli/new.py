"""`isocost new`: a commented starter file."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

HELP = "write a commented starter file"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="where to write it (default: print it)"
    )
    parser.add_argument(
        "--from",
        dest="table",
        metavar="TABLE",
        help="make it from a table of facts (.csv or .xlsx) instead: a row a fact, "
        "with the columns kind, block, attribute, value, perhaps unit, source, note",
    )
    parser.add_argument(
        "--force", action="store_true", help="write over a file that is there"
    )


def _checked(table: "Path") -> str:
    """The file that a table makes.

    Raises:
        TableError: A row of it makes a line that is wrong.
    """
    from isocost.dsl.check import check_file
    from isocost.dsl.diagnostics import ERROR
    from isocost.dsl.messages import help_text, title
    from isocost.dsl.starter import TableError, from_table
    from isocost.engine import quantities

    text, rows = from_table(table)
    told: dict[str, None] = {}
    for one in check_file(f"{table}.scn", quantities.table(), text).diagnostics:
        if one.severity != ERROR:
            continue
        row = rows.get(text.count("\n", 0, one.span.start) + 1)
        where = f"{table}, row {row}" if row else str(table)
        help_ = help_text(one)
        told[f"{where}: {title(one)}" + (f"; {help_}" if help_ else "")] = None
    if told:
        raise TableError("\n".join(told))
    return text


def run(args: "argparse.Namespace") -> int:
    """Write the file; 1 if it is there already or the table is at fault."""
    from pathlib import Path

    from isocost._shared import complain, writable
    from isocost.dsl.starter import TableError, starter
    from isocost.reports.write import write_atomic

    try:
        text = _checked(Path(args.table)) if args.table else starter()
    except TableError as error:
        for line in str(error).splitlines():
            complain(line)
        return 1
    if args.file is None:
        sys.stdout.write(text)
        return 0
    path = Path(args.file)
    if path.exists() and not args.force:
        complain(f"{path}: is there already; --force writes over it")
        return 1
    writable(path)
    try:
        write_atomic(path, text.encode())
    except OSError as error:
        complain(f"{path}: {error.strerror or error}")
        return 1
    verb = "check" if args.table else "eval"
    sys.stdout.write(f"wrote {path}; next: isocost {verb} {path}\n")
    return 0
