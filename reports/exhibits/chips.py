"""`chips(A, B, …)`: the sheet of chips, one a row, each figure with its source."""

from isocost.dsl.document import Block
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.bars import Bars, Group
from isocost.reports.exhibits import Call
from isocost.reports.names import listed
from isocost.reports.sections.hardware import cited, figure_cell
from isocost.reports.study import Study

SECTION = "hardware"
COLUMNS: tuple[tuple[str, str, str, float], ...] = (
    ("BF16", "TFLOP/s", "peak[bf16]", 1e12),
    ("FP8", "TFLOP/s", "peak[fp8]", 1e12),
    ("FP4", "TFLOP/s", "peak[fp4]", 1e12),
    ("Memory", "GiB", "memory.capacity", 2**30),
    ("Bandwidth", "TB/s", "memory.bandwidth", 1e12),
    ("Power", "W", "power", 1.0),
    ("Scale-up", "GB/s", "scale_up.bandwidth", 1e9),
    ("Domain", "chips", "scale_up.domain", 1.0),
    ("Scale-out", "Gbit/s", "scale_out.bandwidth", 1.25e8),
)


def build(study: Study, call: Call) -> list[v.Block]:
    """The sheet, and the arithmetic intensities as bars."""
    chips = [b for name in call.names if (b := study.find(name, "chip")) is not None]
    if not chips:
        return []
    rows = [_row(study, chip) for chip in chips]
    table = v.Table(
        f"Of {len(chips)} chips as sold {_leads(study, chips)}; dense peaks, "
        "bandwidths one way",
        (
            v.Column("Chip"),
            *(v.Column(title, unit, "right") for title, unit, _, _ in COLUMNS),
            v.Column("Intensity", "FLOP/byte", "right"),
        ),
        tuple(rows),
        source=(study.cite({key for chip in chips for key in cited(chip)}), "."),
        key="tab-sheet",
        dense=True,
    )
    return [table, _intensities(study, chips)]


def _leads(study: Study, chips: list[Block]) -> str:
    """Which chip has the most arithmetic, and which the most bandwidth."""
    said: list[str] = []
    leads = (
        ("computes", "peak[bf16]", "FLOP/s in BF16"),
        ("reads", "memory.bandwidth", "B/s"),
    )
    for verb, path, unit in leads:
        values = [(x, study.name(c)) for c in chips if (x := study.of_block(c, path))]
        if values:
            most, name = max(values)
            who = "" if said and said[0].startswith(f"{name} ") else f"{name} "
            said.append(f"{who}{verb} the most, {n.si(most, unit)}")
    return listed(said) if said else "nothing is published"


def _row(study: Study, chip: Block) -> v.Row:
    cells = [
        "–" if value is None else figure_cell(value / scale)
        for _, _, path, scale in COLUMNS
        for value in [study.of_block(chip, path)]
    ]
    intensity = _intensity(study, chip)
    last = "–" if intensity is None else figure_cell(intensity)
    return v.Row((v.Cell(study.name(chip)), *cells, last))


def _intensity(study: Study, chip: Block) -> float | None:
    peak = study.of_block(chip, "peak[bf16]")
    bandwidth = study.of_block(chip, "memory.bandwidth")
    return peak / bandwidth if peak and bandwidth else None


def _intensities(study: Study, chips: list[Block]) -> v.Figure:
    found = [
        (value, study.name(chip))
        for chip in chips
        if (value := _intensity(study, chip)) is not None
    ]
    low, high = min(found), max(found)
    first = study.name(chips[0])
    return v.Figure(
        f"BF16 arithmetic intensity runs from {n.plain(low[0])} ({low[1]}) to "
        f"{n.plain(high[0])} FLOP/byte ({high[1]})",
        Bars(
            tuple(Group(name, (value,)) for value, name in found),
            "BF16 FLOP per byte of memory bandwidth",
            focus=first,
        ),
        "Bars: dense BF16 peak over memory bandwidth of each chip.",
        source="the sheet of chips.",
        key="fig-intensities",
    )
