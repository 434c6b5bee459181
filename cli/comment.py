"""`isocost comment`: the review as a comment, written to a file or put on a forge."""

import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

HELP = "write or post the review comment of a change"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._reviews import add_sides

    add_sides(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write it there (default: print it)"
    )
    parser.add_argument(
        "--post",
        choices=("github", "gitlab"),
        help="post or update it; token and place come from the environment",
    )
    parser.add_argument(
        "--number", metavar="N", help="of the pull or merge request (default: this one)"
    )
    parser.add_argument(
        "--when",
        action="append",
        default=[],
        metavar="POLICY",
        help="comment only where one of these holds (as for --fail-on)",
    )
    parser.add_argument(
        "--tag",
        default="review",
        metavar="NAME",
        help="tells several comments of one request apart",
    )


def run(args: "argparse.Namespace") -> int:
    """Write or post; 1 if a policy refuses the change, a file or the forge is at fault.

    A policy that refuses does so after the comment is written.
    """
    from isocost._git import GitError
    from isocost._reviews import reviewed, sides_of
    from isocost._shared import complain, writable
    from isocost.reports.review.markdown import markdown

    if args.number is not None and not args.number.isdigit():
        complain(f"--number {args.number}: this is no number")
        return 2
    if args.output is not None:
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
    body = markdown(outcome.briefs, args.tag) if outcome.worth else ""
    done = _deliver(args, body)
    sys.stderr.writelines(f"{text}\n" for text in outcome.refusals())
    return 1 if outcome.refused or outcome.faulty or not done else 0


def _deliver(args: "argparse.Namespace", body: str) -> bool:
    """Write the comment to where it belongs; whether that worked."""
    from pathlib import Path

    from isocost._shared import complain
    from isocost.reports.write import write_atomic

    if args.output is not None:
        try:
            write_atomic(Path(args.output), body)
        except OSError as error:
            complain(f"{args.output}: {error.strerror or error}")
            return False
    if args.post is not None:
        return _post(args, body)
    if args.output is None:
        sys.stdout.write(body)
    return True


def _post(args: "argparse.Namespace", body: str) -> bool:
    """Post it; where the token may not write, the job's summary has it instead."""
    from isocost._forge import FORGES, ForgeError, ReadOnlyError, post
    from isocost._shared import complain
    from isocost.reports.review.markdown import tag

    try:
        forge = FORGES[args.post](os.environ, args.number)
        done = post(forge, body, tag(args.tag))
    except ReadOnlyError as error:
        sys.stderr.write(f"{error}\n")
        return _summary(body)
    except ForgeError as error:
        complain(str(error))
        return False
    sys.stderr.write(f"comment: {done}\n")
    return True


def _summary(body: str) -> bool:
    """Append the comment to the job's summary, else print it."""
    from isocost._shared import complain

    path = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if not path:
        sys.stdout.write(body)
        return True
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(body)
    except OSError as error:
        complain(f"{path}: {error.strerror or error}")
        return False
    sys.stderr.write("the review is in the job's summary instead\n")
    return True
