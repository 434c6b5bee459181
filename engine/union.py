"""Two graphs joined into one, with a switch for each change between them.

Both graphs are walked from their metric at once. Equal nodes become one node; where
an input, a choice, a formula or a swapped block differs, the union gets
`if switch then new else old`, and everything below goes on being shared. With all
switches off the union is the old graph, with all on the new one.
"""

from collections.abc import Mapping

import attrs

from isocost.dsl.expr import Expr, symbol, where
from isocost.engine.formula import Formula, Param
from isocost.engine.graph import Constant, Graph, GraphBuilder, Input, What

_SELECT = Formula(
    "select",
    "1",
    {name: Param("1", name) for name in ("changed", "new", "old")},
    lambda changed, new, old: where(changed > 0, new, old),
    valid="identity: one of two",
    source="definition",
    doc="The new quantity where the change is made, else the old one.",
)


@attrs.frozen
class Side:
    """One of the two: a graph, the wanted node, its settled choices, its scenario.

    `blocks` are the names of blocks that are no scenarios: an input whose statement
    moved from one of them to another belongs to a swap of blocks.
    """

    graph: Graph
    wanted: int
    choices: Mapping[int, float]
    scenario: str = ""
    blocks: frozenset[str] = frozenset()


@attrs.frozen
class Change:
    """One cause: what changed, of which sort, and both values where there are any.

    `aspect` is `input`, `choice`, `formula`, `block` or `structure`.
    """

    path: str
    aspect: str
    old: float | str | None = None
    new: float | str | None = None
    unit: str = ""
    scale: float = 1.0


@attrs.frozen
class Union:
    """The joined graph, its wanted node, and the switch of each change."""

    graph: Graph
    wanted: int
    changes: tuple[Change, ...]
    switches: tuple[int, ...]


def join(old: Side, new: Side) -> Union:
    """Join two graphs below their wanted nodes."""
    run = _Join(old, new)
    wanted = run.pair(old.wanted, new.wanted)
    return Union(
        run.builder.freeze(), wanted, tuple(run.changes), tuple(run.changes.values())
    )


class _Labels:
    """The names under which one side's nodes are known, free of its scenario's name."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.of: dict[int, str] = {}
        self.node: dict[str, int] = {}
        below = set(side.graph.below((side.wanted,)))
        prefix = f"{side.scenario}."
        for name, node in side.graph.names.items():
            if node in below:
                own = name.startswith(prefix) if side.scenario else False
                self._note(node, name.removeprefix(prefix) if own else name, own)
        for node in below:
            what = side.graph.nodes[node].what
            if isinstance(what, Input):
                self.of[node] = what.path or what.origin
                self.node.setdefault(what.path or what.origin, node)

    def _note(self, node: int, name: str, own: bool) -> None:
        if own or node not in self.of:
            self.of[node] = name
        self.node.setdefault(name, node)


class _Join:
    def __init__(self, old: Side, new: Side) -> None:
        self.old, self.new = old, new
        self.labels = (_Labels(old), _Labels(new))
        self.builder = GraphBuilder()
        self.changes: dict[Change, int] = {}
        self._pairs: dict[tuple[int, int], int] = {}
        self._copies: dict[tuple[int, int], int] = {}
        self._pending: set[tuple[int, int]] = set()
        self._formulas: dict[object, Formula] = {}

    def pair(self, o: int, n: int) -> int:
        """The node of the union for two nodes that mean the same quantity."""
        key = (o, n)
        if key not in self._pairs:
            self._pending.add(key)
            self._pairs[key] = self._pair(o, n)
            self._pending.discard(key)
        return self._pairs[key]

    def _pair(self, o: int, n: int) -> int:
        a, b = self._what(0, o), self._what(1, n)
        if isinstance(a, Formula) and isinstance(b, Formula):
            return self._formulas_of(o, n, a, b)
        if isinstance(a, Formula) or isinstance(b, Formula):
            change = Change(self._path(o, n), "formula", _shown(a), _shown(b))
            return self._select(change, self.copy(0, o), self.copy(1, n))
        first, second = self.builder.add(a), self.builder.add(b)
        if _value(a) == _value(b):
            return first
        return self._select(self._moved(o, n), first, second)

    def _formulas_of(self, o: int, n: int, a: Formula, b: Formula) -> int:
        below = (self.old.graph.nodes[o].args, self.new.graph.nodes[n].args)
        if a is b or _canonical(a) == _canonical(b):
            args = tuple(self.pair(x, y) for x, y in zip(*below, strict=True))
            return self.builder.add(self._one(a), args)
        users = a.function is None or b.function is None
        aspect = "formula" if users else "structure"
        change = Change(self._path(o, n), aspect, a.name, b.name)
        mates = self._mates(a, b, *below)
        first = tuple(self._arg(0, arg, mates.get(arg)) for arg in below[0])
        back = {y: x for x, y in mates.items()}
        second = tuple(self._arg(1, arg, back.get(arg)) for arg in below[1])
        return self._select(
            change,
            self.builder.add(self._one(a), first),
            self.builder.add(self._one(b), second),
        )

    def _mates(
        self, a: Formula, b: Formula, first: tuple[int, ...], second: tuple[int, ...]
    ) -> dict[int, int]:
        """The arguments of two unlike formulas that mean the same, old to new."""
        names = dict(zip(a.params, first, strict=True))
        return {
            names[name]: arg
            for name, arg in zip(b.params, second, strict=True)
            if name in names and not name.startswith("part_")
        }

    def _arg(self, side: int, node: int, mate: int | None) -> int:
        if mate is None:
            return self.copy(side, node)
        pair = (node, mate) if side == 0 else (mate, node)
        return self.copy(side, node) if pair in self._pending else self.pair(*pair)

    def copy(self, side: int, node: int) -> int:
        """A node of one side; what the other knows by the same name is paired."""
        label = self.labels[side].of.get(node, "")
        mate = self.labels[1 - side].node.get(label)
        if label and mate is not None:
            pair = (node, mate) if side == 0 else (mate, node)
            if pair not in self._pending:
                return self.pair(*pair)
        key = (side, node)
        if key not in self._copies:
            what = self._what(side, node)
            graph = (self.old, self.new)[side].graph
            args = tuple(self.copy(side, arg) for arg in graph.nodes[node].args)
            made = self._one(what) if isinstance(what, Formula) else what
            self._copies[key] = self.builder.add(made, args)
        return self._copies[key]

    def _what(self, side: int, node: int) -> What:
        """What a node is; a settled choice is the number that it was settled to."""
        owner = (self.old, self.new)[side]
        if node in owner.choices:
            return Constant(owner.choices[node])
        return owner.graph.nodes[node].what

    def _one(self, made: Formula) -> Formula:
        """One object for formulas that are equal, so that their nodes are shared."""
        key = id(made) if made.function is not None else (made.name, _canonical(made))
        return self._formulas.setdefault(key, made)

    def _path(self, o: int, n: int) -> str:
        for labels, node in ((self.labels[1], n), (self.labels[0], o)):
            if node in labels.of:
                return labels.of[node]
        return str(getattr(self._what(1, n), "name", f"node {n}"))

    def _moved(self, o: int, n: int) -> Change:
        a, b = self.old.graph.nodes[o].what, self.new.graph.nodes[n].what
        owners = [x.origin.partition(".")[0] for x in (a, b) if isinstance(x, Input)]
        blocks = self.old.blocks | self.new.blocks
        if len(set(owners)) == 2 and blocks.issuperset(owners):  # noqa: PLR2004 (two sides)
            return Change(owners[1], "block", owners[0], owners[1])
        chosen = o in self.old.choices and n in self.new.choices
        values = (_value(self._what(0, o)), _value(self._what(1, n)))
        unit, scale = (b.unit, b.scale) if isinstance(b, Input) else ("1", 1.0)
        aspect = "choice" if chosen else "input"
        return Change(self._path(o, n), aspect, *values, unit, scale)

    def _select(self, change: Change, first: int, second: int) -> int:
        if first == second:
            return first
        if change not in self.changes:
            switch = Input(f"switch {len(self.changes)}", 0.0, "1", 1.0)
            self.changes[change] = self.builder.add(switch)
        return self.builder.add(_SELECT, (self.changes[change], second, first))


def _value(what: What) -> float | None:
    if isinstance(what, Input):
        return what.central
    return what.value if isinstance(what, Constant) else None


def _shown(what: What) -> float | str | None:
    return what.name if isinstance(what, Formula) else _value(what)


def _canonical(made: Formula) -> Expr:
    """A formula's body over its parameters' positions: their names do not count."""
    places = {name: symbol(str(i)) for i, name in enumerate(made.params)}
    return made.body.map(lambda e: places[e.value] if e.op == "symbol" else e)
