"""`isocost report`: the report of a file, as whatever the output's name ends in."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

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
    parser.add_argument("--theme", metavar="DIR", help="a house's own theme")
    add_draws(parser)
    add_set(parser)


def run(args: "argparse.Namespace") -> int:
    """Make the report; 1 if the file is at fault, a check fails or a title is stale."""
    from pathlib import Path

    from isocost._shared import complain, evaluation_failed, ready, writable
    from isocost.engine.evaluate import Evaluation
    from isocost.reports import outputs
    from isocost.reports.assemble import assemble
    from isocost.reports.pdf import MissingLibraries
    from isocost.reports.write import write_atomic

    output = Path(args.output or Path(args.file).with_suffix(".pdf").name)
    ending = output.suffix.lower()
    if ending not in outputs.WRITERS:
        complain(f"{output}: reports are written as {', '.join(outputs.WRITERS)}")
        return 2
    if args.theme and not Path(args.theme).is_dir():
        complain(f"--theme {args.theme}: there is no such folder")
        return 2
    writable(output)
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
    theme = Path(args.theme) if args.theme else None
    try:
        options = outputs.Options(args.paper, theme)
        data = outputs.write(ending, study, report, options)
        write_atomic(output, data)
    except MissingLibraries as error:
        complain(str(error))
        return 1
    except OSError as error:
        complain(f"{output}: {error.strerror or error}")
        return 1
    failed = [one for one in study.verdicts if not one.holds]
    checks = [one for one in failed if one.condition.kind == "check"]
    sys.stdout.write(f"wrote {output}\n")
    for one in checks:
        complain(f"{one.condition.name} does not hold: {one.condition.why}")
    return 1 if checks else 0
