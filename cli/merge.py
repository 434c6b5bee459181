"""`isocost merge`: three versions of a scenario file, merged fact by fact."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from isocost.dsl.merge import Merged, Names

HELP = "merge two versions of a file fact by fact"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    parser.add_argument("base", metavar="BASE", help="the common version")
    parser.add_argument("ours", metavar="OURS")
    parser.add_argument("theirs", metavar="THEIRS")
    parser.add_argument("-o", "--output", metavar="OUT", help="write it there")
    parser.add_argument(
        "--write", action="store_true", help="write it to OURS, as git's driver does"
    )
    parser.add_argument("--path", metavar="PATH", help="what messages call the file")
    parser.add_argument("--marker-size", type=int, default=7, metavar="N")
    parser.add_argument(
        "--label",
        action="append",
        default=[],
        help="what OURS, BASE and THEIRS are called in conflicts",
    )


def run(args: "argparse.Namespace") -> int:
    """Merge; 1 if conflicts are left in the result, or a file cannot be read."""
    from pathlib import Path

    from isocost._files import read_exactly
    from isocost._shared import complain
    from isocost.dsl.merge import Names
    from isocost.reports.write import write_atomic

    if args.marker_size < 1 or len(args.label) > 3:  # noqa: PLR2004 (three sides)
        complain("--marker-size must be at least 1, and three labels are enough")
        return 2
    usual = ("ours", "base", "theirs")
    given: list[str] = args.label
    ours, base, theirs = (*given, *usual[len(given) :])
    names = Names(ours, base, theirs, args.marker_size)
    texts = []
    for name in (args.base, args.ours, args.theirs):
        text = read_exactly(name)
        if text is None:
            return 1
        texts.append(text)
    merged = _merged(texts, names)
    output = args.ours if args.write else args.output
    if output is None:
        sys.stdout.write(merged.text)
    else:
        try:
            write_atomic(Path(output), merged.text)
        except OSError as error:
            complain(f"{output}: {error.strerror or error}")
            return 2
    if merged.conflicts:
        plural = "s" * (merged.conflicts != 1)
        where = args.path or output or "the result"
        complain(f"{merged.conflicts} conflict{plural} left in {where}")
    return 1 if merged.conflicts else 0


def _merged(texts: list[str], names: "Names") -> "Merged":
    """The merge by facts, else git's by lines, else one conflict over all."""
    from isocost.dsl.merge import Merged, merge

    base, ours, theirs = texts
    found = merge(base, ours, theirs, names)
    if found is not None:
        return found
    by_lines = _by_lines(texts, names)
    if by_lines is not None:
        return by_lines
    size = names.size
    text = (
        f"{'<' * size} {names.ours}\n{ours}{'|' * size} {names.base}\n{base}"
        f"{'=' * size}\n{theirs}{'>' * size} {names.theirs}\n"
    )
    return Merged(text, 1)


def _by_lines(texts: list[str], names: "Names") -> "Merged | None":
    """What `git merge-file` makes of it; None without git."""
    import os
    import subprocess
    import tempfile

    from isocost.dsl.merge import Merged

    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("base", "ours", "theirs")]
        for path, text in zip(paths, texts, strict=True):
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        labels = [
            word
            for name in (names.ours, names.base, names.theirs)
            for word in ("-L", name)
        ]
        size = f"--marker-size={names.size}"
        sides = [paths[1], paths[0], paths[2]]
        command = ["git", "merge-file", "-p", "--diff3", size, *labels, *sides]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except FileNotFoundError:
            return None
    if done.returncode > 127:  # noqa: PLR2004 (git: more than 127 is an error)
        return None
    return Merged(done.stdout.decode(), done.returncode)
