"""`isocost lsp`: the editor server, on standard input and output."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

HELP = "serve editors: diagnostics, hover, completion and the like"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    parser.add_argument(
        "--stdio",
        action="store_true",
        help="speak over standard input and output, as it does anyhow",
    )


def run(args: "argparse.Namespace") -> int:
    """Serve until the editor ends it; 1 where the protocol's library is not there."""
    from importlib.util import find_spec

    from isocost._shared import complain

    del args
    if find_spec("pygls") is None:
        complain("an editor server needs pygls: pip install 'isocost[lsp]'")
        return 1
    from isocost._server import serve

    if sys.stdin.isatty():
        complain("waiting for an editor on standard input; Ctrl-C ends it")
    serve()
    return 0
