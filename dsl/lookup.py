"""What a path means from where it is written.

The checker asks for the dimension, the engine for the quantity; both ask here, so a
path can never be checked as one thing and computed as another.

A path is read from inside a block first (its own attributes and `let`s), then, in a
scenario, through the roles that it binds and the quantities derived for it, then by
the names of blocks and of `let`s at the top.
"""

import functools
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import attrs

from isocost.dsl.document import Block, Document, Fact
from isocost.dsl.pools import has_pools, pool_of
from isocost.dsl.schema.base import Attribute
from isocost.dsl.schema.pools import POOLS
from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import Path, parse_path
from isocost.dsl.table import Entry, Table, entry_of
from isocost.dsl.units import PLAIN, Dim

if TYPE_CHECKING:
    from isocost.dsl.dependencies import Dependencies

#: Shorthands for what is in reach of a scenario through a role.
SHORTHANDS = {
    "chip": ("system", "chip"),
    "model": ("workload", "model"),
}
#: How many names are compared for suggestions, all paths of a document together.
_MOST_COMPARISONS = 60_000
ROLES = ("system", "fabric", "workload", "software", "site", "finance", "supply")


@attrs.frozen
class Target:
    """What a path leads to.

    `sort` is `quantity` (an attribute or a `let` of `block`), `metric` (an entry of
    the table for `scenario`), `top` (a `let` at the top) or `block`. `path` is the
    path inside `block`, or the metric's full path. `dim` is the dimension as seen from
    where the path was written; None where it is not known from the outside (a `let`).
    A quantity that was reached through a scenario has that `scenario`, whose overrides
    hold, and the `role` path that led there from it.
    """

    sort: str
    path: str
    block: Block | None = None
    attribute: Attribute | None = None
    fact: Fact | None = None
    entry: Entry | None = None
    scenario: Block | None = None
    outside: bool = False
    role: str = ""

    @property
    def scale_dim(self) -> Dim:
        """The countable by which the figure is divided when read from outside."""
        if self.outside and self.block is not None:
            return self.block.kind.count_dim
        return PLAIN


@attrs.frozen
class Unknown:
    """A path that leads nowhere: the name that is not known.

    `nearest` finds the names that it may have been meant for, which costs more than
    all the rest: many who ask for a path can do without it, and never ask.

    One that is `told` leads to something whose own mistake has been reported. With
    `candidates` or `rivals` it leads to several: paths in full, or the blocks that
    share the name it begins with.
    """

    name: str
    nearest: Callable[[], tuple[str, ...]] = attrs.field(default=tuple, eq=False)
    role: str = ""
    told: bool = False
    candidates: tuple[str, ...] = ()
    rivals: tuple[Block, ...] = ()

    @functools.cached_property
    def near(self) -> tuple[str, ...]:
        """The nearest names, the best first."""
        return self.nearest()


Found = Target | Unknown


def _through(block: Block, path: Path, found: Found | None) -> Found | None:
    """A find that keeps the scenario through which it was reached."""
    if block.kind.name != "scenario" or not isinstance(found, Target):
        return found
    if found.sort != "quantity":
        return found
    return attrs.evolve(found, scenario=block, role=str(path))


class Lookup:
    """Lookups in one document against one table of derived quantities."""

    def __init__(self, document: Document, table: Table) -> None:
        self.document = document
        self.table = table
        self._suggestions: dict[tuple[str, int], tuple[str, ...]] = {}
        self._budget = _MOST_COMPARISONS
        self._lack: dict[str, bool] = {}

    def _nearest(self, name: str, names: Collection[str]) -> tuple[str, ...]:
        """The nearest names; none any more once a file has asked for very many."""
        key = (name, len(names))
        if key not in self._suggestions:
            self._budget -= len(names)
            near = nearest(name, names) if self._budget > 0 else ()
            self._suggestions[key] = near
        return self._suggestions[key]

    @functools.cached_property
    def needs(self) -> "Dependencies":
        """Which statements need which."""
        from isocost.dsl.dependencies import Dependencies

        return Dependencies(self)

    def find(self, path: Path, block: Block | None, file: str = "") -> Found:
        """What `path` means inside `block` (None: at the top of a file)."""
        if not path.parts:
            return Unknown("")
        if block is not None:
            found = self._inside(path, block, outside=False)
            if found is not None:
                return self._known(found, block)
        found = self._top(path, block, file or (block.file if block else ""))
        return self._known(found, block)

    def _known(self, found: Found, block: Block | None) -> Found:
        """A block whose base is not there may lack anything, which is told."""
        lacking = block is not None and _written(block) in self.document.unread
        if lacking and isinstance(found, Unknown):
            return attrs.evolve(found, told=True)
        return found

    def _top(self, path: Path, context: Block | None, file: str) -> Found:
        let = self.document.lets.get(str(path))
        if let is not None:
            return Target("top", str(path), fact=let)
        for size in range(len(path.parts), 0, -1):
            name = ".".join(str(part) for part in path.parts[:size])
            blocks = self.document.named(name, file)
            if not blocks:
                continue
            rest = Path(path.parts[size:])
            if not rest.parts:
                return Target("block", name, block=blocks[0])
            return self._within(path, rest, blocks)
        told = self.document.excused(str(path))
        return Unknown(
            str(path), functools.partial(self._near, path, context), told=told
        )

    def _within(self, path: Path, rest: Path, blocks: tuple[Block, ...]) -> Found:
        """What the rest of a path means in the one of some blocks that has it."""
        found = [self._inside(rest, block, outside=True) for block in blocks]
        right = [one for one in found if isinstance(one, Target)]
        if len(right) > 1:
            pairs = zip(blocks, found, strict=True)
            rivals = tuple(b for b, one in pairs if isinstance(one, Target))
            return Unknown(str(path), rivals=rivals)
        if right:
            return right[0]
        unknown = [one for one in found if isinstance(one, Unknown)]
        told = [one for one in unknown if one.told]
        return next(iter((*told, *unknown)), self._unknown_member(rest, blocks[0]))

    def _inside(self, path: Path, block: Block, *, outside: bool) -> Found | None:
        text = str(path)
        fact = block.facts.get(text)
        attribute = block.kind.find(path)
        named = fact is not None and (fact.let or fact.attribute is not None)
        if named or attribute is not None:
            return Target(
                "quantity",
                text,
                block=block,
                attribute=attribute,
                fact=fact,
                outside=outside,
            )
        for size in range(len(path.parts) - 1, 0, -1):
            inner = self.reference(block, Path(path.parts[:size]))
            if inner is not None:
                rest = Path(path.parts[size:])
                found = self._inside(rest, inner, outside=True)
                return _through(block, path, found) or self._unknown_member(rest, inner)
            if self._broken(block, Path(path.parts[:size])):
                return Unknown(str(path), told=True)
        if block.kind.name == "scenario":
            return self._of_scenario(path, block)
        return None

    def lacking(self, scenario: Block) -> bool:
        """Whether a role may be lost: to a base that is not there, or misspelt."""
        if scenario.name not in self._lack:
            unknown = (
                fact.path.head
                for fact in scenario.facts.values()
                if fact.attribute is None and not fact.let and len(fact.path.parts) == 1
            )
            self._lack[scenario.name] = _written(
                scenario
            ) in self.document.unread or any(
                near in ROLES
                for name in unknown
                if entry_of(self.table, parse_path(name)) is None
                for near in nearest(name, ROLES)[:1]
            )
        return self._lack[scenario.name]

    def _of_scenario(self, path: Path, scenario: Block) -> Found | None:
        bound = SHORTHANDS.get(path.head, (path.head,))[0]
        if bound in (*ROLES, "link") and len(path.parts) > 1:
            unbound = bound == "link" or bound not in scenario.facts
            if unbound and self.lacking(scenario):
                return Unknown(str(path), told=True)
        if path.head in SHORTHANDS and not path.parts[0].keys:
            role, name = SHORTHANDS[path.head]
            owner = self.reference(scenario, parse_path(role))
            inner = self.reference(owner, parse_path(name)) if owner else None
            broken = self._broken(scenario, parse_path(role)) or (
                owner is not None and self._broken(owner, parse_path(name))
            )
            if broken:
                return Unknown(str(path), told=True)
            if inner is not None and len(path.parts) > 1:
                found = self._inside(path.rest, inner, outside=True)
                found = _through(scenario, path, found)
                return found or self._unknown_member(path.rest, inner)
            if owner is not None and self.document.find(path.head) is None:
                return self._inside(
                    parse_path(f"{role}.{name}"), scenario, outside=False
                )
        if path.head == "link" and len(path.parts) > 1:
            link = self._link(path, scenario)
            if link is not None:
                return link
        entry = entry_of(self.table, path)
        if entry is not None:
            return Target("metric", entry[1], entry=entry[0], scenario=scenario)
        keyed = self.table.get(path.pattern)
        if keyed is not None:
            return self._wrong_key(path, keyed)
        if path.head in POOLS and len(path.parts) > 1 and has_pools(scenario):
            return self._inside(path.rest, pool_of(scenario, path.head), outside=False)
        if path.head in (*ROLES, *SHORTHANDS) and self.document.find(path.head) is None:
            return Unknown(path.head, role=path.head)
        return None

    def _link(self, path: Path, scenario: Block) -> Found | None:
        """What `link.X` means: the link of the topology, where there is only one."""
        system = self.reference(scenario, parse_path("system"))
        if system is None or self.document.find("link") is not None:
            return None
        roles = {
            link.name: role
            for role, fact in reversed(list(system.facts.items()))
            if fact.path.pattern == "topology.link[]"
            and (link := self.reference(system, fact.path)) is not None
        }
        full = [parse_path(f"system.{role}.{path.rest}") for role in roles.values()]
        if len(full) > 1:
            texts = tuple(str(one) for one in reversed(full))
            return Unknown(str(path), candidates=texts)
        return self._inside(full[0], scenario, outside=False) if full else None

    def _wrong_key(self, path: Path, entry: Entry) -> Unknown:
        """A quantity with a key that it does not have."""
        wrong = next((k for k in path.keys if k not in entry.keys), path.keys[-1])

        def near() -> tuple[str, ...]:
            keys = nearest(wrong, entry.keys) or entry.keys
            return tuple(entry.path.replace("[]", f"[{k}]") for k in keys)

        return Unknown(str(path), near)

    def reference(self, block: Block, path: Path) -> Block | None:
        """The block that an attribute of `block` names; None if it names none."""
        attribute = block.kind.attributes.get(path.pattern)
        fact = block.facts.get(str(path))
        if attribute is None or attribute.sort != "block" or fact is None:
            return None
        if fact.expr.op != "path":
            return None
        return self.document.find(str(fact.expr.value), fact.file, attribute.of)

    def _broken(self, block: Block, path: Path) -> bool:
        """Whether a reference is stated and leads to no block, which is reported."""
        attribute = block.kind.attributes.get(path.pattern)
        stated = attribute is not None and str(path) in block.facts
        return (
            stated
            and attribute is not None
            and attribute.sort == "block"
            and self.reference(block, path) is None
        )

    def _unknown_member(self, path: Path, block: Block) -> Unknown:
        def near() -> tuple[str, ...]:
            names = [*block.kind.attributes, *self._known_paths(block)]
            if block.kind.name == "scenario":
                names += [*_bare(self.table), *ROLES, *SHORTHANDS]
            return self._nearest(path.pattern, names)

        return Unknown(str(path), near, told=_written(block) in self.document.unread)

    def _near(self, path: Path, context: Block | None) -> tuple[str, ...]:
        names = [b.label for b in self.document.blocks.values()]
        names += self.document.lets
        if context is not None:
            names += [*context.kind.attributes, *self._known_paths(context)]
            if context.kind.name == "scenario":
                names += [*_bare(self.table), *ROLES, *SHORTHANDS]
        if len(path.parts) == 1:
            return self._nearest(str(path), names)
        heads = self._nearest(path.head, [name for name in names if "." not in name])
        mended = [f"{head}.{path.rest}" for head in heads]
        file = context.file if context else ""
        there = [
            text
            for text in mended
            if isinstance(self.find(parse_path(text), context, file), Target)
        ]
        return self._nearest(str(path), [*there, *names]) or tuple(mended)

    def _known_paths(self, block: Block) -> list[str]:
        """What a block states of what there is: no misspelt override of a scenario."""
        known = (*ROLES, *SHORTHANDS, *POOLS, "link")
        return [
            text
            for text, fact in block.facts.items()
            if fact.let
            or fact.attribute is not None
            or fact.path.head in known
            or self.document.find(fact.path.head) is not None
        ]


def _written(block: Block) -> str:
    """The name under which a file states a block that is one of several."""
    return (block.written or block).name


def _bare(table: Table) -> list[str]:
    """The names of derived quantities as one writes them without a key."""
    return [path.removesuffix("[]") for path in table]
