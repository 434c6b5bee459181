"""Collectives of a scenario: the topology's plan bound to links and software."""

from isocost.dsl.syntax import parse_path
from isocost.engine.derive.common import add_up
from isocost.engine.quantities import Build, quantity
from isocost.engine.scope import Node, Scope
from isocost.engine.topology import registry
from isocost.engine.topology.base import Apply, Refusal, Topology
from isocost.engine.topology.needs import OF_FABRIC, SHARED
from isocost.engine.topology.plan import bisection_plan, collective_plan

Keys = tuple[str, ...]
_LIBRARY = {
    "launch": "software.collective.launch",
    "cross": "software.collective.cross",
    "damping": "software.collective.damping",
    "overlap": "software.collective.overlap",
    "efficiency": "software.collective.efficiency",
    "exchange": "software.collective.exchange",
    "reduction": "software.collective.reduction",
    "reduction_latency": "software.collective.reduction_latency",
}


def topology_of(scope: Scope) -> Topology:
    """The scale-up topology of the scenario's system.

    Raises:
        MissingInputError: None is stated, or what is stated cannot be built.
    """
    found = scope.call("system.topology")
    if found is None:
        raise scope.fail("M001", path="system.topology", needed_by="collectives")
    name, args = found
    registry.load()
    numbers = {k: int(v) for k, v in args.items() if not isinstance(v, str)}
    if "endpoints" in registry.parameters(name) if name in registry.TOPOLOGIES else ():
        numbers.setdefault("endpoints", int(_chips(scope)))
    built = registry.build(name, **numbers)
    if isinstance(built, Refusal):
        facts = ", ".join(f"{k} = {v}" for k, v in built.args.items())
        raise scope.fail("M003", reason=f"{built.code}: {facts}")
    return built


def _chips(scope: Scope) -> float:
    from isocost.engine.program import point

    node = scope["system.chips"]
    return point(scope.builder.freeze(), (node,))[node]


def bind(scope: Scope, applied: Apply, needs: dict[str, int]) -> int:
    """The node of a plan's application; links and library are the scenario's."""
    args: dict[str, Node | float] = {}
    for name, value in applied.args.items():
        if isinstance(value, Apply):
            args[name] = Node(bind(scope, value, needs))
        elif isinstance(value, str):
            args[name] = Node(needs[value] if value in needs else _need(scope, value))
        else:
            args[name] = float(value)
    return scope.apply(applied.formula, **args)


def _need(scope: Scope, need: str) -> int:
    head, _, field = need.rpartition(".")
    if head.startswith("library"):
        if field in _LIBRARY:
            return scope[_LIBRARY[field]]
        return scope.builder.constant({**SHARED, **OF_FABRIC}[field].ideal)
    axis = parse_path(head).keys[0]
    return scope[f"system.topology.{_link(scope, axis)}.{field}"]


def _link(scope: Scope, axis: str) -> str:
    """The link of an axis; one link may be stated for all under any single key."""
    if scope.block(f"system.topology.link[{axis}]") is not None:
        return f"link[{axis}]"
    keys = scope.keys("system", "topology.link[]")
    return f"link[{keys[0]}]" if len(keys) == 1 else f"link[{axis}]"


def collective_time(scope: Scope, operation: str, size: int, ranks: int) -> int:
    """The node of a collective's time over the scale-up domain."""
    plan = collective_plan(operation, topology_of(scope))
    one = scope.builder.constant(1.0)
    return bind(scope, plan.time, {"size": size, "ranks": ranks, "stride": one})


def _bisection(scope: Scope, _: Keys) -> int:
    return bind(scope, bisection_plan(topology_of(scope)), {})


def _phase_all_reduce(phase: str) -> Build:
    def build(scope: Scope, _: Keys) -> int:
        size = scope[f"{phase}.stream"]
        return collective_time(scope, "all_reduce", size, scope["workload.parallel.tp"])

    return build


def _send(scope: Scope, _: Keys) -> int:
    return add_up(scope, (), "s")


QUANTITIES = (
    quantity(
        "bisection", "TB/s", "Bisection bandwidth of the scale-up domain.", _bisection
    ),
    *(
        quantity(
            f"{phase}.all_reduce",
            "us",
            "One all-reduce over the tensor-parallel ranks.",
            _phase_all_reduce(phase),
        )
        for phase in ("decode", "prefill", "mixed")
    ),
    quantity("pipeline.send", "us", "Handing activations to the next stage.", _send),
)
