"""The facts of the catalogue, and the same facts in the formats of other readers.

Each fact keeps its path, the text of its value, its sources and where they say it. The
files of the others are written as their users would write them; none of their readers
checks a unit or knows a place, and the note of each benchmark says so.
"""

import importlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from benchmarks._frame import ROOT, Skip
from isocost.dsl.parser import parse
from isocost.dsl.syntax import Block, Member

CATALOG = ROOT / "scenarios" / "catalog"


@attrs.frozen
class Fact:
    """One line of a block."""

    block: str
    path: str
    value: str
    cites: tuple[tuple[str, str], ...]


def texts() -> dict[str, str]:
    """The files of the catalogue by name."""
    paths = sorted(Path(CATALOG).rglob("*.scn"))
    return {str(path): path.read_text(encoding="utf-8") for path in paths}


def facts(files: dict[str, str]) -> list[Fact]:
    """Every fact of some files."""
    return [fact for name, text in files.items() for fact in _of_file(name, text)]


def _of_file(name: str, text: str) -> Iterator[Fact]:
    for item in parse(text, name).items:
        if isinstance(item, Block):
            head = f"{item.kind.text} {item.name.text}"
            for member in item.members:
                cites = tuple((c.key, c.locator) for c in member.cites)
                yield Fact(head, str(member.path), _value(member, text), cites)


def _value(member: Member, text: str) -> str:
    span = member.value.span
    assert span is not None
    end = member.unit.span.end if member.unit else span.end
    return text[span.start : end]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _blocks(found: Sequence[Fact]) -> Iterator[tuple[int, list[Fact]]]:
    """Facts by the block that they stand in, with a number for each."""
    groups: list[list[Fact]] = []
    for fact in found:
        if not groups or groups[-1][0].block != fact.block:
            groups.append([])
        groups[-1].append(fact)
    return enumerate(groups)


def as_yaml(found: Sequence[Fact]) -> str:
    """A mapping a block, and in it a mapping a fact."""
    lines = []
    for number, group in _blocks(found):
        lines.append(f"{group[0].block} {number}:")
        for fact in group:
            lines.append(f"  {_quoted(fact.path)}:")
            lines.append(f"    value: {_quoted(fact.value)}")
            for source, locator in fact.cites:
                lines.append(f"    {source}: {_quoted(locator)}")
    return "\n".join([*lines, ""])


def as_toml(found: Sequence[Fact]) -> str:
    """A table a block, and an inline table a fact."""
    lines = []
    for number, group in _blocks(found):
        lines.append(f'["{group[0].block} {number}"]')
        for fact in group:
            cites = "".join(f", {s} = {_quoted(where)}" for s, where in fact.cites)
            value = f"{{ value = {_quoted(fact.value)}{cites} }}"
            lines.append(f"{_quoted(fact.path)} = {value}")
    return "\n".join([*lines, ""])


def as_hcl(found: Sequence[Fact]) -> str:
    """A block a block, and a nested block a fact."""
    lines = []
    for number, group in _blocks(found):
        kind, name = group[0].block.split(" ")
        lines.append(f'{kind} "{name}" "{number}" {{')
        for fact in group:
            lines.append(f"  fact {_quoted(fact.path)} {{")
            for key, text in (("value", fact.value), *fact.cites):
                safe = _quoted(text).replace("${", "$${").replace("%{", "%%{")
                lines.append(f"    {key} = {safe}")
            lines.append("  }")
        lines.append("}")
    return "\n".join([*lines, ""])


def as_beancount(found: Sequence[Fact]) -> str:
    """A `custom` directive a fact, its sources as metadata."""
    lines = []
    for fact in found:
        values = " ".join(_plain(t) for t in (fact.block, fact.path, fact.value))
        lines.append(f'2026-01-01 custom "fact" {values}')
        lines += [f"  {source}: {_plain(where)}" for source, where in fact.cites]
    return "\n".join([*lines, ""])


def _plain(text: str) -> str:
    return '"' + text.replace("\\", "").replace('"', "'") + '"'


@attrs.frozen
class Rival:
    """Another reader: what it is called, how its files look, and what reads them.

    `counted` says how many facts it found, so that none is quick for having read less.
    """

    name: str
    written: Callable[[Sequence[Fact]], str]
    reader: Callable[[], Callable[[str], Any]]
    counted: Callable[[Any], int]
    runs: int = 3

    def rate(self, found: Sequence[Fact]) -> float:
        """Facts a second.

        Raises:
            Skip: It is not installed.
            ValueError: It did not find all of them.
        """
        text, reader = self.written(found), self.reader()
        if self.counted(reader(text)) != len(found):
            raise ValueError(f"{self.name} did not read every fact")
        return len(found) / cpu_seconds(lambda: reader(text), runs=self.runs)


def _in_tables(data: dict[str, dict[str, object]]) -> int:
    return sum(map(len, data.values()))


def _in_blocks(data: dict[str, list[dict[str, Any]]]) -> int:
    """python-hcl2 gives a list of blocks a kind, nested by their labels."""
    blocks = [b for group in data.values() for block in group for b in block.values()]
    inner = [b for named in blocks for b in named.values()]
    return sum(len(block.get("fact", ())) for block in inner)


def _directives(result: tuple[list[object], list[object], object]) -> int:
    entries, errors, _ = result
    return len(entries) if not errors else -1


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Skip(f"{name} is not installed: `make bench` installs it") from error


def _yaml(loader: str) -> Callable[[], Callable[[str], Any]]:
    def make() -> Callable[[str], Any]:
        yaml = _module("yaml")
        kind = getattr(yaml, loader, None)
        if kind is None:
            raise Skip(f"this PyYAML has no {loader}")
        return lambda text: yaml.load(text, Loader=kind)

    return make


def _attribute(module: str, name: str) -> Callable[[], Callable[[str], Any]]:
    def make() -> Callable[[str], Any]:
        found: Callable[[str], Any] = getattr(_module(module), name)
        return found

    return make


RIVALS = (
    Rival("PyYAML's C loader", as_yaml, _yaml("CSafeLoader"), _in_tables),
    Rival("PyYAML in Python", as_yaml, _yaml("SafeLoader"), _in_tables, runs=1),
    Rival("tomllib", as_toml, _attribute("tomllib", "loads"), _in_tables),
    Rival("python-hcl2", as_hcl, _attribute("hcl2", "loads"), _in_blocks, runs=1),
    Rival(
        "Beancount",
        as_beancount,
        _attribute("beancount.parser.parser", "parse_string"),
        _directives,
    ),
)


def cpu_seconds(action: Callable[[], object], *, runs: int) -> float:
    """The least processor time of some runs: others on the machine only add to it."""
    taken = []
    for _ in range(runs):
        start = time.process_time()
        action()
        taken.append(time.process_time() - start)
    return min(taken)
