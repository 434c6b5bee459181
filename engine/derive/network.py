"""What a scenario may ask of its networks: collectives, bisection, rates.

How a collective is timed stands in `plans`, what the library reaches in
`collectives`, how the networks are built in `topologies`.
"""

import functools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from isocost.dsl.suggest import nearest
from isocost.engine.derive.collectives import link_of
from isocost.engine.derive.common import INFERENCE, OWNED, add_up
from isocost.engine.derive.plans import bind, collective_time, reach
from isocost.engine.derive.topologies import network_of, topology_of
from isocost.engine.quantities import quantity
from isocost.engine.scope import Scope

if TYPE_CHECKING:
    from isocost.engine.scope import MissingInputError

Keys = tuple[str, ...]
__all__ = ["collective_time", "topology_of"]
_SIZE = re.compile(r"([\d._]+)\s*([A-Za-z]+)")


def _size(text: str) -> float | None:
    """A key such as `1 GiB` or `1GiB` in bytes."""
    from isocost.dsl.building import read_literal
    from isocost.dsl.units import Unit, unit

    found = _SIZE.fullmatch(text)
    if not found:
        return None
    shown = read_literal(f"{found[1]} {found[2]}").unit
    if not isinstance(shown, Unit) or shown.dim != unit("B").dim:
        return None
    return float(found[1].replace("_", "")) * shown.factor


def _wrong(scope: Scope, keys: Keys, expected: str, found: str) -> "MissingInputError":
    path = f"collective[{', '.join(keys)}]"
    return scope.fail("V003", name=path, expected=expected, found=found)


def _counted(keys: Keys) -> str:
    return f"{len(keys)} keys" if len(keys) < 3 else f"`{keys[2]}` ranks"  # noqa: PLR2004


def _collective(scope: Scope, keys: Keys) -> int:
    """`collective[OPERATION, SIZE, RANKS]`, and a fourth key for one algorithm."""
    from isocost.engine.topology.base import OPERATIONS

    operation, size, ranks, algorithm = (*keys, "", "", "", "")[:4]
    if not 3 <= len(keys) <= 4 or not ranks.isdecimal() or not int(ranks):  # noqa: PLR2004 (keys)
        raise _wrong(scope, keys, "an operation, a size and ranks", _counted(keys))
    if operation not in OPERATIONS:
        near = ", ".join(nearest(operation, OPERATIONS) or OPERATIONS)
        raise scope.fail("N003", name=operation, near=near)
    message = _size(size)
    if message is None:
        raise _wrong(scope, keys, "a size in bytes, as `1 GiB`,", f"`{size}`")
    return collective_time(
        scope,
        operation,
        scope.builder.constant(message),
        scope.builder.constant(float(ranks)),
        algorithm=algorithm,
        name=f"collective[{', '.join(keys)}].quickest",
    )


def _bisection(scope: Scope, keys: Keys) -> int:
    from isocost.engine.topology.plan import bisection_plan

    if keys[0] == "scale_up":
        return bind(scope, bisection_plan(topology_of(scope)), {}, {})
    network = network_of(scope)[1]
    needs = {f"link[{a}].bandwidth": scope["fabric.bandwidth"] for a in network.axes}
    return bind(scope, bisection_plan(network), needs, {})


def _scale_up(scope: Scope, _: Keys) -> int:
    """All links of one chip, one way; of a switched domain its ports together."""
    from isocost.engine.formulas.network import ports_rate
    from isocost.engine.topology.fabric import Fabric

    domain = topology_of(scope)
    if isinstance(domain, Fabric):
        return scope[f"{link_of(scope, domain.axes[0])}.bandwidth"]
    rates = [
        scope.apply(ports_rate, ports=n, bandwidth=f"{link_of(scope, axis)}.bandwidth")
        for axis, n in domain.ports.items()
        if n
    ]
    return add_up(scope, rates, "B/s")


def _apart(scope: Scope, _: Keys) -> int:
    from isocost.engine.formulas.network import rates_apart

    return scope.apply(
        rates_apart, inner="scale_up.bandwidth", outer="fabric.bandwidth"
    )


def _phase_all_reduce(phase: str, scope: Scope, _: Keys) -> int:
    ranks = scope["workload.parallel.tp"]
    return collective_time(
        scope,
        "all_reduce",
        scope[f"{phase}.stream"],
        ranks,
        name=f"{phase}.all_reduce.quickest",
    )


def _phase_send(phase: str, scope: Scope, _: Keys) -> int:
    """Handing a micro-batch to the next stage, `tp cp dp` ranks further on.

    The stream of a pass is one micro-batch's.
    """
    stages = scope["workload.parallel.pp"]
    if reach(scope, (stages,)) <= 1:
        return scope.builder.constant(0.0)
    size = scope[f"{phase}.stream"]
    return collective_time(
        scope, "point_to_point", size, stages, scope["ranks.of_stage"]
    )


def _of_stage(scope: Scope, _: Keys) -> int:
    from isocost.engine.formulas.plan import ranks_of_instance

    degrees = {name: f"workload.parallel.{name}" for name in ("tp", "cp", "dp")}
    return scope.apply(ranks_of_instance, pp=1.0, **degrees)


QUANTITIES = (
    quantity(
        "collective[]",
        "us",
        "Time of a collective by operation, size and number of innermost ranks.",
        _collective,
    ),
    quantity(
        "bisection[]",
        "TB/s",
        "Bandwidth, one way, across the worst cut of the domain in halves, or of the "
        "network between domains.",
        _bisection,
        keys=("scale_up", "scale_out"),
        bare="scale_up",
    ),
    quantity(
        "scale_up.bandwidth",
        "GB/s/chip",
        "Bandwidth of all links of a chip inside its domain, one way.",
        _scale_up,
    ),
    quantity(
        "scale_up.over_scale_out",
        "1",
        "Bandwidth of a chip inside its domain over that to other domains.",
        _apart,
    ),
    quantity(
        "ranks.of_stage", "1", "Ranks of one pipeline stage.", _of_stage, when=INFERENCE
    ),
    *(
        quantity(
            f"{phase}.all_reduce",
            "us",
            "One all-reduce over the tensor-parallel ranks.",
            functools.partial(_phase_all_reduce, phase),
        )
        for phase in ("decode", "prefill", "mixed")
    ),
    *(
        quantity(
            f"{phase}.send",
            "us",
            "Handing the activations of a micro-batch to the next stage.",
            functools.partial(_phase_send, phase),
            when=INFERENCE,
        )
        for phase in ("decode", "prefill", "mixed")
    ),
)


def unpriced(scope: Scope, settled: Mapping[int, float]) -> tuple[str, ...]:
    """A remark on several systems that nothing connects.

    Args:
        scope: The scenario.
        settled: Its choices as they were settled.
    """
    from isocost.engine.program import point
    from isocost.engine.scope import MissingInputError

    owned = scope.block("finance") is not None and OWNED.holds(scope)
    if not owned or scope.block("system") is None or scope.block("fabric") is not None:
        return ()
    try:
        node = scope["systems"]
    except MissingInputError:
        return ()
    if point(scope.builder.freeze(), (node,), settled)[node] <= 1:
        return ()
    return ("no fabric is bound: its network costs nothing",)


def unjoined(scope: Scope, settled: Mapping[int, float]) -> tuple[str, ...]:
    """A remark on a fabric that states fewer endpoints than there are chips.

    A card may serve several chips of a system: so many as divide them is a design.

    Args:
        scope: The scenario.
        settled: Its choices as they were settled.
    """
    from isocost.engine.program import point
    from isocost.engine.scope import MissingInputError

    found = scope.call("fabric.topology") if scope.block("fabric") else None
    stated = found[1].get("endpoints") if found else None
    if not stated or isinstance(stated, str):
        return ()
    try:
        nodes = (scope["chips"], scope["system.chips"])
    except MissingInputError:
        return ()
    values = point(scope.builder.freeze(), nodes, settled)
    chips, system = (values[node] for node in nodes)
    each = chips / stated
    shared = each <= system and system % each == 0
    if each <= 1 or shared:
        return ()
    said = (
        f"the fabric's topology states {stated:,.0f} endpoints for {chips:,.0f} chips: "
        "its bill and its bisection are those of the former"
    )
    return (said,)


REMARKS = (unjoined,)
COST_REMARKS = (unpriced,)
