"""`breakeven(A, B, vary = PATH)`: two scenarios' metric as one input moves."""

from isocost.dsl.document import Block
from isocost.engine.breakeven import breakeven
from isocost.engine.equation import Varied, varied
from isocost.engine.graph import Input
from isocost.engine.program import program
from isocost.reports import view as v
from isocost.reports.charts.lines import Crossing, Curve, Lines
from isocost.reports.exhibits import Call
from isocost.reports.names import name_of
from isocost.reports.study import Study, quantity

SECTION = "sensitivity"
POINTS = 41


def build(study: Study, call: Call) -> list[v.Block]:
    """One figure: both curves and every crossing."""
    pair = [
        b for name in call.names[:2] if (b := study.find(name, "scenario")) is not None
    ]
    path = str(call.named["vary"].value) if "vary" in call.named else ""
    metric = str(call.named["metric"].value) if "metric" in call.named else ""
    metric = metric or study.main_metric
    if len(pair) != 2 or not path:  # noqa: PLR2004 (two sides)
        return []
    both = (study.node(pair[0], metric), study.node(pair[1], metric))
    vary = None
    for name in (path, f"{pair[0].name}.{path}", f"{pair[1].name}.{path}"):
        vary = varied(study.evaluation, both, name)
        if vary is not None:
            break
    study.evaluation.diagnostics.clear()
    return [_figure(study, pair, metric, both, vary)] if vary is not None else []


def _figure(
    study: Study,
    pair: list[Block],
    metric: str,
    both: tuple[int, int],
    vary: Varied,
) -> v.Figure:
    import numpy as np

    result = study.result(pair[0], metric)
    assert result is not None  # noqa: S101 (its node exists)
    low, high = max(vary.low, vary.value / 4), min(vary.high, vary.value * 4)
    xs = np.linspace(low, high, POINTS)
    made = program(study.evaluation.graph, both, (vary.node,), study.evaluation.choices)
    sides = made.run({vary.node: xs})
    curves = tuple(
        Curve(
            study.title(scenario),
            tuple(
                (float(x) / vary.scale, float(y) / result.scale)
                for x, y in zip(xs, ys, strict=True)
            ),
        )
        for scenario, ys in zip(pair, sides, strict=True)
    )
    found = breakeven(study.evaluation, both, vary).crossings
    crossings = tuple(
        Crossing(
            c.value / vary.scale,
            c.metric / result.scale,
            quantity(c.value / vary.scale, vary.unit),
        )
        for c in found
        if low <= c.value <= high
    )
    names = [study.title(scenario) for scenario in pair]
    what = _name(study, vary)
    at = " and ".join(c.label for c in crossings)
    caption = (
        f"{names[0]} and {names[1]} cost the same at {at} of {what}"
        if crossings
        else f"{names[0]} and {names[1]} never cost the same over this range of {what}"
    )
    now = quantity(vary.value / vary.scale, vary.unit)
    unit = "" if vary.unit in ("", "1") else f", {vary.unit}"
    money = "$" if result.unit.startswith("$") else ""
    return v.Figure(
        caption,
        Lines(
            curves,
            f"{what[:1].upper()}{what[1:]}{unit} (today {now})",
            f"{result.doc.rstrip('.')}, {result.unit}",
            crossings,
            y_money=money,
        ),
        "Lines: the metric of both options as one input moves, and where they meet.",
        source="engine; everything else at its point value.",
        key=f"fig-breakeven-{pair[0].label}-{pair[1].label}-{what}",
    )


def _name(study: Study, vary: Varied) -> str:
    """What varies, in the words of the other exhibits."""
    what = study.evaluation.graph.nodes[vary.node].what
    if isinstance(what, Input):
        return name_of(what.path.removeprefix("scenario."), what.doc)
    return vary.path.rpartition(".")[2].replace("_", " ")
