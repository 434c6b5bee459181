"""Numbers of any path of a document, computed together: what exhibits name.

A path leads to a scenario's metric, to a block's figure or to a `let` at the top. All
paths that a report names are computed in one pass over the draws.
"""

from collections.abc import Iterable
from typing import Protocol

import attrs

from isocost.dsl.expr import Expr
from isocost.dsl.lookup import Target, Unknown
from isocost.dsl.syntax import CiteRef, parse_path
from isocost.dsl.units import unit
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Input
from isocost.engine.results import round_out
from isocost.engine.scope import MissingInputError


@attrs.frozen
class Told:
    """A number of the document in base units, with the words that belong to it."""

    node: int
    central: float
    low: float
    high: float
    unit: str
    scale: float
    doc: str
    cites: tuple[CiteRef, ...] = ()
    flags: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        """The point value in its unit."""
        return self.central / self.scale


@attrs.frozen
class _Words:
    node: int
    unit: str
    doc: str
    cites: tuple[CiteRef, ...] = ()


class Marks(Protocol):
    """Makes a number one that a page can trace."""

    def __call__(self, node: int, value: float, *, frozen: bool = False) -> float:
        """The number as the page wants it."""


class Stories:
    """The numbers that one report names by their paths."""

    def __init__(self, evaluation: Evaluation, file: str, mark: Marks) -> None:
        self.evaluation = evaluation
        self.file = file
        self.mark = mark
        self.known: dict[str, Told] = {}

    def inputs(self, told: Iterable[Told]) -> list[tuple[int, Input]]:
        """The inputs that some numbers rest on."""
        graph = self.evaluation.graph
        found = graph.inputs(tuple(dict.fromkeys(one.node for one in told)))
        return [
            (node, what)
            for node in found
            if isinstance(what := graph.nodes[node].what, Input)
        ]

    def told(self, path: str) -> Told | None:
        """A number by its path; None if there is none."""
        if path not in self.known:
            self.tell((path,))
        return self.known.get(path)

    def tell(self, paths: Iterable[str]) -> None:
        """Compute many paths in one pass; what cannot be had is left out."""
        import numpy as np

        found: dict[str, _Words] = {}
        for path in dict.fromkeys(paths):
            words = None if path in self.known else self._words(path)
            if words is not None:
                found[path] = words
        if not found:
            return
        nodes = [words.node for words in found.values()]
        values = self.evaluation.point(nodes)
        columns = self.evaluation.columns(nodes)
        for (path, words), column in zip(found.items(), columns, strict=True):
            kept = column[np.isfinite(column)]
            low, high = np.quantile(kept, (0.05, 0.95)) if kept.size else (0.0, 0.0)
            mark, node = self.mark, words.node
            self.known[path] = Told(
                node=node,
                central=mark(node, round_out(values[node])),
                low=mark(node, round_out(float(low)), frozen=True),
                high=mark(node, round_out(float(high)), frozen=True),
                unit=words.unit,
                scale=unit(words.unit).factor,
                doc=words.doc,
                cites=words.cites,
                flags=self.evaluation.raised(node, values),
            )

    def holds(self, condition: Expr) -> bool:
        """Whether a condition of the file holds at point values."""
        node = self.condition(condition)
        return self.evaluation.point((node,))[node] > 0

    def condition(self, condition: Expr) -> int:
        """The node of a condition of the file, above 0 where it holds."""
        for part in condition.walk():
            if part.op == "path":
                self._settle(part.value.head)
        bare = self.evaluation.bare
        return bare.expression(condition, "exhibit", self.file)

    def _settle(self, name: str) -> None:
        """Settle a scenario's choices before anything is asked of it."""
        block = self.evaluation.document.find(name, self.file, ("scenario",))
        if block is not None and block.kind.name == "scenario":
            self.evaluation.scope(block.name)

    def _words(self, path: str) -> _Words | None:
        """The node of a path with its unit, doc line and sources; None if none."""
        parsed = parse_path(path)
        found = self.evaluation.checked.lookup.find(parsed, None, self.file)
        if isinstance(found, Unknown):
            return None
        try:
            return self._of_target(found, path)
        except MissingInputError:
            return None

    def _of_target(self, found: Target, path: str) -> _Words:
        if found.sort == "top" and found.fact is not None:
            for part in found.fact.expr.walk():
                if part.op == "path":
                    self._settle(part.value.head)
        if found.scenario is not None:
            scope = self.evaluation.scope(found.scenario.name)
            if found.sort == "metric":
                full = scope.full_path(found.path) or found.path
                entry = self.evaluation.entry(found.scenario.name, full)
                return _Words(scope[full], entry.unit, entry.doc)
        node = self.evaluation.bare.resolve(parse_path(path), None, self.file)
        fact, attribute = found.fact, found.attribute
        text = fact.unit.text if fact is not None and fact.unit is not None else ""
        what = self.evaluation.builder.nodes[node].what
        if not text and isinstance(what, Input) and fact is not None:
            text = what.unit
        doc = fact.doc if fact is not None else ""
        if attribute is not None:
            shown = "%" if (attribute.low, attribute.high) == (0.0, 1.0) else ""
            text, doc = text or shown or attribute.unit, doc or attribute.doc
        return _Words(node, text or "1", doc, fact.cites if fact is not None else ())
