"""What every topology answers, and the plan of a collective that it hands out.

A topology is structure: whole numbers in frozen objects, and pure functions. What
depends on a bandwidth, a latency or a size is a formula; a topology only says which
formula is applied to what. A plan is a small tree of such applications, and its
leaves are needs: names that the caller binds to quantities of the graph.

    size, ranks, stride         the message and the group
    link[AXIS].bandwidth        one way, for each rank (on a torus: each direction)
    link[AXIS].latency          one step
    library.COEF                shared by all links (see `NEEDS`)
    library[AXIS].COEF          of one fabric
"""

import functools
from collections.abc import Iterator, Mapping
from typing import Protocol, TypeAlias

import attrs

from isocost.dsl.expr import Expr, Operand, lift, smallest
from isocost.engine.formula import Formula, Param

Need: TypeAlias = "str | float | Apply"

#: The operations; `size` means what `network_messages` says for each.
OPERATIONS = (
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "broadcast",
    "point_to_point",
)


@attrs.frozen(eq=False)
class Apply:
    """A formula applied to needs, numbers and other applications."""

    formula: Formula
    args: Mapping[str, Need]

    def needs(self) -> Iterator[str]:
        """The names that this application wants bound, with repetitions."""
        for value in self.args.values():
            if isinstance(value, Apply):
                yield from value.needs()
            elif isinstance(value, str):
                yield value

    def bind(self, values: Mapping[str, Operand]) -> Operand:
        """The tree (or, from numbers alone, the number) with every need bound."""
        bound = {
            name: (
                value.bind(values)
                if isinstance(value, Apply)
                else values[value]
                if isinstance(value, str)
                else value
            )
            for name, value in self.args.items()
        }
        if any(isinstance(value, Expr) for value in bound.values()):
            # A formula compares its arguments, which must all be trees then.
            bound = {name: lift(value) for name, value in bound.items()}
        out: Operand = self.formula(**bound)
        return out


@attrs.frozen(eq=False)
class Candidate:
    """One algorithm for a collective: its name and its time in seconds."""

    name: str
    time: Apply


@attrs.frozen(eq=False)
class Plan:
    """A collective on a topology: the candidates, of which the quickest is taken."""

    operation: str
    kind: str
    candidates: tuple[Candidate, ...]

    @property
    def time(self) -> Apply:
        """The quickest candidate; its branches are named by algorithm."""
        if len(self.candidates) == 1:
            return self.candidates[0].time
        times = {found.name: found.time for found in self.candidates}
        return Apply(quickest(tuple(times)), times)

    @property
    def needs(self) -> tuple[str, ...]:
        """The names to bind, each once, in the order in which they are met."""
        return tuple(dict.fromkeys(self.time.needs()))

    def fastest(self, values: Mapping[str, float]) -> tuple[str, float]:
        """The name and the time of the quickest algorithm at one point."""
        times = {c.name: c.time.bind(values) for c in self.candidates}
        numbers = {n: t for n, t in times.items() if not isinstance(t, Expr)}
        return min(numbers.items(), key=lambda found: found[1])


@functools.cache
def quickest(names: tuple[str, ...]) -> Formula:
    """The formula that takes the least of times named `names`; one object each."""
    params = {n: Param("s", rf"t_{{\mathrm{{{n}}}}}", f"time by {n}") for n in names}
    return Formula(
        "quickest",
        "s",
        params,
        smallest,
        valid="algorithms that the platform's library has",
        source="the library takes the quickest algorithm",
        doc="The time of the quickest algorithm; the branch says which.",
        latex="t",
    )


@attrs.frozen
class Library:
    """The algorithms that a platform's library has, inside a domain and across.

    Empty means that nothing is stated: every algorithm. An operation for which none
    is named keeps all of its algorithms. `through` are those that pass through all
    ranks of all domains at once, instead of inside the domains first.
    """

    inside: frozenset[str] = frozenset()
    across: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()

    def keep(self, found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        """The candidates that the library has inside a domain."""
        kept = tuple(c for c in found if c.name in self.inside)
        return kept or found

    @property
    def outer(self) -> "Library":
        """The same library as the network between domains sees it."""
        return Library(self.across, self.across, self.through)


#: A library that has every algorithm.
ANY = Library()


@attrs.frozen
class Refusal:
    """Why a design does not fit, as data; the language turns it into a diagnostic.

    `code` names the reason (`radix`, `ports`, `endpoints`, `reach`, `order`),
    `args` fills its wording, `nearest` holds parameters that would fit.
    """

    code: str
    args: Mapping[str, int | float | str] = attrs.field(factory=dict)
    nearest: Mapping[str, int | float | str] = attrs.field(factory=dict)


@attrs.frozen
class Group:
    """The links that a group of ranks uses: its extent on each axis."""

    extents: Mapping[str, int]
    interleaves: Mapping[str, int] = attrs.field(factory=dict)

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes whose links the group uses."""
        return tuple(axis for axis, extent in self.extents.items() if extent > 1)


Counts: TypeAlias = Mapping[str, int]
#: Links by class; of a switched network in units of one endpoint's whole rate.
Cut: TypeAlias = Mapping[str, float]


class Topology(Protocol):
    """One network. Counts are by axis or tier, the innermost first."""

    @property
    def kind(self) -> str:
        """The name in the registry."""

    @property
    def endpoints(self) -> int:
        """Chips (or network ports) that it connects."""

    @property
    def rails(self) -> int:
        """Neighbouring endpoints that go to switches of their own (1: none do)."""

    @property
    def axes(self) -> tuple[str, ...]:
        """Classes of links, each with a bandwidth and a latency of its own."""

    @property
    def links(self) -> Counts:
        """Cables (both directions in one) by class."""

    @property
    def ports(self) -> Counts:
        """Ports of one endpoint by class."""

    @property
    def switches(self) -> Counts:
        """Switches by tier; empty where chips are wired to each other."""

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """Links by class that each cut in halves severs; the least rate binds."""

    @property
    def diameter(self) -> int:
        """Links between the two endpoints that are farthest apart."""

    def group(self, ranks: int, stride: int = 1) -> Group:
        """The links that a group uses; for ranks that vary, see `collectives`."""

    def collectives(self, operation: str, library: Library) -> tuple[Candidate, ...]:
        """The algorithms of `library` for a group of `ranks` at `stride`."""
