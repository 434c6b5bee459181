"""`isocost watch`: checks and computes anew whenever a file or an import changes."""

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    Stamps = Mapping[str, tuple[int, int] | None]

HELP = "compute anew whenever a file or an import changes"
#: Seconds between looks at the files.
EVERY = 0.5
#: Wipes a terminal and goes to its top.
_WIPE = "\x1b[2J\x1b[H"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_file, add_set

    add_file(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="rebuild a report (.pdf, .html, …) instead of printing metrics",
    )
    parser.add_argument("-s", "--scenario", action="append", default=[])
    parser.add_argument("-m", "--metric", action="append", default=[])
    parser.add_argument(
        "--every", type=float, default=EVERY, help="seconds between looks at the files"
    )
    add_set(parser)


def run(args: "argparse.Namespace") -> int:
    """Watch until Ctrl-C; 1 only if there is no such file to begin with."""
    from isocost._shared import complain

    if args.every <= 0:
        complain("--every must be above 0")
        return 2
    if not os.path.isfile(args.file):
        complain(f"{args.file}: there is no such file")
        return 1
    try:
        watch(args.file, lambda: once(args), every=args.every)
    except KeyboardInterrupt:
        sys.stderr.write("\n")
    return 0


def once(args: "argparse.Namespace") -> None:
    """One round: the file checked with all it claims, and computed or built."""
    from isocost.__main__ import main

    if sys.stdout.isatty():
        sys.stdout.write(_WIPE)
    settings = [part for one in args.settings for part in ("--set", one)]
    start = time.monotonic()
    status = main(["check", args.file, "--evaluate"])
    if status == 0 or args.output is None:
        status = main(_command(args, settings))
    seconds = time.monotonic() - start
    said = "" if status == 0 else ", with mistakes"
    clock = time.strftime("%H:%M:%S")
    sys.stdout.write(f"{clock} done in {seconds:.1f} s{said}; watching {args.file}\n")
    sys.stdout.flush()


def _command(args: "argparse.Namespace", settings: "Sequence[str]") -> list[str]:
    if args.output is not None:
        return ["report", args.file, "-o", args.output, *settings]
    wanted = [part for one in args.scenario for part in ("-s", one)]
    wanted += [part for one in args.metric for part in ("-m", one)]
    return ["eval", args.file, *wanted, *settings]


def watch(
    file: str,
    act: "Callable[[], None]",
    *,
    every: float = EVERY,
    sleep: "Callable[[float], None]" = time.sleep,
) -> None:
    """Act now, and again whenever the file or anything that it imports changes.

    A change is waited out: a file that is still being written is not read.

    Args:
        file: The main file.
        act: What to do.
        every: Seconds between two looks.
        sleep: How to wait; an exception from it ends the watch.
    """
    while True:
        seen = stamps(sources(file))
        act()
        now = stamps(sources(file))
        while now == seen:
            sleep(every)
            now = stamps(seen)
        settled = False
        while not settled:
            sleep(every)
            before, now = now, stamps(seen)
            settled = before == now


def sources(file: str) -> list[str]:
    """The file and its imports on this disk, those that are still missing too."""
    from pathlib import Path

    from isocost.dsl.load import SHIPPED, load
    from isocost.dsl.syntax import Import

    found = {file: None}
    try:
        loaded = load(file)
    except (OSError, UnicodeDecodeError):
        return [file]
    for name, parsed in loaded.files.items():
        if name.startswith(SHIPPED):
            continue
        found[name] = None
        for item in parsed.items:
            if isinstance(item, Import) and not item.target.startswith(SHIPPED):
                folder = Path(name).parent
                found[os.path.normpath(folder / item.target)] = None
    return list(found)


def stamps(files: "Sequence[str] | Stamps") -> "dict[str, tuple[int, int] | None]":
    """When each file was last written, and its size; None where there is none."""
    out: dict[str, tuple[int, int] | None] = {}
    for file in files:
        try:
            state = os.stat(file)
        except OSError:
            out[file] = None
        else:
            out[file] = state.st_mtime_ns, state.st_size
    return out
