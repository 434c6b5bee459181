"""Evaluations a second of the study's compiled program, beside a plain Python walk.

Both compute the headline metrics of every scenario for the same draws. The rival walks
the graph once a draw with one Python function a formula, as a careful script would.
Notes say how many nodes lie between what varies and what is asked for, and how long a
million draws take.
"""

from collections.abc import Sequence

from benchmarks._frame import Outcome, Skip, race, scenario
from isocost.dsl.check import check_file
from isocost.engine.doubt import uncertain
from isocost.engine.evaluate import Evaluation
from isocost.engine.printers.python import scalar_function
from isocost.engine.program import Program, program
from isocost.engine.quantities import table
from isocost.engine.sampling import draws

#: Draws of the compiled program, and those of the walk.
MANY = 1 << 17
FEW = 64
SECONDS_FOR_A_MILLION = 10.0


def study(path: str) -> tuple[Evaluation, list[int]]:
    """The evaluated study and the nodes of its headline metrics."""
    evaluation = Evaluation(check_file(path, table()))
    names = [block.name for block in evaluation.document.scenarios]
    nodes = [
        node
        for name in names
        for metric in evaluation.headlines(name)
        if (node := evaluation.node(name, metric)) is not None
    ]
    if not nodes:
        raise Skip(f"{path} has no metric")
    return evaluation, list(dict.fromkeys(nodes))


def walk(made: Program, point: Sequence[float]) -> list[float]:
    """The wanted nodes at one point, one Python call a formula."""
    values = dict(made.fixed)
    values.update(zip(made.varying, point, strict=True))
    for node, formula, args in made.steps:
        values[node] = scalar_function(formula)(*[values[arg] for arg in args])
    return [values[node] for node in made.wanted]


def run() -> Outcome:
    """Race the program against the walk; rates are draws a second."""
    evaluation, nodes = study(scenario("scenarios/trainium2/study.scn"))
    graph = evaluation.graph
    inputs = uncertain(graph, nodes)
    made = program(graph, nodes, inputs, evaluation.choices)
    columns = draws(graph, inputs, MANY)
    points = list(
        zip(*(column[:FEW].tolist() for column in columns.values()), strict=True)
    )
    ours, rival = race(
        lambda: made.run(columns),
        lambda: [walk(made, point) for point in points],
        runs=5,
    )
    return Outcome(
        what="evaluations of the study's headline metrics",
        value=MANY / ours,
        unit="/s",
        rival="a plain Python walk",
        rival_value=FEW / rival,
        limit=1_000_000 / SECONDS_FOR_A_MILLION,
        higher_is_better=True,
        notes={
            "metrics": len(nodes),
            "nodes": len(graph.below(nodes)),
            "formulas that vary": made.size,
            "inputs that vary": len(inputs),
            "formulas a second": f"{MANY / ours * made.size:.3g}",
        },
    )
