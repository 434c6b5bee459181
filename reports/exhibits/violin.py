"""`violin(METRIC, WORKLOAD, …)`: how the draws of a metric lie, option by option.

All workloads are shown where none is named.
"""

from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.violin import Violin, shape_of
from isocost.reports.exhibits import Call
from isocost.reports.study import Study, interval, show

SECTION = "sensitivity"


def build(study: Study, call: Call) -> list[v.Block]:
    """One figure for each workload."""
    metric = call.names[0] if call.names else study.main_metric
    out: list[v.Block] = []
    wanted = call.names[1:]
    for work, scenarios in study.groups():
        if wanted and (work is None or work.label not in wanted):
            continue
        rows = []
        found = [
            (s, r) for s in scenarios if (r := study.result(s, metric)) is not None
        ]
        if not found:
            continue
        nodes = [study.node(s, metric) for s, _ in found]
        columns = study.evaluation.columns(nodes)
        for (scenario, result), column in zip(found, columns, strict=True):
            draws = [float(x) / result.scale for x in column]
            rows.append(shape_of(study.title(scenario), draws, interval(result)))
        widest, result = max(found, key=lambda one: one[1].high / one[1].low)
        money = "$" if result.unit.startswith("$") else ""
        name = study.workload_title(scenarios[0])
        ratio = n.ratio(result.high / result.low)
        out.append(
            v.Figure(
                f"{name}: {study.title(widest)} at {show(result)} is the least "
                f"certain; its ends are {ratio} apart",
                Violin(
                    tuple(rows), f"{result.doc.rstrip('.')}, {result.unit}", money=money
                ),
                "Violins: the distribution of the draws of each option.",
                source=f"engine, {n.count(study.evaluation.count)} draws.",
                key=f"fig-violin-{work.label if work else 'work'}",
            )
        )
    return out
