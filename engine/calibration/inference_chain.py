"""The wiring of a serving step over arrays: `formulas.serving_plan`, for fitting.

The tables are what a scenario's quantities are made from as well. What a scenario
takes from its topologies (an all-reduce, a send, an exchange between experts) is
worked out here from the figures of a fabric that a measurement names.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from isocost.engine.calibration.inference_arrays import Values, apply
from isocost.engine.formulas import moe_exchange, moe_step, serving_plan
from isocost.engine.formulas.collectives import transfer
from isocost.engine.formulas.collectives_flat import ring_all_reduce
from isocost.engine.formulas.collectives_in_network import in_network_all_reduce
from isocost.engine.formulas.network_layout import chips_of_group
from isocost.engine.formulas.serving_plan import Wire, wire

__all__ = ["Wire", "rank_values", "run", "step_values", "wire"]


def run(wires: Iterable[Wire], values: Values) -> Values:
    """Apply wires in their order; results are added to `values`."""
    for each in wires:
        values[each.target] = apply(each.formula, values, **each.sources)
    return values


def rank_values(values: Values, *, mla: bool, experts: bool) -> Values:
    """What does not depend on the batch: the rank, its weights, its largest batch."""
    wires = serving_plan.rank_wires(mla=mla, experts=experts)
    return run((*serving_plan.SHARES, *wires), values)


def step_values(values: Values, *, mla: bool, experts: bool) -> Values:
    """The parts of one step and their sum, for the tokens that `values` names."""
    run(serving_plan.CARRIED, values)
    values["all_reduce"] = _all_reduce(values)
    values["send_wire"] = values["stream"] / values["rate"]
    values["send"] = apply(
        transfer, values, alpha="send_alpha", wire="send_wire", cross="zero"
    )
    values["carried"] = _exchange(values) if experts else 0.0
    return run(serving_plan.pass_wires(mla=mla, experts=experts), values)


def _all_reduce(values: Values) -> object:
    """The quicker of a ring and the switch's own reduction, where it has one.

    Ranks beyond a scale-up domain reduce between domains as well, each its part, over
    the chip's rate between nodes.
    """
    named = {**values, "size": values["stream"], "ranks": values["tp"]}
    chips = apply(chips_of_group, named)
    named["ranks"] = np.minimum(chips, values["domain"])
    ring = apply(ring_all_reduce, named)
    switch = apply(in_network_all_reduce, named, bandwidth="link")
    quicker = np.where(values["reduction"] > 0, np.minimum(ring, switch), ring)
    across = _between_domains(values, chips)
    return np.where(np.asarray(values["tp"]) > 1, quicker + across, 0.0)


def _between_domains(values: Values, chips: Any) -> Any:
    """An all-reduce between domains of what each chip of one holds; 0 inside one."""
    domains = chips / values["domain"]
    named = {
        **values,
        "ranks": np.maximum(domains, 1.0),
        "size": values["stream"] / values["domain"],
        "rate": values["node_link"],
        "latency": values["node_alpha"],
        "launch": values["node_alpha"],
    }
    return np.where(domains > 1, apply(ring_all_reduce, named), 0.0)


def _exchange(values: Values) -> object:
    """Tokens to experts and back: over the domain's links, and between domains."""
    named = {**values, "tokens": apply(moe_exchange.sent_tokens, values)}
    named["alpha"] = 2 * (values["launch"] + 2 * values["latency"])
    named["group"] = apply(moe_exchange.exchange_group, values)
    inside = apply(moe_exchange.group_inside, named)
    named["ep"], named["destinations"] = inside, inside
    size = apply(moe_step.expert_exchange_bytes, named)
    named["wire"] = size / (values["exchange_share"] * values["link"])
    near = apply(transfer, named)
    domains = apply(moe_exchange.domains_of_group, named)
    named["ep"] = domains
    named["destinations"] = apply(moe_step.expert_destinations, named)
    size = apply(moe_step.expert_exchange_bytes, named)
    named["wire"] = size / values["node_link"]
    named["alpha"] = 2 * values["node_alpha"]
    far = np.where(domains > 1, apply(transfer, named), 0.0)
    return np.maximum(near, far)
