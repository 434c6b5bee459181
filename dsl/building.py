"""Syntax nodes, built while a text is read, so that no parse tree ever exists.

The methods of `Builder` carry the names of the grammar's rules, which say what they
are. What the grammar lets through and the language does not is `Refused` here.
"""
# ruff: noqa: D102

import math
import re
from typing import Any

import attrs

from isocost.dsl.expr import Expr
from isocost.dsl.literal import Literal
from isocost.dsl.spans import Span
from isocost.dsl.syntax import (
    Block,
    Call,
    CiteRef,
    Edition,
    Import,
    Member,
    Name,
    Statement,
    UnitDecl,
    parse_path,
)
from isocost.dsl.units import parse_unit

_NUMBER = re.compile(
    r"(?P<number>[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?)"
    r"(?P<prefix>[kMGT](?![A-Za-z0-9_]))? ?(?P<unit>.*)"
)
_YEAR = re.compile(r"[0-9]{4}")
_PREFIX = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, None: 1.0}
_ESCAPE = re.compile(r"\\(.)")
#: How deep brackets and operators may nest: far beyond what anybody can read, and
#: far below what the passes over the tree can bear.
MOST_BRACKETS = 64
MOST_LEVELS = 200


class Word(str):
    """A token's text and its place in the text that is being read."""

    __slots__ = ("end_pos", "start_pos")
    start_pos: int
    end_pos: int


class Unread(Exception):  # noqa: N818  # it is the text that is at fault
    """A text cannot be read: `kind` of token stands where one of `wanted` should.

    `kind` is empty where no token can be made out. `start` and `end` are places in the
    text that was read.
    """

    def __init__(self, kind: str, start: int, end: int, wanted: frozenset[str]) -> None:
        super().__init__(kind)
        self.kind = kind
        self.start = start
        self.end = end
        self.wanted = wanted


class Refused(Unread):
    """What the grammar lets through and the language does not."""

    def __init__(self, code: str, start: int, end: int, **args: str) -> None:
        super().__init__("", start, end, frozenset())
        self.code = code
        self.args_ = args


def unquote(token: str) -> str:
    """The text of a string token."""
    return _ESCAPE.sub(r"\1", token[1:-1]) if "\\" in token else token[1:-1]


def read_literal(text: str) -> Literal:
    """A number with its unit; an unreadable unit stays as its `UnitProblem`."""
    match = _NUMBER.fullmatch(text)
    assert match is not None  # noqa: S101 (the lexer's own pattern)
    number = float(match["number"].replace("_", "")) * _PREFIX[match["prefix"]]
    name = match["unit"].strip()
    unit: Any = parse_unit(name) if name else None
    return Literal(number, unit, text)


class Builder:
    """Builds syntax nodes from the values of the symbols of a rule.

    `file` and `offset`, which its spans carry, are set for each text.
    """

    file = ""
    offset = 0

    def _span(self, first: Word, last: Word | None = None) -> Span:
        end = (last or first).end_pos
        return Span(self.file, first.start_pos + self.offset, end + self.offset)

    def _name(self, token: Word) -> Name:
        return Name(str(token), self._span(token))

    def _plain_name(self, token: Word) -> Name:
        """A name that is being given, which is one word."""
        if "." in token or "[" in token:
            raise self._refused("S001", self._span(token), token, "one-word")
        return self._name(token)

    def _refused(self, code: str, span: Span, found: str, expected: str) -> Refused:
        start, end = span.start - self.offset, span.end - self.offset
        return Refused(code, start, end, found=found, expected=expected)

    def _bounded(self, expr: Expr) -> Expr:
        """The tree, if it is no deeper than the passes over it can bear."""
        if expr.args and depth(expr) > MOST_LEVELS:
            span = expr.span or Span(self.file, self.offset, self.offset)
            start, end = span.start - self.offset, span.end - self.offset
            raise Refused("S007", start, end, limit=str(MOST_LEVELS))
        return expr

    # Expressions.
    def quantity(self, children: list[Any]) -> Expr:
        (token,) = children
        literal = read_literal(str(token))
        if literal.number == math.inf:
            raise self._refused("S001", self._span(token), token, "smaller-number")
        return Expr("literal", (), literal, self._span(token))

    def path(self, children: list[Any]) -> Expr:
        (token,) = children
        return Expr("path", (), parse_path(str(token)), self._span(token))

    def text(self, children: list[Any]) -> Expr:
        (token,) = children
        return Expr("text", (), unquote(token), self._span(token))

    def date(self, children: list[Any]) -> Expr:
        (token,) = children
        return Expr("date", (), str(token), self._span(token))

    def binary(self, children: list[Any]) -> Expr:
        left, op, right = children
        return Expr(str(op), (left, right), None, left.span.to(right.span))

    compare = binary

    def _pair(self, op: str, left: Expr, right: Expr) -> Expr:
        return Expr(op, (left, right), None, _join(left, right))

    def or_(self, children: list[Any]) -> Expr:
        return self._pair("or", *children)

    def and_(self, children: list[Any]) -> Expr:
        return self._pair("and", *children)

    def interval(self, children: list[Any]) -> Expr:
        return self._pair("interval", *children)

    def tolerance(self, children: list[Any]) -> Expr:
        left, _, right = children
        return self._pair("tolerance", left, right)

    def not_(self, children: list[Any]) -> Expr:
        word, inner = children
        return Expr("not", (inner,), None, self._span(word).to(inner.span))

    def sign(self, children: list[Any]) -> Expr:
        op, inner = children
        span = self._span(op).to(inner.span)
        return Expr("neg", (inner,), None, span) if op == "-" else inner

    def conditional(self, children: list[Any]) -> Expr:
        word, *branches = children
        span = self._span(word).to(branches[-1].span)
        return Expr("if", tuple(branches), None, span)

    def group(self, children: list[Any]) -> Expr:
        opening, inner, closing = children
        return Expr(inner.op, inner.args, inner.value, self._span(opening, closing))

    def list_(self, children: list[Any]) -> Expr:
        items = tuple(c for c in children[1:-1] if c is not None)
        return Expr("list", items, None, self._span(children[0], children[-1]))

    def choice(self, children: list[Any]) -> Expr:
        span = self._span(children[0], children[-1])
        return Expr("choice", tuple(children[1:-1]), None, span)

    def named(self, children: list[Any]) -> tuple[str, Expr]:
        name, value = children
        return str(name), value

    def call(self, children: list[Any]) -> Expr:
        head, _, *arguments, close = children
        pairs = [a if isinstance(a, tuple) else (None, a) for a in arguments]
        call = Call(str(head), tuple(keyword for keyword, _ in pairs))
        args = tuple(value for _, value in pairs)
        return Expr("call", args, call, self._span(head, close))

    # Statements.
    def cite(self, children: list[Any]) -> CiteRef:
        key, locator = children
        span = self._span(key, locator)
        return CiteRef(str(key)[1:], unquote(locator) if locator else "", span)

    def _make_member(self, children: list[Any], *, formula: bool, let: bool) -> Member:
        head, value, unit, *cites = children
        last = cites[-1].span if cites else self._span(unit) if unit else value.span
        where = self._span(head)
        shown = None
        if unit is not None:
            start = len(unit) - len(str(unit)[2:].lstrip())
            span = self._span(unit)
            shown = Name(
                str(unit)[start:], Span(span.file, span.start + start, span.end)
            )
        return Member(
            path=parse_path(str(head)),
            path_span=where,
            formula=formula,
            value=self._bounded(value),
            unit=shown,
            cites=tuple(cites),
            span=where.to(last),
            let=let,
        )

    def value(self, children: list[Any]) -> Member:
        return self._make_member(children, formula=False, let=False)

    def formula(self, children: list[Any]) -> Member:
        return self._make_member(children, formula=True, let=False)

    def let(self, children: list[Any]) -> Member:
        return self._make_member(children, formula=True, let=True)

    def let_value(self, children: list[Any]) -> Member:
        head, _, *rest = children
        return self._make_member([head, *rest], formula=False, let=True)

    def deny(self, children: list[Any]) -> Member:
        condition, why = children
        span = condition.span.to(self._span(why)) if why else condition.span
        return Member(
            path=parse_path("deny"),
            path_span=condition.span,
            formula=True,
            value=self._bounded(condition),
            unit=None,
            cites=(),
            span=span,
            why=unquote(why) if why else "",
            deny=True,
        )

    def documented(self, children: list[Any]) -> Any:
        *docs, item = children
        if not hasattr(item, "doc"):
            return item
        words = "\n".join(str(doc)[3:].strip() for doc in docs)
        return attrs.evolve(item, doc=words)

    documented_member = documented

    def members(self, children: list[Any]) -> tuple[Member, ...]:
        return tuple(c for c in children if c is not None)

    def block(self, children: list[Any]) -> Block:
        kind, name, title, base, _, members, close = children
        return Block(
            kind=self._plain_name(kind),
            name=self._plain_name(name),
            title=unquote(title) if title else "",
            base=self._name(base) if base else None,
            members=members,
            span=self._span(kind, close),
        )

    def _make_statement(self, kind: str, children: list[Any]) -> Statement:
        condition, share, why, *cites = children
        last = condition.span
        if share is not None:
            last = self._span(share)
        if why is not None:
            last = self._span(why)
        if cites:
            last = cites[-1].span
        return Statement(
            kind=kind,
            condition=self._bounded(condition),
            share=self.quantity([share]) if share else None,
            why=unquote(why) if why else "",
            cites=tuple(cites),
            span=condition.span.to(last),
        )

    def check(self, children: list[Any]) -> Statement:
        return self._make_statement("check", children)

    def claim(self, children: list[Any]) -> Statement:
        return self._make_statement("claim", children)

    def import_(self, children: list[Any]) -> Import:
        target, alias = children
        span = self._span(target, alias)
        return Import(unquote(target), str(alias) if alias else None, span)

    def edition(self, children: list[Any]) -> Edition:
        (year,) = children
        if not _YEAR.fullmatch(year):
            raise self._refused("S001", self._span(year), year, "year")
        return Edition(int(year), self._span(year))

    def unit_decl(self, children: list[Any]) -> UnitDecl:
        (name,) = children
        if not name.isalpha():
            raise self._refused("S001", self._span(name), name, "letters")
        return UnitDecl(self._name(name))

    def start(self, children: list[Any]) -> tuple[Any, ...]:
        return tuple(children)


def depth(expr: Expr) -> int:
    """The number of levels of a tree, found without recursion."""
    levels = 0
    row = [expr]
    while row and levels <= MOST_LEVELS:
        levels += 1
        row = [arg for node in row for arg in node.args if arg.args]
    return levels


def _join(left: Expr, right: Expr) -> Span | None:
    return left.span.to(right.span) if left.span and right.span else None
