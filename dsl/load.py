"""Reading files: the main one and what it imports, inside the root or shipped.

Nothing outside the root is read: a symbolic link is followed before the question is
asked. Rings of imports are errors that print the ring.
"""

import errno
import functools
import os
import stat
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
RING = "a symbolic link that leads back to itself"


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


class UnfitFileError(OSError):
    """A main file that is not read at all; the text says why."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.strerror = why


def root_of(path: Path) -> Path:
    """The nearest folder upward that has an `isocost.toml`, else the file's own."""
    folder = followed(path).parent
    for candidate in (folder, *folder.parents):
        if (candidate / "isocost.toml").is_file():
            return candidate
    return folder


def followed(path: Path) -> Path:
    """A path with its links followed.

    Raises:
        UnfitFileError: They lead round in a ring.
    """
    try:
        return path.resolve()
    except RuntimeError as error:  # a ring, up to Python 3.12
        raise UnfitFileError(RING) from error


def shipped_text(target: str) -> str | None:
    """The text of a catalogue file by its name after `isocost:`; None if none."""
    parts = target.removeprefix(SHIPPED).split("/")
    if any(part in {"", ".", ".."} for part in parts):
        return None
    place = resources.files("isocost.scenarios").joinpath("catalog", *parts[:-1])
    place = place.joinpath(parts[-1].removesuffix(".scn") + ".scn")
    try:
        return place.read_text(encoding="utf-8") if place.is_file() else None
    except (OSError, ValueError):  # too long for a name, or not one at all
        return None


#: Shipped files are read once a process: an editor asks for them at every key.
_kept = functools.lru_cache(maxsize=256)(parse)


class Files:
    """Where texts come from: this machine's disk, and what is shipped.

    Another one reads a revision of a repository, an editor's buffers, or a test's own.
    """

    def root(self, path: str) -> Path:
        """The folder outside which nothing is read for a main file."""
        return root_of(Path(path))

    def inside(self, path: Path, root: Path) -> bool:
        """Whether a file lies inside the root, links followed."""
        try:
            return followed(path).is_relative_to(root)
        except (OSError, ValueError):  # a ring of links, or no name of a file
            return False

    def text(self, path: Path) -> str | None:
        """The text of a file inside the root; None if there is none."""
        return read(path)

    def shipped(self, target: str) -> str | None:
        """The text of a shipped file by its name after `isocost:`; None if none."""
        return shipped_text(target)

    def parse(self, text: str, name: str) -> File:
        """The parsed text of a file."""
        return _kept(text, name) if name.startswith(SHIPPED) else parse(text, name)


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
                return at("R001", item.span, target=target, why="not there")
            return name.removesuffix(".scn"), text
        path = Path(os.path.normpath(Path(importer).parent / target))
        if not self.files.inside(path, self.root):
            return at("R005", item.span, target=target)
        text = self.files.text(path)
        if text is None:
            return unread(item.span, target, path)
        return str(path), text


def version() -> str:
    """The version of this tool."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("isocost")
    except PackageNotFoundError:
        return "0"


def fit(path: str) -> None:
    """Refuse what must not be read: devices, pipes, and files of any size.

    Raises:
        OSError: It is no regular file, or larger than any scenario file.
    """
    try:
        found = os.stat(path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UnfitFileError(RING) from error
        raise
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(found.st_mode):
        message = "this is no regular file"
        raise UnfitFileError(message)
    if found.st_size > MOST_BYTES:
        most, size = MOST_BYTES / 1e6, found.st_size / 1e6
        message = f"{size:.1f} MB are too much; a scenario file has at most {most:g} MB"
        raise UnfitFileError(message)


def unread(span: Span, target: str, path: "str | Path") -> Diagnostic:
    """The diagnostic for a file without a text: why it has none, and what mends that.

    Args:
        span: Where it is named; an empty one in the file itself where that is the one
            that was asked for.
        target: What it is called there.
        path: Where it is.
    """
    why, hint = "not there", "" if span.end else "no-file"
    if os.path.isdir(path):
        why, hint = "a folder, and not a file", "folder"
    elif os.path.isfile(path):
        why, hint = "no UTF-8 text", "encoding"
        if not os.access(path, os.R_OK):
            why, hint = "not for you to read", "rights"
        elif os.path.getsize(path) > MOST_BYTES:
            why, hint = "too large for a scenario file", "large"
    elif os.path.exists(path):
        why, hint = "no regular file", "no-file"
    return at("R001", span, target=target, why=why, hint=hint)


def read(path: Path) -> str | None:
    """The text of a file; None where there is none or it is no UTF-8 text."""
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return None
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError, RuntimeError):  # no UTF-8, or no name of a file
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
        if text is None:
            fit(path)
        loader = _Loader(files.root(path), files)
        if text is None:
            text = Path(path).read_text(encoding="utf-8")
    loader.load(path, text)
    project = None if path.startswith(SHIPPED) else loader.project()
    return attrs.evolve(loader.out, main=path, project=project)
