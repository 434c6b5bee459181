"""The graph of named quantities: inputs and formulas, each a node, equal ones shared.

A node is what it is (an `Input`, a `Constant` or a `Formula`) applied to the nodes
of its arguments. Nodes are numbered in an order in which arguments come first, so a
walk over the list is an evaluation.
"""

import functools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import attrs

from isocost.dsl.correlate import Group
from isocost.dsl.diagnostics import Diagnostic
from isocost.dsl.expr import Expr
from isocost.dsl.schema.base import Attribute
from isocost.dsl.spans import Span
from isocost.dsl.syntax import CiteRef
from isocost.dsl.values import bound_fault
from isocost.engine.formula import Formula, Param

if TYPE_CHECKING:
    from isocost.engine.scope import Scope


@attrs.frozen
class Spread:
    """Our doubt about one number.

    `shape` is `point`, `lognormal`, `logitnormal`, `normal`, `triangular`, `uniform`
    or `one_of`; `params` are in base units: the 5th and 95th percentile for the first
    two, mean and standard deviation for `normal`, and as written for the rest. Draws
    are cut at `low` and `high`.
    """

    shape: str = "point"
    params: tuple[float, ...] = ()
    low: float | None = None
    high: float | None = None


@attrs.frozen
class Input:
    """A stated number: where it was stated (`origin`), its value, doubt and source.

    Two inputs are one node if origin, value, unit and doubt are equal. `options` are
    the values of a choice that is still to be settled; `auto` says that they were not
    written out. A `whole` number moves in steps and has no derivative. `limits` are the
    least and the most that its attribute allows, in base units.
    """

    origin: str
    central: float
    unit: str
    scale: float
    spread: Spread = Spread()
    options: tuple[float, ...] = ()
    auto: bool = False
    default: bool = False
    path: str = ""
    whole: bool = attrs.field(default=False, eq=False)
    cites: tuple[CiteRef, ...] = attrs.field(default=(), eq=False)
    doc: str = attrs.field(default="", eq=False)
    span: Span | None = attrs.field(default=None, eq=False)
    note: str = attrs.field(default="", eq=False)
    limits: tuple[float | None, float | None] = attrs.field(
        default=(None, None), eq=False
    )

    @property
    def assumed(self) -> bool:
        """Whether it is marked as an assumption, or a default."""
        return self.default or any(cite.assumed for cite in self.cites)

    @property
    def uncertain(self) -> bool:
        """Whether it has any doubt."""
        return self.spread.shape != "point"


@attrs.frozen
class Constant:
    """A number of the model's own, such as a count of words or a structural size."""

    value: float


What = Input | Constant | Formula


@attrs.frozen
class Node:
    """A quantity: what it is, applied to earlier nodes."""

    what: What
    args: tuple[int, ...] = ()


@attrs.frozen
class Graph:
    """Nodes with arguments first, the names under which they are known, correlations.

    `groups` are the inputs whose draws go together, by origin.
    """

    nodes: tuple[Node, ...]
    names: Mapping[str, int]
    groups: Mapping[str, Group] = attrs.field(factory=dict)

    def group(self, origin: str) -> Group | None:
        """The group of an input, if its draws go together with others'."""
        return self.groups.get(origin)

    def below(self, wanted: Iterable[int]) -> list[int]:
        """The nodes that the wanted ones rest on, themselves included, in order."""
        seen: set[int] = set(wanted)
        stack = list(seen)
        nodes = self.nodes
        while stack:
            for arg in nodes[stack.pop()].args:
                if arg not in seen:
                    seen.add(arg)
                    stack.append(arg)
        return sorted(seen)

    def inputs(self, wanted: Iterable[int]) -> list[int]:
        """The inputs that the wanted nodes rest on, in order."""
        return [n for n in self.below(wanted) if isinstance(self.nodes[n].what, Input)]

    def names_of(self, node: int) -> list[str]:
        """Every name of a node, shortest first."""
        return self._named.get(node, [])

    @functools.cached_property
    def _named(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for name in sorted(self.names, key=lambda name: (len(name), name)):
            found.setdefault(self.names[name], []).append(name)
        return found

    @functools.cached_property
    def first_names(self) -> dict[int, str]:
        """The shortest name of each named node."""
        return {node: names[0] for node, names in self._named.items()}


@attrs.frozen
class Bound:
    """What an attribute allows of a formula's value, and where the formula stands."""

    attribute: Attribute
    name: str
    span: Span

    def fault(self, value: float) -> Diagnostic | None:
        """The diagnostic for a value that the attribute does not allow."""
        return bound_fault(self.name, value, self.attribute, self.span)


class GraphBuilder:
    """Collects nodes; equal content is one node."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.names: dict[str, int] = {}
        self.scopes: dict[str, Scope] = {}
        #: What a reader of a result must know of a node below it: its terms, its reach.
        self.notes: dict[int, str] = {}
        #: What an attribute allows, by the node of a formula in its place.
        self.bounds: dict[int, Bound] = {}
        #: Inputs whose draws go together, by origin.
        self.groups: Mapping[str, Group] = {}
        self._known: dict[object, int] = {}
        self._formulas: dict[object, Formula] = {}
        self._frozen: Graph | None = None

    def add(self, what: What, args: tuple[int, ...] = ()) -> int:
        """The node for `what` applied to `args`, made if it is not there yet."""
        key = (id(what) if isinstance(what, Formula) else what, args)
        if key not in self._known:
            self._known[key] = len(self.nodes)
            self.nodes.append(Node(what, args))
        return self._known[key]

    def constant(self, value: float) -> int:
        """The node of a number of the model's own."""
        return self.add(Constant(float(value)))

    def formula(
        self, name: str, unit: str, body: Expr, params: Mapping[str, Param], **data: str
    ) -> Formula:
        """A formula that a user wrote; equal body and name are one formula."""
        key = (name, unit, body, tuple(params))
        if key not in self._formulas:
            made = Formula(name, unit, dict(params), None, **data, body_=[body])
            self._formulas[key] = made
        return self._formulas[key]

    def freeze(self) -> Graph:
        """The graph so far; the same one until something is added.

        Nodes and names are only ever added, so their numbers tell.
        """
        last, here = self._frozen, (len(self.nodes), len(self.names))
        known = last is not None and (len(last.nodes), len(last.names)) == here
        if last is None or not known or last.groups is not self.groups:
            last = Graph(tuple(self.nodes), dict(self.names), self.groups)
            self._frozen = last
        return last
