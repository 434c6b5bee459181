"""A cost of a token written by hand in chunked NumPy, and the same in the language.

Eight inputs in doubt, 24 formulas. The rival is what a careful script would be: the
same formulas over chunks that fit the cache, temporaries and all, on as many threads.
Beside it stands the bound that memory sets: columns in and out at the speed of a copy.
Notes say how the time of a point grows with the number of formulas (more copies of the
scenario, each with inputs of its own), and of a formula with that of points.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from benchmarks._frame import Outcome, race
from isocost.dsl.check import check_file
from isocost.engine.doubt import uncertain
from isocost.engine.evaluate import Evaluation
from isocost.engine.program import Program, cores, program
from isocost.engine.quantities import table
from isocost.engine.sampling import draws

POINTS = 1 << 20
CHUNK = 8192
COPIES = (1, 4, 16)
SHARE = 0.5
INPUTS = {
    "price": "20 to 40",
    "watts": "500 to 900",
    "peak": "800 to 1200",
    "reach": "0.3 to 0.6",
    "wide": "2 to 4",
    "rate": "0.05 to 0.12",
    "life": "3 to 6",
    "sold": "0.4 to 0.9",
}
FORMULAS = {
    "kilowatts": "watts / 1000",
    "bill": "kilowatts * 8760 * 1.3 * 0.07",
    "growth": "(1 + rate) ^ life",
    "annuity": "rate * growth / (growth - 1)",
    "capital": "price * 1000 * annuity",
    "upkeep": "0.05 * price * 1000",
    "yearly": "capital + bill + upkeep",
    "hourly": "yearly / 8760",
    "flops": "peak * reach",
    "arithmetic": "140 * 64 / flops",
    "reading": "140 / wide",
    "cache": "0.3 * 64 / wide",
    "memory": "reading + cache",
    "work": "max(arithmetic, memory)",
    "hidden": "min(arithmetic, memory)",
    "step": "work + 0.1 * hidden + 2",
    "tokens": "64 / step * 1000",
    "delivered": "tokens * sold",
    "in_hour": "delivered * 3600",
    "share": "bill / yearly",
    "unit_cost": "hourly / in_hour * 1000000",
    "energy": "kilowatts * 1000 / delivered",
    "waste": "unit_cost * (1 - sold)",
    "result": "unit_cost + waste + share * energy / 1000",
}


def document(copies: int) -> str:
    """So many scenarios of the same formulas, each with inputs of its own."""
    lines = ["edition 2026"]
    for i in range(copies):
        lines.append(f"scenario s{i} {{")
        lines += [f'  let {n} = {v} @assumed "it"' for n, v in INPUTS.items()]
        lines += [f"  let {n} := {text}" for n, text in FORMULAS.items()]
        lines.append("}")
    return "\n".join(lines) + "\n"


def prepared(copies: int) -> tuple[Program, dict[int, Any]]:
    """The program of all results, and columns for its inputs."""
    evaluation = Evaluation(check_file("cost.scn", table(), document(copies)))
    found = [evaluation.node(f"s{i}", "result") for i in range(copies)]
    nodes = [node for node in found if node is not None]
    graph = evaluation.graph
    inputs = uncertain(graph, nodes)
    columns = draws(graph, inputs, POINTS)
    return program(graph, nodes, inputs), dict(columns)


def by_hand(columns: list[Any]) -> Any:
    """The same, chunk by chunk on all cores."""
    names = ", ".join(INPUTS)
    body = "\n".join(
        f"    {name} = {text.replace('^', '**')}" for name, text in FORMULAS.items()
    )
    scope: dict[str, Any] = {"max": np.maximum, "min": np.minimum}
    exec(f"def cost({names}):\n{body}\n    return result\n", scope)
    out = np.empty(POINTS)

    def chunk(start: int) -> None:
        piece = slice(start, start + CHUNK)
        out[piece] = scope["cost"](*(column[piece] for column in columns))

    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(chunk, range(0, POINTS, CHUNK)))
    return out


def _seconds(made: Program, columns: dict[int, Any], points: int) -> float:
    """CPU seconds of a run after the first."""
    part = {node: column[:points] for node, column in columns.items()}
    made.run(part)
    start = time.process_time()
    made.run(part)
    return time.process_time() - start


def run() -> Outcome:
    """Race the program against the script; rates are points a second."""
    made, columns = prepared(1)
    # What varies is an input, never a formula.
    origins = {made.graph.nodes[n].what.origin: n for n in made.varying}  # type: ignore[union-attr]
    named = [columns[origins[f"s0.{name}"]] for name in INPUTS]
    (ours_out,) = made.run(columns)
    np.testing.assert_allclose(ours_out, by_hand(named), rtol=1e-9)
    ours, rival = race(lambda: made.run(columns), lambda: by_hand(named), runs=5)
    source, target = np.ones(1 << 24), np.empty(1 << 24)
    copied, _ = race(lambda: np.copyto(target, source), lambda: None, runs=3)
    bound = (1 << 24) * 2 / copied / (len(named) + 1)
    growth = []
    for copies in COPIES:
        more, given = prepared(copies)
        spent = _seconds(more, given, POINTS // 4)
        growth.append(f"{more.size}: {spent / more.size / POINTS * 4e9:.2f} ns")
    sizes = [
        f"2^{p}: {_seconds(made, columns, 1 << p) / made.size / 2**p * 1e9:.2f} ns"
        for p in (16, 18, 20)
    ]
    return Outcome(
        what="points of 24 formulas",
        value=POINTS / ours,
        unit="/s",
        rival="the same by hand in chunked NumPy",
        rival_value=POINTS / rival,
        limit=SHARE * POINTS / rival,
        higher_is_better=True,
        notes={
            "operations on the tape": len(made.tape.ops),
            "memory's bound": f"{bound:,.0f} /s",
            "a formula and point by formulas": "; ".join(growth),
            "by points": "; ".join(sizes),
        },
    )
