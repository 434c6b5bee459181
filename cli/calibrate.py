"""`isocost calibrate`: a software block fitted to measurements, to read and to diff."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from isocost.dsl.check import Checked
    from isocost.dsl.document import Block
    from isocost.engine.calibration.stack_block import Report
    from isocost.engine.calibration.stack_run import Read

HELP = "fit a software block to measurements"
SOURCE = "calibrated"


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_file, add_format

    add_file(parser)
    parser.add_argument(
        "measurements", metavar="MEASUREMENTS.csv", help="training or inference"
    )
    parser.add_argument(
        "--software", metavar="NAME", help="the block (default: the only one)"
    )
    parser.add_argument(
        "--name", metavar="NEW", help="the new block's name (default: the same)"
    )
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="COLUMN=TEXT",
        help="take only rows whose column has the text in it",
    )
    parser.add_argument(
        "--widen",
        type=float,
        default=1.0,
        metavar="FACTOR",
        help="trust the block's intervals less, by a factor (default: 1)",
    )
    parser.add_argument(
        "--models", metavar="FILE", help="architectures that the shipped table lacks"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the block there")
    add_format(parser)


def run(args: "argparse.Namespace") -> int:
    """Fit; 1 if the file, the measurements or the block are at fault."""
    from isocost._shared import complain, ready, writable

    if args.widen <= 0:
        complain("--widen must be above 0")
        return 2
    if args.output:
        writable(args.output)
    checked = ready(args.file)
    if checked is None:
        return 1
    block = pick(checked, args.software)
    read = None if block is None else _read(args, checked, block)
    if block is None or read is None:
        return 1
    return _finish(args, checked, block, read)


def pick(checked: "Checked", wanted: str | None) -> "Block | None":
    """The block that is meant; None, with a message, where that is not clear."""
    from isocost._shared import complain
    from isocost.dsl.suggest import nearest

    known = {b.label: b for b in checked.document.of_kind("software")}
    if wanted is not None:
        if wanted not in known:
            near = nearest(wanted, list(known))
            more = f"; did you mean {near[0]}?" if near else ""
            complain(f"there is no software {wanted}{more}")
        return known.get(wanted)
    own = [b for b in known.values() if b.file == checked.document.file]
    if len(own or known) == 1:
        return (own or list(known.values()))[0]
    names = ", ".join(sorted(known)) or "none"
    complain(f"name a block with --software; there is {names}")
    return None


def _read(
    args: "argparse.Namespace", checked: "Checked", block: "Block"
) -> "Read | None":
    from pathlib import Path

    import attrs

    from isocost._shared import complain
    from isocost.engine.calibration.stack_run import Fault, of_block, read_rows
    from isocost.engine.graph import GraphBuilder
    from isocost.engine.scope import Scope
    from isocost.engine.validation.run import faults_of
    from isocost.engine.validation.tables import Problem, read
    from isocost.validate import _models

    table = read(Path(args.measurements))
    if isinstance(table, Problem):
        complain(f"{args.measurements}: {table.message}")
        return None
    models = _models(args.models)
    if models is None:
        return None
    columns = {one.partition("=")[0] for one in args.where}
    strange = columns - set(table.family.columns)
    if strange:
        complain(f"--where: there is no column {', '.join(sorted(strange))}")
        return None
    wanted = [row for row in table.rows if _wanted(row, args.where)]
    faults = faults_of(wanted, table.family, models)
    chosen = [row for row in wanted if row["row_id"] not in faults]
    inside, outside = of_block(block, chosen)
    if outside:
        complain(f"{len(outside)} rows are of chips that {block.label} does not list")
    scope = Scope(checked.lookup, GraphBuilder())
    family = table.family.name
    found = read_rows(family, inside, models, scope, block, args.widen)
    if isinstance(found, Fault):
        complain(found.message)
        return None
    return attrs.evolve(found, refused={**faults, **found.refused})


def _wanted(row: Any, filters: Sequence[str]) -> bool:
    """Whether a row has the text of each filter in its column."""
    pairs = (one.partition("=") for one in filters)
    return all(text.lower() in row.get(column, "").lower() for column, _, text in pairs)


def _finish(
    args: "argparse.Namespace", checked: "Checked", block: "Block", read: "Read"
) -> int:
    """Fit, print and write."""
    from pathlib import Path

    from isocost._shared import complain, write_json
    from isocost.engine.calibration.stack_run import calibrated
    from isocost.reports.write import write_atomic

    found = calibrated(read)
    text = block_of(args, checked, block, found)
    if args.output:
        try:
            write_atomic(Path(args.output), text)
        except OSError as error:
            complain(f"{args.output}: {error.strerror or error}")
            return 1
    if args.format == "json":
        write_json(as_json(found, read, text))
    else:
        sys.stderr.write(as_text(found, read))
        if not args.output:
            sys.stdout.write(text)
    return 0


def block_of(
    args: "argparse.Namespace", checked: "Checked", block: "Block", found: "Report"
) -> str:
    """The file's text: its source and the block, whose other lines are unchanged."""
    import os

    from isocost.engine.calibration.stack_block import (
        block_text,
        source_text,
        sources_text,
    )

    rows = os.path.basename(args.measurements)
    name = args.name or block.label
    texts = checked.document.sources_text
    imports, copies = sources_text(block, checked.document, found, SOURCE)
    head = "\n".join(
        ["edition 2026", "", *imports, ""] if imports else ["edition 2026", ""]
    )
    body = block_text(block, texts, found, SOURCE, name)
    return "\n".join([head, *copies, source_text(SOURCE, found, rows), body])


def as_json(found: "Report", read: "Read", text: str) -> dict[str, Any]:
    """Everything that was found."""
    from isocost._shared import SCHEMA

    spreads = found.fitted.spreads.tolist()
    pairs = zip(found.figures, found.fitted.values, spreads, strict=True)
    return {
        "schema": SCHEMA,
        "rows": found.rows,
        "refused": dict(read.refused),
        "sources": list(found.sources),
        "figures": [
            {
                "path": one.path,
                "prior": one.median,
                "value": value,
                "prior_spread": one.spread,
                "standard_error": spread,
            }
            for one, value, spread in pairs
        ],
        "left_out": {"by": found.fold, "mean_abs_log_error": dict(found.errors)},
        "half_width": found.half,
        "residual": found.residual,
        "not_moved": list(found.still),
        "not_told_apart": [list(pair) for pair in found.together],
        "block": text,
    }


def as_text(found: "Report", read: "Read") -> str:
    """What a person wants to know before taking the block over."""
    from isocost._shared import digits, write_table

    lines = [("figure", "was", "is", "± (log)", "prior ±")]
    spreads = found.fitted.spreads
    for one, value, spread in zip(
        found.figures, found.fitted.values, spreads, strict=True
    ):
        cells = (digits(one.median, 4), digits(value, 4))
        lines.append((one.path, *cells, f"{spread:.3f}", f"{one.spread:.3f}"))
    out = [f"{found.rows} rows fitted, {len(read.refused)} refused"]
    out += [f"  {name}: {reason}" for name, reason in list(read.refused.items())[:5]]
    out.append(write_table(lines, "<>>>>"))
    errors = ", ".join(f"{name} {size:.1%}" for name, size in found.errors.items())
    out.append(f"mean error left out by {found.fold}: {errors}")
    out.append(f"90% of them within {found.half:.1%}; residual {found.residual:.1%}")
    if found.still:
        out.append(f"the rows say nothing of {', '.join(found.still)}")
    out += [
        f"the rows do not tell {a} from {b} (correlation {r:+.2f})"
        for a, b, r in found.together
    ]
    return "\n".join(out) + "\n\n"
