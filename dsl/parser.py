"""Text to syntax tree. The whole file at once where it is right, else piece by piece.

Lark builds the tree through an inline transformer, so no parse tree ever exists. A
file with a mistake is read again in `recovery`, one top-level item at a time.
"""

import functools
import re
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput

from isocost.dsl.expr import Expr
from isocost.dsl.literal import Literal
from isocost.dsl.spans import Span
from isocost.dsl.syntax import (
    Block,
    Call,
    CiteRef,
    Edition,
    File,
    Import,
    Member,
    Name,
    Statement,
    UnitDecl,
    parse_path,
)
from isocost.dsl.units import parse_unit
from isocost.grammar import text as grammar_text

#: Tokens after which a statement goes on in the next line, and those after which an
#: empty line means nothing.
_GOES_ON = {"ADD", "MUL", "POW", "COMPARE", "PLUS_MINUS", "COMMA", "EQUAL", "_DEFINE"}
_GOES_ON |= {"AND", "OR", "NOT", "IF", "THEN", "ELSE", "TO", "_NL", "DOC"}
_NUMBER = re.compile(
    r"(?P<number>\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)"
    r"(?P<prefix>[kMGT](?![A-Za-z0-9_]))? ?(?P<unit>.*)"
)
_PREFIX = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, None: 1.0}
_ESCAPE = re.compile(r"\\(.)")


class LineEnds:
    """Drops line ends inside brackets, after operators and after doc comments."""

    always_accept = ("_NL",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The token stream as the grammar wants it, ending with a line end."""
        depth = 0
        last = "_NL"
        for token in stream:
            kind = token.type
            if kind == "_NL":
                if depth or last in _GOES_ON:
                    continue
            elif kind in {"LPAR", "LSQB"}:
                depth += 1
            elif kind in {"RPAR", "RSQB"}:
                depth = max(0, depth - 1)
            last = kind
            yield token
        if last != "_NL":
            yield Token("_NL", "\n")


def unquote(token: str) -> str:
    """The text of a string token."""
    return _ESCAPE.sub(r"\1", token[1:-1])


def read_literal(text: str) -> Literal:
    """A number with its unit; an unreadable unit stays as its `UnitProblem`."""
    match = _NUMBER.fullmatch(text)
    assert match is not None  # noqa: S101 (the lexer's own pattern)
    number = float(match["number"].replace("_", "")) * _PREFIX[match["prefix"]]
    name = match["unit"].strip()
    unit: Any = parse_unit(name) if name else None
    return Literal(number, unit, text)


class Builder(Transformer[Token, Any]):
    """Builds syntax nodes while Lark parses; `file` and `offset` are set per parse."""

    file = ""
    offset = 0

    def _span(self, first: Token, last: Token | None = None) -> Span:
        end = (last or first).end_pos
        assert first.start_pos is not None  # noqa: S101 (real tokens have places)
        assert end is not None  # noqa: S101
        return Span(self.file, first.start_pos + self.offset, end + self.offset)

    def _name(self, token: Token) -> Name:
        return Name(str(token), self._span(token))

    # Expressions.
    def quantity(self, children: list[Any]) -> Expr:
        (token,) = children
        return Expr("literal", (), read_literal(str(token)), self._span(token))

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
        (inner,) = children
        return Expr("not", (inner,), None, inner.span)

    def sign(self, children: list[Any]) -> Expr:
        op, inner = children
        span = self._span(op).to(inner.span)
        return Expr("neg", (inner,), None, span) if op == "-" else inner

    def conditional(self, children: list[Any]) -> Expr:
        return Expr("if", tuple(children), None, _join(children[0], children[-1]))

    def group(self, children: list[Any]) -> Expr:
        return children[1]  # type: ignore[no-any-return]

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
            shown = Name(str(unit)[start:], Span(span.file, span.start + start, span.end))
        return Member(
            path=parse_path(str(head)),
            path_span=where,
            formula=formula,
            value=value,
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

    def documented(self, children: list[Any]) -> Any:
        import attrs  # noqa: PLC0415 (already loaded; keeps the header short)

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
            kind=self._name(kind),
            name=self._name(name),
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
            condition=condition,
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
        return Edition(int(read_literal(str(year)).number), self._span(year))

    def unit_decl(self, children: list[Any]) -> UnitDecl:
        (name,) = children
        return UnitDecl(self._name(name))

    def start(self, children: list[Any]) -> tuple[Any, ...]:
        return tuple(children)


def _join(left: Expr, right: Expr) -> Span | None:
    return left.span.to(right.span) if left.span and right.span else None


def _cache_file() -> str | None:
    """Where Lark may keep its tables between runs; None where nothing is writable."""
    import hashlib  # noqa: PLC0415
    import os  # noqa: PLC0415

    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = FilePath(home) / "isocost"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if folder.stat().st_uid != os.getuid() or not os.access(folder, os.W_OK):
            return None
    except OSError:
        return None
    digest = hashlib.blake2b(grammar_text().encode(), digest_size=8).hexdigest()
    return str(folder / f"grammar-{digest}")


class _Machine:
    """The one parser of the process with its builder and the comments it met."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.comments: list[Token] = []
        options: dict[str, Any] = {
            "parser": "lalr",
            "lexer": "contextual",
            "postlex": LineEnds(),
            "maybe_placeholders": True,
            "transformer": self.builder,
            "lexer_callbacks": {"COMMENT": self._comment},
        }
        self.lark = Lark(grammar_text(), cache=_cache_file() or False, **options)

    def _comment(self, token: Token) -> Token:
        self.comments.append(token)
        return token


@functools.cache
def machine() -> _Machine:
    """The parser, built (or read back from its cache) on first use."""
    return _Machine()


def parse_piece(text: str, file: str, offset: int = 0) -> tuple[Any, ...]:
    """The items of a piece of text that stands at `offset` of a file.

    Raises:
        lark.UnexpectedInput: The piece cannot be read; `recovery` turns it into a
            diagnostic.
    """
    engine = machine()
    engine.builder.file, engine.builder.offset = file, offset
    items: tuple[Any, ...] = engine.lark.parse(text)  # type: ignore[assignment]
    return items


def parse(text: str, file: str) -> File:
    """Read one file. Never raises for what a user wrote.

    Args:
        text: The whole text.
        file: Its name, as spans shall carry it.
    """
    machine().comments.clear()
    try:
        items = parse_piece(text, file)
        diagnostics: tuple[Any, ...] = ()
    except UnexpectedInput:
        from isocost.dsl.recovery import recover  # noqa: PLC0415 (only on a mistake)

        machine().comments.clear()
        items, diagnostics = recover(text, file)
    comments = tuple(
        Name(str(c), Span(file, c.start_pos or 0, c.end_pos or 0))
        for c in machine().comments
    )
    return File(file, text, items, comments, diagnostics)
