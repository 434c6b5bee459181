"""How a kind is declared: an attrs class whose fields say what each attribute is.

A kind is one class in one module of this package, decorated with `kind`. A field's
name is the attribute's path with `__` for `.`; keys in brackets are declared by
`keys`. Reference pages, completion, the checker and the engine's lookups all read
the same `Attribute`s.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import attrs

from isocost.dsl.units import PLAIN, Dim, dim, unit

T = TypeVar("T")

#: What an attribute may hold.
SORTS = ("quantity", "word", "text", "date", "flag", "block", "call", "list", "any")


@attrs.frozen
class Attribute:
    """One attribute of a kind.

    `path` has `[]` where keys go. `keys` says which keys are right: a tuple of words,
    `("*",)` for any name, `("date",)` for a date, or the name of a kind in angle
    brackets (`("<system>",)`), one entry a position when there are several keys.
    `unit` is the unit in which reports show it; its dimension is what is checked, as
    seen from inside the block. `default` is a literal in the language's own spelling
    with `default_source` saying where it comes from. A `decision` (a degree of
    parallelism, a size) is the author's to take and needs no source; `bare` is the
    unit that a number without one is taken to have; where `positive`, zero makes no
    sense. `flow` says how a dated quantity
    is read between its points: a `flow` in the period, a `stock` at its end, or a
    `level`; its last key is `date`, or `date?` where a figure without one will do. The
    dimension of a `free` one is the author's, and is checked where it is used. `kind`
    is the kind whose attribute it is. One that may be `chosen` takes `auto`.
    Beside those that it `excludes` it may not stand, since each has the other in it.
    """

    path: str
    sort: str
    doc: str
    unit: str = "1"
    keys: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    words: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    default: str | None = None
    default_source: str = ""
    whole: bool = False
    positive: bool = False
    per: str = ""
    flow: str = ""
    decision: bool = False
    bare: str = ""
    free: bool = False
    kind: str = ""
    chosen: bool = False
    excludes: tuple[str, ...] = ()

    @property
    def dim(self) -> Dim:
        """The dimension of a quantity, seen from inside its block."""
        return unit(self.unit).dim


@attrs.frozen
class Kind:
    """A kind of block: its attributes by pattern, and what one of it is counted in."""

    name: str
    doc: str
    attributes: Mapping[str, Attribute]
    counts: str = ""

    def find(self, path: Any) -> Attribute | None:
        """The attribute that a `syntax.Path` means; a lone date key may be left out."""
        pattern = str(path.pattern)
        found = self.attributes.get(pattern)
        if found is None:
            keyed = self.attributes.get(f"{pattern}[]")
            found = keyed if keyed is not None and keyed.keys == ("date",) else None
        return found

    @functools.cached_property
    def exclusive(self) -> tuple[Attribute, ...]:
        """The attributes that may not stand beside some others."""
        return tuple(a for a in self.attributes.values() if a.excludes)

    @property
    def count_dim(self) -> Dim:
        """The countable that figures of this kind are per, when read from outside."""
        return dim({self.counts: 1}) if self.counts else PLAIN


#: Every kind by name.
KINDS: dict[str, Kind] = {}


def _attribute(sort: str, doc: str, **more: Any) -> Any:
    keyed = "keys" in more
    made = Attribute(path="", sort=sort, doc=doc, **more)
    return attrs.field(default=None, metadata={"attribute": made, "keyed": keyed})


def quantity(
    unit_: str,
    doc: str,
    *,
    keys: tuple[str, ...] | None = None,
    low: float | None = 0.0,
    high: float | None = None,
    default: str | None = None,
    source: str = "",
    whole: bool = False,
    positive: bool = False,
    path: str = "",
    flow: str = "",
    decision: bool = False,
    bare: str = "",
    free: bool = False,
    chosen: bool = False,
    excludes: tuple[str, ...] = (),
) -> Any:
    """A number with a unit; bounds are in base units, `low` 0 unless said otherwise."""
    more: dict[str, Any] = {"keys": keys} if keys else {}
    return _path(
        _attribute(
            "quantity",
            doc,
            unit=unit_,
            low=low,
            high=high,
            default=default,
            default_source=source,
            whole=whole,
            positive=positive,
            flow=flow,
            decision=decision,
            bare=bare,
            free=free,
            chosen=chosen,
            excludes=excludes,
            **more,
        ),
        path,
    )


def share(doc: str, **more: Any) -> Any:
    """A plain number between 0 and 1."""
    return quantity("1", doc, high=1.0, **more)


def count(doc: str, unit_: str = "1", **more: Any) -> Any:
    """A whole number of things, or a plain whole number."""
    return quantity(unit_, doc, whole=True, **more)


def word(
    doc: str,
    *words: str,
    default: str | None = None,
    source: str = "",
    keys: tuple[str, ...] | None = None,
    path: str = "",
) -> Any:
    """One of some words."""
    more: dict[str, Any] = {"keys": keys} if keys else {}
    return _path(
        _attribute(
            "word", doc, words=words, default=default, default_source=source, **more
        ),
        path,
    )


def flag(doc: str, default: str | None = None, source: str = "", path: str = "") -> Any:
    """`true` or `false`."""
    made = _attribute("flag", doc, default=default, default_source=source)
    return _path(made, path)


def text(doc: str, *, keys: tuple[str, ...] | None = None) -> Any:
    """Free text."""
    return _attribute("text", doc, **({"keys": keys} if keys else {}))


def calendar(doc: str, *, keys: tuple[str, ...] | None = None) -> Any:
    """A date."""
    return _attribute("date", doc, **({"keys": keys} if keys else {}))


def block(
    doc: str, *kinds: str, keys: tuple[str, ...] | None = None, path: str = ""
) -> Any:
    """The name of a block of one of some kinds (or a list of them, for a scenario)."""
    more: dict[str, Any] = {"keys": keys} if keys else {}
    return _path(_attribute("block", doc, of=kinds, **more), path)


def call(doc: str, **more: Any) -> Any:
    """A call such as `torus(x = 4, y = 4)`."""
    return _attribute("call", doc, **more)


def listing(doc: str, *, keys: tuple[str, ...] | None = None) -> Any:
    """A list of names, paths or calls."""
    return _attribute("list", doc, **({"keys": keys} if keys else {}))


def _path(field: Any, path: str) -> Any:
    if path:
        field.metadata["path"] = path
    return field


def kind(name: str, *, counts: str = "") -> Callable[[type[T]], type[T]]:
    """Register a class as a kind of block.

    Args:
        name: The word that opens the block.
        counts: The countable of which the block describes one (`chip`, `system`).
    """

    def register(cls: type[T]) -> type[T]:
        made: Any = attrs.frozen(init=False, repr=False, eq=False)(cls)
        attributes: dict[str, Attribute] = {}
        for field in attrs.fields(made):
            attribute = field.metadata["attribute"]
            path = field.metadata.get("path") or field.name.replace("__", ".")
            if field.metadata["keyed"] and "[]" not in path:
                path += "[]"
            attributes[path] = attrs.evolve(attribute, path=path, kind=name)
        doc = " ".join((cls.__doc__ or "").split())
        KINDS[name] = Kind(name, doc, attributes, counts)
        return made  # type: ignore[no-any-return]

    return register


def pattern_of(path: Any) -> str:
    """The pattern of a `syntax.Path`, for `Kind.attributes`."""
    return str(path.pattern)
