"""A resolved document: blocks with all their facts, base blocks folded in.

Produced by `resolve`, read by the checker, the engine, the diff and the reports.
"""

import functools
from collections.abc import Collection, Iterator, Mapping

import attrs

from isocost.dsl.diagnostics import Diagnostic
from isocost.dsl.expr import Expr
from isocost.dsl.project import Project
from isocost.dsl.schema.base import Attribute, Kind
from isocost.dsl.spans import Span
from isocost.dsl.syntax import CiteRef, File, Path
from isocost.dsl.units import Dim, Unit

#: Kinds that no path leads to: their names may repeat those of other blocks.
APART = {"source", "report", "policy", "fleet"}


@attrs.frozen
class Fact:
    """One statement about one path of a block.

    `owner` is the block whose text states it: a derived block that inherits the fact
    shares its `origin`, and so its draws. `attribute` is None for a `let` and for a
    scenario's override. `line` is the origin of a block that shares its name, as if it
    did not, so that a namesake added elsewhere moves no draw. `unit_span` is where
    `in UNIT` names the unit.
    """

    path: Path
    attribute: Attribute | None
    expr: Expr
    formula: bool
    unit: Unit | None
    cites: tuple[CiteRef, ...]
    doc: str
    span: Span
    path_span: Span
    owner: str
    file: str
    let: bool = False
    why: str = ""
    line: str = ""
    unit_span: Span | None = None

    @property
    def origin(self) -> str:
        """The path of the statement itself, the identity of an uncertain input."""
        if self.line:
            return self.line
        return f"{self.owner}.{self.path}" if self.owner else str(self.path)

    @property
    def assumed(self) -> bool:
        """Whether it is marked as an assumption."""
        return any(cite.assumed for cite in self.cites)


@attrs.frozen
class Block:
    """One block with its own and its inherited facts, by path text.

    `written` is the block as its file states it, where a list of roles made this one
    of several.
    """

    name: str
    kind: Kind
    facts: Mapping[str, Fact]
    span: Span
    file: str
    base: str | None = None
    own: frozenset[str] = frozenset()
    title: str = ""
    doc: str = ""
    written: "Block | None" = attrs.field(default=None, repr=False)

    @property
    def label(self) -> str:
        """The name as the file writes it."""
        return self.name.removeprefix(f"{self.kind.name} ")

    def keys_of(self, pattern: str) -> list[str]:
        """The keys stated for a keyed attribute, in the file's order, each once."""
        found = [
            fact.path.keys[0]
            for fact in self.facts.values()
            if fact.path.pattern == pattern
        ]
        return list(dict.fromkeys(found))


@attrs.frozen
class Condition:
    """A `check` or a `claim`, numbered in the order of the file."""

    kind: str
    number: int
    expr: Expr
    share: float | None
    why: str
    cites: tuple[CiteRef, ...]
    span: Span
    file: str
    doc: str = ""

    @property
    def name(self) -> str:
        """`check 1`, `claim 3`."""
        return f"{self.kind} {self.number}"


@attrs.frozen
class Document:
    """Everything that one file and its imports say."""

    file: str
    files: Mapping[str, File]
    blocks: Mapping[str, Block]
    sources: Mapping[str, Block]
    lets: Mapping[str, Fact]
    conditions: tuple[Condition, ...]
    units: Mapping[str, Dim]
    aliases: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...] = ()
    unread: frozenset[str] = frozenset()
    project: Project | None = None

    def excused(self, name: str) -> bool:
        """Whether an unknown name may be what a reported mistake has hidden.

        `unread` holds the names of blocks that could not be read and the aliases of
        files that are not there; an empty one stands for a file without an alias.
        """
        head = name.partition(".")[0].partition("[")[0]
        return bool(self.unread & {"", name, head})

    def find(
        self, name: str, file: str = "", kinds: Collection[str] = ()
    ) -> Block | None:
        """The block that a name means inside a file (aliased files see their own).

        Args:
            name: What is written.
            file: Where it is written.
            kinds: The kinds that are meant there, where blocks of several share the
                name; the first of them all if none of these has it.
        """
        found = self.named(name, file)
        right = (block for block in found if block.kind.name in kinds)
        return next(right, found[0] if found else None)

    def named(self, name: str, file: str = "") -> tuple[Block, ...]:
        """All blocks that a name may mean inside a file, at most one of a kind."""
        alias = self.aliases.get(file)
        if alias is not None:
            own = self._named(f"{alias}.{name}")
            if own:
                return own
        return self._named(name)

    def _named(self, name: str) -> tuple[Block, ...]:
        plain = self.blocks.get(name)
        rest = self._sharing.get(name, ())
        return rest if plain is None else (plain, *rest)

    @property
    def shares_names(self) -> bool:
        """Whether blocks of different kinds have one name."""
        return bool(self._sharing)

    @functools.cached_property
    def _sharing(self) -> Mapping[str, tuple[Block, ...]]:
        """The blocks that are not kept under their plain names, by these."""
        out: dict[str, tuple[Block, ...]] = {}
        for key, block in self.blocks.items():
            if key != block.label and block.kind.name not in APART:
                out[block.label] = (*out.get(block.label, ()), block)
        return out

    def of_kind(self, kind: str) -> Iterator[Block]:
        """The blocks of a kind, in the order of the files."""
        return (block for block in self.blocks.values() if block.kind.name == kind)

    @property
    def sources_text(self) -> dict[str, str]:
        """The text of each file by its name, for rendering diagnostics."""
        texts = {name: file.text for name, file in self.files.items()}
        if self.project is not None:
            texts[self.project.file] = self.project.text
        return texts

    @property
    def scenarios(self) -> list[Block]:
        """The scenarios that the main file states, else all there are."""
        found = list(self.of_kind("scenario"))
        return [block for block in found if block.file == self.file] or found
