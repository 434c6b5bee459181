"""Inputs of a file that nothing which the file asks for depends on.

What a file asks for: the headline metrics of its scenarios, the metrics of its
reports, its checks, claims and `let`s, and the mix of its fleets.
"""

from collections.abc import Iterator

from isocost.dsl.diagnostics import WARNING, Diagnostic, at
from isocost.dsl.document import Document, Fact
from isocost.dsl.lint import asks, own_blocks
from isocost.dsl.syntax import parse_path
from isocost.dsl.table import entry_of
from isocost.engine.evaluate import Evaluation
from isocost.engine.fleet_case import fleet_reads
from isocost.engine.graph import Input
from isocost.engine.scope import MissingInputError

#: Kinds whose statements are read by their own commands.
_APART = {"source", "report", "policy", "fleet", "exchange", "scenario", "supply"}


def without_effect(evaluation: Evaluation) -> list[Diagnostic]:
    """A lint for each figure of the main file that no asked result depends on."""
    document = evaluation.document
    if not asks(document):
        return []
    _ask(evaluation)
    read = {
        node.what.origin
        for node in evaluation.graph.nodes
        if isinstance(node.what, Input)
    }
    for block in own_blocks(document):
        if block.kind.name == "fleet":
            read |= fleet_reads(evaluation.checked, block)
    # A choice has a prefix.
    known = {origin.partition("#")[0].rpartition(":")[2] for origin in read}
    return [
        at("L010", fact.path_span, severity=WARNING, name=fact.origin)
        for fact in _figures(document)
        if fact.origin not in known
    ]


def _ask(evaluation: Evaluation) -> None:
    """Build all that the file asks for; what cannot be built is told elsewhere."""
    document = evaluation.document
    listed = [
        str(item.value)
        for block in own_blocks(document)
        if block.kind.name == "report" and "metrics" in block.facts
        for item in block.facts["metrics"].expr.args
        if item.op == "path"
    ]
    for block in document.scenarios:
        scope = evaluation.scope(block.name)
        wanted = [*evaluation.headlines(block.name)]
        wanted += [m for m in listed if entry_of(scope.lookup.table, parse_path(m))]
        for path in wanted:
            try:
                scope[scope.full_path(path) or path]
            except MissingInputError:
                continue
        for let in (*document.lets.values(), *block.facts.values()):
            context = block if let.owner else None
            if let.let and let.file == document.file:
                try:
                    scope.resolve(let.path, context, let.file)
                except MissingInputError:
                    continue


def _figures(document: Document) -> Iterator[Fact]:
    """Figures with a unit that the main file states as values."""
    for block in own_blocks(document):
        if block.kind.name in _APART:
            continue
        for path, fact in block.facts.items():
            attribute = fact.attribute
            figure = attribute is not None and attribute.sort == "quantity"
            if attribute is None or not figure or path not in block.own:
                continue
            structural = attribute.decision or attribute.whole or attribute.flow
            if not structural and not fact.formula:
                yield fact
