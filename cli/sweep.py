"""`isocost sweep`: metrics over a grid of any size, to Parquet or CSV."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from isocost.dsl.check import Checked
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.sweep import Sweep
    from isocost.engine.sweep_job import Job

HELP = "compute metrics over a grid, to Parquet or CSV"
#: So many rows are printed; more go to a file.
SHOWN = 2000


def configure(parser: "argparse.ArgumentParser") -> None:
    """Add the options."""
    from isocost._shared import add_compiled, add_file, add_format, add_set

    add_file(parser)
    parser.add_argument(
        "--vary",
        action="append",
        required=True,
        metavar="PATH=a:b:n",
        help="n values from a to b, a:b:n:log for even ratios, or a list a,b,c; "
        "several make the grid, the last one moving first",
    )
    parser.add_argument(
        "-m",
        "--metric",
        action="append",
        default=[],
        help="METRIC or SCENARIO.METRIC (default: the headline metrics that move)",
    )
    parser.add_argument("-s", "--scenario", action="append", default=[])
    parser.add_argument(
        "--random",
        type=int,
        metavar="N",
        help="N quasi-random points between a and b of every PATH=a:b instead",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help=".parquet or .csv; a run that was stopped goes on where it was",
    )
    parser.add_argument(
        "--restart", action="store_true", help="drop the parts of a stopped run"
    )
    parser.add_argument(
        "--dask", metavar="ADDRESS", help="the scheduler of a Dask cluster"
    )
    add_compiled(parser)
    add_set(parser)
    add_format(parser)


def run(args: "argparse.Namespace") -> int:
    """Sweep; 1 if the file is at fault."""
    from isocost._shared import (
        complain,
        evaluation_failed,
        ready,
        warn_broken,
        writable,
    )
    from isocost.engine.axes import AxisError
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.sweep import Sweep
    from isocost.engine.sweep_job import SweepError

    wrong = _wrong(args)
    if wrong:
        complain(wrong)
        return 2
    if args.output:
        writable(args.output)
    checked = ready(args.file, args.settings)
    if checked is None:
        return 1
    evaluation = Evaluation(checked)
    metrics = _metrics(evaluation, checked, args)
    if metrics is None or evaluation.diagnostics:
        evaluation_failed(evaluation)
        return 1
    job = _job(checked, args, metrics)
    try:
        sweep = Sweep(evaluation, job)
        if not args.metric:
            job = _job(checked, args, _moving(sweep))
            sweep = Sweep(evaluation, job)
        _refuse_structure(sweep)
        show = _print if args.output is None else _write
        status = show(args, sweep)
    except (AxisError, SweepError) as error:
        if not evaluation_failed(evaluation):
            complain(str(error))
        return 2 if isinstance(error, AxisError) else 1
    except OSError as error:
        complain(f"{args.output}: {error.strerror or error}")
        return 1
    warn_broken(evaluation)
    return status


def _wrong(args: "argparse.Namespace") -> str:
    """What is wrong with the command line; empty if nothing is."""
    from pathlib import Path

    from isocost.engine.axes import AxisError, spec
    from isocost.engine.sweep_parts import FORMS

    if args.random is not None and args.random < 1:
        return "--random must be at least 1"
    if args.output and Path(args.output).suffix.lower() not in FORMS:
        return f"{args.output}: sweeps are written as {', '.join(FORMS)}"
    for text in args.vary:
        try:
            one = spec(text)
        except AxisError as error:
            return str(error)
        grid = one.listed or one.count is not None
        if not one.ends or (not grid and args.random is None):
            return f"--vary {one.path} takes low:high:count or a list of values"
        if args.random is not None and one.count is not None:
            return f"--vary {one.path} takes low:high with --random"
    return ""


def _metrics(
    evaluation: "Evaluation", checked: "Checked", args: "argparse.Namespace"
) -> tuple[tuple[str, str], ...] | None:
    """Scenario and path of every metric asked for, or of all headline metrics.

    Where only a scenario's own inputs are varied, its metrics are meant.
    """
    from isocost._asked import metrics, parted
    from isocost._shared import complain, pick_scenarios
    from isocost.engine.axes import spec

    named = [parted(checked, spec(text).path)[0] for text in args.vary]
    own = [] if None in named else list(dict.fromkeys(filter(None, named)))
    scenarios = pick_scenarios(checked, args.scenario or own)
    if not scenarios:
        complain(f"{args.file}: there is no scenario in it")
        return None
    if not args.metric:
        return tuple((s, m) for s in scenarios for m in evaluation.headlines(s))
    only = bool(args.scenario)
    pairs = metrics(evaluation, args.metric, scenarios, only=only)
    full = ((name, evaluation.scope(name).full_path(m) or m) for name, m in pairs)
    return tuple(dict.fromkeys(full))


def _moving(sweep: "Sweep") -> tuple[tuple[str, str], ...]:
    """The metrics that the axes move."""
    moving = {node for node, _, _ in sweep.program.steps} | set(sweep.varying)
    pairs = zip(sweep.job.metrics, sweep.wanted, strict=True)
    return tuple(metric for metric, node in pairs if node in moving)


def _job(
    checked: "Checked", args: "argparse.Namespace", metrics: tuple[tuple[str, str], ...]
) -> "Job":
    from isocost import __version__
    from isocost._shared import compiled
    from isocost.dsl.edits import NAME
    from isocost.engine.sweep_job import Job

    texts = {k: v for k, v in checked.document.sources_text.items() if k != NAME}
    return Job(
        path=args.file,
        texts=tuple(sorted(texts.items())),
        settings=tuple(args.settings),
        vary=tuple(args.vary),
        metrics=metrics,
        points=args.random,
        version=__version__,
        compiled=compiled(args),
    )


def _refuse_structure(sweep: "Sweep") -> None:
    from isocost.engine.sweep_job import SweepError

    shared = sweep.shared()
    if shared:
        path, others = next(iter(shared.items()))
        raise SweepError(
            f"{path}: {', '.join(others)} share this input and would move with it; "
            "name it as its block does, or ask for the metrics of one scenario"
        )
    found = sweep.structural()
    if found:
        raise SweepError(
            f"{', '.join(found)}: the structure of the model hangs on it (a network, a "
            "plan); evaluate each value with `isocost eval --set`"
        )


def _print(args: "argparse.Namespace", sweep: "Sweep") -> int:
    """All rows on standard output."""
    from isocost._shared import SCHEMA, complain, digits, write_json, write_table

    if sweep.rows > SHOWN:
        complain(f"{sweep.rows:,} rows are more than one reads: name a file with -o")
        return 2
    parts = dict(_computed(args, sweep, list(range(sweep.parts))))
    rows = [
        row
        for number in sorted(parts)
        for row in zip(*(column.tolist() for column in parts[number]), strict=True)
    ]
    if args.format == "json":
        columns = [{"name": one.name, "unit": one.unit} for one in sweep.columns]
        write_json({"schema": SCHEMA, "columns": columns, "rows": rows})
        return 0
    table = [
        [one.name for one in sweep.columns],
        [one.unit for one in sweep.columns],
        *([digits(value, 4) for value in row] for row in rows),
    ]
    sys.stdout.write(write_table(table, ">" * len(sweep.columns)) + "\n")
    return 0


def _computed(args: "argparse.Namespace", sweep: "Sweep", numbers: list[int]) -> Any:
    """The parts with their numbers, from here or from a cluster, in any order."""
    if args.dask:
        from isocost.engine.sweep_remote import remote

        return remote(args.dask, sweep.job, numbers)
    return ((number, sweep.part(number)) for number in numbers)


def _write(args: "argparse.Namespace", sweep: "Sweep") -> int:
    """All rows to a file, part by part."""
    from pathlib import Path

    from isocost._progress import Progress
    from isocost._shared import SCHEMA, write_json
    from isocost.engine.sweep_parts import Parts, drop

    target = Path(args.output)
    if args.restart:
        drop(target)
    parts = Parts(target, sweep.job.key, sweep.columns)
    kept = parts.done(sweep.parts)
    numbers = [number for number in range(sweep.parts) if number not in kept]
    rows = sum(map(sweep.size, kept))
    with Progress("rows") as progress:
        progress(rows, sweep.rows)
        for number, columns in _computed(args, sweep, numbers):
            parts.add(number, columns)
            rows += sweep.size(number)
            progress(rows, sweep.rows)
    parts.join(sweep.parts)
    if args.format == "json":
        write_json(
            {
                "schema": SCHEMA,
                "output": str(target),
                "rows": sweep.rows,
                "columns": [{"name": c.name, "unit": c.unit} for c in sweep.columns],
                "kept": sum(map(sweep.size, kept)),
            }
        )
    else:
        went = " (went on with an earlier run)" if kept else ""
        text = f"wrote {target}: {sweep.rows:,} rows of {len(sweep.columns)} columns"
        sys.stdout.write(f"{text}{went}\n")
    return 0
