"""Moves the places of syntax nodes after a change of their text."""

from typing import Any

import attrs

from isocost.dsl.expr import Expr
from isocost.dsl.spans import Span


def shifted(node: Any, *, after: int, by: int) -> Any:
    """A copy of a node (or a tuple of them) whose places behind `after` are moved."""
    if isinstance(node, Span):
        return _moved(node, after, by)
    if isinstance(node, tuple):
        return tuple(shifted(one, after=after, by=by) for one in node)
    if isinstance(node, Expr):
        args = shifted(node.args, after=after, by=by)
        return attrs.evolve(
            node, args=args, span=shifted(node.span, after=after, by=by)
        )
    if attrs.has(type(node)) and any(
        f.name in {"span", "path_span"} for f in attrs.fields(type(node))
    ):
        changes = {
            f.name: shifted(getattr(node, f.name), after=after, by=by)
            for f in attrs.fields(type(node))
        }
        return attrs.evolve(node, **changes)
    return node


def _moved(span: Span, after: int, by: int) -> Span:
    start = max(span.start + by, 0) if span.start >= after else span.start
    end = max(span.end + by, 0) if span.end > after else span.end
    return Span(span.file, min(start, end), max(start, end))
