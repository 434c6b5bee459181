"""sympy as the algebra: exact partial derivatives, per formula and never per node.

What sympy derives is turned back into our tree and kept: for shipped formulas in
`kept/partials.json` (`tools/keep_partials.py` writes it), for users' formulas and
those made for a topology in the user's cache folder by content. A warm run therefore
never imports sympy.
"""

import functools
import hashlib
import json
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from isocost.dsl.expr import Expr, lift, symbol
from isocost.engine.formula import Formula
from isocost.engine.operators import INDEXED
from isocost.engine.symbolic import from_sympy, to_sympy

Partials = Mapping[str, Expr]
KEPT = "kept/partials.json"


# Trees as JSON: numbers, names, and lists headed by their operator.


def to_json(expr: Expr) -> Any:
    """A tree as plain JSON data."""
    match expr.op:
        case "number":
            return expr.value
        case "literal":
            return expr.value.base
        case "symbol":
            return expr.value
        case op if op in INDEXED:
            return [op, expr.value, *map(to_json, expr.args)]
        case _:
            return [expr.op, *map(to_json, expr.args)]


def from_json(data: Any) -> Expr:
    """The tree of `to_json`'s data."""
    if isinstance(data, str):
        return symbol(data)
    if not isinstance(data, list):
        return lift(data)
    op, *rest = data
    if op in INDEXED:
        return Expr(op, tuple(map(from_json, rest[1:])), rest[0])
    return Expr(op, tuple(map(from_json, rest)))


def digest(formula: Formula) -> str:
    """The identity of a formula's body, for what is kept about it."""
    text = json.dumps([list(formula.params), to_json(formula.body)])
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def plain_partials(formula: Formula) -> dict[str, Expr] | None:
    """The partials of what needs no algebra: a sum or an extreme of variables."""
    body = formula.body
    if not formula.params:
        return {}
    if body.op == "symbol":
        return {name: lift(int(name == body.value)) for name in formula.params}
    names = [arg.value for arg in body.args if arg.op == "symbol"]
    distinct = len(set(names)) == len(names) == len(body.args)
    if body.op not in {"sum", "min", "max"} or not distinct:
        return None
    out: dict[str, Expr] = dict.fromkeys(formula.params, lift(0))
    for i, name in enumerate(names):
        one = body.op == "sum" or len(names) == 1
        out[name] = lift(1) if one else Expr(f"pick_{body.op}", body.args, i)
    return out


def differentiate(formula: Formula) -> dict[str, Expr]:
    """The exact partial derivatives of a formula by parameter, through sympy."""
    import sympy as sp

    symbols = {name: sp.Symbol(name, real=True) for name in formula.params}
    body = to_sympy(formula.body, symbols)
    return {n: from_sympy(sp.diff(body, s)) for n, s in symbols.items()}


# What is kept.


@functools.cache
def _shipped() -> Mapping[str, Any]:
    place = files("isocost.engine").joinpath(*KEPT.split("/"))
    if not place.is_file():
        return {}
    found: Mapping[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return found


def _cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "isocost" / "partials"


_KNOWN: dict[int, tuple[Formula, Partials]] = {}


def partials(formula: Formula) -> Partials:
    """The partial derivatives of a formula: kept ones if there are, else derived."""
    if id(formula) not in _KNOWN:
        _KNOWN[id(formula)] = (formula, _find(formula))
    return _KNOWN[id(formula)][1]


def _find(formula: Formula) -> Partials:
    plain = plain_partials(formula)
    if plain is not None:
        return plain
    name = digest(formula)
    kept = _shipped().get(name) or _read(name)
    if kept is not None:
        return {param: from_json(data) for param, data in kept.items()}
    found = differentiate(formula)
    _write(name, found)
    return found


def _read(name: str) -> Any:
    """What the cache holds; a damaged or unreadable file is as good as none."""
    try:
        found = json.loads((_cache_folder() / f"{name}.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _write(name: str, found: Partials) -> None:
    """Keep what was derived; a folder that cannot be written to is no matter."""
    text = json.dumps({param: to_json(expr) for param, expr in found.items()})
    try:
        folder = _cache_folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = folder / f"{name}.{os.getpid()}.tmp"
        beside.write_text(text, encoding="utf-8")
        beside.replace(folder / f"{name}.json")
    except OSError:
        return
