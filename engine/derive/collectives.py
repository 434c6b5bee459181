"""What a platform's collective library reaches: its algorithms and its coefficients.

A figure that the software states wins; then what was calibrated on the fabric that
the link names as its `generation`; then the values for a fabric that nobody has
measured. Calibrated figures are inputs that say where they come from, and their
doubt is one factor on the time for each fabric, inside a domain and across.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from isocost.dsl.units import unit
from isocost.engine.derive.topologies import topology_of
from isocost.engine.graph import Input, Spread
from isocost.engine.quantities import Quantity, quantity
from isocost.engine.scope import Scope

if TYPE_CHECKING:
    from isocost.engine.topology.base import Library
    from isocost.engine.topology.fabrics import Coefficients

Keys = tuple[str, ...]
Build = Callable[[Scope, Keys], int]
OUTER = "scale_out"
#: Coefficients by the field of `Coefficients`: unit, where a file states it, words.
FIELDS: dict[str, tuple[str, str, str]] = {
    "launch": ("us", "software.collective.launch", "Time to start a collective."),
    "cross": (
        "1",
        "software.collective.cross",
        "Loss where latency and transfer are alike.",
    ),
    "damping": (
        "1",
        "software.collective.damping",
        "How soon that loss fades for small messages.",
    ),
    "overlap": (
        "%",
        "software.collective.overlap",
        "Share of the shorter of two phases that is hidden.",
    ),
    "efficiency": (
        "%",
        "software.collective.efficiency",
        "Share of link bandwidth that rings and trees reach.",
    ),
    "own": (
        "1",
        "software.collective.own",
        "Wire time of a block that a rank's own block costs it.",
    ),
    "exchange": (
        "%",
        "software.collective.exchange",
        "Share of link bandwidth that an all-to-all reaches.",
    ),
    "reduction": (
        "%",
        "software.collective.reduction",
        "Share of link bandwidth that a reduction inside switches reaches.",
    ),
    "reduction_latency": (
        "us",
        "software.collective.reduction_latency",
        "Latency of a reduction inside switches.",
    ),
    "crowding": (
        "1",
        "software.collective.crowding",
        "Ports down over ports up of a bridge between hosts.",
    ),
    "flows": (
        "1",
        "software.collective.flows",
        "Flows of a rank that a network without adaptive routing hashes apart.",
    ),
    "latency": ("us", "link.latency", "Time of one step between neighbours."),
    "across_latency": (
        "us",
        "fabric.latency",
        "Time of one step between domains, as the library takes it.",
    ),
    "across_efficiency": (
        "%",
        "fabric.efficiency",
        "Share of the network's bandwidth that collectives sustain.",
    ),
}
#: Where a figure comes from that no calibration gives.
_NOTES = {
    "flows": "assumed: NCCL opens a connection for each channel, with one queue pair "
    "unless told otherwise (NCCL_IB_QPS_PER_CONNECTION)"
}
#: Libraries by what a chip's vendor is called.
_VENDORS = {
    "nvidia": "nccl",
    "amd": "nccl",
    "amazon": "neuron",
    "aws": "neuron",
    "annapurna": "neuron",
    "google": "xla",
}


def library_name(scope: Scope) -> str:
    """The library of the software, else that of the chip's vendor, else `any`."""
    stated = scope.word("software.collective.library")
    if stated:
        return stated
    vendor = (scope.word("chip.vendor") or scope.word("system.vendor") or "").lower()
    return next((name for key, name in _VENDORS.items() if key in vendor), "any")


def library_of(scope: Scope) -> "Library":
    """The algorithms that a collective may take."""
    from isocost.engine.topology.base import Library
    from isocost.engine.topology.libraries import LIBRARIES

    stated = scope.fact("software.collectives")
    if stated is not None:
        names = frozenset(str(arg.value) for arg in stated.expr.args)
        return Library(names, names)
    name = library_name(scope)
    return LIBRARIES["any" if name == "ideal" else name]


def ideal(scope: Scope) -> bool:
    """Whether the library loses nothing: an upper bound on what hardware gives."""
    return library_name(scope) == "ideal"


def link_of(scope: Scope, axis: str) -> str:
    """The path of an axis' link; one link may be stated for all under any key."""
    if scope.block(f"system.topology.link[{axis}]") is None:
        keys = scope.keys("system", "topology.link[]")
        if len(keys) == 1:
            return f"system.topology.link[{keys[0]}]"
    return f"system.topology.link[{axis}]"


def generation(scope: Scope, axis: str | None = None) -> str:
    """The fabric of an axis, by default of the innermost; empty if it names none."""
    chosen = axis or topology_of(scope).axes[0]
    return scope.word(f"{link_of(scope, chosen)}.generation") or ""


def _coefficients(fabric: str) -> "Coefficients":
    from isocost.engine.topology.fabrics import fabric_coefficients

    return fabric_coefficients(fabric)


def calibrated(scope: Scope, field: str, fabric: str) -> int:
    """The input of a coefficient as it was calibrated on a fabric."""
    found = _coefficients(fabric)
    shown, path, doc = FIELDS[field]
    value = getattr(found, field)
    half = {"across_latency": found.latency_spread, "flows": math.log(4)}.get(field)
    ends = (value / math.exp(half), value * math.exp(half)) if half else ()
    return scope.builder.add(
        Input(
            origin=f"calibrated.{fabric or 'datasheet'}.{field}",
            central=value,
            unit=shown,
            scale=unit(shown).factor,
            spread=Spread("lognormal", ends) if ends else Spread(),
            default=True,
            path=path,
            doc=doc,
            note=_NOTES.get(field, found.source),
        )
    )


def coefficient(scope: Scope, field: str, axis: str | None = None) -> int:
    """The node of a coefficient of the library on an axis, or shared by all."""
    path = FIELDS[field][1]
    if scope.has(path):
        return scope[path]
    if ideal(scope):
        return _neutral(scope, field)
    return calibrated(scope, field, generation(scope, axis))


def _neutral(scope: Scope, field: str) -> int:
    from isocost.engine.topology.needs import OF_FABRIC, SHARED

    return scope.builder.constant({**SHARED, **OF_FABRIC}[field].ideal)


def outer_coefficient(scope: Scope, field: str) -> int:
    """The node of a coefficient of the library on the network between domains."""
    if field in {"efficiency", "exchange", "reduction"}:
        return scope["fabric.efficiency"]
    shared = field in {"reduction_latency", "flows"}
    return coefficient(scope, field) if shared else _neutral(scope, field)


def residual(scope: Scope, where: str, operation: str) -> int | None:
    """The factor on a collective's time that calibration leaves open; None: none.

    Args:
        scope: The scenario.
        where: `inside` a domain or `across` them.
        operation: The collective: figures that the stack states bring their own doubt.
    """
    path = f"software.collective.residual[{where}]"
    if scope.has(path):
        return scope[path]
    share = "exchange" if operation == "all_to_all" else "efficiency"
    stated = {"inside": FIELDS[share][1], "across": "fabric.efficiency"}[where]
    return None if ideal(scope) or scope.has(stated) else scope[path]


def _residual(scope: Scope, keys: Keys) -> int:
    fabric = generation(scope)
    found = _coefficients(fabric)
    half = found.spread if keys[0] == "inside" else found.across_spread
    return scope.builder.add(
        Input(
            origin=f"calibrated.{fabric or 'datasheet'}.residual.{keys[0]}",
            central=1.0,
            unit="1",
            scale=1.0,
            spread=Spread("lognormal", (math.exp(-half), math.exp(half))),
            default=True,
            path=f"software.collective.residual[{keys[0]}]",
            doc=f"Factor on the time of collectives {keys[0]} domains.",
            note=f"90% of left-out rows; {found.source}",
        )
    )


def _shared(field: str) -> Build:
    return lambda scope, _: coefficient(scope, field)


def _latency(scope: Scope, keys: Keys) -> int:
    return calibrated(scope, "latency", generation(scope, keys[0]))


def _network_bandwidth(scope: Scope, _: Keys) -> int:
    return scope["system.scale_out.bandwidth"]


def _network_latency(scope: Scope, _: Keys) -> int:
    if scope.has("system.scale_out.latency"):
        return scope["system.scale_out.latency"]
    return calibrated(scope, "across_latency", generation(scope))


def _network_efficiency(scope: Scope, _: Keys) -> int:
    if ideal(scope):
        return scope.builder.constant(1.0)
    return calibrated(scope, "across_efficiency", generation(scope))


def _software_quantities() -> tuple[Quantity, ...]:
    return tuple(
        quantity(path, shown, doc, _shared(field))
        for field, (shown, path, doc) in FIELDS.items()
        if path.startswith("software")
    )


QUANTITIES = (
    *_software_quantities(),
    quantity(
        "software.collective.residual[]",
        "1",
        "Factor on a collective's time that calibration leaves unexplained.",
        _residual,
        keys=("inside", "across"),
    ),
    quantity(
        "system.topology.link[].latency",
        "us",
        "Time of one step over a link, as calibrated on its fabric.",
        _latency,
    ),
    quantity(
        "fabric.bandwidth",
        "Gbit/s/chip",
        "Bandwidth of each chip into the network between domains.",
        _network_bandwidth,
    ),
    quantity(
        "fabric.latency",
        "us",
        "Time of one step between domains.",
        _network_latency,
    ),
    quantity(
        "fabric.efficiency",
        "%",
        "Share of the network's bandwidth that collectives sustain.",
        _network_efficiency,
    ),
)
