"""`isocost sample`: how sure a metric is, and which inputs its doubt comes from."""

import math
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from isocost.dsl.check import Checked
    from isocost.engine.doubt import Worth
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.overview import Overview, Spread
    from isocost.engine.uncertainty import Doubt, Part

HELP = "draw a metric: quantiles, and where its doubt comes from"
#: What stands for every headline metric.
ALL = "all"
#: Draws below which the worth of knowing an input cannot be told.
ENOUGH = 1 << 12


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import (
        add_compiled,
        add_draws,
        add_file,
        add_format,
        add_set,
        whole,
    )

    add_file(parser)
    parser.add_argument(
        "metric",
        metavar="METRIC",
        help="SCENARIO.METRIC or METRIC; max:METRIC where more is better; `all` for "
        "the quantiles of every headline metric",
    )
    parser.add_argument(
        "-s",
        "--scenario",
        action="append",
        default=[],
        help="whose METRIC is meant; several are a choice between them, and inputs "
        "are ranked by what knowing them would be worth to it",
    )
    add_draws(parser, 1 << 15)
    add_compiled(parser)
    parser.add_argument(
        "--sobol",
        action="store_true",
        help="also Sobol indices of every input, first-order and total",
    )
    parser.add_argument(
        "--top", type=whole(0), default=12, help="inputs to show (0: all)"
    )
    add_set(parser)
    add_format(parser)


def run(args: "argparse.Namespace") -> int:
    """Draw and print; 1 if the file or the metric is at fault."""
    from functools import partial

    from isocost._directions import direction
    from isocost._progress import Progress
    from isocost._shared import (
        SCHEMA,
        compiled,
        evaluation_failed,
        ready,
        warn_broken,
        write_json,
    )
    from isocost.engine.doubt import information
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.uncertainty import doubt

    checked = ready(args.file, args.settings)
    if checked is None:
        return 1
    evaluation = Evaluation(checked)
    if args.metric == ALL:
        return _headlines(args, evaluation, checked)
    metric, sign = direction(args.metric)
    found = _metrics(evaluation, checked, metric, args.scenario)
    if found is None or evaluation.diagnostics:
        evaluation_failed(evaluation)
        return 1
    with Progress("draws") as progress:
        drawn = partial(
            doubt,
            evaluation,
            sobol=args.sobol,
            compiled=compiled(args),
            progress=progress,
        )
        doubts = [drawn(name, node, path, args.draws) for name, path, node in found]
    nodes = [node for _, _, node in found]
    worth = None
    if len(nodes) > 1:
        count = max(args.draws, ENOUGH)
        worth = information(evaluation, nodes, count=count, sign=sign)
    if args.format == "json":
        data: dict[str, Any] = {"schema": SCHEMA}
        data["metrics"] = [as_json(one) for one in doubts]
        if worth is not None:
            data["decision"] = decision_json(doubts, worth, sign)
        write_json(data)
    else:
        texts = [as_text(one, args.top) for one in doubts]
        if worth is not None:
            texts.append(decision_text(doubts, worth, args.top, sign))
        sys.stdout.write("\n".join(texts))
    warn_broken(evaluation)
    return 0


def _headlines(
    args: "argparse.Namespace", evaluation: "Evaluation", checked: "Checked"
) -> int:
    """Every headline metric of some scenarios, over the same draws."""
    from isocost._progress import Progress
    from isocost._shared import (
        SCHEMA,
        compiled,
        complain,
        evaluation_failed,
        pick_scenarios,
        warn_broken,
        write_json,
    )
    from isocost.engine.overview import overview

    if args.sobol:
        complain("--sobol is for one METRIC at a time")
        return 2
    names = pick_scenarios(checked, args.scenario)
    if not names:
        complain(f"{args.file}: there is no scenario in it")
        return 1
    wanted = [(name, path) for name in names for path in evaluation.headlines(name)]
    with Progress("draws") as progress:
        fast = compiled(args)
        found = overview(evaluation, wanted, args.draws, progress, compiled=fast)
    if args.format == "json":
        rows = [_row_json(one) for one in found.spreads]
        write_json(
            {
                "schema": SCHEMA,
                "draws": args.draws,
                "nodes": found.nodes,
                "inputs": found.inputs,
                "metrics": rows,
            }
        )
    else:
        sys.stdout.write(_rows_text(found, args.draws))
    warn_broken(evaluation)
    return 1 if evaluation_failed(evaluation) else 0


def _row_json(one: "Spread") -> dict[str, Any]:
    return {
        "scenario": one.scenario,
        "metric": one.metric,
        "unit": one.unit,
        "mean": one.mean / one.scale,
        "defined": one.defined,
        "quantiles": [
            {
                "share": q.share,
                "value": q.value / one.scale,
                "error": q.error / one.scale,
            }
            for q in one.quantiles
        ],
    }


def drawn_text(draws: int, inputs: int, nodes: int) -> str:
    """How many draws there were, of how many inputs, through how many nodes."""
    parts = ((draws, "draw"), (inputs, "input"), (nodes, "node"))
    counts = [f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in parts]
    return f"{counts[0]} of {counts[1]} through {counts[2]}"


def _rows_text(found: "Overview", draws: int) -> str:
    """A table for each scenario; `±` is the standard error of the median."""
    from isocost._shared import digits, write_table

    shares = found.spreads[0].quantiles if found.spreads else ()
    heads = [f"{q.share:.0%}" for q in shares]
    text = [drawn_text(draws, found.inputs, found.nodes) + "\n"]
    for name in dict.fromkeys(one.scenario for one in found.spreads):
        rows = [[name, *heads, "± of 50%", "unit"]]
        for one in found.spreads:
            if one.scenario != name:
                continue
            values = [digits(q.value / one.scale, 4) for q in one.quantiles]
            middle = one.quantiles[len(values) // 2].error
            error = digits(middle / one.scale, 2)
            metric = one.metric
            if one.defined < 1:
                metric += f" (undefined in {1 - one.defined:.1%})"
            rows.append([metric, *values, error, "" if one.unit == "1" else one.unit])
        text.append(write_table(rows, "<" + ">" * (len(heads) + 1) + "<") + "\n")
    return "\n".join(text)


def _metrics(
    evaluation: "Evaluation", checked: "Checked", metric: str, scenarios: list[str]
) -> list[tuple[str, str, int]] | None:
    """Scenario, path and node of each metric that is meant."""
    from isocost.explain import locate

    out = []
    wanted: list[str | None] = [*dict.fromkeys(scenarios)] or [None]
    for scenario in wanted:
        found = locate(evaluation, checked, metric, scenario)
        if found is None:
            return None
        name, node = found
        local = metric.removeprefix(f"{name}.")
        path = evaluation.scope(name).full_path(local) if name else None
        out.append((name, path or local, node))
    return out


def as_json(one: "Doubt") -> dict[str, Any]:
    """One metric's doubt, in its unit."""
    scale = one.scale
    return {
        "scenario": one.scenario,
        "metric": one.metric,
        "unit": one.unit,
        "value": one.value / scale,
        "draws": one.draws,
        "nodes": one.nodes,
        "mean": one.mean / scale,
        "mean_error": one.error / scale,
        "deviation": one.deviation / scale,
        "defined": one.defined,
        "quantiles": [
            {"share": q.share, "value": q.value / scale, "error": q.error / scale}
            for q in one.quantiles
        ],
        "inputs": [_part_json(part, scale) for part in one.parts],
    }


def _part_json(part: "Part", scale: float) -> dict[str, Any]:
    data: dict[str, Any] = {
        "path": part.path,
        "origin": part.origin,
        "share": part.share,
        "means": [one / scale for one in part.means],
    }
    if part.group:
        data["correlated"] = list(part.group)
    if part.index is not None:
        data["first"] = {"value": part.index.first, "error": part.index.first_error}
        data["total"] = {"value": part.index.total, "error": part.index.total_error}
    return data


def as_text(one: "Doubt", top: int) -> str:
    """Quantiles with their errors, then the inputs that matter most."""
    from isocost._shared import digits, write_table

    scale = one.scale
    head = f"{one.scenario}.{one.metric}".removeprefix(".")
    lines = [
        f"{head} = {digits(one.value / scale)} {one.unit}",
        drawn_text(one.draws, len(one.parts), one.nodes),
    ]
    if one.defined < 1:
        lines.append(f"undefined in {1 - one.defined:.1%} of draws")
    rows = [("", one.unit, "±")]
    rows += [
        (f"{q.share:.0%}", digits(q.value / scale, 4), digits(q.error / scale, 2))
        for q in one.quantiles
    ]
    rows.append(("mean", digits(one.mean / scale, 4), digits(one.error / scale, 2)))
    lines.append(write_table(rows, "<>>"))
    if one.parts:
        lines.append(_parts_text(one, top))
    return "\n".join(lines) + "\n"


def _parts_text(one: "Doubt", top: int) -> str:
    from isocost._shared import digits, write_table

    sobol = any(part.index is not None for part in one.parts)
    marks = ("first", "±", "total", "±") if sobol else ("alone",)
    rows = [("input", *marks, "mean at low", "middle", "high")]
    shown = one.parts[:top] if top else one.parts
    for part in shown:
        middle = len(part.means) // 2
        picked = [part.means[i] for i in (0, middle, -1)] if part.means else []
        ends = [digits(value / one.scale) for value in picked] or ["", "", ""]
        index = part.index
        numbers = [part.share]
        if index is not None:
            numbers = [index.first, index.first_error, index.total, index.total_error]
        rows.append((part.path, *map(_share, numbers), *ends))
    text = write_table(rows, "<" + ">" * (len(rows[0]) - 1))
    for group in dict.fromkeys(part.group for part in shown if part.group):
        text += f"\n{', '.join(group)} go together as stated"
        text += ": the index is that of all" if sobol else ""
    left = len(one.parts) - len(shown)
    return text + (f"\n({left} more inputs; --top 0 shows all)" if left else "")


def _share(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.1%}"


def _best(doubts: "list[Doubt]", sign: int) -> "Doubt":
    return min(doubts, key=lambda one: sign * one.mean)


def decision_json(
    doubts: "list[Doubt]", worth: "tuple[Worth, ...]", sign: int
) -> dict[str, Any]:
    """The choice between scenarios on what is known, and what knowing more is worth."""
    best = _best(doubts, sign)
    return {
        "best": best.scenario,
        "better": "less" if sign > 0 else "more",
        "unit": best.unit,
        "inputs": [
            {
                "path": one.path,
                "origin": one.origin,
                "worth": one.value / best.scale,
                "flips": one.flips,
            }
            for one in worth
        ],
    }


def decision_text(
    doubts: "list[Doubt]", worth: "tuple[Worth, ...]", top: int, sign: int
) -> str:
    """The choice in words, and the inputs whose knowledge would change it."""
    from isocost._shared import digits, write_table

    best = _best(doubts, sign)
    word = "least" if sign > 0 else "greatest"
    text = f"of {len(doubts)} scenarios {best.scenario} has the {word} expected "
    text += f"{best.metric}: {digits(best.mean / best.scale)} {best.unit}\n"
    useful = [one for one in worth if one.value > 0 or one.flips > 0]
    if not useful:
        return f"{text}knowing any one input exactly would not change that\n"
    rows = [("to measure next", f"saves, {best.unit}", "changes the choice in")]
    rows += [
        (one.origin, digits(one.value / best.scale), f"{one.flips:.0%}")
        for one in (useful[:top] if top else useful)
    ]
    return f"{text}{write_table(rows, '<>>')}\n"
