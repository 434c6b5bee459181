"""Hardware side by side: by chip and by scale-up domain."""

from collections.abc import Callable

from isocost.dsl.document import Block
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.exhibits import asked, calls
from isocost.reports.study import Study

Row = tuple[str, str, Callable[[Study, Block], float | None], float]


def _path(path: str) -> Callable[[Study, Block], float | None]:
    return lambda study, scenario: study.value(scenario, path)


def _ratio(over: str, under: str) -> Callable[[Study, Block], float | None]:
    def read(study: Study, scenario: Block) -> float | None:
        a, b = study.value(scenario, over), study.value(scenario, under)
        return None if a is None or not b else a / b

    return read


def _domain(path: str) -> Callable[[Study, Block], float | None]:
    def read(study: Study, scenario: Block) -> float | None:
        chips, each = study.value(scenario, "system.chips"), study.value(scenario, path)
        return None if chips is None or each is None else chips * each

    return read


CHIP: tuple[Row, ...] = (
    ("BF16, dense", "TFLOP/s", _path("chip.peak[bf16]"), 1e12),
    ("FP8, dense", "TFLOP/s", _path("chip.peak[fp8]"), 1e12),
    ("FP4, dense", "TFLOP/s", _path("chip.peak[fp4]"), 1e12),
    ("Memory", "GiB", _path("chip.memory.capacity"), 2**30),
    ("Memory bandwidth", "TB/s", _path("chip.memory.bandwidth"), 1e12),
    ("BF16 arithmetic intensity", "FLOP/byte",
     _ratio("chip.peak[bf16]", "chip.memory.bandwidth"), 1.0),
    ("Power of the chip", "W", _path("chip.power"), 1.0),
    ("BF16 per watt", "TFLOP/s/W", _ratio("chip.peak[bf16]", "chip.power"), 1e12),
    ("Scale-out, one way", "Gbit/s", _path("system.scale_out.bandwidth"), 1.25e8),
)  # fmt: skip
DOMAIN: tuple[Row, ...] = (
    ("Chips", "", _path("system.chips"), 1.0),
    ("BF16, dense", "PFLOP/s", _domain("chip.peak[bf16]"), 1e15),
    ("Memory", "TB", _domain("chip.memory.capacity"), 1e12),
    ("Memory bandwidth", "TB/s", _domain("chip.memory.bandwidth"), 1e12),
    ("Bisection, one way", "TB/s", _path("bisection"), 1e12),
    ("Power at the rack", "kW", _path("system.power"), 1e3),
    ("Power by chip, all in", "W", _ratio("system.power", "system.chips"), 1.0),
)  # fmt: skip


def build(study: Study) -> v.Section | None:
    """The section; None where no scenario binds a system."""
    systems = study.roles("system")
    if not systems:
        return None
    chips = study.roles("chip")
    blocks: list[v.Block] = [v.Paragraph(_finding(study), lead=True)]
    sheets = {call.name for call in calls(study)}
    if chips and "chips" not in sheets:
        blocks.append(_table(study, chips, CHIP, "Per chip: ", "tab-chips", _leader))
    if "domains" not in sheets:
        made = _table(study, systems, DOMAIN, "Per domain: ", "tab-domains", _span)
        blocks.append(made)
    blocks += asked(study, "hardware")
    return v.Section("Hardware side by side", tuple(blocks), "hardware")


def _title(block: Block) -> str:
    return block.title or block.label.replace("_", " ")


def _table(
    study: Study,
    columns: list[tuple[Block, Block]],
    rows: tuple[Row, ...],
    head: str,
    key: str,
    finding: Callable[[Study, list[tuple[Block, Block]]], str],
) -> v.Table:
    out = []
    for title, unit, read, scale in rows:
        values = [read(study, scenario) for _, scenario in columns]
        if all(value is None for value in values):
            continue
        cells = ["–" if x is None else figure_cell(x / scale) for x in values]
        out.append(v.Row((title, v.Cell(unit), *cells)))
    heads = [v.Column(_title(block), align="right") for block, _ in columns]
    keys = sorted({c for block, _ in columns for c in cited(block)})
    return v.Table(
        head + finding(study, columns),
        (v.Column("Quantity"), v.Column("Unit"), *heads),
        tuple(out),
        source=(v.Cite(keys), ".") if keys else "scenario file.",
        key=key,
    )


def figure_cell(value: float) -> str:
    """A figure of a data sheet: whole where it is, else to three digits."""
    whole = round(value)
    if abs(value - whole) < 1e-6 * abs(value):
        return n.count(whole)
    return n.plain(value, 4 if value >= 100 else 3)  # noqa: PLR2004 (1.33, 844.2)


def cited(block: Block) -> set[str]:
    """The sources that a block's statements cite."""
    return {c.key for f in block.facts.values() for c in f.cites if not c.assumed}


def _leader(study: Study, columns: list[tuple[Block, Block]]) -> str:
    read = _ratio("chip.peak[bf16]", "chip.memory.bandwidth")
    ranked = [
        (value, _title(block))
        for block, scenario in columns
        if (value := read(study, scenario)) is not None
    ]
    if not ranked:
        return "the sheet"
    if len(ranked) == 1:
        value, name = ranked[0]
        return f"{name} does {n.plain(value)} FLOP for each byte that it reads"
    low, high = min(ranked), max(ranked)
    return (
        f"{low[1]} has the lowest arithmetic intensity, {n.plain(low[0])} FLOP/byte "
        f"against {n.plain(high[0])} of {high[1]}"
    )


def _span(study: Study, columns: list[tuple[Block, Block]]) -> str:
    read = _domain("chip.memory.bandwidth")
    ranked = sorted(
        (value, _title(block))
        for block, scenario in columns
        if (value := read(study, scenario)) is not None
    )
    if not ranked:
        return "the sheet"
    if len(ranked) == 1:
        value, name = ranked[0]
        return f"{name} reads {n.plain(value / 1e12)} TB/s under one program"
    (second, other), (most, best) = ranked[-2], ranked[-1]
    return (
        f"{best} brings {n.plain(most / 1e12)} TB/s of memory bandwidth under one "
        f"program, {n.ratio(most / second)} the {n.plain(second / 1e12)} TB/s of "
        f"{other}"
    )


def _finding(study: Study) -> str:
    chips = study.roles("chip")
    names = ", ".join(_title(block) for block, _ in chips)
    return (
        f"A chip is compared as it is sold ({names}), and then as the scale-up domain "
        "that one program sees, since that is what decides which models fit and how "
        "fast they are read."
    )
