"""Which file of the shipped catalogue has a block: for a name that is not imported.

Asked only when a name is not known, so it reads the files as text and no further.
"""

import functools
import re
from collections.abc import Collection, Iterable
from importlib.resources import files
from importlib.resources.abc import Traversable

from isocost.dsl.diagnostics import Diagnostic, at
from isocost.dsl.spans import Span

_HEADER = re.compile(r"^(\w+)[ \t]+(\w+)(?=[\s{])", re.MULTILINE)
_NO_BLOCKS = {"source", "let", "import", "edition", "check", "claim"}
_SHIPPED = "isocost:"


def shipped_in(name: str, kinds: Collection[str] = ()) -> str | None:
    """The file to import for a block, as `isocost:chips/aws`; None if none has it.

    Args:
        name: The block's name.
        kinds: The kinds that would do; empty for any.
    """
    for kind, place in _blocks().get(name, ()):
        if not kinds or kind in kinds:
            return _SHIPPED + place
    return None


@functools.cache
def _blocks() -> dict[str, list[tuple[str, str]]]:
    """Kind and file of every block of the catalogue, by its name."""
    found: dict[str, list[tuple[str, str]]] = {}
    top = files("isocost.scenarios").joinpath("catalog")
    for place, item in sorted(_files(top, ""), key=lambda pair: pair[0]):
        for kind, name in _HEADER.findall(item.read_text(encoding="utf-8")):
            if kind not in _NO_BLOCKS:
                found.setdefault(name, []).append((kind, place))
    return found


def _files(folder: Traversable, above: str) -> Iterable[tuple[str, Traversable]]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _files(item, f"{above}{item.name}/")
        elif item.name.endswith(".scn"):
            yield above + item.name.removesuffix(".scn"), item


def nothing_called(
    name: str, span: Span, near: Collection[str], kinds: Collection[str] = ()
) -> Diagnostic:
    """The diagnostic for a name that nothing has, with the import that would do."""
    place = shipped_in(name.partition(".")[0], kinds)
    help_ = f'`import "{place}"`, which has it' if place else None
    return at("N003", span, name=name, near=", ".join(near), help=help_)
