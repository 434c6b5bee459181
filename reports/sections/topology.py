"""Topology: each scale-up domain drawn, with what its links carry."""

from isocost.dsl.document import Block
from isocost.engine.derive.network import topology_of
from isocost.engine.scope import MissingInputError
from isocost.engine.topology.base import Topology
from isocost.engine.topology.torus import Torus as TorusShape
from isocost.reports import numbers as n
from isocost.reports import view as v
from isocost.reports.charts.scene import Scene
from isocost.reports.charts.topology import Ring, Switched, Torus
from isocost.reports.exhibits import asked
from isocost.reports.study import Study

DRAWN = 128
PROSE = (
    "A torus joins each chip to its neighbours by cables and needs no switch; what it "
    "saves in switches it pays in hops and in bisection. A switched domain gives every "
    "pair the full rate. The ratio of scale-up to scale-out says how steep the step is "
    "at the edge of the domain."
)


def build(study: Study) -> v.Section | None:
    """The section; None where no system states a topology."""
    figures: list[v.Figure] = []
    rows: list[v.Row] = []
    for block, scenario in study.roles("system"):
        try:
            shape = topology_of(study.evaluation.scope(scenario.name))
        except MissingInputError:
            continue
        scene = _scene(study, scenario, shape)
        if scene is not None:
            figures.append(_figure(block, shape, scene))
        rows.append(_row(study, block, scenario, shape))
    if not rows:
        return None
    blocks: list[v.Block] = [v.Paragraph(PROSE, lead=True)]
    blocks += [
        v.Columns(tuple((figure,) for figure in figures[i : i + 2]))
        for i in range(0, len(figures), 2)
    ]
    blocks.append(_table(rows))
    blocks += asked(study, "topology")
    return v.Section("Topology", tuple(blocks), "topology")


def _title(block: Block) -> str:
    return block.title or block.label.replace("_", " ")


def _rate(study: Study, scenario: Block, axis: str) -> float | None:
    scope = study.evaluation.scope(scenario.name)
    keys = scope.keys("system", "topology.link[]")
    key = axis if axis in keys else (keys[0] if len(keys) == 1 else axis)
    return study.value(scenario, f"system.topology.link[{key}].bandwidth")


def _scene(study: Study, scenario: Block, shape: Topology) -> Scene | None:
    if shape.endpoints > DRAWN:
        return None
    if isinstance(shape, TorusShape):
        rings = []
        for index, (axis, length) in enumerate(
            zip(shape.axes, shape.lengths, strict=True)
        ):
            rate = _rate(study, scenario, axis)
            label = n.si(rate, "B/s") if rate else ""
            rings.append(Ring(axis, length, label, shape.closes(index)))
        return Torus(tuple(rings))
    if shape.switches:
        rate = _rate(study, scenario, shape.axes[0])
        switches = int(study.value(scenario, "system.switches") or 0)
        count = switches or sum(shape.switches.values())
        each = f"{n.si(rate, 'B/s')} each chip" if rate else ""
        return Switched(shape.endpoints, count, "chips", "switches", each)
    return None


def _figure(block: Block, shape: Topology, scene: Scene) -> v.Figure:
    name = _title(block)
    if isinstance(shape, TorusShape):
        size = "×".join(map(str, shape.lengths))
        caption = f"{name}: a {size} torus, {shape.diameter} hops across"
        alt = (
            f"Drawing of a {size} torus of {shape.endpoints} chips with closing links."
        )
    else:
        caption = f"{name}: {shape.endpoints} chips, each two hops from any other"
        alt = f"Drawing of {shape.endpoints} chips joined by switches."
    keys = sorted(
        {
            c.key
            for path, fact in block.facts.items()
            if path.startswith("topology")
            for c in fact.cites
            if not c.assumed
        }
    )
    source = (v.Cite(keys), ".") if keys else "scenario file."
    return v.Figure(caption, scene, alt, source, key=f"fig-topology-{block.label}")


def _row(study: Study, block: Block, scenario: Block, shape: Topology) -> v.Row:
    rates = {axis: _rate(study, scenario, axis) for axis in shape.axes}
    total = sum(
        (rates[axis] or 0) * count
        for axis, count in shape.ports.items()
        if axis in rates
    )
    if shape.switches:
        total = rates[shape.axes[0]] or 0
    bisection = study.value(scenario, "bisection")
    out = study.value(scenario, "system.scale_out.bandwidth")
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


def _table(rows: list[v.Row]) -> v.Table:
    return v.Table(
        "Scale-up against scale-out: what a chip can send, one way",
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
