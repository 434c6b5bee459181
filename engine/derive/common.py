"""Conditions on a scenario's structure, number formats, and sums of several nodes."""

import functools
from collections.abc import Iterable

from isocost.dsl.expr import Expr, total
from isocost.engine.formula import Formula, p
from isocost.engine.quantities import When
from isocost.engine.scope import Node, Scope

INFERENCE = When("in inference", lambda s: s.word("workload.task") != "training")
TRAINING = When("in training", lambda s: s.word("workload.task") == "training")
OWNED = When("where systems are owned", lambda s: s.word("finance.tenure") == "own")
RENTED = When("where systems are rented", lambda s: s.word("finance.tenure") != "own")

#: Bytes of one number; block formats with the scales they carry.
FORMAT_BYTES = {
    "fp32": 4.0,
    "tf32": 4.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "fp6": 0.78125,
    "fp4": 0.5625,
    "int4": 0.5625,
}


@functools.cache
def sum_of(count: int, unit: str) -> Formula:
    """The formula that adds `count` quantities of one unit."""
    names = [f"part_{i + 1}" for i in range(count)]

    def add(**parts: Expr) -> Expr:
        return total(*parts.values())

    return Formula(
        f"sum_of_{count}",
        unit,
        {name: p(unit, name.replace("part_", "x_"), "a part") for name in names},
        add,
        valid="identity: a sum",
        source="definition",
        doc="The sum of its parts.",
    )


def add_up(scope: Scope, nodes: Iterable[int], unit: str) -> int:
    """The node of a sum; one part is itself, none is zero."""
    parts = list(nodes)
    if not parts:
        return scope.builder.constant(0.0)
    if len(parts) == 1:
        return parts[0]
    args = {f"part_{i + 1}": Node(node) for i, node in enumerate(parts)}
    return scope.apply(sum_of(len(parts), unit), **args)


def format_bytes(scope: Scope, word: str | None) -> int:
    """The node of a number format's bytes."""
    return scope.builder.constant(FORMAT_BYTES.get(word or "bf16", 2.0))


def compute_format(scope: Scope) -> str:
    """The format of matrix operands: stated, else the weights' if the chip has it."""
    stated = scope.word("workload.precision.compute")
    if stated is not None:
        return stated
    weights: str = scope.word("workload.precision.weights") or "bf16"
    wider = ("fp8",) if weights == "fp4" else ()
    candidates: tuple[str, ...] = (weights, *wider, "bf16")
    for candidate in candidates:
        if scope.has(f"chip.peak[{candidate}]"):
            return candidate
    return "bf16"
