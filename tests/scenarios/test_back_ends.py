"""Every shipped scenario by every back end: the same numbers at random points.

The truth is the walk by plain Python. LibreOffice and the live page have tests of their
own on whole reports (`tests/reports`).
"""

import importlib.util
import json
import math
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from isocost.dsl.check import check_file
from isocost.engine.closed import TooLongError, compose
from isocost.engine.doubt import uncertain
from isocost.engine.evaluate import Evaluation
from isocost.engine.formula import Formula, evaluate
from isocost.engine.printers import NotPrintableError
from isocost.engine.printers.excel import excel
from isocost.engine.printers.javascript import RUNTIME, kernels, program_source
from isocost.engine.program import Program, point, program
from isocost.engine.quantities import table
from isocost.engine.sampling import draws

SHIPPED = Path(__file__).parents[2] / "scenarios"
FILES = sorted(
    path
    for folder in ("examples", "trainium2")
    for path in (SHIPPED / folder).glob("*.scn")
)
NODE = shutil.which("node") or shutil.which("nodejs")
POINTS = 3
#: Closed forms of longer metrics are no longer composed: nobody reads them.
CLOSED = 3


class Shipped:
    """A document's headline metrics, at draws of all that is in doubt."""

    def __init__(self, path: Path) -> None:
        self.evaluation = Evaluation(check_file(str(path), table()))
        self.metrics = {
            (block.name, metric): node
            for block in self.evaluation.document.scenarios
            for metric in self.evaluation.headlines(block.name)
            if (node := self.evaluation.node(block.name, metric)) is not None
        }
        graph = self.evaluation.graph
        self.nodes = list(dict.fromkeys(self.metrics.values()))
        self.inputs = uncertain(graph, self.nodes)
        self.columns = draws(graph, self.inputs, POINTS)
        self.truth = [self.values(i) for i in range(POINTS)]

    def values(self, number: int) -> dict[int, float]:
        """Every node at one draw, by plain Python."""
        at = {node: float(column[number]) for node, column in self.columns.items()}
        graph, choices = self.evaluation.graph, self.evaluation.choices
        return point(graph, self.nodes, {**choices, **at})

    def made(self) -> Program:
        """The program of all of them."""
        choices = self.evaluation.choices
        return program(self.evaluation.graph, self.nodes, self.inputs, choices)

    def agree(self, found: Mapping[int, Any], number: int) -> None:
        for node, value in found.items():
            wanted = self.truth[number][node]
            assert value == pytest.approx(wanted, rel=1e-9, abs=0, nan_ok=True), node


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
def shipped(request: pytest.FixtureRequest) -> Shipped:
    made = Shipped(request.param)
    if not made.nodes:
        pytest.skip("it has no headline metric")
    return made


def columns_agree(shipped: Shipped, columns: list[np.ndarray]) -> None:
    for i in range(POINTS):
        row = [float(column[i]) for column in columns]
        shipped.agree(dict(zip(shipped.nodes, row, strict=True)), i)


def test_numpy(shipped: Shipped) -> None:
    made = shipped.made()
    if not shipped.columns:
        pytest.skip("nothing in it is in doubt")
    columns_agree(shipped, made.run(shipped.columns))
    out = [np.empty(POINTS) for _ in shipped.nodes]
    made.tape.bound(shipped.columns, out)(slice(0, POINTS))
    columns_agree(shipped, out)


def test_machine_code(shipped: Shipped) -> None:
    pytest.importorskip("llvmlite")
    if not shipped.columns:
        pytest.skip("nothing in it is in doubt")
    out = [np.empty(POINTS) for _ in shipped.nodes]
    shipped.made().code.bound(shipped.columns, out)(slice(0, POINTS))
    columns_agree(shipped, out)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_javascript(shipped: Shipped) -> None:
    assert NODE is not None
    if not shipped.columns:
        pytest.skip("nothing in it is in doubt")
    points = np.stack(list(shipped.columns.values()), axis=1).tolist()
    script = (
        RUNTIME
        + kernels()
        + "const show = (_, v) => typeof v === 'number' && !Number.isFinite(v) "
        "? String(v) : v;\n"
        + program_source(shipped.made())
        + f"const points = {json.dumps(points)};\n"
        "console.log(JSON.stringify(points.map((x) => evaluate(...x)), show));"
    )
    done = subprocess.run(
        [NODE, "-"], input=script, capture_output=True, text=True, check=True
    )
    for i, row in enumerate(json.loads(done.stdout)):
        values = [float(str(one).replace("Infinity", "inf")) for one in row]
        shipped.agree(dict(zip(shipped.nodes, values, strict=True)), i)


def sheets() -> ModuleType:
    path = Path(__file__).parents[1] / "reports" / "sheets.py"
    spec = importlib.util.spec_from_file_location("isocost_sheets", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_workbook_formulas(shipped: Shipped) -> None:
    """Each node is a cell; what Excel has no formula for is given, and is rare."""
    graph = shipped.evaluation.graph
    formulas, given, count = {}, {}, 0
    truth = shipped.truth[0]
    for node in graph.below(shipped.nodes):
        what, args = graph.nodes[node].what, graph.nodes[node].args
        if not isinstance(what, Formula):
            given["M", f"B{node}"] = truth[node]
            continue
        count += 1
        cells = {name: f"B{a}" for name, a in zip(what.params, args, strict=True)}
        try:
            formulas["M", f"B{node}"] = excel(what.body, cells)
        except NotPrintableError:
            given["M", f"B{node}"] = truth[node]
    assert len(formulas) > 0.9 * count
    book = SimpleNamespace(formulas=formulas, names={}, cells={})
    calculator = sheets().Calculator(book, given)
    found = {
        int(place[1:]): float(calculator.cell("M", place)) for _, place in formulas
    }
    shipped.agree({n: v for n, v in found.items() if n in shipped.nodes}, 0)


def test_closed_forms(shipped: Shipped) -> None:
    graph, done = shipped.evaluation.graph, 0
    for node in sorted(shipped.nodes, key=lambda one: len(graph.below((one,)))):
        try:
            found = compose(graph, node, str)
        except TooLongError:
            break
        for i in range(POINTS):
            values = {n: shipped.truth[i][int(n)] for n in found.symbols}
            value = evaluate(found.expr, values)
            assert not math.isnan(value) or math.isnan(shipped.truth[i][node])
            shipped.agree({node: value}, i)
        done += 1
        if done >= CLOSED and len(graph.below((node,))) > 40:
            break
    assert done
