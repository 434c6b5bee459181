"""`measured(row("What", PREDICTED, MEASURED), …)`: predictions beside measurements."""

from isocost.dsl.syntax import call_arguments
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.intervals import Estimate, Intervals
from isocost.reports.exhibits import Call
from isocost.reports.stories import Told
from isocost.reports.study import Study
from isocost.reports.telling import ends, figure, tell

SECTION = "performance"


def _rows(call: Call) -> list[tuple[str, str, str]]:
    out = []
    for arg in call.args:
        if arg.op == "call":
            plain, _ = call_arguments(arg)
            name, predicted, measured = (str(one.value) for one in plain)
            out.append((name, predicted, measured))
    return out


def paths(call: Call) -> list[str]:
    """Predictions and measurements."""
    return [path for _, *both in _rows(call) for path in both]


def build(study: Study, call: Call) -> list[v.Block]:
    """One figure; the caption says how many measurements lie within the intervals."""
    rows, inside, errors, keys = [], 0, [], set[str]()
    for index, (name, predicted, measured) in enumerate(_rows(call)):
        told, seen = study.told(predicted), study.told(measured)
        if told is None or seen is None:
            continue
        inside += told.low <= seen.central <= told.high
        errors.append(abs(told.central / seen.central - 1))
        keys |= {c.key for c in seen.cites if not c.assumed}
        rows.append(_estimate(name, told, seen, index))
    if not rows:
        return []
    caption = tell(study, call.named) or (
        f"{inside} of {len(rows)} published measurements lie within the 90% intervals; "
        f"the points are off by {n.percent(sum(errors) / len(errors), 2)} in the mean"
    )
    return [
        v.Figure(
            caption,
            Intervals(tuple(rows), tell(study, call.named, "axis"), log=True),
            "Point values with 90% intervals, and the measurement beside each.",
            source=("engine; measurements: ", study.cite(keys), "."),
            key=f"fig-measured-{call.section}-{len(rows)}",
        )
    ]


def _estimate(name: str, told: Told, seen: Told, index: int) -> Estimate:
    scale = seen.scale
    return Estimate(
        name,
        told.central / scale,
        told.low / scale,
        told.high / scale,
        f"{figure(told)} ({ends(told)}); measured {figure(seen)}",
        index,
        seen.central / scale,
    )
