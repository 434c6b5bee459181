"""Numbers that know where they come from, for pages that compute them again.

A `Traced` is a float with the tree behind it, over symbols that name nodes of the
graph. Sections and charts calculate with it as with any float and need not know; a
number formatted by `numbers.py` becomes a text with a mark in it, which the writer of
a page finds again. Where a section compares two of them, the comparison is noted: if
it would come out otherwise later, what the section says needs another look.
"""

import functools
import inspect
import math
import re
from collections.abc import Callable
from typing import Any, ParamSpec, Self

import attrs

from isocost.dsl.expr import Expr, lift, symbol

#: Around a marked number: its identity, the text as it is now, the end.
OPEN, MIDDLE, CLOSE = "\ue000", "\ue001", "\ue002"
#: Around a text that has variants, which may hold marked numbers.
VARY, VARIED, END = "\ue003", "\ue004", "\ue005"
MARKED = re.compile(f"{OPEN}(\\+?)([0-9]+){MIDDLE}([^{OPEN}{MIDDLE}{CLOSE}]*){CLOSE}")
VARYING = re.compile(f"{VARY}([0-9]+){VARIED}([^{VARY}{END}]*){END}")
_SIGNS = re.compile("[\ue000-\ue005]")
_P = ParamSpec("_P")


@attrs.frozen
class Form:
    """How a marked number is written: a function of `numbers.py` and what it takes."""

    name: str
    expr: Expr
    options: tuple[Any, ...]
    frozen: bool


@attrs.frozen
class Variant:
    """A text that has others: what it says now, and when it would say something else.

    About a ranking: `nodes` are the ranked numbers in today's order, and `texts` go by
    the indices in it that take the `places`. About conditions: `cases` are their nodes
    (None: always), the first that holds counts, and `texts` go by its index.
    """

    nodes: tuple[int, ...]
    most: bool
    places: tuple[int, ...]
    texts: tuple[tuple[tuple[int, ...], str], ...]
    cases: tuple[int | None, ...] = ()


@attrs.define(eq=False)
class Book:
    """Everything traced in one document: forms of texts, comparisons, what-ifs.

    Comparisons are noted for the `section` that is being built; for None, not at all.
    """

    forms: dict[Form, int] = attrs.field(factory=dict)
    texts: list[str] = attrs.field(factory=list)
    variants: dict[Variant, int] = attrs.field(factory=dict)
    section: str | None = None
    conditions: dict[str, dict[Expr, bool]] = attrs.field(factory=dict)
    #: Frozen numbers that a section's words rest on.
    stale: dict[str, dict[Expr, None]] = attrs.field(factory=dict)
    #: What-ifs by symbol: the wanted node with one node at another value.
    moves: dict[tuple[int, int, float], str] = attrs.field(factory=dict)

    def node(self, node: int, value: float, *, frozen: bool = False) -> "Traced":
        """A node's number; `frozen` ones only tell whether they are still true."""
        return Traced(value, symbol(f"v{node}"), self, frozen=frozen)

    def moved(self, wanted: int, node: int, to: float, value: float) -> "Traced":
        """The number of one node where another is at `to`."""
        name = self.moves.setdefault((wanted, node, to), f"w{len(self.moves)}")
        return Traced(value, symbol(name), self)

    def mark(self, form: Form, text: str) -> str:
        """`text` with the mark of its form."""
        at = self.forms.setdefault(form, len(self.forms))
        if at == len(self.texts):
            self.texts.append(text)
        return f"{OPEN}{at}{MIDDLE}{text}{CLOSE}"

    def vary(self, variant: Variant) -> str:
        """Today's text of a variant, marked as one of several."""
        at = self.variants.setdefault(variant, len(self.variants))
        now = dict(variant.texts)[variant.places]
        return f"{VARY}{at}{VARIED}{now}{END}"

    def note(self, condition: Expr, *, outcome: bool) -> None:
        """A comparison that the section being built rests on."""
        if self.section is not None:
            self.conditions.setdefault(self.section, {})[condition] = outcome

    def rest(self, *frozen: Expr) -> None:
        """Frozen numbers that the section being built compares with something."""
        if self.section is not None:
            self.stale.setdefault(self.section, {}).update(dict.fromkeys(frozen))


def _tree(other: Any) -> Expr:
    return other.expr if isinstance(other, Traced) else lift(float(other))


class Traced(float):
    """A number and the tree behind it; arithmetic keeps both."""

    __slots__ = ("book", "expr", "frozen")
    expr: Expr
    book: Book
    frozen: bool

    def __new__(
        cls, value: float, expr: Expr, book: Book, *, frozen: bool = False
    ) -> Self:
        """The number `value`, which is what `expr` gives now."""
        made = super().__new__(cls, value)
        made.expr, made.book, made.frozen = expr, book, frozen
        return made

    def _made(self, value: float, expr: Expr, other: Any = None) -> "Traced":
        traced = isinstance(other, Traced)
        if not (self.frozen or (traced and other.frozen)):
            return Traced(value, expr, self.book)
        # What it rests on, not what it is: a quotient of two could seem unchanged.
        rests = self.expr
        if traced and other.expr != rests:
            rests = rests + other.expr
        return Traced(value, rests, self.book, frozen=True)

    def __add__(self, other: float) -> "Traced":
        return self._made(float(self) + float(other), self.expr + _tree(other), other)

    def __radd__(self, other: float) -> "Traced":
        if not other:  # what `sum` starts from
            return self
        return self._made(float(other) + float(self), _tree(other) + self.expr, other)

    def __sub__(self, other: float) -> "Traced":
        return self._made(float(self) - float(other), self.expr - _tree(other), other)

    def __rsub__(self, other: float) -> "Traced":
        return self._made(float(other) - float(self), _tree(other) - self.expr, other)

    def __mul__(self, other: float) -> "Traced":
        return self._made(float(self) * float(other), self.expr * _tree(other), other)

    def __rmul__(self, other: float) -> "Traced":
        return self._made(float(other) * float(self), _tree(other) * self.expr, other)

    def __truediv__(self, other: float) -> "Traced":
        return self._made(float(self) / float(other), self.expr / _tree(other), other)

    def __rtruediv__(self, other: float) -> "Traced":
        return self._made(float(other) / float(self), _tree(other) / self.expr, other)

    def __neg__(self) -> "Traced":
        return self._made(-float(self), -self.expr)

    def __abs__(self) -> "Traced":
        return self._made(abs(float(self)), Expr("abs", (self.expr,)))

    def __pow__(self, other: float, mod: None = None) -> Any:
        del mod
        return self._made(float(self) ** float(other), self.expr ** _tree(other), other)

    def __lt__(self, other: float) -> bool:
        return self._compared("<", float(self) < float(other), other)

    def __le__(self, other: float) -> bool:
        return self._compared("<=", float(self) <= float(other), other)

    def __gt__(self, other: float) -> bool:
        return self._compared(">", float(self) > float(other), other)

    def __ge__(self, other: float) -> bool:
        return self._compared(">=", float(self) >= float(other), other)

    def _compared(self, op: str, outcome: bool, other: float) -> bool:
        pair = [self, other] if isinstance(other, Traced) else [self]
        frozen = [one.expr for one in pair if one.frozen]
        if frozen:
            self.book.rest(*frozen)
        elif len(pair) > 1 and float(self) != float(other):
            self.book.note(Expr(op, (self.expr, _tree(other))), outcome=outcome)
        return outcome

    __eq__ = float.__eq__
    __hash__ = float.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return float, (float(self),)


def traced(function: Callable[_P, str]) -> Callable[_P, str]:
    """A function of `numbers.py` that marks its text where a number is traced."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def writing(*args: _P.args, **named: _P.kwargs) -> str:
        found = [arg for arg in args if isinstance(arg, Traced)]
        if not found:
            return function(*args, **named)
        plain = [float(arg) if isinstance(arg, Traced) else arg for arg in args]
        text = function(*plain, **named)  # type: ignore[arg-type]
        if not math.isfinite(found[0]):
            return text
        bound = signature.bind(*plain, **named)
        bound.apply_defaults()
        options = tuple(bound.arguments.values())[1:]
        frozen = len(found) > 1 or found[0].frozen
        expr = found[0].expr
        for one in found[1:]:
            # Two numbers in one text (an interval) only tell whether it still holds.
            expr = expr + one.expr
        form = Form(function.__name__, expr, options, frozen)
        return found[0].book.mark(form, text)

    return writing


def signed_mark(text: str) -> str:
    """A marked text whose sign is always shown."""
    return text.replace(OPEN, f"{OPEN}+", 1) if f"{OPEN}+" not in text else text


def bare(text: str) -> str:
    """`text` without marks: what is read now."""
    if not _SIGNS.search(text):
        return text
    return _SIGNS.sub("", MARKED.sub(r"\3", VARYING.sub(r"\2", text)))


#: A piece of a text: plain, a marked number (form, text, signed), or a variant with
#: the pieces of today's text.
Piece = str | tuple[int, str, bool] | tuple[int, list[Any]]


def pieces(text: str) -> list[Piece]:
    """`text` cut into plain strings, marked numbers and texts with variants."""
    out: list[Piece] = []
    at = 0
    for found in VARYING.finditer(text):
        out += _numbers(text[at : found.start()])
        out.append((int(found[1]), _numbers(found[2])))
        at = found.end()
    return out + _numbers(text[at:])


def _numbers(text: str) -> list[Piece]:
    out: list[Piece] = []
    at = 0
    for found in MARKED.finditer(text):
        if found.start() > at:
            out.append(_SIGNS.sub("", text[at : found.start()]))
        out.append((int(found[2]), found[3], bool(found[1])))
        at = found.end()
    if at < len(text):
        out.append(_SIGNS.sub("", text[at:]))
    return out
