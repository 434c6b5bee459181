"""A Sankey diagram: amounts that flow through stages, as wide as they are large."""

import math

import attrs

from isocost.reports import numbers
from isocost.reports.charts.metrics import text_width
from isocost.reports.charts.plot import (
    INK,
    MUTED,
    Area,
    Axis,
    Box,
    Label,
    Mark,
    Plot,
    Side,
    series,
    tint,
)
from isocost.reports.charts.scene import Scene, lays_out


@attrs.frozen
class Flow:
    """An amount that goes from one node to another, by their names."""

    source: str
    target: str
    amount: float


@attrs.frozen
class Sankey(Scene):
    """Nodes in stages, left to right, and the flows between them.

    Args:
        stages: the names of the nodes of each stage, from the top.
        flows: positive amounts; what flows into a node and what flows out of it are
            drawn from the top in the order of the nodes.
        unit: of the amounts, if they are no money.
        money: the currency's sign.
    """

    stages: tuple[tuple[str, ...], ...]
    flows: tuple[Flow, ...]
    unit: str = ""
    money: str = ""


#: The width of a node; the room between nodes, as a share of all that flows.
NODE, GAP = 0.022, 0.045
#: The least height of a node in lines of its label.
LINE, SIZE = 9.5, 7.0
STEPS = 24


@attrs.frozen
class _Place:
    """Where a node stands."""

    stage: int
    bottom: float
    top: float


def _amounts(scene: Sankey) -> dict[str, float]:
    """What goes through each node."""
    out: dict[str, float] = {}
    for name in (name for stage in scene.stages for name in stage):
        into = sum(f.amount for f in scene.flows if f.target == name)
        from_it = sum(f.amount for f in scene.flows if f.source == name)
        out[name] = max(into, from_it)
    return out


def _places(scene: Sankey, amounts: dict[str, float], gap: float) -> dict[str, _Place]:
    """Nodes from the top, each stage in the middle of the height."""
    whole = max(
        sum(amounts[n] for n in stage) + gap * (len(stage) - 1)
        for stage in scene.stages
    )
    out = {}
    for i, stage in enumerate(scene.stages):
        high = sum(amounts[n] for n in stage) + gap * (len(stage) - 1)
        top = (whole + high) / 2
        for name in stage:
            out[name] = _Place(i, top - amounts[name], top)
            top -= amounts[name] + gap
    return out


@lays_out(Sankey)
def plot_sankey(scene: Sankey) -> Plot:
    """Lay out the flows, then the nodes with their names and amounts."""
    amounts = _amounts(scene)
    whole = max(sum(amounts[n] for n in stage) for stage in scene.stages)
    most = max(map(len, scene.stages))
    high = scene.height or max(150.0, 1.6 * LINE * 2 * most)
    # So far apart that two labels never meet.
    gap = max(GAP * whole, 2 * LINE / high * whole * 1.3)
    places = _places(scene, amounts, gap)
    last = len(scene.stages) - 1
    texts = {name: _text(scene, name, amounts[name]) for name in amounts}
    left = max(text_width(texts[n], SIZE, 500) for n in scene.stages[0]) + 8
    right = max(text_width(texts[n], SIZE, 500) for n in scene.stages[last]) + 8
    # The axis runs past the outer nodes by what their labels take.
    inner = scene.width - left - right
    x0, x1 = -left / inner, 1 + right / inner
    marks: list[Mark] = []
    used_out = {name: place.top for name, place in places.items()}
    used_in = dict(used_out)
    order = list(places)
    for flow in sorted(
        scene.flows, key=lambda f: (order.index(f.source), order.index(f.target))
    ):
        a, b = used_out[flow.source], used_in[flow.target]
        used_out[flow.source] -= flow.amount
        used_in[flow.target] -= flow.amount
        start = places[flow.source].stage / last + NODE / 2
        end = places[flow.target].stage / last - NODE / 2
        colour = tint(_colour(scene, flow), 0.42)
        marks.append(_band(start, a, end, b, flow.amount, colour))
    for name, place in places.items():
        at = place.stage / last
        box = (at - NODE / 2, place.bottom, at + NODE / 2, place.top)
        marks.append(Box(*box, INK))
        side: Side = "left" if place.stage else "right"
        middle = (place.bottom + place.top) / 2
        inside = 0 < place.stage < last
        shift = (0.0, 7.0) if inside else (6.0 if place.stage else -6.0, 0.0)
        y = place.top if inside else middle
        marks.append(
            Label(
                at, y, texts[name], *shift, "center" if inside else side, SIZE, 500,
                INK if amounts[name] else MUTED, free=False,
            )
        )  # fmt: skip
    bottom = min(place.bottom for place in places.values())
    top = max(place.top for place in places.values())
    room = 12.0 / high * (top - bottom)
    x = Axis(x0, x1, show=False)
    y_axis = Axis(bottom - room / 2, top + room, show=False)
    return Plot(scene.width, high, x, y_axis, tuple(marks), right=0.0)


def _text(scene: Sankey, name: str, amount: float) -> str:
    """A node's name and amount."""
    if scene.money:
        return f"{name} {numbers.money(amount, scene.money)}"
    return f"{name} {numbers.with_unit(numbers.plain(amount), scene.unit)}"


def _colour(scene: Sankey, flow: Flow) -> str:
    """Flows have the colour of the first stage's node, later ones a grey."""
    first = scene.stages[0]
    return series(first.index(flow.source)) if flow.source in first else MUTED


def _band(
    start: float, a: float, end: float, b: float, amount: float, colour: str
) -> Area:
    """A band of equal width that bends from one height to another."""
    upper = [_bend(start, a, end, b, i / STEPS) for i in range(STEPS + 1)]
    lower = [(x, y - amount) for x, y in reversed(upper)]
    return Area((*upper, *lower), colour)


def _bend(
    start: float, a: float, end: float, b: float, share: float
) -> tuple[float, float]:
    """A place along the bend: level at both ends."""
    eased = (1 - math.cos(math.pi * share)) / 2
    return start + (end - start) * share, a + (b - a) * eased
