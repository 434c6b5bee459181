"""Passes of a serving engine: decode, prefill and mixed, wire by wire.

The passes are the same wires over other numbers of tokens. `mixed` is the mean step
of continuous batching, which is what throughput and TPOT come from; `decode` and
`prefill` stand alone, as solo latencies, for static batches and for attribution.
What a pass takes from topologies stands in `network` and `inference_exchange`.
"""

from isocost.engine.derive.common import INFERENCE
from isocost.engine.derive.inference_names import path_of, shown
from isocost.engine.derive.inference_wires import (
    DENSE,
    EXPERTS,
    HEADS,
    LATENT,
    serving,
    wired,
)
from isocost.engine.formulas import plan, serving_load, serving_pass, serving_plan
from isocost.engine.quantities import Build, Quantity, quantity
from isocost.engine.scope import Node, Scope

Keys = tuple[str, ...]
PHASES = ("decode", "prefill", "mixed")
#: Built in `inference_exchange`, since a topology decides whether there is any.
_ELSEWHERE = {"work", "exposed", "exchange"}


def alias(path: str) -> Build:
    """Another path's node under a path of its own."""
    return lambda scope, _: scope[path]


def number(value: float) -> Build:
    """A number of the model's own."""
    return lambda scope, _: scope.builder.constant(value)


def is_static(scope: Scope) -> bool:
    """Whether batches start and end together."""
    return scope.word("workload.batching") == "static"


# Lengths and loads.


def stated_or(path: str, otherwise: float) -> Build:
    """What a path states, else a number."""

    def build(scope: Scope, _: Keys) -> int:
        if scope.has(path):
            return scope[path]
        return scope.builder.constant(otherwise)

    return build


def _computed(scope: Scope, _: Keys) -> int:
    if not scope.has("workload.prefix.hits"):
        return scope["workload.prompt"]
    return scope.apply(
        serving_load.computed_prompt,
        prompt="workload.prompt",
        hits="workload.prefix.hits",
    )


def _read(scope: Scope, _: Keys) -> int:
    """The length that decode attention reads: that of a sequence, or its bucket's."""
    if not scope.flag("software.cache.buckets"):
        return scope["context.mean"]
    return scope.apply(
        serving_load.bucket_length, prompt="workload.prompt", output="workload.output"
    )


def _accepted(scope: Scope, _: Keys) -> int:
    """Tokens that a sequence gains in a step: stated, else by acceptance, else one."""
    if scope.has("workload.speculation.accepted"):
        return scope["workload.speculation.accepted"]
    if not scope.has("workload.speculation.length"):
        return scope.builder.constant(1.0)
    return scope.apply(
        serving_load.speculative_tokens,
        draft="workload.speculation.length",
        acceptance="software.speculation.acceptance",
    )


def _prefill_batch(scope: Scope, _: Keys) -> int:
    if is_static(scope) or scope.pool_name == "prefill":
        return scope["workload.batch.instance"]
    return scope.builder.constant(1.0)


def _instance_batch(scope: Scope, _: Keys) -> int:
    """The batch where none is stated: what cache, engine and users admit.

    A pool that only takes prompts in takes them one at a time.
    """
    if scope.pool_name == "prefill":
        return scope.builder.constant(1.0)
    users = Node(scope["workload.users"]) if scope.has("workload.users") else 1e12
    return scope.apply(
        serving_pass.batch_that_runs,
        batch="memory.largest_batch",
        dp="workload.parallel.dp",
        most="software.batch.most",
        users=users,
    )


_CONTEXT, _, _ATTENDED, _ = serving_plan.LENGTHS
_SEQUENCES, _DRAFTED, _SPAN, _CACHED = serving_plan.DECODING
LENGTHS = (
    *wired((_CONTEXT, _ATTENDED, _SPAN), INFERENCE),
    quantity(
        "context.window",
        "token",
        "Reach of windowed layers.",
        stated_or("model.window.size", 1e12),
    ),
    quantity(
        "context.window_share",
        "%",
        "Share of windowed layers.",
        stated_or("model.window.share", 0.0),
    ),
    quantity(
        "context.computed",
        "token",
        "Tokens of a prompt that no cache holds.",
        _computed,
        when=INFERENCE,
    ),
    quantity(
        "context.read",
        "token",
        "Length of a sequence that decode attention reads.",
        _read,
        when=INFERENCE,
    ),
    quantity(
        "decode.draft",
        "1",
        "Tokens that are drafted ahead.",
        stated_or("workload.speculation.length", 0.0),
        when=INFERENCE,
    ),
    quantity(
        "decode.accepted",
        "1",
        "Tokens that a sequence gains in a step.",
        _accepted,
        when=INFERENCE,
    ),
    quantity(
        "workload.batch.instance",
        "sequence",
        "Sequences that one instance decodes, where none is stated: what fits.",
        _instance_batch,
        when=INFERENCE,
    ),
)


def _plain(name: str, phase: str, build: Build) -> Quantity:
    look = shown(name)
    return quantity(path_of(name, phase), look.unit, look.doc, build, when=INFERENCE)


_DECODES = (_SEQUENCES, _DRAFTED, _CACHED)
LOADS = (
    *wired(_DECODES, INFERENCE, "decode"),
    *wired(_DECODES, INFERENCE, "mixed"),
    *wired(serving_plan.PROMPTS, INFERENCE, "prefill"),
    *wired(serving_plan.MIXED_PROMPTS, INFERENCE, "mixed"),
    *wired(serving_plan.PROMPT_GAPS, INFERENCE, "prefill"),
    _plain("decode_tokens", "prefill", number(0.0)),
    _plain("cached", "prefill", number(0.0)),
    _plain("prefill_tokens", "decode", number(0.0)),
    _plain("batch", "prefill", _prefill_batch),
    _plain("batch", "decode", alias("workload.batch.instance")),
    _plain("batch", "mixed", alias("workload.batch.instance")),
    _plain("layer_overhead", "decode", alias("software.layer_overhead")),
    _plain("layer_overhead", "mixed", alias("software.layer_overhead")),
)


def _pass(phase: str) -> tuple[Quantity, ...]:
    """The wires of one pass, from its tokens to the time of the step."""
    experts = [w for w in serving_plan.PASS_MOE if w.target not in _ELSEWHERE]
    return (
        *wired(serving_plan.CARRIED, INFERENCE, phase),
        *wired(serving_plan.PASS, INFERENCE, phase),
        *wired(serving_plan.READ_GQA, serving(HEADS), phase),
        *wired(serving_plan.READ_MLA, serving(LATENT), phase),
        *wired(experts, serving(EXPERTS), phase),
        *wired(serving_plan.STEP_DENSE, serving(DENSE), phase),
        *wired(serving_plan.STEP_MOE, serving(EXPERTS), phase),
        *wired(serving_plan.STEP, INFERENCE, phase),
        quantity(
            f"{phase}.step.time",
            "ms",
            "Time of a step, with what the stack leaves unexplained.",
            plan.with_residual,
            when=INFERENCE,
            time=f"{phase}.step.ideal",
            residual="serving.residual",
        ),
    )


QUANTITIES = (
    *LENGTHS,
    *LOADS,
    *(one for phase in PHASES for one in _pass(phase)),
)
