"""The table of derived quantities, kept between runs.

Working it out loads every module that derives something, which takes longer than all
else that `isocost check` does with a small file. What is kept is valid for the very
files that it was made from, told by their sizes and times.
"""

import hashlib
import json
import os
from typing import Any

from isocost.dsl.cache import cache_folder
from isocost.dsl.table import Derived, Entry, Parameter

_HERE = os.path.dirname(os.path.abspath(__file__))
_FOLDERS = ("", "derive", "formulas", "topology")


def _key() -> str:
    """A digest of what the table is made from."""
    found = []
    for folder in _FOLDERS:
        with os.scandir(os.path.join(_HERE, folder)) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    stat = entry.stat()
                    found.append((folder, entry.name, stat.st_size, stat.st_mtime_ns))
    words = repr((_HERE, sorted(found)))
    return hashlib.blake2b(words.encode(), digest_size=8).hexdigest()


def _place() -> tuple[str, str] | None:
    folder = cache_folder()
    return None if folder is None else (folder, f"table-{_key()}.json")


def kept_table() -> Derived | None:
    """The table of an earlier run with the same files; None if there is none."""
    place = _place()
    if place is None:
        return None
    try:
        with open(os.path.join(*place), encoding="utf-8") as file:
            kept: dict[str, Any] = json.load(file)
        entries = {row[0]: _entry(row) for row in kept["entries"]}
        built = {
            name: tuple(Parameter(*row) for row in rows)
            for name, rows in kept["topologies"].items()
        }
    except (OSError, ValueError, TypeError, LookupError):
        return None
    return Derived(entries, built)


def _entry(row: list[Any]) -> Entry:
    path, unit, doc, when, keys, bare, headline = row
    return Entry(path, unit, doc, when, tuple(keys), bare, headline)


def keep_table(table: Derived) -> None:
    """Keep a table for later runs, in the place of an older one."""
    place = _place()
    if place is None:
        return
    import tempfile  # only where something is kept

    folder, name = place
    rows = [
        [e.path, e.unit, e.doc, e.when, list(e.keys), e.bare, e.headline]
        for e in table.values()
    ]
    built = {
        name: [[p.name, p.least, p.most, p.whole] for p in parameters]
        for name, parameters in table.topologies.items()
    }
    try:
        handle, beside = tempfile.mkstemp(dir=folder, prefix=".table-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"entries": rows, "topologies": built}, file)
        os.replace(beside, os.path.join(folder, name))
        for old in os.listdir(folder):
            if old.startswith("table-") and old != name:
                os.unlink(os.path.join(folder, old))
    except OSError:
        return
