"""Exchanges between experts, over the scenario's topologies.

Inside a domain every rank sends to every other, by the all-to-all that the topology
has; between domains a token travels once to each domain that holds one of its
experts. Where attention is not data parallel there is no exchange, and nothing is
asked of a network.
"""

import functools

from isocost.engine.derive.inference_names import path_of, shown
from isocost.engine.derive.inference_wires import EXPERTS, serving
from isocost.engine.derive.network import collective_time
from isocost.engine.derive.plans import rate_across, reach
from isocost.engine.formula import Formula
from isocost.engine.formulas import moe_exchange, moe_step, training_figures
from isocost.engine.formulas.collectives import transfer
from isocost.engine.quantities import Build, Quantity, quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]
_PHASES = ("decode", "prefill", "mixed")
_WAYS = {"dispatch_bytes": "bytes.dispatch", "combine_bytes": "bytes.activation"}


def _sent(phase: str, scope: Scope) -> Node:
    """Tokens that a rank sends."""
    return Node(
        scope.apply(
            moe_exchange.sent_tokens,
            tokens=f"{phase}.tokens",
            tp="workload.parallel.tp",
        )
    )


def _near(phase: str, scope: Scope) -> int:
    """The exchange inside domains, there and back."""
    inside = Node(
        scope.apply(moe_exchange.group_inside, group="rank.group", domain="rank.domain")
    )
    size = scope.apply(
        moe_exchange.exchange_buffer,
        tokens=_sent(phase, scope),
        hidden="model.hidden",
        group=inside,
        **_WAYS,
    )
    name = f"{phase}.exchange.quickest"
    once = collective_time(scope, "all_to_all", size, inside.id, name=name)
    return scope.apply(moe_exchange.there_and_back, once=Node(once))


def _far(phase: str, scope: Scope) -> int:
    """The exchange between domains, there and back."""
    domains = Node(
        scope.apply(
            moe_exchange.domains_of_group, group="rank.group", domain="rank.domain"
        )
    )
    places = scope.apply(
        moe_step.expert_destinations, ep=domains, top_k="model.moe.top_k"
    )
    size = scope.apply(
        moe_step.expert_exchange_bytes,
        tokens=_sent(phase, scope),
        hidden="model.hidden",
        ep=domains,
        destinations=Node(places),
        **_WAYS,
    )
    rate = scope.apply(
        moe_exchange.rate_between,
        bandwidth="fabric.bandwidth",
        efficiency="fabric.efficiency",
        rank_chips="rank.chips",
    )
    left = rate_across(scope, rate, domains.id)
    wire = scope.apply(moe_exchange.wire_time, size=Node(size), rate=Node(left))
    time = scope.apply(
        transfer,
        alpha=Node(scope.apply(moe_exchange.there_and_back, once="fabric.latency")),
        wire=Node(wire),
        cross="software.collective.cross",
        damping="software.collective.damping",
    )
    return scope.apply(moe_exchange.between_domains, domains=domains, time=Node(time))


def _carried(phase: str, scope: Scope, _: Keys) -> int:
    near = _near(phase, scope)
    ranks, domain = scope["rank.group"], scope["rank.domain"]
    if reach(scope, (ranks,)) <= reach(scope, (domain,)):
        return near
    return scope.apply(
        moe_exchange.slower_exchange, near=Node(near), far=Node(_far(phase, scope))
    )


def _exchange(phase: str, scope: Scope, _: Keys) -> int:
    """What experts add to a layer's communication: by what the plan can be."""
    all_reduce = scope[f"{phase}.all_reduce"]
    if reach(scope, (scope["workload.parallel.dp"],)) <= 1:
        return all_reduce
    return scope.apply(
        moe_exchange.layer_exchange,
        dp="workload.parallel.dp",
        tp="workload.parallel.tp",
        exposed=f"{phase}.layer.exposed",
        all_reduce=Node(all_reduce),
    )


def _of(phase: str) -> tuple[Quantity, ...]:
    def made(name: str, formula: Formula | Build, **args: str | float) -> Quantity:
        look = shown(name)
        return quantity(
            path_of(name, phase),
            look.unit,
            look.doc,
            formula,
            when=serving(EXPERTS),
            shared=args,
        )

    layer = f"{phase}.layer"
    return (
        made("carried", functools.partial(_carried, phase)),
        made("exchange", functools.partial(_exchange, phase)),
        made(
            "work",
            moe_exchange.layer_arithmetic,
            expert_time=f"{layer}.experts",
            shared=f"{layer}.shared",
            attention_matrices=f"{layer}.attention_matrices",
        ),
        made(
            "exposed",
            moe_step.exposed_exchange,
            exchange=f"{layer}.carried",
            work=f"{layer}.arithmetic",
            overlap="software.experts.overlap",
        ),
    )


QUANTITIES = (
    quantity(
        "rank.group",
        "1",
        "Ranks that the tokens of a layer of experts meet on.",
        moe_exchange.exchange_group,
        when=serving(EXPERTS),
        ep="workload.parallel.ep",
        dp="workload.parallel.dp",
    ),
    quantity(
        "rank.domain",
        "1",
        "Ranks of a scale-up domain.",
        training_figures.ranks_of_domain,
        chips_per_system="system.chips",
        rank_chips="rank.chips",
    ),
    *(one for phase in _PHASES for one in _of(phase)),
)
