"""Reading files: the main one and what it imports, inside the root or shipped.

Nothing outside the root is read: a symbolic link is followed before the question is
asked. Rings of imports are errors that print the ring.
"""

import os
from collections.abc import Collection, Iterator
from importlib import resources
from pathlib import Path

import attrs

from isocost.dsl.diagnostics import Diagnostic, at
from isocost.dsl.parser import parse
from isocost.dsl.project import NAME, Project, moved, read_project
from isocost.dsl.spans import Span
from isocost.dsl.syntax import Edition, File, Import

FIRST_EDITION = 2026
EDITION = 2026
SHIPPED = "isocost:"
MOST_BYTES = 4_000_000


@attrs.frozen
class Loaded:
    """The files in the order in which they were finished, imports before importers.

    `lost` has the alias of each import that leads to no file, empty where it has none.
    """

    main: str
    files: dict[str, File]
    aliases: dict[str, str]
    diagnostics: list[Diagnostic]
    lost: set[str] = attrs.field(factory=set)
    project: Project | None = None


def root_of(path: Path) -> Path:
    """The nearest folder upward that has an `isocost.toml`, else the file's own."""
    folder = path.resolve().parent
    for candidate in (folder, *folder.parents):
        if (candidate / "isocost.toml").is_file():
            return candidate
    return folder


def shipped_text(target: str) -> str | None:
    """The text of a catalogue file by its name after `isocost:`; None if none."""
    parts = target.removeprefix(SHIPPED).split("/")
    if any(part in {"", ".", ".."} for part in parts):
        return None
    place = resources.files("isocost.scenarios").joinpath("catalog", *parts[:-1])
    place = place.joinpath(parts[-1].removesuffix(".scn") + ".scn")
    return place.read_text(encoding="utf-8") if place.is_file() else None


class Files:
    """Where texts come from: this machine's disk, and what is shipped.

    Another one reads a revision of a repository, an editor's buffers, or a test's own.
    """

    def root(self, path: str) -> Path:
        """The folder outside which nothing is read for a main file."""
        return root_of(Path(path))

    def inside(self, path: Path, root: Path) -> bool:
        """Whether a file lies inside the root, links followed."""
        return path.resolve().is_relative_to(root)

    def text(self, path: Path) -> str | None:
        """The text of a file inside the root; None if there is none."""
        return read(path)

    def shipped(self, target: str) -> str | None:
        """The text of a shipped file by its name after `isocost:`; None if none."""
        return shipped_text(target)

    def parse(self, text: str, name: str) -> File:
        """The parsed text of a file."""
        return parse(text, name)


class _Loader:
    """One run: keeps what is loaded and the chain of imports that led here."""

    def __init__(self, root: Path, files: Files) -> None:
        self.root = root
        self.files = files
        self.out = Loaded("", {}, {}, [])

    def load(self, name: str, text: str) -> None:
        """Load a file and all that it imports; a list keeps the way back."""
        chain: dict[str, tuple[File, Iterator[Import]]] = {}
        self._open(name, text, chain)
        while chain:
            current = next(reversed(chain))
            file, imports = chain[current]
            item = next(imports, None)
            if item is None:
                del chain[current]
                self.out.files[current] = file
                continue
            found = self._import(item, current, chain)
            if found is not None:
                self._open(*found, chain)

    def project(self) -> Project | None:
        """What the root's `isocost.toml` says; None where there is none."""
        path = self.root / NAME
        text = self.files.text(path)
        if text is None:
            return None
        found, faults = read_project(text, os.path.relpath(path))
        shipped = self.files.shipped
        later = moved(found, EDITION, version, lambda name: shipped(SHIPPED + name))
        self.out.diagnostics.extend([*faults, *later])
        return found

    def _open(
        self, name: str, text: str, chain: dict[str, tuple[File, Iterator[Import]]]
    ) -> None:
        file = self.files.parse(text.removeprefix("\ufeff"), name)
        self.out.diagnostics.extend(file.diagnostics)
        self._edition(file)
        chain[name] = file, (i for i in file.items if isinstance(i, Import))

    def _edition(self, file: File) -> None:
        edition = next((i for i in file.items if isinstance(i, Edition)), None)
        if edition is None:
            span = Span(file.name, 0, 0)
            self.out.diagnostics.append(at("R007", span, severity="warning"))
        elif edition.year > EDITION:
            args = {"needs": edition.year, "has": EDITION}
            self.out.diagnostics.append(at("R006", edition.span, facts=args))
        elif edition.year < FIRST_EDITION:
            args = {"year": edition.year, "has": EDITION}
            self.out.diagnostics.append(at("R013", edition.span, facts=args))

    def _import(
        self, item: Import, importer: str, chain: Collection[str]
    ) -> tuple[str, str] | None:
        """The name and the text of a file that is to be loaded now."""
        found = self._target(item, importer)
        if isinstance(found, Diagnostic):
            self.out.diagnostics.append(found)
            self.out.lost.add(item.alias or "")
            return None
        name, _ = found
        if name in chain:
            names = list(chain)
            ring = " → ".join((*names[names.index(name) :], name))
            self.out.diagnostics.append(at("R002", item.span, ring=ring))
            return None
        if item.alias:
            self.out.aliases[name] = item.alias
        return None if name in self.out.files else found

    def _target(self, item: Import, importer: str) -> tuple[str, str] | Diagnostic:
        target = item.target
        if target.startswith(SHIPPED) or importer.startswith(SHIPPED):
            name = SHIPPED + target.removeprefix(SHIPPED)
            text = self.files.shipped(name)
            if text is None:
                return at("R001", item.span, target=target)
            return name.removesuffix(".scn"), text
        path = Path(os.path.normpath(Path(importer).parent / target))
        if not self.files.inside(path, self.root):
            return at("R005", item.span, target=target)
        text = self.files.text(path)
        if text is None:
            return at("R001", item.span, target=target)
        return str(path), text


def version() -> str:
    """The version of this tool."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("isocost")
    except PackageNotFoundError:
        return "0"


def read(path: Path) -> str | None:
    """The text of a file; None where there is none or it is no UTF-8 text."""
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return None
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def load(path: str, text: str | None = None, files: Files | None = None) -> Loaded:
    """Load a file and everything that it imports.

    Args:
        path: Where the main file is, as the user gave it; `isocost:` names work too.
        text: Its text, if it is already at hand (an editor's buffer, a revision).
        files: Where the other texts come from; the disk if None.

    Raises:
        OSError: The main file cannot be read at all.
        UnicodeDecodeError: It is no UTF-8 text.
    """
    files = files or Files()
    if path.startswith(SHIPPED):
        text = files.shipped(path)
        if text is None:
            raise FileNotFoundError(path)
        loader = _Loader(Path.cwd(), files)
    else:
        loader = _Loader(files.root(path), files)
        if text is None:
            text = Path(path).read_text(encoding="utf-8")
    loader.load(path, text)
    project = None if path.startswith(SHIPPED) else loader.project()
    return attrs.evolve(loader.out, main=path, project=project)
