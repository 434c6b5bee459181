"""`domains(A, B, …)`: scale-up domains side by side, against the first of them.

With `table` among the names there are no bars.
"""

from isocost.dsl.document import Block
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.bars import Bars, Group
from isocost.reports.exhibits import Call
from isocost.reports.sections.hardware import cited, figure_cell
from isocost.reports.study import Study

SECTION = "hardware"
#: Title, unit, attribute of the chip times the number of chips, scale.
TOTALS: tuple[tuple[str, str, str, float], ...] = (
    ("BF16", "PFLOP/s", "peak[bf16]", 1e15),
    ("FP8", "PFLOP/s", "peak[fp8]", 1e15),
    ("Memory", "TB", "memory.capacity", 1e12),
    ("Bandwidth", "TB/s", "memory.bandwidth", 1e12),
)


def build(study: Study, call: Call) -> list[v.Block]:
    """The table, and memory bandwidth as bars."""
    systems = [
        b for name in call.names if (b := study.find(name, "system")) is not None
    ]
    rows = [_row(study, system) for system in systems]
    if not rows:
        return []
    table = v.Table(
        _finding(study, systems),
        (
            v.Column("Domain"),
            v.Column("Chips", align="right"),
            *(v.Column(title, unit, "right") for title, unit, _, _ in TOTALS),
            v.Column("Power", "kW", "right"),
            v.Column("by chip", "W", "right"),
            v.Column("Racks", align="right"),
        ),
        tuple(rows),
        source=(study.cite({key for one in systems for key in cited(one)}), "."),
        key="tab-systems",
        dense=True,
    )
    return [table] if "table" in call.names else [table, _bars(study, systems)]


def _total(study: Study, system: Block, path: str) -> float | None:
    chip = study.reference(system, "chip")
    count = study.of_block(system, "chips")
    each = study.of_block(chip, path) if chip else None
    return None if count is None or each is None else count * each


def _row(study: Study, system: Block) -> v.Row:
    count = study.of_block(system, "chips")
    power = study.of_block(system, "power")
    racks = study.of_block(system, "racks")
    totals = [_total(study, system, path) for _, _, path, _ in TOTALS]
    cells = [
        "–" if value is None else figure_cell(value / scale)
        for value, (_, _, _, scale) in zip(totals, TOTALS, strict=True)
    ]
    return v.Row(
        (
            v.Cell(study.name(system)),
            "–" if count is None else n.count(count),
            *cells,
            "–" if power is None else figure_cell(power / 1e3),
            "–" if power is None or not count else figure_cell(power / count),
            "–" if racks is None else n.plain(racks),
        )
    )


def _ranked(study: Study, systems: list[Block]) -> list[tuple[float, str]]:
    return [
        (value / 1e12, study.name(system))
        for system in systems
        if (value := _total(study, system, "memory.bandwidth")) is not None
    ]


def _finding(study: Study, systems: list[Block]) -> str:
    ranked = _ranked(study, systems)
    first = next((value for value, name in ranked if name == study.name(systems[0])), 0)
    most, best = max(ranked)
    if not first or best == study.name(systems[0]):
        return f"{best} reads {n.plain(most)} TB/s under one program, the most"
    return (
        f"{best} reads {n.plain(most)} TB/s under one program, {n.ratio(most / first)} "
        f"the {n.plain(first)} TB/s of {study.name(systems[0])}"
    )


def _bars(study: Study, systems: list[Block]) -> v.Figure:
    ranked = _ranked(study, systems)
    return v.Figure(
        "Memory bandwidth of a scale-up domain decides how fast a large model is read",
        Bars(
            tuple(Group(name, (value,)) for value, name in ranked),
            "Memory bandwidth of a domain, TB/s",
            focus=study.name(systems[0]),
        ),
        "Bars: memory bandwidth of all chips of each scale-up domain.",
        source="the table above.",
        key="fig-domains",
    )
