"""Scope and options: what is compared, on which terms, and how to read the numbers."""

import re

from isocost.dsl.document import Block
from isocost.engine.comparison import unlike
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.exhibits import asked
from isocost.reports.names import quoted
from isocost.reports.study import Study, defined

#: Terms of money as readers know them, by the words of a price book.
TERMS = {
    "own": "owned",
    "rent, owner": "at an owner's cost",
    "rent, on_demand": "rented on demand",
    "rent, spot": "rented on the spot market",
    "rent, block": "rented as a capacity block",
    "reserved, y1": "reserved for one year",
    "reserved, y2": "reserved for two years",
    "reserved, y3": "reserved for three years",
}


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
        names = [one.name for one in scenarios]
        titles = {one.name: quoted(study.title(one)) for one in scenarios}
        said += unlike(study.evaluation, names, titles, TERMS)
    if not said:
        return []
    text = " ".join(f"{one[:1].upper()}{one[1:]}." for one in dict.fromkeys(said))
    return [v.Callout("Not alike", text, "warn")]


def _options(study: Study) -> v.Table:
    rows = []
    for scenario in study.scenarios:
        chips = study.value(scenario, "chips")
        cells: tuple[v.Cell | v.Text, ...] = (
            v.Cell(study.title(scenario), strong=scenario is study.baseline),
            study.system_title(scenario),
            n.count(chips) if chips and defined(chips) else "",
            study.workload_title(scenario),
            _service(study, scenario),
            _chosen(study, scenario),
        )
        rows.append(cells)
    columns = (
        v.Column("Option"),
        v.Column("System"),
        v.Column("Chips", align="right"),
        v.Column("Model"),
        v.Column("Service level"),
        v.Column("Chosen"),
    )
    # What no option states is no column.
    kept = [i for i in range(len(columns)) if any(row[i] for row in rows)]
    return v.Table(
        _options_finding(study),
        tuple(columns[i] for i in kept),
        tuple(v.Row(tuple(row[i] for i in kept)) for row in rows),
        source="scenario file; choices by the engine at point values."
        if len(columns) - 1 in kept
        else "scenario file.",
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


#: Choices as a table of options names them, in this order; others by their path's end.
_CHOICES = {
    "workload.batch.instance": "batch",
    "workload.batch.micro": "micro-batch",
    "workload.parallel.tp": "TP",
    "workload.parallel.pp": "PP",
    "workload.parallel.virtual": "virtual stages",
    "workload.parallel.dp": "DP",
    "workload.parallel.ep": "EP",
    "workload.parallel.cp": "CP",
}


def _chosen(study: Study, scenario: Block) -> str:
    graph = study.evaluation.graph
    found = {
        getattr(graph.nodes[node].what, "path", ""): value
        for node, value in study.choices(scenario).items()
    }
    order = [path for path in _CHOICES if path in found]
    order += sorted(set(found) - set(order))
    return ", ".join(
        f"{_CHOICES.get(path) or _words(path)} {n.count(found[path])}" for path in order
    )


def _words(path: str) -> str:
    """The end of a path as words."""
    return re.sub(r"[\[\]_.]+", " ", path.partition(".")[2] or path).strip()


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
