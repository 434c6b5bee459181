"""`isocost.toml`: the file that marks a project's root and pins what it rests on.

It may pin the edition, the version of the tool, and a digest of each catalogue file
that the project imports; `isocost check` says when one of them has moved.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from isocost.dsl.diagnostics import WARNING, Diagnostic, at
from isocost.dsl.spans import Span

NAME = "isocost.toml"
#: The keys and what they hold.
_KEYS: dict[str, type] = {
    "edition": int,
    "engine": str,
    "price_age_months": int,
    "catalogue": dict,
}
_CATALOGUE = re.compile(r"^\[catalogue\]\n(?:(?!\[).*\n?)*", re.MULTILINE)


@attrs.frozen
class Project:
    """What an `isocost.toml` says; a key that it leaves out is None."""

    file: str
    text: str
    edition: int | None = None
    engine: str | None = None
    price_age_months: int | None = None
    catalogue: Mapping[str, str] = attrs.field(factory=dict)


def read_project(text: str, file: str) -> tuple[Project, list[Diagnostic]]:
    """Read an `isocost.toml`; what is wrong with it beside it."""
    try:
        data: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Project(file, text), [at("R011", Span(file, 0, 0), why=error)]
    faults = []
    kept: dict[str, Any] = {}
    for key, value in data.items():
        wanted = _KEYS.get(key)
        if wanted is None:
            why = f"it has no key `{key}`; its keys are {', '.join(_KEYS)}"
        elif not isinstance(value, wanted) or isinstance(value, bool):
            names = {int: "a whole number", str: "a text", dict: "a table"}
            why = f"`{key}` is {names[wanted]}"
        elif isinstance(value, dict) and not _texts(value):
            why = "a digest is a text"
        else:
            kept[key] = value
            continue
        faults.append(at("R011", _place(text, file, key), why=why))
    return Project(file, text, **kept), faults


def _texts(table: dict[str, Any]) -> bool:
    return all(isinstance(value, str) for value in table.values())


def _place(text: str, file: str, key: str) -> Span:
    """Where a key stands, quoted or not."""
    match = re.search(rf'^[ \t]*(?:\[|")?({re.escape(key)})\b', text, re.MULTILINE)
    return Span(file, *match.span(1)) if match else Span(file, 0, 0)


def digest(text: str) -> str:
    """A digest of a file's text, as `isocost.toml` pins it."""
    import hashlib

    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def moved(
    project: Project,
    edition: int,
    version: Callable[[], str],
    text_of: Callable[[str], str | None],
) -> Iterable[Diagnostic]:
    """What is not as it was pinned.

    Args:
        project: What was pinned.
        edition: The edition of this tool.
        version: Its version; asked only where one is pinned.
        text_of: The text of a catalogue file by its name; None if there is none.
    """
    now: list[tuple[str, str, str]] = []
    if project.edition is not None and project.edition != edition:
        now.append(("edition", str(project.edition), str(edition)))
    if project.engine is not None and project.engine != version():
        now.append(("engine", project.engine, version()))
    for name, pinned in project.catalogue.items():
        text = text_of(name)
        found = "no such file" if text is None else digest(text)
        if found != pinned:
            now.append((name, pinned, found))
    for what, pinned, found in now:
        args = {"what": what, "pinned": pinned, "now": found}
        where = _place(project.text, project.file, what)
        yield at("R012", where, severity=WARNING, facts=args)


def pinned(text: str, edition: int, version: str, catalogue: Mapping[str, str]) -> str:
    """The text of an `isocost.toml` with its pins renewed, all else kept."""
    for key, value in (("edition", str(edition)), ("engine", f'"{version}"')):
        line = re.compile(rf"^{key}[ \t]*=.*$", re.MULTILINE)
        new = f"{key} = {value}"
        text = line.sub(new, text) if line.search(text) else f"{new}\n{text}"
    rows = "".join(f'"{name}" = "{one}"\n' for name, one in sorted(catalogue.items()))
    section = f"[catalogue]\n{rows}" if rows else ""
    if _CATALOGUE.search(text):
        return _CATALOGUE.sub(lambda _: section, text)
    gap = "\n" if section and not text.endswith("\n\n") else ""
    return text + gap + section
