"""Scope and options: what is compared, on which terms, and how to read the numbers."""

from isocost.dsl.document import Block
from isocost.engine.comparison import unlike
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.exhibits import asked
from isocost.reports.study import Study, defined


def build(study: Study) -> v.Section | None:
    """The section; there always is one."""
    doc = study.block.doc if study.block else ""
    blocks: list[v.Block] = []
    if doc:
        blocks.append(v.Paragraph(" ".join(doc.split()), lead=True))
    blocks.append(v.Paragraph(_how_many(study)))
    blocks.append(_options(study))
    blocks += _unlike(study)
    blocks.append(_reading())
    blocks += asked(study, "scope")
    return v.Section("Scope and options", tuple(blocks), "scope")


def _how_many(study: Study) -> str:
    systems = [block for block, _ in study.roles("system")]
    works = [work for work, _ in study.groups() if work is not None]
    count = len(study.scenarios)
    verb = "compares" if count > 1 else "states"
    what = f"{count} options" if count > 1 else "one option"
    sets = [
        f"{len(some)} {name}{'s' * (len(some) > 1)}"
        for some, name in ((systems, "system"), (works, "workload"))
        if some
    ]
    on = f": {' on '.join(sets)}" if sets else ""
    return (
        f"This report {verb} {what}{on}. Every figure is computed from the scenario "
        "file that is attached to it; nothing is typed in by hand."
    )


def _unlike(study: Study) -> list[v.Block]:
    """What differs between options that stand side by side, beside what is compared."""
    said: list[str] = []
    for _, scenarios in study.groups():
        said += unlike(study.evaluation, [scenario.name for scenario in scenarios])
    if not said:
        return []
    text = "; ".join(dict.fromkeys(said))
    return [v.Callout("Not alike", f"{text[:1].upper()}{text[1:]}.", "warn")]


def _options(study: Study) -> v.Table:
    rows = []
    for scenario in study.scenarios:
        chips = study.value(scenario, "chips")
        rows.append(
            v.Row(
                (
                    v.Cell(study.title(scenario), strong=scenario is study.baseline),
                    study.system_title(scenario),
                    n.count(chips) if chips and defined(chips) else "",
                    study.workload_title(scenario),
                    _service(study, scenario),
                    _chosen(study, scenario),
                )
            )
        )
    return v.Table(
        _options_finding(study),
        (
            v.Column("Option", width=0.2),
            v.Column("System", width=0.16),
            v.Column("Chips", align="right", width=0.08),
            v.Column("Model", width=0.14),
            v.Column("Service level", width=0.2),
            v.Column("Chosen", width=0.22),
        ),
        tuple(rows),
        source="scenario file; choices by the engine at point values.",
        key="tab-options",
        dense=True,
    )


def _options_finding(study: Study) -> str:
    """How far apart the chosen batches are; else what is compared."""
    batches = []
    for scenario in study.scenarios:
        for node, value in study.choices(scenario).items():
            what = study.evaluation.graph.nodes[node].what
            if getattr(what, "path", "") == "workload.batch.instance":
                batches.append((value, study.title(scenario)))
    systems = len({study.system_title(s) for s in study.scenarios})
    options = len(study.scenarios)
    compared = f"{options} option{'s' * (options > 1)}"
    compared += f" on {systems} system{'s' * (systems > 1)}"
    if len(batches) < 2 or min(batches)[0] == max(batches)[0]:  # noqa: PLR2004
        return compared
    (low, least), (high, most) = min(batches), max(batches)
    return (
        f"{compared}: the best batch of an instance is {n.count(low)} for {least}, "
        f"{n.count(high)} for {most}"
    )


def _service(study: Study, scenario: Block) -> str:
    work = study.role(scenario, "workload")
    if work is None:
        return ""
    limits = []
    for path, fact in work.facts.items():
        if path.startswith("slo.") and fact.expr.op == "literal":
            name, _, key = path.removeprefix("slo.").partition("[")
            limits.append(f"{name.upper()} {key.rstrip(']')} ≤ {fact.expr.value}")
    return "; ".join(limits)


def _chosen(study: Study, scenario: Block) -> str:
    graph = study.evaluation.graph
    names = {
        "workload.parallel.tp": "TP",
        "workload.parallel.pp": "PP",
        "workload.parallel.dp": "DP",
        "workload.parallel.ep": "EP",
        "workload.parallel.cp": "CP",
        "workload.batch.instance": "batch",
    }
    out = []
    for node, value in study.choices(scenario).items():
        path = getattr(graph.nodes[node].what, "path", "")
        out.append(f"{names.get(path, path)} {n.count(value)}")
    return ", ".join(sorted(out, reverse=True))


def _reading() -> v.Callout:
    return v.Callout(
        "How to read the numbers",
        (
            (
                "Intervals hold 90% of the draws of all uncertain inputs; the point "
                "value is the model at the median of each. Options share the draws of "
                "the inputs that they share, so a difference is known better than its "
                "two sides. "
            ),
            v.Strong("A"),
            " measured or published by its maker, ",
            v.Strong("B"),
            " an analyst's estimate, ",
            v.Strong("C"),
            " press or derived, ",
            v.Strong("D"),
            " our assumption. Bandwidths are one way, peaks are dense.",
        ),
    )
