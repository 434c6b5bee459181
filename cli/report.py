"""`isocost report`: the report of a file, as whatever the output's name ends in."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from isocost.reports.study import Study

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
    from pathlib import Path

    from isocost._shared import complain, writable
    from isocost.reports.endings import ENDINGS
    from isocost.reports.refusals import ReportError

    output = Path(args.output or Path(args.file).with_suffix(".pdf").name)
    ending = output.suffix.lower()
    if ending not in ENDINGS:
        complain(f"{output}: reports are written as {', '.join(ENDINGS)}")
        return 2
    if args.theme and not Path(args.theme).is_dir():
        complain(f"--theme {args.theme}: there is no such folder")
        return 2
    writable(output)
    try:
        return _made(args, output)
    except ReportError as error:
        complain(str(error))
    except ChildProcessError as error:
        complain(f"{error}; the machine may have run out of memory")
    except OSError as error:
        complain(f"{output}: {error.strerror or error}")
    return 1


def _made(args: "argparse.Namespace", output: "Path") -> int:
    """Make the report and write it; the exit status."""
    from isocost._shared import complain
    from isocost.reports.apart import apart
    from isocost.reports.endings import SET
    from isocost.reports.pdf import warm
    from isocost.reports.write import write_atomic

    ending = output.suffix.lower()
    if ending in SET:
        # What is set in pages goes on without the numbers' memory; what it attaches
        # is made meanwhile.
        made = apart(lambda: _steps(args, ending))
        warm()
    else:
        made = _steps(args, ending)
    draft = next(made)
    if isinstance(draft, int):
        return draft
    write_atomic(output, draft.written(args.paper, _theme(args), lambda: next(made)))
    sys.stdout.write(f"wrote {output}\n")
    for told in draft.failed:
        complain(told)
    return 1 if draft.failed else 0


def _theme(args: "argparse.Namespace") -> "Path | None":
    from pathlib import Path

    return Path(args.theme) if args.theme else None


def _steps(args: "argparse.Namespace", ending: str) -> "Iterator[Any]":
    """Everything that the file has to say, or the exit status if it is at fault.

    What is set in pages is followed by the files to attach.
    """
    import attrs

    from isocost._shared import evaluation_failed
    from isocost.reports import outputs
    from isocost.reports.assemble import assemble

    study = _study(args, ending)
    if isinstance(study, int):
        yield study
        return
    report = assemble(study)
    if evaluation_failed(study.evaluation):
        yield 1
        return
    report = attrs.evolve(report, draft=args.draft)
    yield outputs.draft(ending, study, report, _theme(args))
    yield outputs.files(study, report)


def _study(args: "argparse.Namespace", ending: str) -> "Study | int":
    """The material of the report, or the exit status if there is none."""
    from isocost._shared import complain, evaluation_failed, ready, show
    from isocost.check import untrue_titles
    from isocost.engine.evaluate import Evaluation
    from isocost.reports import outputs

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
    shown = study.block.label if study.block is not None else ""
    untrue = untrue_titles(evaluation, shown)
    if untrue:
        sys.stderr.write(show(untrue, checked) + "\n")
        return 1
    return study
