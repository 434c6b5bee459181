"""`isocost check`: everything that is wrong with scenario files, at once."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from isocost.dsl.check import Checked
    from isocost.dsl.diagnostics import Diagnostic

HELP = "show all diagnostics of scenario files"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_file, add_format

    add_file(parser, several=True)
    add_format(parser, "plain", "sarif", "github")
    parser.add_argument(
        "--evaluate",
        action="store_true",
        help="also decide checks and claims (a check that fails is an error)",
    )


def run(args: "argparse.Namespace") -> int:
    """Check the files; 1 if any has an error."""
    from isocost._shared import open_file
    from isocost.dsl.diagnostics import failed, ordered
    from isocost.dsl.render import render

    found: list[Diagnostic] = []
    sources: dict[str, str] = {}
    unreadable = False
    for path in args.files:
        checked = open_file(path)
        if checked is None:
            unreadable = True
            continue
        problems = checked.diagnostics
        if args.evaluate and not failed(problems):
            problems = [*problems, *_evaluated(checked)]
        found += problems
        sources.update(checked.document.sources_text)
    found = ordered(found)
    bad = failed(found)
    if args.format == "text":
        _text(found, sources, len(args.files))
    else:
        sys.stdout.write(render(found, sources, args.format) + "\n")
    return 1 if bad or unreadable else 0


def _text(found: "list[Diagnostic]", sources: dict[str, str], files: int) -> None:
    from isocost._shared import color, width
    from isocost.dsl.render import render

    if found:
        shown = render(found, sources, "text", color=color(sys.stdout), width=width())
        sys.stdout.write(shown + "\n")
        return
    what = "file is" if files == 1 else "files are"
    sys.stdout.write(f"{files} {what} fine\n")


def _evaluated(checked: "Checked") -> "list[Diagnostic]":
    """Checks and claims that do not hold, and what kept others from being decided."""
    from isocost.dsl.diagnostics import ERROR, NOTE, at
    from isocost.engine.evaluate import Evaluation

    evaluation = Evaluation(checked)
    out = []
    for verdict in evaluation.verdicts():
        if verdict.holds:
            continue
        condition = verdict.condition
        code = "C001" if condition.kind == "check" else "C002"
        sides = ("", "") if verdict.left is None else (verdict.left, verdict.right)
        out.append(
            at(
                code,
                condition.span,
                severity=ERROR if code == "C001" else NOTE,
                left="" if sides[0] == "" else f"{sides[0]:.4g}",
                right="" if sides[1] == "" else f"{sides[1]:.4g}",
                share=f"{verdict.share:.0%}",
                why=condition.why,
            )
        )
    return [*out, *evaluation.diagnostics]
