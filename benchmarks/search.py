"""All layouts of GPT-3 175B on 64 chips: three million of them, in one search.

Degrees of parallelism, micro-batch and interleaving are the tool's to choose, over 150
batch sizes. The field's exhaustive tool did not finish this space in ten minutes. The
rival is a plain Python walk over some of the same layouts.
"""

from benchmarks._frame import Outcome, race
from isocost.dsl.check import check_file
from isocost.engine.evaluate import Evaluation
from isocost.engine.printers.python import scalar_function
from isocost.engine.quantities import table
from isocost.engine.search import Space, search

FEW = 256
SECONDS = 10.0
GOALS = {"cost.train": 1, "time.step": 1}
SIZES = ", ".join(f"{64 * i} sequence" for i in range(1, 151))
TEXT = f"""\
edition 2026

import "isocost:systems/gpu"
import "isocost:models/gpt"
import "isocost:software/training"
import "isocost:sites/us"
import "isocost:finance/books"
import "isocost:fabrics/scale_out"

workload pretrain {{
  task = training
  model = gpt3_175b
  tokens = 300G token @assumed "a benchmark"
  sequence = 2048 token @assumed "a benchmark"
  batch.global = {{{SIZES}}}
  batch.micro = auto
  parallel.tp = auto
  parallel.pp = auto
  parallel.cp = auto
  parallel.virtual = auto
}}

scenario layouts {{
  system = hgx_h100
  fabric = hgx_h100_network
  size = 64 chip
  software = megatron_hopper
  workload = pretrain
  site = us_hyperscale
  finance = hyperscaler_captive
  ettr = 90% @assumed "a benchmark"
  objective = cost.train
}}
"""


def walk(space: Space) -> None:
    """Some layouts one by one, one Python call a formula."""
    grid, _ = space.columns(0)
    made = space.program
    for row in grid[:FEW].tolist():
        values = dict(made.fixed)
        values.update(zip(made.varying, row, strict=True))
        for node, formula, args in made.steps:
            values[node] = scalar_function(formula)(*[values[arg] for arg in args])


def run() -> Outcome:
    """Time the search; rates are layouts a second."""
    evaluation = Evaluation(check_file("layouts.scn", table(), TEXT))
    space = Space(evaluation, "layouts", GOALS)
    ours, rival = race(
        lambda: search(evaluation, ["layouts"], GOALS), lambda: walk(space), runs=1
    )
    found = search(evaluation, ["layouts"], GOALS)
    assert found is not None
    return Outcome(
        what=f"a search of {space.size:,} layouts",
        value=space.size / ours,
        unit="/s",
        rival="a plain Python walk",
        rival_value=FEW / rival,
        limit=space.size / SECONDS,
        higher_is_better=True,
        notes={
            "seconds": f"{ours:.2f}",
            "formulas that vary": space.program.size,
            "admissible": f"{found.admissible:,}",
            "on the front": len(found.front),
        },
    )
