"""`isocost explain`: the formula behind a number, down to cited inputs."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from isocost.dsl.check import Checked
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.explain import Series, Step

HELP = "show where a number comes from, down to its sources"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_file, add_format, add_set, whole

    add_file(parser)
    parser.add_argument(
        "path", metavar="PATH", help="SCENARIO.METRIC, BLOCK.ATTRIBUTE or METRIC"
    )
    parser.add_argument("-s", "--scenario", help="whose METRIC is meant")
    parser.add_argument("--depth", type=whole(0), default=99, help="levels to open")
    parser.add_argument(
        "--closed-form",
        action="store_true",
        help="also compose the formulas into one expression of the inputs",
    )
    add_set(parser)
    add_format(parser)


def run(args: "argparse.Namespace") -> int:
    """Explain; 1 if the file is at fault."""
    from isocost._shared import SCHEMA, evaluation_failed, ready, write_json
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.explain import explain

    checked = ready(args.file, args.settings)
    if checked is None:
        return 1
    evaluation = Evaluation(checked)
    found = locate(evaluation, checked, args.path, args.scenario)
    if found is None:
        evaluation_failed(evaluation)
        return 1
    scenario, node = found
    name = _asked_name(evaluation, scenario, args.path)
    step = explain(evaluation, scenario, node, args.depth, name)
    closed = _closed(evaluation, scenario, node) if args.closed_form else ""
    if args.format == "json":
        write_json({"schema": SCHEMA, "explanation": as_json(step), "closed": closed})
    else:
        sys.stdout.write(as_text(step, checked))
        sys.stdout.write(f"\nclosed form: {closed}\n" if closed else "")
    return 0


def locate(
    evaluation: "Evaluation", checked: "Checked", path: str, scenario: str | None
) -> tuple[str, int] | None:
    """The scenario and the node that a path on the command line means.

    None where the file lacks what it takes, which the evaluation's diagnostics tell.

    Raises:
        UsageError: There is no such quantity.
    """
    from isocost._asked import parted, target
    from isocost._shared import UsageError, pick_scenarios
    from isocost.dsl.syntax import parse_path
    from isocost.engine.scope import MissingInputError

    text = path
    named, path = parted(checked, path)
    picked = pick_scenarios(checked, [scenario] if scenario else [])
    if named and scenario and named not in picked:
        message = f"{text} is of {named}, and -s asks for {scenario}"
        raise UsageError(message)
    if named:
        picked = [named]
    target(evaluation, path, picked[0] if picked else None)
    scope = evaluation.scope(picked[0]) if picked else evaluation.bare
    try:
        block = scope.scenario
        file = block.file if block else ""
        node = scope.resolve(parse_path(path), block, file)
    except MissingInputError as error:
        evaluation.diagnostics.append(error.diagnostic)
        return None
    return scope.name, node


def _asked_name(evaluation: "Evaluation", scenario: str, path: str) -> str:
    """The name of what is asked for, where the graph has none of its own for it."""
    local = path.removeprefix(f"{scenario}.") if scenario else path
    scope = evaluation.scope(scenario)
    full = scope.full_path(local)
    return scope.full_name(full) if full else path


def _closed(evaluation: "Evaluation", scenario: str, node: int) -> str:
    from isocost.engine.closed import LONGEST, TooLongError, compose
    from isocost.engine.printers.text import show
    from isocost.engine.regimes import label

    graph = evaluation.graph
    try:
        found = compose(graph, node, lambda one: label(graph, one, scenario))
    except TooLongError:
        return f"none to read: over {LONGEST:,} operators; name a quantity below it"
    return show(found.expr)


def as_json(step: "Step") -> dict[str, Any]:
    """One step and what it rests on as plain data."""
    return {
        "name": step.name,
        "value": step.value / step.scale,
        "unit": step.unit,
        "grade": step.grade,
        "doc": step.doc,
        "formula": step.formula,
        "formula_name": step.title,
        "source": step.source,
        "valid": step.valid,
        "outside": list(step.outside),
        "branch": step.branch,
        "cites": [{"key": c.key, "locator": c.locator} for c in step.cites],
        "repeated": step.repeated,
        "parts": [as_json(part) for part in step.parts],
    }


def as_text(step: "Step", checked: "Checked") -> str:
    """The tree with indents, and the sources that it ends in."""
    lines: list[str] = []
    cited: dict[str, None] = {}
    _lines(step, "", lines, cited)
    sources = [
        f"  @{key}  {_source(checked, key)}" for key in cited if key != "assumed"
    ]
    if sources:
        lines += ["", "sources:", *sources]
    return "\n".join(lines) + "\n"


def _source(checked: "Checked", key: str) -> str:
    source = checked.document.sources.get(key)
    if source is None:
        return ""
    facts = (source.facts.get(name) for name in ("publisher", "date"))
    more = ", ".join(str(f.expr.value) for f in facts if f is not None)
    return f"{source.title}{f' ({more})' if more else ''}"


def _lines(step: "Step", indent: str, lines: list[str], cited: dict[str, None]) -> None:
    from isocost._shared import digits

    shown = (
        f"{digits(step.value / step.scale, 4)} {'' if step.unit == '1' else step.unit}"
    )
    head = f"{indent}{step.name} = {shown.strip()}"
    if step.grade == "constant":
        lines.append(head)
        return
    if step.grade != "derived":
        lines.append(f"{head}  {_origin(step)}")
        cited.update(dict.fromkeys(c.key for c in step.cites))
        return
    if step.repeated:
        lines.append(f"{head}  (as above)")
        return
    lines.append(head)
    branch = f"   [{step.branch} decides]" if step.branch else ""
    lines.append(f"{indent}  = {step.formula}{branch}")
    if step.source:
        lines.append(f"{indent}  {step.title}: {step.source}")
    if step.valid and not step.valid.startswith("identity"):
        lines.append(f"{indent}  valid: {step.valid}")
    lines += [f"{indent}  ! {words}" for words in step.outside]
    told = {one.family.member(one.family.first): one for one in step.series}
    shut = {name for one in step.series for name in one.closed}
    for param, part in zip(step.params, step.parts, strict=True):
        if param in told:
            lines.append(f"{indent}  {_series(told[param])}")
        if param not in shut:
            _lines(part, indent + "  ", lines, cited)


def _series(series: "Series") -> str:
    """Operands that are alike in a line, of which the first two and the last follow."""
    from isocost._shared import digits
    from isocost.dsl.units import unit

    scale = unit(series.unit).factor
    low, high = (digits(end / scale, 4) for end in (series.low, series.high))
    shown = low if low == high else f"{low} to {high}"
    family, name = series.family, "" if series.unit == "1" else f" {series.unit}"
    return f"{family.name}, {family.range}: {series.doc}, {shown}{name}"


def _origin(step: "Step") -> str:
    from isocost._shared import digits

    spread = ""
    if step.spread.shape != "point":
        ends = [p / step.scale for p in step.spread.params]
        if step.spread.shape == "normal":
            half = 1.6448536269514722 * ends[1]
            ends = [ends[0] - half, ends[0] + half]
        spread = f"[{digits(min(ends))} to {digits(max(ends))}] "
    if step.grade == "default":
        return f"{spread}default: {step.note}"
    if step.grade == "chosen":
        return "chosen"
    cites = "; ".join(
        f"@{c.key}" + (f' "{c.locator}"' if c.locator else "") for c in step.cites
    )
    return f"{spread}{cites or 'no source'}"
