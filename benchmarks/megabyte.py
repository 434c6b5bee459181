"""A file of a megabyte and 16 thousand facts: checked and evaluated, and its memory.

The facts are the catalogue's, its chips, systems and models again and again under new
names. Of the copies of chips the densest is asked for (the most operations for a byte),
and three scenarios serve a model, so that there is something to evaluate. The process
is one of its own; its processor time counts, and its memory has a limit too.
"""

import itertools
import json
import re
import subprocess
import tempfile
from pathlib import Path

from benchmarks._facts import RIVALS, facts, texts
from benchmarks._frame import PYTHON, Outcome, scenario
from isocost.dsl.parser import parse
from isocost.dsl.syntax import Block

EXAMPLE = "scenarios/examples/inference_comparison.scn"
FACTS = 16_000
MEGABYTES = 500
METRICS = ("densest", "cost.per_Mtoken", "cost.capex", "throughput.output")
#: The command line, then its processor time and the most memory that it had.
COMMAND = (
    "import resource, sys, time; from isocost.__main__ import main; "
    "status = main(sys.argv[1:]); "
    "print(status, time.process_time(), "
    "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3, file=sys.stderr)"
)
_OWN = re.compile(r"^(?:edition .*|import .*)\n", re.MULTILINE)
_NAME = re.compile(r"(\w+ \w+)")


def written() -> tuple[str, int]:
    """The file, and how many facts it states."""
    catalogue = "\n".join(_OWN.sub("", text) for text in texts().values())
    with open(scenario(EXAMPLE), encoding="utf-8") as file:
        example = _OWN.sub("", file.read())
    parts = ["edition 2026\n", catalogue, example]
    number = len(facts({"f.scn": "\n".join(parts)}))
    blocks = [item for item in parse(catalogue, "c").items if isinstance(item, Block)]
    ratios: list[str] = []
    copied = [block for block in blocks if block.kind.text != "source"]
    for turn, block in (
        (turn, block) for turn in itertools.count(2) for block in copied
    ):
        if number >= FACTS:
            break
        name = f"{block.name.text}__{turn}"
        text = catalogue[block.span.start : block.span.end]
        parts.append(_NAME.sub(f"{block.kind.text} {name}", text, count=1) + "\n")
        number += len(block.members)
        stated = {str(member.path) for member in block.members}
        if block.kind.text == "chip" and stated >= {"peak[bf16]", "memory.bandwidth"}:
            ratios.append(f"{name}_density")
            text = f"let {ratios[-1]} := {name}.peak[bf16] / {name}.memory.bandwidth\n"
            parts.append(text)
    parts.append(f"let densest := max({', '.join(ratios)})\n")
    return "\n".join(parts), number


def run() -> Outcome:
    """Evaluate the file in a process of its own.

    Raises:
        CalledProcessError: It failed, or took more memory than promised.
    """
    text, number = written()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.scn")
        path.write_text(text, encoding="utf-8")
        line = [PYTHON, "-c", COMMAND, "eval", str(path), "--format", "json"]
        line += [word for metric in METRICS for word in ("-m", metric)]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
    status, seconds, megabytes = map(float, done.stderr.split()[-3:])
    results = json.loads(done.stdout)["scenarios"] if not status else {}
    if status or megabytes > MEGABYTES:
        why = f"status {status:.0f}, {megabytes:.0f} MB"
        raise subprocess.CalledProcessError(int(status), line, stderr=why)
    found = facts({str(path): text})
    rival = RIVALS[0]
    return Outcome(
        what=f"isocost eval, {len(text) / 1e6:.2f} MB with {number:,} facts",
        value=seconds,
        unit="s",
        rival=f"{rival.name} that only reads its facts",
        rival_value=len(found) / rival.rate(found),
        limit=10.0,
        notes={
            "memory": f"{megabytes:.0f} MB of at most {MEGABYTES}",
            "scenarios": len(results),
            "results": sum(map(len, results.values())),
        },
    )
