"""An editor's or a hook's wait: all diagnostics of a file of a hundred lines."""

import resource

from benchmarks._frame import PYTHON, Outcome, command, race_processes, scenario

RUNS = 11


def run() -> Outcome:
    """Time `isocost check` against a Python that only loads a library of classes."""
    line = command("check", scenario("benchmarks/hundred_lines.scn"))
    ours, rival = race_processes(line, [PYTHON, "-c", "import attrs"], runs=RUNS)
    return Outcome(
        what="isocost check, 100 lines",
        value=ours,
        unit="s",
        rival="python -c 'import attrs'",
        rival_value=rival,
        limit=0.3,
        notes={"processor time": f"{_alone(line) * 1e3:.0f} ms"},
    )


def _alone(line: list[str]) -> float:
    """Processor time of one run, which a busy machine stretches less than the wait."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    race_processes(line, line, runs=RUNS // 2)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken / (2 * (RUNS // 2 + 1))
