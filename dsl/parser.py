"""Text to syntax tree. The whole file at once where it is right, else piece by piece.

`reader` runs on the tables of the grammar and builds the tree as it goes. A file with a
mistake is read again in `recovery`, one logical line at a time.
"""

import functools
import re
from collections.abc import Iterator
from typing import Any

from isocost.dsl.building import Builder, Unread
from isocost.dsl.diagnostics import Diagnostic, Fix, at
from isocost.dsl.reader import Reader
from isocost.dsl.spans import Span
from isocost.dsl.syntax import File, Name
from isocost.dsl.tables import kept

#: Characters that turn the direction of writing for what follows (Unicode UAX 9).
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")


@functools.cache
def reader() -> Reader:
    """The one reader of the process, made on first use."""
    return Reader(kept(), Builder())


def parse_piece(text: str, file: str, offset: int = 0) -> tuple[Any, ...]:
    """The items of a piece of text that stands at `offset` of a file.

    Raises:
        Unread: The piece cannot be read; `recovery` turns it into a diagnostic.
    """
    engine = reader()
    engine.builder.file, engine.builder.offset = file, offset
    items: tuple[Any, ...] = engine.read(text)
    return items


def parse(text: str, file: str) -> File:
    """Read one file. Never raises for what a user wrote.

    In a file with mistakes the comments are those that `recovery` found.

    Args:
        text: The whole text.
        file: Its name, as spans shall carry it.
    """
    turned = () if text.isascii() else tuple(_turned(text, file))
    comments = reader().comments
    comments.clear()
    try:
        items = parse_piece(text, file)
    except Unread:
        from isocost.dsl.recovery import recover  # only where there is a mistake

        items, found, faults = recover(text, file)
        comments.clear()
        return File(file, text, items, found, (*faults, *turned))
    names = tuple(Name(words, Span(file, start, end)) for words, start, end in comments)
    return File(file, text, items, names, turned)


def _turned(text: str, file: str) -> Iterator[Diagnostic]:
    """The first character of each line that makes it look other than it reads."""
    line = -1
    for match in _TURNING.finditer(text):
        if match.start() < line:
            continue
        end = text.find("\n", match.end())
        line = len(text) if end < 0 else end
        span = Span(file, *match.span())
        fix = Fix("", span, "", safe=False)
        code = f"U+{ord(match[0]):04X}"
        yield at("S008", span, character=code, fixes=[fix])
