"""JavaScript, run in node: the same numbers as Python, formula by formula and whole."""

import importlib
import json
import math
import pkgutil
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import isocost.engine.formulas as package
from isocost.dsl.expr import Expr, both, ceil, largest, lift, same, symbol, where
from isocost.dsl.units import unit
from isocost.engine.doubt import uncertain
from isocost.engine.evaluate import Evaluation
from isocost.engine.formula import FORMULAS, evaluate
from isocost.engine.printers import NotPrintableError
from isocost.engine.printers.javascript import (
    RUNTIME,
    function,
    javascript,
    kernels,
    literal,
    program_source,
)
from isocost.engine.printers.python import scalar_function
from isocost.engine.program import program
from isocost.engine.sampling import draws

for _found in pkgutil.iter_modules(package.__path__):
    importlib.import_module(f"{package.__name__}.{_found.name}")

Evaluated = Callable[..., Evaluation]
STUDY = Path(__file__).with_name("trainium2.scn").read_text(encoding="utf-8")
NODE = shutil.which("node") or shutil.which("nodejs")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
POINTS = 12
X, Y = symbol("x"), symbol("y")


def run(source: str) -> object:
    """What a script prints as JSON; numbers that JSON lacks are texts."""
    assert NODE is not None
    show = (
        "const show = (_, v) => typeof v === 'number' && !Number.isFinite(v) "
        "? String(v) : v;\n"
    )
    done = subprocess.run(
        [NODE, "-"],
        input=RUNTIME + kernels() + show + source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def agree(ours: float, theirs: float | str) -> bool:
    value = float(str(theirs).replace("Infinity", "inf"))
    if math.isnan(ours) or math.isnan(value):
        return math.isnan(ours) == math.isnan(value)
    return ours == value or math.isclose(ours, value, rel_tol=1e-9)


@needs_node
def test_every_formula_gives_the_same_numbers_in_node() -> None:
    rng = random.Random(7)
    lines, wanted = ["const out = [];"], []
    for i, (name, made) in enumerate(sorted(FORMULAS.items())):
        try:
            lines.append(function(made, f"g{i}"))
        except NotPrintableError:
            continue
        for _ in range(POINTS):
            at = [
                math.exp(rng.uniform(-2, 4)) * unit(param.unit).factor
                for param in made.params.values()
            ]
            lines.append(f"out.push(g{i}({', '.join(map(repr, at))}));")
            wanted.append((name, at, float(scalar_function(made)(*at))))
    lines.append("console.log(JSON.stringify(out, show));")
    found = run("\n".join(lines))
    assert isinstance(found, list)
    assert len(wanted) > 400 * POINTS
    for (name, at, ours), theirs in zip(wanted, found, strict=True):
        assert agree(ours, theirs), (name, at, ours, theirs)


@needs_node
def test_a_whole_study_gives_the_same_numbers_in_node(evaluated: Evaluated) -> None:
    evaluation = evaluated(STUDY.removeprefix("edition 2026\n"))
    metrics = ("cost.per_Mtoken", "latency.tpot", "throughput.output")
    found = [
        evaluation.node(block.name, metric)
        for block in evaluation.document.scenarios
        for metric in metrics
    ]
    nodes = [node for node in found if node is not None]
    assert len(nodes) == len(found)
    graph = evaluation.graph
    inputs = uncertain(graph, nodes)
    made = program(graph, nodes, inputs, evaluation.choices)
    columns = draws(graph, inputs, 32)
    points = np.stack(list(columns.values()), axis=1).tolist()
    script = (
        program_source(made)
        + f"const points = {json.dumps(points)};\n"
        + "console.log(JSON.stringify(points.map((x) => evaluate(...x)), show));"
    )
    rows = run(script)
    assert isinstance(rows, list)
    for column, theirs in zip(made.run(columns), zip(*rows, strict=True), strict=True):
        assert column.tolist() == pytest.approx(list(theirs), rel=1e-9)


@needs_node
@pytest.mark.parametrize(
    ("expr", "at"),
    [
        (-(X**2), (3.0, 0.0)),
        (X - (Y - 1), (1.0, 5.0)),
        (X / Y, (1.0, 0.0)),
        (X / Y, (0.0, 0.0)),
        (ceil(X), (3.0000000001, 0.0)),
        (where(both(X < Y, same(Y, lift(2.0))), X, -X), (1.0, 2.0)),
        (Expr("not", (X > Y,)), (1.0, 2.0)),
        (largest(X, Y, 1e300 * X), (2.0, 5.0)),
        (Expr("pick_max", (X, Y, X), 0), (2.0, 2.0)),
        (Expr("pick_min", (X, Y), 1), (2.0, 1.0)),
        (lift(math.inf) * X, (1.0, 0.0)),
    ],
)
def test_the_edges_are_the_same(expr: Expr, at: tuple[float, float]) -> None:
    names = {"x": "x", "y": "y"}
    body = javascript(expr, names)
    script = f"const g = (x, y) => {body};\n"
    script += f"console.log(JSON.stringify([g({at[0]}, {at[1]})], show));"
    found = run(script)
    assert isinstance(found, list)
    ours = evaluate(expr, dict(zip("xy", at, strict=True)))
    assert agree(ours, found[0])


def test_names_that_are_no_names_are_replaced() -> None:
    from isocost.engine.formula import Formula, Param

    params = {name: Param("1", name) for name in ("chip.power", "if", "x")}
    body = symbol("chip.power") + symbol("if") * symbol("x")
    made = Formula("f", "1", params, None, body_=[body])
    assert function(made, "f") == "const f = (p0_, p1_, x_) => (p0_ + (p1_ * x_));"


def test_derivatives_of_kernels_are_refused() -> None:
    with pytest.raises(NotPrintableError):
        javascript(Expr("erlang_c_by_load", (X, Y)), {"x": "x", "y": "y"})


@needs_node
def test_kernels_give_the_same_numbers_in_node() -> None:
    cases = [
        ("erlang_b", (12, 9.5)),
        ("erlang_c", (12, 9.5)),
        ("erlang_c", (3, 7)),
        ("at_least", (60, 64, 0.98)),
        ("at_least", (3, 64, 0.02)),
        ("at_least", (0, 4, 0.5)),
        ("irr_level", (100, 9, 24, 10)),
        ("npv", (0.01, -100, 30, 40, 50)),
        ("irr", (-100, 30, 40, 50)),
        ("irr", (-100, 230, -132)),
        ("irr", (1, 2, 3)),
        ("payback", (-100, 30, 40, 50)),
        ("payback", (-100, 30)),
        ("even_price", (0.01, 0, 0, 9, 9, -100, 1, 30, 0, 20, 20)),
        ("even_price", (0.01, 0.4, 0, 9, 9, 9, -90, -1, 2, 3, 0, 70, 8, 9)),
        ("largest_divisor", (4096, 100, 1, 1)),
        ("largest_divisor", (4032, 2016, 6, 64)),
        ("largest_divisor", (7, 3, 1, 2)),
        ("largest_divisor", (7.5, 3, 1, 1)),
    ]
    calls = [javascript(Expr(name, tuple(map(lift, args))), {}) for name, args in cases]
    found = run(f"console.log(JSON.stringify([{', '.join(calls)}], show));")
    assert isinstance(found, list)
    for (name, args), theirs in zip(cases, found, strict=True):
        assert agree(evaluate(Expr(name, tuple(map(lift, args))), {}), theirs), name


def test_texts_cannot_end_a_script() -> None:
    assert literal('</script>"') == '"<\\/script>\\""'
