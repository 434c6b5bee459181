"""`isocost migrate`: scenario files of an earlier edition in the words of this one."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

HELP = "bring scenario files to this edition of the language"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_file

    add_file(parser, several=True)
    parser.add_argument(
        "--check",
        action="store_true",
        help="change nothing; name the files that would change, and exit with 1",
    )


def run(args: "argparse.Namespace") -> int:
    """Migrate the files; 1 if one cannot be read or is of a later edition."""
    from isocost._files import read_exactly, replace
    from isocost._shared import complain
    from isocost.dsl.load import EDITION
    from isocost.dsl.migrate import edition_of, migrate

    status = 0
    for path in args.files:
        text = read_exactly(path)
        new = None if text is None else migrate(text)
        if text is None or new is None:
            status = 1
            if text is not None:
                complain(f"{path}: needs edition {edition_of(text)}, this is {EDITION}")
        elif new == text:
            sys.stderr.write(f"{path} is of edition {EDITION}\n")
        elif args.check:
            status = 1
            sys.stdout.write(f"{path} would change\n")
        else:
            try:
                replace(path, new)
            except OSError as error:
                complain(f"{path}: {error.strerror or error}")
                status = 1
            else:
                sys.stderr.write(f"{path} is now of edition {EDITION}\n")
    return status
