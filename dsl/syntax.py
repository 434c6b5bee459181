"""The syntax tree: what one file says, in its order, with the place of each piece.

Nothing is looked up here. Expressions are `isocost.dsl.expr.Expr` trees; a literal
whose unit is not known yet carries a `UnitProblem` in the unit's place.
"""

import functools
import re
from collections.abc import Mapping

import attrs

from isocost.dsl.diagnostics import Diagnostic
from isocost.dsl.expr import Expr
from isocost.dsl.spans import Span


@attrs.frozen(cache_hash=True)
class Part:
    """One step of a path: a name and the keys in its brackets."""

    name: str
    keys: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(self.keys)}]" if self.keys else self.name


@attrs.frozen(cache_hash=True)
class Path:
    """A dotted path with keys: `topology.link[x]`."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        return ".".join(map(str, self.parts))

    @property
    def head(self) -> str:
        """The first name."""
        return self.parts[0].name

    @property
    def rest(self) -> "Path":
        """Everything after the first part."""
        return Path(self.parts[1:])

    @property
    def pattern(self) -> str:
        """The path with its keys emptied: `topology.link[]`."""
        return ".".join(p.name + "[]" * bool(p.keys) for p in self.parts)

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys from left to right."""
        return tuple(key for part in self.parts for key in part.keys)

    def __truediv__(self, other: "Path") -> "Path":
        return Path(self.parts + other.parts)


_PART = re.compile(r"([^.\[\]]+)(?:\[([^\]]*)\])?\.?")


@functools.lru_cache(maxsize=8192)
def parse_path(text: str) -> Path:
    """Read a path as the lexer delimits it; dots inside brackets do not part it."""
    return Path(
        tuple(
            Part(name, tuple(key.strip() for key in keys.split(",")) if keys else ())
            for name, keys in _PART.findall(text)
        )
    )


@attrs.frozen
class Name:
    """A name and where it stands."""

    text: str
    span: Span


@attrs.frozen
class CiteRef:
    """`@key "locator"`; `@assumed "why"` has the key `assumed`."""

    key: str
    locator: str
    span: Span

    @property
    def assumed(self) -> bool:
        """Whether this marks an assumption and names no source."""
        return self.key == "assumed"


@attrs.frozen
class Member:
    """`path = value` or `path := formula`, inside a block; `let` introduces a name.

    `span` covers the statement, `path_span` the path alone. `deny EXPR "why"` is a
    formula for `deny`.
    """

    path: Path
    path_span: Span
    formula: bool
    value: Expr
    unit: Name | None
    cites: tuple[CiteRef, ...]
    span: Span
    let: bool = False
    doc: str = ""
    why: str = ""
    deny: bool = False


@attrs.frozen
class Block:
    """`KIND NAME ["title"] [extends BASE] { members }`."""

    kind: Name
    name: Name
    title: str
    base: Name | None
    members: tuple[Member, ...]
    span: Span
    doc: str = ""


@attrs.frozen
class Statement:
    """`check` or `claim`, by `kind`: a condition, what for, and who says so."""

    kind: str
    condition: Expr
    share: Expr | None
    why: str
    cites: tuple[CiteRef, ...]
    span: Span
    doc: str = ""


@attrs.frozen
class Import:
    """`import "where" [as NAME]`."""

    target: str
    alias: str | None
    span: Span


@attrs.frozen
class Edition:
    """`edition 2026`."""

    year: int
    span: Span


@attrs.frozen
class UnitDecl:
    """`unit seat`."""

    name: Name


Item = Edition | Import | UnitDecl | Block | Statement | Member


@attrs.frozen
class File:
    """One parsed file: its items in order, its comments, and what could not be read."""

    name: str
    text: str
    items: tuple[Item, ...]
    comments: tuple[Name, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


@attrs.frozen
class Call:
    """The name of a call and the keyword of each argument (None: by position)."""

    name: str
    keywords: tuple[str | None, ...]

    def __str__(self) -> str:
        return self.name


def call_arguments(expr: Expr) -> tuple[tuple[Expr, ...], Mapping[str, Expr]]:
    """The positional and the keyword arguments of a `call`."""
    pairs = list(zip(expr.value.keywords, expr.args, strict=True))
    plain = tuple(arg for keyword, arg in pairs if keyword is None)
    return plain, {keyword: arg for keyword, arg in pairs if keyword is not None}
