"""`isocost git`: git's diff, merge and commit of scenario files, set up and undone."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from isocost._git import Repository

HELP = "set up git for scenario files, or undo it"

ATTRIBUTES = "*.scn diff=isocost merge=isocost"
#: Between these lines of a file of git's, everything is ours.
BEGIN, END = "# >>> isocost", "# <<< isocost"
SETTINGS = {
    "diff.isocost.textconv": "isocost git textconv",
    "diff.isocost.cachetextconv": "false",
    "diff.isocost.xfuncname": "^[a-z]+ +[A-Za-z_].*$",
    "merge.isocost.name": "scenario files, fact by fact",
    # %A is a temporary file; only %P is the name that the user knows it by.
    "merge.isocost.driver": (
        "isocost merge --write --marker-size %L --path %P %O %A %B"
    ),
}
SECTIONS = ("diff.isocost", "merge.isocost")
HOOK = """\
files=$(git diff --cached --name-only --diff-filter=d -- '*.scn')
if [ -n "$files" ]; then
  git diff --cached --name-only --diff-filter=d -z -- '*.scn' |
    xargs -0 isocost check || exit 1
fi
"""


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    setup = actions.add_parser("setup", help="textconv, merge driver and hook")
    setup.add_argument(
        "--no-hook", action="store_true", help="leave the pre-commit hook alone"
    )
    actions.add_parser("unset", help="undo what setup did, and nothing else")
    text = actions.add_parser("textconv", help="a file as git's diff shows it")
    text.add_argument("file", metavar="FILE")


def run(args: "argparse.Namespace") -> int:
    """Do it; 1 if there is no repository here."""
    from isocost._git import GitError, Repository
    from isocost._shared import complain

    if args.action == "textconv":
        return _textconv(args.file)
    try:
        with Repository() as repository:
            if args.action == "setup":
                _setup(repository, hook=not args.no_hook)
            else:
                _unset(repository)
    except GitError as error:
        complain(str(error))
        return 1
    except OSError as error:
        complain(f"{error.filename}: {error.strerror or error}")
        return 1
    return 0


def _setup(repository: "Repository", *, hook: bool) -> None:
    for name, value in SETTINGS.items():
        repository.run("config", "--local", name, value)
    _insert(repository, "info/attributes", ATTRIBUTES + "\n")
    done = "textconv and merge driver"
    if hook:
        done += _hook(repository)
    sys.stdout.write(f"set up: {done}; `isocost git unset` undoes it\n")


def _hook(repository: "Repository") -> str:
    """Add the hook, unless the hooks are kept in the work tree for everybody."""
    from isocost._git import GitError

    try:
        own = repository.run("config", "core.hooksPath").strip()
    except GitError:
        own = ""
    if own:
        return f"; the hooks are in {own}: add `isocost check` to pre-commit there"
    path = repository.path("hooks/pre-commit")
    fresh = not path.exists()
    if not fresh and not path.read_text(encoding="utf-8").startswith("#!/bin/sh"):
        return "; pre-commit is no sh script and was left alone"
    _insert(repository, "hooks/pre-commit", HOOK, head="#!/bin/sh\n")
    path.chmod(path.stat().st_mode | 0o111)
    return " and pre-commit hook"


def _unset(repository: "Repository") -> None:
    from contextlib import suppress

    from isocost._git import GitError

    for section in SECTIONS:
        with suppress(GitError):
            repository.run("config", "--local", "--remove-section", section)
    _remove(repository, "info/attributes")
    _remove(repository, "hooks/pre-commit", head="#!/bin/sh\n")
    sys.stdout.write("undone\n")


def _insert(repository: "Repository", name: str, lines: str, head: str = "") -> None:
    """Put our lines into one of git's files, in the place of older ones of ours."""
    path = repository.path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text(encoding="utf-8") if path.exists() else head
    before, _ = _without(text)
    if before and not before.endswith("\n"):
        before += "\n# (no line end)\n"
    path.write_text(f"{before}{BEGIN}\n{lines}{END}\n", encoding="utf-8")


def _remove(repository: "Repository", name: str, head: str = "") -> None:
    """Take our lines out again; a file that held nothing else goes."""
    path = repository.path(name)
    if not path.exists():
        return
    text, found = _without(path.read_text(encoding="utf-8"))
    if not found:
        return
    if text in {"", head}:
        path.unlink()
    else:
        path.write_text(text.removesuffix("\n# (no line end)\n"), encoding="utf-8")


def _without(text: str) -> tuple[str, bool]:
    """A text without our lines, and whether there were any."""
    before, begun, rest = text.partition(f"{BEGIN}\n")
    _, ended, after = rest.partition(f"{END}\n")
    return (before + after, True) if begun and ended else (text, False)


def _textconv(name: str) -> int:
    """One statement a line with its block's name before it, values as written."""
    from isocost._shared import complain
    from isocost.dsl.parser import parse

    try:
        with open(name, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        complain(f"{name}: {error}")
        return 1
    file_ = parse(text, name)
    if file_.diagnostics:
        sys.stdout.write(text)
        return 0
    from isocost.dsl.flat import flat

    sys.stdout.write("".join(f"{line}\n" for line in flat(file_)))
    return 0
