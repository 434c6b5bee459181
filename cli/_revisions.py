"""Documents of revisions: what they and their imports said then, and which to compare.

A document of a revision is read from the repository's objects alone; its imports are
those of the same revision, never the work tree's.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath

import attrs

from isocost._git import LINK, LostFileError, Repository
from isocost.dsl.load import SHIPPED, Files, read, shipped_text
from isocost.dsl.parser import parse
from isocost.dsl.syntax import File

_IMPORT = re.compile(r'^[ \t]*import[ \t]+"([^"\n]+)"', re.MULTILINE)
_ROOTED = re.compile(r"^(?:scenario|report)[ \t]+\w", re.MULTILINE)
_MOST_LINKS = 20


class Parsed:
    """Parsed files of all sides: equal texts of one name are parsed once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], File] = {}

    def __call__(self, text: str, name: str) -> File:
        """The file of a text."""
        key = (name, text)
        if key not in self._known:
            self._known[key] = parse(text, name)
        return self._known[key]


class Disk(Files):
    """Files of this machine, parsed once for all sides."""

    def __init__(self, parsed: Parsed) -> None:
        self._parsed = parsed

    def parse(self, text: str, name: str) -> File:
        """The file of a text."""
        return self._parsed(text, name)


class Snapshot(Files):
    """The files of one revision, or of the work tree (`commit` None), by their paths.

    `catalog` is a folder from which `isocost:` imports are read at this revision,
    for changes of a catalogue itself.
    """

    def __init__(
        self,
        repository: Repository,
        commit: str | None,
        parsed: Parsed,
        catalog: str | None = None,
    ) -> None:
        self.repository = repository
        self.commit = commit
        self.catalog = catalog
        self._parsed = parsed
        self._texts: dict[str, str | None] = {}

    @cached_property
    def tree(self) -> Mapping[str, tuple[str, str]]:
        """Mode and id of every file; of the work tree's, none."""
        if self.commit is not None:
            return self.repository.tree(self.commit)
        return dict.fromkeys(self.repository.work_tree(), ("", ""))

    def documents(self) -> list[str]:
        """The paths of all scenario files."""
        return [path for path in self.tree if path.endswith(".scn")]

    def get(self, path: str) -> str | None:
        """The text of a path from the top; None if there is none."""
        if path not in self._texts:
            self._texts[path] = self._get(path)
        return self._texts[path]

    def _get(self, path: str) -> str | None:
        if self.commit is None:
            found, top = self.repository.top / path, self.repository.top
            return read(found) if super().inside(found, top.resolve()) else None
        entry = self.tree.get(self._real(path) or "")
        if entry is None or entry[0] == LINK:
            return None
        data = self.repository.blob(entry[1])
        try:
            return None if data is None else data.decode()
        except UnicodeDecodeError:
            return None

    def _real(self, path: str) -> str | None:
        """A path with the links of its revision followed; None where one leads out."""
        for _ in range(_MOST_LINKS):
            parts = path.split("/")
            for size in range(1, len(parts) + 1):
                mode, blob = self.tree.get("/".join(parts[:size]), ("", ""))
                if mode == LINK:
                    goal = (self.repository.blob(blob) or b"").decode(errors="replace")
                    folder = "/".join(parts[: size - 1])
                    joined = os.path.normpath(os.path.join(folder, goal, *parts[size:]))
                    if joined.startswith(("..", "/")):
                        return None
                    path = joined
                    break
            else:
                return path
        return None

    # What the loader asks.

    def root(self, path: str) -> Path:
        """The nearest folder upward with an `isocost.toml`, else the file's own."""
        folder = PurePosixPath(path).parent
        for candidate in (folder, *folder.parents):
            if str(candidate / "isocost.toml") in self.tree:
                return Path(candidate)
        return Path(folder)

    def inside(self, path: Path, root: Path) -> bool:
        """Whether a path, its links followed, lies below the root."""
        real = self._real(path.as_posix()) if self.commit is not None else str(path)
        if real is None or os.path.isabs(real) or real.startswith(".."):
            return False
        return Path(real).is_relative_to(root) or root == Path()

    def text(self, path: Path) -> str | None:
        """The text of a file."""
        return self.get(path.as_posix())

    def shipped(self, target: str) -> str | None:
        """A shipped file, from the revision's own catalogue where one was named."""
        if self.catalog is None:
            return shipped_text(target)
        name = target.removeprefix(SHIPPED).removesuffix(".scn")
        return self.get(f"{self.catalog}/{name}.scn")

    def parse(self, text: str, name: str) -> File:
        """The file of a text."""
        return self._parsed(text, name)

    # Which documents a change reaches.

    def imports(self, path: str) -> list[str]:
        """The paths that a file imports, as the text has them."""
        out = []
        for target in _IMPORT.findall(self.get(path) or ""):
            if target.startswith(SHIPPED):
                if self.catalog is not None:
                    name = target.removeprefix(SHIPPED).removesuffix(".scn")
                    out.append(f"{self.catalog}/{name}.scn")
            else:
                folder = os.path.dirname(path)
                out.append(os.path.normpath(os.path.join(folder, target)))
        return out

    def reached(self, changed: Iterable[str]) -> list[str]:
        """The documents with a scenario or report that rest on changed files."""
        importers: dict[str, list[str]] = {}
        for path in self.documents():
            for target in self.imports(path):
                importers.setdefault(target, []).append(path)
        waiting = list(changed)
        seen = set(waiting)
        while waiting:
            for path in importers.get(waiting.pop(), ()):
                if path not in seen:
                    seen.add(path)
                    waiting.append(path)
        return [
            path
            for path in self.documents()
            if path in seen and _ROOTED.search(self.get(path) or "")
        ]


@attrs.frozen
class Pair:
    """Two texts of one document with the files around each; a text may be missing."""

    old_name: str
    new_name: str
    old: str | None
    new: str | None
    before: Files
    after: Files

    @property
    def name(self) -> str:
        """The document's name for readers."""
        if self.old is not None and self.new is not None:
            moved = self.old_name != self.new_name
            return f"{self.old_name} → {self.new_name}" if moved else self.new_name
        return self.new_name if self.old is None else self.old_name


def changed_files(before: Snapshot, after: Snapshot) -> list[str]:
    """The scenario files and settings that differ between two snapshots."""
    names = dict.fromkeys((*before.tree, *after.tree))
    out = []
    for path in names:
        if not path.endswith((".scn", "isocost.toml")):
            continue
        entries = (before.tree.get(path), after.tree.get(path))
        same = entries[0] == entries[1] and after.commit is not None
        if not same and before.get(path) != after.get(path):
            out.append(path)
    return out


def pairs(before: Snapshot, after: Snapshot, files: Sequence[str]) -> list[Pair]:
    """The documents to compare between two snapshots.

    Args:
        before: The old side.
        after: The new side.
        files: Paths from the top, or folders; every document that a changed file
            reaches if empty.

    Raises:
        LostFileError: A path is on neither side.
    """
    commit = before.commit or ""
    moved = before.repository.renamed(commit, after.commit) if commit else {}
    back = {new: old for old, new in moved.items()}
    if files:
        wanted = _named(files, before, after)
    else:
        changed = changed_files(before, after)
        settings = [p for p in changed if p.endswith("isocost.toml")]
        wanted = [*after.reached(changed), *before.reached(changed)]
        wanted += [p for p in after.documents() if _below(p, settings)]
    out: dict[tuple[str, str], Pair] = {}
    for path in dict.fromkeys(wanted):
        old_name = back.get(path, path)
        new_name = moved.get(path, path) if path not in after.tree else path
        if path in after.tree and path in before.tree:
            old_name = path
        pair = Pair(
            old_name,
            new_name,
            before.get(old_name),
            after.get(new_name),
            before,
            after,
        )
        if pair.old is not None or pair.new is not None:
            out.setdefault((old_name, new_name), pair)
    return list(out.values())


def _below(path: str, settings: Iterable[str]) -> bool:
    folders = [os.path.dirname(one) for one in settings]
    return any(not folder or path.startswith(f"{folder}/") for folder in folders)


def _named(files: Sequence[str], before: Snapshot, after: Snapshot) -> list[str]:
    out: list[str] = []
    known = [*after.documents(), *before.documents()]
    for name in files:
        if name in after.tree or name in before.tree:
            out.append(name)
            continue
        folder = "" if name == "." else f"{name}/"
        below = [path for path in known if path.startswith(folder)]
        if not below:
            message = f"{name} is on neither side"
            raise LostFileError(message)
        out += below
    return out
