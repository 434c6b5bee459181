"""Which scenarios rest on a changed statement: through roles, references and bases."""

from collections import Counter
from collections.abc import Iterable, Iterator

import attrs

from isocost.dsl.changes import Change, Diff
from isocost.dsl.correlate import members
from isocost.dsl.document import Block, Document, Fact
from isocost.dsl.expr import Expr
from isocost.dsl.lookup import Lookup, Target

#: The owner and the path of a statement.
Statement = tuple[str, str]


class Reach:
    """The statements that each scenario of a document rests on."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.lookup = Lookup(document, {})
        self.scenarios: dict[Statement, list[str]] = {}
        self.blocks: dict[str, list[str]] = {}
        self._named: dict[tuple[str, str], tuple[Block | Fact, ...]] = {}
        for scenario in document.of_kind("scenario"):
            self._follow(scenario)
        for block in document.of_kind("correlation"):
            self._go_together(block)

    def _follow(self, scenario: Block) -> None:
        hidden = self._overridden(scenario)
        seen: set[str] = set()
        words: set[str] = set()
        lines: list[Fact] = []
        waiting: list[Block | Fact] = [scenario]
        while waiting or lines:
            if not waiting:
                used = [one for one in lines if self._is_used(one, seen, words)]
                lines = [one for one in lines if one not in used]
                waiting = [*used]
                if not used:
                    break
            found = waiting.pop()
            key = found.origin if isinstance(found, Fact) else f"\0{found.name}"
            if key in seen:
                continue
            seen.add(key)
            if isinstance(found, Block):
                self._note_block(found, scenario.name)
                facts = self._facts(found, hidden)
                lines += [one for one in facts if _of_a_part(found, one)]
                facts = [one for one in facts if not _of_a_part(found, one)]
            else:
                facts = [found]
            for fact in facts:
                words |= _keys_in(fact.expr)
                names = self.scenarios.setdefault((fact.owner, str(fact.path)), [])
                if not names or names[-1] != scenario.name:
                    names.append(scenario.name)
                waiting.extend(self._mentioned(fact.expr, fact.file))

    def _is_used(self, line: Fact, seen: set[str], words: set[str]) -> bool:
        """Whether a line of a price book is of a block that a scenario rests on.

        Or of one that a formula names by the line's key.
        """
        key = line.path.keys[0]
        if key in words:
            return True
        names = [block.name for block in self.document.named(key, line.file)]
        return any(
            f"\0{name}" in seen or any(self._rests(one, name) for one in seen)
            for name in names
        )

    def _rests(self, key: str, name: str) -> bool:
        """Whether a block that was seen extends one of some name."""
        block = self.document.blocks.get(key[1:]) if key[:1] == "\0" else None
        passed: set[str] = set()
        while block is not None and block.base and block.name not in passed:
            if block.base == name:
                return True
            passed.add(block.name)
            block = self.document.blocks.get(block.base)
        return False

    def _go_together(self, block: Block) -> None:
        """A correlation reaches what rests on two of its inputs or more."""
        keys = [(one.owner, str(one.path)) for one in members(block, self.lookup)]
        names = [name for key in keys for name in self.scenarios.get(key, ())]
        reached = [name for name, times in Counter(names).items() if times > 1]
        self.blocks[block.name] = reached
        for fact in block.facts.values():
            self.scenarios[fact.owner, str(fact.path)] = reached

    def _note_block(self, block: Block, scenario: str) -> None:
        name: str | None = (block.written or block).name
        seen: set[str] = set()
        while name is not None and name not in seen:
            seen.add(name)
            names = self.blocks.setdefault(name, [])
            if not names or names[-1] != scenario:
                names.append(scenario)
            base = self.document.blocks.get(name)
            name = base.base if base is not None else block.base

    def _facts(self, block: Block, hidden: set[Statement]) -> list[Fact]:
        return [f for p, f in block.facts.items() if (block.name, p) not in hidden]

    def _overridden(self, scenario: Block) -> set[Statement]:
        """The statements that a scenario's own lines replace."""
        out: set[Statement] = set()
        for fact in scenario.facts.values():
            if fact.attribute is not None or fact.let:
                continue
            found = self.lookup.find(fact.path, scenario, fact.file)
            if isinstance(found, Target) and found.block is not None:
                out.add((found.block.name, found.path))
        return out

    def _mentioned(self, expr: Expr, file: str) -> Iterator[Block | Fact]:
        for part in expr.walk():
            if part.op == "path":
                key = (str(part.value), file)
                if key not in self._named:
                    self._named[key] = self._find(part, file)
                yield from self._named[key]

    def _find(self, part: Expr, file: str) -> tuple[Block | Fact, ...]:
        let = self.document.lets.get(str(part.value))
        if let is not None:
            return (let,)
        for size in range(len(part.value.parts), 0, -1):
            name = ".".join(map(str, part.value.parts[:size]))
            found = self.document.named(name, file)
            if found:
                return found
        return ()


def _of_a_part(block: Block, fact: Fact) -> bool:
    """Whether a line of a price book is the price or the rent of a named part."""
    attribute = fact.attribute
    if block.kind.name != "finance" or attribute is None or not attribute.keys:
        return False
    return attribute.keys[0].startswith("<") and bool(fact.path.keys)


def _keys_in(expr: Expr) -> set[str]:
    """The keys of all paths in an expression."""
    paths = (part.value for part in expr.walk() if part.op == "path")
    return {str(key) for path in paths for part in path.parts for key in part.keys}


def with_reach(changes: Diff, old: Document, new: Document) -> Diff:
    """The changes with the scenarios that each reaches, on either side."""
    before, after = Reach(old), Reach(new)
    back = {new_name: name for name, new_name in changes.renamed.items()}
    order = [b.name for d in (new, old) for b in d.of_kind("scenario")]
    rank = {name: i for i, name in reversed(list(enumerate(order)))}
    made = []
    for change in changes.changes:
        found = {*_reached(change, after)}
        found |= {changes.renamed.get(n, n) for n in _reached(change, before, back)}
        names = sorted(found, key=lambda name: (rank.get(name, len(rank)), name))
        made.append(attrs.evolve(change, reaches=tuple(names)))
    return attrs.evolve(changes, changes=tuple(made))


def _reached(
    change: Change, reach: Reach, back: dict[str, str] | None = None
) -> Iterable[str]:
    names = back or {}
    match change.slot:
        case ("let", *path):
            key = path[0] if path else change.part
            return reach.scenarios.get(("", key), ())
        case ("fact", owner, *path):
            key = path[0] if path else change.part
            return reach.scenarios.get((names.get(owner, owner), key), ())
        case ("head", name):
            return reach.blocks.get(names.get(name, name), ())
        case ("block", *_):
            return reach.blocks.get(names.get(change.path, change.path), ())
    return ()
