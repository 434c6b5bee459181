"""Collectives over a scenario's networks: a topology's plan bound to the graph.

The topology object alone decides which links a group of ranks uses. A group that
can leave its domain runs over the stack of domain and network; one that cannot
knows nothing of the network, so that no input is named that has no effect.
`collective_time` is what the models of training and inference call.
"""

import functools
import math
from typing import TYPE_CHECKING

import attrs

from isocost.dsl.suggest import nearest
from isocost.dsl.syntax import parse_path
from isocost.engine.derive.collectives import (
    OUTER,
    coefficient,
    library_of,
    link_of,
    outer_coefficient,
    residual,
)
from isocost.engine.derive.topologies import (
    Spec,
    domain_spec,
    fitting,
    has_network,
    network_of,
    unfit,
)
from isocost.engine.scope import MissingInputError, Node, Scope

if TYPE_CHECKING:
    from isocost.engine.topology.base import Apply, Library, Need, Plan
    from isocost.engine.topology.fabric import Fabric


@functools.lru_cache(maxsize=512)
def _planned(
    operation: str, domain: Spec, network: Spec | None, library: "Library"
) -> "Plan":
    """The plan of an operation; equal networks share it. Both are known to fit."""
    from isocost.engine.topology.base import Refusal
    from isocost.engine.topology.plan import collective_plan
    from isocost.engine.topology.stack import stack

    up, out = domain.build(), network.build() if network else None
    assert not isinstance(up, Refusal)  # noqa: S101 (the caller looked)
    assert not isinstance(out, Refusal)  # noqa: S101
    return collective_plan(operation, stack(up, out), library)


def bind(
    scope: Scope, applied: "Apply", needs: dict[str, int], memo: dict[int, int]
) -> int:
    """The node of a plan's application; links and library are the scenario's."""
    from isocost.engine.topology.base import Apply

    if id(applied) in memo:
        return memo[id(applied)]
    args: dict[str, Node | float] = {}
    for name, value in applied.args.items():
        if isinstance(value, Apply):
            args[name] = Node(bind(scope, value, needs, memo))
        elif isinstance(value, str):
            args[name] = Node(needs[value] if value in needs else _need(scope, value))
        else:
            args[name] = float(value)
    memo[id(applied)] = scope.apply(applied.formula, **args)
    return memo[id(applied)]


def _need(scope: Scope, need: str) -> int:
    """The node of a need, as `library.launch` or `link[x].bandwidth`."""
    head, _, field = need.rpartition(".")
    keys = parse_path(head).keys
    axis = keys[0] if keys else None
    outer = axis is not None and axis.partition(".")[0] == OUTER
    if head.startswith("library"):
        if outer:
            return outer_coefficient(scope, field)
        return coefficient(scope, field, axis)
    if outer:
        return scope[f"fabric.{field}"]
    assert axis is not None  # noqa: S101 (links have an axis)
    return scope[f"{link_of(scope, axis)}.{field}"]


# Groups of ranks.


def chips_of(scope: Scope, ranks: int) -> int:
    """The node of the chips that a group of ranks reaches."""
    from isocost.engine.formulas.network_layout import chips_of_group

    if not scope.has("software.ranks_per_chip"):
        return ranks
    return scope.apply(chips_of_group, ranks=Node(ranks), rank_chips="rank.chips")


def reach(scope: Scope, nodes: tuple[int, ...]) -> int:
    """The most chips that a group can extend over: the product of some nodes.

    Open choices count at their largest option.
    """
    from isocost.engine.choices import open_inputs, options_of
    from isocost.engine.graph import Input
    from isocost.engine.program import point

    graph = scope.builder.freeze()
    largest: dict[int, float] = {}
    for node in open_inputs(graph, nodes):
        what = graph.nodes[node].what
        assert isinstance(what, Input)  # noqa: S101 (open inputs are inputs)
        largest[node] = max(options_of(scope, what))
    values = point(scope.builder.freeze(), nodes, largest)
    most = math.prod(values[node] for node in nodes)
    if largest:
        most = _within(scope, most)
    return math.ceil(most - 1e-9)


def _within(scope: Scope, most: float) -> float:
    """The chips that an option can extend over: larger ones have no instance."""
    from isocost.engine.choices import open_inputs
    from isocost.engine.derive.topologies import point_value

    if not has_network(scope):
        most = min(most, fitting(scope, domain_spec(scope)).endpoints)
    if not (scope.has("size") or scope.has("systems")):
        return most
    chips = scope["chips"]
    if open_inputs(scope.builder.freeze(), [chips]):
        return most
    return min(most, point_value(scope, "chips"))


def collective_time(
    scope: Scope,
    operation: str,
    size: int,
    ranks: int,
    stride: int | None = None,
    *,
    algorithm: str = "",
    name: str = "",
) -> int:
    """The node of a collective's time.

    Args:
        scope: The scenario.
        operation: One of `topology.OPERATIONS`.
        size: The node of the message, in the operation's convention (see
            `formulas.network_symbols`).
        ranks: The node of the number of ranks.
        stride: The node of ranks between neighbours of the group; None: innermost.
        algorithm: One algorithm instead of the quickest that the library has.
        name: A path under which the quickest algorithm is found and explained.

    Raises:
        MissingInputError: The group does not fit, or a figure is missing.
    """
    chips = chips_of(scope, ranks)
    apart = scope.builder.constant(1.0) if stride is None else chips_of(scope, stride)
    far = reach(scope, (chips, apart))
    if far <= 1:
        return scope.builder.constant(0.0)
    domain = domain_spec(scope)
    within = fitting(scope, domain).endpoints
    network = None if far <= within else _network(scope, far, within)
    plan = _planned(operation, domain, network, _library(scope, algorithm))
    applied = _chosen(scope, plan, algorithm) if algorithm else plan.time
    needs = {"size": size, "ranks": chips, "stride": apart}
    return _judged(scope, applied, needs, operation, name)


def _library(scope: Scope, algorithm: str) -> "Library":
    from isocost.engine.topology.base import ANY

    return ANY if algorithm else library_of(scope)


def _network(scope: Scope, far: int, within: int) -> Spec:
    from isocost.engine.topology.base import Refusal

    if not has_network(scope):
        facts = {"ranks": far, "domain": within}
        raise unfit(scope, Refusal("domains", facts, {"ranks": within}))
    return network_of(scope, far)[0]


def _chosen(scope: Scope, plan: "Plan", algorithm: str) -> "Apply":
    for found in plan.candidates:
        if found.name == algorithm:
            return found.time
    known = [found.name for found in plan.candidates]
    near = ", ".join(nearest(algorithm, known) or known)
    raise scope.fail("N003", name=algorithm, near=near)


@attrs.frozen
class Ring:
    """A group of ranks, their stride, and the ranks of a domain, each as a node."""

    group: int
    stride: int
    domain: int


def ring_across(scope: Scope, rate: int, ring: Ring) -> int:
    """The node of what tapered and hashed tiers leave of a rank's rate to rings.

    Args:
        scope: The scenario.
        rate: The node of a rank's rate into the network between domains.
        ring: The group.
    """
    from isocost.engine.formulas.network_layout import places_outside, ports_between

    network = _between_domains(scope)
    if network is None:
        return rate
    nodes = {"stride": Node(ring.stride), "domain": Node(ring.domain)}
    places = scope.apply(places_outside, group=Node(ring.group), **nodes)
    apart = scope.apply(
        ports_between, **nodes, rank_chips="rank.chips", rails=float(network.rails)
    )
    return _through(scope, network, {"rate": rate, "ranks": places, "stride": apart})


def rate_across(scope: Scope, rate: int, domains: int) -> int:
    """The node of what tapered and hashed tiers leave of a rank's rate to an exchange.

    A design that does not fit leaves it as it is: the fabric's bill and collectives
    say so, where they are asked for.

    Args:
        scope: The scenario.
        rate: The node of the rate into the network between domains.
        domains: The node of the domains that the group reaches into.
    """
    network = _between_domains(scope)
    if network is None:
        return rate
    domain = fitting(scope, domain_spec(scope)).endpoints
    spacing = scope.builder.constant(float(max(1, domain // network.rails)))
    needs = {"rate": rate, "ranks": domains, "stride": spacing}
    return _through(scope, network, needs, exchange=True)


def _between_domains(scope: Scope) -> "Fabric | None":
    """The network between domains, where its design says what its tiers leave."""
    from isocost.engine.topology.fabric import Fabric

    said = scope.call("fabric.topology") is not None
    if not (said or scope.has("fabric.oversubscription")) or not scope.has("size"):
        return None
    try:
        network = network_of(scope)[1]
    except MissingInputError:
        return None
    return network if isinstance(network, Fabric) else None


def _through(
    scope: Scope, network: "Fabric", needs: dict[str, int], *, exchange: bool = False
) -> int:
    from isocost.engine.topology.base import Apply

    left = network.through("rate", exchange=exchange)
    if not isinstance(left, Apply):
        return needs["rate"]
    for need in set(left.needs()) - set(needs):
        needs[need] = outer_coefficient(scope, need.rpartition(".")[2])
    return bind(scope, left, needs, {})


def _judged(
    scope: Scope, applied: "Apply", needs: dict[str, int], operation: str, name: str
) -> int:
    """The time with what calibration leaves open, each phase with its own."""
    from isocost.engine.topology.base import Apply

    memo: dict[int, int] = {}
    node = _algorithm(scope, applied, needs, (operation, name), memo)
    if node is not None:
        return node
    times = {}
    for label, one in applied.args.items():
        part = None
        if isinstance(one, Apply):
            part = _algorithm(scope, one, needs, (operation, name), memo)
        if part is not None:
            times[label] = Node(part)
    if times:
        # Every algorithm over two networks is one of the kinds above.
        node = scope.apply(applied.formula, **times)
        _called(scope, name, node)
        return node
    node = bind(scope, applied, needs, memo)
    _called(scope, name, node)
    return _doubted(scope, node, residual(scope, "inside", operation))


def _algorithm(
    scope: Scope,
    applied: "Apply",
    needs: dict[str, int],
    asked: tuple[str, str],
    memo: dict[int, int],
) -> int | None:
    """The time of one algorithm over two networks; None: it is none such."""
    from isocost.engine.formulas import collectives as joins
    from isocost.engine.topology.stack import reach_of

    domains = reach_of(applied)
    if domains is not None:
        node = bind(scope, applied, needs, memo)
        far = bind(scope, domains, needs, memo)
        return _doubted(scope, node, _by_reach(scope, far, asked[0]))
    if applied.formula not in {joins.hierarchical, joins.slowest_boundary}:
        return None
    return _phases(scope, applied, needs, asked, memo)


def _phases(
    scope: Scope,
    applied: "Apply",
    needs: dict[str, int],
    asked: tuple[str, str],
    memo: dict[int, int],
) -> int:
    """A phase inside domains and one across them, each with its own doubt."""
    from isocost.engine.topology.base import Apply

    operation, name = asked
    args: dict[str, Need] = dict(applied.args)
    mine = dict(needs)
    for phase, where in (("scale_up", "inside"), ("scale_out", "across")):
        part = applied.args[phase]
        assert isinstance(part, Apply)  # noqa: S101 (a phase is a plan of its own)
        node = bind(scope, part, needs, memo)
        _called(scope, name and f"{name}.{where}", node)
        mine[phase] = _doubted(scope, node, residual(scope, where, operation))
        args[phase] = phase
    return bind(scope, attrs.evolve(applied, args=args), mine, memo)


def _by_reach(scope: Scope, domains: int, operation: str) -> int | None:
    """The residual of an algorithm that may or may not leave a domain."""
    from isocost.engine.formulas.plan import residual_by_reach

    found = {w: residual(scope, w, operation) for w in ("inside", "across")}
    if all(node is None for node in found.values()):
        return None
    one = scope.builder.constant(1.0)
    args = {w: Node(one if node is None else node) for w, node in found.items()}
    return scope.apply(residual_by_reach, domains=Node(domains), **args)


def _called(scope: Scope, name: str, node: int) -> None:
    if name:
        scope.builder.names.setdefault(scope.full_name(name), node)


def _doubted(scope: Scope, node: int, factor: int | None) -> int:
    """A time with the factor that calibration leaves open."""
    from isocost.engine.formulas.plan import with_residual

    if factor is None:
        return node
    return scope.apply(with_residual, time=Node(node), residual=Node(factor))
