"""`isocost new`: a starter file, or blocks made from a table of facts.

A table has the columns kind, block, attribute and value, and may have unit, source
and note. Each row is one fact; rows of one block become one block, sources become
`source` blocks.
"""

import csv
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from isocost.dsl.load import read
from isocost.dsl.schema import KINDS

COLUMNS = ("kind", "block", "attribute", "value")
MORE = ("unit", "source", "note")

STARTER = """\
edition 2026

# Ready-made blocks: `isocost catalog` lists them, `isocost catalog h100` shows one.
import "isocost:systems/gpu"
import "isocost:models/llama"
import "isocost:fabrics/scale_out"

# A workload of your own. Every number has a unit, and a source or `@assumed "why"`.
workload chat {
  task = inference
  model = llama3_70b
  prompt = 2000 token @assumed "a question with two retrieved pages"
  output = 400 token @assumed "a paragraph or two"
  precision.weights = fp8
  precision.cache = fp8
  # `auto` takes what makes a token cheapest within memory and the service level.
  parallel.tp = auto
  batch.instance = auto
  slo.tpot[mean] = 40 ms @assumed "25 tokens a second to each reader"
}

# What the software reaches on the chip. An interval holds 90% of our doubt.
software my_stack {
  memory.sustained = 75% to 92% @assumed "typical of tuned engines"
  layer_overhead = 50 us to 110 us @assumed "typical of tuned engines"
}

site my_site {
  electricity = 0.08 $/kWh @assumed "our contract"
  pue = 1.2 to 1.4 @assumed "colocation halls of the region"
  colocation = 130 $/kW-month @assumed "our lease"
}

finance my_terms {
  tenure = own
  cost_of_capital = 10% @assumed "treasury's rate"
  life[server] = 5 year @assumed "our depreciation"
  sold = 60% to 80% @assumed "load by day and night"
}

# A scenario binds these; another one lists only what differs.
scenario base {
  system = hgx_h100
  fabric = hgx_h100_network
  size = 256 chip
  workload = chat
  software = my_stack
  site = my_site
  finance = my_terms
}

scenario nvl72 extends base {
  system = gb200_nvl72
  fabric = gb200_network
  size = 288 chip
}

check base.memory.fits > 0 "the model must fit"

# `isocost report` makes a PDF of this.
report my_report {
  title = "What a token costs us"
  compare = [base, nvl72]
  baseline = base
  # as_of = 2026-10-01    (the date it speaks for; the newest source's if left out)
}
"""


class TableError(Exception):
    """A table of facts that cannot be used; the text says why."""


def starter() -> str:
    """A commented file to begin with; it evaluates as it stands."""
    return STARTER


def from_table(path: Path) -> tuple[str, dict[int, int]]:
    """A file made from a table of facts, and the row behind each line of it.

    Args:
        path: A `.csv` or `.xlsx` with the columns of this module's docstring.

    Raises:
        TableError: It cannot be read, or a column, kind or name in it is not right.
    """
    rows = _rows(path)
    if not rows:
        message = f"{path}: there are no rows in it"
        raise TableError(message)
    missing = [name for name in COLUMNS if name not in rows[0]]
    if missing:
        one = len(missing) == 1
        lacking = f"the column{'' if one else 's'} {', '.join(missing)}"
        message = (
            f"{path}: {lacking} {'is' if one else 'are'} missing; a table of facts has "
            f"{', '.join(COLUMNS)}, and may have {', '.join(MORE)}"
        )
        raise TableError(message)
    return _file(rows, path)


def _rows(path: Path) -> list[dict[str, str]]:
    readers = {".csv": _csv, ".xlsx": _xlsx}
    reader = readers.get(path.suffix.lower())
    message = ""
    if reader is None:
        message = f"{path}: a table's name ends in {' or '.join(readers)}"
    elif not path.exists():
        message = f"{path}: there is no such file"
    elif not path.is_file():
        message = f"{path}: this is no file"
    if reader is None or message:
        raise TableError(message)
    return reader(path)


def _csv(path: Path) -> list[dict[str, str]]:
    text = read(path)
    if text is None:
        message = f"{path}: cannot be read as UTF-8 text"
        raise TableError(message)
    rows = csv.DictReader(text.removeprefix("\ufeff").splitlines())
    return [_row(row) for row in rows]


def _row(row: Mapping[str | None, object]) -> dict[str, str]:
    return {
        str(key).strip().lower(): str(value if value is not None else "").strip()
        for key, value in row.items()
        if key is not None
    }


def _xlsx(path: Path) -> list[dict[str, str]]:
    from zipfile import BadZipFile

    try:
        from openpyxl import load_workbook
    except ImportError as error:
        message = (
            f"{path}: to read a workbook, install isocost[xlsx], or save it as .csv"
        )
        raise TableError(message) from error
    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except (OSError, BadZipFile, KeyError, ValueError) as error:
        message = f"{path}: cannot be read as a workbook"
        raise TableError(message) from error
    cells = list(book.worksheets[0].iter_rows(values_only=True))
    head = [str(cell or "") for cell in cells[0]] if cells else []
    return [_row(dict(zip(head, row, strict=False))) for row in cells[1:] if any(row)]


def _name(text: str) -> str:
    """A block's name from free text: `H100 SXM` becomes `h100_sxm`."""
    name = re.sub(r"\W+", "_", text.lower()).strip("_")
    return f"_{name}" if name[:1].isdigit() else name or "block"


def _file(rows: Iterable[Mapping[str, str]], path: Path) -> tuple[str, dict[int, int]]:
    blocks: dict[tuple[str, str], list[tuple[str, int]]] = {}
    sources: dict[str, str] = {}
    for number, row in enumerate(rows, 2):
        kind = row["kind"].lower()
        if kind not in KINDS:
            message = f"{path}, row {number}: there is no kind {row['kind']!r}"
            raise TableError(message)
        key = (kind, _name(row["block"]))
        blocks.setdefault(key, []).append((_line(row, sources), number))
    out = ["edition 2026", ""]
    for title, name in sources.items():
        out += [
            f"source {name} {_quoted(title)} {{",
            "  # kind = vendor          (or analyst, paper, press, measured, …)",
            '  # url = "https://…"',
            "  # date = 2026-01-31",
            *("}", ""),
        ]
    places: dict[int, int] = {}
    for (kind, name), lines in blocks.items():
        places[len(out) + 1] = lines[0][1]
        places |= {len(out) + i: row for i, (_, row) in enumerate(lines, 2)}
        out += [f"{kind} {name} {{", *(line for line, _ in lines), "}", ""]
    return "\n".join(out), places


def _line(row: Mapping[str, str], sources: dict[str, str]) -> str:
    value = " ".join(part for part in (row["value"], row.get("unit", "")) if part)
    title = row.get("source", "")
    note = row.get("note", "")
    if title:
        name = sources.setdefault(title, _name(title)[:40].rstrip("_"))
        cite = f" @{name}" + (f" {_quoted(note)}" if note else "")
    else:
        cite = f" @assumed {_quoted(note or 'no source in the table')}"
    return f"  {row['attribute']} = {value}{cite}"


def _quoted(text: str) -> str:
    inner = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'
