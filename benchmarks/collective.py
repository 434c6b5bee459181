"""Collectives in a search: a million sizes and groups, in a domain and across."""

from typing import Any

from benchmarks._frame import Outcome, race

POINTS = 1_000_000
TEXT = """edition 2026
import "isocost:systems/gpu"
scenario cluster {
  system = hgx_h100
  size = 4096 chip
}
"""


def run() -> Outcome:
    """Time one vectorised pass against latency plus transfer of a ring in NumPy."""
    import numpy as np

    draw = np.random.default_rng(1)
    size = 2.0 ** draw.uniform(10, 33, POINTS)
    ranks = np.floor(2.0 ** draw.uniform(0, 12, POINTS))
    program, columns = _program(size, ranks)

    def plain() -> Any:
        steps = 2 * (ranks - 1)
        return steps * 1e-6 + steps / ranks * size / 450e9

    ours, rival = race(lambda: program.run(columns), plain, runs=5)
    return Outcome(
        what="all-reduces over a domain and a network, quickest algorithm",
        value=POINTS / ours,
        unit="/s",
        rival="a ring's latency and transfer in NumPy",
        rival_value=POINTS / rival,
        limit=1_000_000,
        higher_is_better=True,
    )


def _program(size: Any, ranks: Any) -> tuple[Any, dict[int, Any]]:
    from isocost.dsl.check import check
    from isocost.dsl.load import load
    from isocost.dsl.resolve import resolve
    from isocost.engine.derive.network import collective_time
    from isocost.engine.evaluate import Evaluation
    from isocost.engine.graph import Input
    from isocost.engine.program import program
    from isocost.engine.quantities import table

    checked = check(resolve(load("cluster.scn", TEXT)), table())
    scope = Evaluation(checked).scope("cluster")
    one = scope.builder.add(Input("size", 2.0**30, "B", 1.0))
    other = scope.builder.add(Input("ranks", 4096.0, "1", 1.0))
    node = collective_time(scope, "all_reduce", one, other)
    columns = {one: size, other: ranks}
    return program(scope.builder.freeze(), [node], columns), columns
