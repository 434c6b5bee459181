"""The registry of what is derived for a scenario: one path, one dimension, one doc.

Each module of `engine.derive` lists `Quantity`s; here they become the table that the
checker gets, the glossary, completion and the reference. Neither numpy nor sympy is
imported.
"""

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING

import attrs

from isocost.dsl.syntax import Path, parse_path
from isocost.dsl.table import Derived, Entry, Parameter, Parameters
from isocost.engine.formula import Formula

if TYPE_CHECKING:
    from isocost.engine.scope import Scope

Build = Callable[["Scope", tuple[str, ...]], int]
Condition = Callable[["Scope"], bool]
#: What is to be said of a scenario as a whole, given its settled choices.
Remark = Callable[["Scope", Mapping[int, float]], tuple[str, ...]]


@attrs.frozen
class When:
    """A condition on a scenario's structure: in words, and as a question to it."""

    words: str
    holds: Condition = attrs.field(eq=False)


@attrs.frozen
class Quantity:
    """A derived quantity: its entry, when it exists, and how its node is built.

    One that is `first` goes before others of its path where its condition holds.
    """

    entry: Entry
    build: Build = attrs.field(eq=False)
    when: When | None = None
    first: bool = False


def quantity(
    path: str,
    unit: str,
    doc: str,
    formula: Formula | Build,
    /,
    *,
    when: When | None = None,
    keys: tuple[str, ...] = (),
    bare: str | None = None,
    headline: bool = False,
    shared: Mapping[str, str | float] | None = None,
    **own: str | float,
) -> Quantity:
    """Declare one derived quantity.

    Args:
        path: Its path; `[]` where keys go.
        unit: The unit in which it is shown.
        doc: One line for glossary and reports.
        formula: The formula applied to `args`, or a function `(scope, keys) -> node`.
        when: When it exists; several quantities may share a path under conditions.
        keys: The right keys; empty where any name will do.
        bare: The key that is meant where none is written.
        headline: Whether reports and `eval` show it unasked.
        shared: Arguments that several quantities have in common.
        **own: For each parameter of the formula a path in the scenario, or a number.
    """
    args = {**(shared or {}), **own}
    entry = Entry(path, unit, doc, when.words if when else "", keys, bare, headline)
    if isinstance(formula, Formula):
        missing = set(formula.params) ^ set(args)
        if missing:
            message = f"{path}: arguments of {formula.name} differ: {sorted(missing)}"
            raise ValueError(message)
        return Quantity(entry, functools.partial(_apply, formula, args), when)
    return Quantity(entry, formula, when)


def _apply(
    formula: Formula,
    args: Mapping[str, str | float],
    scope: "Scope",
    keys: tuple[str, ...],
) -> int:
    filled = {
        name: value.format(*keys) if isinstance(value, str) and keys else value
        for name, value in args.items()
    }
    return scope.apply(formula, **filled)


def _modules() -> list[ModuleType]:
    """The modules of `engine.derive`, by name."""
    package = importlib.import_module("isocost.engine.derive")
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
    return [importlib.import_module(f"isocost.engine.derive.{name}") for name in names]


@functools.cache
def registry() -> Mapping[str, tuple[Quantity, ...]]:
    """Every derived quantity by the pattern of its path."""
    found: dict[str, tuple[Quantity, ...]] = {}
    for module in _modules():
        for one in getattr(module, "QUANTITIES", ()):
            known = found.get(one.entry.path, ())
            found[one.entry.path] = (one, *known) if one.first else (*known, one)
    return found


@functools.cache
def remarks(name: str = "REMARKS") -> tuple[Remark, ...]:
    """Every remark that a module has to make on a scenario, or on what it costs.

    Args:
        name: `REMARKS`, or `COST_REMARKS` for those that are about money alone.
    """
    return tuple(one for m in _modules() for one in getattr(m, name, ()))


def usual(quantities: tuple[Quantity, ...]) -> tuple[Quantity, ...]:
    """Those of a path that do not go before others, if there are any."""
    return tuple(q for q in quantities if not q.first) or quantities


@functools.cache
def table() -> Mapping[str, Entry]:
    """The entries for the checker; conditions of one path are joined by `or`."""
    from isocost.engine.kept_table import keep_table, kept_table

    kept = kept_table()
    if kept is None:
        kept = _table()
        keep_table(kept)
    return kept


def _table() -> Derived:
    out: dict[str, Entry] = {}
    for path, quantities in registry().items():
        words = [q.entry.when for q in usual(quantities)]
        when = "" if "" in words else " or ".join(dict.fromkeys(words))
        keys = tuple(dict.fromkeys(k for q in quantities for k in q.entry.keys))
        entry = usual(quantities)[0].entry
        out[path] = attrs.evolve(entry, when=when, keys=keys)
    return Derived(out, _topologies())


def _topologies() -> Mapping[str, Parameters]:
    """What the parameters of each topology may be."""
    from isocost.engine.topology.registry import TOPOLOGIES, bounds, load

    load()
    return {
        kind: tuple(
            Parameter(name, found.least, found.most, found.whole)
            for name, found in bounds(kind).items()
        )
        for kind in sorted(TOPOLOGIES)
    }


#: Beginnings of paths that a pool answers for where a service is split in two.
_OF_POOL = {
    "prefill": "prefill",
    **dict.fromkeys(("decode", "mixed", "mbu", "rank", "ranks", "serving"), "decode"),
}


def pool_that_answers(text: str) -> str:
    """The pool that a quantity belongs to in a split service; empty for both."""
    return _OF_POOL.get(parse_path(text).head, "")


def candidates(path: Path) -> tuple[Quantity, ...]:
    """The quantities that a full path may mean, whatever the scenario."""
    return registry().get(path.pattern, ())
