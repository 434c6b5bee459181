"""What the engine derives, as the checker needs to know it: handed in as an argument.

`dsl` never imports the engine. A `Table` maps the pattern of a path to an `Entry`.
"""

from collections.abc import Mapping

import attrs

from isocost.dsl.syntax import Path
from isocost.dsl.units import Dim, unit


@attrs.frozen
class Entry:
    """One derived quantity of a scenario.

    `path` has `[]` where keys go; `keys` are the right ones (none: any), `bare` the
    key that is meant where none is written. `when` says in words when it exists.
    """

    path: str
    unit: str
    doc: str
    when: str = ""
    keys: tuple[str, ...] = ()
    bare: str | None = None
    headline: bool = False

    @property
    def dim(self) -> Dim:
        """Its dimension."""
        return unit(self.unit).dim


Table = Mapping[str, Entry]


@attrs.frozen
class Parameter:
    """What a parameter of a topology may be: from `least` to `most`, and if a count."""

    name: str
    least: float
    most: float
    whole: bool


Parameters = tuple[Parameter, ...]


class Derived(dict[str, Entry]):
    """The table with what the engine builds beside it: topologies by their calls."""

    def __init__(
        self, entries: Table, topologies: Mapping[str, Parameters] | None = None
    ) -> None:
        super().__init__(entries)
        self.topologies = dict(topologies or {})


def topologies_of(table: Table) -> Mapping[str, Parameters]:
    """The topologies that come with a table; none are known where none do."""
    return table.topologies if isinstance(table, Derived) else {}


def entry_of(table: Table, path: Path) -> tuple[Entry, str] | None:
    """The entry that a path means, and the path in full (a bare key filled in)."""
    found = table.get(path.pattern)
    if found is not None:
        right = not found.keys or (
            len(path.keys) == path.pattern.count("[]")
            and all(key in found.keys for key in path.keys)
        )
        return (found, str(path)) if right else None
    keyed = table.get(f"{path}[]")
    if keyed is not None and keyed.bare is not None:
        return keyed, f"{path}[{keyed.bare}]"
    return None
