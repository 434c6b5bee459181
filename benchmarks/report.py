"""The whole way from the study's text to its PDF."""

import tempfile
from pathlib import Path

from benchmarks._frame import PYTHON, Outcome, command, race_processes, scenario

ONE_WORD = "import sys, weasyprint; weasyprint.HTML(string='-').write_pdf(sys.argv[1])"


def run() -> Outcome:
    """Time `isocost report` against WeasyPrint setting one word."""
    study = scenario("scenarios/trainium2/study.scn")
    with tempfile.TemporaryDirectory() as folder:
        ours, rival = race_processes(
            command("report", study, "-o", str(Path(folder, "study.pdf"))),
            [PYTHON, "-c", ONE_WORD, str(Path(folder, "word.pdf"))],
            runs=3,
        )
    return Outcome(
        what="isocost report, the Trainium2 study as PDF",
        value=ours,
        unit="s",
        rival="WeasyPrint on one word",
        rival_value=rival,
        limit=10.0,
    )
