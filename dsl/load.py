"""Reading files: the main one and what it imports, inside the root or shipped.

Nothing outside the root is read: a symbolic link is followed before the question is
asked. Rings of imports are errors that print the ring.
"""

import os
from importlib import resources
from pathlib import Path

import attrs

from isocost.dsl.diagnostics import Diagnostic, at
from isocost.dsl.parser import parse
from isocost.dsl.spans import Span
from isocost.dsl.syntax import Edition, File, Import

EDITION = 2026
SHIPPED = "isocost:"
MOST_BYTES = 4_000_000


@attrs.frozen
class Loaded:
    """The files in the order in which they were finished, imports before importers."""

    main: str
    files: dict[str, File]
    aliases: dict[str, str]
    diagnostics: list[Diagnostic]


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

    def load(self, name: str, text: str, chain: tuple[str, ...]) -> None:
        file = self.files.parse(text.removeprefix("\ufeff"), name)
        self.out.diagnostics.extend(file.diagnostics)
        self._edition(file)
        for item in file.items:
            if isinstance(item, Import):
                self._import(item, name, (*chain, name))
        self.out.files[name] = file

    def _edition(self, file: File) -> None:
        edition = next((i for i in file.items if isinstance(i, Edition)), None)
        if edition is None:
            span = Span(file.name, 0, 0)
            self.out.diagnostics.append(at("R007", span, severity="warning"))
        elif edition.year > EDITION:
            args = {"needs": edition.year, "has": EDITION}
            self.out.diagnostics.append(at("R006", edition.span, facts=args))

    def _import(self, item: Import, importer: str, chain: tuple[str, ...]) -> None:
        found = self._target(item, importer)
        if isinstance(found, Diagnostic):
            self.out.diagnostics.append(found)
            return
        name, text = found
        if name in chain:
            ring = " → ".join((*chain[chain.index(name) :], name))
            self.out.diagnostics.append(at("R002", item.span, ring=ring))
            return
        if item.alias:
            self.out.aliases[name] = item.alias
        if name not in self.out.files:
            self.load(name, text, chain)

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
    loader.load(path, text, ())
    return attrs.evolve(loader.out, main=path)
