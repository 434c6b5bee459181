"""The graph behind a page as JavaScript, and the data that its scripts work on.

Everything traced becomes an output: one expression over nodes and what-ifs. The
generated script holds three things: the steps from inputs to nodes, the same for
what-ifs of one metric, and the outputs. It is made of numbers and names made here.
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from isocost.dsl.expr import Expr, symbol
from isocost.dsl.load import EDITION
from isocost.dsl.lookup import Target
from isocost.dsl.syntax import parse_path
from isocost.engine.formula import Formula
from isocost.engine.graph import Graph, Input
from isocost.engine.printers import javascript
from isocost.engine.program import Program, program
from isocost.engine.spreads import bounds
from isocost.reports.html.live import LiveStudy
from isocost.reports.sections.sensitivity import label
from isocost.reports.study import quantity
from isocost.reports.traced import Piece, bare, pieces

#: So many inputs have their slider at once; the reader adds others.
SHOWN = 8
#: An input without an interval gets a slider if it moves the main metric this much.
STEEP = 0.05
#: Inputs that shape the graph while it is built: another value is another graph.
SHAPING = re.compile(r"finance\.(tenure|life|tax|debt|method|salvage)|ramp|horizon")


@attrs.define
class Outputs:
    """Expressions that the page evaluates, each once."""

    exprs: dict[Expr, int] = attrs.field(factory=dict)

    def of(self, expr: Expr) -> int:
        """The number of an expression."""
        return self.exprs.setdefault(expr, len(self.exprs))

    def nodes(self) -> set[int]:
        """The nodes that the expressions speak of."""
        return nodes_of(self.exprs)


def nodes_of(exprs: Iterable[Expr]) -> set[int]:
    """The nodes that some expressions speak of."""
    return {
        int(part.value[1:])
        for expr in exprs
        for part in expr.walk()
        if part.op == "symbol" and part.value[0] == "v"
    }


@attrs.frozen
class Slider:
    """An input that the reader may move; numbers are in `unit`."""

    node: int
    path: str
    label: str
    doc: str
    unit: str
    scale: float
    value: float
    text: str
    low: float
    high: float
    least: float | None
    most: float | None
    scenarios: tuple[str, ...]
    shown: bool


@attrs.frozen
class Live:
    """The generated script and its data (plain values for JSON)."""

    code: str
    data: dict[str, Any]
    sliders: tuple[Slider, ...]


def movable(study: LiveStudy, graph: Graph, nodes: Iterable[int]) -> list[int]:
    """The inputs below some nodes that may be moved without another graph."""
    steep = _steep(study)
    out = []
    for node in graph.inputs(nodes):
        what = graph.nodes[node].what
        if not isinstance(what, Input) or node in study.evaluation.choices:
            continue
        stepped = what.whole or what.auto or what.options
        if stepped or SHAPING.search(what.path):
            continue
        if what.uncertain or node in steep:
            out.append(node)
    return out


def _steep(study: LiveStudy) -> set[int]:
    inputs = study.drivers.inputs if study.drivers else ()
    return {
        one.node for one in inputs if one.jumps or abs(one.elasticity or 0.0) >= STEEP
    }


def sliders(study: LiveStudy, graph: Graph, nodes: Sequence[int]) -> list[Slider]:
    """Sliders of inputs, those with the widest swing of the main metric first."""
    inputs = study.drivers.inputs if study.drivers else ()
    rank = {one.node: i for i, one in enumerate(inputs)}
    names = {one.node: label(study, one) for one in inputs}
    users = {node: found for node, _, found in study.inputs}
    made: list[Slider] = []
    for node in sorted(nodes, key=lambda n: (rank.get(n, len(rank)), n)):
        what = graph.nodes[node].what
        scenarios = tuple(users.get(node, ()))
        if not isinstance(what, Input) or "#" in what.origin or not scenarios:
            continue
        path = what.path.removeprefix("scenario.")
        target = _target(study, path, scenarios[0])
        if target is None:
            continue
        low, high = _reach(what, target)
        value = what.central / what.scale
        least, most = (
            None if b is None else b / what.scale for b in bounds(target.attribute)
        )
        made.append(
            Slider(
                node=node,
                path=path,
                label=names.get(node) or what.path.replace(".", " ").replace("_", " "),
                doc=what.doc,
                unit="" if what.unit == "1" else what.unit,
                scale=what.scale,
                value=value,
                text=bare(quantity(value, what.unit)),
                low=low / what.scale,
                high=high / what.scale,
                least=least,
                most=most,
                scenarios=scenarios,
                shown=len(made) < SHOWN,
            )
        )
    return made


def _target(study: LiveStudy, path: str, scenario: str) -> Target | None:
    """What a line of a scenario with this path would state; None where it cannot."""
    if not path:
        return None
    block = study.evaluation.document.blocks[scenario]
    found = study.evaluation.checked.lookup.find(parse_path(path), block, block.file)
    return found if isinstance(found, Target) else None


def _reach(what: Input, target: Target) -> tuple[float, float]:
    """From where to where a slider goes: twice as far as the input's own interval."""
    value, spread = what.central, what.spread
    match spread.shape:
        case "point":
            low, high = sorted((value / 2, value * 2))
        case "normal":
            wide = 3.3 * spread.params[1]
            low, high = value - wide, value + wide
        case _:
            ends = min(spread.params), max(spread.params)
            low = value - 2 * (value - ends[0])
            high = value + 2 * (ends[1] - value)
            if ends[0] > 0:
                low = max(low, ends[0] / 2)
    least, most = bounds(target.attribute)
    low = low if least is None else max(low, least)
    high = high if most is None else min(high, most)
    return low, high


def built(study: LiveStudy, outputs: Outputs, figures: dict[str, Any]) -> Live:
    """The script and the data of a page.

    Args:
        study: The material, after its report was assembled.
        outputs: What figures asked for; the rest is added here.
        figures: The data of the figures.
    """
    book = study.book
    # First: what it prints may be a form that nothing else has.
    summary = _summary(study, outputs)
    forms = [
        [form.name, outputs.of(form.expr), list(form.options), form.frozen]
        for form in book.forms
    ]
    variants = [
        {
            "outs": [outputs.of(symbol(f"v{node}")) for node in one.nodes],
            "most": one.most,
            "places": one.places,
            "cases": [
                None if node is None else outputs.of(symbol(f"v{node}"))
                for node in one.cases
            ],
            "texts": [[key, plain(pieces(text))] for key, text in one.texts],
        }
        for one in book.variants
    ]
    graph = study.evaluation.graph
    noted = [c for found in book.conditions.values() for c in found]
    noted += [c for found in book.stale.values() for c in found]
    wanted = sorted(outputs.nodes() | nodes_of(noted) | {w for w, _, _ in book.moves})
    moving = movable(study, graph, wanted)
    made = sliders(study, graph, moving)
    own = sorted(one.node for one in made)
    whole = program(graph, wanted, own, study.evaluation.choices)
    reached = {*own, *(node for node, _, _ in whole.steps)}
    stale = {
        section: sorted(outputs.of(e) for e in found if _moves(e, reached))
        for section, found in book.stale.items()
    }
    conditions = {
        section: [[outputs.of(c), outcome] for c, outcome in found.items() if
                  _moves(c, reached)]
        for section, found in book.conditions.items()
    }  # fmt: skip
    code, base = _code(study, whole, outputs)
    data = {
        "size": len(graph.nodes),
        "base": base,
        "sliders": [attrs.asdict(one) for one in made],
        "forms": forms,
        "variants": variants,
        "conditions": conditions,
        "stale": stale,
        "moves": list(book.moves),
        "summary": summary,
        "figures": figures,
        "document": _document(study),
    }
    return Live(code, data, tuple(made))


def plain(found: list[Piece]) -> list[Any]:
    """The pieces of a text as JSON has them: a string, or [form, text, signed]."""
    return [list(piece) if isinstance(piece, tuple) else piece for piece in found]


def _moves(condition: Expr, reached: set[int]) -> bool:
    return any(
        part.op == "symbol" and (part.value[0] == "w" or int(part.value[1:]) in reached)
        for part in condition.walk()
    )


def _summary(study: LiveStudy, outputs: Outputs) -> list[dict[str, Any]]:
    """The main metric of every scenario, for the panel."""
    from isocost.reports.study import show

    rows = []
    for scenario in study.scenarios:
        found = study.result(scenario, study.main_metric)
        if found is None:
            continue
        node = study.node(scenario, study.main_metric)
        rows.append(
            {
                "title": study.title(scenario),
                "out": outputs.of(symbol(f"v{node}")),
                "text": plain(pieces(show(found))),
            }
        )
    return rows


def _document(study: LiveStudy) -> dict[str, Any]:
    """What an exported scenario file needs to know."""
    document = study.evaluation.document
    return {
        "file": document.file.rpartition("/")[2],
        "edition": str(EDITION),
        "scenarios": {s.name: study.title(s) for s in study.scenarios},
    }


def _code(
    study: LiveStudy, whole: Program, outputs: Outputs
) -> tuple[str, list[list[float | str]]]:
    """The script, and the numbers that stand before it runs."""
    formulas: dict[int, tuple[str, Formula]] = {}
    steps = _steps(whole, formulas)
    cases = []
    wanted = sorted({w for w, _, _ in study.book.moves})
    varying = sorted({*whole.varying, *(node for _, node, _ in study.book.moves)})
    fixed: dict[int, float] = {}
    for node in wanted:
        part = program(whole.graph, (node,), varying, study.evaluation.choices)
        fixed |= part.fixed
        lines = " ".join(_steps(part, formulas))
        cases.append(f"{node}(v) {{ {lines} }}")
    moves = {name: f"w[{i}]" for i, name in enumerate(study.book.moves.values())}
    names = {f"v{node}": f"v[{node}]" for node in outputs.nodes()} | moves
    outs = ",\n".join(javascript.javascript(expr, names) for expr in outputs.exprs)
    code = "\n".join(
        (
            '"use strict";',
            javascript.RUNTIME,
            javascript.kernels(),
            *(javascript.function(made, called) for called, made in formulas.values()),
            "function run(v) {",
            *steps,
            "}",
            f"const whatIf = {{ {', '.join(cases)} }};",
            f"function outputs(v, w) {{ return [{outs}]; }}",
        )
    )
    central = {n: _central(whole.graph, n) for n in varying}
    settled = study.evaluation.choices
    central = {n: settled.get(n, x) for n, x in central.items()}
    base = {**fixed, **central, **whole.fixed}
    return code, [[n, _json(x)] for n, x in sorted(base.items())]


def _steps(made: Program, formulas: dict[int, tuple[str, Formula]]) -> list[str]:
    """The steps of a program as assignments; formulas that are new are added."""
    out = []
    for node, formula, args in made.steps:
        called, _ = formulas.setdefault(id(formula), (f"f{len(formulas)}", formula))
        out.append(f"v[{node}] = {called}({', '.join(f'v[{a}]' for a in args)});")
    return out


def _json(value: float) -> float | str:
    """A number as JSON has it: what is not finite as JavaScript spells it."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _central(graph: Graph, node: int) -> float:
    what = graph.nodes[node].what
    assert isinstance(what, Input)  # noqa: S101 (only inputs are moved)
    return what.central
