"""`isocost diff`: what changed, what that does to results, what caused how much."""

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from isocost._reviews import Outcome, Sides
    from isocost.reports.review import Brief

HELP = "what changed between two versions, and what it costs"
FORMATS = ("text", "md", "json", "html")


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._reviews import add_sides

    add_sides(parser)
    parser.add_argument("--format", choices=FORMATS, default=None)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="write it to a file (.pdf, .html, .md, .json, .txt); the terminal has its "
        "first line, or what --format asks for",
    )
    parser.add_argument(
        "-U",
        "--context",
        type=int,
        default=0,
        metavar="N",
        help="show N lines around each changed one (text)",
    )
    parser.add_argument("--all", action="store_true", help="hide nothing (text)")
    parser.add_argument("--paper", choices=("A4", "Letter"), default="A4")


def run(args: "argparse.Namespace") -> int:
    """Compare and show; 1 if a file is at fault or a policy refuses the change."""
    from isocost._git import GitError
    from isocost._reviews import reviewed, sides_of
    from isocost._shared import complain, writable

    if args.context < 0:
        complain("--context must not be negative")
        return 2
    if args.output and _suffix(args.output) not in WRITERS:
        complain(f"{args.output}: write to {', '.join(WRITERS)}")
        return 2
    if args.output:
        writable(args.output)
    with ExitStack() as stack:
        try:
            sides = sides_of(args, stack)
        except GitError as error:
            complain(str(error))
            return error.status
        outcome = reviewed(args, sides)
    if outcome.unread:
        for one in outcome.unread:
            complain(f"{one.text}: {one.why}")
        return 2
    written = _show(args, outcome, sides)
    return 1 if outcome.refused or outcome.faulty or not written else 0


def _suffix(name: str) -> str:
    import os

    return os.path.splitext(name)[1].lower()


def _show(args: "argparse.Namespace", outcome: "Outcome", sides: "Sides") -> bool:
    """Print and write the review; whether the file could be written."""
    title = f"{sides.old} → {sides.new}"
    shown = rendered(args, outcome.briefs, title)
    short = args.output and args.format is None
    if short:
        shown = shown.partition("\n")[0] + "\n"
    sys.stdout.write(shown)
    if outcome.refused and (short or args.format not in {None, "text"}):
        sys.stderr.writelines(f"{text}\n" for text in outcome.refusals())
    return not args.output or _write(args, outcome.briefs, title)


def rendered(args: "argparse.Namespace", briefs: "Sequence[Brief]", title: str) -> str:
    """The review in the format asked for, with a line end."""
    match args.format:
        case "json":
            return _json(briefs)
        case "md":
            from isocost.reports.review.markdown import markdown

            return markdown(briefs)
        case "html":
            return _html(briefs, title)
    from isocost._shared import color, width
    from isocost.reports.review.terminal import Screen

    screen = Screen(
        color=getattr(args, "color", True) and color(sys.stdout),
        width=width(),
        everything=args.all,
        context=args.context,
    )
    return screen.show(briefs) + "\n"


def _json(briefs: "Sequence[Brief]") -> str:
    import json

    from isocost.engine.results import plain
    from isocost.reports.review.data import as_data

    return json.dumps(plain(as_data(briefs)), indent=2, ensure_ascii=False) + "\n"


def _html(briefs: "Sequence[Brief]", title: str) -> str:
    from isocost.reports.html.page import render_html
    from isocost.reports.review.page import date_of, page

    return render_html(page(briefs, title=title), date=date_of(briefs))


def _write(args: "argparse.Namespace", briefs: "Sequence[Brief]", title: str) -> bool:
    from pathlib import Path

    from isocost._shared import complain
    from isocost.reports.refusals import ReportError
    from isocost.reports.write import write_atomic

    output = Path(args.output)
    if not any(briefs):
        sys.stderr.write(f"nothing changed; {output} is not written\n")
        return True
    try:
        write_atomic(output, WRITERS[output.suffix.lower()](args, briefs, title))
    except ReportError as error:
        complain(str(error))
        return False
    except OSError as error:
        complain(f"{output}: {error.strerror or error}")
        return False
    sys.stderr.write(f"wrote {output}\n")
    return True


def _pdf(args: "argparse.Namespace", briefs: "Sequence[Brief]", title: str) -> bytes:
    from isocost.reports.pdf import render_pdf
    from isocost.reports.review.page import date_of, page

    made = page(briefs, title=title)
    return render_pdf(made, paper=args.paper, date=date_of(briefs))


def _text(args: "argparse.Namespace", briefs: "Sequence[Brief]", title: str) -> bytes:
    import argparse

    form = {".html": "html", ".md": "md", ".json": "json"}.get(_suffix(args.output))
    wanted = argparse.Namespace(
        **{**vars(args), "format": form or "text", "color": False}
    )
    return rendered(wanted, briefs, title).encode()


WRITERS = {
    ".pdf": _pdf,
    ".html": _text,
    ".md": _text,
    ".json": _text,
    ".txt": _text,
}
