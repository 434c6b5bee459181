"""Conditions of a review: the words they may use, and how they are read.

`change(M)` beside a plain number is the relative change: `change(M) > 5%`. The words
without a metric are counts. The checker reads `deny` lines through here, the engine
evaluates what is read.
"""

from collections.abc import Callable, Iterator

import attrs

from isocost.dsl.building import Unread
from isocost.dsl.diagnostics import Diagnostic, at
from isocost.dsl.dimensions import Clash, infer
from isocost.dsl.document import Block, Document
from isocost.dsl.expr import Expr
from isocost.dsl.expressions import clash_diagnostic
from isocost.dsl.functions import function_tree
from isocost.dsl.parser import parse
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import Block as BlockNode
from isocost.dsl.syntax import Call, Path, parse_path
from isocost.dsl.table import Entry, Table, entry_of
from isocost.dsl.units import PLAIN, Dim

NAME = "--fail-on"
#: Functions of a metric, and whether their dimension is the metric's.
METRIC_WORDS = {
    "old": True,
    "new": True,
    "change": True,
    "relative": False,
    "width": False,
    "assumed_share": False,
}
#: Counts over the whole review.
COUNTS = (
    "weaker_sources",
    "missing_sources",
    "stale_prices",
    "failed_checks",
    "widened",
)
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}


@attrs.frozen
class Condition:
    """One condition of a policy, ready to be decided for a scenario."""

    text: str
    expr: Expr
    why: str
    policy: str
    block: Block | None = attrs.field(default=None, eq=False, repr=False)


def split_metric(path: Path, scenarios: Iterator[str]) -> tuple[str | None, str]:
    """The scenario at the head of a metric's path, if there is one, and the rest."""
    for name in scenarios:
        head = parse_path(name).parts
        if path.parts[: len(head)] == head and len(path.parts) > len(head):
            return name, ".".join(map(str, path.parts[len(head) :]))
    return None, str(path)


def metrics_of(expr: Expr) -> Iterator[tuple[str, Path]]:
    """Every `word(metric)` of a condition."""
    for part in expr.walk():
        if _metric_call(part):
            yield part.value.name, part.args[0].value


def _metric_call(part: Expr) -> bool:
    return (
        part.op == "call"
        and part.value.name in METRIC_WORDS
        and len(part.args) == 1
        and part.args[0].op == "path"
    )


def read(expr: Expr) -> Expr:
    """A condition with `change` beside a plain number as `relative`."""
    return function_tree(expr).map(_relative)


def _relative(part: Expr) -> Expr:
    if part.op not in _COMPARISONS:
        return part
    left, right = part.args
    if _plain(right) or _plain(left):
        args = (left.map(_as_relative), right.map(_as_relative))
        return attrs.evolve(part, args=args)
    return part


def _plain(expr: Expr) -> bool:
    """Whether a side is made of plain numbers alone."""
    leaves = [p for p in expr.walk() if not p.args]
    return all(
        p.op == "literal" and (p.value.unit is None or p.value.unit.dim.plain)
        for p in leaves
    )


def _as_relative(part: Expr) -> Expr:
    if _metric_call(part) and part.value.name == "change":
        return attrs.evolve(part, value=Call("relative", part.value.keywords))
    return part


def check_condition(
    expr: Expr, document: Document, table: Table, report: Callable[[Diagnostic], None]
) -> None:
    """Report unknown words and metrics of a condition, and units that clash."""
    known = (*METRIC_WORDS, *COUNTS)
    scenarios = [b.name for b in document.of_kind("scenario")]

    def leaf(part: Expr) -> Dim | None:
        assert part.span is not None  # noqa: S101 (parsed)
        if _metric_call(part):
            path = part.args[0].value
            _, metric = split_metric(path, iter(scenarios))
            found = entry_of(table, parse_path(metric))
            if found is None:
                near = ", ".join(nearest(metric, table))
                report(
                    at("N003", part.args[0].span or part.span, name=metric, near=near)
                )
                return None
            return _dim(part.value.name, found[0])
        if part.op == "path" and str(part.value) in COUNTS:
            return PLAIN
        name = str(part.value)
        near = ", ".join(nearest(name, known))
        report(at("N003", part.span, name=name, near=near))
        return None

    def clash(found: Clash) -> None:
        report(clash_diagnostic(found))

    dim = infer(read(expr), leaf, clash)
    if dim is not None and not dim.plain and expr.span is not None:
        args = {"name": "deny", "expected": "a condition", "found": str(dim)}
        report(at("V003", expr.span, facts=args))


def _dim(word: str, entry: Entry) -> Dim:
    return entry.dim if METRIC_WORDS[word] else PLAIN


def conditions_of(document: Document) -> list[Condition]:
    """The conditions of the main file's policies, in their order."""
    out = []
    for block in document.of_kind("policy"):
        if block.file != document.file:
            continue
        for path, fact in block.facts.items():
            if path.startswith("deny["):
                span = fact.expr.span
                source = document.files.get(span.file) if span else None
                text = source.text[span.start : span.end] if source and span else ""
                made = Condition(text, fact.expr, fact.why, block.label, block)
                out.append(made)
    return out


def parse_condition(text: str) -> Condition | None:
    """A condition from a command line; None where it cannot be read."""
    try:
        file = parse(f"policy given {{\n  deny {text}\n}}\n", NAME)
    except Unread:
        return None
    blocks = [item for item in file.items if isinstance(item, BlockNode)]
    if file.diagnostics or len(blocks) != 1 or len(blocks[0].members) != 1:
        return None
    member = blocks[0].members[0]
    return Condition(text, member.value, member.why, NAME) if member.deny else None
