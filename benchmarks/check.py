"""An editor's or a hook's wait: all diagnostics of a file of a hundred lines."""

from benchmarks._frame import PYTHON, Outcome, command, race_processes, scenario


def run() -> Outcome:
    """Time `isocost check` against a Python that only loads the parser's library."""
    ours, rival = race_processes(
        command("check", scenario("benchmarks/hundred_lines.scn")),
        [PYTHON, "-c", "import lark, attrs"],
        runs=11,
    )
    return Outcome(
        what="isocost check, 100 lines",
        value=ours,
        unit="s",
        rival="python -c 'import lark, attrs'",
        rival_value=rival,
        limit=0.3,
    )
