"""Loaded files to one resolved document: names, `extends`, lists of roles.

Members are sorted into facts by path; a base block's facts are taken whole where the
block does not restate them. What cannot be resolved is reported and left out, so
that the rest can still be checked.
"""

import itertools
import math
from collections.abc import Iterable

import attrs

from isocost.dsl.diagnostics import Diagnostic, Label, at
from isocost.dsl.document import APART, Block, Condition, Document, Fact
from isocost.dsl.expectations import of_header, schema_words
from isocost.dsl.expr import Expr
from isocost.dsl.load import SHIPPED, Loaded
from isocost.dsl.namesakes import plain_kinds
from isocost.dsl.schema import KINDS
from isocost.dsl.schema.base import Attribute, Kind
from isocost.dsl.spans import Span
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import Block as BlockNode
from isocost.dsl.syntax import File, Member, Name, Statement, UnitDecl, parse_path
from isocost.dsl.units import Dim, Unit, UnitProblem, dim, parse_unit

#: Bounds on what a small text can blow up to.
MOST_FACTS = 1_000_000
MOST_SCENARIOS = 1_000
#: So many of the further places of a ring are shown.
_MOST_LABELS = 3


class _Resolver:
    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.diagnostics: list[Diagnostic] = list(loaded.diagnostics)
        self.nodes: dict[str, tuple[BlockNode, str]] = {}
        self.blocks: dict[str, Block] = {}
        self.lets: dict[str, Fact] = {}
        self.conditions: list[Condition] = []
        self.units: dict[str, Dim] = {}
        self.plain: dict[str, str] = {}
        self.room = MOST_FACTS
        self.unread = set(loaded.lost)
        if any(map(_nameless, loaded.diagnostics)):
            self.unread.add("")

    def report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)

    def run(self) -> Document:
        self.plain = plain_kinds(self._blocks_stated())
        for file in self.loaded.files.values():
            self._declare(file)
        for name in self.nodes:
            self._block(name)
        expanded: dict[str, Block] = {}
        for block in self.blocks.values():
            size = math.prod(len(fact.expr.args) for fact in lists_of(block))
            if size > MOST_SCENARIOS:
                what = f"scenarios in one block, this makes {size:_}"
                self.report(at("R010", block.span, what=what, limit=MOST_SCENARIOS))
                self.unread.add(block.name)
                continue
            for one in expand(block):
                expanded[one.name] = one
        sources = {
            n.partition(" ")[2]: b
            for n, b in expanded.items()
            if b.kind.name == "source"
        }
        rest = {n: b for n, b in expanded.items() if b.kind.name != "source"}
        document = Document(
            self.loaded.main,
            self.loaded.files,
            rest,
            sources,
            self.lets,
            tuple(self.conditions),
            self.units,
            self.loaded.aliases,
        )
        return attrs.evolve(
            document,
            diagnostics=tuple(self.diagnostics),
            unread=frozenset(self.unread),
            project=self.loaded.project,
        )

    def _blocks_stated(self) -> Iterable[tuple[str, str]]:
        """The name and the kind of every block, as other files write them."""
        for file in self.loaded.files.values():
            alias = self.loaded.aliases.get(file.name)
            for item in file.items:
                if isinstance(item, BlockNode) and item.kind.text in KINDS:
                    yield _in(alias, item.name.text), item.kind.text

    def _key(self, kind: str, name: str) -> str:
        """The name under which a block is kept: with its kind where it needs one."""
        apart = kind in APART or self.plain.get(name, kind) != kind
        return f"{kind} {name}" if apart else name

    def _declare(self, file: File) -> None:
        alias = self.loaded.aliases.get(file.name)
        for item in file.items:
            if isinstance(item, UnitDecl):
                self.units[item.name.text] = dim({item.name.text: 1})
        for item in file.items:
            if isinstance(item, BlockNode):
                self._declare_block(item, file.name, alias)
            elif isinstance(item, Member):
                self._top_let(item, file.name)
            elif isinstance(item, Statement) and not self._foreign(file.name):
                self._condition(item, file.name)

    def _foreign(self, file: str) -> bool:
        """Whether a file is a shipped one that was imported.

        The catalogue's checks are its own: they hold before it is shipped, and must
        not number, slow down or fail the documents that import it.
        """
        return file.startswith(SHIPPED) and file != self.loaded.main

    def _declare_block(self, node: BlockNode, file: str, alias: str | None) -> None:
        if node.kind.text not in KINDS:
            near = nearest(node.kind.text, KINDS)
            self.report(
                at("N001", node.kind.span, name=node.kind.text, near=", ".join(near))
            )
            self.unread.add(node.name.text)
            return
        apart = node.kind.text in APART
        full = node.name.text if apart else _in(alias, node.name.text)
        name = self._key(node.kind.text, full)
        if name in self.nodes:
            first = self.nodes[name][0].name.span
            also = (Label(first, "first stated here"),)
            facts = {"kind": node.kind.text, "name": full}
            self.report(at("N005", node.name.span, also=also, facts=facts))
            self.unread.add(name)  # nobody knows which of the two is meant
            return
        self.nodes[name] = (node, file)

    def _top_let(self, member: Member, file: str) -> None:
        name = str(member.path)
        if name in self.lets:
            also = (Label(self.lets[name].path_span, "first stated here"),)
            self.report(at("N006", member.path_span, also=also, name=name))
            return
        self.lets[name] = self._fact(member, None, "", file)

    def _condition(self, node: Statement, file: str) -> None:
        number = 1 + sum(1 for c in self.conditions if c.kind == node.kind)
        share = node.share.value.base if node.share is not None else None
        self.conditions.append(
            Condition(
                node.kind,
                number,
                self._units_in(node.condition),
                share,
                node.why,
                node.cites,
                node.condition.span or node.span,
                file,
                node.doc,
            )
        )

    def _block(self, name: str) -> None:
        """Resolve a block after its base, and that after its own."""
        chain: dict[str, str | None] = {}
        current: str | None = name
        while current is not None and current not in self.blocks:
            if current in chain:
                self._ring(current, list(chain))
                chain[next(reversed(chain))] = None
                break
            chain[current] = self._base(current)
            current = chain[current]
        for one in reversed(chain):
            base = self.blocks.get(chain[one] or "")
            self.blocks[one] = self._made(one, base)

    def _ring(self, name: str, chain: list[str]) -> None:
        names = chain[chain.index(name) :]
        node = self.nodes[names[0]][0]
        where = node.base.span if node.base else node.name.span
        ring = " → ".join((*names, name))
        others = [self.nodes[one][0].base for one in names[1 : 1 + _MOST_LABELS]]
        also = [Label(base.span, "extended here") for base in others if base]
        self.report(at("R003", where, also=also, name=name, ring=ring))

    def _made(self, name: str, base: Block | None) -> Block:
        node, file = self.nodes[name]
        kind = KINDS[node.kind.text]
        own = self._members(node, kind, name, file)
        own = {p: self._as_written(f, kind.name) for p, f in own.items()}
        inherited = base.facts if base else {}
        self.room -= len(inherited)
        if self.room < 0:
            if self.room + len(inherited) >= 0:
                what = "facts, those that blocks inherit among them"
                self.report(at("R010", node.name.span, what=what, limit=MOST_FACTS))
            inherited = {}
        return Block(
            name=name,
            kind=kind,
            facts={**inherited, **own},
            span=node.name.span,
            file=file,
            base=base.name if base else None,
            own=frozenset(own),
            title=node.title,
            doc=node.doc,
        )

    def _as_written(self, fact: Fact, kind: str) -> Fact:
        """A statement of a block that shares its name, under the name as written."""
        if kind in APART or not fact.owner.startswith(f"{kind} "):
            return fact
        name = fact.owner.removeprefix(f"{kind} ")
        plain, _ = self.nodes[name]
        taken = any(member.path == fact.path for member in plain.members)
        return fact if taken else attrs.evolve(fact, line=f"{name}.{fact.path}")

    def _base(self, block: str) -> str | None:
        """The name of the block that a block extends, if there is one of its kind."""
        node, file = self.nodes[block]
        kind = KINDS[node.kind.text]
        if node.base is None:
            return None
        wanted = node.base.text
        alias = self.loaded.aliases.get(file)
        name = self._key(kind.name, _in(alias, wanted))
        if name not in self.nodes:
            name = self._key(kind.name, wanted)
        if name not in self.nodes and wanted in self.nodes:
            name = wanted
        if name not in self.nodes and self.unread & {"", name}:
            return None
        if name not in self.nodes:
            same = [
                n.removeprefix(f"{kind.name} ")
                for n, (b, _) in self.nodes.items()
                if b.kind.text == kind.name
            ]
            near = ", ".join(nearest(wanted, same))
            self.report(at("N003", node.base.span, name=node.base.text, near=near))
            self.unread.add(block)
            return None
        other = self.nodes[name][0]
        found = other.kind.text
        if found != kind.name:
            args = {"name": node.base.text, "expected": kind.name, "found": found}
            also = of_header(other.name.span, found)
            self.report(at("R004", node.base.span, also=also, facts=args))
            return None
        return name

    def _members(
        self, node: BlockNode, kind: Kind, name: str, file: str
    ) -> dict[str, Fact]:
        facts: dict[str, Fact] = {}
        for member in numbered(node.members):
            text = str(member.path)
            attribute = None if member.let else kind.attributes.get(member.path.pattern)
            if attribute is None and not member.let and kind.name != "scenario":
                self._unknown(member, kind)
                continue
            if text in facts:
                also = (Label(facts[text].path_span, "first stated here"),)
                self.report(at("N006", member.path_span, also=also, name=text))
                continue
            facts[text] = self._fact(member, attribute, name, file)
        return facts

    def _unknown(self, member: Member, kind: Kind) -> None:
        keyed, bare = member.path.pattern, member.path.pattern.replace("[]", "")
        close = [
            a for a in kind.attributes.values() if a.path.replace("[]", "") == bare
        ]
        if close and close[0].path != keyed:
            keys = ", ".join(close[0].keys[:4])
            args = {"name": str(member.path), "keys": keys, "path": close[0].path}
            words = schema_words(close[0])
            self.report(at("N009", member.path_span, label=words, facts=args))
            return
        near = nearest(keyed, kind.attributes)
        args = {"kind": kind.name, "name": str(member.path), "near": ", ".join(near)}
        self.report(at("N002", member.path_span, facts=args))

    def _fact(
        self, member: Member, attribute: Attribute | None, owner: str, file: str
    ) -> Fact:
        return Fact(
            path=member.path,
            attribute=attribute,
            expr=self._units_in(member.value),
            formula=member.formula,
            unit=self._unit(member.unit) if member.unit else None,
            cites=member.cites,
            doc=member.doc,
            span=member.span,
            path_span=member.path_span,
            owner=owner,
            file=file,
            let=member.let,
            why=member.why,
            unit_span=member.unit.span if member.unit else None,
        )

    def _unit(self, name: Name) -> Unit | None:
        found = parse_unit(name.text, self.units)
        if isinstance(found, UnitProblem):
            self.report(unit_problem(found, name))
            return None
        return found

    def _units_in(self, expr: Expr) -> Expr:
        """The tree with every unit known; the file's own units are met only here."""
        if not any(
            e.op == "literal" and isinstance(e.value.unit, UnitProblem)
            for e in expr.walk()
        ):
            return expr
        return expr.map(self._known_unit)

    def _known_unit(self, expr: Expr) -> Expr:
        if expr.op != "literal" or not isinstance(expr.value.unit, UnitProblem):
            return expr
        written = expr.value.text
        bare = written.split()[-1].lstrip("0123456789._kMGT%")
        text = written.rpartition(" ")[2] if " " in written else bare
        found = parse_unit(text or bare, self.units)
        if isinstance(found, UnitProblem):
            assert expr.span is not None  # noqa: S101 (parsed)
            end = expr.span.end
            start = max(expr.span.start, end - len(text))
            place = Span(expr.span.file, start, end)
            self.report(unit_problem(found, Name(text, place)))
            return attrs.evolve(expr, op="unreadable")
        return attrs.evolve(expr, value=attrs.evolve(expr.value, unit=found))


def _nameless(diagnostic: Diagnostic) -> bool:
    """Whether a block has no name, so that any unknown name may be its own."""
    facts = diagnostic.args
    lost = facts.get("hint") == "block-name" or facts.get("expected") == "name"
    return diagnostic.code == "S001" and lost


def _in(alias: str | None, name: str) -> str:
    """A block's name as other files write it."""
    return f"{alias}.{name}" if alias else name


def numbered(members: Iterable[Member]) -> Iterable[Member]:
    """The members of a block, each `deny` with its number as its key."""
    count = 0
    for member in members:
        if member.deny:
            count += 1
            path = parse_path(f"deny[{count}]")
            yield attrs.evolve(member, path=path)
        else:
            yield member


def unit_problem(problem: UnitProblem, name: Name) -> Diagnostic:
    """The diagnostic for a text that is no unit."""
    readings = ", ".join(problem.readings)
    if problem.kind == "ambiguous":
        return at("U003", name.span, unit=problem.part, readings=readings)
    return at("U001", name.span, unit=problem.part, near=readings)


def lists_of(block: Block) -> list[Fact]:
    """The lists that a scenario binds to roles."""
    if block.kind.name != "scenario":
        return []
    return [
        fact
        for fact in block.facts.values()
        if fact.attribute is not None
        and fact.attribute.sort == "block"
        and fact.expr.op == "list"
    ]


def expand(block: Block) -> Iterable[Block]:
    """A scenario with lists bound to roles as one scenario each: `cheap[hydro]`."""
    lists = lists_of(block)
    if not all(fact.expr.args for fact in lists) or not lists:
        return [block]
    out = []
    for chosen in itertools.product(*(fact.expr.args for fact in lists)):
        facts = dict(block.facts)
        for fact, value in zip(lists, chosen, strict=True):
            facts[str(fact.path)] = attrs.evolve(fact, expr=value)
        names = ", ".join(str(value.value) for value in chosen)
        name = f"{block.name}[{names}]"
        out.append(attrs.evolve(block, name=name, facts=facts, written=block))
    return out


def resolve(loaded: Loaded) -> Document:
    """One document from loaded files; mistakes are in its `diagnostics`."""
    return _Resolver(loaded).run()


def with_units(document: Document, expr: Expr) -> tuple[Expr, list[Diagnostic]]:
    """A formula from a command line, its literals in a document's units.

    Args:
        document: Whose own units hold.
        expr: The formula as it was read.

    Returns:
        The formula, and what is wrong with its units.
    """
    run = _Resolver(Loaded(document.file, {}, {}, []))
    run.units = dict(document.units)
    return run._units_in(expr), run.diagnostics  # noqa: SLF001 (same module)


def resolve_members(
    document: Document, block: Block, members: Iterable[Member], file: str
) -> tuple[dict[str, Fact], list[Diagnostic]]:
    """Facts of further members of a resolved block, as if its file stated them.

    Args:
        document: Whose units hold.
        block: The block that they are members of.
        members: What is stated.
        file: Where, for messages.
    """
    run = _Resolver(Loaded(document.file, {}, {}, []))
    run.units = dict(document.units)
    facts: dict[str, Fact] = {}
    for member in members:
        attribute = block.kind.attributes.get(member.path.pattern)
        made = run._fact(member, attribute, block.name, file)  # noqa: SLF001 (same module)
        facts[str(member.path)] = made
    return facts, run.diagnostics
