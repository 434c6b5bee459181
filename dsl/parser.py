"""Text to syntax tree. The whole file at once where it is right, else piece by piece.

Lark builds the tree through an inline transformer (`building`), so no parse tree ever
exists. A file with a mistake is read again in `recovery`, one logical line at a time.
"""

import functools
import os
from collections.abc import Iterator
from typing import Any

from lark import Lark, Token, UnexpectedInput

from isocost.dsl.building import MOST_BRACKETS, MOST_LEVELS, Builder, Refused
from isocost.dsl.cache import cache_folder
from isocost.dsl.spans import Span
from isocost.dsl.syntax import File, Name
from isocost.grammar import text as grammar_text

#: Tokens after which a statement goes on in the next line, and those after which an
#: empty line means nothing.
GOES_ON = {"ADD", "MUL", "POW", "COMPARE", "PLUS_MINUS", "COMMA", "LET_EQ", "_DEFINE"}
GOES_ON |= {"_AND", "_OR", "NOT", "IF", "_THEN", "_ELSE", "_TO", "_NL", "DOC"}
#: Operators whose chains nest, and so many that no formula under the limit has them:
#: such a text is refused while it is read, not after a tree of it has been built.
_CHAINS = {"ADD", "MUL", "POW"}
MOST_OPERATORS = 20 * MOST_LEVELS


class LineEnds:
    """Drops line ends inside brackets, after operators and after doc comments."""

    always_accept = ("_NL",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The token stream as the grammar wants it, ending with a line end."""
        depth = chained = 0
        last = "_NL"
        for token in stream:
            kind = token.type
            if kind == "_NL":
                if depth or last in GOES_ON:
                    continue
                chained = 0
            elif kind in _CHAINS:
                chained += 1
                if chained > MOST_OPERATORS:
                    start = token.start_pos or 0
                    raise Refused("S007", start, start + 1, limit=str(MOST_LEVELS))
            elif kind == "COMMA":
                chained = 0
            elif kind in {"LPAR", "LSQB"}:
                depth += 1
                if depth > MOST_BRACKETS:
                    start = token.start_pos or 0
                    raise Refused("S007", start, start + 1, limit=str(MOST_BRACKETS))
            elif kind in {"RPAR", "RSQB"}:
                depth = max(0, depth - 1)
            last = kind
            yield token
        if last != "_NL":
            yield Token("_NL", "\n")


def _cache_file() -> str | None:
    """Where Lark may keep its tables between runs; None where nothing is writable."""
    import hashlib

    folder = cache_folder()
    digest = hashlib.blake2b(grammar_text().encode(), digest_size=8).hexdigest()
    return None if folder is None else os.path.join(folder, f"grammar-{digest}")


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

    In a file with mistakes the comments are those that `recovery` found.

    Args:
        text: The whole text.
        file: Its name, as spans shall carry it.
    """
    comments = machine().comments
    comments.clear()
    try:
        items = parse_piece(text, file)
    except UnexpectedInput:
        from isocost.dsl.recovery import recover  # only where there is a mistake

        comments.clear()
        recovered = recover(text, file)
        return File(file, text, *recovered)
    places = ((str(c), c.start_pos or 0, c.end_pos or 0) for c in comments)
    names = tuple(Name(words, Span(file, start, end)) for words, start, end in places)
    return File(file, text, items, names)
