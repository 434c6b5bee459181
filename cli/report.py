"""`isocost report`: the report of a file, as whatever the output's name ends in."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from isocost.reports.endings import Draft

HELP = "make the report of a file"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_draws, add_file, add_set

    add_file(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="where to write it: .pdf, .html, .xlsx, .md, .json, or .zip for the "
        "text, every table as CSV and every chart as SVG",
    )
    parser.add_argument("--name", help="which report of the file (default: the first)")
    parser.add_argument("--paper", choices=("A4", "Letter"), default="A4")
    parser.add_argument("--theme", metavar="DIR", help="a house's own theme and logo")
    parser.add_argument("--draft", action="store_true", help="mark it as a draft")
    add_draws(parser)
    add_set(parser)


def run(args: "argparse.Namespace") -> int:
    """Make the report; 1 if the file is at fault, a check fails or a title is stale."""
    from functools import partial
    from pathlib import Path

    from isocost._apart import apart
    from isocost._shared import complain, writable
    from isocost.reports.endings import ENDINGS, SET
    from isocost.reports.pdf import MissingLibraries, warm
    from isocost.reports.write import write_atomic

    output = Path(args.output or Path(args.file).with_suffix(".pdf").name)
    ending = output.suffix.lower()
    if ending not in ENDINGS:
        complain(f"{output}: reports are written as {', '.join(ENDINGS)}")
        return 2
    if args.theme and not Path(args.theme).is_dir():
        complain(f"--theme {args.theme}: there is no such folder")
        return 2
    writable(output)
    step = partial(_draft, args, ending)
    # What is set in pages goes on without the numbers' memory.
    draft = apart(step, warm) if ending in SET else step()
    if isinstance(draft, int):
        return draft
    try:
        write_atomic(output, draft.written(args.paper, _theme(args)))
    except MissingLibraries as error:
        complain(str(error))
        return 1
    except OSError as error:
        complain(f"{output}: {error.strerror or error}")
        return 1
    sys.stdout.write(f"wrote {output}\n")
    for told in draft.failed:
        complain(told)
    return 1 if draft.failed else 0


def _theme(args: "argparse.Namespace") -> "Path | None":
    from pathlib import Path

    return Path(args.theme) if args.theme else None


def _draft(args: "argparse.Namespace", ending: str) -> "Draft | int":
    """Everything that the file has to say, or the exit status if it is at fault."""
    import attrs

    from isocost._shared import complain, evaluation_failed, ready
    from isocost.engine.evaluate import Evaluation
    from isocost.reports import outputs
    from isocost.reports.assemble import assemble

    checked = ready(args.file, args.settings)
    if checked is None:
        return 1
    if not checked.document.scenarios:
        complain(f"{args.file}: there is no scenario in it")
        return 1
    evaluation = Evaluation(checked, args.draws)
    study = outputs.study_for(ending, evaluation, args.name)
    if args.name and study.block is None:
        known = ", ".join(b.label for b in checked.document.of_kind("report"))
        has = f"; it has {known}" if known else ""
        complain(f"{args.file}: there is no report {args.name}{has}")
        return 2
    if not study.metrics:
        complain(f"{args.file}: {study.baseline.label} has no metric to report")
        evaluation.node(study.baseline.name, "cost.per_Mtoken")
        evaluation_failed(evaluation)
        return 1
    report = assemble(study)
    if evaluation_failed(evaluation):
        return 1
    report = attrs.evolve(report, draft=args.draft)
    return outputs.draft(ending, study, report, _theme(args))
