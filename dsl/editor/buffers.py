"""The texts of files as an editor has them open, else as the disk has them."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from isocost.dsl.check import Checked, check
from isocost.dsl.load import Files, fit, load
from isocost.dsl.resolve import resolve
from isocost.dsl.table import Table

#: Files of a root that are looked through for uses of a name.
MOST_FILES = 300


class Buffers(Files):
    """Files whose open ones come from the editor.

    Args:
        open_texts: The text of each open file by its absolute path.
    """

    def __init__(self, open_texts: Mapping[str, str]) -> None:
        self.open_texts = open_texts

    def text(self, path: Path) -> str | None:
        """The text of a file, as it is open or else on the disk."""
        opened = self.open_texts.get(os.path.abspath(path))
        return super().text(path) if opened is None else opened


def checked(path: str, table: Table, files: Buffers) -> Checked | None:
    """A file as it is open, else from the disk; None where it cannot be read."""
    text = files.open_texts.get(os.path.abspath(path))
    try:
        if text is None:
            fit(path)
        return check(resolve(load(path, text, files)), table)
    except (OSError, ValueError):
        return None


def neighbours(path: str, files: Buffers) -> Iterator[str]:
    """The scenario files below a file's root, itself first, and what else is open."""
    main = os.path.abspath(path)
    root = files.root(path)
    found = [str(one) for one in _below(root)]
    yield from dict.fromkeys((main, *found, *files.open_texts))


def _below(root: Path) -> Iterator[Path]:
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            f for f in folders if not f.startswith((".", "node_modules"))
        )
        for name in sorted(names):
            if name.endswith(".scn"):
                yield Path(folder, name)
                count += 1
        if count > MOST_FILES:
            return
