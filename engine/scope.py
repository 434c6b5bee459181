"""One scenario's view of the document: paths to nodes, built when they are asked for.

A path is first what the scenario overrides, then what the block states, then what
the engine derives, then the schema's default. Blocks are copied only where an
override touches them, and since equal nodes are one node, everything else is shared
between scenarios.
"""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import attrs

from isocost.dsl.dates import Period, read_period
from isocost.dsl.diagnostics import Diagnostic, Label, at
from isocost.dsl.document import Block, Document, Fact
from isocost.dsl.expr import Expr
from isocost.dsl.intervals import call_number
from isocost.dsl.lookup import ROLES, SHORTHANDS, Lookup, Target, Unknown
from isocost.dsl.pools import has_pools, inner_path, is_of_pool, pool_of
from isocost.dsl.schema.base import Attribute
from isocost.dsl.spans import Span
from isocost.dsl.syntax import Path, call_arguments, parse_path
from isocost.dsl.table import entry_of
from isocost.dsl.values import word_of
from isocost.engine.dated import (
    Series,
    in_period,
    latest,
    on_day,
    parts,
    series_of,
    summed,
)
from isocost.engine.formula import Formula
from isocost.engine.graph import GraphBuilder
from isocost.engine.lowering import Lowering
from isocost.engine.quantities import candidates, pool_that_answers, usual

#: How many formulas may rest on each other before they are built in order.
_LONG_CHAIN = 20
#: How many blocks are offered for a role that is left open.
_MOST_OFFERED = 6


class MissingInputError(Exception):
    """A quantity cannot be built; carries the diagnostic. Never leaves the engine."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.code)
        self.diagnostic = diagnostic


#: A block, a path in it, and the role under which the block is in reach.
Owner = tuple[Block, str, str]


class Scope:
    """The quantities of one scenario, or of the bare document (`scenario` None)."""

    def __init__(
        self, lookup: Lookup, builder: GraphBuilder, scenario: Block | None = None
    ) -> None:
        self.lookup = lookup
        self.builder = builder
        self.scenario = scenario
        self.lowering = Lowering(self)
        self._nodes: dict[str, int] = {}
        self._pending: list[str] = []
        self._pools: dict[str, Scope] = {}
        self.pool_name = ""
        self._blocks: dict[str, Block | None] = {}
        self._owners: dict[Path, Owner | None] = {}
        self._overrides = self._collect_overrides()
        self._roles = self._collect_roles()

    @property
    def document(self) -> Document:
        """The document that the scenario is part of."""
        return self.lookup.document

    @property
    def name(self) -> str:
        """The scenario's name; empty for the bare document."""
        return self.scenario.name if self.scenario else ""

    # What the scenario says.

    def _collect_overrides(self) -> dict[tuple[str, str], Fact]:
        found: dict[tuple[str, str], Fact] = {}
        if self.scenario is None:
            return found
        for fact in self.scenario.facts.values():
            if fact.attribute is not None or fact.let or is_of_pool(fact):
                continue
            target = self.lookup.find(fact.path, self.scenario, fact.file)
            if isinstance(target, Target):
                owner = target.block.name if target.block else ""
                found[owner, target.path] = fact
        return found

    def _collect_roles(self) -> dict[str, str]:
        """The role under which each block is in reach: `trainium2` → `chip`."""
        roles: dict[str, str] = {}
        if self.scenario is None:
            return roles
        for path, attribute in self.scenario.kind.attributes.items():
            block = self.block(path) if attribute.sort == "block" else None
            if block is not None:
                roles.setdefault(block.name, path)
        for short, (role, inner) in SHORTHANDS.items():
            owner = self.block(role)
            block = self._reference(owner, inner) if owner else None
            if block is not None:
                roles.setdefault(block.name, short)
        silicon = self.block("chip.silicon")
        if silicon is not None:
            roles.setdefault(silicon.name, "chip.silicon")
        return roles

    def stated(self, block: Block, path: str) -> Fact | None:
        """What is said of a block's path here: the override, else the block's fact."""
        return self._overrides.get((block.name, path)) or block.facts.get(path)

    def _reference(self, block: Block, path: str) -> Block | None:
        fact = self.stated(block, path)
        if fact is None or fact.expr.op != "path":
            return None
        attribute = block.kind.attributes.get(parse_path(path).pattern)
        kinds = attribute.of if attribute is not None else ()
        return self.document.find(str(fact.expr.value), fact.file, kinds)

    def block(self, role: str) -> Block | None:
        """The block bound to a role path: `system`, `chip`, a link of a topology."""
        if role not in self._blocks:
            self._blocks[role] = self._find_block(role)
        return self._blocks[role]

    def _find_block(self, role: str) -> Block | None:
        if self.scenario is None:
            return None
        path = parse_path(role)
        current: Block | None = self.scenario
        if path.head in SHORTHANDS:
            path = Path(
                (*parse_path(".".join(SHORTHANDS[path.head])).parts, *path.rest.parts)
            )
        while current is not None and path.parts:
            for size in range(len(path.parts), 0, -1):
                inner = self._reference(current, str(Path(path.parts[:size])))
                if inner is not None:
                    current, path = inner, Path(path.parts[size:])
                    break
            else:
                return None
        return current

    def _owner(self, path: Path) -> Owner | None:
        """The block that a role path leads into, the path in it, and the role."""
        if path not in self._owners:
            self._owners[path] = self._find_owner(path)
        return self._owners[path]

    def _find_owner(self, path: Path) -> Owner | None:
        if self.scenario is None:
            return None
        pattern = path.pattern
        own = self.scenario.facts.get(str(path))
        if pattern in self.scenario.kind.attributes or (own is not None and own.let):
            return self.scenario, str(path), ""
        for size in range(len(path.parts) - 1, 0, -1):
            role = str(Path(path.parts[:size]))
            block = self.block(role)
            if block is not None:
                inner = Path(path.parts[size:])
                known = inner.pattern in block.kind.attributes
                if known or str(inner) in block.facts:
                    return block, str(inner), role
        return None

    # Words and other things that are no numbers.

    def fact(self, path: str) -> Fact | None:
        """The statement behind a role path, if there is one."""
        owner = self._owner(parse_path(path))
        return self.stated(owner[0], owner[1]) if owner else None

    def has(self, path: str) -> bool:
        """Whether a role path is stated here, dated or not (defaults do not count)."""
        if self.fact(path) is not None:
            return True
        owner = self._owner(parse_path(path))
        return owner is not None and self.series(owner[0], owner[1]) is not None

    def stated_paths(self, block: Block) -> list[str]:
        """Every path that a block states, or that this scenario sets in it."""
        mine = [path for owner, path in self._overrides if owner == block.name]
        return list(dict.fromkeys([*block.facts, *mine]))

    def series(self, block: Block, path: str) -> Series | None:
        """The dated points behind a block's path, if it has any."""
        return series_of(self, block, parse_path(path))

    def day(self, needed_by: str) -> Period:
        """The scenario's `date`, which a dated quantity is read at.

        Raises:
            MissingInputError: It states none.
        """
        fact = self.fact("date") if self.scenario else None
        text = "" if fact is None else str(fact.expr.value)
        if fact is not None and fact.expr.op == "literal":
            text = fact.expr.value.text
        found = read_period(text)
        if found is None:
            path = f"{self.name}.date" if self.name else "date"
            missing = at("M001", self.where(), path=path, needed_by=needed_by)
            raise MissingInputError(missing)
        return attrs.evolve(found, end=found.start + 1)

    def word(self, path: str) -> str | None:
        """The word that a role path states, or its default."""
        owner = self._owner(parse_path(path))
        if owner is None:
            return None
        fact = self.stated(owner[0], owner[1])
        if fact is not None:
            text = fact.expr.op == "text"
            return str(fact.expr.value) if text else word_of(fact.expr)
        attribute = owner[0].kind.attributes.get(parse_path(owner[1]).pattern)
        return attribute.default if attribute else None

    def flag(self, path: str) -> bool:
        """Whether a flag is true."""
        return self.word(path) == "true"

    def keys(self, role: str, pattern: str) -> list[str]:
        """The keys stated for a keyed attribute of a role's block: names of items."""
        block = self.block(role)
        if block is None:
            return []
        found = block.keys_of(pattern)
        for owner, path in self._overrides:
            parsed = parse_path(path)
            if owner == block.name and parsed.pattern == pattern:
                found.append(parsed.keys[0])
        return list(dict.fromkeys(found))

    def key_of(self, role: str, pattern: str, block: Block) -> str:
        """The key under which a block stands in a role's table, by its kind.

        Blocks of other kinds may share the name; a table from another file may write
        it otherwise. Where the table has no line for it: the name as its file has it.
        """
        book, kinds = self.block(role), (block.kind.name,)
        stated = [(f.path, f.file) for f in book.facts.values()] if book else []
        for (owner, path), fact in self._overrides.items():
            if book is not None and owner == book.name:
                stated.append((parse_path(path), fact.file))
        for path_, file in stated:
            if path_.pattern == pattern:
                found = self.document.find(path_.keys[0], file, kinds)
                if found is not None and found.name == block.name:
                    return path_.keys[0]
        return block.label

    def call(self, path: str) -> tuple[str, dict[str, float | str]] | None:
        """A stated call as its name and arguments: `("torus", {"x": 4.0, …})`."""
        fact = self.fact(path)
        if fact is None:
            return None
        if fact.expr.op == "path":
            return str(fact.expr.value), {}
        plain, named = call_arguments(fact.expr)
        pairs = [*((str(i), arg) for i, arg in enumerate(plain)), *named.items()]
        out: dict[str, float | str] = {}
        for key, arg in pairs:
            value = call_number(arg)
            out[key] = value if value is not None else str(arg.value)
        return fact.expr.value.name, out

    # Numbers.

    def __getitem__(self, path: str) -> int:
        """The node of a role path or of a derived quantity.

        Raises:
            MissingInputError: It is neither stated nor derived nor has a default.
        """
        if path not in self._nodes:
            with self._guard(path):
                self._nodes[path] = self._build(path)
            self.builder.names.setdefault(self.full_name(path), self._nodes[path])
        return self._nodes[path]

    def full_name(self, path: str) -> str:
        """The path as the outside writes it: `trn2_chat.cost.per_Mtoken[input]`."""
        return f"{self.name}.{path}" if self.name else path

    @contextmanager
    def _guard(self, path: str) -> Iterator[None]:
        if path in self._pending:
            ring = self._pending[self._pending.index(path) :]
            raise MissingInputError(self._ring(ring))
        self._pending.append(path)
        try:
            yield
        finally:
            self._pending.pop()

    def _ring(self, names: Sequence[str]) -> Diagnostic:
        """The diagnostic of a ring: once, at the first of its statements.

        It goes through what is derived, so whichever quantity was asked for it begins
        at the same statement; what two names have as one statement is told once.
        """
        own = f"{self.name}."
        names = [name.removeprefix(own) if self.name else name for name in names]
        names = [name for i, name in enumerate(names) if name != names[i - 1]] or names
        stated = [(name, self._statement(name)) for name in names]
        once = [
            one
            for i, one in enumerate(stated)
            if one[1] is None or one[1] is not stated[i - 1][1]
        ] or stated[:1]
        facts = [fact for _, fact in once if fact is not None]
        if not facts:
            return at("R008", self.where(), ring=" → ".join((*names, names[0])))
        first = min(facts, key=lambda fact: (fact.path_span.file, fact.path_span.start))
        start = next(i for i, (_, fact) in enumerate(once) if fact is first)
        turned = [*once[start:], *once[:start]]
        ring = " → ".join((*(name for name, _ in turned), turned[0][0]))
        also = tuple(
            Label(fact.path_span, "needed here")
            for _, fact in turned[1:]
            if fact is not None
        )
        return at("R008", first.path_span, also=also, ring=ring)

    def _statement(self, name: str) -> Fact | None:
        """What is stated of a name on the way: a role's path, or a block's."""
        for (owner, path), fact in self._overrides.items():
            if name == (f"{owner}.{path}" if owner else path):
                return fact
        return self.fact(name)

    def where(self) -> Span:
        """The scenario's place, for diagnostics about what it lacks."""
        return self.scenario.span if self.scenario else Span(self.document.file, 0, 0)

    def _build(self, text: str) -> int:
        path = parse_path(text)
        inner = inner_path(path) if self.pooled else None
        if inner is not None:
            return self.pool(path.head)[str(inner)]
        owner = self._owner(path)
        if owner is not None:
            return self.of_block(owner[0], owner[1], owner[2])
        override = self._overrides.get(("", text))
        if override is not None:
            return self.lowering.fact(override, None, self.scenario, text)
        return self.derive(text)

    def derive(self, text: str) -> int:
        """The node of a derived quantity, whatever may be stated in its place."""
        pool = pool_that_answers(text) if self.pooled else ""
        if pool:
            return self.pool(pool)[text]
        for one in candidates(parse_path(text)):
            if one.when is None or one.when.holds(self):
                return one.build(self, parse_path(text).keys)
        raise MissingInputError(self._missing(text))

    @property
    def replaced(self) -> list[str]:
        """Derived quantities that the scenario states in their place."""
        found = [path for owner, path in self._overrides if not owner]
        return [path for path in found if self.derives(path)]

    def derives(self, text: str) -> bool:
        """Whether a quantity is derived here, whatever may be stated in its place."""
        found = candidates(parse_path(text))
        return any(one.when is None or one.when.holds(self) for one in found)

    def _unbound(self, text: str) -> Diagnostic | None:
        """The diagnostic for what leads through a role that is left open."""
        head = parse_path(text).head
        role = SHORTHANDS.get(head, (head,))[0]
        scenario = self.scenario
        if scenario is None or role not in ROLES or self.block(role) is not None:
            return None
        attribute = scenario.kind.attributes[role]
        kinds = attribute.of
        known = [b for kind in kinds for b in self.document.of_kind(kind)]
        vendor = self._vendor(self.block("chip"))
        if vendor:
            known.sort(key=lambda block: self._vendor(block) != vendor)
        names = [block.label for block in known]
        more = " …" if len(names) > _MOST_OFFERED else ""
        bind = " or ".join(f"`{role} = {name}`" for name in names[:_MOST_OFFERED])
        facts = {
            "name": scenario.label,
            "role": role,
            "needed_by": self._pending[0] if self._pending else text,
        }
        help_ = f"bind one: {bind}{more}" if names else None
        return at("M005", self.where(), facts=facts, help=help_)

    @staticmethod
    def _vendor(block: Block | None) -> str:
        fact = block.facts.get("vendor") if block else None
        return str(fact.expr.value).casefold() if fact else ""

    def _missing(self, text: str) -> Diagnostic:
        unbound = self._unbound(text)
        if unbound is not None:
            return unbound
        found = candidates(parse_path(text))
        if found:
            words = " or ".join(dict.fromkeys(q.entry.when for q in usual(found)))
            return at("M002", self.where(), path=text, when=words)
        asked = self._pending[0] if self._pending else text
        return at("M001", self.where(), path=text, needed_by=asked)

    def of_block(self, block: Block, path: str, role: str = "") -> int:
        """The node of a block's attribute or `let`, as this scenario sees it."""
        key = f"{block.name}\0{path}"
        if key in self._nodes:
            return self._nodes[key]
        self._prepare((block.name, path))
        with self._guard(f"{block.name}.{path}"):
            node = self._of_block(block, path, role or self._roles.get(block.name, ""))
        self._nodes[key] = node
        if not self.name or (block.name, path) not in self._overrides:
            self.builder.names.setdefault(f"{block.label}.{path}", node)
        return node

    def _of_block(self, block: Block, path: str, role: str) -> int:
        attribute = block.kind.attributes.get(parse_path(path).pattern)
        fact = self.stated(block, path)
        if fact is not None:
            context = self.scenario if (block.name, path) in self._overrides else block
            shown = f"{role}.{path}" if role else path
            return self.lowering.fact(fact, attribute, context, shown)
        dated = self._dated(block, path)
        if dated is not None:
            return dated
        full = f"{role}.{path}" if role else path
        if self.derives(full):
            try:
                return self.derive(full)
            except MissingInputError:
                if attribute is None or attribute.default is None:
                    raise
        if attribute is not None and attribute.default is not None:
            return self._default(block, path, attribute, role)
        asked = self._pending[0] if self._pending else path
        label = f"{block.label}.{path}"
        place = self.scenario.span if self.scenario else block.span
        raise MissingInputError(at("M001", place, path=label, needed_by=asked))

    def _dated(self, block: Block, path: str) -> int | None:
        """The node of a dated quantity in the period that a path names, or today."""
        series = self.series(block, path)
        if series is None:
            return None
        split = parts(parse_path(path), series.attribute)
        if split is not None and split[1] is not None:
            return in_period(self, series, split[1])
        return on_day(self, series, self.day(f"{block.label}.{path}"))

    def _default(self, block: Block, path: str, attribute: Attribute, role: str) -> int:
        """The node of a default, under the path at which a scenario would state it."""
        kind = block.kind.name
        shown = path if kind == "scenario" else f"{role or kind}.{path}"
        return self.lowering.default(f"{kind}.{path}", attribute, shown)

    def resolve(self, path: Path, context: Block | None, file: str) -> int:
        """The node of a path as it is written inside `context`."""
        found = self.lookup.find(path, context, file)
        if isinstance(found, Unknown):
            raise MissingInputError(at("N003", self.where(), name=found.name, near=""))
        if found.sort == "top" and found.fact is not None:
            return self._top(found.fact, found.path)
        if found.sort == "metric" and found.scenario is not None:
            return self._of_scenario(found.scenario, found.path)
        if found.role and found.scenario is not None:
            return self._of_scenario(found.scenario, found.role)
        if found.sort == "quantity" and found.block is not None:
            if found.block.kind.name == "scenario":
                return self._of_scenario(found.block, found.path)
            return self.of_block(found.block, found.path)
        raise MissingInputError(at("N003", self.where(), name=str(path), near=""))

    def _top(self, fact: Fact, path: str) -> int:
        """The node of a `let` at the top, or of what the scenario has in its place."""
        key = f"\0{path}"
        if key not in self._nodes:
            self._prepare(("", path))
        if key not in self._nodes:
            own = self._overrides.get(("", path))
            context = None if own is None else self.scenario
            with self._guard(path):
                self._nodes[key] = self.lowering.fact(own or fact, None, context, path)
            name = path if own is None else f"{self.name}.{path}"
            self.builder.names.setdefault(name, self._nodes[key])
        return self._nodes[key]

    def _prepare(self, key: tuple[str, str]) -> None:
        """Build what a long chain of formulas rests on, so that nothing runs deep."""
        needs = self.lookup.needs
        order = list(needs.order(key, lambda one: "\0".join(one) in self._nodes))
        if len(order) <= _LONG_CHAIN:
            return
        for one in order[:-1]:
            block, fact = needs.block(one), needs.fact(one)
            try:
                if block is None and fact is not None:
                    self._top(fact, one[1])
                elif block is not None and fact is not None:
                    self.of_block(block, one[1])
            except MissingInputError:
                return  # it is told where it is needed, if it is

    def over_dates(
        self, what: str, path: Path, context: Block | None, file: str
    ) -> int | None:
        """The node of `sum` or `last` over dates; None if the quantity is not dated."""
        found = self.lookup.find(path, context, file)
        if isinstance(found, Unknown) or found.block is None:
            return None
        scope, block = self, found.block
        if found.role and found.scenario is not None:
            if self.scenario is None or found.scenario.name != self.scenario.name:
                scope = self.sibling(found.scenario)
            owner = scope._owner(parse_path(found.role))  # noqa: SLF001 (of this class)
            block = owner[0] if owner else block
        series = scope.series(block, found.path)
        if series is None:
            return None
        return summed(scope, series) if what == "sum" else latest(scope, series)

    def _of_scenario(self, scenario: Block, path: str) -> int:
        if self.scenario is not None and scenario.name == self.scenario.name:
            fact = scenario.facts.get(path)
            if fact is not None and fact.let:
                key = f"{scenario.name}\0{path}"
                if key not in self._nodes:
                    with self._guard(key.replace("\0", ".")):
                        self._nodes[key] = self.lowering.fact(
                            fact, None, scenario, path
                        )
                    name = self.full_name(path)
                    self.builder.names.setdefault(name, self._nodes[key])
                return self._nodes[key]
            return self[path]
        return self.sibling(scenario)._of_scenario(scenario, path)  # noqa: SLF001

    @functools.cached_property
    def pooled(self) -> bool:
        """Whether two pools share the service: one takes prompts in, one decodes."""
        return has_pools(self.scenario)

    def pool(self, name: str) -> "Scope":
        """The scope of a pool: the scenario as `prefill` or `decode` sees it."""
        if name not in self._pools:
            assert self.scenario is not None  # noqa: S101 (`pooled` was asked)
            block = pool_of(self.scenario, name)
            made = Scope(self.lookup, self.builder, block)
            made.pool_name = name
            self._pools[name] = made
        return self._pools[name]

    def sibling(self, scenario: Block) -> "Scope":
        """The scope of another scenario on the same graph, made once."""
        known = self.builder.scopes
        if scenario.name not in known:
            known[scenario.name] = Scope(self.lookup, self.builder, scenario)
        return known[scenario.name]

    # Building blocks for derivations.

    def apply(self, formula: Formula, **args: "str | float | Node") -> int:
        """A formula applied: to paths of this scenario, to numbers, or to nodes."""
        nodes = tuple(self._argument(args[name]) for name in formula.params)
        return self.builder.add(formula, nodes)

    def _argument(self, arg: "str | float | Node") -> int:
        if isinstance(arg, Node):
            return arg.id
        if isinstance(arg, str):
            return self[arg]
        return self.builder.constant(arg)

    def as_node(self, node: int) -> "Node":
        """A node as an argument of `apply`."""
        return Node(node)

    def assume(self, path: str, value: str, why: str, seen: str = "") -> int:
        """The node of a default that no attribute carries, marked as one.

        Args:
            path: Where a file would state it.
            value: The value in the language's spelling.
            why: Where it comes from.
            seen: The path at which this scenario would state it, if it is another.
        """
        low = value.partition(" to ")[0]
        unit_text = low.partition(" ")[2] or ("%" if low.endswith("%") else "1")
        made = Attribute(
            path, "quantity", path, unit_text, default=value, default_source=why
        )
        return self.lowering.default(path, made, seen or path)

    def fail(self, code: str, **args: object) -> MissingInputError:
        """An error to raise: a design that does not fit, an unmodelled structure."""
        unbound = self._unbound(str(args.get("path", ""))) if code == "M001" else None
        return MissingInputError(unbound or at(code, self.where(), facts=args))

    def expression(self, expr: Expr, name: str, file: str) -> int:
        """The node of an expression written at the top of a file."""
        return self.lowering.expression(expr, name, "1", None, file, ())

    def full_path(self, text: str) -> str | None:
        """A metric's path with its bare key filled in; None if there is no such."""
        entry = entry_of(self.lookup.table, parse_path(text))
        return entry[1] if entry else None


@attrs.frozen
class Node:
    """A node handed to `Scope.apply`, told apart from a plain number."""

    id: int
