"""From a topology to its drawing: which one, and what it counts in words.

A switched network names its form (`Fabric.drawn`); one that names none is drawn in
tiers, so that a new topology has a drawing without a line here.
"""

from collections.abc import Callable, Mapping
from functools import partial

import attrs

from isocost.engine.topology.base import Topology
from isocost.engine.topology.fabric import Fabric
from isocost.engine.topology.hypercube import Hypercube
from isocost.engine.topology.peers import Peers
from isocost.engine.topology.torus import Torus as TorusShape
from isocost.reports import numbers as n
from isocost.reports.charts.groups import Grid, Groups
from isocost.reports.charts.scene import FULL, HALF, Scene
from isocost.reports.charts.tiers import Tier, Tiers
from isocost.reports.charts.topology import Ring, Switched, Torus

#: Endpoints of a switched domain whose chips are all drawn.
SWITCHED = 128
#: Axes of a torus that a drawing holds.
AXES = 3
_ONE = {"switches": "switch", "routers": "router", "boards": "board", "racks": "rack"}

Form = Callable[[Fabric, str, str], Scene]


def counted(number: float, words: str) -> str:
    """`1 leaf switch`, `2,048 chips`."""
    if number == 1:
        head, _, last = words.rpartition(" ")
        last = _ONE.get(last, last.removesuffix("s"))
        words = f"{head} {last}".strip()
    return f"{n.count(number)} {words}"


def drawing(
    shape: Topology,
    rates: Mapping[str, float | None],
    *,
    node: str = "chips",
    width: float = HALF,
) -> Scene | None:
    """The drawing of a topology; None where it has none.

    Args:
        shape: What is drawn.
        rates: B/s of a link, one way, by axis; None where it is not known.
        node: What its endpoints are called, more than one of them.
        width: Points.
    """
    if isinstance(shape, TorusShape):
        return _torus(shape, rates, width)
    if isinstance(shape, Hypercube):
        return _hypercube(shape, rates, width)
    if isinstance(shape, Peers):
        return _peers(shape, rates, node, width)
    if not isinstance(shape, Fabric):
        return None
    rate = rates.get(shape.axes[0])
    each = f"{n.si(rate, 'B/s')} each {node.removesuffix('s')}" if rate else ""
    if len(shape.tiers) == 1 and shape.endpoints <= SWITCHED:
        count = sum(shape.switches.values())
        return Switched(shape.endpoints, count, node, "switches", each, width=width)
    scene = FORMS.get(shape.drawn, _tiers)(shape, node, each)
    # A grid of rows and facing groups are as wide as they need to be.
    return scene if width == FULL else _narrow(scene, width)


def _narrow(scene: Scene, width: float) -> Scene:
    return attrs.evolve(scene, width=width)


def _label(rate: float | None) -> str:
    return n.si(rate, "B/s") if rate else ""


def _torus(
    shape: TorusShape, rates: Mapping[str, float | None], width: float
) -> Scene | None:
    if len(shape.lengths) > AXES:
        return None
    sides = zip(shape.axes, shape.lengths, strict=True)
    return Torus(
        tuple(
            Ring(axis, length, _label(rates.get(axis)), shape.closes(index))
            for index, (axis, length) in enumerate(sides)
        ),
        width=width,
    )


def _hypercube(
    shape: Hypercube, rates: Mapping[str, float | None], width: float
) -> Scene | None:
    """Up to six dimensions as a torus of axes of two and four, which it is."""
    if not 1 <= shape.dimensions <= 2 * AXES:
        return None
    even, odd = divmod(shape.dimensions, 2)
    link = _label(rates.get("link"))
    rings = [Ring(f"dimensions {2 * i + 1}, {2 * i + 2}", 4, link) for i in range(even)]
    if odd:
        rings.append(Ring(f"dimension {shape.dimensions}", 2, link))
    return Torus(tuple(rings), width=width)


def _peers(
    shape: Peers, rates: Mapping[str, float | None], node: str, width: float
) -> Scene:
    """One row on a circle, each linked to each; several as a grid of rows."""
    size = " × ".join(map(str, shape.lengths))
    flat = len(shape.lengths) == 1
    words = [counted(shape.endpoints, node), "each wired to each other"]
    if not flat:
        words = [f"{words[0]}: {size}", "each wired to all of its row"]
    for axis, count in shape.links.items():
        rate = _label(rates.get(axis))
        along = "" if flat else f" along {axis}"
        words.append(f"{counted(count, 'links')}{along}" + (f", {rate}" * bool(rate)))
    if shape.trunks > 1:
        words.append(f"{counted(shape.trunks, 'links')} a pair")
    if flat:
        return Groups(shape.endpoints, 1, tuple(words), width=width)
    columns, rows, layers = (*shape.lengths, 1)[:3]
    return Grid(columns, rows, tuple(words), layers, width=FULL)


# Switched networks.


def _tiers(shape: Fabric, node: str, each: str) -> Scene:
    """A row for each tier, with its switches and the cables up to it."""
    group = shape.rails if shape.rails > 1 else _group(shape)
    words = counted(shape.endpoints, node)
    under = shape.tiers[0].under
    if shape.rails > 1:
        words += f", {n.count(group)} a server"
    elif under < shape.endpoints:
        words += f", {n.count(under)} a {_called(shape, shape.tiers[0].name)}"
    wires = list(shape.cables.values())
    tiers = []
    for index, (name, count) in enumerate(shape.switches.items()):
        cables = f"{counted(wires[index], 'links')}" if index < len(wires) else ""
        if not index and each:
            cables += f", {each}"
        taper = _taper(shape, index)
        words_of = counted(count, f"{_called(shape, name)} switches")
        tiers.append(Tier(count, words_of, cables + taper))
    if not tiers:
        tiers = [Tier(1, "network")]
    if shape.rails > 1:
        first = tiers[0]
        tiers[0] = Tier(first.count, f"{first.words}, {shape.rails} rails", first.wires)
    if shape.planes > 1:
        last = tiers[-1]
        said = f"{last.words}, {n.count(shape.planes)} planes"
        tiers[-1] = Tier(last.count, said, last.wires)
    return Tiers(
        shape.endpoints,
        words,
        tuple(tiers),
        group=group,
        rails=shape.rails,
        planes=shape.planes,
        width=FULL,
    )


def _called(shape: Fabric, tier: str) -> str:
    """What readers call a tier."""
    return "top-of-rack" if shape.kind == "tor" and tier == "leaf" else tier


def _group(shape: Fabric) -> int:
    """Neighbours that are drawn together: those under one switch, eight at most."""
    return max(1, min(8, shape.tiers[0].under, shape.endpoints))


def _taper(shape: Fabric, index: int) -> str:
    """What is said of the step up to a tier: how many share a port above."""
    if not index or index > len(shape.tiers):
        return ""
    taper = shape.tiers[index - 1].taper
    before = shape.tiers[index - 2].taper if index > 1 else 1.0
    if isinstance(taper, str) or isinstance(before, str):
        return ""
    step = taper / before
    return f", {step:.3g}:1" if step > 1.0 + 1e-9 else ""


def _links(shape: Fabric) -> tuple[str, ...]:
    """The cables of a network by class, as lines."""
    named = ((name if name != "link" else "router", c) for name, c in
             shape.cables.items())  # fmt: skip
    return tuple(counted(c, f"{name} links") for name, c in named if c)


def _groups(shape: Fabric, node: str, each: str, *, facing: bool = False) -> Scene:
    parts = shape.parts
    routers = sum(shape.switches.values())
    groups = counted((2 if facing else 1) * parts["groups"], "groups")
    near = f"{counted(parts['per_router'], node)} a router"
    words = (
        f"{counted(shape.endpoints, node)} on {counted(routers, 'routers')}",
        f"{groups} of {counted(parts['routers'], 'routers')}",
        f"{near}, {each}" if each else near,
        *_links(shape),
    )
    return Groups(parts["groups"], parts["routers"], words, facing, width=FULL)


def _grid(shape: Fabric, node: str, each: str, *, boards: bool = False) -> Scene:
    parts = shape.parts
    columns, rows = parts["columns"], parts["rows"]
    size = f"{columns} × {rows}"
    layers = parts.get("layers", 1)
    if layers > 1:
        size += f" × {layers}"
    what = f"boards of {parts['board']} × {parts['board']}" if boards else "routers"
    words = [f"{counted(shape.endpoints, node)}: {size} {what}"]
    if not boards:
        words.append(f"{counted(parts['per_router'], node)} a router")
    if each:
        words.append(each)
    words += _links(shape)
    if boards:
        words.append(counted(sum(shape.switches.values()), "switches"))
    if shape.planes > 1 and boards:
        words.append(f"{n.count(shape.planes // 4)} planes")
    return Grid(
        columns,
        rows,
        tuple(words),
        layers,
        "switches" if boards else "links",
        parts.get("board", 1),
        width=FULL,
    )


#: How a switched network is drawn, by the form that it names.
FORMS: dict[str, Form] = {
    "tiers": _tiers,
    "groups": _groups,
    "facing": partial(_groups, facing=True),
    "grid": _grid,
    "boards": partial(_grid, boards=True),
}
