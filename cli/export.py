"""`isocost export`: what a scenario file states, as JSON for other programs."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

HELP = "print what a scenario file states as JSON"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_file

    add_file(parser)
    parser.add_argument(
        "--schema",
        action="store_true",
        help="print the JSON Schema of the output instead",
    )


def run(args: "argparse.Namespace") -> int:
    """Print the document; 1 if the file has an error."""
    import json

    from isocost._shared import FAULT, ready, write_json
    from isocost.dsl.export import exported, json_schema

    if args.schema:
        sys.stdout.write(json.dumps(json_schema(), indent=2) + "\n")
        return 0
    checked = ready(args.file)
    if checked is None:
        return FAULT
    write_json(exported(checked.document))
    return 0
