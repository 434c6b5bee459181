"""Topology: scale-up domains, networks between them and racks, drawn and compared."""

import math

import attrs

from isocost.dsl.document import Block
from isocost.engine.derive.network import topology_of
from isocost.engine.derive.topologies import network_of
from isocost.engine.scope import MissingInputError
from isocost.engine.topology.base import Topology
from isocost.engine.topology.peers import Peers
from isocost.engine.topology.torus import Torus as TorusShape
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.racks import Racks
from isocost.reports.charts.scene import FULL, HALF, Scene
from isocost.reports.charts.topology import Switched
from isocost.reports.exhibits import asked
from isocost.reports.study import Study
from isocost.reports.topologies import counted, drawing

#: Links between two chips on one switch.
DIRECT = 2
TORUS = (
    "A torus joins each chip to its neighbours by cables and needs no switch; what it "
    "saves in switches it pays in hops and in bisection. "
)
MESH = (
    "A full mesh wires each chip to each other: a pair has its own link and no more, "
    "and the whole group has them all. "
)
PROSE = (
    "A switched domain gives every "
    "pair the full rate. The ratio of scale-up to scale-out says how steep the step is "
    "at the edge of the domain."
)


def build(study: Study) -> v.Section | None:
    """The section; None where no system states a topology."""
    figures: list[v.Figure] = []
    rows: list[v.Row] = []
    steps: list[tuple[float, str]] = []
    torus = mesh = False
    for block, scenario in study.roles("system"):
        try:
            shape = topology_of(study.evaluation.scope(scenario.name))
        except MissingInputError:
            continue
        torus |= isinstance(shape, TorusShape)
        mesh |= isinstance(shape, Peers)
        scene = _scene(study, scenario, shape)
        if scene is not None:
            figures.append(_figure(block, shape, scene))
        total, out = _edge(study, scenario, shape)
        if total and out:
            steps.append((total / out, _title(block)))
        rows.append(_row(study, block, scenario, shape))
    if not rows:
        return None
    blocks: list[v.Block] = [
        v.Paragraph(TORUS * torus + MESH * mesh + PROSE, lead=True)
    ]
    blocks += _paired(figures)
    blocks.append(_table(rows, steps))
    blocks += _networks(study)
    blocks += _paired(_racks(study))
    blocks += asked(study, "topology")
    return v.Section("Topology", tuple(blocks), "topology")


def _paired(figures: list[v.Figure]) -> list[v.Block]:
    """Narrow figures side by side, wide ones by themselves."""
    out: list[v.Block] = []
    narrow: list[v.Figure] = []
    for figure in figures:
        scene = figure.scene
        (narrow if scene.width <= HALF else out).append(figure)
    pairs = [narrow[i : i + 2] for i in range(0, len(narrow), 2)]
    return [v.Columns(tuple((one,) for one in pair)) for pair in pairs] + out


def _title(block: Block) -> str:
    return block.title or block.label.replace("_", " ")


def _rate(study: Study, scenario: Block, axis: str) -> float | None:
    scope = study.evaluation.scope(scenario.name)
    keys = scope.keys("system", "topology.link[]")
    key = axis if axis in keys else (keys[0] if len(keys) == 1 else axis)
    return study.value(scenario, f"system.topology.link[{key}].bandwidth")


def _rates(study: Study, scenario: Block, shape: Topology) -> dict[str, float | None]:
    return {axis: _rate(study, scenario, axis) for axis in shape.axes}


def _scene(study: Study, scenario: Block, shape: Topology) -> Scene | None:
    scene = drawing(shape, _rates(study, scenario, shape))
    if isinstance(scene, Switched):
        stated = int(study.value(scenario, "system.switches") or 0)
        return attrs.evolve(scene, switches=stated or scene.switches)
    return scene


def _figure(block: Block, shape: Topology, scene: Scene) -> v.Figure:
    name = _title(block)
    if isinstance(shape, TorusShape):
        size = "×".join(map(str, shape.lengths))
        caption = f"{name}: a {size} torus, {shape.diameter} hops across"
        alt = (
            f"Drawing of a {size} torus of {shape.endpoints} chips with closing links."
        )
    elif isinstance(shape, Peers):
        hops = "one hop" if shape.diameter == 1 else f"{shape.diameter} hops"
        caption = f"{name}: {counted(shape.endpoints, 'chips')}, each {hops} from any "
        caption += "other" if shape.diameter == 1 else "other at most"
        alt = f"Drawing of {shape.endpoints} chips wired to each other."
    else:
        hops = "two hops" if shape.diameter == DIRECT else f"{shape.diameter} hops"
        caption = f"{name}: {counted(shape.endpoints, 'chips')}, each {hops} from any "
        caption += "other" if shape.diameter == DIRECT else "other at most"
        alt = f"Drawing of {shape.endpoints} chips joined by switches."
    source = _source(block)
    return v.Figure(caption, scene, alt, source, key=f"fig-topology-{block.label}")


def _source(block: Block) -> v.Text:
    """The sources of what a block states of its topology."""
    keys = sorted(
        {
            c.key
            for path, fact in block.facts.items()
            if path.startswith("topology")
            for c in fact.cites
            if not c.assumed
        }
    )
    return (v.Cite(keys), ".") if keys else "scenario file."


def _networks(study: Study) -> list[v.Block]:
    """Each design of a network between domains, as large as its first scenario."""
    out: list[v.Block] = []
    for block, scenario in study.roles("fabric"):
        scope = study.evaluation.scope(scenario.name)
        try:
            if scope.call("fabric.topology") is None:
                continue
            shape = network_of(scope)[1]
        except MissingInputError:
            continue
        rate = study.value(scenario, "fabric.bandwidth")
        scene = drawing(shape, dict.fromkeys(shape.axes, rate), width=FULL)
        if scene is None:
            continue
        bare = sum(shape.switches.values())
        caption = f"{_title(block)}: {counted(shape.endpoints, 'chips')} on "
        caption += f"{counted(bare, 'switches')}, {shape.diameter} links across"
        alt = f"Drawing of a network: {shape.endpoints} chips on {bare} switches."
        key = f"fig-network-{block.label}"
        out.append(v.Figure(caption, scene, alt, _source(block), key=key))
    return out


def _racks(study: Study) -> list[v.Figure]:
    """The racks of each system, as many as its first scenario takes."""
    out = []
    for block, scenario in study.roles("system"):
        each = study.value(scenario, "system.racks")
        number = study.value(scenario, "systems")
        if not each or not number or each * number < 1:
            continue
        racks = math.ceil(each * number - 1e-9)
        servers = max(1, int(study.value(scenario, "system.servers") or 1))
        per_rack = 1 / each
        held = f"{per_rack:.3g} a rack" if each < 1 else f"{each:.3g} racks each"
        held = "a rack each" if each == 1 else held
        words = [
            counted(racks, "racks"),
            f"{counted(number, 'systems')}, {held}",
            counted(servers * number, "servers"),
        ]
        scene = Racks(racks, per_rack, tuple(words), trays=servers, width=HALF)
        name = _title(block)
        chips = study.value(scenario, "chips") or 0.0
        verb = "fill" if racks > 1 else "stand in"
        caption = f"{name}: {counted(chips, 'chips')} {verb} {counted(racks, 'racks')}"
        alt = f"Drawing of {racks} racks of {name}."
        key = f"fig-racks-{block.label}"
        out.append(v.Figure(caption, scene, alt, "scenario file.", key=key))
    return out


def _edge(study: Study, scenario: Block, shape: Topology) -> tuple[float, float | None]:
    """What a chip sends inside its domain and out of it, in B/s."""
    rates = _rates(study, scenario, shape)
    total = sum(
        (rates[axis] or 0) * count
        for axis, count in shape.ports.items()
        if axis in rates
    )
    if shape.switches:
        total = rates[shape.axes[0]] or 0
    return total, study.value(scenario, "system.scale_out.bandwidth")


def _row(study: Study, block: Block, scenario: Block, shape: Topology) -> v.Row:
    total, out = _edge(study, scenario, shape)
    bisection = study.value(scenario, "bisection")
    return v.Row(
        (
            _title(block),
            n.count(shape.endpoints),
            n.count(shape.diameter),
            n.plain(total / 1e9) if total else "–",
            n.plain(bisection / 1e12) if bisection else "–",
            n.plain(out / 1.25e8) if out else "–",
            n.ratio(total / out) if out and total else "–",
        )
    )


def _steep(steps: list[tuple[float, str]]) -> str:
    """How much steeper the edge of one domain is than that of another."""
    if not steps:
        return "What a chip can send inside its domain, one way"
    (least, low), (most, high) = min(steps), max(steps)
    said = (
        f"A chip of {high} sends {n.ratio(most)} as much inside its domain as out of it"
    )
    return said if low == high else f"{said}, one of {low} {n.ratio(least)}"


def _table(rows: list[v.Row], steps: list[tuple[float, str]]) -> v.Table:
    return v.Table(
        _steep(steps),
        (
            v.Column("Domain"),
            v.Column("Chips", align="right"),
            v.Column("Diameter", "hops", align="right"),
            v.Column("Scale-up", "GB/s per chip", align="right"),
            v.Column("Bisection", "TB/s", align="right"),
            v.Column("Scale-out", "Gbit/s per chip", align="right"),
            v.Column("Ratio", align="right"),
        ),
        tuple(rows),
        source="links of the scenario file; bisection by the engine.",
        key="tab-topology",
    )
