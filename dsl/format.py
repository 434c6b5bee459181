"""The canonical form of a scenario file. Changes white space only.

Two spaces of indent in a block, one fact a line, nothing aligned by column, at most
one empty line in a row. Line breaks inside brackets and after operators stay where
the author put them. Works on the tokens, so that every one of them comes out again.
"""

import functools
import re
from collections.abc import Iterator
from typing import Any

import attrs

from isocost.dsl.diagnostics import Diagnostic, failed
from isocost.dsl.expr import Expr
from isocost.dsl.parser import parse, reader
from isocost.dsl.spans import Span
from isocost.dsl.syntax import File, parse_path

_INDENT = "  "
#: Terminals of the grammar in the order in which they are tried.
_TERMINALS = ("DOC", "COMMENT", "STRING", "IN_UNIT", "DATE", "QUANTITY", "PATH", "CITE")
_SIGNS = r"(?P<SIGN>:=|<=|>=|==|!=|\+-|[-+*/^<>=±,(){}\[\]])"
_BINARY = {"*", "/", "^", "<", ">", "<=", ">=", "==", "!=", "=", ":=", "±", "+-"}
_WORDS = {"if", "then", "else", "and", "or", "not", "to"}
_STARTING = {"let", "deny", "check", "claim", "edition", "import", "unit"}
_OPENING, _CLOSING = set("([{"), set(")]}")


def format_text(text: str, file: str) -> str | list[Diagnostic]:
    """The canonical form of a text.

    Args:
        text: The whole file.
        file: Its name, as diagnostics shall carry it.

    Returns:
        The formatted text, or the diagnostics of a text that cannot be read.
    """
    parsed = parse(text, file)
    if failed(parsed.diagnostics):
        return list(parsed.diagnostics)
    formatted = lay_out(text)
    if not same_meaning(parsed, parse(formatted, file)):
        return text
    return formatted


def same_meaning(a: File, b: File) -> bool:
    """Whether two files say the same and carry the same comments."""
    comments = [[c.text.rstrip() for c in file.comments] for file in (a, b)]
    return comments[0] == comments[1] and placeless(a.items) == placeless(b.items)


def placeless(node: Any) -> Any:
    """A syntax node as nested tuples without its places."""
    if isinstance(node, Span):
        return None
    if isinstance(node, Expr):
        return node
    if isinstance(node, tuple):
        return tuple(placeless(one) for one in node)
    if attrs.has(type(node)):
        values = (getattr(node, field.name) for field in attrs.fields(type(node)))
        return (type(node).__name__, *(placeless(value) for value in values))
    return node


@attrs.frozen
class Token:
    """A token or comment, and the number of line ends before it."""

    kind: str
    text: str
    breaks: int


@functools.cache
def _pattern() -> re.Pattern[str]:
    by_name = reader().tables.terminals
    named = (f"(?P<{name}>{by_name[name]})" for name in _TERMINALS)
    return re.compile("|".join([*named, _SIGNS]))


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text that can be parsed, comments among them."""
    last = 0
    for match in _pattern().finditer(text):
        breaks = text.count("\n", last, match.start())
        last = match.end()
        kind = match.lastgroup or ""
        yield Token(kind, _spelled(kind, match.group()), breaks)


def _spelled(kind: str, text: str) -> str:
    match kind:
        case "DOC":
            return f"/// {text[3:].strip()}".rstrip()
        case "COMMENT":
            return text.rstrip()
        case "PATH":
            return str(parse_path(text))
        case "IN_UNIT":
            return f"in {text[2:].strip()}"
        case _:
            return text


def lay_out(text: str) -> str:
    """The canonical form of a text that can be parsed."""
    end = "\r\n" if "\r\n" in text.partition("\n")[0] + "\n" else "\n"
    printer = _Printer()
    for token in tokens(text):
        printer.add(token)
    lines = printer.finish()
    return end.join([*lines, ""]) if lines else ""


class _Printer:
    """Takes tokens one by one and keeps the lines so far."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line = ""
        self.last: Token | None = None
        self.unary = False
        self.first = ""
        self.in_block = False
        self.brackets: list[str] = []
        self.opened = False
        self.closed = False

    def add(self, token: Token) -> None:
        """Put one token."""
        if token.kind == "COMMENT":
            self._comment(token)
            return
        closing = token.text == "}" and not self.brackets
        if token.kind == "DOC" or closing or self.closed or self._ends(token):
            self._new_statement(token, closing=closing)
        elif token.breaks:
            self._break(token)
        if token.text in _CLOSING and self.brackets:
            self.brackets.pop()
        self.line += self._gap(token) + token.text
        self._after(token, closing=closing)

    def finish(self) -> list[str]:
        """All lines."""
        self._end_line()
        return self.lines

    def _comment(self, token: Token) -> None:
        beside = token.breaks == 0 and self.line.strip()
        if beside:
            self.line = f"{self.line.rstrip()}  {token.text}"
            return
        between = self._between()
        self._end_line()
        if between:
            self._empty_line(token)
        inside = 0 if between else max(len(self.brackets), 1)
        self.line = self._indent() + _INDENT * inside + token.text

    def _between(self) -> bool:
        """Whether no statement is under way."""
        return self.last is None or self.opened or self.closed or self._complete()

    def _complete(self) -> bool:
        """Whether the last token may end a statement."""
        last = self.last
        if last is None or last.kind == "DOC":
            return True
        going_on = last.text in _BINARY or last.text in {"+", "-", ",", *_WORDS}
        return not (self.brackets or (going_on and last.kind in {"SIGN", "PATH"}))

    def _ends(self, token: Token) -> bool:
        """Whether a statement has ended before this token."""
        return self.opened or ((token.breaks > 0 or self._doc()) and self._complete())

    def _doc(self) -> bool:
        return self.last is not None and self.last.kind == "DOC"

    def _new_statement(self, token: Token, *, closing: bool) -> None:
        self._end_line()
        if not closing and not self._doc():
            self._empty_line(token)
        if closing:
            self.in_block = False
        self.line = self._indent()
        self.first, self.last, self.unary = "", None, False
        self.opened = self.closed = False

    def _empty_line(self, token: Token) -> None:
        """Keep one of the empty lines before a token, none at the start of a block."""
        after_brace = self.opened and self.lines and self.lines[-1].endswith("{")
        if token.breaks > 1 and self.lines and self.lines[-1] and not after_brace:
            self.lines.append("")

    def _break(self, token: Token) -> None:
        self._end_line()
        depth = len(self.brackets) - (token.text in _CLOSING)
        extra = max(depth, 0 if token.text in _CLOSING else 1)
        self.line = self._indent() + _INDENT * extra

    def _end_line(self) -> None:
        if self.line.strip():
            self.lines.append(self.line.rstrip())
        self.line = ""

    def _indent(self) -> str:
        return _INDENT if self.in_block else ""

    def _after(self, token: Token, *, closing: bool) -> None:
        """Take note of what a token opens or closes."""
        self.opened, self.closed = False, closing
        if not self.first and token.kind != "DOC":
            self.first = token.text
        if token.text in _OPENING:
            if token.text == "{" and self._is_header():
                self.in_block = self.opened = True
            else:
                self.brackets.append(token.text)
        self.unary = token.text in {"+", "-"} and self._wants_operand()
        self.last = token

    def _is_header(self) -> bool:
        return not self.in_block and not self.brackets and self.first not in _STARTING

    def _wants_operand(self) -> bool:
        """Whether a sign now would belong to the number after it."""
        last = self.last
        if last is None or last.text in _OPENING or last.text == ",":
            return True
        if last.kind == "SIGN":
            return last.text in _BINARY or last.text in {"+", "-"}
        starts = last.text == self.first and last.text in _STARTING
        return starts or last.text in _WORDS

    def _gap(self, token: Token) -> str:
        """The space before a token."""
        last = self.last
        if last is None or not self.line.strip():
            return ""
        if token.text in {")", "]", ","}:
            return ""
        if token.text == "}":
            return ""
        if last.kind == "SIGN" and last.text in _OPENING:
            return ""
        if self.unary:
            return " " if token.text in {"+", "-"} else ""
        if token.text == "(" and last.kind == "PATH":
            keyword = last.text in _WORDS or last.text == self.first
            return " " if keyword and last.text in _WORDS | _STARTING else ""
        return " "
