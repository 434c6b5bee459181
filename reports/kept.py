"""Typeset formulas that are kept: shipped for our formulas, in a cache for users'.

Setting a formula takes a tenth of a second and more; the result depends on its text,
its size and the typesetter's version alone, so it is kept by the hash of these.
"""

import functools
import gzip
import hashlib
import json
import os
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

SHIPPED = "formulas.json.gz"
#: Raised when we set formulas otherwise, so that nothing kept is of the old rules.
RULES = 2


@functools.cache
def _engine() -> str:
    return version("ziamath")


def key_of(*parts: object) -> str:
    """The name under which a formula is kept."""
    text = "\0".join((_engine(), str(RULES), *map(str, parts)))
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


@functools.cache
def shipped() -> dict[str, list[Any]]:
    """What is shipped, by key."""
    place = files("isocost.reports").joinpath("kept", SHIPPED)
    if not place.is_file():
        return {}
    found: dict[str, list[Any]] = json.loads(gzip.decompress(place.read_bytes()))
    return found


def forget() -> None:
    """Let go of what is shipped, until it is asked for again."""
    shipped.cache_clear()


def _folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "isocost" / "formulas"


def find(key: str) -> list[Any] | None:
    """The kept fields of a typeset formula, if there are any."""
    if key in shipped():
        return shipped()[key]
    try:
        found: list[Any] = json.loads((_folder() / f"{key}.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found


def keep(key: str, fields: list[Any]) -> None:
    """Keep one for the next run; a folder that cannot be written to is no matter."""
    try:
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = folder / f"{key}.{os.getpid()}.tmp"
        beside.write_text(json.dumps(fields), encoding="utf-8")
        beside.replace(folder / f"{key}.json")
    except OSError:
        return


def write(place: Path, found: dict[str, list[Any]]) -> None:
    """Write the shipped file: the same content gives the same bytes."""
    text = json.dumps(dict(sorted(found.items())), separators=(",", ":"))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
