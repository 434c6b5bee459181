"""Text to syntax tree. The whole file at once where it is right, else piece by piece.

`reader` runs on the tables of the grammar and builds the tree as it goes. A file with a
mistake is read again in `recovery`, one logical line at a time.
"""

import functools
from typing import Any

from isocost.dsl.building import Builder, Unread
from isocost.dsl.reader import Reader
from isocost.dsl.spans import Span
from isocost.dsl.syntax import File, Name
from isocost.dsl.tables import kept


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
    comments = reader().comments
    comments.clear()
    try:
        items = parse_piece(text, file)
    except Unread:
        from isocost.dsl.recovery import recover  # only where there is a mistake

        recovered = recover(text, file)
        comments.clear()
        return File(file, text, *recovered)
    names = tuple(Name(words, Span(file, start, end)) for words, start, end in comments)
    return File(file, text, items, names)
