"""`isocost sensitivity`: exact derivatives, elasticities and swings of a metric."""

import math
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from isocost.engine.regimes import Turn
    from isocost.engine.sensitivity import Sensitivity

#: Turns that are shown as text; JSON has them all.
TURNS = 5
HELP = "show what drives a metric: derivatives and swings"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_file, add_format, add_set, whole

    add_file(parser)
    parser.add_argument("metric", metavar="METRIC", help="SCENARIO.METRIC or METRIC")
    parser.add_argument("-s", "--scenario", help="whose METRIC is meant")
    parser.add_argument(
        "--top", type=whole(0), default=20, help="rows to show (0: all)"
    )
    add_set(parser)
    add_format(parser)


def run(args: "argparse.Namespace") -> int:
    """Compute the sensitivities; 1 if the file is at fault."""
    from isocost._shared import evaluation_failed, ready, warn_broken, write_json
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.sensitivity import sensitivity
    from isocost.explain import locate

    checked = ready(args.file, args.settings)
    if checked is None:
        return 1
    evaluation = Evaluation(checked)
    found = locate(evaluation, checked, args.metric, args.scenario)
    if found is None:
        evaluation_failed(evaluation)
        return 1
    scenario, _ = found
    metric = args.metric.removeprefix(f"{scenario}.")
    result = sensitivity(evaluation, scenario, metric)
    if result is None:
        evaluation_failed(evaluation)
        return 1
    if args.format == "json":
        write_json(as_json(result))
    else:
        sys.stdout.write(as_text(result, args.top))
    warn_broken(evaluation)
    return 0


def as_json(found: "Sensitivity") -> dict[str, Any]:
    """The contract's shape; derivatives are in the units shown."""
    from isocost._shared import SCHEMA

    return {
        "schema": SCHEMA,
        "scenario": found.scenario,
        "metric": found.metric,
        "value": found.value / found.scale,
        "unit": found.unit,
        "inputs": [
            {
                "path": one.path,
                "unit": one.unit,
                "value": one.value / one.scale,
                "derivative": None
                if one.derivative is None
                else one.derivative * one.scale / found.scale,
                "steps": [
                    {"to": step.to / one.scale, "metric": step.metric / found.scale}
                    for step in one.steps
                ],
                "just_below": _beside(found, one.jump_down),
                "just_above": _beside(found, one.jump_up),
                "left": _slope(one.left, one.scale / found.scale),
                "right": _slope(one.right, one.scale / found.scale),
                "next_below": _turn(one.down, one.scale),
                "next_above": _turn(one.up, one.scale),
                "elasticity": one.elasticity,
                "low": one.low / one.scale,
                "high": one.high / one.scale,
                "at_low": one.at_low / found.scale,
                "at_high": one.at_high / found.scale,
                "swing": one.swing / found.scale,
            }
            for one in found.inputs
        ],
        "branches": dict(found.branches),
    }


def _beside(found: "Sensitivity", jump: float) -> float | None:
    """The metric a hair from where it jumps; None where it does not."""
    return (found.value + jump) / found.scale if jump else None


def _slope(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _turn(turn: "Turn | None", scale: float) -> dict[str, Any] | None:
    """Where another branch takes over, in the input's unit."""
    if turn is None:
        return None
    return {"at": turn.value / scale, "quantity": turn.quantity, "branch": turn.after}


def as_text(found: "Sensitivity", top: int) -> str:
    """The inputs by swing, then by elasticity."""
    from isocost._shared import digits, write_table

    head = ("input", "value", "unit", "elasticity", "at low", "at high", "swing")
    rows = [head]
    shown = found.inputs[:top] if top else found.inputs
    for one in shown:
        ends = (one.at_low / found.scale, one.at_high / found.scale)
        uncertain = one.low != one.high
        rows.append(
            (
                one.path,
                digits(one.value / one.scale),
                one.unit,
                "jump" if one.jumps else _elasticity(one.elasticity),
                digits(ends[0]) if uncertain else "",
                digits(ends[1]) if uncertain else "",
                digits(one.swing / found.scale) if uncertain else "",
            )
        )
    text = f"{found.scenario}.{found.metric} = {digits(found.value / found.scale)} "
    if not found.inputs:
        return f"{text}{found.unit}\nnothing that is stated moves it\n"
    text += f"{found.unit}\n{write_table(rows, '<><>>>>')}\n"
    left = len(found.inputs) - len(shown)
    text += f"({left} more inputs; --top 0 shows all)\n" if left else ""
    return text + _steps_text(found) + _branches_text(found) + _turns_text(found)


def _elasticity(value: float | None) -> str:
    if value is None:
        return "steps"
    return "undefined" if math.isnan(value) else f"{value:+.3f}"


def _steps_text(found: "Sensitivity") -> str:
    """What moves in steps, one step either way: the largest changes first."""
    from isocost._shared import digits, write_table

    steps = [
        (one, digits(step.to / one.scale), step.change)
        for one in found.inputs
        for step in one.steps
    ]
    for one in found.inputs:
        beside = (("just below", one.jump_down), ("just above", one.jump_up))
        steps += [(one, where, jump) for where, jump in beside if jump]
    steps.sort(key=lambda step: -abs(step[2]))
    rows = [("one step of", "from", "to", "unit", "gives")]
    for one, to, change in steps[:TURNS]:
        ends = (digits(one.value / one.scale), to)
        gives = digits((found.value + change) / found.scale)
        rows.append((one.path, *ends, one.unit, gives))
    return f"\n{write_table(rows, '<>><>')}\n" if steps else ""


def _branches_text(found: "Sensitivity") -> str:
    """What binds, by name: the active branch of every quantity that has several."""
    from isocost._shared import write_table

    rows = [("active branch", "of")]
    for name, branch in found.branches.items():
        rows.append((branch, name.removeprefix(f"{found.scenario}.")))
    return f"\n{write_table(rows, '<<')}\n" if found.branches else ""


def _turns_text(found: "Sensitivity") -> str:
    """Where an input in doubt meets another branch, the nearest first; and kinks."""
    from isocost._shared import digits, write_table

    moving = [one for one in found.inputs if one.low != one.high]
    lines = [
        f"{one.path} stands at a kink: "
        f"{digits(one.left * one.scale / found.scale)} below, "
        f"{digits(one.right * one.scale / found.scale)} above, per {one.unit}\n"
        for one in moving
        if one.left is not None and one.right is not None and not one.jumps
    ]
    near = []
    for one in moving:
        for turn in (one.down, one.up):
            if turn is None or not 0 < turn.factor < math.inf:
                continue
            cells = (one.path, digits(turn.value / one.scale), one.unit)
            quantity = turn.quantity.removeprefix(f"{found.scenario}.")
            words = (quantity, turn.before, turn.after)
            near.append((abs(math.log(turn.factor)), *cells, *words))
    near.sort()
    rows = [("turns first", "at", "unit", "of", "from", "to")]
    rows += [turn[1:] for turn in near[:TURNS]]
    return "".join(lines) + (f"\n{write_table(rows, '<><<<<')}\n" if near else "")
