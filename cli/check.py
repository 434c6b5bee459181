"""`isocost check`: everything that is wrong with scenario files, at once."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from isocost.dsl.check import Checked
    from isocost.dsl.diagnostics import Diagnostic
    from isocost.dsl.document import Block, Condition
    from isocost.engine.evaluate import Evaluation, Verdict

_ROUNDS = 10
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
    parser.add_argument(
        "--fix",
        action="store_true",
        help="first apply the fixes that change no meaning and lose no comment",
    )
    parser.add_argument(
        "--pin",
        action="store_true",
        help="write what the files rest on into the root's isocost.toml",
    )


def run(args: "argparse.Namespace") -> int:
    """Check the files; 1 if any has an error."""
    from isocost._shared import open_file
    from isocost.dsl.diagnostics import failed, ordered
    from isocost.dsl.load import unread
    from isocost.dsl.render import render
    from isocost.dsl.spans import Span

    found: list[Diagnostic] = []
    sources: dict[str, str] = {}
    lost: list[Diagnostic] = []  # said on standard error when it was not opened
    unreadable = 0
    for path in args.files:
        if args.fix:
            _fix(path)
        checked = open_file(path)
        if checked is None:
            unreadable += 1
            lost.append(unread(Span(path, 0, 0), path, path))
            continue
        if args.pin:
            _pin(checked)
        problems = checked.diagnostics
        if args.evaluate and not failed(problems):
            unused = {d.args["name"] for d in problems if d.code == "L004"}
            more = [
                d
                for d in _evaluated(checked)
                if d.code != "L010" or d.args["name"].partition(".")[0] not in unused
            ]
            silences = checked.silences
            problems = [*problems, *(silences.heard(more) if silences else more)]
        found += problems
        sources.update(checked.document.sources_text)
    found = ordered(found)
    bad = failed(found)
    if args.format == "text":
        _text(found, sources, len(args.files) - unreadable)
    else:
        found = ordered([*found, *lost])
        sys.stdout.write(render(found, sources, args.format) + "\n")
    return 1 if bad or unreadable else 0


def _text(found: "list[Diagnostic]", sources: dict[str, str], files: int) -> None:
    from isocost._shared import color, width
    from isocost.dsl.render import render

    if found:
        shown = render(found, sources, "text", color=color(sys.stdout), width=width())
        sys.stdout.write(shown + "\n")
        return
    if not files:
        return
    what = "file is" if files == 1 else "files are"
    sys.stdout.write(f"{files} {what} fine\n")


def _evaluated(checked: "Checked") -> "list[Diagnostic]":
    """Checks and claims that do not hold, and what kept others from being decided."""
    from isocost.dsl.diagnostics import ERROR, NOTE, at, failed
    from isocost.engine.effect import without_effect
    from isocost.engine.evaluate import Evaluation

    evaluation = Evaluation(checked)
    out = []
    for verdict in evaluation.verdicts():
        if verdict.holds:
            continue
        condition = verdict.condition
        code = "C001" if condition.kind == "check" else "C002"
        sides = _sides(checked, verdict)
        out.append(
            at(
                code,
                condition.span,
                severity=ERROR if code == "C001" else NOTE,
                left=sides[0],
                right=sides[1],
                share=f"{verdict.share:.0%}",
                wanted="" if condition.share is None else f"{condition.share:.0%}",
                why=condition.why,
            )
        )
    out += untrue_titles(evaluation)
    told = _told(evaluation)
    problems = list(evaluation.diagnostics)
    known = [(d.code, d.args) for d in problems]
    out += [d for d in told if (d.code, d.args) not in known]
    if not failed([*out, *problems]):
        out += without_effect(evaluation)
    return [*out, *problems]


def untrue_titles(
    evaluation: "Evaluation", name: str | None = None
) -> "list[Diagnostic]":
    """The reports whose titles have outlived their results.

    Args:
        evaluation: The file's.
        name: One report; all of the main file if left out.
    """
    from isocost.dsl.diagnostics import at

    out = []
    for verdict in evaluation.titles():
        condition = verdict.condition
        if verdict.holds or name not in {None, condition.why}:
            continue
        sides = _sides(evaluation.checked, verdict)
        facts = {"name": condition.why, "left": sides[0], "right": sides[1]}
        out.append(at("C004", condition.span, facts=facts))
    return out


def _sides(checked: "Checked", verdict: "Verdict") -> tuple[str, str]:
    """Both sides of a comparison in words; empty where there are none."""
    scale, unit = _unit(checked, verdict.condition)
    left, right = (
        "" if side is None else f"{side / scale:.4g} {unit}".strip()
        for side in (verdict.left, verdict.right)
    )
    return left, right


def _unit(checked: "Checked", condition: "Condition") -> tuple[float, str]:
    """The unit in which both sides are shown: a side's own, else that of its kind."""
    from isocost.dsl.expressions import Checker
    from isocost.dsl.mending import spelled
    from isocost.dsl.units import Unit, unit

    for side in condition.expr.args:
        if side.op == "literal" and isinstance(side.value.unit, Unit):
            return side.value.unit.factor, side.value.unit.text
    found: list[Diagnostic] = []
    checker = Checker(checked.lookup, found.append, None, condition.file)
    dims = [checker.dim(side) for side in condition.expr.args[:1]]
    text = spelled(dims[0]) if dims and dims[0] is not None else None
    return (unit(text).factor, text) if text else (1.0, "")


def _told(evaluation: "Evaluation") -> "list[Diagnostic]":
    """Limits that a scenario of the main file breaks, and results that stand alone."""
    from isocost.dsl.diagnostics import WARNING, at

    out: list[Diagnostic] = []
    for block in evaluation.document.scenarios:
        out += _overdrawn(evaluation, block)
        alone = evaluation.unfollowed(block.name)
        stated = [
            alone[p][-1] for p in evaluation.scope(block.name).replaced if p in alone
        ]
        for reason in (*evaluation.breaches(block.name), *stated):
            facts = {"name": block.label, "reason": reason}
            out.append(at("C003", block.span, severity=WARNING, facts=facts))
    return out


def _overdrawn(evaluation: "Evaluation", block: "Block") -> "list[Diagnostic]":
    """A bill whose lines cost more than the total that is stated, asked for or not."""
    system = evaluation.scope(block.name).block("system")
    if system is None or not any(path.startswith("item[") for path in system.facts):
        return []
    before = len(evaluation.diagnostics)
    evaluation.node(block.name, "bill[not_itemised]")
    found = evaluation.diagnostics[before:]
    del evaluation.diagnostics[before:]
    return [one for one in found if one.code == "M003"]


def _fix(path: str) -> None:
    """Apply safe fixes until there are none; files that cannot be read are left."""
    from isocost._files import read_exactly, replace
    from isocost.dsl.check import check_file
    from isocost.dsl.fixes import apply, safe_fixes
    from isocost.engine.quantities import table

    before = text = read_exactly(path)
    for _ in range(_ROUNDS):
        found = [] if text is None else check_file(path, table(), text).diagnostics
        fixes = safe_fixes(found, path, text or "")
        if text is None or not fixes:
            break
        text = apply(text, fixes)
    if text is not None and text != before:
        replace(path, text)


def _pin(checked: "Checked") -> None:
    """Write the pins of a file's project, beside the file if it has no root yet."""
    import os

    from isocost._files import replace
    from isocost.dsl.load import EDITION, SHIPPED, version
    from isocost.dsl.project import NAME, digest, pinned

    document = checked.document
    project = document.project
    used = {
        name.removeprefix(SHIPPED): digest(file.text)
        for name, file in document.files.items()
        if name.startswith(SHIPPED)
    }
    kept = dict(project.catalogue) if project else {}
    text = pinned(project.text if project else "", EDITION, version(), {**kept, **used})
    place = (
        project.file if project else os.path.join(os.path.dirname(document.file), NAME)
    )
    if not os.path.exists(place):
        with open(place, "x", encoding="utf-8"):
            pass
    replace(place, text)
