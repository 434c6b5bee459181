"""All open rows of training and serving predicted, and a stack fitted to its rows.

Both are whole commands, start of Python included; the limit on `calibrate` is told in
the notes. Nothing in the field predicts and fits the same rows, so that the rival is
the time that was asked for.
"""

import resource
import subprocess
import tempfile
from pathlib import Path

from benchmarks._frame import ROOT, Outcome, command

DATA = ROOT / "tests" / "data" / "validation"
TABLES = ("training_open", "training_small_a100_open", "inference_open")
STACK = "megatron_hopper"
#: Seconds that all rows, and that one stack, may take.
ALL_ROWS, ONE_STACK = 30.0, 60.0
TEXT = f"""edition 2026
import "isocost:software/training"
software fitted extends {STACK} {{}}
"""


def seconds(words: list[str]) -> float:
    """CPU seconds of a command: other work on the machine does not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def run() -> Outcome:
    """CPU time of `validate` over all tables and of `calibrate` on Hopper's rows."""
    taken = sum(
        seconds(command("validate", str(DATA / f"{name}.csv"), "--format", "json"))
        for name in TABLES
    )
    rows = sum(
        len((DATA / f"{name}.csv").read_text(encoding="utf-8").splitlines()) - 1
        for name in TABLES
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "stack.scn")
        file.write_text(TEXT, encoding="utf-8")
        table = str(DATA / "training_open.csv")
        fitted = seconds(
            command(
                "calibrate", str(file), table, "--software", "fitted", "--format=json"
            )
        )
    return Outcome(
        what=f"isocost validate, {rows} rows of training and serving (CPU)",
        value=taken,
        unit="s",
        rival="what was asked for",
        rival_value=ALL_ROWS,
        limit=ALL_ROWS,
        notes={"calibrate a stack, CPU s": fitted, "its limit, s": ONE_STACK},
    )
