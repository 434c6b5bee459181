"""A million draws of every headline metric of the study, with quantiles.

All metrics of all scenarios over the same draws, five quantiles each with its standard
error, which are those of all draws sorted; no column is ever held. The rival is a
hundredth of the draws formula by formula, every column held and sorted.
"""

import resource
import sys
import time

from benchmarks._frame import Outcome, race, scenario
from benchmarks.evaluations import study
from isocost.engine.doubt import summaries, uncertain
from isocost.engine.program import LONG, program
from isocost.engine.ranks import quantiles
from isocost.engine.sampling import batched

DRAWS = 1_000_000
FEW = 10_000
SECONDS = 10.0


def run() -> Outcome:
    """Time the million on all cores; the rival's seconds are for as many draws."""
    evaluation, nodes = study(scenario("scenarios/trainium2/study.scn"))
    graph = evaluation.graph
    inputs = uncertain(graph, nodes)
    made = program(graph, nodes, inputs, evaluation.choices)
    assert FEW < LONG

    def plainly() -> None:
        (columns,) = batched(graph, inputs, FEW)
        for column in made.run(columns):
            quantiles(column)

    spent = time.process_time()
    ours, rival = race(
        lambda: [one.quantiles() for one in summaries(evaluation, nodes, DRAWS)],
        plainly,
        runs=1,
    )
    spent = (time.process_time() - spent) / 2  # with the run that does not count
    peak = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    peak /= 1e9 if sys.platform == "darwin" else 1e6
    return Outcome(
        what="a million draws of the study's headline metrics, with quantiles",
        value=ours,
        unit="s",
        rival="formula by formula, columns held",
        rival_value=rival * DRAWS / FEW,
        limit=SECONDS,
        notes={
            "metrics": len(nodes),
            "nodes": len(graph.below(nodes)),
            "formulas that vary": made.size,
            "operations on the tape": len(made.tape.ops),
            "inputs that vary": len(inputs),
            "seconds of CPU": f"{spent:.1f}",
            "memory at most": f"{peak:.2g} GB",
        },
    )
