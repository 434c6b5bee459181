"""`collectives(OPERATION, A, B, …, ranks = N)`: bus bandwidth by size of message."""

from isocost.dsl.document import Block
from isocost.dsl.values import number_of
from isocost.engine.scope import MissingInputError
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.lines import Curve, Lines
from isocost.reports.exhibits import Call
from isocost.reports.study import Study

SECTION = "topology"
#: Sizes of messages: powers of two, in MiB.
SIZES = tuple(2.0**k for k in range(-4, 12))
#: Wire bytes over message bytes by operation, as nccl-tests defines bus bandwidth.
FACTORS = {"all_reduce": 2.0}


def build(study: Study, call: Call) -> list[v.Block]:
    """One figure: a curve for each scenario."""
    operation, *names = call.names or [""]
    given = number_of(call.named["ranks"]) if "ranks" in call.named else None
    ranks = int(given or 8)
    curves = []
    for name in names:
        scenario = study.find(name, "scenario")
        curve = _curve(study, scenario, operation, ranks) if scenario else None
        if curve is not None:
            curves.append(curve)
    if not curves:
        return []
    best = max(curves, key=lambda c: c.points[-1][1])
    small = max(curves, key=lambda c: c.points[4][1])
    words = operation.replace("_", "-").capitalize()
    most, lead = n.plain(best.points[-1][1]), n.plain(small.points[4][1])
    who = "and leads" if small is best else f"{small.name} leads"
    return [
        v.Figure(
            f"{words} over {ranks} chips: {best.name} reaches {most} GB/s at 2 GiB, "
            f"{who} at 1 MiB with {lead} GB/s",
            Lines(
                tuple(curves),
                "Size of the message, MiB",
                "Bus bandwidth, GB/s",
                x_log=True,
                y_log=True,
            ),
            "Lines: bus bandwidth by size of message, one curve for each system.",
            source="engine; the quickest algorithm that the platform's library has.",
            key=f"fig-collective-{operation}-{ranks}",
        )
    ]


def _curve(study: Study, scenario: Block, operation: str, ranks: int) -> Curve | None:
    scope = study.evaluation.scope(scenario.name)
    factor = FACTORS.get(operation, 1.0) * (ranks - 1) / ranks
    nodes = []
    try:
        for size in SIZES:
            text = f"{size * 1024:.0f} KiB"
            nodes.append(scope[f"collective[{operation}, {text}, {ranks}]"])
    except MissingInputError:
        return None
    values = study.evaluation.point(nodes)
    points = tuple(
        (size, factor * size * 2**20 / values[node] / 1e9)
        for size, node in zip(SIZES, nodes, strict=True)
    )
    return Curve(study.system_title(scenario), points)
