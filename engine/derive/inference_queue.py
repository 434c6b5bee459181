"""Serving under load: loaded first tokens, percentiles, limits, arrivals.

Without arrivals users are constant: one who is served asks again. With arrivals the
queue has its own load, and one that is asked for more than it serves is flagged.
"""

import math
from collections.abc import Mapping

from isocost.engine.derive.common import INFERENCE
from isocost.engine.derive.inference import is_static
from isocost.engine.derive.inference_wires import serving
from isocost.engine.formulas import plan, serving_load, serving_pass
from isocost.engine.formulas import serving as use
from isocost.engine.program import point
from isocost.engine.quantities import When, quantity
from isocost.engine.scope import MissingInputError, Node, Scope

Keys = tuple[str, ...]
#: Share of requests below a percentile.
SHARES = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99}
#: Quantiles of the standard normal.
_NORMAL = {"mean": 0.0, "p50": 0.0, "p90": 1.281552, "p95": 1.644854, "p99": 2.326348}
ARRIVALS = When("where arrivals are stated", lambda s: s.has("workload.arrival"))
USERS = When("of constant users", lambda s: not s.has("workload.arrival"))
_QUEUE = {"arrival": "workload.arrival", "peak": "queue.peak"}


def _peak(scope: Scope, _: Keys) -> int:
    if scope.has("workload.peak_to_mean"):
        return scope["workload.peak_to_mean"]
    return scope.builder.constant(1.0)


def _busy(scope: Scope, _: Keys) -> int:
    """Share of its time that an instance takes prompts in, at its arrivals."""
    busy = scope.apply(
        serving_load.arrival_load,
        arrivals="queue.arrivals",
        prefill="prefill.step.time",
    )
    return scope.apply(
        serving_pass.stable_load, busy=Node(busy), beyond="queue.overload"
    )


def _waiting(scope: Scope) -> int | None:
    """Wait for room in the cache, where more users ask than the batch holds."""
    if not scope.has("workload.users"):
        return None
    return scope.apply(
        serving_load.admission_wait,
        batch="workload.batch.instance",
        output="workload.output",
        users="workload.users",
        throughput="throughput.instance",
    )


def _first(scope: Scope, keys: Keys) -> int:
    """A statistic of the time to the first token."""
    key = keys[0]
    made = _loaded(scope, key)
    return scope.apply(
        plan.with_residual, time=Node(made), residual="software.residual.ttft"
    )


def _loaded(scope: Scope, key: str) -> int:
    args: dict[str, str | float] = {
        "prefill": "prefill.step.time",
        "load": "queue.load",
        "step": "decode.step.time",
    }
    if key == "solo" or is_static(scope):
        return scope["prefill.step.time"]
    if key == "mean":
        made = scope.apply(serving_load.ttft_loaded, **args)
    else:
        tail = -math.log(1 - SHARES[key])
        made = scope.apply(serving_load.ttft_percentile, tail=tail, **args)
    waiting = _waiting(scope)
    if waiting is None:
        return made
    return scope.apply(serving_pass.with_wait, time=Node(made), waiting=Node(waiting))


def _each(scope: Scope, keys: Keys) -> int:
    """A statistic over requests of the time per output token."""
    if keys[0] == "mean":
        return scope["serving.tpot"]
    return scope.apply(
        serving_pass.tpot_percentile,
        mean="serving.tpot",
        cv="software.tpot.cv",
        quantile=_NORMAL[keys[0]],
    )


def _within(scope: Scope, _: Keys) -> int:
    """Throughput of an instance that keeps every limit that is stated."""
    node = scope["throughput.instance"]
    for path in limits(scope):
        statistic = path.partition("[")[2].removesuffix("]")
        if ".tpot[" in path or statistic == "solo" or is_static(scope):
            metric = path.replace("workload.slo.", "latency.")
            node = scope.apply(
                serving_pass.throughput_if_within,
                measured=metric,
                limit=path,
                throughput=Node(node),
            )
            continue
        bound = Node(_bound(scope, path, statistic))
        node = scope.apply(serving_pass.lower_rate, first=Node(node), second=bound)
    return node


def _bound(scope: Scope, path: str, statistic: str) -> int:
    """The rate that a limit on a loaded first token admits."""
    each = scope.apply(
        serving_load.prompt_share_of_steps,
        batch="workload.batch.instance",
        output="workload.output",
        step="decode.step.time",
        mixed="mixed.step.time",
    )
    tail = 1.0 if statistic == "mean" else -math.log(1 - SHARES[statistic])
    load = scope.apply(
        serving_load.load_within_limit,
        prefill=Node(each),
        limit=path,
        tail=tail,
        spread=1.0,
    )
    return scope.apply(
        serving_load.prefill_bound_throughput,
        output="workload.output",
        load=Node(load),
        prefill=Node(each),
    )


def limits(scope: Scope) -> list[str]:
    """The paths of the limits that the workload states and a metric answers to."""
    known = {"ttft": ("solo", "mean", *SHARES), "tpot": tuple(_NORMAL)}
    return [
        f"workload.slo.{name}[{key}]"
        for name, right in known.items()
        for key in scope.keys("workload", f"slo.{name}[]")
        if key in right
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


#: A stated load further than this share from what the arrivals make it is told.
_APART = 0.01


def load_said(scope: Scope, settled: Mapping[int, float]) -> tuple[str, ...]:
    """A remark on the load where requests arrive: whence it is, or what it denies.

    Args:
        scope: The scenario.
        settled: Its choices as they were settled.
    """
    if not serving(ARRIVALS).holds(scope) or scope.block("finance") is None:
        return ()
    try:
        asked, load = scope.derive("load"), scope["load"]
    except MissingInputError:
        return ()
    values = point(scope.builder.freeze(), (asked, load), settled)
    follows, taken = values[asked], values[load]
    if not math.isfinite(follows):
        return ()
    if asked == load:
        said = f"load is {_percent(follows)}: what arrives over what can be made"
        return (said,) if follows < 1 else ()
    if abs(taken - follows) <= _APART * follows:
        return ()
    said = f"load is stated as {_percent(taken)}, `arrival` makes {_percent(follows)}"
    return (f"{said}: cost follows the one stated",)


QUANTITIES = (
    quantity(
        "load",
        "%",
        "Mean demand over capacity within the SLO, by what arrives.",
        serving_pass.load_of_arrivals,
        when=serving(ARRIVALS),
        arrival="workload.arrival",
        availability="finance.availability",
        sold="finance.sold",
        output="workload.output",
        throughput="throughput.output",
    ),
    quantity(
        "latency.ttft[]",
        "ms",
        "Time to first token; solo: the prompt's pass alone, nothing else running.",
        _first,
        when=INFERENCE,
        keys=("solo", "mean", *SHARES),
        bare="solo",
        headline=True,
    ),
    quantity(
        "latency.tpot[]",
        "ms",
        "Time per output token after the first, (last - first) / (n - 1).",
        _each,
        when=INFERENCE,
        keys=tuple(_NORMAL),
        bare="mean",
        headline=True,
    ),
    quantity("queue.peak", "1", "Demand at the peak over the mean.", _peak),
    quantity(
        "queue.arrivals",
        "request/s",
        "Requests that arrive at one instance, at the peak.",
        serving_pass.arrivals_at_instance,
        when=serving(ARRIVALS),
        instances="instances",
        shared=_QUEUE,
    ),
    quantity(
        "queue.use",
        "%",
        "Tokens asked for at the peak over what all instances make running full.",
        serving_pass.queue_use,
        when=serving(ARRIVALS),
        output="workload.output",
        throughput="throughput.output",
        shared=_QUEUE,
    ),
    quantity(
        "queue.overload",
        "%",
        "By how much demand exceeds what can be served.",
        serving_pass.overload,
        when=serving(ARRIVALS),
        use="queue.use",
    ),
    quantity(
        "queue.load",
        "%",
        "Share of its time that an instance takes prompts in.",
        _busy,
        when=serving(ARRIVALS),
    ),
    quantity(
        "queue.load",
        "%",
        "Share of its time that an instance takes prompts in.",
        serving_load.prefill_load,
        when=serving(USERS),
        batch="workload.batch.instance",
        output="workload.output",
        prefill="prefill.step.time",
        step="serving.tpot",
    ),
    quantity(
        "throughput.in_limits",
        "token/s",
        "Output tokens a second of one instance within the limits that are stated.",
        _within,
        when=INFERENCE,
    ),
    quantity(
        "throughput.within_slo",
        "token/s",
        "Output tokens a second of all instances within the limits that are stated.",
        lambda s, _: s.apply(
            use.fleet_throughput,
            instances="instances",
            throughput="throughput.in_limits",
        ),
        when=INFERENCE,
    ),
)
REMARKS = (load_said,)
