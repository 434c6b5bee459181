"""`isocost new`: a commented starter file."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

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
        help="make it from a table of facts (.csv or .xlsx) instead",
    )
    parser.add_argument(
        "--force", action="store_true", help="write over a file that is there"
    )


def run(args: "argparse.Namespace") -> int:
    """Write the file; 1 if it is there already or the table is at fault."""
    from pathlib import Path

    from isocost._shared import complain
    from isocost.dsl.starter import TableError, from_table, starter
    from isocost.reports.write import write_atomic

    try:
        text = from_table(Path(args.table)) if args.table else starter()
    except TableError as error:
        complain(str(error))
        return 1
    if args.file is None:
        sys.stdout.write(text)
        return 0
    path = Path(args.file)
    if path.exists() and not args.force:
        complain(f"{path}: is there already; --force writes over it")
        return 1
    try:
        write_atomic(path, text.encode())
    except OSError as error:
        complain(f"{path}: {error.strerror or error}")
        return 1
    sys.stdout.write(f"wrote {path}; next: isocost eval {path}\n")
    return 0
