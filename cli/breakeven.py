"""`isocost breakeven`: where two options cost the same, and which is less beyond."""

import itertools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from isocost.engine.axes import Spec
    from isocost.engine.breakeven import Curve
    from isocost.engine.equation import Sides, Varied
    from isocost.engine.evaluate import Evaluation

HELP = "find where two options cost the same"
#: One `--vary` gives crossings, two a curve, three a map: curves at a few values.
MOST = 3
SLICES = 5
#: Points of a curve that are printed as text.
SHOWN = 17
_PAIR = 2


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_file, add_format, add_set

    add_file(parser)
    parser.add_argument(
        "equation",
        metavar="EQUATION",
        help="'A.cost.per_Mtoken = B.cost.per_Mtoken', or '… = 0.3 $/Mtoken'",
    )
    parser.add_argument(
        "--vary",
        action="append",
        required=True,
        metavar="PATH[=low:high]",
        help="the input that moves (default: a tenth to ten times its value); two "
        "give the curve, three a map of curves",
    )
    parser.add_argument(
        "--closed-form",
        action="store_true",
        help="also solve for the input where algebra can",
    )
    add_set(parser)
    add_format(parser)


def run(args: "argparse.Namespace") -> int:
    """Find the crossings; 1 if the file, the equation or an input is at fault."""
    from isocost._shared import complain, evaluation_failed, ready, warn_broken
    from isocost.engine.axes import AxisError, spec
    from isocost.engine.equation import sides, typed
    from isocost.engine.evaluate import Evaluation

    try:
        specs = [spec(text) for text in args.vary]
    except AxisError as error:
        complain(str(error))
        return 2
    wrong = _wrong(specs, closed=args.closed_form)
    if wrong:
        complain(wrong)
        return 2
    checked = ready(args.file, args.settings)
    if checked is None:
        return 1
    evaluation = Evaluation(checked)
    both = sides(evaluation, args.equation)
    if both is None or evaluation.diagnostics:
        mistyped = all(typed(one) for one in evaluation.diagnostics)
        evaluation_failed(evaluation)
        return 2 if mistyped else 1
    try:
        found = [_varied(evaluation, both, one) for one in specs]
    except AxisError as error:
        complain(str(error))
        return 2
    varied = [one for one in found if one is not None]
    if len(varied) < len(found):
        evaluation_failed(evaluation)
        return 1
    for a, b in itertools.combinations(varied, 2):
        if a.node == b.node:
            complain(f"{a.path} and {b.path} are the same input")
            return 2
    _solve(args, evaluation, both, varied)
    warn_broken(evaluation)
    return 0


def _wrong(specs: "Sequence[Spec]", *, closed: bool) -> str:
    """What is wrong with the inputs that are varied; empty if nothing is."""
    grids = [one.path for one in specs if one.count is not None or one.listed]
    if grids:
        return f"--vary {grids[0]} takes a range, low:high"
    if len(specs) > MOST:
        return f"--vary is taken {MOST} times at most"
    if closed and len(specs) > 1:
        return "--closed-form is of one --vary at a time"
    return ""


def _varied(evaluation: "Evaluation", both: "Sides", one: "Spec") -> "Varied | None":
    """The input of one `--vary` with its range; None, with a diagnostic, if none."""
    from isocost.engine.axes import AxisError, within
    from isocost.engine.equation import matching, varied

    graph = evaluation.graph
    nodes = matching(graph, both, one.path)
    if not nodes:
        raise AxisError(_nowhere(evaluation, both, one.path))
    if len(nodes) > 1:
        names = [str(getattr(graph.nodes[n].what, "origin", n)) for n in nodes]
        raise AxisError(f"{one.path} is several inputs: {', '.join(names)}")
    if not one.ends:
        return varied(evaluation, both, one.path)
    low, high = within(graph, nodes, one)
    if not low < high:
        raise AxisError(f"{one.path}: {one.ends[0]} is not below {one.ends[1]}")
    return varied(evaluation, both, one.path, low, high)


def _nowhere(evaluation: "Evaluation", both: "Sides", path: str) -> str:
    """Why nothing can be varied: neither side rests on it, or there is no such thing.

    Raises:
        UsageError: It is no path at all.
    """
    from isocost._asked import find, parted
    from isocost.dsl.lookup import Unknown
    from isocost.engine.equation import nearby

    scenario, rest = parted(evaluation.checked, path)
    if not isinstance(find(evaluation.checked, rest, scenario), Unknown):
        return f"neither side rests on {path}"
    near = " or ".join(nearby(evaluation.graph, both, path))
    return f"there is no input {path}" + (f"; did you mean {near}?" if near else "")


def _solve(
    args: "argparse.Namespace",
    evaluation: "Evaluation",
    both: "Sides",
    varied: "list[Varied]",
) -> None:
    """Find what is asked for and print it."""
    from isocost._crossings import Crossings, shared_text
    from isocost._shared import SCHEMA, write_json
    from isocost.engine.breakeven import breakeven, curve

    shown = Crossings(args.equation, evaluation, both)
    data = {
        "schema": SCHEMA,
        "equation": args.equation,
        "vary": [_vary_json(evaluation, one) for one in varied],
    }
    if len(varied) == 1:
        closed = args.closed_form
        found = breakeven(evaluation, both, varied[0], closed=closed)
        data |= shown.crossings_json(found, closed=closed)
        text = shown.crossings_text(found, closed=closed)
    elif len(varied) == _PAIR:
        one = curve(evaluation, both, varied[0], varied[1])
        data["points"] = _points(one)
        text = curve_text(args.equation, one)
    else:
        first, second, third = varied
        made = [
            (at, curve(evaluation, both, first, second, {third.node: at}))
            for at in _slices(third)
        ]
        data["curves"] = [
            {"at": at / third.scale, "points": _points(one)} for at, one in made
        ]
        text = "\n".join(
            curve_text(f"{args.equation} at {_amount(third, at)}", one)
            for at, one in made
        )
    if args.format == "json":
        write_json(data)
    else:
        if len(varied) > 1:
            notes = (shared_text(evaluation, one) for one in varied)
            text = "".join(notes) + text
        sys.stdout.write(text)


def _slices(third: "Varied") -> list[float]:
    import numpy as np

    even = np.geomspace if third.low > 0 else np.linspace
    values: list[float] = np.asarray(even(third.low, third.high, SLICES)).tolist()
    return values


def _vary_json(evaluation: "Evaluation", one: "Varied") -> dict[str, Any]:
    from isocost._crossings import shared

    return {
        "path": one.path,
        "shared": shared(evaluation, one),
        "unit": one.unit,
        "value": one.value / one.scale,
        "low": one.low / one.scale,
        "high": one.high / one.scale,
    }


def _points(one: "Curve") -> list[list[float]]:
    return [[a / one.first.scale, b / one.second.scale] for a, b in one.points]


def _amount(one: "Varied", value: float) -> str:
    from isocost._shared import digits

    text = f"{one.path} = {digits(value / one.scale)}"
    return text if one.unit == "1" else f"{text} {one.unit}"


def curve_text(title: str, one: "Curve") -> str:
    """A curve as a table: all values of the first input at some of the second."""
    from isocost._shared import digits, write_table

    first, second = one.first, one.second
    if not one.points:
        return f"{title}: nowhere in these ranges\n"
    at: dict[float, list[str]] = {}
    for a, b in one.points:
        at.setdefault(b, []).append(digits(a / first.scale, 4))
    step = max(-(-len(at) // SHOWN), 1)
    heads = [
        one.path if one.unit == "1" else f"{one.path} ({one.unit})"
        for one in (second, first)
    ]
    rows = [tuple(heads)]
    rows += [
        (digits(b / second.scale, 4), " and ".join(values))
        for b, values in list(at.items())[::step]
    ]
    return f"{title} along\n{write_table(rows, '>>')}\n"
