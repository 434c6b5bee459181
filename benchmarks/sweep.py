"""Rows a second of a sweep to a file, beside a plain Python walk, and its memory.

The sweep runs as a process of its own, from the scenario file to the joined file. Its
memory is that of a part, whatever the number of rows; the note says what it was.
"""

import json
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from benchmarks._frame import PYTHON, Outcome, scenario
from isocost.dsl.check import check_file
from isocost.engine.evaluate import Evaluation
from isocost.engine.printers.python import scalar_function
from isocost.engine.program import program
from isocost.engine.quantities import table

STUDY = "scenarios/examples/inference_comparison.scn"
METRIC = ("on_h100", "cost.per_Mtoken[output_only]")
ROWS = 2_000_000
FEW = 2000
#: The command line, and then the most memory that it had, in kilobytes.
COMMAND = (
    "import resource, sys; from isocost.__main__ import main; main(sys.argv[1:]); "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
)
#: What 10⁸ rows may take at most.
GIGABYTES = 2.0


def walk() -> float:
    """Seconds that a plain walk takes for a row."""
    evaluation = Evaluation(check_file(scenario(STUDY), table()))
    node = evaluation.node(*METRIC)
    assert node is not None
    graph = evaluation.graph
    moved = [
        number
        for number in graph.inputs((node,))
        if getattr(graph.nodes[number].what, "path", "")
        in {"site.electricity", "finance.sold"}
    ]
    made = program(graph, (node,), moved, evaluation.choices)
    start = time.perf_counter()
    for i in range(FEW):
        values = {**made.fixed, **dict.fromkeys(moved, 1.0 + i)}
        for one, formula, args in made.steps:
            values[one] = scalar_function(formula)(*[values[arg] for arg in args])
    return (time.perf_counter() - start) / FEW


def run() -> Outcome:
    """Time the sweep; rates are rows a second."""
    path = scenario(STUDY)
    ending = "parquet" if find_spec("pyarrow") else "csv"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, f"out.{ending}")
        line = [
            PYTHON, "-c", COMMAND, "sweep", path, "-s", METRIC[0], "-m", METRIC[1],
            "--vary", f"site.electricity=0.05:0.1:{ROWS // 1000}",
            "--vary", "finance.sold=50%:80%:1000", "-o", str(out), "--format", "json",
        ]  # fmt: skip
        start = time.perf_counter()
        done = subprocess.run(line, check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        assert json.loads(done.stdout)["rows"] == ROWS
        size = out.stat().st_size
    peak = int(done.stderr.split()[-1]) * 1024 / 1e9
    return Outcome(
        what=f"a sweep of {ROWS:,} rows to {ending}",
        value=peak,
        unit="GB",
        rival="the promise for 10⁸ rows",
        rival_value=GIGABYTES,
        limit=GIGABYTES,
        notes={
            "rows a second": f"{ROWS / seconds:,.0f}",
            "a plain Python walk": f"{1 / walk():,.0f} rows a second",
            "file": f"{size / 1e6:.0f} MB",
        },
    )
