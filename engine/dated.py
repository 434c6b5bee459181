"""Dated quantities: points stated by period, read in a period or on a day.

A `flow` is what passes in a period and a `stock` what there is at its end, both in
steps that hold until the next point; a `level` is log-linear between the middles of
its points. Past the last point all are flat, and the result says so. What is built
are nodes over the stated points, so that derivatives and draws run through.
"""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from isocost.dsl.dates import Period, read_period
from isocost.dsl.document import Block
from isocost.dsl.expr import Expr, total, where
from isocost.dsl.schema.base import Attribute
from isocost.dsl.syntax import Part, Path, parse_path
from isocost.engine.formula import Formula, p

if TYPE_CHECKING:
    from isocost.engine.scope import Node, Scope


@attrs.frozen(order=True)
class Point:
    """One stated point: its period and its path in the block."""

    period: Period
    path: str = attrs.field(order=False)


@attrs.frozen
class Series:
    """All points of a dated quantity, in the order of their dates."""

    block: Block
    path: str
    attribute: Attribute
    points: tuple[Point, ...]


def parts(path: Path, attribute: Attribute) -> tuple[Path, Period | None] | None:
    """A path without its date, and the date; None if it can be no dated one."""
    if not attribute.flow or not attribute.keys[-1].startswith("date"):
        return None
    last = path.parts[-1]
    keys, wanted = last.keys, len(attribute.keys)
    if len(keys) == wanted - 1:
        return path, None
    period = read_period(keys[-1]) if len(keys) == wanted else None
    if period is None:
        return None
    return Path((*path.parts[:-1], Part(last.name, keys[:-1]))), period


def series_of(scope: "Scope", block: Block, path: Path) -> Series | None:
    """The points that a block, or this scenario, states for a path without date."""
    attribute = block.kind.find(path)
    split = parts(path, attribute) if attribute else None
    if attribute is None or split is None:
        return None
    plain = str(split[0])
    found = []
    for text in scope.stated_paths(block):
        one = parse_path(text)
        if one.pattern != attribute.path:
            continue
        other = parts(one, attribute)
        if other is not None and other[1] is not None and str(other[0]) == plain:
            found.append(Point(other[1], text))
    return Series(block, plain, attribute, tuple(sorted(found))) if found else None


@functools.cache
def _weighted(count: int, unit: str) -> Formula:
    names = [f"x_{i + 1}" for i in range(count)]
    weights = [f"w_{i + 1}" for i in range(count)]

    def add(**given: Expr) -> Expr:
        terms = [given[w] * given[x] for w, x in zip(weights, names, strict=True)]
        return total(*terms)

    params = {name: p(unit, name, "a point") for name in names}
    params |= {name: p("1", name, "share of it in the period") for name in weights}
    doc = "What passes in a period: its share of each point's."
    return Formula(
        f"flow_of_{count}",
        unit,
        params,
        add,
        valid="what a point states passes evenly over its period",
        source="edition 2026",
        doc=doc,
    )


@functools.cache
def _between(unit: str) -> Formula:
    def level(earlier: Expr, later: Expr, share: Expr) -> Expr:
        steady = earlier * (later / earlier) ** share
        return where(earlier * later > 0, steady, earlier + (later - earlier) * share)

    params = {
        "earlier": p(unit, "x_0", "the point before"),
        "later": p(unit, "x_1", "the point after"),
        "share": p("1", "f", "share of the time between them that has passed"),
    }
    doc = "A level between two points, at a steady relative rate."
    return Formula(
        "level_between",
        unit,
        params,
        level,
        valid="0 <= share <= 1; between the points",
        source="edition 2026",
        doc=doc,
    )


def _note(scope: "Scope", node: int, series: Series, where_: str) -> int:
    """A node of its own that says that it lies outside what is stated."""
    made = scope.apply(
        _weighted(1, series.attribute.unit), x_1=scope.as_node(node), w_1=1.0
    )
    ends = series.points[-1] if where_ == "past" else series.points[0]
    name = f"{series.block.label}.{series.path}"
    word = "last" if where_ == "past" else "first"
    text = f"{name} taken flat {where_} {ends.period.text}, its {word} point"
    scope.builder.notes[made] = text
    return made


def _flow(scope: "Scope", series: Series, wanted: Period) -> int:
    """What passes in a period: a point's rate holds until the next one starts."""
    points = series.points
    terms: list[tuple[int, float]] = []
    for i, point in enumerate(points):
        last = i + 1 == len(points)
        until = (
            max(wanted.end, point.period.end) if last else points[i + 1].period.start
        )
        held = Period(point.period.start, until)
        months = held.shared(wanted)
        if months:
            node = scope.of_block(series.block, point.path)
            terms.append((node, months / point.period.months))
    beyond = wanted.end > points[-1].period.end
    if not terms:
        return scope.builder.constant(0.0)
    if len(terms) == 1 and terms[0][1] == 1 and not beyond:
        return terms[0][0]
    made = _add(scope, series, terms)
    return _note(scope, made, series, "past") if beyond else made


def _add(scope: "Scope", series: Series, terms: Sequence[tuple[int, float]]) -> int:
    """The node of a weighted sum."""
    args: dict[str, Node | float] = {}
    for i, (node, share) in enumerate(terms):
        args |= {f"x_{i + 1}": scope.as_node(node), f"w_{i + 1}": share}
    return scope.apply(_weighted(len(terms), series.attribute.unit), **args)


def _step(scope: "Scope", series: Series, end: int) -> int:
    """The stock at the end of a period."""
    reached = [point for point in series.points if point.period.end <= end]
    if not reached:
        return scope.builder.constant(0.0)
    node = scope.of_block(series.block, reached[-1].path)
    past = reached[-1] is series.points[-1] and end > reached[-1].period.end
    return _note(scope, node, series, "past") if past else node


def _level(scope: "Scope", series: Series, wanted: Period) -> int:
    at = wanted.middle
    points = series.points
    after = next((i for i, pt in enumerate(points) if pt.period.middle >= at), None)
    if after is None or (after == 0 and points[0].period.middle > at):
        edge = points[-1] if after is None else points[0]
        node = scope.of_block(series.block, edge.path)
        if edge.period.shared(wanted):
            return node
        return _note(scope, node, series, "past" if after is None else "before")
    later = points[after]
    if later.period.middle == at:
        return scope.of_block(series.block, later.path)
    earlier = points[after - 1]
    span = later.period.middle - earlier.period.middle
    return scope.apply(
        _between(series.attribute.unit),
        earlier=scope.as_node(scope.of_block(series.block, earlier.path)),
        later=scope.as_node(scope.of_block(series.block, later.path)),
        share=(at - earlier.period.middle) / span,
    )


def in_period(scope: "Scope", series: Series, wanted: Period) -> int:
    """The node of a dated quantity in a period."""
    match series.attribute.flow:
        case "flow":
            return _flow(scope, series, wanted)
        case "stock":
            return _step(scope, series, wanted.end)
        case _:
            return _level(scope, series, wanted)


def on_day(scope: "Scope", series: Series, day: Period) -> int:
    """The node on a day; of a flow the figure of the period that the day is in."""
    if series.attribute.flow != "flow":
        return in_period(scope, series, day)
    begun = [point for point in series.points if point.period.start <= day.start]
    if not begun:
        return scope.builder.constant(0.0)
    node = scope.of_block(series.block, begun[-1].path)
    past = day.start >= series.points[-1].period.end
    return _note(scope, node, series, "past") if past else node


def summed(scope: "Scope", series: Series) -> int:
    """The node of the sum: of a flow from its first day to its last, else of points."""
    first, last = series.points[0].period, series.points[-1].period
    if series.attribute.flow == "flow":
        return _flow(scope, series, Period(first.start, last.end))
    nodes = [scope.of_block(series.block, point.path) for point in series.points]
    return _add(scope, series, [(node, 1.0) for node in nodes])


def latest(scope: "Scope", series: Series) -> int:
    """The node of the last point."""
    return scope.of_block(series.block, series.points[-1].path)
