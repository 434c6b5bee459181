"""The networks of a scenario as topology objects, or why one cannot be built.

A system states its domain as a call (`torus(x = 4, y = 4)`), a fabric the network
between domains; what a call leaves out comes from what stands beside it: chips,
the radix of a tier's switch, rails, planes. Topologies are imported when one is
asked for, so that the table of quantities stays light.
"""

import functools
from typing import TYPE_CHECKING

import attrs

from isocost.engine.scope import Scope

if TYPE_CHECKING:
    from isocost.engine.scope import MissingInputError
    from isocost.engine.topology.base import Refusal, Topology

Params = tuple[tuple[str, float], ...]
#: Names of tiers as files may write them, for those of a topology.
_ALIASES = {"leaf": ("leaf", "tor"), "port": ("port", "chip", "nic")}
_PER_ROUTER = "endpoints_per_router"


@attrs.frozen
class Spec:
    """A topology by its call; equal specs are one object, built once.

    `taper` is that of a network of which no design is stated: bandwidth down over
    bandwidth up above each `under` endpoints. `hashed` networks spread flows by a hash.
    """

    kind: str
    params: Params
    taper: float = 1.0
    under: int = 1
    hashed: bool = False

    def build(self) -> "Topology | Refusal":
        """The topology, or why there is none such."""
        return _built(self)


@functools.lru_cache(maxsize=512)
def _built(spec: Spec) -> "Topology | Refusal":
    from isocost.engine.topology import registry
    from isocost.engine.topology.fabric import Fabric

    registry.load()
    made = registry.build(spec.kind, **dict(spec.params))
    made = _tapered(made, spec) if spec.taper > 1 else made
    if spec.hashed and isinstance(made, Fabric):
        return attrs.evolve(made, hashed=True)
    return made


def _tapered(made: "Topology | Refusal", spec: Spec) -> "Topology | Refusal":
    from isocost.engine.topology.fabric import Fabric, Tier

    if not isinstance(made, Fabric):
        return made
    tiers = (Tier("system", spec.under, spec.taper), *made.tiers)
    severed = made.severed / spec.taper
    return attrs.evolve(made, tiers=tiers, severed=severed)


def _parameters(kind: str) -> frozenset[str]:
    from isocost.engine.topology import registry

    registry.load()
    known = kind in registry.TOPOLOGIES
    return frozenset(registry.parameters(kind)) if known else frozenset()


def unfit(scope: Scope, refusal: "Refusal") -> "MissingInputError":
    """The error to raise for a design that was refused."""
    from isocost.engine.topology.refusals import reason

    return scope.fail("M003", reason=reason(refusal))


def point_value(scope: Scope, path: str) -> float:
    """A quantity's value at the point: structure is settled when a graph is built."""
    from isocost.engine.program import point

    node = scope[path]
    return point(scope.builder.freeze(), (node,))[node]


def _stated(scope: Scope, path: str) -> tuple[str, dict[str, float]] | None:
    """A call with its numbers; whole ones whole, shares as they are."""
    found = scope.call(path)
    if found is None:
        return None
    kind, args = found
    numbers = {k: v for k, v in args.items() if not isinstance(v, str)}
    return kind, {k: int(v) if float(v).is_integer() else v for k, v in numbers.items()}


def domain_spec(scope: Scope) -> Spec:
    """The call of the scenario's scale-up domain.

    Raises:
        MissingInputError: The system states no topology.
    """
    found = _stated(scope, "system.topology")
    if found is None:
        raise scope.fail("M001", path="system.topology", needed_by="the network")
    kind, params = found
    if "endpoints" in _parameters(kind):
        params.setdefault("endpoints", int(point_value(scope, "system.chips")))
    if params.get(_PER_ROUTER) == 1 and kind == "hyperx":
        # A router with one chip in a domain is the chip itself.
        params[_PER_ROUTER] = 0
    return Spec(kind, tuple(sorted(params.items())))


def topology_of(scope: Scope) -> "Topology":
    """The scale-up topology of the scenario's system.

    Raises:
        MissingInputError: None is stated, or what is stated cannot be built.
    """
    return fitting(scope, domain_spec(scope))


def fitting(scope: Scope, spec: Spec) -> "Topology":
    """The topology of a spec.

    Raises:
        MissingInputError: It cannot be built.
    """
    from isocost.engine.topology.base import Refusal

    built = spec.build()
    if isinstance(built, Refusal):
        raise unfit(scope, built)
    return built


def has_network(scope: Scope) -> bool:
    """Whether anything is said of a network between domains."""
    owners = ("fabric", "system.scale_out")
    return any(scope.has(f"{owner}.bandwidth") for owner in owners)


def network_of(scope: Scope, least: int = 1) -> tuple[Spec, "Topology"]:
    """The network between domains by its spec, and built: it joins every chip.

    Args:
        scope: The scenario.
        least: Chips that it joins at least.

    Raises:
        MissingInputError: It cannot be built, or it joins fewer chips. A design that
            states its own endpoints (one card for two chips) is taken at its word.
    """
    from isocost.engine.topology.base import Refusal

    spec = _network_spec(scope, least)
    built = fitting(scope, spec)
    chips = max(int(point_value(scope, "chips")), least)
    if built.endpoints < chips and "endpoints" not in dict(spec.params):
        facts = {"endpoints": chips, "most": built.endpoints}
        raise unfit(scope, Refusal("endpoints", facts, {"endpoints": built.endpoints}))
    return spec, built


def _network_spec(scope: Scope, least: int) -> Spec:
    """The fabric's design with what stands beside it; a plain network without one."""
    installed = int(point_value(scope, "chips"))
    if least > installed and scope.has("size"):
        from isocost.engine.topology.base import Refusal

        raise unfit(scope, Refusal("installed", {"ranks": least, "chips": installed}))
    chips = max(installed, least)
    found = _stated(scope, "fabric.topology")
    if found is None:
        under = int(point_value(scope, "system.chips"))
        over = "fabric.oversubscription"
        taper = point_value(scope, over) if scope.has(over) else 1.0
        return Spec("switch", (("endpoints", chips),), taper, under, _hashed(scope))
    kind, params = found
    known = _parameters(kind)
    for name, value in _beside(scope, chips).items():
        if name in known:
            params.setdefault(name, value)
    if kind == "hyperx" and not params.get(_PER_ROUTER):
        # Between domains there are routers, with a card of a chip each at least.
        params[_PER_ROUTER] = 1
    return Spec(kind, tuple(sorted(params.items())), hashed=_hashed(scope))


def _hashed(scope: Scope) -> bool:
    """Whether the fabric says that it spreads flows by a hash."""
    return scope.word("fabric.load_balance") == "ecmp"


def _beside(scope: Scope, chips: int) -> dict[str, float]:
    """Parameters of a fabric's call that its other statements give."""
    found: dict[str, float] = {"endpoints": chips}
    for name, path in (
        ("radix", tier_path(scope, "leaf", "switch", ".radix")),
        ("rails", "fabric.rails"),
        ("planes", "fabric.planes"),
        ("oversubscription", tier_path(scope, "leaf", "oversubscription")),
        ("top_oversubscription", tier_path(scope, "spine", "oversubscription")),
        ("oversubscription", "fabric.oversubscription"),
    ):
        if path and scope.has(path):
            value = point_value(scope, path)
            found.setdefault(name, int(value) if value == int(value) else value)
    return found


def tier_path(scope: Scope, tier: str, field: str, rest: str = "") -> str | None:
    """The path of a tier's figure under whichever of its names it is stated."""
    for name in _ALIASES.get(tier, (tier,)):
        path = f"fabric.tier[{name}].{field}"
        if scope.has(path):
            return path + rest
    return None
