"""One side of a review: its metrics' nodes, values and draws, each computed once.

Both sides sign their nodes into one `Signatures`, so that a metric whose whole graph
is the same on both sides is known without any number.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from isocost.dsl import messages
from isocost.dsl.check import Checked
from isocost.dsl.correlate import Group
from isocost.dsl.syntax import parse_path
from isocost.dsl.table import Entry
from isocost.engine.evaluate import Evaluation, active_branch
from isocost.engine.formula import Formula
from isocost.engine.graph import Graph, Input
from isocost.engine.scope import MissingInputError
from isocost.engine.union import Side

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: A scenario's name and a metric's full path.
Key = tuple[str, str]


class Signatures:
    """A number for each distinct quantity met on either side."""

    def __init__(self) -> None:
        self._known: dict[object, int] = {}

    def of(self, key: object) -> int:
        """The number of a quantity's signature."""
        return self._known.setdefault(key, len(self._known))


@attrs.frozen
class Missing:
    """A metric that a side does not have, and why."""

    why: str


class ReviewSide:
    """One document's metrics, for comparison with another's."""

    def __init__(self, checked: Checked, count: int) -> None:
        self.evaluation = Evaluation(checked, count)
        self.document = checked.document
        self.nodes: dict[Key, int] = {}
        self.missing: dict[Key, Missing] = {}
        self.values: dict[int, float] = {}
        self.columns: dict[int, Column] = {}
        self.graph = self.evaluation.graph
        self._names: dict[int, str] | None = None
        self._graphs: dict[str, Graph] = {}

    def has(self, scenario: str) -> bool:
        """Whether there is such a scenario."""
        found = self.document.blocks.get(scenario)
        return found is not None and found.kind.name == "scenario"

    def headlines(self, scenario: str) -> list[str]:
        """The metrics that are shown unasked."""
        return self.evaluation.headlines(scenario)

    def full(self, scenario: str, metric: str) -> str:
        """A metric's full path."""
        return self.evaluation.scope(scenario).full_path(metric) or metric

    def ask(self, scenario: str, metric: str) -> None:
        """Build the node of a metric, or note why there is none."""
        key = (scenario, metric)
        if not self.has(scenario):
            self.missing[key] = Missing("there is no such scenario")
            return
        before = len(self.evaluation.diagnostics)
        try:
            self.nodes[key] = self.evaluation.scope(scenario)[metric]
        except MissingInputError as error:
            found = [*self.evaluation.diagnostics[before:], error.diagnostic]
            self.missing[key] = Missing(messages.title(found[0]))

    def freeze(self) -> None:
        """Take the graph as it is, with the point value of every node asked for."""
        self.graph = self.evaluation.graph
        self.values = self.evaluation.point(self.nodes.values())

    def draw(self, keys: Iterable[Key]) -> None:
        """Draw the metrics of some keys, over the same draws of the inputs."""
        nodes = list(dict.fromkeys(self.nodes[k] for k in keys if k in self.nodes))
        nodes = [node for node in nodes if node not in self.columns]
        if nodes:
            columns = self.evaluation.columns(nodes)
            self.columns.update(zip(nodes, columns, strict=True))

    def entry(self, scenario: str, metric: str) -> Entry:
        """The unit and the words of a metric."""
        return self.evaluation.entry(scenario, metric)

    def side(self, key: Key) -> Side:
        """What attribution wants to know."""
        names = (
            b.name for b in self.document.blocks.values() if b.kind.name != "scenario"
        )
        return Side(
            self._seen_from(key[0]),
            self.nodes[key],
            self.evaluation.choices,
            key[0],
            frozenset(names),
        )

    def _seen_from(self, scenario: str) -> Graph:
        """The graph with the names that mean something to one scenario."""
        if not self._graphs:
            self._graphs = self._by_scenario()
        return self._graphs.get(scenario, self._graphs[""])

    def _by_scenario(self) -> dict[str, Graph]:
        shared: dict[str, int] = {}
        names: dict[str, dict[str, int]] = {
            block.name: {} for block in self.document.of_kind("scenario")
        }
        for name, node in self.graph.names.items():
            owner = name.partition(".")[0]
            names.get(owner, shared)[name] = node
        graphs = {"": attrs.evolve(self.graph, names=shared)}
        for scenario, own in names.items():
            graphs[scenario] = attrs.evolve(self.graph, names={**shared, **own})
        return graphs

    def sign(self, signatures: Signatures) -> dict[int, int]:
        """The signature of every node that is asked for or lies below."""
        choices = self.evaluation.choices
        out: dict[int, int] = {}
        for node in self.graph.below(self.nodes.values()):
            what = self.graph.nodes[node].what
            args = tuple(out[arg] for arg in self.graph.nodes[node].args)
            out[node] = signatures.of((_key(what), args, choices.get(node)))
        return out

    def together(self, key: Key) -> frozenset[Group]:
        """The groups of which a metric rests on two inputs or more."""
        if not self.graph.groups:
            return frozenset()
        nodes = self.graph.nodes
        below = [nodes[node].what for node in self.graph.inputs((self.nodes[key],))]
        origins = {what.origin for what in below if isinstance(what, Input)}
        found = (self.graph.group(origin) for origin in origins)
        counts = Counter(group for group in found if group is not None)
        return frozenset(group for group, times in counts.items() if times > 1)

    def origins(self, key: Key) -> dict[str, str]:
        """The statement behind each label under which attribution knows an input."""
        out: dict[str, str] = {}
        for node in self.graph.inputs((self.nodes[key],)):
            what = self.graph.nodes[node].what
            if isinstance(what, Input):
                label = what.path or what.origin
                out.setdefault(label, what.origin.rpartition(":")[2].partition("#")[0])
        return out

    def branches(self, key: Key) -> dict[str, str]:
        """What binds: the active branch of each piecewise quantity below a metric."""
        if self._names is None:
            self._names = _named(self.graph)
        out: dict[str, str] = {}
        for node in self.graph.below((self.nodes[key],)):
            what, args = self.graph.nodes[node].what, self.graph.nodes[node].args
            name = self._names.get(node)
            if name is None or not isinstance(what, Formula):
                continue
            body = what.body
            if body.op in {"min", "max"} and body.value is not None:
                values = [self.values[arg] for arg in args]
                at = dict(zip(what.params, values, strict=True))
                out[name.removeprefix(f"{key[0]}.")] = active_branch(body, at)
        return out

    def chosen(self, scenario: str) -> dict[str, float]:
        """The settled choices of a scenario by path."""
        settled = self.evaluation.settled(scenario)
        return {
            str(getattr(self.graph.nodes[node].what, "path", "")): value
            for node, value in settled.values.items()
        }


def _key(what: Any) -> object:
    if isinstance(what, Formula) and what.function is None:
        return (what.name, what.body, tuple(what.params))
    return id(what) if isinstance(what, Formula) else what


def _named(graph: Graph) -> dict[int, str]:
    out: dict[int, str] = {}
    for name, node in graph.names.items():
        if node not in out or (len(name), name) < (len(out[node]), out[node]):
            out[node] = name
    return out


def report_metrics(checked: Checked) -> list[str]:
    """The metrics that reports and policies of the main file name, each once."""
    found: list[str] = []
    document = checked.document
    for kind, path in (("policy", "watch"), ("report", "metrics")):
        for block in document.of_kind(kind):
            fact = block.facts.get(path)
            if block.file != document.file or fact is None:
                continue
            items = fact.expr.args if fact.expr.op == "list" else (fact.expr,)
            found += [str(item.value) for item in items if item.op == "path"]
    return list(dict.fromkeys(found))


def compared(checked: Checked) -> list[str]:
    """The scenarios of a document that a review looks at, in its order."""
    return [block.name for block in checked.document.scenarios]


def within(metric: str, scenarios: Mapping[str, Any]) -> tuple[str | None, str]:
    """A metric's scenario, where its path begins with one, and the rest."""
    path = parse_path(metric)
    for name in scenarios:
        size = len(parse_path(name).parts)
        if path.parts[:size] == parse_path(name).parts and len(path.parts) > size:
            return name, ".".join(map(str, path.parts[size:]))
    return None, metric
