"""What a token costs, and how input and output tokens share the cost."""

import attrs

from isocost.dsl.schema.base import Attribute
from isocost.engine.derive.common import INFERENCE, add_up
from isocost.engine.formulas import bill, tokens
from isocost.engine.quantities import quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]
_TOKEN_COSTS = {
    "output_only": "cost.of_output",
    "total": "cost.of_all",
    "input": "cost.of_input",
    "output": "cost.of_output_alone",
}
_BY_RATIO = {
    "input": tokens.input_cost_by_ratio,
    "output": tokens.output_cost_by_ratio,
}
_BY_TIME = {
    "input": tokens.input_cost_by_time,
    "output": tokens.output_cost_by_time,
}
_WEIGHT = Attribute(
    "cost.allocation", "quantity", "Cost of an output token over an input one."
)


def _weight(scope: Scope) -> int | None:
    """The ratio of `cost.allocation = ratio(r)`; None where time decides."""
    fact = scope.fact("cost.allocation")
    if fact is None or fact.expr.op != "call":
        return None
    if len(fact.expr.args) != 1:
        raise scope.fail("M001", path="r", needed_by="cost.allocation = ratio(r)")
    ratio = attrs.evolve(fact, expr=fact.expr.args[0])
    return scope.lowering.fact(ratio, _WEIGHT, scope.scenario, "cost.allocation")


def _shared(scope: Scope, kind: str, tokens_of: str) -> int:
    """Cost of an input or output token by the rule that the scenario states."""
    weight = _weight(scope)
    if weight is not None:
        return scope.apply(
            _BY_RATIO[kind],
            cost="cost.per_month",
            input_tokens="throughput.delivered_input",
            output_tokens="throughput.delivered",
            output_weight=Node(weight),
        )
    return scope.apply(
        _BY_TIME[kind],
        cost="cost.per_month",
        prefill_share="share.prefill",
        **{f"{kind}_tokens": tokens_of},
    )


def _input(scope: Scope, _: Keys) -> int:
    return _shared(scope, "input", "throughput.delivered_input")


def _output(scope: Scope, _: Keys) -> int:
    return _shared(scope, "output", "throughput.delivered")


QUANTITIES = (
    quantity(
        "throughput.delivered",
        "token/s",
        "Output tokens delivered: capacity up, sold and loaded.",
        tokens.delivered_throughput,
        when=INFERENCE,
        peak_throughput="throughput.output",
        availability="finance.availability",
        sold="finance.sold",
        load="load",
    ),
    quantity(
        "throughput.delivered_input",
        "token/s",
        "Prompt tokens delivered, beside the output.",
        tokens.delivered_throughput,
        when=INFERENCE,
        peak_throughput="throughput.input",
        availability="finance.availability",
        sold="finance.sold",
        load="load",
    ),
    quantity(
        "cost.of_output",
        "$/Mtoken",
        "All cost over output tokens.",
        tokens.cost_per_token,
        when=INFERENCE,
        cost="cost.per_month",
        throughput="throughput.delivered",
    ),
    quantity(
        "cost.of_all",
        "$/Mtoken",
        "All cost over input and output tokens together.",
        lambda s, _: s.apply(
            tokens.cost_per_token,
            cost="cost.per_month",
            throughput=Node(
                add_up(
                    s,
                    (s["throughput.delivered"], s["throughput.delivered_input"]),
                    "token/s",
                )
            ),
        ),
        when=INFERENCE,
    ),
    quantity(
        "share.prefill",
        "%",
        "Share of a machine's time that prefill takes.",
        bill.prefill_share,
        when=INFERENCE,
        mixed="mixed.step.time",
        decode="decode.step.time",
    ),
    quantity(
        "cost.of_input",
        "$/Mtoken",
        "Cost of an input token by the scenario's `cost.allocation`.",
        _input,
        when=INFERENCE,
    ),
    quantity(
        "cost.of_output_alone",
        "$/Mtoken",
        "Cost of an output token that shares cost with input tokens.",
        _output,
        when=INFERENCE,
    ),
    quantity(
        "cost.per_Mtoken[]",
        "$/Mtoken",
        "Cost of a million tokens; bare: all cost over output tokens.",
        lambda s, keys: s[_TOKEN_COSTS[keys[0]]],
        when=INFERENCE,
        keys=("output_only", "total", "input", "output"),
        bare="output_only",
        headline=True,
    ),
)
