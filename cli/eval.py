"""`isocost eval`: metrics of scenarios with their intervals."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from isocost.dsl.diagnostics import Diagnostic
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.results import Result

Lost = Mapping[tuple[str, str], "Diagnostic"]
#: Metrics that say 1 for yes and 0 for no.
YES_NO = {"memory.fits", "train.divides", "serving.divides"}
HELP = "compute metrics of scenarios, with intervals"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_draws, add_file, add_format, add_set

    add_file(parser)
    parser.add_argument("-s", "--scenario", action="append", default=[])
    parser.add_argument(
        "-m",
        "--metric",
        action="append",
        default=[],
        help="a path such as cost.per_Mtoken (default: all headline metrics)",
    )
    add_set(parser)
    add_draws(parser)
    add_format(parser)


def run(args: "argparse.Namespace") -> int:
    """Compute; 1 if the file is at fault."""
    from isocost._asked import metrics
    from isocost._shared import (
        complain,
        evaluation_failed,
        pick_scenarios,
        ready,
        write_json,
    )
    from isocost.engine.evaluate import Evaluation

    checked = ready(args.file, args.settings)
    if checked is None:
        return 1
    scenarios = pick_scenarios(checked, args.scenario)
    if not scenarios:
        complain(f"{args.file}: there is no scenario in it")
        return 1
    evaluation = Evaluation(checked, args.draws)
    if args.metric:
        only = bool(args.scenario)
        wanted = metrics(evaluation, args.metric, scenarios, only=only)
        scenarios = list(dict.fromkeys(name for name, _ in wanted))
    else:
        wanted = [(n, m) for n in scenarios for m in _headlines(evaluation, n)]
    results = evaluation.results(wanted)
    lost = dict(evaluation.lost) if args.metric else {}
    if args.format == "json":
        write_json(as_json(evaluation, scenarios, results, lost))
    else:
        sys.stdout.write(as_text(evaluation, scenarios, results, lost))
    return 1 if evaluation_failed(evaluation) else 0


def _headlines(evaluation: "Evaluation", scenario: str) -> list[str]:
    """The headline metrics of a scenario; where it has none, the one to be told of.

    A scenario that others extend may leave open what they state, and a ring is told.
    """
    blocks = evaluation.document.blocks.values()
    extended = any(block.base == scenario for block in blocks)
    found = evaluation.headlines(scenario)
    ring = any(one.code == "R008" for one in evaluation.diagnostics)
    return found or ([] if extended or ring else ["cost.per_Mtoken"])


def as_json(
    evaluation: "Evaluation",
    scenarios: list[str],
    results: "list[Result]",
    lost: "Lost",
) -> dict[str, Any]:
    """The contract's shape; `choices` says how open choices were settled.

    A metric that was asked for and has no result stands there with no value and the
    reason, which `refused` tells of its scenario too.
    """
    from isocost import _ramp
    from isocost._shared import SCHEMA
    from isocost.dsl.messages import title
    from isocost.engine.comparison import unlike

    found: dict[str, dict[str, Any]] = {name: {} for name in scenarios}
    for one in results:
        found[one.scenario][one.path] = {
            "value": one.value,
            "unit": one.unit,
            "si": one.central,
            "low": one.low / one.scale,
            "median": one.median / one.scale,
            "high": one.high / one.scale,
            "dimension": one.dimension,
            "flags": list(one.flags),
            "branches": dict(one.branches),
        }
    reasons: dict[str, str] = {}
    for (name, path), why in lost.items():
        found[name][path] = _without(evaluation, name, path, title(why))
        reasons.setdefault(name, title(why))
    choices = {name: choices_json(evaluation, name) for name in scenarios}
    left_out = _left_out(evaluation, scenarios)
    return {
        "schema": SCHEMA,
        "scenarios": found,
        "choices": choices,
        "refused": reasons
        | {
            name: title(evaluation.refused[name])
            for name in scenarios
            if name in evaluation.refused
        },
        "left_out": {name: title(why) for name, why in left_out.items()},
        "supply": {
            name: _ramp.as_json(plan)
            for name, plan in _ramp.plans(evaluation, scenarios).items()
        },
        "unlike": unlike(evaluation, scenarios),
    }


def _without(
    evaluation: "Evaluation", scenario: str, path: str, why: str
) -> dict[str, Any]:
    """A metric without a value, in the shape of one that has it."""
    from isocost.dsl.units import unit

    entry = evaluation.entry(scenario, path)
    numbers = dict.fromkeys(("value", "si", "low", "median", "high"))
    return {
        **numbers,
        "unit": entry.unit,
        "dimension": str(unit(entry.unit).dim),
        "flags": [f"no value: {why}"],
        "branches": {},
        "refused": why,
    }


def _left_out(
    evaluation: "Evaluation", scenarios: list[str]
) -> "dict[str, Diagnostic]":
    """Why scenarios with a price book have no cost, by name.

    One that others extend may leave open what they state.
    """
    from isocost.engine.feasibility import cost_left_out

    bases = {block.base for block in evaluation.document.blocks.values()}
    found = {n: cost_left_out(evaluation.scope(n)) for n in scenarios if n not in bases}
    return {name: why for name, why in found.items() if why is not None}


def choices_json(evaluation: "Evaluation", scenario: str) -> dict[str, Any]:
    """The settled choices of a scenario by path, and how steady they are."""
    from isocost.engine.steady import choices

    return {
        one.path: {
            "value": one.value / one.scale,
            "unit": one.unit,
            "runner_up": None if one.runner_up is None else one.runner_up / one.scale,
            "gap": one.gap,
            "feasible_share": one.feasible_share,
            "best_share": one.best_share,
        }
        for one in choices(evaluation, scenario)
    }


def choices_text(evaluation: "Evaluation", values: Mapping[int, float]) -> str:
    """The values of choices, by path, in their units."""
    from isocost._shared import digits

    out = []
    for node, value in values.items():
        what: Any = evaluation.graph.nodes[node].what
        unit = "" if what.unit == "1" else f" {what.unit}"
        path = what.path or what.origin
        out.append(f"{path} = {digits(value / what.scale)}{unit}")
    return ", ".join(out)


def as_text(
    evaluation: "Evaluation",
    scenarios: list[str],
    results: "list[Result]",
    lost: "Lost",
) -> str:
    """A table for each scenario."""
    from isocost import _ramp
    from isocost._shared import digits, write_table
    from isocost.dsl.messages import title
    from isocost.engine.comparison import unlike

    ramps = _ramp.plans(evaluation, scenarios)
    left_out = _left_out(evaluation, scenarios)
    out = []
    for name in scenarios:
        whole, remarked = evaluation.remarks(name), set[str]()
        rows = [("metric", "value", "90% interval", "unit", "")]
        for one in results:
            if one.scenario != name:
                continue
            low, high = digits(one.low / one.scale), digits(one.high / one.scale)
            interval = "" if low == high else f"{low} to {high}"
            note = "; ".join(flag for flag in one.flags if flag not in whole)
            remarked |= set(one.flags)
            value = digits(one.value)
            if one.path in YES_NO:
                value, interval = "yes" if one.value else "no", interval and "no to yes"
            rows.append((one.path, value, interval, one.unit, note))
        if len(rows) == 1:
            continue
        rows += [
            (path, "none", "", evaluation.entry(name, path).unit, title(why))
            for (scenario, path), why in lost.items()
            if scenario == name
        ]
        out.append(f"{name}\n{write_table(rows, '<>><<')}\n")
        out += [f"note: {said}\n" for said in whole if said in remarked]
        if name in left_out:
            out.append(f"no cost: {title(left_out[name])}\n")
        if name in evaluation.refused:
            refused = title(evaluation.refused[name])
            out.append(f"refused, so what rests on it has no value: {refused}\n")
        settled = evaluation.settled(name)
        if settled.values:
            text = choices_text(evaluation, settled.values)
            gap = (
                ""
                if settled.gap is None
                else f"; the next best is {settled.gap:.1%} off"
            )
            out.append(
                f"chosen: {text} (best {settled.objective} of "
                f"{settled.admissible:,} of {settled.tried:,} configurations{gap})\n"
            )
        if name in ramps:
            out.append(f"\n{_ramp.as_text(ramps[name])}\n")
        out.append("\n")
    out += [f"not alike: {said}\n" for said in unlike(evaluation, scenarios)]
    text = "".join(out).rstrip("\n")
    return f"{text}\n" if text else ""
