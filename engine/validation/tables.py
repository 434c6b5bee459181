"""Tables of measurements: read, told apart by their columns, held to be numbers.

What a table of one's own leaves out is taken as not stated; what no table has is
named with the nearest column that one has. A cell that is no number refuses its row,
not the file.
"""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import attrs

from isocost.dsl.suggest import nearest
from isocost.engine.validation.frame import Prediction

Row = dict[str, str]
#: What describes a row whatever was measured.
_ABOUT = (
    *("row_id", "source_id", "series", "chip", "n_chips", "chips_per_node"),
    *("metric", "value", "unit", "source_title", "source_url", "source_date"),
    *("status", "from_memory", "quality", "note"),
)


@attrs.frozen
class Family:
    """A kind of measurement: the columns that it needs, has, and reads as numbers."""

    name: str
    needs: tuple[str, ...]
    numbers: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it knows."""
        return (*_ABOUT, *self.needs, *self.numbers, *self.words)


FAMILIES = (
    Family(
        "collectives",
        ("operation", "size_bytes"),
        ("n_chips", "nodes", "size_bytes", "time_us", "value"),
        (
            "interconnect",
            "dtype",
            "size_definition",
            "algbw_gbps",
            "busbw_gbps",
            "bus_factor",
            "library",
        ),
    ),
    Family(
        "inference",
        ("model", "isl", "osl"),
        (
            *("n_chips", "params_b", "active_params_b", "layers", "hidden", "heads"),
            *("kv_heads", "ffn", "vocab", "isl", "osl", "batch"),
            *("tp", "pp", "dp", "ep", "value"),
        ),
        (
            *("config_id", "experts", "interconnect", "batch_kind", "disagg", "phase"),
            *("weight_precision", "kv_precision", "compute_precision", "spec_decode"),
            *("framework", "per_chip"),
        ),
    ),
    Family(
        "training",
        ("model", "seq", "global_batch_seqs"),
        (
            *("n_chips", "params_b", "active_params_b", "layers", "hidden", "heads"),
            *("kv_heads", "ffn", "vocab", "seq", "global_batch_seqs"),
            *("tp", "pp", "vp", "dp", "cp", "value", "tokens_per_s_per_chip"),
        ),
        (
            *("experts", "interconnect_intra", "interconnect_inter", "micro_batch"),
            "grad_accum",
            *("fsdp", "ep", "precision", "recompute", "optimizer", "framework"),
            *("task", "tps_basis", "reported_tflops_per_chip", "tflops_basis"),
            *("reported_mfu_pct", "reported_mem_gib"),
        ),
    ),
)


#: What counts things, and the most that is taken for a slip of no pen.
_COUNTS: Mapping[str, float] = {
    **dict.fromkeys(("n_chips", "nodes", "chips_per_node", "layers", "heads"), 1e7),
    **dict.fromkeys(("tp", "pp", "vp", "dp", "cp", "ep"), 1e7),
    **dict.fromkeys(("micro_batch", "grad_accum", "global_batch_seqs"), 1e9),
    **dict.fromkeys(("batch", "seq"), 1e9),
    "size_bytes": 1e15,
}
#: The longest prompts and answers, in tokens; their means may be broken.
_LONGEST: Mapping[str, float] = {"isl": 1e8, "osl": 1e8}
#: What may be none: tokens written, the width of an MLP where experts have another.
_MAY_BE_0 = ("osl", "ffn", "kv_heads")
#: What names the thing that was measured: a row without it is of nothing.
_NAMES = ("chip", "model", "operation")
#: Between these is what anybody measured, in whatever unit.
_LEAST, _MOST = 1e-30, 1e30


@attrs.frozen
class Table:
    """A file of measurements; `unknown` are columns that nothing reads."""

    family: Family
    rows: tuple[Row, ...]
    unknown: Mapping[str, tuple[str, ...]]


@attrs.frozen
class Problem:
    """Why a file is no table of measurements, in words."""

    message: str


def read(path: Path) -> Table | Problem:
    """A file as a table of measurements, or why it is none."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            stated = list(reader)
            columns = [name.strip() for name in reader.fieldnames or () if name]
    except UnicodeDecodeError:
        return Problem("this is no UTF-8 text")
    except csv.Error as error:
        return Problem(f"this is no table of comma-separated values: {error}")
    except OSError as error:
        return Problem(error.strerror or str(error))
    family = family_of(columns)
    if isinstance(family, Problem):
        return family
    if not stated:
        return Problem("there is no row in it")
    known = family.columns
    unknown = {name: nearest(name, known) for name in columns if name not in known}
    rows = (_row(cells, index, family) for index, cells in enumerate(stated))
    return Table(family, _distinct(rows), unknown)


def family_of(columns: Sequence[str]) -> Family | Problem:
    """The kind of measurements that columns belong to."""
    common = ("chip", "n_chips")
    found = [f for f in FAMILIES if {*f.needs, *common} <= set(columns)]
    if found:
        return found[0]
    closest = max(FAMILIES, key=lambda f: len({*f.needs, *common} & set(columns)))
    missing = [c for c in (*common, *closest.needs) if c not in columns]
    if len(missing) > 2:  # noqa: PLR2004 (more is no slip of one name)
        kinds = "; ".join(f"{f.name}: {', '.join(f.needs)}" for f in FAMILIES)
        both = "`chip` and `n_chips`"
        return Problem(f"no table of measurements: it takes {both}, and for {kinds}")
    strange = [c for c in columns if c not in closest.columns]
    words = ", ".join(f"`{c}`{_hint(c, strange)}" for c in missing)
    return Problem(f"as a table of {closest.name} it lacks {words}")


def _hint(column: str, strange: Sequence[str]) -> str:
    near = nearest(column, strange)
    return f" (is it `{near[0]}`?)" if near else ""


def _row(cells: Mapping[str | None, str | None], index: int, family: Family) -> Row:
    """A row with every known column, blank where it is not stated."""
    row = dict.fromkeys(family.columns, "")
    row |= {k.strip(): (v or "").strip() for k, v in cells.items() if k}
    row["row_id"] = row["row_id"] or f"line {index + 2}"
    row["source_id"] = row["source_id"] or "own"
    row["series"] = row["series"] or "|".join(
        part for part in (row["source_id"], row["chip"], row.get("model", "")) if part
    )
    return row


def _distinct(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Rows whose names differ: a repeated one gets a number."""
    seen: dict[str, int] = {}
    out: list[Row] = []
    for row in rows:
        name = row["row_id"]
        seen[name] = seen.get(name, 0) + 1
        out.append(
            {**row, "row_id": name if seen[name] == 1 else f"{name}#{seen[name]}"}
        )
    return tuple(out)


def fault(row: Row, family: Family) -> str:
    """What is wrong with a row's cells; empty if nothing is."""
    blanks = [f"`{name}`" for name in _NAMES if name in row and not row[name]]
    if blanks:
        return f"blank: {', '.join(blanks)}"
    for name in family.numbers:
        if row[name] and (why := _no_number(name, row[name])):
            return why
    for name in _COUNTS:
        text = row.get(name, "")
        if _is_number(text) and (why := _no_count(name, text)):
            return why
    for name in ("value", "time_us"):
        if row.get(name) and (why := _no_measurement(row[name])):
            return why
    return ""


def _no_measurement(text: str) -> str:
    number = float(text)
    if number <= 0:
        return "what was measured is not above 0"
    inside = _LEAST < number < _MOST
    return "" if inside else f"what was measured cannot be {text}"


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _no_number(name: str, text: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return f"`{name}` is no number: {text}"
    if not math.isfinite(number) or not 0 <= number <= _LONGEST.get(name, math.inf):
        return f"`{name}` cannot be {text}"
    measured = name in {"value", "time_us"}
    if not number and not measured and name not in _MAY_BE_0:
        return f"`{name}` cannot be 0"
    return ""


def _no_count(name: str, text: str) -> str:
    number = float(text)
    if number == int(number) and 0 < number <= _COUNTS[name]:
        return ""
    return f"`{name}` is no count that a cluster has: {text}"


def blank(row: Row, refused: str = "") -> Prediction:
    """A row that is not predicted (yet)."""
    try:
        measured = float(row["value"])
    except ValueError:
        measured = math.nan
    return Prediction(
        row_id=row["row_id"],
        series=row["series"],
        source=row["source_id"],
        chip=row["chip"],
        metric=row["metric"],
        unit=row["unit"],
        measured=measured,
        refused=refused,
        counts=row["quality"] != "C" and row["from_memory"] != "yes",
    )
