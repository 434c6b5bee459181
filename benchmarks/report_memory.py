"""The memory that the way from the study's text to its PDF takes."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks._frame import PYTHON, Outcome, Skip, command, scenario
from benchmarks.report import ONE_WORD

#: What a report of 30 pages may take, in megabytes.
MOST = 300.0


def run() -> Outcome:
    """The peak of `isocost report` beside that of WeasyPrint setting one word."""
    study = scenario("scenarios/trainium2/study.scn")
    with tempfile.TemporaryDirectory() as folder:
        ours = peak(command("report", study, "-o", str(Path(folder, "study.pdf"))))
        rival = peak([PYTHON, "-c", ONE_WORD, str(Path(folder, "word.pdf"))])
    return Outcome(
        what="memory of isocost report, the Trainium2 study as PDF",
        value=ours,
        unit="MB",
        rival="WeasyPrint on one word",
        rival_value=rival,
        limit=MOST,
    )


def peak(line: Sequence[str]) -> float:
    """The megabytes that the largest process of a command held.

    The numbers are made in a process of their own, before the pages are set; while
    that runs, the one that waits holds little more than WeasyPrint's modules.
    """
    if not hasattr(os, "wait4"):
        raise Skip("this system does not tell the memory of a process")
    child = subprocess.Popen(line, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, line)
    return used.ru_maxrss / 1024
