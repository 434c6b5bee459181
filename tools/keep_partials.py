"""Writes `engine/kept/partials.json`: the exact derivatives of every shipped formula.

A warm `eval` or `sensitivity` reads them and never imports sympy. The file is keyed by
what a formula says, so an entry is never out of date; one that no formula has any more
is dropped. `--check` writes nothing and fails where the file is not what it should be.
"""

import argparse
import importlib
import json
import pkgutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isocost.engine import algebra
from isocost.engine.formula import FORMULAS, Formula

PLACE = Path(__file__).resolve().parent.parent / "engine" / "kept" / "partials.json"
PACKAGES = ("isocost.engine.formulas", "isocost.engine.topology")


def shipped() -> dict[str, Formula]:
    """Every shipped formula by name, all modules that hold some loaded."""
    for name in PACKAGES:
        package = importlib.import_module(name)
        for info in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{name}.{info.name}")
    return dict(FORMULAS)


def kept() -> Mapping[str, Any]:
    """What the file holds now."""
    if not PLACE.exists():
        return {}
    found: Mapping[str, Any] = json.loads(PLACE.read_text(encoding="utf-8"))
    return found


def missing(old: Mapping[str, Any]) -> list[str]:
    """The names of shipped formulas whose partials are not kept."""
    return sorted(
        name
        for name, one in shipped().items()
        if algebra.plain_partials(one) is None and algebra.digest(one) not in old
    )


def derive(old: Mapping[str, Any], *, anew: bool) -> dict[str, Any]:
    """The entries that should be kept: old ones as they are, the rest derived."""
    out: dict[str, Any] = {}
    for one in shipped().values():
        if algebra.plain_partials(one) is not None:
            continue
        key = algebra.digest(one)
        if key in old and not anew:
            out[key] = old[key]
            continue
        found = algebra.differentiate(one)
        out[key] = {param: algebra.to_json(expr) for param, expr in found.items()}
    return dict(sorted(out.items()))


def text(entries: Mapping[str, Any]) -> str:
    """The file: one formula a line, so that a change shows as its own line."""
    lines = [
        f"{json.dumps(key)}: {json.dumps(entry, separators=(',', ':'))}"
        for key, entry in entries.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> int:
    """Exit status: 0 fine, 1 the file is not up to date (`--check`)."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--anew", action="store_true", help="derive all of them again")
    args = parser.parse_args()
    old = kept()
    if args.check:
        gone = missing(old)
        for name in gone:
            print(f"no partials are kept for {name}: run tools/keep_partials.py")
        return int(bool(gone))
    PLACE.parent.mkdir(exist_ok=True)
    PLACE.write_text(text(derive(old, anew=args.anew)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
