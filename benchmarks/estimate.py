"""A step of training GPT-3 175B on 256 H100: how long an estimate takes, and how good.

Two tools of the field, llm-analysis and mlsysim, estimate the same step with the same
layout in the same run, each with its own defaults for what the case leaves open; they
live in an environment of their own (`make rivals`). Ours is timed as a sweep over eight
inputs runs it; a single estimate of its own is in the notes. The measured step is that
of MLPerf's training round on this machine (row T0429 of the measurements), a series on
which our stack was calibrated and theirs were not: estimates are told for context.
"""

import csv
import json
import subprocess
import time
from pathlib import Path

import numpy as np

from benchmarks._frame import ROOT, Outcome, Skip
from isocost.dsl.check import check_file
from isocost.engine.doubt import uncertain
from isocost.engine.evaluate import Evaluation
from isocost.engine.program import point, program
from isocost.engine.quantities import table
from isocost.engine.sampling import draws

ROW = "T0429"
POINTS = 1 << 17
CALLS = 30
RIVALS = ("llm_analysis", "mlsysim")
TEXT = """\
edition 2026

import "isocost:systems/gpu"
import "isocost:models/gpt"
import "isocost:software/training"
import "isocost:fabrics/scale_out"

workload pretrain {{
  task = training
  model = gpt3_175b
  tokens = 300G token @assumed "a benchmark"
  sequence = {sequence} token @assumed "a benchmark"
  batch.global = {batch} sequence
  batch.micro = {micro} sequence
  parallel.tp = {tp}
  parallel.pp = {pp}
  precision.compute = fp8
}}

scenario layout {{
  system = hgx_h100
  fabric = hgx_h100_network
  size = {chips} chip
  software = megatron_hopper
  workload = pretrain
}}
"""


def measured() -> tuple[dict[str, int], float]:
    """The layout of the measured row, and its step in seconds."""
    path = ROOT / "tests/data/validation/training_open.csv"
    with path.open(encoding="utf-8") as file:
        row = next(one for one in csv.DictReader(file) if one["row_id"] == ROW)
    names = {
        "chips": "n_chips",
        "batch": "global_batch_seqs",
        "micro": "micro_batch",
        "sequence": "seq",
        "tp": "tp",
        "pp": "pp",
        "dp": "dp",
    }
    case = {name: int(float(row[column])) for name, column in names.items()}
    tokens = case["batch"] * case["sequence"]
    return case, tokens / case["chips"] / float(row["tokens_per_s_per_chip"])


def rival(name: str, case: dict[str, int]) -> dict[str, float]:
    """What a rival estimates, and how long a call takes; in its own environment."""
    python = ROOT / "build" / "rivals" / "bin" / "python"
    if not python.exists():
        raise Skip(f"{name} is not there: `make rivals`")
    script = Path(__file__).parent / "rivals" / f"{name}_step.py"
    line = [str(python), str(script), json.dumps(case)]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    out: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return out


def run() -> Outcome:
    """Estimates a second of ours beside the quicker rival's."""
    case, real = measured()
    evaluation = Evaluation(check_file("step.scn", table(), TEXT.format(**case)))
    node = evaluation.node("layout", "time.step")
    assert node is not None
    graph, choices = evaluation.graph, evaluation.choices
    inputs = uncertain(graph, (node,))
    made = program(graph, (node,), inputs, choices)
    columns = draws(graph, inputs, POINTS)
    (steps,) = made.run(columns)
    start = time.perf_counter()
    made.run(columns)
    ours = POINTS / (time.perf_counter() - start)
    start = time.perf_counter()
    for _ in range(CALLS):
        point(graph, (node,), choices)
    single = CALLS / (time.perf_counter() - start)
    theirs = {name: rival(name, case) for name in RIVALS}
    quickest = min(theirs, key=lambda name: theirs[name]["call"])
    low, high = np.quantile(steps, (0.05, 0.95))
    here = point(graph, (node,), choices)[node]
    return Outcome(
        what="estimates of a training step, in a sweep",
        value=ours,
        unit="/s",
        rival=quickest,
        rival_value=1 / theirs[quickest]["call"],
        limit=1 / theirs[quickest]["call"],
        higher_is_better=True,
        notes={
            "nodes": len(graph.below((node,))),
            "inputs that vary": len(inputs),
            "one at a time": f"{single:,.0f} /s",
            **{f"{name}": f"{1 / one['call']:,.0f} /s" for name, one in theirs.items()},
            "the step, measured": f"{real:.1f} s",
            "ours": f"{here:.1f} s, {low:.1f} to {high:.1f} s",
            **{f"by {name}": f"{one['step']:.1f} s" for name, one in theirs.items()},
        },
    )
