"""An analyst's wait after each edit: all metrics of the study, with intervals."""

from benchmarks._frame import PYTHON, Outcome, command, race_processes, scenario


def run() -> Outcome:
    """Time a warm `isocost eval` against a Python that only loads NumPy."""
    study = scenario("scenarios/trainium2/study.scn")
    ours, rival = race_processes(
        command("eval", study, "--format", "json"),
        [PYTHON, "-c", "import numpy"],
        runs=7,
    )
    return Outcome(
        what="isocost eval, warm, the Trainium2 study",
        value=ours,
        unit="s",
        rival="python -c 'import numpy'",
        rival_value=rival,
        limit=1.0,
    )
