"""`isocost validate`: measurements against what is predicted for them."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from isocost.engine.validation.frame import Prediction, Summary
    from isocost.engine.validation.tables import Row, Table

HELP = "compare measurements with what is predicted for them"

_GROUPS = ("series", "sources", "chips", "metrics")
_COLUMNS = ("metric", "measured", "predicted", "90% interval", "unit", "error")
#: So many rows that were refused for one reason are named.
_NAMED = 3
_HEAD = ("rows", "refused", "mean", "median", "bias", "inside", "width", "score")


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_format

    parser.add_argument(
        "file",
        metavar="FILE",
        help="a table (.csv) of training, inference, collectives",
    )
    parser.add_argument(
        "--by",
        action="append",
        choices=_GROUPS,
        default=[],
        help="tables of errors to print (default: sources and chips)",
    )
    parser.add_argument("--rows", action="store_true", help="print every row")
    parser.add_argument(
        "--worst",
        type=int,
        default=5,
        metavar="N",
        help="rows to print that are farthest off (default: 5)",
    )
    parser.add_argument(
        "--models",
        metavar="FILE",
        help="a table of architectures, for models that the shipped one lacks",
    )
    parser.add_argument(
        "--write",
        metavar="FOLDER",
        help="write a scenario for each row, to see and to edit",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="write a document: predicted against measured, errors (.pdf, .html, .md)",
    )
    add_format(parser)


def run(args: "argparse.Namespace") -> int:
    """Compare; 1 if the file is no such table or no row of it can be predicted."""
    from pathlib import Path

    from isocost._shared import SCHEMA, complain, write_json
    from isocost.engine.validation import run as validation
    from isocost.engine.validation.seen import seen
    from isocost.engine.validation.tables import Problem, read

    table = read(Path(args.file))
    if isinstance(table, Problem):
        complain(f"{args.file}: {table.message}")
        return 1
    models = _models(args.models)
    if models is None:
        return 1
    _warn(args.file, table)
    if args.write is not None and not _written(args.write, table, models):
        return 1
    found = validation.predict(table, models)
    name = table.family.name
    if args.output is not None and (status := _document(args, found, name)):
        return status
    if args.format == "json":
        fitted = seen(found, name)
        data = validation.shape(found, schema=SCHEMA, family=name, fitted_on=fitted)
        write_json(data)
    else:
        sys.stdout.write(as_text(found, name, args.by, args.worst, rows=args.rows))
    return 0 if any(one.predicted is not None for one in found) else 1


def _document(
    args: "argparse.Namespace", found: "Sequence[Prediction]", family: str
) -> int:
    """Write the document; the exit status, 0 if it could be done."""
    from pathlib import Path

    from isocost._shared import complain
    from isocost.reports.refusals import ReportError
    from isocost.reports.validation import (
        ENDINGS,
        date_of,
        validation_report,
        written,
    )
    from isocost.reports.write import write_atomic

    output, file = Path(args.output), Path(args.file)
    ending = output.suffix.lower()
    if ending not in ENDINGS:
        complain(f"{output}: it is written as {', '.join(ENDINGS)}")
        return 2
    if not any(one.predicted is not None for one in found):
        complain(f"{output}: not written, since no row is predicted")
        return 1
    report = validation_report(found, family, file.name)
    try:
        write_atomic(output, written(report, ending, date_of(file)))
    except ReportError as error:
        complain(str(error))
        return 1
    except OSError as error:
        complain(f"{output}: {error.strerror or error}")
        return 1
    sys.stderr.write(f"wrote {output}\n")
    return 0


def _written(folder: str, table: "Table", models: "dict[str, Row]") -> bool:
    """Write the rows as scenarios; whether it could be done."""
    from pathlib import Path

    from isocost._shared import complain

    texts = _texts(table, models)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
    except OSError as error:
        complain(f"{folder}: {error.strerror or error}")
        return False
    left = len(table.rows) - len(texts)
    rows = "row is" if left == 1 else "rows are"
    serving = table.family.name == "inference"
    why = (
        "refused, or no steady state of one instance, and" if serving else "refused and"
    )
    more = f"; {left:,} {rows} {why} not written" if left else ""
    many = "scenario" if len(texts) == 1 else "scenarios"
    sys.stderr.write(f"wrote {len(texts):,} {many} to {folder}{more}\n")
    return True


def _texts(table: "Table", models: "dict[str, Row]") -> "dict[str, str]":
    """Scenarios by the names of their files."""
    from isocost.engine.validation import inference, training
    from isocost.engine.validation.run import faults_of
    from isocost.engine.validation.scenarios import file_name, scenario

    faults = faults_of(table.rows, table.family, models)
    good = [row for row in table.rows if row["row_id"] not in faults]
    found: dict[str, str | None] = {}
    if table.family.name == "training":
        found |= training.scenarios(good, models)
    elif table.family.name == "inference":
        found |= inference.scenarios(good, models)
    else:
        found = {row["row_id"]: scenario(row) for row in good}
    names = {row["row_id"]: file_name(row) for row in table.rows}
    return {names[row_id]: text for row_id, text in found.items() if text}


def _warn(file: str, table: "Table") -> None:
    """Name the columns that nothing reads, with what they may be meant as."""
    from isocost._shared import complain

    for name, near in table.unknown.items():
        more = f"; did you mean `{near[0]}`?" if near else ""
        complain(f"{file}: nothing reads the column `{name}`{more}")


def _models(path: str | None) -> "dict[str, Row] | None":
    """Architectures by model: the shipped ones, and those of a file before them."""
    import csv
    from importlib.resources import files

    from isocost._files import unreadable
    from isocost._shared import complain
    from isocost.engine.validation.run import by_model

    shipped = files("isocost.scenarios").joinpath("measured", "models.csv")
    known = by_model(csv.DictReader(shipped.read_text("utf-8").splitlines()))
    if path is None:
        return known
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        complain(unreadable(path, error))
        return None
    lacking = set(next(iter(known.values()))) - set(rows[0] if rows else ())
    if lacking:
        complain(
            f"{path}: no table of architectures: it lacks {', '.join(sorted(lacking))}"
        )
        return None
    return {**known, **by_model(rows)}


def as_text(
    found: "Sequence[Prediction]",
    family: str,
    by: Sequence[str] = (),
    count: int = 5,
    *,
    rows: bool = False,
) -> str:
    """The report for a terminal."""
    from isocost.engine.validation.frame import groups, reasons, summary, worst
    from isocost.engine.validation.run import GROUPINGS

    out = [_headline(summary(found), family, _seen(found, family))]
    for name in by or ("sources", "chips"):
        parts = groups(found, GROUPINGS[name]).items()
        cells = [(part, *_cells(summary(members))) for part, members in parts]
        out.append(_table((name, *_HEAD), cells, "<" + ">" * len(_HEAD)))
    chosen = list(found) if rows else worst(found, count)
    if chosen:
        head = ("every row" if rows else "farthest off", *_COLUMNS)
        out.append(_table(head, [_line(one) for one in chosen], "<<>>><>"))
    refused = [
        (f"{len(rows):,}", why, _rows(rows)) for why, rows in reasons(found).items()
    ]
    if refused:
        out.append(_table(("refused", "why", "rows"), refused, "><<"))
    return "\n\n".join(out) + "\n"


def _rows(names: Sequence[str]) -> str:
    """The first few names, and that there are more."""
    more = ", …" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _seen(found: "Sequence[Prediction]", family: str) -> int:
    from isocost.engine.validation.seen import seen

    return seen(found, family)


def _headline(one: "Summary", family: str, fitted: int) -> str:
    import math

    predicted = f"{one.rows:,} rows, {one.predicted:,} predicted"
    lines = [f"{family}: {predicted}, {one.refused:,} refused, {one.counted:,} count"]
    if one.counted:
        mean, series = _share(one.mean_abs_log_error), _share(one.median_abs_log_error)
        rows, inside = _share(one.median_of_rows), _share(one.coverage_90)
        factor = f"a factor of {math.exp(one.median_width / 2):.2f} either way"
        error = f"mean {mean}, median over series {series}, over rows {rows}"
        width = f"median width {one.median_width:.2f} ({factor})"
        score = f"score {one.interval_score:.2f}"
        lines += [
            f"error, ln(predicted / measured): {error}, bias {one.bias:+.1%}",
            f"90% intervals: {inside} of the rows inside, {width}, {score}",
        ]
    if fitted:
        known = "rows are of sources that the coefficients were fitted on"
        lines.append(f"{fitted:,} {known}: errors on others are larger")
    return "\n".join(lines)


def _share(value: float) -> str:
    return f"{value:.1%}"


def _cells(one: "Summary") -> tuple[str, ...]:
    counts = f"{one.rows:,}", f"{one.refused:,}" if one.refused else ""
    if not one.counted:
        return (*counts, *[""] * (len(_HEAD) - 2))
    return (
        *counts,
        _share(one.mean_abs_log_error),
        _share(one.median_of_rows),
        f"{one.bias:+.1%}",
        f"{one.coverage_90:.0%}",
        f"{one.median_width:.2f}",
        f"{one.interval_score:.2f}",
    )


def _line(one: "Prediction") -> tuple[str, ...]:
    from isocost._shared import digits

    if one.predicted is None or one.low is None or one.high is None:
        return (
            one.row_id,
            one.metric,
            digits(one.measured),
            "",
            "",
            one.unit,
            "refused",
        )
    interval = f"{digits(one.low)} to {digits(one.high)}"
    error = f"{one.error or 0.0:+.1%}" + ("" if one.inside else " outside")
    numbers = digits(one.measured), digits(one.predicted), interval
    return (one.row_id, one.metric, *numbers, one.unit, error)


def _table(head: Sequence[str], lines: Sequence[Sequence[str]], align: str) -> str:
    from isocost._shared import write_table

    return write_table([head, *lines], align)
