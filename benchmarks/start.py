"""What the command line costs before it does anything."""

from benchmarks._frame import ISOCOST, PYTHON, Outcome, race_processes


def run() -> Outcome:
    """Time `isocost --version` against a Python that does nothing."""
    ours, bare = race_processes([ISOCOST, "--version"], [PYTHON, "-c", "pass"], runs=15)
    return Outcome(
        what="isocost --version",
        value=ours,
        unit="s",
        rival="python -c pass",
        rival_value=bare,
        limit=0.1,
    )
