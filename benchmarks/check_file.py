"""An editor's wait at every key: a file of 10 kB parsed and checked in one process."""

from benchmarks._facts import RIVALS, cpu_seconds, facts
from benchmarks._frame import Outcome, scenario
from isocost.dsl.check import check_file
from isocost.engine.quantities import table

FILE = "scenarios/catalog/chips/aws.scn"


def run() -> Outcome:
    """Check the chips of AWS, with the sources that they import, again and again."""
    path = scenario(FILE)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    known = table()
    ours = cpu_seconds(lambda: check_file(path, known, text), runs=15)
    found = facts({path: text})
    rival = RIVALS[0]
    return Outcome(
        what=f"parsing and checking a file of {len(text) / 1e3:.0f} kB",
        value=ours,
        unit="s",
        rival=f"{rival.name} that only reads its facts",
        rival_value=len(found) / rival.rate(found),
        limit=0.025,
        notes={"facts": len(found)},
    )
